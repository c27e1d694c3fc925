//! `xai attribution NAME`: any metric of the registry, on files.

use xai_files::samples::{FileSamples, WatchedSamples};
use xai_files::{Failure, Files, InFiles};
use xai_metrics::attribution::metric::{BaseScorePolicy, MetricValue, Parameter};
use xai_metrics::attribution::model::{Concurrent, Samples, Scoring};
use xai_metrics::attribution::scores::{MaskedScores, masked_scores_on};
use xai_metrics::attribution::{Evaluate, EvaluationData, help, input};
use xai_metrics::common::Error;

use crate::Context;
use crate::attribution::family::{MapMetrics, MetricSource};
use crate::attribution::opened::OpenedFiles;
use crate::attribution::options::{ArrayReading, LayoutOptions, ScoringOptions};
use crate::attribution::result::ScoreFunction;
use crate::attribution::{inputs, model_files, options, result};
use crate::metric_commands::selection::with_seed;
use crate::metric_commands::{MetricCommand, Run};
use crate::output::{rows, text};

impl Run for MetricCommand<MapMetrics> {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        if !matches!(self.options, MetricSource::Scores { .. }) {
            self.check_files()?;
        }
        let (value, reading) = match (&self.options, result::score_function(self.entry)) {
            (MetricSource::Scores { base, masked }, Some(function)) => {
                let _working = context.working("reading and comparing scores");
                let scores = result::read_scores(base, masked)?;
                let files = Files::with_main_file(base)
                    .file(&[input::MASKED], masked)
                    .hints(&[(
                        help::CHOOSE_ACTIVATION_OR_POLICY,
                        "save probabilities instead, or choose --base-score-policy as-is or skip",
                    )])
                    .and(self.param_options());
                (self.evaluate_scores(function, &scores, &files)?, None)
            }
            (MetricSource::Scores { .. }, None) => {
                return Err(Failure::for_option("--base", "not a metric of scores"));
            }
            (MetricSource::Model(scoring), Some(function)) => {
                let (scores, reading) = self.model_scores(scoring, context)?;
                let value = self.evaluate_scores(function, &scores, &self.places())?;
                (value, Some(reading))
            }
            (MetricSource::Model(scoring), None) => {
                let (value, reading) = self.evaluate_model(scoring, context)?;
                (value, Some(reading))
            }
            (MetricSource::Maps(layout), _) => {
                let (value, reading) = self.evaluate_maps(layout, context)?;
                (value, Some(reading))
            }
        };
        if let Some(reading) = &reading {
            reading.remark(context);
        }
        let settings = with_seed(self.entry, &self.params, context);
        let direction = self
            .entry
            .direction(&settings)
            .in_files(&self.param_options())?;
        result::present(self.entry, value, direction, reading, context)
    }
}

impl MetricCommand<MapMetrics> {
    /// The metric of given scores.
    fn evaluate_scores(
        &self,
        function: ScoreFunction,
        scores: &MaskedScores,
        files: &Files<'_>,
    ) -> Result<MetricValue, Failure> {
        let value = self.value("base_score_policy");
        let policy = value.and_then(|value| BaseScorePolicy::from_value(&value));
        // clap has checked the word.
        let value = function(policy.unwrap_or_default(), scores)
            .map_err(|error| self.failure(&error, files))?;
        let samples = value.per_sample.iter().enumerate().map(|(i, value)| {
            [
                i.to_string(),
                scores.base[i].to_string(),
                text::cell(scores.masked[i]),
                text::cell(*value),
            ]
        });
        let header = ["sample", "base", "masked", "score"];
        rows::write(self.out.as_deref(), header, samples)?;
        Ok(value)
    }

    /// The model's scores of whole and of masked inputs.
    fn model_scores(
        &self,
        scoring: &ScoringOptions,
        context: &Context,
    ) -> Result<(MaskedScores, ArrayReading), Failure> {
        let mut opened = OpenedFiles::open(&self.files, scoring, context)?;
        let reading = opened.reading(scoring)?;
        let bar = context.progress(2 * opened.inputs.n_samples() as u64, "rows scored");
        let watched = opened.take_model(|rows| bar.inc(rows));
        let model = watched.as_ref().map(Concurrent);
        let scores = masked_scores_on(opened.data(model.as_ref(), scoring, &reading));
        bar.finish_and_clear();
        let scores = scores.map_err(|stopped| stopped.into_error());
        Ok((scores.in_files(&self.places())?, reading))
    }

