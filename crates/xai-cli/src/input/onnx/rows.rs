//! Models of a batch of samples.

use ndarray::{Array2, ArrayViewD, Axis, concatenate};
use tract_onnx::prelude::*;
use xai_metrics::attribution::model::{BoxError, Model};

use super::engine::Engine;
use crate::failure::Failure;

/// A model of one input and one output of shape `(batch, n_outputs)`.
pub(crate) struct OnnxModel(Engine);

impl OnnxModel {
    /// Reads a model file.
    pub(crate) fn read(file: &str) -> Result<Self, Failure> {
        Self::new(file, Engine::read(file)?)
    }

    /// Reads a model from the bytes of a file.
    pub(crate) fn parse(file: &str, bytes: &[u8]) -> Result<Self, Failure> {
        Self::new(file, Engine::parse(file, bytes)?)
    }

    fn new(file: &str, engine: Engine) -> Result<Self, Failure> {
        match (engine.n_inputs(), engine.n_outputs()) {
            (1, 1) => Ok(Self(engine)),
            (inputs, outputs) => Err(Failure::new(format!(
                "a model of {inputs} inputs and {outputs} outputs: expected one of each"
            ))
            .in_file(file)),
        }
    }
}

impl Model<f32> for OnnxModel {
    fn outputs(&self, batch: ArrayViewD<'_, f32>) -> Result<Array2<f64>, BoxError> {
        // The engine multiplies a matrix by a vector in another order than by a matrix. A row by
        // itself goes in twice, so that its answer is the same in every batch.
        if batch.shape().first() == Some(&1) {
            let twice = concatenate(Axis(0), &[batch.view(), batch.view()])?;
            // A model whose file says one row at a time takes no two.
            if let Ok(answer) = self.outputs(twice.view())
                && answer.nrows() == 2
            {
                return Ok(answer.slice_axis(Axis(0), (..1).into()).to_owned());
            }
        }
        let input = Tensor::from(batch.as_standard_layout().into_owned());
        let output = self.0.run(tvec!(input.into()))?;
        let Some(&n) = output.shape().first() else {
            return Err("the model answers a batch with a single number".into());
        };
        let values: Vec<f64> = output.iter().map(|&x| f64::from(x)).collect();
        let columns = values.len() / n.max(1);
        Ok(Array2::from_shape_vec((n, columns), values)?)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{ArrayD, IxDyn};

    use super::*;
    use crate::input::arrays;

    fn sample(name: &str) -> String {
        format!("{}/sample/attribution/{name}", env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn the_sample_model_gives_the_logits_of_another_runtime() {
        let model = OnnxModel::read(&sample("model.onnx")).unwrap();
        let inputs: ArrayD<f32> = arrays::read_f32::<IxDyn>(&sample("inputs.npy")).unwrap();
        let expected: Array2<f64> = arrays::read_f64(&sample("logits_expected.npy")).unwrap();
        let logits = model.outputs(inputs.view()).unwrap();
        let alone = model
            .outputs(inputs.slice_axis(Axis(0), (5..6).into()))
            .unwrap();
        assert_eq!(alone.row(0), logits.row(5));
        let worst = (&logits - &expected)
            .iter()
            .fold(0.0, |worst: f64, d| worst.max(d.abs()));
        assert!(worst < 1e-4, "{worst}");
    }

    #[test]
    fn a_file_that_is_no_model_is_named() {
        let failure = OnnxModel::parse("m.onnx", b"hello").err().unwrap();
        assert_eq!(failure.place(), Some("m.onnx"));
    }

    #[test]
    fn inputs_of_the_wrong_shape_are_the_models_error() {
        let model = OnnxModel::read(&sample("model.onnx")).unwrap();
        let inputs = ArrayD::zeros(vec![2, 3, 8, 8]);
        assert!(model.outputs(inputs.view()).is_err());
    }
}
