//! The report of an audit.

use std::collections::BTreeMap;
use std::fmt;

use xai_core::describe::{MetricInfo, Score, Scores, metric};
use xai_core::{Input, Interval};

use crate::correspondence::level::Level;
use crate::input;
use crate::result::audit::distribution::AuditDistribution;
use crate::result::explanation::ExplanationSummary;

/// The report of an [`Audit`](crate::Audit). `Display` writes it as a text for people.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AuditReport {
    /// Number of audited samples.
    pub n_samples: usize,
    /// Number of samples without a correspondence; they are not part of any mean.
    pub n_undefined: usize,
    /// Number of samples whose last case ties with training rows that are left out, so that the cases
    /// depend on the order of the training rows.
    #[cfg_attr(feature = "serde", serde(default))]
    pub n_tied: usize,
    /// Mean correspondence of the samples that have one, in [0, 1].
    pub mean_correspondence: Option<f64>,
    /// Right predictions. Samples without a known true class are neither right nor wrong.
    pub right: AuditGroup,
    /// Wrong predictions.
    pub wrong: AuditGroup,
    /// Predictions by predicted class.
    pub by_class: BTreeMap<i64, AuditClass>,
    /// Ten bins of correspondence, `[0, 0.1), …, [0.9, 1]`, over the samples with a correspondence and a known true
    /// class. If correspondence were a calibrated probability, the accuracy of each bin would equal it.
    pub reliability: Vec<ReliabilityBin>,
    /// Mean absolute difference between accuracy and mean correspondence of the bins, weighted by their number of
    /// samples: 0 = calibrated. `None` if no sample has both a correspondence and a known true class.
    pub expected_calibration_error: Option<f64>,
    /// Least supported predictions in ascending correspondence, ties by lower sample.
    pub least_supported: Vec<LeastSupported>,
    /// Levels and listed cases, if [`Audit::with_cases`](crate::Audit::with_cases) was called.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub cases: Option<AuditCases>,
    /// Distribution, if [`Audit::with_distribution`](crate::Audit::with_distribution) was called.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub distribution: Option<AuditDistribution>,
}

/// Counts of the levels, and the least supported predictions with their nearest cases.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AuditCases {
    /// Number of predictions of each level: high, medium, low, undefined.
    pub levels: Vec<LevelCount>,
    /// Least supported predictions: first those without a correspondence, then in the order of
    /// [`AuditReport::least_supported`]. Sample indices continue over all batches of the audit.
    pub least_supported: Vec<ExplanationSummary>,
}

/// Number of predictions of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LevelCount {
    /// Level of correspondence.
    pub level: Level,
    /// Number of predictions.
    pub n: usize,
}

/// Summary of the right or the wrong predictions of an [`AuditReport`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AuditGroup {
    /// Number of predictions.
    pub n: usize,
    /// Mean correspondence of the predictions that have one.
    pub mean_correspondence: Option<f64>,
}

/// Summary of the predictions of one class in an [`AuditReport`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AuditClass {
    /// Number of predictions of this class.
    pub n: usize,
    /// Mean correspondence of the predictions that have one.
    pub mean_correspondence: Option<f64>,
    /// Share of right predictions among those with a known true class.
    pub accuracy: Option<f64>,
}

/// A bin of the reliability table of an [`AuditReport`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ReliabilityBin {
    /// Lower end of the bin, inclusive.
    pub from: f64,
    /// Upper end of the bin, exclusive except for 1.
    pub to: f64,
    /// Number of samples in the bin.
    pub n: usize,
    /// Mean correspondence of the samples.
    pub mean_correspondence: Option<f64>,
    /// Share of right predictions.
    pub accuracy: Option<f64>,
}

/// One of the predictions with the lowest correspondence.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LeastSupported {
    /// Index of the sample over all batches of the audit.
    pub sample: usize,
    /// Predicted class.
    pub predicted: Option<i64>,
    /// True class, if known.
    #[cfg_attr(feature = "serde", serde(rename = "true"))]
    pub truth: Option<i64>,
    /// Correspondence of the prediction.
    pub correspondence: f64,
}

