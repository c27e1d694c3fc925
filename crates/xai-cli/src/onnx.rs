//! Models in ONNX files, run by a pure-Rust engine.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ndarray::{Array2, ArrayViewD, Axis, concatenate};
use tract_onnx::prelude::*;
use xai_metrics::attribution::{BoxError, Model};

use crate::failure::{Failure, InFile};

type Plan = Arc<TypedRunnableModel>;

/// A model of one input and one output of shape `(batch, n_outputs)`.
pub(crate) struct OnnxModel {
    model: InferenceModel,
    /// The engine plans for a fixed shape: one plan for full batches, one for the last.
    plans: Mutex<HashMap<Vec<usize>, Plan>>,
}

impl OnnxModel {
    /// Reads a model file.
    pub(crate) fn read(file: &str) -> Result<Self, Failure> {
        let bytes = std::fs::read(file)
            .map_err(|e| Failure::new(format!("cannot be opened: {e}")))
            .in_file(file)?;
        Self::parse(file, &bytes)
    }

    /// Reads a model from the bytes of a file.
    pub(crate) fn parse(file: &str, mut bytes: &[u8]) -> Result<Self, Failure> {
        let model = tract_onnx::onnx()
            .model_for_read(&mut bytes)
            .map_err(|e| Failure::new(format!("not an ONNX model: {}", reasons(&e))))
            .in_file(file)?;
        let (inputs, outputs) = (model.inputs.len(), model.outputs.len());
        if inputs != 1 || outputs != 1 {
            return Err(Failure::new(format!(
                "a model of {inputs} inputs and {outputs} outputs: expected one of each"
            ))
            .in_file(file));
        }
        Ok(Self {
            model,
            plans: Mutex::default(),
        })
    }

    fn plan(&self, shape: &[usize]) -> Result<Plan, BoxError> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = plans.get(shape) {
            return Ok(Arc::clone(plan));
        }
        let plan = self
            .model
            .clone()
            .with_input_fact(0, f32::fact(shape).into())
            .and_then(|model| model.into_optimized())
            .and_then(|model| model.into_runnable())
            .map_err(|e| format!("inputs of shape {shape:?}: {}", reasons(&e)))?;
        plans.insert(shape.to_vec(), Arc::clone(&plan));
        Ok(plan)
    }
}

impl Model<f32> for OnnxModel {
    fn outputs(&self, batch: ArrayViewD<'_, f32>) -> Result<Array2<f64>, BoxError> {
        // The engine multiplies a matrix by a vector in another order than by a matrix. A row by itself
        // goes in twice, so that its answer does not depend on the company it has.
        if batch.shape().first() == Some(&1) {
            let twice = concatenate(Axis(0), &[batch.view(), batch.view()])?;
            // A model whose file says one row at a time takes no two.
            if let Ok(answer) = self.outputs(twice.view())
                && answer.nrows() == 2
            {
                return Ok(answer.slice_axis(Axis(0), (..1).into()).to_owned());
            }
        }
        let plan = self.plan(batch.shape())?;
        let batch = batch.as_standard_layout();
        let input = Tensor::from_shape(batch.shape(), batch.as_slice().unwrap_or_default())
            .map_err(|e| reasons(&e))?;
        let outputs = plan.run(tvec!(input.into())).map_err(|e| reasons(&e))?;
        let output = outputs[0]
            .to_plain_array_view::<f32>()
            .map_err(|e| reasons(&e))?;
        let shape = output.shape();
        if shape.is_empty() {
            return Err("the model answers a batch with a single number".into());
        }
        let n = shape[0];
        let values: Vec<f64> = output.iter().map(|&x| f64::from(x)).collect();
        let columns = values.len() / n.max(1);
        Ok(Array2::from_shape_vec((n, columns), values)?)
    }
}

/// The engine's reasons, outermost first: the innermost names the operator that is missing.
pub(crate) fn reasons(error: &TractError) -> String {
    let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
    chain.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays;
    use ndarray::{ArrayD, IxDyn};

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
        assert!(
            failure
                .to_string()
                .starts_with("error: m.onnx: not an ONNX model: "),
            "{failure}"
        );
    }

    #[test]
    fn inputs_of_the_wrong_shape_are_the_models_error() {
        let model = OnnxModel::read(&sample("model.onnx")).unwrap();
        let error = model
            .outputs(ArrayD::zeros(vec![2, 3, 8, 8]).view())
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("inputs of shape [2, 3, 8, 8]: "),
            "{error}"
        );
    }
}
