//! Metrics that ask a model.

use xai_metrics::attribution::batch::Data;
use xai_metrics::attribution::metric::MetricValue;
use xai_metrics::attribution::model::{Concurrent, Samples};
use xai_metrics::attribution::run::{MaskedScores, masked_scores};
use xai_metrics::attribution::{Evaluate, input};

use super::MetricCommand;
use crate::attribution::model_files::{ModelFiles, OpenedModel};
use crate::attribution::options::ScoringOptions;
use crate::context::Context;
use crate::failure::{Failure, InFiles};
use crate::input::onnx::engine::EngineOptions;
use crate::input::onnx::watched::Watched;
use crate::input::samples::FileSamples;

impl MetricCommand {
    fn open(&self, engine: &EngineOptions) -> Result<(OpenedModel, FileSamples), Failure> {
        let files = ModelFiles {
            model: self.file(input::MODEL)?.clone(),
            inputs: self.file(input::INPUTS)?.clone(),
            targets: self.file(input::TARGETS)?.clone(),
        };
        let opened = files.open(engine)?;
        Ok((opened, FileSamples::open(self.file(input::EXPLANATIONS)?)?))
    }

    /// The model's scores of whole and of masked inputs.
    pub(super) fn model_scores(
        &self,
        scoring: &ScoringOptions,
        context: &Context,
    ) -> Result<MaskedScores, Failure> {
        let (opened, maps) = self.open(&scoring.engine)?;
        let bar = context.progress(2 * opened.inputs.n_samples() as u64, "rows scored");
        let model = Watched {
            model: opened.model,
            watch: |rows| bar.inc(rows),
        };
        let reading = scoring.reading(opened.inputs.shape());
        let scores = masked_scores(
            &Concurrent(&model),
            &opened.inputs,
            &opened.targets,
            &maps,
            &scoring.scoring(&reading),
        );
        bar.finish_and_clear();
        let scores = scores.map_err(|stopped| stopped.into_error());
        let scores = scores.in_files(&self.places()?)?;
        reading.say(context);
        Ok(scores)
    }

    /// The metric of a model.
    pub(super) fn of_model(
        &self,
        scoring: &ScoringOptions,
        context: &Context,
    ) -> Result<MetricValue, Failure> {
        let (opened, maps) = self.open(&scoring.engine)?;
        let bar = context.counter("rows scored");
        let model = Watched {
            model: opened.model,
            watch: |rows| bar.inc(rows),
        };
        let model = Concurrent(&model);
        let reading = scoring.reading(opened.inputs.shape());
        let data = Data::new(&opened.inputs, &opened.targets)
            .model(&model)
            .maps(&maps)
            .scoring(scoring.scoring(&reading));
        let data = self.with_sides(data, opened.inputs.shape())?;
        let value = self.evaluate(data, context);
        bar.finish_and_clear();
        let value = value?;
        reading.say(context);
        self.write_rows(&value)?;
        Ok(value)
    }
}