/// Inputs of the mean correspondence.
const PREDICTIONS: &[Input] = &[
    input::TRAIN,
    input::LABELS,
    input::SAMPLES,
    input::PREDICTED,
];
/// Inputs of the calibration error, which compares the predictions with the truth.
const PREDICTIONS_WITH_TRUTH: &[Input] = &[
    input::TRAIN,
    input::LABELS,
    input::SAMPLES,
    input::PREDICTED,
    input::TRUTH,
];

impl AuditReport {
    /// Mean correspondence of the predictions with their nearest training rows.
    ///
    /// ```text
    /// mean over samples of W(predicted) / Σ_c W(c)
    /// ```
    ///
    /// # Extremes
    /// 0: no neighbour has the predicted class. 1: all neighbours have it.
    ///
    /// # Source
    /// case-explainer 0.2.0.
    #[metric(
        name = "mean_correspondence",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = PREDICTIONS,
    )]
    pub const MEAN_CORRESPONDENCE: Score<Self> =
        Score::new(INFO, |report| report.mean_correspondence);

    /// Mean gap between accuracy and correspondence over ten bins of correspondence.
    ///
    /// ```text
    /// Σ_b n_b / n · |accuracy of bin b − mean correspondence of bin b|
    /// ```
    ///
    /// # Extremes
    /// 0: the accuracy of predictions is their correspondence. 1: certain support, always wrong, or the reverse.
    ///
    /// # Source
    /// Naeini, Cooper and Hauskrecht, *Obtaining Well Calibrated Probabilities Using Bayesian Binning*, AAAI 2015, with
    /// correspondence as the confidence.
    #[metric(
        name = "expected_calibration_error",
        direction = Direction::Lower,
        range = Range::SHARE,
        needs = PREDICTIONS_WITH_TRUTH,
    )]
    pub const EXPECTED_CALIBRATION_ERROR: Score<Self> =
        Score::new(INFO, |report| report.expected_calibration_error);
}

impl Scores for AuditReport {
    const SCORES: &'static [Score<Self>] =
        &[Self::MEAN_CORRESPONDENCE, Self::EXPECTED_CALIBRATION_ERROR];
}

impl AuditReport {
    /// Description, value and interval of every score, including those of the [distribution](Self::distribution) if
    /// there is one.
    pub fn scores(
        &self,
    ) -> impl Iterator<Item = (&'static MetricInfo, Option<f64>, Option<Interval>)> {
        let own = Self::infos().zip(self.values());
        let distribution = self.distribution.as_ref();
        let more = distribution
            .into_iter()
            .flat_map(|distribution| AuditDistribution::infos().zip(distribution.values()));
        // Intervals are part of the distribution, also those of the report's own scores.
        own.chain(more).map(move |(info, (name, value))| {
            let interval = distribution.and_then(|distribution| distribution.score_interval(name));
            (info, value, interval)
        })
    }
}

impl fmt::Display for AuditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
        writeln!(
            f,
            "{} samples, {} undefined, mean correspondence {}",
            self.n_samples,
            self.n_undefined,
            number(self.mean_correspondence)
        )?;
        for (name, group) in [("right", &self.right), ("wrong", &self.wrong)] {
            let mean = number(group.mean_correspondence);
            writeln!(f, "{name}: {} samples, mean correspondence {mean}", group.n)?;
        }
        for (label, class) in &self.by_class {
            let (mean, accuracy) = (number(class.mean_correspondence), number(class.accuracy));
            writeln!(
                f,
                "predicted {label}: {} samples, mean correspondence {mean}, accuracy {accuracy}",
                class.n
            )?;
        }
        for bin in self.reliability.iter().filter(|bin| bin.n > 0) {
            let (mean, accuracy) = (number(bin.mean_correspondence), number(bin.accuracy));
            writeln!(
                f,
                "correspondence {:.1} to {:.1}: {} samples, mean {mean}, accuracy {accuracy}",
                bin.from, bin.to, bin.n
            )?;
        }
        let error = number(self.expected_calibration_error);
        write!(f, "expected calibration error {error}")?;
        if !self.least_supported.is_empty() {
            write!(f, "\nleast supported:")?;
        }
        for listed in &self.least_supported {
            write!(f, " {} ({:.4})", listed.sample, listed.correspondence)?;
        }
        if self.n_tied > 0 {
            let n = self.n_tied;
            write!(
                f,
                "\n{n} samples: more training rows are as near as the last neighbour; those with lower numbers were taken"
            )?;
        }
        Ok(())
    }
}
