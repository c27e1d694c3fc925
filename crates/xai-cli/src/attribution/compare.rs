//! Which explainer to trust: all metrics of all explainers.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::{Args, ValueEnum};
use serde::ser::{Serialize, SerializeMap, Serializer};
use xai_metrics::attribution::{
    AverageDrop, AverageGain, AverageIncrease, Baseline, Better, Comparison, CompletedScores,
    Complexity, Concurrent, Deletion, Evaluation, EvaluationTable, Insertion, MetricResult,
    ModelCalls, MuFidelity, Samples, Sparseness,
};

use super::file_samples::FileSamples;
use super::perturbed::{Steps, baseline, steps};
use super::study::{Watched, blame, read_targets, scoring};
use super::{ActivationName, ChannelsName, PolicyName};
use crate::arrays;
use crate::context::Context;
use crate::failure::Failure;
use crate::onnx::OnnxModel;
use crate::output;

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
    /// The model.
    #[arg(long, value_name = "M.onnx")]
    model: String,
    /// Its inputs: (n, features), (n, time, features) or images.
    #[arg(long, value_name = "X.npy")]
    inputs: String,
    /// Class indices (n,) or rows of weights (n, outputs).
    #[arg(long, value_name = "T.npy")]
    targets: String,
    /// The explainers: a name and the file of its maps each.
    #[arg(long, value_name = "NAME=E.npy", num_args = 1.., required = true, value_parser = explainer)]
    explanations: Vec<Explainer>,
    /// The metrics, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    metrics: Vec<MetricName>,
    /// What is applied to the model's outputs.
    #[arg(long, value_enum, default_value_t)]
    activation: ActivationName,
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: ChannelsName,
    /// Samples the model is called with at once.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    batch_size: u32,
    /// What to do with base scores that Average Drop and Gain cannot divide by.
    #[arg(long, value_enum, default_value_t)]
    base_score_policy: PolicyName,
    /// Steps of deletion and insertion, or `all` for one a position.
    #[arg(long, value_name = "N", default_value = "10", value_parser = steps)]
    steps: Steps,
    /// The share of positions that the last step has flipped.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    max_fraction: f64,
    /// What stands for absence: a number, a number a channel, `mean` or `blur:SIGMA`.
    #[arg(
        long,
        value_name = "VALUE",
        default_value = "0.0",
        allow_hyphen_values = true,
        value_parser = baseline
    )]
    baseline: Baseline,
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
    /// Write a row an explainer, metric and sample: explainer, metric, sample, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Compare {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let inputs = FileSamples::open(&self.inputs)?;
        let targets = read_targets(arrays::read(&self.targets)?)?;
        let model = OnnxModel::read(&self.model)?;
        let n = inputs.shape().first().copied().unwrap_or_default();
        let bar = context.progress(n as u64, "samples");
        let (n_calls, n_rows) = (AtomicU64::new(0), AtomicU64::new(0));
        let watched = Watched {
            model: &model,
            watch: |of_call| {
                let calls = n_calls.fetch_add(1, Ordering::Relaxed) + 1;
                let rows = n_rows.fetch_add(of_call, Ordering::Relaxed) + of_call;
                bar.set_message(format!("{}, samples", ModelCalls { calls, rows }));
            },
        };
        let model = Concurrent(&watched);
        let channels = scoring(self.activation, self.channels, self.batch_size as usize);
        let mut evaluation = Evaluation::new(&model, &inputs, &targets)
            .scoring(channels)
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
        let table = table.map_err(|stopped| {
            let explainer = stopped.explainer().map(str::to_owned);
            let maps = self
                .explanations
                .iter()
                .find(|e| Some(&e.name) == explainer.as_ref())
                .map_or(&self.inputs, |e| &e.file);
            let kept = self.keep(stopped.completed());
            let files = [self.inputs.as_str(), maps.as_str(), self.targets.as_str()];
            let failure = blame(stopped.into_error(), files, &self.model);
            match kept {
                Some(help) => failure.help(help),
                None => failure,
            }
        })?;
        if let Some(out) = &self.out {
            let rows = table.metrics.iter().flat_map(|metric| {
                let of_metric = |explainer, scores| csv_rows(explainer, &metric.metric, scores);
                let scores = metric.scores.iter();
                scores.flat_map(move |s| of_metric(&s.explainer, &s.per_sample))
            });
            output::write_csv(out, &HEADER, rows)?;
        }
        context.present(&Json(&table), || text(&table))
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

    fn add<'a, M: xai_metrics::attribution::Model<f32>>(
        &self,
        metric: MetricName,
        evaluation: Evaluation<'a, f32, M>,
        seed: u64,
    ) -> Evaluation<'a, f32, M> {
        let policy = self.base_score_policy.into();
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
                    .steps(self.steps.0)
                    .max_fraction(self.max_fraction)
                    .baseline(self.baseline.clone()),
            ),
            MetricName::Insertion => evaluation.metric(
                Insertion::new()
                    .steps(self.steps.0)
                    .max_fraction(self.max_fraction)
                    .baseline(self.baseline.clone()),
            ),
            MetricName::MuFidelity => evaluation.metric(
                MuFidelity::new()
                    .n_subsets(self.subsets)
                    .fraction(self.subset_fraction)
                    .grid(self.grid.0)
                    .baseline(self.baseline.clone())
                    .seed(seed),
            ),
            MetricName::Complexity => evaluation.metric(Complexity),
            MetricName::Sparseness => evaluation.metric(Sparseness),
        }
    }

    /// Writes what was computed before an evaluation stopped, and says so.
    fn keep(&self, completed: &[CompletedScores]) -> Option<String> {
        let out = self.out.as_ref().filter(|_| !completed.is_empty())?;
        let rows = completed.iter().flat_map(|scores| {
            let explainer = scores.explainer.as_deref().unwrap_or_default();
            csv_rows(explainer, &scores.score, &scores.per_sample)
        });
        Some(match output::write_csv(out, &HEADER, rows) {
            Ok(()) => format!("the scores computed until then are in {}", out.display()),
            Err(failure) => format!("the scores computed until then are lost: {failure}"),
        })
    }
}

