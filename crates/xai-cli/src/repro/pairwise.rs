//! `xai repro pairwise`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_files::left_out::LeftOut;
use xai_files::{Failure, Files, InFiles};
use xai_metrics::common::describe::Scores;
use xai_metrics::repro;
use xai_metrics::repro::across_runs::{InconsistentSamples, votes};
use xai_metrics::repro::interval::MetricReport;
use xai_metrics::repro::pairwise::PairwiseReport;
use xai_metrics::repro::{Agreement, PackedRuns, PairMetric, RunInterval, SampleConsistency};

use crate::output::text;
use crate::repro::options::{Labels, PairMetrics, interval_method, metrics_table, write_pairs};
use crate::repro::runs::{self, LoadedRuns, RunFiles};
use crate::{Context, Described, examples};

/// `xai repro pairwise`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai repro pairwise --predictions runs.npy --labels y.npy",
    "xai repro pairwise --predictions runs.csv --labels class --inconsistent 10 --out pairs.csv",
    "xai repro pairwise --predictions run1.npy run2.npy run3.npy --labels y.npy --metrics ec_local,pa_kappa",
]))]
pub(crate) struct Pairwise {
    /// Predicted labels: an array (runs, samples), several files with an array (samples,) per run, or .csv files with a
    /// column per run.
    #[arg(long, value_name = "P.npy", num_args = 1.., required = true)]
    predictions: Vec<PathBuf>,
    #[command(flatten)]
    labels: Labels,
    #[command(flatten)]
    metrics: PairMetrics,
    #[command(flatten)]
    pairwise: Described<repro::Pairwise>,
    #[command(flatten)]
    interval: Described<RunInterval>,
    /// Do not keep the values of the pairs, so that memory grows with the number of runs only. Leaves out `pairs` and
    /// the median; intervals are jackknife intervals.
    #[arg(long, conflicts_with_all = ["out", "interval"])]
    summary_only: bool,
    /// Also list the N samples on which the runs disagree most.
    #[arg(long, value_name = "N")]
    inconsistent: Option<usize>,
    /// Write a row per pair of runs: their numbers and the value of each metric.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// The metrics of all pairs of runs, with remarks on the input.
#[derive(Serialize)]
pub(crate) struct PairwiseResult {
    #[serde(flatten)]
    pub(crate) report: PairwiseReport,
    /// Votes of the runs on the samples on which they disagree most; empty unless these are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) votes: Vec<VotesOfSample>,
    /// Names of the runs, for reports; empty unless all are columns of tables.
    #[serde(skip)]
    pub(crate) run_names: Vec<String>,
    /// Columns of tables that were not read as runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) columns_left_out: Vec<LeftOut>,
}

/// Number of runs that predict each class for a sample.
#[derive(Serialize)]
pub(crate) struct VotesOfSample {
    /// Index of the sample, from 0.
    pub(crate) sample: usize,
    /// Name of the true class in the files.
    #[serde(rename = "true")]
    pub(crate) truth: String,
    /// Name of each predicted class and number of runs that predict it, most frequent first.
    pub(crate) votes: Vec<(String, usize)>,
}

/// Packed runs, and the samples on which they disagree if these are listed.
struct Packed {
    runs: PackedRuns,
    samples: Option<SampleConsistency>,
    votes: Vec<VotesOfSample>,
    run_names: Vec<String>,
    columns_left_out: Vec<LeftOut>,
}

impl Pairwise {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading and comparing runs");
        let result = self.evaluate(self.inconsistent, context)?;
        let report = &result.report;
        write_pairs(self.out.as_deref(), report.n_runs, &report.metrics)?;
        drop(working);
        context.remark_left_out(&result.columns_left_out);
        context.present(&result, || self.table(&result.report))
    }

    /// Returns the metrics of the option `--metrics`.
    pub(crate) fn metrics(&self) -> Result<Vec<PairMetric>, Failure> {
        self.metrics.chosen()
    }

    /// Returns `true` if the values of the pairs are not kept.
    pub(crate) fn is_summary_only(&self) -> bool {
        self.summary_only
    }

