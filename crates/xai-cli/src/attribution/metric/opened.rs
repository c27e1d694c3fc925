//! The files of a metric that asks a model or an explainer.

use std::path::PathBuf;

use xai_files::onnx::explainer::OnnxExplainer;
use xai_files::onnx::model::OnnxModel;
use xai_files::onnx::watched::WatchedModel;
use xai_files::samples::FileSamples;
use xai_files::{Failure, arrays};
use xai_metrics::attribution::batch::Data;
use xai_metrics::attribution::model::{Model, Samples, Targets};
use xai_metrics::attribution::{Evaluate, input};
use xai_metrics::core::Input;

use crate::Context;
use crate::attribution::model_files;
use crate::attribution::options::{Reading, ScoringOptions};

/// What a metric that asks is computed from.
pub(super) struct Opened {
    model: Option<OnnxModel>,
    pub(super) inputs: FileSamples,
    targets: Targets,
    maps: Option<FileSamples>,
    explainer: Option<OnnxExplainer>,
}

impl Opened {
    /// Opens the files of a metric.
    pub(super) fn open<'a>(
        file: impl Fn(Input) -> Result<&'a PathBuf, Failure>,
        scoring: &ScoringOptions,
        context: &Context,
    ) -> Result<Self, Failure> {
        let _working = context.working("opening the model");
        let engine = &scoring.engine;
        let inputs_file = file(input::INPUTS)?;
        let inputs = FileSamples::open_for_model(inputs_file)?;
        let targets = model_files::targets(arrays::read(file(input::TARGETS)?)?)?;
        let model = file(input::MODEL).ok().map(|file| {
            let model = OnnxModel::open(file, engine)?;
            model_files::check_samples((&model, file), (&inputs, inputs_file))?;
            Ok::<_, Failure>(model)
        });
        let maps = file(input::EXPLANATIONS).ok();
        let explainer = file(input::EXPLAINER).ok();
        Ok(Self {
            model: model.transpose()?,
            inputs,
            targets,
            maps: maps.map(|file| FileSamples::open(file)).transpose()?,
            explainer: explainer
                .map(|file| OnnxExplainer::open(file, engine))
                .transpose()?,
        })
    }

    /// The model, with what is told of every call.
    pub(super) fn take_model<F: Fn(u64)>(
        &mut self,
        watch: F,
    ) -> Option<WatchedModel<OnnxModel, F>> {
        let model = self.model.take()?;
        Some(WatchedModel { model, watch })
    }

    /// How the inputs are read: as the model takes them, else the explainer.
    pub(super) fn reading(&self, scoring: &ScoringOptions) -> Result<Reading, Failure> {
        let of_model = self.model.as_ref().map(|model| model.images);
        let images = of_model.or_else(|| self.explainer.as_ref().map(OnnxExplainer::images));
        scoring.reading(self.inputs.shape(), images.unwrap_or_default())
    }

    pub(super) fn data<'a, M: Model<f64>>(
        &'a self,
        model: Option<&'a M>,
        scoring: &ScoringOptions,
        reading: &Reading,
    ) -> Data<'a, f64> {
        let mut data = Data::new(&self.inputs, &self.targets).scoring(scoring.scoring(reading));
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
