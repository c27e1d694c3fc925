//! Data of the section about repeated runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_repro::PairMetric;
use xai_repro::pairwise::PairwiseReport;

use crate::estimate::Estimate;
use crate::origin::Origin;
use crate::sections::runs::RunPairs;

/// Section about repeated runs: do repeated trainings make the same predictions and the same errors?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Repro {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Metrics over the pairs of runs.
    #[serde(flatten)]
    pub runs: RunPairs,
    /// Accuracy of each run, with Wilson's interval over samples.
    pub accuracy: Vec<Estimate>,
    /// Number of samples that all runs predict wrongly.
    pub always_wrong: u64,
    /// Number of samples that at least one run predicts wrongly.
    pub ever_wrong: u64,
    /// Fleiss' kappa: agreement of all runs beyond chance.
    pub fleiss_kappa: Option<f64>,
    /// Krippendorff's alpha: Fleiss' kappa corrected for the finite number of predictions.
    pub krippendorff_alpha: Option<f64>,
    /// Gwet's AC1: agreement beyond a chance that stays small if one class dominates.
    pub gwet_ac1: Option<f64>,
    /// Number of samples on which the runs disagree.
    pub ever_changing: usize,
    /// Samples with the most disagreement, in descending order.
    pub most_inconsistent: Vec<Inconsistent>,
}

/// A sample on which runs disagree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Inconsistent {
    /// Index of the sample, from 0.
    pub sample: usize,
    /// True class.
    pub label: String,
    /// Entropy of the predictions in nats.
    pub entropy: f64,
    /// Share of runs that predict the most frequent class.
    pub modal_share: f64,
    /// Number of runs by predicted class, in descending order.
    pub votes: Vec<Votes>,
}

/// Number of runs that predict a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Votes {
    /// Class.
    pub class: String,
    /// Number of runs.
    pub n: usize,
}

/// Predictions of all runs for a sample on which they disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VotesOfSample {
    /// True class.
    pub label: String,
    /// Number of runs by predicted class, in descending order.
    pub votes: Vec<Votes>,
}

impl Repro {
    /// Creates the section from a report on all pairs of runs.
    ///
    /// `metrics` are the metrics of the report in its order, and `votes` the predictions of its
    /// most inconsistent samples in their order.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_repro::{PackedRuns, Pairwise, RunInterval, metrics::PAIR_METRICS};
    /// use xai_report::sections::repro::Repro;
    /// use xai_report::Origin;
    ///
    /// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
    /// let runs = PackedRuns::new(PAIR_METRICS, predictions.view(), &[0, 1, 1, 0])?;
    /// let report = Pairwise::new().report(&runs, RunInterval::jackknife())?;
    /// let section = Repro::new(Origin::new(&Repro::KIND, 1, "Three runs"), PAIR_METRICS, &report, &[]);
    /// assert_eq!((section.runs.n_runs, section.ever_wrong), (3, 3));
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    #[must_use]
    pub fn new(
        origin: Origin,
        metrics: &[PairMetric],
        report: &PairwiseReport,
        votes: &[VotesOfSample],
    ) -> Self {
        let samples = report.samples.as_ref();
        let inconsistent = samples.iter().flat_map(|of| &of.most_inconsistent);
        Self {
            origin,
            runs: RunPairs::new(
                (report.n_runs, report.n_samples),
                metrics.iter().map(|metric| metric.info()),
                &report.metrics,
                PairMetric::PA_ACC.name(),
                report.interval,
            ),
            accuracy: accuracies(report),
            always_wrong: report.always_wrong,
            ever_wrong: report.ever_wrong,
            fleiss_kappa: report.agreement.fleiss_kappa(),
            krippendorff_alpha: report.agreement.krippendorff_alpha(),
            gwet_ac1: report.agreement.gwet_ac1(),
            ever_changing: samples.map_or(0, |samples| samples.ever_changing),
            most_inconsistent: inconsistent
                .zip(votes)
                .map(|(sample, votes)| Inconsistent {
                    sample: sample.sample,
                    label: votes.label.clone(),
                    entropy: sample.entropy,
                    modal_share: sample.modal_share,
                    votes: votes.votes.clone(),
                })
                .collect(),
        }
    }
    /// Sets the names of the runs, which are otherwise numbered from 0.
    #[must_use]
    pub fn with_run_names(mut self, names: Vec<String>) -> Self {
        self.runs.run_names = names;
        self
    }
}

fn accuracies(report: &PairwiseReport) -> Vec<Estimate> {
    let runs = report.accuracy.iter().zip(&report.accuracy_interval);
    runs.map(|(accuracy, interval)| Estimate {
        value: Some(*accuracy),
        interval: Some(*interval),
        n: report.n_samples as u64,
        ..Estimate::default()
    })
    .collect()
}
