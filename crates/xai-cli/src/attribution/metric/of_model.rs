//! Metrics that ask a model or an explainer.

use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::explainer::OnnxExplainer;
use xai_files::onnx::model::OnnxModel;
use xai_files::onnx::watched::Watched;
use xai_files::samples::FileSamples;
use xai_files::{Failure, InFiles, arrays};
use xai_metrics::attribution::batch::Data;
use xai_metrics::attribution::metric::MetricValue;
use xai_metrics::attribution::model::{Concurrent, Model, Samples, Targets};
use xai_metrics::attribution::run::{MaskedScores, masked_scores_on};
use xai_metrics::attribution::{Evaluate, input};
use xai_metrics::core::Input;

use crate::Context;
use crate::attribution::metric::MetricCommand;
use crate::attribution::model_files;
use crate::attribution::options::{Reading, ScoringOptions};

/// What a metric that asks is computed from.
struct Opened {
    model: Option<OnnxModel>,
    inputs: FileSamples,
    targets: Targets,
    maps: Option<FileSamples>,
    explainer: Option<OnnxExplainer>,
}

impl Opened {
    /// The model, with what is told of every call.
    fn take_model<F: Fn(u64)>(&mut self, watch: F) -> Option<Watched<OnnxModel, F>> {
        let model = self.model.take()?;
        Some(Watched { model, watch })
    }

    /// How the inputs are read: as the model takes them, else the explainer.
    fn reading(&self, scoring: &ScoringOptions) -> Result<Reading, Failure> {
        let of_model = self.model.as_ref().map(|model| model.images);
        let images = of_model.or_else(|| self.explainer.as_ref().map(OnnxExplainer::images));
        scoring.reading(self.inputs.shape(), images.unwrap_or_default())
    }

    fn data<'a, M: Model<f64>>(
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

impl MetricCommand {
    fn open(&self, engine: &EngineOptions) -> Result<Opened, Failure> {
        let file = |input: Input| self.file(input).ok();
        let explainer = file(input::EXPLAINER);
        let maps = file(input::EXPLANATIONS);
        let inputs_file = self.file(input::INPUTS)?;
        let inputs = FileSamples::open_for_model(inputs_file)?;
        let targets = model_files::targets(arrays::read(self.file(input::TARGETS)?)?)?;
        let model = file(input::MODEL).map(|file| {
            let model = OnnxModel::of_rows(file, engine)?;
            model_files::check_samples((&model, file), (&inputs, inputs_file))?;
            Ok::<_, Failure>(model)
        });
        Ok(Opened {
            model: model.transpose()?,
            inputs,
            targets,
            maps: maps.map(|file| FileSamples::open(file)).transpose()?,
            explainer: explainer
                .map(|file| OnnxExplainer::open(file, engine))
                .transpose()?,
        })
    }

    /// The model's scores of whole and of masked inputs.
    pub(super) fn model_scores(
        &self,
        scoring: &ScoringOptions,
        context: &Context,
    ) -> Result<(MaskedScores, Reading), Failure> {
        let working = context.working("opening the model");
        let mut opened = self.open(&scoring.engine)?;
        drop(working);
        let reading = opened.reading(scoring)?;
        let bar = context.progress(2 * opened.inputs.n_samples() as u64, "rows scored");
        let model = opened.take_model(|rows| bar.inc(rows));
        let model = model.as_ref().map(Concurrent);
        let scores = masked_scores_on(opened.data(model.as_ref(), scoring, &reading));
        bar.finish_and_clear();
        let scores = scores.map_err(|stopped| stopped.into_error());
        let scores = scores.in_files(&self.places()?)?;
        Ok((scores, reading))
    }

    /// The metric of a model, an explainer, or both.
    pub(super) fn of_asked(
        &self,
        scoring: &ScoringOptions,
        context: &Context,
    ) -> Result<(MetricValue, Reading), Failure> {
        let working = context.working("opening the model");
        let mut opened = self.open(&scoring.engine)?;
        drop(working);
        let reading = opened.reading(scoring)?;
        let bar = context.counter("rows scored");
        let model = opened.take_model(|rows| bar.inc(rows));
        let model = model.as_ref().map(Concurrent);
        let data = opened.data(model.as_ref(), scoring, &reading);
        let data = self.with_sides(data, opened.inputs.shape())?;
        let value = self.evaluate(data, context);
        bar.finish_and_clear();
        let value = value?;
        self.write_rows(&value)?;
        Ok((value, reading))
    }
}
