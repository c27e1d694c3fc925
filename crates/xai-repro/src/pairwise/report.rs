//! Report of several runs: every pair metric, accuracies, and measures of all runs.

use xai_core::Result;

use crate::across_runs::agreement::Agreement;
use crate::across_runs::error_sets::ErrorSets;
use crate::across_runs::sample_consistency::{InconsistentSamples, SampleConsistency};
use crate::interval::metric_report::MetricReport;
use crate::interval::pair_distribution::PairStatistic;
use crate::interval::run_interval::RunInterval;
use crate::packed::packed_runs::PackedRuns;
use crate::pair_metric::definition::PairMetric;
use crate::pairwise::options::Pairwise;

/// Report of several runs, as the command line writes it: each metric over the pairs, and measures of all runs.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PackedRuns, Pairwise, RunInterval, metrics::PAIR_METRICS};
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let packed = PackedRuns::new(PAIR_METRICS, predictions.view(), &[0, 1, 1, 0])?;
/// let report = Pairwise::new().report(&packed, RunInterval::jackknife())?;
/// let (name, local) = &report.metrics[0];
/// assert_eq!((*name, local.max), ("ec_local", Some(0.5)));
/// assert_eq!((report.always_wrong, report.ever_wrong), (0, 3));
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PairwiseReport {
    /// Number of runs.
    pub n_runs: usize,
    /// Number of samples.
    pub n_samples: usize,
    /// Reports by metric name, in the order of the options. Serialised as one object.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::interval::metric_report::by_name")
    )]
    pub metrics: Vec<(&'static str, MetricReport)>,
    /// Accuracy by run, in [0, 1].
    pub accuracy: Vec<f64>,
    /// Ends of [Wilson's interval](xai_core::statistics::wilson) of the accuracy by run, over samples.
    pub accuracy_interval: Vec<[f64; 2]>,
    /// Number of samples that all runs predict wrongly.
    pub always_wrong: u64,
    /// Number of samples that at least one run predicts wrongly.
    pub ever_wrong: u64,
    /// Leave-one-out error consistency by run; see [`ErrorSets::leave_one_out_consistency`].
    pub loo_ec: Vec<Option<f64>>,
    /// Agreement of all runs. Serialised as its coefficients.
    #[cfg_attr(
        feature = "serde",
        serde(flatten, serialize_with = "crate::across_runs::agreement::scores")
    )]
    pub agreement: Agreement,
    /// Samples on which the runs disagree, if [added](Self::with_samples).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub samples: Option<InconsistentSamples>,
    /// Settings of the intervals.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub interval: RunInterval,
}

impl Pairwise {
    /// Creates a report with an interval over runs for the mean of each metric. The runs must be packed for these
    /// metrics and for a metric of agreement such as [`PairMetric::PA_ACC`].
    ///
    /// # Errors
    /// As [`evaluate_packed`](Self::evaluate_packed) and [`Agreement::from_packed`]; `InvalidParameter` for a level
    /// outside (0, 1), and for fewer than two or more than 10 million replicates.
    pub fn report(&self, packed: &PackedRuns, interval: RunInterval) -> Result<PairwiseReport> {
        let runs = self.evaluate_packed(packed)?;
        let report_metric = |&metric: &PairMetric| {
            let mean_interval = runs.interval_of(metric, PairStatistic::Mean, interval)?;
            let report =
                MetricReport::new(&runs.summary(metric), mean_interval, runs.pairs(metric));
            Ok((metric.name(), report))
        };
        let metrics = self
            .metrics
            .iter()
            .map(report_metric)
            .collect::<Result<_>>()?;
        PairwiseReport::new(packed, runs.errors(), metrics, interval)
    }

    /// Creates a report with jackknife intervals, but without the values of the pairs and their medians, so that its
    /// size does not grow with the number of pairs.
    ///
    /// # Errors
    /// As [`report`](Self::report).
    pub fn report_summaries(&self, packed: &PackedRuns, level: f64) -> Result<PairwiseReport> {
        let runs = self.summarize(packed)?;
        let report_metric = |&metric: &PairMetric| {
            let summary = runs.summary(metric).unwrap_or_default();
            let mean_interval = runs.interval(metric, level)?;
            let report = MetricReport::new(&summary, mean_interval, &[]);
            Ok((metric.name(), report))
        };
        let metrics = self
            .metrics
            .iter()
            .map(report_metric)
            .collect::<Result<_>>()?;
        let interval = RunInterval::jackknife().level(level);
        PairwiseReport::new(packed, runs.errors(), metrics, interval)
    }
}

impl PairwiseReport {
    fn new(
        packed: &PackedRuns,
        errors: &ErrorSets,
        metrics: Vec<(&'static str, MetricReport)>,
        interval: RunInterval,
    ) -> Result<Self> {
        let (always_wrong, ever_wrong) = errors.n_always_and_ever_wrong();
        Ok(Self {
            n_runs: packed.n_runs(),
            n_samples: packed.n_samples(),
            metrics,
            accuracy: errors.accuracy(),
            accuracy_interval: errors
                .accuracy_intervals(interval.coverage())?
                .iter()
                .map(|interval| [interval.low, interval.high])
                .collect(),
            always_wrong,
            ever_wrong,
            loo_ec: errors.leave_one_out_consistency(),
            agreement: Agreement::from_packed(packed)?,
            samples: None,
            interval,
        })
    }

    /// Adds the samples on which the runs disagree most (largest entropy), at most `limit`.
    #[must_use]
    pub fn with_samples(mut self, samples: &SampleConsistency, limit: usize) -> Self {
        self.samples = Some(samples.inconsistent(limit));
        self
    }
}
