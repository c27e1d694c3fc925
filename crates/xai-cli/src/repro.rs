//! `xai repro`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ndarray::{ArrayView1, ArrayView2, Ix1, Ix2};
use serde::Serialize;
use xai_metrics::repro::agreement::Agreement;
use xai_metrics::repro::{
    ClassDistribution, EmptyUnion, PairMetric, PairwiseReproducibility,
    PairwiseReproducibilityBuilder,
};

use crate::arrays;
use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output;

/// The coverage of intervals.
const LEVEL: f64 = 0.95;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Every metric on every pair of runs.
    Pairwise(Pairwise),
    /// What the metrics are tried on.
    #[command(subcommand)]
    Simulate(Simulate),
}

/// `xai repro simulate`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Simulate {
    /// Class probabilities of a given shape.
    Classes(Classes),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Pairwise(command) => command.run(context),
        Command::Simulate(Simulate::Classes(command)) => command.run(context),
    }
}

/// `--empty-union`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EmptyUnionName {
    /// Undefined, and counted.
    Undefined,
    #[value(name = "0")]
    Zero,
    #[value(name = "1")]
    One,
    /// Leave the pair out.
    Drop,
    /// Stop at such a pair.
    Error,
}

impl From<EmptyUnionName> for EmptyUnion {
    fn from(name: EmptyUnionName) -> Self {
        match name {
            EmptyUnionName::Undefined => Self::Undefined,
            EmptyUnionName::Zero => Self::Zero,
            EmptyUnionName::One => Self::One,
            EmptyUnionName::Drop => Self::Drop,
            EmptyUnionName::Error => Self::Error,
        }
    }
}

/// `xai repro pairwise`
#[derive(Debug, Args)]
pub(crate) struct Pairwise {
    /// Predicted labels (runs, samples).
    #[arg(long, value_name = "P.npy")]
    predictions: String,
    /// True labels (samples,).
    #[arg(long, value_name = "Y.npy")]
    labels: String,
    /// `all`, or some of ec_local, ec_global, ec_acc, ec_corr, pa_acc, pa_kappa, pa_cramers_v.
    #[arg(long, value_name = "METRICS", value_delimiter = ',', default_value = "all", value_parser = metric)]
    metrics: Vec<Option<PairMetric>>,
    /// Local error consistency of two runs without errors.
    #[arg(long, value_enum, default_value = "undefined")]
    empty_union: EmptyUnionName,
    /// Write a row a pair: the two runs and each metric.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// A metric by name; `None` for `all`.
fn metric(name: &str) -> Result<Option<PairMetric>, String> {
    match name {
        "all" => Ok(None),
        name => name
            .parse()
            .map(Some)
            .map_err(|e: xai_metrics::Error| e.to_string()),
    }
}

/// The JSON of `xai repro pairwise`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PairwiseResult {
    pub(crate) n_runs: usize,
    pub(crate) n_samples: usize,
    /// In the order asked for; serialised as an object.
    #[serde(serialize_with = "as_object")]
    pub(crate) metrics: Vec<(String, MetricResult)>,
    pub(crate) accuracy: Vec<f64>,
    pub(crate) always_wrong: usize,
    pub(crate) ever_wrong: usize,
    pub(crate) loo_ec: Vec<Option<f64>>,
    pub(crate) fleiss_kappa: Option<f64>,
    pub(crate) krippendorff_alpha: Option<f64>,
    pub(crate) gwet_ac1: Option<f64>,
}

/// One metric over all pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MetricResult {
    pub(crate) mean: Option<f64>,
    pub(crate) std: Option<f64>,
    pub(crate) min: Option<f64>,
    pub(crate) median: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) n_defined: usize,
    /// 95 %, by a jackknife over runs.
    pub(crate) interval: Option<[f64; 2]>,
    pub(crate) pairs: Vec<Option<f64>>,
}

