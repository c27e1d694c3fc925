//! Which explainer to trust: all metrics of all explainers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, FromArgMatches};
use xai_metrics::attribution::batch::PlannedRows;
use xai_metrics::attribution::evaluation::EvaluationTable;
use xai_metrics::attribution::metric::{Entry, registry};
use xai_metrics::attribution::model::{Concurrent, ModelCalls, Samples};
use xai_metrics::attribution::run::CompletedScores;
use xai_metrics::attribution::{Evaluate, Evaluation, EvaluationError, Layout, Scoring, input};
use xai_metrics::core::Input;

use super::explainer_files::{ExplainerFiles, OpenedExplainers};
use super::metric_options::MetricOptions;
use super::model_files::{ModelFiles, OpenedModel};
use super::options::{Reading, ScoringOptions};
use super::side_inputs;
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles};
use crate::input::onnx::watched::Watched;
use crate::output::{rows, text, whole_file};
use crate::usage::examples;

/// The metrics that judge maps of a model, or maps alone.
fn entries() -> impl Iterator<Item = &'static Entry> {
    let given = [
        input::MODEL,
        input::INPUTS,
        input::TARGETS,
        input::EXPLANATIONS,
        input::EXPLAINER,
        input::MASKS,
        input::SEGMENTS,
        input::SECOND_MAPS,
        input::REFERENCE_MAPS,
    ];
    let is_given = move |need: &Input| given.contains(need);
    registry::METRICS
        .iter()
        .filter(move |entry| entry.is_built() && entry.info.needs.iter().all(is_given))
}

/// The metrics of a comparison in which none are named: one of each kind that costs few rows of the
/// model, whatever the size of the inputs.
const STANDARD: [&str; 9] = [
    "symmetric-relevance-gain",
    "average-drop",
    "average-increase",
    "average-gain",
    "deletion",
    "insertion",
    "mu-fidelity",
    "complexity",
    "sparseness",
];

/// `--metrics`: a metric by name, or a word for several.
fn metrics() -> impl TypedValueParser<Value = Metrics> {
    let standard = PossibleValue::new("standard").help(STANDARD.join(", "));
    let all = PossibleValue::new("all")
        .help("Every metric that the files are enough for: some ask the model once per position");
    let of_entry = |entry: &Entry| {
        let word = PossibleValue::new(entry.key()).help(entry.info.question);
        // As its own command is called.
        word.alias(entry.info.name)
    };
    let words = [standard, all].into_iter().chain(entries().map(of_entry));
    PossibleValuesParser::new(words).try_map(|word| match word.as_str() {
        "all" => Ok(Metrics::All),
        "standard" => {
            let entries = STANDARD.into_iter().map(registry::find);
            entries.collect::<Result<_, _>>().map(Metrics::Named)
        }
        name => registry::find(name).map(|entry| Metrics::Named(vec![entry])),
    })
}

