//! Which explainer to trust: all metrics of all explainers.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::{Args, ValueEnum};
use serde::ser::{Serialize, SerializeMap, Serializer};
use xai_metrics::attribution::{
    AverageDrop, AverageGain, AverageIncrease, CompletedScores, Complexity, Concurrent, Deletion,
    Evaluation, EvaluationError, EvaluationTable, Insertion, MetricResult, Model, ModelCalls,
    MuFidelity, Sparseness,
};

use super::model_files::ModelFiles;
use super::options::{PolicyOption, ScoringOptions};
use super::perturbation::PerturbationOptions;
use crate::context::Context;
use crate::failure::Failure;
use crate::input::onnx::watched::Watched;
use crate::input::samples::FileSamples;
use crate::output::{rows, text};

/// `--metrics`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum MetricName {
    /// Every metric.
    All,
    /// What is lost when only what the map marks is kept.
    AverageDrop,
    /// How often the score rises then.
    AverageIncrease,
    /// How far towards certainty it rises.
    AverageGain,
    /// How fast the score falls when the most important places go first.
    Deletion,
    /// How fast it rises when they come back first.
    Insertion,
    /// Whether it falls as the attributions say, for random subsets.
    MuFidelity,
    /// Over how many places a map is spread.
    Complexity,
    /// How unequally it is shared out.
    Sparseness,
}

/// `NAME=FILE`
#[derive(Debug, Clone, PartialEq, Eq)]
struct Explainer {
    name: String,
    file: String,
}

fn explainer(text: &str) -> Result<Explainer, String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok(Explainer {
            name: name.to_owned(),
            file: file.to_owned(),
        }),
        _ => Err("expected NAME=FILE, the explainer and its maps".to_owned()),
    }
}

fn grid(text: &str) -> Result<Grid, String> {
    match (text, text.parse()) {
        ("none", _) => Ok(Grid(None)),
        (_, Ok(cells)) if cells > 0 => Ok(Grid(Some(cells))),
        _ => Err("expected a number of cells, at least 1, or none".to_owned()),
    }
}

/// Cells along each side, or single positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Grid(Option<usize>);