fn as_object<S: serde::Serializer>(
    metrics: &[(String, MetricResult)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(metrics.iter().map(|(name, metric)| (name, metric)))
}

/// All metrics with the default choices.
pub(crate) fn pairwise(
    predictions: ArrayView2<'_, i64>,
    labels: ArrayView1<'_, i64>,
) -> Result<PairwiseResult, Failure> {
    evaluate(
        &PairwiseReproducibility::builder(),
        &PairMetric::ALL,
        predictions,
        labels,
    )
}

fn evaluate(
    builder: &PairwiseReproducibilityBuilder,
    metrics: &[PairMetric],
    predictions: ArrayView2<'_, i64>,
    labels: ArrayView1<'_, i64>,
) -> Result<PairwiseResult, Failure> {
    let runs = builder.from_predictions(predictions, &labels.to_vec())?;
    let agreement = Agreement::of(predictions)?;
    let errors = runs.errors();
    let metrics = metrics
        .iter()
        .map(|&metric| {
            let summary = runs.summary(metric);
            let result = MetricResult {
                mean: summary.mean,
                std: summary.std,
                min: summary.min,
                median: summary.median,
                max: summary.max,
                n_defined: summary.n_defined,
                interval: runs.interval(metric, LEVEL)?.map(|i| [i.low, i.high]),
                pairs: runs.pairs(metric).to_vec(),
            };
            Ok((metric.name().to_owned(), result))
        })
        .collect::<Result<_, Failure>>()?;
    Ok(PairwiseResult {
        n_runs: runs.n_runs(),
        n_samples: predictions.ncols(),
        metrics,
        accuracy: errors.accuracy(),
        always_wrong: errors.always_wrong().len(),
        ever_wrong: errors.ever_wrong().len(),
        loo_ec: errors.leave_one_out_consistency(),
        fleiss_kappa: agreement.fleiss_kappa(),
        krippendorff_alpha: agreement.krippendorff_alpha(),
        gwet_ac1: agreement.gwet_ac1(),
    })
}

impl Pairwise {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let metrics: Vec<PairMetric> = if self.metrics.contains(&None) {
            PairMetric::ALL.to_vec()
        } else {
            self.metrics.iter().flatten().copied().collect()
        };
        let predictions = arrays::read_labels::<Ix2>(&self.predictions)?;
        let labels = arrays::read_labels::<Ix1>(&self.labels)?;
        if labels.len() != predictions.ncols() {
            return Err(Failure::new(format!(
                "{} labels, but {} has {} samples a run",
                labels.len(),
                self.predictions,
                predictions.ncols()
            ))
            .in_file(&self.labels));
        }
        let builder = PairwiseReproducibility::builder()
            .metrics(&metrics)
            .empty_union(self.empty_union.into());
        let result = evaluate(&builder, &metrics, predictions.view(), labels.view())
            .in_file(&self.predictions)?;
        if let Some(out) = &self.out {
            let mut header = vec!["first", "second"];
            header.extend(metrics.iter().map(|metric| metric.name()));
            let k = result.n_runs;
            let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
            let rows = pairs.enumerate().map(|(pair, (i, j))| {
                let values = result
                    .metrics
                    .iter()
                    .map(|(_, m)| output::cell(m.pairs[pair]));
                [i.to_string(), j.to_string()]
                    .into_iter()
                    .chain(values)
                    .collect::<Vec<_>>()
            });
            output::write_csv(out, &header, rows)?;
        }
        context.present(&result, || result.table())
    }
}

impl PairwiseResult {
    fn table(&self) -> String {
        let rows = self.metrics.iter().map(|(name, m)| {
            let interval = m.interval.map_or_else(
                || output::decimals(None),
                |[low, high]| format!("[{low:.4}, {high:.4}]"),
            );
            [
                name.clone(),
                output::decimals(m.mean),
                interval,
                output::decimals(m.std),
                output::decimals(m.min),
                output::decimals(m.median),
                output::decimals(m.max),
                m.n_defined.to_string(),
            ]
        });
        let header = [
            "metric",
            "mean",
            "95 % interval",
            "std",
            "min",
            "median",
            "max",
            "pairs",
        ];
        let pairs = output::table(&header, rows);
        let across = output::table(
            &["across all runs", "value"],
            [
                ["always wrong", &self.always_wrong.to_string()],
                ["ever wrong", &self.ever_wrong.to_string()],
                ["Fleiss' kappa", &output::decimals(self.fleiss_kappa)],
                [
                    "Krippendorff's alpha",
                    &output::decimals(self.krippendorff_alpha),
                ],
                ["Gwet's AC1", &output::decimals(self.gwet_ac1)],
            ],
        );
        format!(
            "{} runs on {} samples; intervals by a jackknife over runs\n\n{pairs}\n\n{across}",
            self.n_runs, self.n_samples
        )
    }
}

/// `--kind`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Every class equally likely.
    Flat,
    /// Nearly so.
    Balanced,
    /// Independent uniform heights.
    Uniform,
    /// From nearly flat to very skewed.
    Exponential,
    /// A few frequent classes.
    Multimodal,
    /// A staircase.
    Step,
}

impl From<Kind> for ClassDistribution {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Flat => Self::Flat,
            Kind::Balanced => Self::Balanced,
            Kind::Uniform => Self::Uniform,
            Kind::Exponential => Self::EXPONENTIAL,
            Kind::Multimodal => Self::MultiModal,
            Kind::Step => Self::Step,
        }
    }
}

/// `xai repro simulate classes`
#[derive(Debug, Args)]
pub(crate) struct Classes {
    /// The shape.
    #[arg(long, value_enum)]
    kind: Kind,
    /// The number of classes.
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..))]
    n_classes: u32,
    /// How many distributions to draw.
    #[arg(long, value_name = "N", default_value_t = 1)]
    draws: u32,
    /// The rarest class first.
    #[arg(long)]
    reversed: bool,
    /// Write a row a draw.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct ClassesResult {
    probabilities: Vec<Vec<f64>>,
}

impl Classes {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let law = ClassDistribution::from(self.kind);
        let probabilities = (0..u64::from(self.draws))
            .map(|draw| {
                let mut p = law.draw(self.n_classes as usize, context.seed, draw)?;
                if self.reversed {
                    p.reverse();
                }
                Ok(p)
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        if let Some(out) = &self.out {
            let header: Vec<String> = (0..self.n_classes).map(|c| format!("class_{c}")).collect();
            let header: Vec<&str> = header.iter().map(String::as_str).collect();
            let rows = probabilities
                .iter()
                .map(|p| p.iter().map(f64::to_string).collect::<Vec<_>>());
            output::write_csv(out, &header, rows)?;
        }
        let result = ClassesResult { probabilities };
        context.present(&result, || {
            let rows = result.probabilities.iter().enumerate().map(|(draw, p)| {
                let p: Vec<String> = p.iter().map(|x| format!("{x:.4}")).collect();
                [draw.to_string(), p.join(" ")]
            });
            output::table(&["draw", "probabilities"], rows)
        })
    }
}
