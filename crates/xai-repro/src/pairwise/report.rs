//! All that is reported of some runs.

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

/// Each metric over the pairs, and what is measured of all runs at once: what the command line writes.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PackedRuns, Pairwise, RunInterval, registry::PAIR_METRICS};
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
pub struct PairwiseReport {
    /// The number of runs.
    pub n_runs: usize,
    /// The number of samples.
    pub n_samples: usize,
    /// Each metric by name, in the order asked for; one object where it is serialised.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::interval::metric_report::by_name")
    )]
    pub metrics: Vec<(&'static str, MetricReport)>,
    /// Each run's accuracy, in [0, 1].
    pub accuracy: Vec<f64>,
    /// The ends of [Wilson's interval](xai_core::statistics::wilson) of each, over samples.
    pub accuracy_interval: Vec<[f64; 2]>,
    /// The number of samples that every run gets wrong.
    pub always_wrong: u64,
    /// The number of samples that at least one run gets wrong.
    pub ever_wrong: u64,
    /// [`ErrorSets::leave_one_out_consistency`]
    pub loo_ec: Vec<Option<f64>>,
    /// The agreement of all runs; where it is serialised, its scores.
    #[cfg_attr(
        feature = "serde",
        serde(flatten, serialize_with = "crate::across_runs::agreement::scores")
    )]
    pub agreement: Agreement,
    /// Where the runs disagree, if that was [added](Self::with_samples).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub samples: Option<InconsistentSamples>,
    /// How the intervals were made.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub interval: RunInterval,
}

impl Pairwise {
    /// Reports on runs that are packed for these metrics and a metric of agreement, with intervals
    /// over runs for the means.
    ///
    /// # Errors
    /// As [`evaluate_packed`](Self::evaluate_packed) and [`Agreement::from_packed`]; `InvalidParameter` for a
    /// level outside (0, 1) or no replicates.
    pub fn report(&self, packed: &PackedRuns, interval: RunInterval) -> Result<PairwiseReport> {
        let runs = self.evaluate_packed(packed)?;
        let of_metric = |&metric: &PairMetric| {
            let around = runs.interval_of(metric, PairStatistic::Mean, interval)?;
            let report = MetricReport::new(&runs.summary(metric), around, runs.pairs(metric));
            Ok((metric.name(), report))
        };
        let metrics = self.metrics.iter().map(of_metric).collect::<Result<_>>()?;
        PairwiseReport::new(packed, runs.errors(), metrics, interval)
    }

    /// The same without the values of the pairs and their medians, so that memory grows with the runs
    /// only; intervals are those of the jackknife.
    ///
    /// # Errors
    /// As [`report`](Self::report).
    pub fn report_summaries(&self, packed: &PackedRuns, level: f64) -> Result<PairwiseReport> {
        let runs = self.summarize(packed)?;
        let of_metric = |&metric: &PairMetric| {
            let summary = runs.summary(metric).unwrap_or_default();
            let interval = runs.interval(metric, level)?;
            Ok((metric.name(), MetricReport::new(&summary, interval, &[])))
        };
        let metrics = self.metrics.iter().map(of_metric).collect::<Result<_>>()?;
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

    /// Adds where the runs disagree: the samples with the largest entropy, at most `limit`.
    #[must_use]
    pub fn with_samples(mut self, samples: &SampleConsistency, limit: usize) -> Self {
        self.samples = Some(samples.inconsistent(limit));
        self
    }
}
