//! Engines that run models.

use std::path::{Path, PathBuf};

use ndarray::{Array2, ArrayD, IxDyn};

use crate::failure::Failure;
use crate::onnx::contents::Contents;
use crate::onnx::contents::port::Port;

#[cfg(feature = "onnxruntime")]
pub(super) mod onnxruntime;
mod panics;
pub(super) mod rten;

/// The reason why a model has no output.
pub(crate) type Reason = String;

/// The file of a model.
pub(crate) struct File<'a> {
    pub(crate) path: &'a Path,
    pub(crate) bytes: Vec<u8>,
    pub(in crate::onnx) contents: &'a Contents,
    /// The requested output.
    pub(crate) output: &'a Port,
}

/// An input array.
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

/// The failure to load a model.
pub(crate) enum LoadFailure {
    /// The engine cannot run the model.
    Model(Failure),
    /// The engine is not available.
    Engine(Failure),
}

impl From<Failure> for LoadFailure {
    fn from(failure: Failure) -> Self {
        Self::Model(failure)
    }
}

/// A loaded model.
pub(crate) trait Engine: Send + Sync {
    /// Computes the requested output. The inputs are those that the file declares, in its order.
    fn run(&self, inputs: Vec<Input>) -> Result<ArrayD<f64>, Reason>;
}

/// An error for a model that an engine cannot run, with advice.
pub(super) fn unsupported(reason: impl std::fmt::Display, help: &str) -> Failure {
    Failure::new(format_args!("the engine cannot run the model: {reason}")).help(help)
}

/// Creates an array from numbers in row-major order.
pub(super) fn array(shape: &[usize], numbers: Vec<f64>) -> Result<ArrayD<f64>, Reason> {
    ArrayD::from_shape_vec(IxDyn(shape), numbers).map_err(|error| error.to_string())
}

/// Converts an output `(rows, columns)` or `(rows,)`, possibly with further axes of length 1, to a table.
pub(crate) fn table(answer: ArrayD<f64>) -> Result<Array2<f64>, Reason> {
    let shape = answer.shape().to_vec();
    let wrong_shape = || {
        format!(
            "it answers with the shape {shape:?}: expected (n, classes) or (n,), further axes 1"
        )
    };
    let (&rows, other_axes) = shape.split_first().ok_or_else(wrong_shape)?;
    let (&columns, further_axes) = other_axes.split_first().unwrap_or((&1, &[]));
    if further_axes.iter().any(|&n| n != 1) {
        return Err(wrong_shape());
    }
    let table = answer.into_shape_with_order((rows, columns));
    table.map_err(|error| error.to_string())
}

/// Options for running a model.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct EngineOptions {
    /// Engine that runs the model.
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub engine: EngineName,
    /// The shared library of ONNX Runtime, or its folder, for --engine onnxruntime. Default: the
    /// environment variable ORT_DYLIB_PATH, else the library that the system finds.
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH"))]
    pub onnxruntime_lib: Option<PathBuf>,
    /// The model's output that holds the scores. Default: the only one of floating-point numbers;
    /// of graphs, the first.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub model_output: Option<String>,
}

/// An engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum EngineName {
    /// Built in: neural networks
    #[default]
    Rten,
    /// A shared library: neural networks, faster, and models of scikit-learn, LightGBM, XGBoost
    Onnxruntime,
}

/// Advice on building with ONNX Runtime.
#[cfg(not(feature = "onnxruntime"))]
const BUILD: &str =
    "build the command with ONNX Runtime: cargo install xai-cli --features onnxruntime";

impl EngineOptions {
    /// The name of the requested output.
    pub(crate) fn model_output(&self) -> Option<&str> {
        self.model_output.as_deref()
    }

    /// Returns a remark if ONNX Runtime is much faster for a model with so many depthwise convolutions. For
    /// MobileNetV2, which has 17, it is 3 to 4 times as fast as `rten`.
    pub(super) fn faster_engine(&self, n_depthwise: usize) -> Option<String> {
        const MANY: usize = 8;
        let is_slow = self.engine == EngineName::Rten && n_depthwise >= MANY;
        is_slow.then(|| {
            format!(
                "the model has {n_depthwise} depthwise convolutions, for which ONNX Runtime is several times as fast: {}",
                other_engine()
            )
        })
    }

    /// Refuses options that contradict each other, and an engine that this build does not include.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.engine == EngineName::Rten {
            return match self.onnxruntime_lib {
                Some(_) => Err(
                    Failure::for_option("--onnxruntime-lib", "the engine is rten")
                        .help("add --engine onnxruntime"),
                ),
                None => Ok(()),
            };
        }
        #[cfg(feature = "onnxruntime")]
        return Ok(());
        #[cfg(not(feature = "onnxruntime"))]
        Err(Failure::for_option("--engine", "this build has rten alone")
            .with_value("onnxruntime")
            .help(BUILD))
    }

    #[cfg(feature = "onnxruntime")]
    pub(super) fn is_onnxruntime(&self) -> bool {
        self.engine == EngineName::Onnxruntime
    }

    #[cfg(feature = "onnxruntime")]
    pub(super) fn onnxruntime_lib(&self) -> Option<&std::path::Path> {
        self.onnxruntime_lib.as_deref()
    }
}

/// Advice on models that rten does not support.
pub(super) fn other_engine() -> &'static str {
    #[cfg(feature = "onnxruntime")]
    return "run it with --engine onnxruntime";
    #[cfg(not(feature = "onnxruntime"))]
    "run it with --engine onnxruntime, in a build with ONNX Runtime (cargo install xai-cli --features onnxruntime)"
}