const HEADER: [&str; 4] = ["explainer", "metric", "sample", "score"];

/// A row a sample.
fn csv_rows<'a>(
    explainer: &'a str,
    metric: &'a str,
    per_sample: &'a [Option<f64>],
) -> impl Iterator<Item = [String; 4]> + 'a {
    per_sample.iter().enumerate().map(move |(sample, score)| {
        let name = |name: &str| name.to_owned();
        [
            name(explainer),
            name(metric),
            sample.to_string(),
            output::cell(*score),
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

/// A probability for people; one too small for a double is not 0.
fn p_value(p: f64) -> String {
    if p > 0.0 {
        format!("{p:.1e}")
    } else {
        "< 1e-300".to_owned()
    }
}

/// The table for people: a row a metric, a column an explainer, the best value starred; then the
/// differences that are more than chance.
fn text(table: &EvaluationTable) -> String {
    let mut header = vec!["metric"];
    header.extend(table.explainers.iter().map(String::as_str));
    let values = table.metrics.iter().map(|result| {
        let arrow = match result.better {
            Better::Lower => "↓",
            Better::Higher => "↑",
        };
        let mut row = vec![format!("{} {arrow}", result.metric)];
        row.extend(result.scores.iter().enumerate().map(|(e, score)| {
            let star = if result.ranking.first() == Some(&e) && score.value.is_some() {
                "*"
            } else {
                ""
            };
            let value = output::decimals(score.value);
            match score.interval {
                Some(i) => format!("{value}{star} [{:.4}, {:.4}]", i.low, i.high),
                None => format!("{value}{star}"),
            }
        }));
        row
    });
    let values = output::table(&header, values);
    let alpha = 1.0 - table.statistics.level;
    let pairs = table.metrics.iter().flat_map(|result| {
        let significant = |c: &&Comparison| c.p_corrected.is_some_and(|p| p < alpha);
        let comparisons = result.comparisons.iter().filter(significant);
        comparisons.filter_map(|c| {
            let better = c.favours.as_ref()?;
            let (worse, sign) = match *better == c.first {
                true => (&c.second, 1.0),
                false => (&c.first, -1.0),
            };
            Some([
                result.metric.clone(),
                better.clone(),
                worse.clone(),
                output::decimals(c.difference.map(|d| d * sign)),
                c.p_corrected.map(p_value).unwrap_or_default(),
            ])
        })
    });
    let pairs: Vec<[String; 5]> = pairs.collect();
    let differences = if pairs.is_empty() {
        format!("No two explainers differ at corrected p < {alpha:.3}.")
    } else {
        let header = ["metric", "better", "than", "mean difference", "corrected p"];
        format!(
            "Differences at corrected p < {alpha:.3} (Wilcoxon signed rank, Holm):\n\n{}",
            output::table(&header, pairs)
        )
    };
    let scores = || table.metrics.iter().flat_map(|result| &result.scores);
    let intervals = match scores().any(|score| score.interval.is_some()) {
        true => format!(
            "; intervals of level {} by bootstrap over samples",
            table.statistics.level
        ),
        false => String::new(),
    };
    format!(
        "{values}\n\n{differences}\n\nsamples: {}; model: {}{intervals}",
        table.n_samples, table.model_calls,
    )
}