    /// Computes every metric on every pair of runs, and lists the `inconsistent` samples on which the runs disagree
    /// most.
    pub(crate) fn evaluate(
        &self,
        inconsistent: Option<usize>,
        context: &Context,
    ) -> Result<PairwiseResult, Failure> {
        let files = runs::files(&self.predictions[0], &self.labels.labels);
        let packed = self.pack(inconsistent, &files)?;
        let pairwise = self.pairwise.read()?.metrics(&self.metrics.chosen()?);
        let interval = self.interval.read_seeded(context)?;
        context.end_check();
        let evaluated = if self.summary_only {
            pairwise.report_summaries(&packed.runs, interval.coverage())
        } else {
            pairwise.report(&packed.runs, interval)
        };
        let mut report = evaluated.in_files(&files)?;
        if let (Some(samples), Some(limit)) = (&packed.samples, inconsistent) {
            report = report.with_samples(samples, limit);
        }
        Ok(PairwiseResult {
            report,
            votes: packed.votes,
            run_names: packed.run_names,
            columns_left_out: packed.columns_left_out,
        })
    }

    fn pack(&self, inconsistent: Option<usize>, files: &Files<'_>) -> Result<Packed, Failure> {
        // The agreement across all runs needs the packed form of percent agreement, also if that is not a chosen
        // metric.
        let packed_for = [&self.metrics.chosen()?, &[PairMetric::PA_ACC][..]].concat();
        let runs = RunFiles::new(&self.predictions, &self.labels);
        let Some(limit) = inconsistent else {
            let (runs, columns_left_out) = runs::pack(runs, &packed_for)?;
            return Ok(Packed {
                runs,
                samples: None,
                votes: Vec::new(),
                run_names: Vec::new(),
                columns_left_out,
            });
        };
        let loaded = runs::load(runs)?;
        let predictions = loaded.predictions.view();
        let runs = PackedRuns::new(&packed_for, predictions, &loaded.labels).in_files(files)?;
        let samples = SampleConsistency::new(predictions).in_files(files)?;
        let inconsistent_samples = samples.most_inconsistent(limit).into_iter();
        Ok(Packed {
            runs,
            votes: inconsistent_samples
                .map(|sample| sample_votes(sample, &loaded))
                .collect(),
            samples: Some(samples),
            run_names: loaded.run_names(),
            columns_left_out: loaded.left_out,
        })
    }

    fn table(&self, result: &PairwiseReport) -> String {
        let n_pairs = |m: &MetricReport| m.n_defined.to_string();
        let coverage = result.interval.coverage();
        let pairs = metrics_table(&result.metrics, coverage, Some(("pairs", n_pairs)));
        let counts = [
            ["always wrong".to_owned(), result.always_wrong.to_string()],
            ["ever wrong".to_owned(), result.ever_wrong.to_string()],
        ];
        let scores = Agreement::SCORES.iter().map(|score| {
            let title = text::with_arrow(score.info.title, score.info.direction);
            [title, text::decimals(score.value(&result.agreement))]
        });
        let rows = counts.into_iter().chain(scores);
        let across = text::table(&["across all runs", "value"], rows);
        let method = interval_method(result.interval);
        let mut text = format!(
            "{} runs on {} samples; intervals by {method} over runs\n\n{pairs}\n\n{across}",
            result.n_runs, result.n_samples
        );
        if result.metrics.iter().any(|(_, metric)| metric.small_sample) {
            text += "\n\n20 runs or fewer: these intervals contain the true value less often than their level; \
                     --interval jackknife reaches its level from 3 runs on";
        }
        if let Some(samples) = &result.samples {
            text += &samples_table(samples);
        }
        text
    }
}

fn sample_votes(sample: usize, runs: &LoadedRuns) -> VotesOfSample {
    let class_name = |label: i64| runs.classes.display_name(label);
    let label_votes = votes(runs.predictions.view(), sample).into_iter();
    VotesOfSample {
        sample,
        truth: runs
            .labels
            .get(sample)
            .map_or_else(String::new, |label| class_name(*label)),
        votes: label_votes
            .map(|(label, n)| (class_name(label), n))
            .collect(),
    }
}

fn samples_table(samples: &InconsistentSamples) -> String {
    let rows = samples.most_inconsistent.iter().map(|sample| {
        [
            sample.sample.to_string(),
            format!("{:.4}", sample.entropy),
            format!("{:.4}", sample.modal_share),
            sample.n_classes.to_string(),
        ]
    });
    let header = ["sample", "entropy", "modal share", "classes"];
    format!(
        "\n\n{} samples are predicted differently by some runs; mean entropy {:.4} nats\n\n{}",
        samples.ever_changing,
        samples.mean_entropy,
        text::table(&header, rows)
    )
}
