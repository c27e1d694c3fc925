//! The files that a command with a model reads.

use std::path::{Path, PathBuf};

use clap::Args;
use xai_files::arrays::StoredArray;
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::model::OnnxModel;
use xai_files::samples::FileSamples;
use xai_files::{Failure, Files, InFile, arrays};
use xai_metrics::attribution::input;
use xai_metrics::attribution::model::{Samples, Targets};

use crate::attribution::options;

/// A model and what it is called with.
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelFiles {
    /// The model.
    #[arg(long, value_name = "M.onnx")]
    pub(crate) model: PathBuf,
    /// Its inputs: (n, features), (n, time, features) or images.
    #[arg(long, value_name = "X.npy")]
    pub(crate) inputs: PathBuf,
    /// Class indices (n,) or rows of weights (n, outputs).
    #[arg(long, value_name = "T.npy")]
    pub(crate) targets: PathBuf,
}

/// The contents of [`ModelFiles`].
pub(crate) struct OpenedModel {
    pub(crate) model: OnnxModel,
    pub(crate) inputs: FileSamples,
    pub(crate) targets: Targets,
}

impl ModelFiles {
    pub(super) fn open(&self, engine: &EngineOptions) -> Result<OpenedModel, Failure> {
        let inputs = FileSamples::open_for_model(&self.inputs)?;
        let targets = targets(arrays::read(&self.targets)?)?;
        let model = OnnxModel::open(&self.model, engine)?;
        check_samples((&model, &self.model), (&inputs, &self.inputs))?;
        Ok(OpenedModel {
            model,
            inputs,
            targets,
        })
    }

    /// For each input that an error may be about: its file, and the files that its shape and its range follow from.
    pub(crate) fn files<'a>(&'a self, explanations: &'a Path) -> Files<'a> {
        Files::with_main_file(&self.model)
            .file(&[input::EXPLANATIONS], explanations)
            .file(&[input::TARGETS, input::LABELS], &self.targets)
            .file(&[input::INPUTS], &self.inputs)
            .shaped_by(
                &[input::EXPLANATIONS, input::TARGETS, input::LABELS],
                &self.inputs,
            )
            // Rows of weights have a column per output.
            .shaped_by(&[input::TARGETS], &self.model)
            .bounded_by(&[input::TARGETS, input::LABELS], &self.model)
            .and(options::names())
    }
}

/// Refuses inputs of another shape than a model takes.
pub(super) fn check_samples(
    (model, model_file): (&OnnxModel, &Path),
    (inputs, inputs_file): (&FileSamples, &Path),
) -> Result<(), Failure> {
    if inputs.n_samples() == 0 {
        return Ok(()); // that there are none is said by the metric
    }
    let failure = |why| Failure::new(format_args!("{why} in {}", inputs_file.display()));
    let checked = model.check_samples(inputs.shape()).map_err(failure);
    checked.in_file(model_file)
}

/// Targets by the number of axes: class indices `(n,)` or rows of weights `(n, outputs)`.
pub(crate) fn targets(stored: StoredArray) -> Result<Targets, Failure> {
    if stored.shape().len() == 1 {
        Ok(Targets::Classes(
            stored.into_labels::<ndarray::Ix1>()?.to_vec(),
        ))
    } else {
        Ok(Targets::Rows(stored.into_f64::<ndarray::Ix2>()?))
    }
}