/// All metrics of all explainers of one model.
#[derive(Debug, Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    files: ModelFiles,
    /// The explainers: each a name and the file of its maps.
    #[arg(long, value_name = "NAME=E.npy", num_args = 1.., required = true, value_parser = explainer)]
    explanations: Vec<Explainer>,
    /// The metrics, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    metrics: Vec<MetricName>,
    #[command(flatten)]
    scoring: ScoringOptions,
    #[command(flatten)]
    policy: PolicyOption,
    #[command(flatten)]
    perturbation: PerturbationOptions,
    /// Random subsets of each sample in μFidelity.
    #[arg(long, value_name = "N", default_value_t = 200)]
    subsets: usize,
    /// The share of the cells in a subset.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    subset_fraction: f64,
    /// Cells along each side of the grid that subsets are made of, or `none` for single positions.
    #[arg(long, value_name = "CELLS", default_value = "9", value_parser = grid)]
    grid: Grid,
    /// The coverage of the intervals.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    level: f64,
    /// Bootstrap replicates behind each interval; 0 makes none.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    replicates: usize,
    /// Write a row per explainer, metric and sample: explainer, metric, sample, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Compare {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let opened = self.files.open()?;
        let bar = context.progress(opened.inputs.n_samples() as u64, "samples");
        let (n_calls, n_rows) = (AtomicU64::new(0), AtomicU64::new(0));
        let model = Watched {
            model: opened.model,
            watch: |of_call| {
                let calls = n_calls.fetch_add(1, Ordering::Relaxed) + 1;
                let rows = n_rows.fetch_add(of_call, Ordering::Relaxed) + of_call;
                bar.set_message(format!("{}, samples", ModelCalls { calls, rows }));
            },
        };
        let model = Concurrent(&model);
        let mut evaluation = Evaluation::new(&model, &opened.inputs, &opened.targets)
            .scoring(self.scoring.scoring())
            .level(self.level)
            .replicates(self.replicates)
            .seed(context.seed)
            .on_progress(|samples| bar.inc(samples as u64));
        for explainer in &self.explanations {
            let maps = FileSamples::open(&explainer.file)?;
            evaluation = evaluation.explainer(&explainer.name, maps);
        }
        for metric in self.metrics() {
            evaluation = self.add(metric, evaluation, context.seed);
        }
        let table = evaluation.run();
        bar.finish_and_clear();
        let table = table.map_err(|stopped| self.failure(&stopped))?;
        let of_metrics = table.metrics.iter().flat_map(|metric| {
            let scores = metric.scores.iter();
            scores.flat_map(|s| csv_rows(&s.explainer, &metric.metric, &s.per_sample))
        });
        rows::write(self.out.as_deref(), HEADER, of_metrics)?;
        context.present(&Json(&table), || table.to_string())
    }

    /// What went wrong with which file. What was computed before is kept.
    fn failure(&self, stopped: &EvaluationError) -> Failure {
        let explainer = self
            .explanations
            .iter()
            .find(|e| Some(e.name.as_str()) == stopped.explainer());
        let maps = explainer.map_or(&self.files.inputs, |e| &e.file);
        let failure = self.files.files(maps).failure(stopped.error());
        match self.keep(stopped.completed()) {
            Some(help) => failure.and_help(help),
            None => failure,
        }
    }

    /// The metrics that were asked for, once each.
    fn metrics(&self) -> Vec<MetricName> {
        let mut metrics = if self.metrics.contains(&MetricName::All) {
            MetricName::value_variants()[1..].to_vec()
        } else {
            self.metrics.clone()
        };
        let mut met = Vec::new();
        metrics.retain(|metric| {
            let first = !met.contains(metric);
            met.push(*metric);
            first
        });
        metrics
    }

    fn add<'a, M: Model<f32>>(
        &self,
        metric: MetricName,
        evaluation: Evaluation<'a, f32, M>,
        seed: u64,
    ) -> Evaluation<'a, f32, M> {
        let policy = self.policy.base_score_policy;
        let perturbation = &self.perturbation;
        match metric {
            MetricName::All => evaluation,
            MetricName::AverageDrop => {
                evaluation.metric(AverageDrop::new().base_score_policy(policy))
            }
            MetricName::AverageIncrease => evaluation.metric(AverageIncrease::new()),
            MetricName::AverageGain => {
                evaluation.metric(AverageGain::new().base_score_policy(policy))
            }
            MetricName::Deletion => evaluation.metric(
                Deletion::new()
                    .steps(perturbation.steps())
                    .max_fraction(perturbation.max_fraction)
                    .baseline(perturbation.baseline.clone()),
            ),
            MetricName::Insertion => evaluation.metric(
                Insertion::new()
                    .steps(perturbation.steps())
                    .max_fraction(perturbation.max_fraction)
                    .baseline(perturbation.baseline.clone()),
            ),
            MetricName::MuFidelity => evaluation.metric(
                MuFidelity::new()
                    .n_subsets(self.subsets)
                    .fraction(self.subset_fraction)
                    .grid(self.grid.0)
                    .baseline(perturbation.baseline.clone())
                    .seed(seed),
            ),
            MetricName::Complexity => evaluation.metric(Complexity),
            MetricName::Sparseness => evaluation.metric(Sparseness),
        }
    }

    /// Writes what was computed before an evaluation stopped, and says so.
    fn keep(&self, completed: &[CompletedScores]) -> Option<String> {
        let out = self.out.as_ref().filter(|_| !completed.is_empty())?;
        let of_scores = completed.iter().flat_map(|scores| {
            let explainer = scores.explainer.as_deref().unwrap_or_default();
            csv_rows(explainer, &scores.score, &scores.per_sample)
        });
        Some(match rows::write(Some(out), HEADER, of_scores) {
            Ok(()) => format!("the scores computed until then are in {}", out.display()),
            Err(failure) => format!("the scores computed until then are lost: {failure}"),
        })
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

/// The table as one JSON object.
struct Json<'a>(&'a EvaluationTable);

/// Names and values as an object, in their order.
struct Named<'a, I>(&'a dyn Fn() -> I);

impl<'a, I, V> Serialize for Named<'_, I>
where
    I: Iterator<Item = (&'a str, V)>,
    V: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((self.0)())
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("n_samples", &table.n_samples)?;
        map.serialize_entry("model_calls", &table.model_calls)?;
        map.serialize_entry("statistics", &table.statistics)?;
        let metrics = || {
            let results = table.metrics.iter();
            results.map(|result| (result.metric.as_str(), MetricJson(result)))
        };
        map.serialize_entry("metrics", &Named(&metrics))?;
        map.end()
    }
}

struct MetricJson<'a>(&'a MetricResult);

impl Serialize for MetricJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let result = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("better", &result.better)?;
        let explainers = || {
            let scores = result.scores.iter();
            scores.map(|score| {
                let interval = score.interval.map(|i| [i.low, i.high]);
                let json = serde_json::json!({
                    "value": score.value,
                    "interval": interval,
                    "n_undefined": score.n_undefined,
                    "per_sample": score.per_sample,
                });
                (score.explainer.as_str(), json)
            })
        };
        map.serialize_entry("explainers", &Named(&explainers))?;
        let ranking = result.ranking.iter();
        let ranking: Vec<&str> = ranking
            .map(|&e| result.scores[e].explainer.as_str())
            .collect();
        map.serialize_entry("ranking", &ranking)?;
        map.serialize_entry("comparisons", &result.comparisons)?;
        map.end()
    }
}
