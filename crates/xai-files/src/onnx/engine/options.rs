//! `--engine` and what belongs to it.

use std::path::PathBuf;

use crate::failure::Failure;

/// How a model is run.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct EngineOptions {
    /// What runs the model.
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

/// What runs a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum EngineName {
    /// Built in: neural networks
    #[default]
    Rten,
    /// A shared library: neural networks, faster, and models of scikit-learn, LightGBM, XGBoost
    Onnxruntime,
}

/// How a build with ONNX Runtime is made.
#[cfg(not(feature = "onnxruntime"))]
const BUILD: &str =
    "build the command with ONNX Runtime: cargo install xai-cli --features onnxruntime";

impl EngineOptions {
    /// The output that was named.
    pub(crate) fn model_output(&self) -> Option<&str> {
        self.model_output.as_deref()
    }

    /// Refuses options that do not go together, and an engine that is not built.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.engine == EngineName::Rten {
            return match self.onnxruntime_lib {
                Some(_) => Err(
                    Failure::of_option("--onnxruntime-lib", "the engine is rten")
                        .help("add --engine onnxruntime"),
                ),
                None => Ok(()),
            };
        }
        #[cfg(feature = "onnxruntime")]
        return Ok(());
        #[cfg(not(feature = "onnxruntime"))]
        Err(Failure::of_option("--engine", "this build has rten alone")
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

/// What runs a model that rten does not.
pub(super) fn other_engine() -> &'static str {
    #[cfg(feature = "onnxruntime")]
    return "run it with --engine onnxruntime";
    #[cfg(not(feature = "onnxruntime"))]
    "run it with --engine onnxruntime, in a build with ONNX Runtime (cargo install xai-cli --features onnxruntime)"
}