    /// The metric of a model, an explainer, or both.
    fn evaluate_model(
        &self,
        scoring: &ScoringOptions,
        context: &Context,
    ) -> Result<(MetricValue, ArrayReading), Failure> {
        let mut opened = OpenedFiles::open(&self.files, scoring, context)?;
        let reading = opened.reading(scoring)?;
        let bar = context.counter("rows scored");
        let watched = opened.take_model(|rows| bar.inc(rows));
        let model = watched.as_ref().map(Concurrent);
        let data = self.add_inputs(
            opened.data(model.as_ref(), scoring, &reading),
            opened.inputs.shape(),
        )?;
        let value = self.evaluate(data, context);
        bar.finish_and_clear();
        let value = value?;
        self.write_rows(&value)?;
        Ok((value, reading))
    }

    /// The metric of maps alone.
    fn evaluate_maps(
        &self,
        layout: &LayoutOptions,
        context: &Context,
    ) -> Result<(MetricValue, ArrayReading), Failure> {
        let maps = FileSamples::open(self.files.needed(input::EXPLANATIONS)?)?;
        let reading = layout.reading(maps.shape())?;
        let bar = context.progress(maps.n_samples() as u64, "maps");
        let maps = WatchedSamples {
            samples: maps,
            watch: |end: u64| bar.set_position(end.max(bar.position())),
        };
        let data = EvaluationData::from_maps(&maps).scoring(Scoring {
            layout: reading.layout,
            ..Scoring::default()
        });
        let value = self.evaluate(self.add_inputs(data, maps.shape())?, context)?;
        bar.finish_and_clear();
        self.write_rows(&value)?;
        Ok((value, reading))
    }

    fn evaluate(
        &self,
        data: EvaluationData<'_, f64>,
        context: &Context,
    ) -> Result<MetricValue, Failure> {
        let files = self.places();
        let settings = with_seed(self.entry, &self.params, context);
        let has_draws = self
            .entry
            .draws()
            .is_some_and(|draws| self.files.has(draws));
        let metric = if has_draws {
            self.entry.build_with_draws::<f64>(&settings)
        } else {
            self.entry.build::<f64>(&settings)
        };
        let metric = metric.in_files(&files)?;
        metric
            .evaluate_on(data)
            .map_err(|stopped| self.failure(&stopped.into_error(), &files))
    }

    /// The failure for an error. If the metric is undefined for every sample, it says why that happens to this metric.
    fn failure(&self, error: &Error, files: &Files<'_>) -> Failure {
        let is_undefined =
            error.input() == input::VALUES && matches!(error.kind(), xai_metrics::ErrorKind::Empty);
        if !is_undefined {
            return files.failure(error);
        }
        let name = self.entry.info.title;
        let failure = Failure::new(format_args!("{name} is undefined for every sample"))
            .help(result::why_undefined(self.entry));
        let mut inputs = [input::EXPLANATIONS, input::EXPLAINER, input::MODEL].into_iter();
        match inputs.find_map(|input| self.files.get(input)) {
            Some(file) => failure.in_file(file),
            None => failure,
        }
    }

    /// Adds the inputs besides model, inputs, targets, maps and explainer.
    fn add_inputs<'a>(
        &self,
        data: EvaluationData<'a, f64>,
        shape: &[usize],
    ) -> Result<EvaluationData<'a, f64>, Failure> {
        let mut files = self.files.iter();
        files.try_fold(data, |data, (input, file)| {
            inputs::add(data, input, file, shape)
        })
    }

    /// The files and options that errors are about.
    fn places(&self) -> Files<'_> {
        let places = model_files::places(&self.files);
        let places = match self.files.get(input::EXPLANATIONS) {
            Some(maps) => places.file(&[input::VALUES], maps),
            None => places,
        };
        places.and(self.param_options())
    }

    fn param_options(&self) -> Files<'static> {
        options::names().named_options(self.entry.params().iter().map(|param| param.name))
    }

    fn write_rows(&self, value: &MetricValue) -> Result<(), Failure> {
        if let Some(curve) = &value.curve {
            let points = curve
                .iter()
                .map(|point| [point.n_flipped.to_string(), point.score.to_string()]);
            return rows::write(self.out.as_deref(), ["n_flipped", "score"], points);
        }
        let samples = value.per_sample.iter().enumerate();
        let rows = samples.map(|(i, value)| [i.to_string(), text::cell(*value)]);
        rows::write(self.out.as_deref(), ["sample", "score"], rows)
    }
}
