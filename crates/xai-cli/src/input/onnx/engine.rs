//! A model file and the plans that the engine makes of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ndarray::ArrayD;
use tract_onnx::prelude::*;

use crate::failure::{Failure, InFile};

/// What may go wrong while a model runs, as text: the engine's reasons, outermost first. The
/// innermost names the operator that is missing.
pub(super) type Reasons = String;

/// A model of any number of inputs.
pub(super) struct Engine {
    model: InferenceModel,
    /// The engine plans for exact shapes: of full batches and of the last, or, where edges are
    /// removed from a graph, of each number of edges.
    plans: Mutex<HashMap<Vec<Vec<usize>>, Arc<TypedRunnableModel>>>,
}

impl Engine {
    /// Reads a model file.
    pub(super) fn read(file: &str) -> Result<Self, Failure> {
        let bytes = std::fs::read(file)
            .map_err(Failure::cannot_be_opened)
            .in_file(file)?;
        Self::parse(file, &bytes)
    }

    /// Reads a model from the bytes of a file.
    pub(super) fn parse(file: &str, mut bytes: &[u8]) -> Result<Self, Failure> {
        let model = tract_onnx::onnx()
            .model_for_read(&mut bytes)
            .map_err(|e| Failure::new(format!("not an ONNX model: {}", reasons(&e))))
            .in_file(file)?;
        Ok(Self {
            model,
            plans: Mutex::default(),
        })
    }

    pub(super) fn n_inputs(&self) -> usize {
        self.model.inputs.len()
    }

    pub(super) fn n_outputs(&self) -> usize {
        self.model.outputs.len()
    }

    /// The first output, in single precision.
    pub(super) fn run(&self, inputs: TVec<TValue>) -> Result<ArrayD<f32>, Reasons> {
        let shapes: Vec<Vec<usize>> = inputs.iter().map(|t| t.shape().to_vec()).collect();
        let plan = self
            .plan(&inputs, &shapes)
            .map_err(|e| format!("inputs of shape {}: {}", listed(&shapes), reasons(&e)))?;
        let output = || {
            let outputs = plan.run(inputs)?;
            let output = outputs[0].cast_to::<f32>()?;
            TractResult::Ok(output.to_plain_array_view::<f32>()?.to_owned())
        };
        output().map_err(|e| reasons(&e))
    }

    fn plan(
        &self,
        inputs: &[TValue],
        shapes: &[Vec<usize>],
    ) -> TractResult<Arc<TypedRunnableModel>> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = plans.get(shapes) {
            return Ok(Arc::clone(plan));
        }
        let mut model = self.model.clone();
        for (i, input) in inputs.iter().enumerate() {
            let fact = InferenceFact::dt_shape(input.datum_type(), input.shape());
            model.set_input_fact(i, fact)?;
        }
        let plan = model.into_optimized()?.into_runnable()?;
        plans.insert(shapes.to_vec(), Arc::clone(&plan));
        Ok(plan)
    }
}

fn listed(shapes: &[Vec<usize>]) -> String {
    let shapes: Vec<String> = shapes.iter().map(|shape| format!("{shape:?}")).collect();
    shapes.join(", ")
}

fn reasons(error: &TractError) -> Reasons {
    let chain: Vec<String> = error.chain().map(ToString::to_string).collect();
    chain.join(": ")
}
