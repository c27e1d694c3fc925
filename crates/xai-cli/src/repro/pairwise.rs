//! `xai repro pairwise`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ndarray::{ArrayView1, ArrayView2};
use serde::Serialize;
use xai_metrics::repro::agreement::Agreement;
use xai_metrics::repro::{
    ErrorSets, PackedRuns, PairMetric, PairStatistic, PairwiseReproducibility, RunInterval,
    SampleConsistency,
};

use super::options::{Labels, PairMetrics};
use super::results::{LEVEL, MetricResult, SummaryResult, as_object};
use super::runs;
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles};
use crate::output::{rows, text};

/// `xai repro pairwise`
#[derive(Debug, Args)]
pub(crate) struct Pairwise {
    /// Predicted labels: one array (runs, samples); several files, an array (samples,) per run; or a
    /// .csv with a column per run.
    #[arg(long, value_name = "P.npy", num_args = 1.., required = true)]
    predictions: Vec<String>,
    #[command(flatten)]
    labels: Labels,
    #[command(flatten)]
    metrics: PairMetrics,
    /// How intervals over runs are made.
    #[arg(long, value_enum, default_value = "jackknife")]
    interval: IntervalName,
    /// Replicates of a bootstrap interval.
    #[arg(long, value_name = "N", default_value_t = 999, value_parser = clap::value_parser!(u32).range(2..))]
    replicates: u32,
    /// Do not keep the values of the pairs: memory grows with the runs only. Leaves out `pairs` and the
    /// median; intervals are jackknife ones.
    #[arg(long, conflicts_with_all = ["out", "interval"])]
    summary_only: bool,
    /// Also list the samples on which the runs disagree most.
    #[arg(long, value_name = "N")]
    inconsistent: Option<usize>,
    /// Write a row per pair: the two runs and each metric.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// `--interval`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IntervalName {
    /// Leave out one run at a time.
    Jackknife,
    /// Draw runs again: the bias-corrected and accelerated bootstrap.
    Bca,
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
    /// With `--inconsistent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) samples: Option<SamplesResult>,
}

/// Where the runs disagree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SamplesResult {
    /// How many samples have not the same prediction in all runs.
    pub(crate) ever_changing: usize,
    /// The mean entropy of a sample's predictions, in nats.
    pub(crate) mean_entropy: f64,
    pub(crate) most_inconsistent: Vec<SampleResult>,
}

/// One sample on which runs disagree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SampleResult {
    pub(crate) sample: usize,
    pub(crate) entropy: f64,
    pub(crate) modal_share: f64,
    pub(crate) n_classes: usize,
}

/// All metrics with the default choices.
pub(crate) fn pairwise(
    predictions: ArrayView2<'_, i64>,
    labels: ArrayView1<'_, i64>,
    files: &Files<'_>,
) -> Result<PairwiseResult, Failure> {
    let result = || {
        let packed = PackedRuns::new(predictions, &labels.to_vec())?;
        let runs = PairwiseReproducibility::builder().from_packed(&packed)?;
        let metrics = of_pairs(&runs, &PairMetric::ALL, RunInterval::Jackknife)?;
        across(&packed, runs.errors(), metrics)
    };
    result().in_files(files)
}

fn of_pairs(
    runs: &PairwiseReproducibility,
    metrics: &[PairMetric],
    method: RunInterval,
) -> xai_metrics::Result<Vec<(String, MetricResult)>> {
    let result = |&metric: &PairMetric| {
        let interval = match method {
            RunInterval::Jackknife => runs.interval(metric, LEVEL)?,
            method => runs.interval_of(metric, PairStatistic::Mean, method, LEVEL)?,
        };
        let pairs = runs.pairs(metric).to_vec();
        let result = MetricResult::new(runs.summary(metric), interval, pairs);
        Ok((metric.name().to_owned(), result))
    };
    metrics.iter().map(result).collect()
}

/// Adds what is measured across all runs.
fn across(
    packed: &PackedRuns,
    errors: &ErrorSets,
    metrics: Vec<(String, MetricResult)>,
) -> xai_metrics::Result<PairwiseResult> {
    let agreement = Agreement::of_packed(packed)?;
    let (always_wrong, ever_wrong) = errors.n_always_and_ever_wrong();
    let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    Ok(PairwiseResult {
        n_runs: packed.n_runs(),
        n_samples: packed.n_samples(),
        metrics,
        accuracy: errors.accuracy(),
        always_wrong: count(always_wrong),
        ever_wrong: count(ever_wrong),
        loo_ec: errors.leave_one_out_consistency(),
        fleiss_kappa: agreement.fleiss_kappa(),
        krippendorff_alpha: agreement.krippendorff_alpha(),
        gwet_ac1: agreement.gwet_ac1(),
        samples: None,
    })
}

impl SamplesResult {
    fn new(samples: &SampleConsistency, limit: usize) -> Self {
        let most_inconsistent = samples.most_inconsistent(limit).into_iter();
        Self {
            ever_changing: samples.ever_changing().len(),
            mean_entropy: samples.mean_entropy(),
            most_inconsistent: most_inconsistent
                .map(|sample| SampleResult {
                    sample,
                    entropy: samples.entropy[sample],
                    modal_share: samples.modal_share[sample],
                    n_classes: samples.n_classes[sample],
                })
                .collect(),
        }
    }
}

