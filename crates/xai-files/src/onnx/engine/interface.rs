//! What an engine is given, and what it answers.

use std::path::Path;

use ndarray::{Array2, ArrayD, IxDyn};

use crate::failure::Failure;
use crate::onnx::contents::Contents;
use crate::onnx::contents::port::Port;

/// Why a model gives no answer, as text.
pub(crate) type Reason = String;

/// A model's file.
pub(crate) struct File<'a> {
    pub(crate) path: &'a Path,
    pub(crate) bytes: Vec<u8>,
    pub(crate) contents: &'a Contents,
    /// The output that is asked for.
    pub(crate) output: &'a Port,
}

/// An array that goes into a model.
pub(crate) enum Input {
    Real(ArrayD<f32>),
    Integer(ArrayD<i64>),
}

impl Input {
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Self::Real(array) => array.shape(),
            Self::Integer(array) => array.shape(),
        }
    }
}

/// Why a model is not loaded.
pub(crate) enum NotLoaded {
    /// What the engine misses in the model.
    Model(Failure),
    /// There is no such engine here.
    Engine(Failure),
}

impl From<Failure> for NotLoaded {
    fn from(of_model: Failure) -> Self {
        Self::Model(of_model)
    }
}

/// A model that is loaded.
pub(crate) trait Engine: Send + Sync {
    /// The output that was asked for.
    ///
    /// There are as many inputs as the file declares, in its order.
    fn run(&self, inputs: Vec<Input>) -> Result<ArrayD<f64>, Reason>;
}

/// A model that an engine cannot run, and what may run it.
pub(super) fn unsupported(reason: impl std::fmt::Display, help: &str) -> Failure {
    Failure::new(format_args!("the engine cannot run the model: {reason}")).help(help)
}

/// Numbers in row-major order, as an array.
pub(super) fn array(shape: &[usize], numbers: Vec<f64>) -> Result<ArrayD<f64>, Reason> {
    ArrayD::from_shape_vec(IxDyn(shape), numbers).map_err(|error| error.to_string())
}

/// An answer `(rows, columns)`, `(rows,)` or with further axes of 1, as a table.
pub(crate) fn table(answer: ArrayD<f64>) -> Result<Array2<f64>, Reason> {
    let shape = answer.shape().to_vec();
    let refused = || {
        format!(
            "it answers with the shape {shape:?}: expected (n, classes) or (n,), further axes 1"
        )
    };
    let (&rows, rest) = shape.split_first().ok_or_else(refused)?;
    let (&columns, rest) = rest.split_first().unwrap_or((&1, &[]));
    if rest.iter().any(|&n| n != 1) {
        return Err(refused());
    }
    let table = answer.into_shape_with_order((rows, columns));
    table.map_err(|error| error.to_string())
}
