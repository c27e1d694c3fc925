//! The files of a metric that calls a model or an explainer.

use xai_files::Failure;
use xai_files::onnx::explainer::OnnxExplainer;
use xai_files::onnx::model::OnnxModel;
use xai_files::onnx::watched::WatchedModel;
use xai_files::samples::FileSamples;
use xai_metrics::attribution::model::{Model, Samples, Targets};
use xai_metrics::attribution::{Evaluate, EvaluationData, input};

use crate::Context;
use crate::attribution::model_files;
use crate::attribution::options::{ArrayReading, ScoringOptions};
use crate::metric_commands::InputFiles;

/// The opened files of a metric.
pub(super) struct OpenedFiles {
    model: Option<OnnxModel>,
    pub(super) inputs: FileSamples,
    targets: Targets,
    maps: Option<FileSamples>,
    explainer: Option<OnnxExplainer>,
}

impl OpenedFiles {
    /// Opens the files of a metric.
    pub(super) fn open(
        files: &InputFiles,
        scoring: &ScoringOptions,
        context: &Context,
    ) -> Result<Self, Failure> {
        let _working = context.working("opening the model");
        let engine = &scoring.engine;
        let (inputs, targets) = model_files::open_inputs(files)?;
        let model = files
            .has(input::MODEL)
            .then(|| model_files::open_model(files, &inputs, engine, context));
        let maps = files.get(input::EXPLANATIONS);
        let explainer = files.get(input::EXPLAINER);
        Ok(Self {
            model: model.transpose()?,
            inputs,
            targets,
            maps: maps.map(FileSamples::open).transpose()?,
            explainer: explainer
                .map(|file| OnnxExplainer::open(file, engine))
                .transpose()?,
        })
    }

    /// Takes the model out; `watch` is called with the number of rows of every call.
    pub(super) fn take_model<F: Fn(u64)>(
        &mut self,
        watch: F,
    ) -> Option<WatchedModel<OnnxModel, F>> {
        let model = self.model.take()?;
        Some(WatchedModel { model, watch })
    }

    /// The layout of the inputs as the model takes them, else the explainer.
    pub(super) fn reading(&self, scoring: &ScoringOptions) -> Result<ArrayReading, Failure> {
        let model_images = self.model.as_ref().map(|model| model.images);
        let images = model_images.or_else(|| self.explainer.as_ref().map(OnnxExplainer::images));
        scoring.reading(self.inputs.shape(), images.unwrap_or_default())
    }

    pub(super) fn data<'a, M: Model<f64>>(
        &'a self,
        model: Option<&'a M>,
        scoring: &ScoringOptions,
        reading: &ArrayReading,
    ) -> EvaluationData<'a, f64> {
        let mut data =
            EvaluationData::new(&self.inputs, &self.targets).scoring(scoring.scoring(reading));
        if let Some(model) = model {
            data = data.model(model);
        }
        if let Some(maps) = &self.maps {
            data = data.maps(maps);
        }
        if let Some(explainer) = &self.explainer {
            data = data.explainer(explainer);
        }
        data
    }
}