impl Pairwise {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let metrics = self.metrics.chosen();
        let files = runs::files(&self.predictions[0], &self.labels.labels);
        let (packed, samples) = self.pack(&metrics, &files)?;
        let result = match self.summary_only {
            true => self.summaries(&packed, &metrics),
            false => self.of_pairs(&packed, &metrics, context),
        };
        let result = PairwiseResult {
            samples,
            ..result.in_files(&files)?
        };
        self.write_pairs(&metrics, &result)?;
        context.present(&result, || self.table(&result))
    }

    fn pack(
        &self,
        metrics: &[PairMetric],
        files: &Files<'_>,
    ) -> Result<(PackedRuns, Option<SamplesResult>), Failure> {
        // Agreement across all runs is taken on what percent agreement is.
        let packed_for = [metrics, &[PairMetric::PaAcc]].concat();
        let labels = &self.labels.labels;
        let Some(limit) = self.inconsistent else {
            return Ok((runs::pack(&self.predictions, labels, &packed_for)?, None));
        };
        let loaded = runs::load(&self.predictions, labels)?;
        let predictions = loaded.predictions.view();
        let packed = PackedRuns::for_metrics(&packed_for, predictions, &loaded.labels);
        let samples = SampleConsistency::of(predictions).in_files(files)?;
        Ok((
            packed.in_files(files)?,
            Some(SamplesResult::new(&samples, limit)),
        ))
    }

    fn of_pairs(
        &self,
        packed: &PackedRuns,
        metrics: &[PairMetric],
        context: &Context,
    ) -> xai_metrics::Result<PairwiseResult> {
        let runs = PairwiseReproducibility::builder()
            .metrics(metrics)
            .empty_union(self.metrics.empty_union)
            .from_packed(packed)?;
        let of_metrics = of_pairs(&runs, metrics, self.method(context))?;
        across(packed, runs.errors(), of_metrics)
    }

    fn summaries(
        &self,
        packed: &PackedRuns,
        metrics: &[PairMetric],
    ) -> xai_metrics::Result<PairwiseResult> {
        let runs = PairwiseReproducibility::builder()
            .metrics(metrics)
            .empty_union(self.metrics.empty_union)
            .summarize(packed)?;
        let of_metric = |&metric: &PairMetric| {
            let summary = runs.summary(metric).unwrap_or_default();
            let interval = runs.interval(metric, LEVEL)?;
            let result = MetricResult::new(summary, interval, Vec::new());
            Ok((metric.name().to_owned(), result))
        };
        let of_metrics: xai_metrics::Result<_> = metrics.iter().map(of_metric).collect();
        across(packed, runs.errors(), of_metrics?)
    }

    fn method(&self, context: &Context) -> RunInterval {
        match self.interval {
            IntervalName::Jackknife => RunInterval::Jackknife,
            IntervalName::Bca => RunInterval::Bca {
                n_replicates: self.replicates as usize,
                seed: context.seed,
            },
        }
    }

    fn table(&self, result: &PairwiseResult) -> String {
        let rows = result.metrics.iter().map(|(name, m)| {
            let SummaryResult {
                mean,
                std,
                min,
                median,
                max,
                n_defined,
            } = m.summary;
            [
                name.clone(),
                text::decimals(mean),
                text::interval(m.interval),
                text::decimals(std),
                text::decimals(min),
                text::decimals(median),
                text::decimals(max),
                n_defined.to_string(),
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
        let pairs = text::table(&header, rows);
        let across = text::table(
            &["across all runs", "value"],
            [
                ["always wrong", &result.always_wrong.to_string()],
                ["ever wrong", &result.ever_wrong.to_string()],
                ["Fleiss' kappa", &text::decimals(result.fleiss_kappa)],
                [
                    "Krippendorff's alpha",
                    &text::decimals(result.krippendorff_alpha),
                ],
                ["Gwet's AC1", &text::decimals(result.gwet_ac1)],
            ],
        );
        let method = match self.interval {
            IntervalName::Jackknife => "a jackknife",
            IntervalName::Bca => "a BCa bootstrap",
        };
        let mut text = format!(
            "{} runs on {} samples; intervals by {method} over runs\n\n{pairs}\n\n{across}",
            result.n_runs, result.n_samples
        );
        if let Some(samples) = &result.samples {
            text += &samples.table();
        }
        text
    }

    fn write_pairs(&self, metrics: &[PairMetric], result: &PairwiseResult) -> Result<(), Failure> {
        let names = metrics.iter().map(|metric| metric.name());
        let header = ["first", "second"].into_iter().chain(names);
        let k = result.n_runs;
        let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
        let rows = pairs.enumerate().map(|(pair, (i, j))| {
            let of_metrics = result.metrics.iter();
            let values = of_metrics.map(move |(_, m)| text::cell(m.pairs[pair]));
            [i.to_string(), j.to_string()].into_iter().chain(values)
        });
        rows::write(self.out.as_deref(), header, rows)
    }
}

impl SamplesResult {
    fn table(&self) -> String {
        let rows = self.most_inconsistent.iter().map(|sample| {
            [
                sample.sample.to_string(),
                format!("{:.4}", sample.entropy),
                format!("{:.4}", sample.modal_share),
                sample.n_classes.to_string(),
            ]
        });
        let header = ["sample", "entropy", "modal share", "classes"];
        format!(
            "\n\n{} samples change their prediction; mean entropy {:.4} nats\n\n{}",
            self.ever_changing,
            self.mean_entropy,
            text::table(&header, rows)
        )
    }
}
