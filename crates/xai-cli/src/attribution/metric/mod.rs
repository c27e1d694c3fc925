//! `xai attribution NAME`: any metric of the registry, on files.

pub(super) mod arguments;
mod opened;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use xai_metrics::attribution::batch::Data;
use xai_metrics::attribution::metric::{BaseScorePolicy, Entry, MetricValue, Parameter};
use xai_metrics::attribution::model::{Concurrent, Samples};
use xai_metrics::attribution::run::{MaskedScores, masked_scores_on};
use xai_metrics::attribution::{Evaluate, Scoring, help, input};
use xai_metrics::core::{Error, Input};

use crate::attribution::options::ScoringOptions;
use xai_files::samples::{FileSamples, WatchedSamples};
use xai_files::{Failure, Files, InFiles};

use crate::Context;
use crate::attribution::metric::opened::Opened;
use crate::attribution::options::{LayoutOptions, Reading};
use crate::attribution::parameters::Given;
use crate::attribution::result::OfScores;
use crate::attribution::{options, result, side_inputs};
use crate::described::option_name;
use crate::output::{rows, text};

/// A metric, and where what it needs is.
#[derive(Debug)]
pub(crate) struct MetricCommand {
    entry: &'static Entry,
    source: Source,
    files: Vec<(Input, PathBuf)>,
    given: Given,
    out: Option<PathBuf>,
}

/// What a metric is computed from.
#[derive(Debug)]
enum Source {
    /// Files with scores of whole and of masked inputs.
    Scores { base: PathBuf, masked: PathBuf },
    /// A model that scores inputs, an explainer, or both.
    Asked(ScoringOptions),
    /// Maps alone.
    Maps(LayoutOptions),
}

impl Source {
    fn from_arg_matches(entry: &Entry, matches: &ArgMatches) -> Result<Self, clap::Error> {
        let file = |name| matches.get_one::<PathBuf>(name).cloned();
        if result::of_scores(entry).is_some()
            && let Some((base, masked)) = file("base").zip(file("masked"))
        {
            return Ok(Self::Scores { base, masked });
        }
        if arguments::asks(entry) {
            return ScoringOptions::from_arg_matches(matches).map(Self::Asked);
        }
        LayoutOptions::from_arg_matches(matches).map(Self::Maps)
    }
}

/// A command for each metric of the registry that files are enough for.
impl Subcommand for MetricCommand {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(arguments::entries().map(arguments::command))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        arguments::entries().any(|entry| entry.info.name == name)
    }
}