/// What a word of `--metrics` stands for.
#[derive(Debug, Clone)]
enum Metrics {
    Named(Vec<&'static Entry>),
    /// All that the files are enough for.
    All,
}

/// The options of all metrics.
#[derive(Debug)]
struct OptionsOfMetrics(MetricOptions);

impl Args for OptionsOfMetrics {
    fn augment_args(command: clap::Command) -> clap::Command {
        MetricOptions::augment_for_any(command, entries())
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OptionsOfMetrics {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(MetricOptions::read(matches, entries())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// All metrics of all explainers of one model.
#[derive(Debug, Args)]
#[command(after_help = examples::of(&[
    "xai attribution compare --model model.onnx --inputs x.npy --targets y.npy --explanations gradient=g.npy shap=s.npy",
    "xai attribution compare --model model.onnx --inputs x.npy --targets y.npy --explanations shap=s.npy --metrics deletion,insertion --out scores.csv",
]))]
pub(crate) struct Compare {
    #[command(flatten)]
    files: ModelFiles,
    #[command(flatten)]
    pub(crate) explainers: ExplainerFiles,
    /// Where the object is, for the metrics that need it: booleans (n, height, width).
    #[arg(long, value_name = "M.npy")]
    masks: Option<PathBuf>,
    /// The segment of each position, for the metrics that need it and for `--features segments`:
    /// integers (n, height, width) or (height, width).
    #[arg(long, value_name = "S.npy")]
    segments: Option<PathBuf>,
    /// Maps that those of all explainers are compared with, for the metrics that need them: true ones,
    /// or of the randomized or the shifted model.
    #[arg(long, value_name = "E2.npy")]
    other_explanations: Option<PathBuf>,
    /// The metrics, separated by commas.
    #[arg(long, value_parser = metrics(), value_delimiter = ',', default_value = "standard")]
    metrics: Vec<Metrics>,
    #[command(flatten)]
    scoring: ScoringOptions,
    #[command(flatten)]
    options: OptionsOfMetrics,
    /// The coverage of the intervals.
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.95,
        allow_hyphen_values = true
    )]
    level: f64,
    /// Bootstrap replicates behind each interval; 0 makes none.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(..=10_000_000))]
    replicates: u32,
    /// Write a row per explainer, metric and sample: explainer, metric, sample, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Compare {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let compared = self.evaluate(context, &|rows| context.remark(planned(rows)))?;
        compared.reading.say(context);
        let of_metrics = compared.table.metrics.iter().flat_map(|metric| {
            let values = metric.values.iter();
            values.flat_map(|v| csv_rows(&v.explainer, &metric.metric, &v.per_sample))
        });
        rows::write(self.out.as_deref(), HEADER, of_metrics)?;
        context.present(&compared.table.by_name(), || compared.table.to_string())
    }

    /// All metrics of all explainers; `planned` is told what that costs before the model is asked.
    pub(crate) fn evaluate(
        &self,
        context: &Context,
        planned: &(dyn Fn(&PlannedRows) + Sync),
    ) -> Result<Compared, Failure> {
        for entry in self.entries() {
            side_inputs::check(entry, &self.options.0, |input| self.is_given(input))?;
            self.options.0.check(entry)?;
        }
        let working = context.working("opening the model");
        let explainers = self.explainers.open(&self.scoring.engine)?;
        let OpenedModel {
            model,
            inputs,
            targets,
        } = self.files.open(&self.scoring.engine)?;
        drop(working);
        let n = inputs.n_samples();
        let bar = context.progress(n as u64, "samples");
        let (n_calls, n_rows) = (AtomicU64::new(0), AtomicU64::new(0));
        let watched = Watched {
            model,
            watch: |of_call| {
                let calls = n_calls.fetch_add(1, Ordering::Relaxed) + 1;
                let rows = n_rows.fetch_add(of_call, Ordering::Relaxed) + of_call;
                bar.set_message(format!("{}, samples", ModelCalls { calls, rows }));
            },
        };
        let model = Concurrent(&watched);
        let reading = self.scoring.reading(inputs.shape());
        let scoring = self.scoring.scoring(&reading);
        let mut evaluation = Evaluation::new(&model, &inputs, &targets)
            .scoring(scoring)
            .level(self.level)
            .replicates(self.replicates as usize)
            .seed(context.seed())
            .with_curves()
            .on_plan(planned)
            .on_progress(|samples| bar.inc(samples as u64));
        evaluation = self.explainers.add_to(evaluation, &explainers)?;
        for (input, file) in self.sides() {
            evaluation = side_inputs::add(evaluation, input, file, n)?;
        }
        let seed = MetricOptions::seed(context);
        let layout = scoring.layout_of(inputs.shape());
        for entry in self.entries_for(layout.ok()) {
            let options = self.options.0.of(entry, &seed);
            let metric = entry.build::<f32>(&options);
            evaluation = evaluation.metric(metric.in_files(&self.places(&self.files.inputs))?);
        }
        let table = evaluation.evaluate();
        bar.finish_and_clear();
        let table = table.map_err(|stopped| self.failure(&stopped))?;
        Ok(Compared {
            table,
            reading,
            scoring,
            opened: OpenedModel {
                model: watched.model,
                inputs,
                targets,
            },
            explainers,
        })
    }

    /// What went wrong with which file. What was computed before is kept.
    pub(crate) fn failure(&self, stopped: &EvaluationError) -> Failure {
        let name = stopped.explainer();
        let maps = self.explainers.file_of(name);
        let mut places = self.places(maps.unwrap_or(&self.files.inputs));
        if let Some(explainer) = self.explainers.explainer_of(name) {
            places = places.file(&[input::EXPLAINER], explainer);
        }
        let failure = places.failure(stopped.error());
        match self.keep(stopped.completed()) {
            Some(help) => failure.and_help(help),
            None => failure,
        }
    }

    /// What errors are about.
    fn places<'a>(&'a self, maps: &'a Path) -> Files<'a> {
        let mut files = self.files.files(maps).named(self.options.0.names());
        for (of, file) in self.sides() {
            files = files.file(&[of], file);
        }
        let sides: Vec<Input> = self.sides().map(|(of, _)| of).collect();
        files.shaped_by(&sides, &self.files.inputs)
    }

    /// The further inputs and their files.
    fn sides(&self) -> impl Iterator<Item = (Input, &Path)> {
        let files = [
            (input::MASKS, &self.masks),
            (input::SEGMENTS, &self.segments),
            (input::SECOND_MAPS, &self.other_explanations),
            (input::REFERENCE_MAPS, &self.other_explanations),
        ];
        let given = files
            .into_iter()
            .filter_map(|(of, file)| Some((of, file.as_deref()?)));
        // One file for all samples is of reference maps alone; who asks decides.
        given.filter(|(of, _)| self.asks(*of))
    }

    /// Whether a metric asks for a further input; segments may be asked for by features.
    fn asks(&self, of: Input) -> bool {
        of == input::SEGMENTS || self.entries().iter().any(|e| e.info.needs.contains(&of))
    }

    /// Whether a further input has its file.
    fn is_given(&self, input: Input) -> bool {
        match input {
            input::MASKS => self.masks.is_some(),
            input::SEGMENTS => self.segments.is_some(),
            input::SECOND_MAPS | input::REFERENCE_MAPS => self.other_explanations.is_some(),
            input::EXPLAINER => self.explainers.can_be_asked(),
            _ => true,
        }
    }

    /// The metrics that were asked for, once each.
    fn entries(&self) -> Vec<&'static Entry> {
        self.entries_for(None)
    }

    /// As [`entries`](Self::entries); of all metrics, those that have values for inputs of a layout.
    fn entries_for(&self, layout: Option<Layout>) -> Vec<&'static Entry> {
        let mut asked: Vec<&'static Entry> = Vec::new();
        let of_word = |word: &Metrics| match word {
            Metrics::Named(entries) => entries.clone(),
            Metrics::All => {
                let has_files =
                    |entry: &Entry| entry.info.needs.iter().all(|need| self.is_given(*need));
                let is_possible = |entry: &&Entry| {
                    layout.is_none_or(|layout| entry.takes(layout))
                        && has_files(entry)
                        && self.options.0.missing(entry).is_none()
                };
                entries().filter(is_possible).collect()
            }
        };
        for entry in self.metrics.iter().flat_map(of_word) {
            if !asked.iter().any(|other| other.info.name == entry.info.name) {
                asked.push(entry);
            }
        }
        asked
    }

    /// Writes what was computed before an evaluation stopped, and says so.
    fn keep(&self, completed: &[CompletedScores]) -> Option<String> {
        let out = self.out.as_ref().filter(|_| !completed.is_empty())?;
        let of_scores = completed.iter().flat_map(|scores| {
            let explainer = scores.explainer.as_deref().unwrap_or_default();
            csv_rows(explainer, &scores.score, &scores.per_sample)
        });
        Some(match rows::write(Some(out), HEADER, of_scores) {
            Ok(()) => format!(
                "the scores computed until then are in {}",
                whole_file::called(out).display()
            ),
            Err(failure) => format!("the scores computed until then are lost: {failure}"),
        })
    }
}

/// What a comparison found, and what it was made from.
pub(crate) struct Compared {
    pub(crate) table: EvaluationTable,
    pub(crate) reading: Reading,
    pub(crate) scoring: Scoring,
    pub(crate) opened: OpenedModel,
    pub(crate) explainers: OpenedExplainers,
}

/// What a run costs, before it starts.
fn planned(rows: &PlannedRows) -> String {
    let at_least = match rows.unknown.is_empty() {
        true => "",
        false => "at least ",
    };
    let model = format!("the model will see {at_least}{} rows", rows.model);
    match rows.explainers {
        0 => model,
        n => format!("{model}, the explainers {at_least}{n}"),
    }
}

const HEADER: [&str; 4] = ["explainer", "metric", "sample", "score"];

/// A row per sample.
fn csv_rows<'a>(
    explainer: &'a str,
    metric: &'a str,
    per_sample: &'a [Option<f64>],
) -> impl Iterator<Item = [String; 4]> + 'a {
    per_sample.iter().enumerate().map(move |(sample, score)| {
        [
            explainer.to_owned(),
            metric.to_owned(),
            sample.to_string(),
            text::cell(*score),
        ]
    })
}
