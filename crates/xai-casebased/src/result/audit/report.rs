//! The answer of an audit.

use std::collections::BTreeMap;
use std::fmt;

use xai_core::describe::{MetricInfo, Score, Scores, metric};
use xai_core::{Input, Interval};

use crate::correspondence::level::Level;
use crate::input;
use crate::result::audit::distribution::AuditDistribution;
use crate::result::explanation::ExplanationSummary;

/// The answer of an [`Audit`](crate::result::Audit); `Display` is the table a person reads.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuditReport {
    /// Audited samples.
    pub n_samples: usize,
    /// Those without a correspondence; they count in no mean.
    pub n_undefined: usize,
    /// Those whose last neighbour ties with training rows that are left out, so that the order of the rows decides.
    #[cfg_attr(feature = "serde", serde(default))]
    pub n_tied: usize,
    /// The mean correspondence of those that have one, in [0, 1].
    pub mean_correspondence: Option<f64>,
    /// Predictions that are right. Samples without a known true class are neither right nor wrong.
    pub right: AuditGroup,
    /// Predictions that are wrong.
    pub wrong: AuditGroup,
    /// By predicted class.
    pub by_class: BTreeMap<i64, AuditClass>,
    /// Ten bins of correspondence, `[0, 0.1), …, [0.9, 1]`, over the samples with a known true
    /// class: where correspondence were a probability, accuracy would follow it.
    pub reliability: Vec<ReliabilityBin>,
    /// The mean distance of accuracy from correspondence over the bins, by their number of samples:
    /// 0 = calibrated. `None` without a known true class.
    pub expected_calibration_error: Option<f64>,
    /// The least supported predictions, least first, equals by lower sample.
    pub least_supported: Vec<LeastSupported>,
    /// What [`Audit::with_cases`](crate::result::Audit::with_cases) asks for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub cases: Option<AuditCases>,
    /// What [`Audit::with_distribution`](crate::result::Audit::with_distribution) asks for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub distribution: Option<AuditDistribution>,
}

/// The part of an [`AuditReport`] that shows single predictions with their neighbours.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuditCases {
    /// How many predictions have each level: high, medium, low, undefined.
    pub levels: Vec<LevelCount>,
    /// The least supported predictions: those without a correspondence first, then as in
    /// [`AuditReport::least_supported`]. Samples are counted over all batches of the audit.
    pub least_supported: Vec<ExplanationSummary>,
}

/// How many predictions have a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LevelCount {
    /// The level.
    pub level: Level,
    /// How many predictions have it.
    pub n: usize,
}

/// Right or wrong predictions of an [`AuditReport`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuditGroup {
    /// How many.
    pub n: usize,
    /// The mean correspondence of those that have one.
    pub mean_correspondence: Option<f64>,
}

/// A predicted class of an [`AuditReport`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuditClass {
    /// How many samples were predicted so.
    pub n: usize,
    /// The mean correspondence of those that have one.
    pub mean_correspondence: Option<f64>,
    /// The share of right predictions among those with a known true class.
    pub accuracy: Option<f64>,
}

/// A bin of the reliability table of an [`AuditReport`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReliabilityBin {
    /// The least correspondence of the bin.
    pub from: f64,
    /// The end of the bin; it belongs to the next one, but for 1.
    pub to: f64,
    /// Samples in it.
    pub n: usize,
    /// Their mean correspondence.
    pub mean_correspondence: Option<f64>,
    /// The share of right predictions among them.
    pub accuracy: Option<f64>,
}

/// One of the predictions with the least support.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeastSupported {
    /// The sample, counted over all batches of the audit.
    pub sample: usize,
    /// The predicted class.
    pub predicted: Option<i64>,
    /// The true class, where it is known.
    #[cfg_attr(feature = "serde", serde(rename = "true"))]
    pub truth: Option<i64>,
    /// Its correspondence.
    pub correspondence: f64,
}

/// Whose correspondence is audited.
const PREDICTIONS: &[Input] = &[
    input::TRAIN,
    input::LABELS,
    input::SAMPLES,
    input::PREDICTED,
];
/// Predictions that are right or wrong.
const JUDGED: &[Input] = &[
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
    /// 0: no neighbour has a predicted class. 1: all neighbours have.
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
        needs = JUDGED,
    )]
    pub const EXPECTED_CALIBRATION_ERROR: Score<Self> =
        Score::new(INFO, |report| report.expected_calibration_error);
}

impl Scores for AuditReport {
    const SCORES: &'static [Score<Self>] =
        &[Self::MEAN_CORRESPONDENCE, Self::EXPECTED_CALIBRATION_ERROR];
}

impl AuditReport {
    /// All scores with their intervals, those of the [distribution](Self::distribution) where there is one.
    pub fn scores(
        &self,
    ) -> impl Iterator<Item = (&'static MetricInfo, Option<f64>, Option<Interval>)> {
        let own = Self::infos().zip(self.values());
        let distribution = self.distribution.as_ref();
        let more = distribution
            .into_iter()
            .flat_map(|distribution| AuditDistribution::infos().zip(distribution.values()));
        own.chain(more).map(move |(info, (name, value))| {
            let interval = distribution.and_then(|distribution| distribution.interval_of(name));
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