impl FromArgMatches for MetricCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let of_metric = matches.subcommand().and_then(|(name, matches)| {
            let entry = arguments::entries().find(|entry| entry.info.name == name);
            Some((entry?, matches))
        });
        let (entry, matches) = of_metric.ok_or(clap::Error::new(ErrorKind::MissingSubcommand))?;
        let source = Source::from_arg_matches(entry, matches)?;
        let file = |name| matches.get_one::<PathBuf>(name).cloned();
        let files = match source {
            Source::Scores { .. } => Vec::new(),
            _ => arguments::files_of(entry)
                .filter_map(|option| Some((option.input, file(option.name)?)))
                .collect(),
        };
        Ok(Self {
            entry,
            source,
            files,
            given: Given::read(matches, entry),
            out: matches.get_one("out").cloned(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl MetricCommand {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let is_given = |input: Input| self.files.iter().any(|(of, _)| *of == input);
        if !matches!(self.source, Source::Scores { .. }) {
            let value = |name: &str| self.given.value(name).cloned();
            side_inputs::check(self.entry, value, is_given, |param, value| {
                format!("--{} {value}", option_name(param))
            })?;
            side_inputs::check_used(self.entry, value, is_given)?;
        }
        let (value, reading) = match (&self.source, result::of_scores(self.entry)) {
            (Source::Scores { base, masked }, Some(of_scores)) => {
                let _working = context.working("reading and comparing scores");
                let scores = result::read_scores(base, masked)?;
                let files = Files::with_main_file(base)
                    .file(&[input::MASKED], masked)
                    .hints(&[(
                        help::CHOOSE_ACTIVATION_OR_POLICY,
                        "save probabilities instead, or choose --base-score-policy as-is or skip",
                    )])
                    .and(self.parameters());
                (self.of_scores(of_scores, &scores, &files)?, None)
            }
            (Source::Scores { .. }, None) => {
                return Err(Failure::for_option("--base", "not a metric of scores"));
            }
            (Source::Asked(scoring), Some(of_scores)) => {
                let (scores, reading) = self.model_scores(scoring, context)?;
                let value = self.of_scores(of_scores, &scores, &self.places()?)?;
                (value, Some(reading))
            }
            (Source::Asked(scoring), None) => {
                let (value, reading) = self.of_asked(scoring, context)?;
                (value, Some(reading))
            }
            (Source::Maps(layout), _) => {
                let (value, reading) = self.of_maps(layout, context)?;
                (value, Some(reading))
            }
        };
        if let Some(reading) = &reading {
            reading.say(context);
        }
        let settings = self.given.settings(self.entry, context);
        let direction = self
            .entry
            .direction(&settings)
            .in_files(&self.parameters())?;
        result::present(self.entry, value, direction, reading, context)
    }

    /// The metric of scores that exist.
    fn of_scores(
        &self,
        of_scores: OfScores,
        scores: &MaskedScores,
        files: &Files<'_>,
    ) -> Result<MetricValue, Failure> {
        let policy = self.given.value("base_score_policy");
        let policy = policy.and_then(BaseScorePolicy::from_value);
        let policy = policy.unwrap_or_default(); // clap has checked the word
        let value = of_scores(policy, scores).map_err(|error| self.failure(&error, files))?;
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
    ) -> Result<(MaskedScores, Reading), Failure> {
        let mut opened = Opened::open(|input| self.file(input), scoring, context)?;
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
    fn of_asked(
        &self,
        scoring: &ScoringOptions,
        context: &Context,
    ) -> Result<(MetricValue, Reading), Failure> {
        let mut opened = Opened::open(|input| self.file(input), scoring, context)?;
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

    /// The metric of maps alone.
    fn of_maps(
        &self,
        layout: &LayoutOptions,
        context: &Context,
    ) -> Result<(MetricValue, Reading), Failure> {
        let maps = FileSamples::open(self.file(input::EXPLANATIONS)?)?;
        let reading = layout.of_maps(maps.shape())?;
        let bar = context.progress(maps.n_samples() as u64, "maps");
        let maps = WatchedSamples {
            samples: maps,
            watch: |end: u64| bar.set_position(end.max(bar.position())),
        };
        let data = Data::from_maps(&maps).scoring(Scoring {
            layout: reading.layout,
            ..Scoring::default()
        });
        let value = self.evaluate(self.with_sides(data, maps.shape())?, context)?;
        bar.finish_and_clear();
        self.write_rows(&value)?;
        Ok((value, reading))
    }

    fn evaluate(&self, data: Data<'_, f64>, context: &Context) -> Result<MetricValue, Failure> {
        let files = self.places()?;
        let settings = self.given.settings(self.entry, context);
        let draws = self.entry.draws();
        let metric = match draws.is_some_and(|draws| self.files.iter().any(|(of, _)| *of == draws))
        {
            true => self.entry.build_with_draws::<f64>(&settings),
            false => self.entry.build::<f64>(&settings),
        };
        let metric = metric.in_files(&files)?;
        metric
            .evaluate_on(data)
            .map_err(|stopped| self.failure(&stopped.into_error(), &files))
    }

    /// What went wrong. A metric that is undefined for every sample says why that happens to this metric.
    fn failure(&self, error: &Error, files: &Files<'_>) -> Failure {
        let is_undefined =
            error.input() == input::VALUES && matches!(error.kind(), xai_metrics::ErrorKind::Empty);
        if !is_undefined {
            return files.failure(error);
        }
        let name = self.entry.info.title;
        let failure = Failure::new(format_args!("{name} is undefined for every sample"));
        let file = [input::EXPLANATIONS, input::EXPLAINER, input::MODEL];
        let file = file.into_iter().find_map(|input| self.file(input).ok());
        let failure = failure.help(result::why_undefined(self.entry));
        match file {
            Some(file) => failure.in_file(file),
            None => failure,
        }
    }

    /// Adds the further inputs that the metric needs.
    fn with_sides<'a>(
        &self,
        mut data: Data<'a, f64>,
        shape: &[usize],
    ) -> Result<Data<'a, f64>, Failure> {
        for (input, file) in &self.files {
            data = side_inputs::add(data, *input, file, shape)?;
        }
        Ok(data)
    }

    /// The file of an input.
    fn file(&self, input: Input) -> Result<&PathBuf, Failure> {
        let mut files = self.files.iter();
        let file = files.find_map(|(of, file)| (*of == input).then_some(file));
        file.ok_or_else(|| Failure::usage(format!("no file of {input}")))
    }

    /// What errors are about: without a model, mainly the maps or what makes them.
    fn places(&self) -> Result<Files<'_>, Failure> {
        let main = self.file(input::MODEL);
        let explainer = self.file(input::EXPLAINER);
        let mut files = match (&main, &explainer) {
            (Ok(model), _) => Files::with_main_file(*model),
            (Err(_), Ok(explainer)) => Files::with_main_file(*explainer),
            _ => Files::with_main_file(self.file(input::EXPLANATIONS)?),
        };
        if let Ok(explainer) = &explainer {
            files = files.file(&[input::EXPLANATIONS], *explainer);
        }
        for (input, file) in &self.files {
            files = files.file(&[*input], file);
        }
        if let Ok(targets) = self.file(input::TARGETS) {
            files = files.file(&[input::LABELS], targets);
        }
        // Maps without inputs are what everything else is compared with.
        let shape = self.file(input::INPUTS);
        let of_samples = [
            input::TARGETS,
            input::LABELS,
            input::MASKS,
            input::SEGMENTS,
            input::SECOND_MAPS,
            input::REFERENCE_MAPS,
            input::SUBSETS,
            input::ORDERS,
            input::NEIGHBORS,
            input::GIVEN_VALUES,
            input::OTHER_TARGETS,
        ];
        if let Ok(shape) = shape.or_else(|_| self.file(input::EXPLANATIONS)) {
            files = files.shaped_by(&of_samples, shape);
            files = files.shaped_by(&[input::EXPLANATIONS], shape);
        }
        if let Ok(model) = main {
            // Rows of weights have a column per output.
            files = files.shaped_by(&[input::TARGETS], model);
            files = files.bounded_by(&[input::TARGETS, input::LABELS], model);
        }
        if let Ok(maps) = self.file(input::EXPLANATIONS) {
            files = files.file(&[input::VALUES], maps);
        }
        Ok(files.and(self.parameters()))
    }

    fn parameters(&self) -> Files<'static> {
        options::names().named_options(self.given.names())
    }

    fn write_rows(&self, value: &MetricValue) -> Result<(), Failure> {
        if let Some(curve) = &value.curve {
            let points = curve.iter();
            let points = points.map(|p| [p.n_flipped.to_string(), p.score.to_string()]);
            return rows::write(self.out.as_deref(), ["n_flipped", "score"], points);
        }
        let samples = value.per_sample.iter().enumerate();
        let samples = samples.map(|(i, value)| [i.to_string(), text::cell(*value)]);
        rows::write(self.out.as_deref(), ["sample", "score"], samples)
    }
}
