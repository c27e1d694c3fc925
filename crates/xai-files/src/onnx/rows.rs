//! Models of a batch of samples.

use ndarray::{Array2, ArrayViewD, Axis, Slice};
use xai_attribution::Real;
use xai_attribution::model::{BoxError, Model};

use super::batches::single;
use super::engine::{Reason, table};
use super::model::OnnxModel;

impl<T: Real> Model<T> for OnnxModel {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        if self.fixed_batch()?.is_none() {
            if let Some(input) = self.inputs.first() {
                input.check(batch.shape())?;
            }
            self.know_n_outputs(&batch)?;
        }
        let outputs = table(self.of_samples(&batch, None)?)?;
        let columns = outputs.ncols();
        let n_outputs = *self.n_outputs.get_or_init(|| columns);
        match columns == n_outputs {
            true => Ok(outputs),
            false => Err(changes(n_outputs, columns).into()),
        }
    }
}

impl OnnxModel {
    /// Asks for the number of outputs of two and of three samples before the first batch, so that a
    /// model whose outputs depend on the batch is found on any number of batches and threads.
    ///
    /// Threads may ask at the same time: one that waits for another would wait for itself where
    /// both are calls on the stack of one thread of the pool.
    fn know_n_outputs<T: Real>(&self, batch: &ArrayViewD<'_, T>) -> Result<(), Reason> {
        if self.n_outputs.get().is_some() {
            return Ok(());
        }
        let first = batch.slice_axis(Axis(0), Slice::from(..1));
        let columns = |size: usize| {
            let rows = vec![0; size];
            let outputs = self.scores(vec![single(&first.select(Axis(0), &rows).view())?])?;
            Ok::<usize, Reason>(outputs.ncols())
        };
        let (of_two, of_three) = (columns(2)?, columns(3)?);
        if of_two != of_three {
            return Err(changes(of_two, of_three));
        }
        self.n_outputs.get_or_init(|| of_two);
        Ok(())
    }
}

fn changes(before: usize, now: usize) -> Reason {
    format!("the number of its outputs changes between batches: {before} and {now}")
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use ndarray::{ArrayD, IxDyn, Slice};

    use super::*;
    use crate::arrays;
    use crate::onnx::engine::EngineOptions;

    fn sample(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../xai-cli/sample/attribution")
            .join(name)
    }

    fn data(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../xai-cli/tests/data/models")
            .join(name)
    }

    fn worst(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
        let differences = a - b;
        differences.iter().fold(0.0, |worst, d| worst.max(d.abs()))
    }

    #[test]
    fn the_sample_model_gives_the_logits_of_another_runtime() {
        let model = OnnxModel::of_rows(&sample("model.onnx"), &EngineOptions::default()).unwrap();
        let inputs: ArrayD<f32> = arrays::read_f32::<IxDyn>(&sample("inputs.npy")).unwrap();
        let expected: Array2<f64> = arrays::read_f64(&sample("logits_expected.npy")).unwrap();
        let logits = model.outputs(inputs.view()).unwrap();
        assert!(worst(&logits, &expected) < 1e-4);
        for size in [1, 2, 3, 7, 64] {
            for (piece, expected) in inputs
                .axis_chunks_iter(Axis(0), size)
                .zip(logits.axis_chunks_iter(Axis(0), size))
            {
                assert_eq!(model.outputs(piece).unwrap(), expected, "batches of {size}");
            }
        }
    }

    #[test]
    fn a_network_gives_the_outputs_of_another_runtime_in_every_type_and_shape_it_is_stored_in() {
        let inputs: ArrayD<f32> = arrays::read_f32::<IxDyn>(&data("mlp_inputs.npy")).unwrap();
        for (file, expected) in [
            ("mlp.onnx", "mlp_expected.npy"),
            ("mlp_external.onnx", "mlp_expected.npy"),
            ("mlp_trailing.onnx", "mlp_expected.npy"),
            ("mlp_f64.onnx", "mlp_expected.npy"),
            ("mlp_f16.onnx", "mlp_f16_expected.npy"),
            ("mlp_weights_as_inputs.onnx", "mlp_expected.npy"),
            ("mlp_batch_1.onnx", "mlp_expected.npy"),
            ("mlp_batch_4.onnx", "mlp_expected.npy"),
        ] {
            let expected: Array2<f64> = arrays::read_f64(&data(expected)).unwrap();
            let model = OnnxModel::of_rows(&data(file), &EngineOptions::default()).unwrap();
            let outputs = model.outputs(inputs.view()).unwrap();
            assert!(worst(&outputs, &expected) < 1e-4, "{file}");
            let last = inputs.slice_axis(Axis(0), Slice::from(6..));
            let last = model.outputs(last).unwrap();
            assert_eq!(last.row(0), outputs.row(6), "{file}");
        }
    }

    #[test]
    fn a_file_that_is_no_model_is_named() {
        let failure = OnnxModel::of_rows_in(
            "m.onnx".as_ref(),
            b"hello".to_vec(),
            &EngineOptions::default(),
        );
        assert_eq!(failure.err().unwrap().place(), Some("m.onnx"));
    }

    #[test]
    fn inputs_of_the_wrong_shape_are_the_models_error() {
        let model = OnnxModel::of_rows(&sample("model.onnx"), &EngineOptions::default()).unwrap();
        let inputs = ArrayD::<f32>::zeros(vec![2, 3, 8, 8]);
        let error = model.outputs(inputs.view()).unwrap_err().to_string();
        assert!(error.contains("[2, 3, 8, 8]"), "{error}");
    }
}
