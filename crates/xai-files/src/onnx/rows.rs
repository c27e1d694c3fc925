//! Models for batches of samples.

use ndarray::{Array2, ArrayViewD, Axis, Slice};
use xai_attribution::Real;
use xai_attribution::model::{BoxError, Model, RowKind};

use super::engine::{Reason, table};
use super::model::{OnnxModel, is_integer};

impl<T: Real> Model<T> for OnnxModel {
    fn row_kind(&self, shape: &[usize]) -> RowKind {
        if self.inputs.first().is_some_and(is_integer) {
            RowKind::Structured // token ids
        } else {
            RowKind::from_shape(shape)
        }
    }

    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        if self.fixed_batch()?.is_none() {
            if let Some(input) = self.inputs.first() {
                input.check(batch.shape())?;
            }
            self.determine_n_outputs(&batch)?;
        }
        let outputs = table(self.run_batch(&batch, None)?)?;
        let columns = outputs.ncols();
        let n_outputs = *self.n_outputs.get_or_init(|| columns);
        if columns == n_outputs {
            Ok(outputs)
        } else {
            Err(changed_outputs(n_outputs, columns).into())
        }
    }
}

impl OnnxModel {
    /// Determines the number of outputs for two and for three samples before the first batch, so that a model whose
    /// number of outputs depends on the batch is detected for any number of batches and threads.
    ///
    /// Threads do this at the same time instead of waiting for each other, because two calls on the stack of the
    /// same pool thread would deadlock.
    fn determine_n_outputs<T: Real>(&self, batch: &ArrayViewD<'_, T>) -> Result<(), Reason> {
        if self.n_outputs.get().is_some() {
            return Ok(());
        }
        let first = batch.slice_axis(Axis(0), Slice::from(..1));
        let columns = |size: usize| {
            let rows = vec![0; size];
            let outputs = self.scores(vec![self.input(&first.select(Axis(0), &rows).view())?])?;
            Ok::<usize, Reason>(outputs.ncols())
        };
        let (n_for_two, n_for_three) = (columns(2)?, columns(3)?);
        if n_for_two != n_for_three {
            return Err(changed_outputs(n_for_two, n_for_three));
        }
        self.n_outputs.get_or_init(|| n_for_two);
        Ok(())
    }
}

fn changed_outputs(before: usize, now: usize) -> Reason {
    format!("the number of its outputs changes between batches: {before} and {now}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onnx::engine::EngineOptions;

    #[test]
    fn a_file_that_is_no_model_is_named() {
        let failure = OnnxModel::from_bytes(
            "m.onnx".as_ref(),
            b"hello".to_vec(),
            &EngineOptions::default(),
        );
        assert_eq!(failure.err().unwrap().place(), Some("m.onnx"));
    }
}
