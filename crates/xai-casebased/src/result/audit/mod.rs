//! Audits: summaries of the explanations of a whole data set.

pub(crate) mod distribution;
pub(crate) mod report;
pub(crate) mod state;

use std::collections::BTreeMap;

use xai_core::describe::Parameters;
use xai_core::{Accumulator, Error, ExactMean, Input, Result};

use crate::input;
use crate::result::audit::distribution::Scores;
use crate::result::audit::state::{Cases, DEFAULT_LISTED, Least, Predictions, Reliability};
use crate::result::explanation::{Explanation, ExplanationSummary};

pub use distribution::{AuditDistribution, GroupDistribution};
pub use report::{
    AuditCases, AuditClass, AuditGroup, AuditReport, LeastSupported, LevelCount, ReliabilityBin,
};

/// Parameters of the list in an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct Listing {
    /// Number of the least supported predictions that are listed.
    #[param(default = DEFAULT_LISTED)]
    pub n_least_supported: usize,
}

/// Accumulates explanations into a report: mean correspondence by class and of right and wrong predictions, calibration
/// of correspondence against accuracy, and the least supported predictions.
///
/// Audits of parts of a data set can be merged. Any division into batches and parts, in any order, gives the same
/// report to the last bit if every part [starts at](Self::starting_at) the index of its first sample.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::{Accumulator, Audit, CaseExplainer};
/// let explainer = CaseExplainer::builder().k(1).fit(array![[0.0], [1.0]].view(), &[0, 1])?;
/// let mut audit = Audit::new();
/// for (rows, predicted, truth) in [(array![[0.1], [0.9]], [0, 1], [0, 0]), (array![[0.2], [0.8]], [1, 1], [0, 1])] {
///     let explanations = explainer.explain_batch(rows.view(), &predicted)?;
///     audit.update(&explainer.with_truth(explanations, &truth)?)?;
/// }
/// let report = audit.finish()?;
/// assert_eq!(report.mean_correspondence, Some(0.75)); // 1, 1, 0, 1
/// assert_eq!((report.right.n, report.wrong.n), (2, 2));
/// assert_eq!(report.wrong.mean_correspondence, Some(0.5));
/// assert_eq!(report.least_supported[0].sample, 2);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Audit {
    /// Index of the next sample in the whole data set.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    next_sample: usize,
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    n_samples: usize,
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    n_undefined: usize,
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    n_tied: usize,
    all: ExactMean,
    right: Predictions,
    wrong: Predictions,
    by_class: BTreeMap<i64, Predictions>,
    reliability: Reliability,
    least: Least<LeastSupported>,
    cases: Option<Cases>,
    #[cfg_attr(feature = "serde", serde(default))]
    scores: Option<Scores>,
}

impl Audit {
    /// Creates an audit that lists the 20 least supported predictions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an audit that lists the `n_least_supported` least supported predictions.
    #[must_use]
    pub fn listing(n_least_supported: usize) -> Self {
        Self {
            least: Least::new(n_least_supported),
            ..Self::default()
        }
    }

    /// Also counts the levels and keeps the nearest cases of the listed predictions, for
    /// [`AuditReport::cases`]. Call it before the first update.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::{Accumulator, Audit, CaseExplainer, Level};
    /// let explainer = CaseExplainer::builder().k(1).fit(array![[0.0], [1.0]].view(), &[0, 1])?;
    /// let mut audit = Audit::listing(1).with_cases();
    /// audit.update(&explainer.explain_batch(array![[0.1], [0.8]].view(), &[0, 0])?)?;
    /// let cases = audit.finish()?.cases.expect("asked for");
    /// assert_eq!((cases.levels[0].level, cases.levels[0].n), (Level::High, 1));
    /// assert_eq!(cases.least_supported[0].sample, 1);
    /// assert_eq!(cases.least_supported[0].cases[0].index, 1);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    #[must_use]
    pub fn with_cases(mut self) -> Self {
        self.cases = Some(Cases::new(self.least.n_listed()));
        self
    }

    /// Also computes the distribution of the correspondence of right and wrong predictions, with confidence
    /// intervals and the AUROC, for [`AuditReport::distribution`]. It stores 8 bytes for every sample that has a
    /// correspondence and whose true class is known. Call it before the first update.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_casebased::{Accumulator, Audit, CaseExplainer};
    /// let explainer = CaseExplainer::builder().k(1).fit(array![[0.0], [1.0]].view(), &[0, 1])?;
    /// let explanations = explainer.explain_batch(array![[0.1], [0.9], [0.8]].view(), &[0, 1, 0])?;
    /// let mut audit = Audit::new().with_distribution();
    /// audit.update(&explainer.with_truth(explanations, &[0, 1, 1])?)?;
    /// let distribution = audit.finish()?.distribution.expect("asked for");
    /// // Both right ones have 1, the wrong one 0.
    /// assert_eq!((distribution.right.counts[19], distribution.wrong.counts[0]), (2, 1));
    /// assert_eq!(distribution.auroc_of_right, Some(1.0));
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    #[must_use]
    pub fn with_distribution(mut self) -> Self {
        self.scores = Some(Scores::default());
        self
    }

    /// Least supported predictions so far, in the order of [`AuditReport::cases`]; empty unless
    /// [cases](Self::with_cases) are kept.
    #[must_use]
    pub fn least_supported_so_far(&self) -> &[ExplanationSummary] {
        self.cases.as_ref().map_or(&[], Cases::listed)
    }

    /// Sets the index of the first sample, so that audits of parts of a data set use the indices of the whole. Call it
    /// before the first update.
    #[must_use]
    pub fn starting_at(mut self, sample: usize) -> Self {
        self.next_sample = sample;
        self
    }

    fn distribution(&self) -> Result<Option<AuditDistribution>> {
        let (right, wrong) = (self.right.n(), self.wrong.n());
        let finish = |scores: &Scores| {
            scores.finish((right, right + wrong), self.reliability.right_and_total())
        };
        self.scores.as_ref().map(finish).transpose()
    }

    fn update_one(&mut self, sample: usize, explanation: &Explanation) {
        let score = explanation.correspondence.score;
        let correct = explanation.is_correct();
        self.n_tied += usize::from(explanation.ties_at_k > 0);
        match score {
            Some(score) => {
                self.all.add(score);
                self.least.update(LeastSupported {
                    sample,
                    predicted: explanation.predicted,
                    truth: explanation.truth,
                    correspondence: score,
                });
            }
            None => self.n_undefined += 1,
        }
        // Samples without a known true class are in neither group.
        match correct {
            Some(true) => self.right.update(score, correct),
            Some(false) => self.wrong.update(score, correct),
            None => {}
        }
        if let (Some(score), Some(correct)) = (score, correct) {
            self.reliability.update(score, correct);
        }
        if let Some(predicted) = explanation.predicted {
            let class = self.by_class.entry(predicted).or_default();
            class.update(score, correct);
        }
        if let Some(cases) = &mut self.cases {
            cases.update(sample, explanation);
        }
        if let (Some(scores), Some(score)) = (&mut self.scores, score) {
            scores.update(score, correct);
        }
    }
}

impl Accumulator for Audit {
    type Batch<'a> = &'a [Explanation];
    type Output = AuditReport;

    /// Adds the explanations of the next samples.
    fn update(&mut self, batch: &[Explanation]) -> Result<()> {
        for explanation in batch {
            self.update_one(self.next_sample, explanation);
            self.next_sample += 1;
            self.n_samples += 1;
        }
        Ok(())
    }

    /// Adds the audit of other samples. If it fails, this audit is unchanged.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) if the audits list
    /// different numbers of predictions, or only one of them keeps cases or a distribution.
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.least.n_listed() != other.least.n_listed() {
            return Err(Error::parameter(
                input::N_LEAST_SUPPORTED,
                other.least.n_listed(),
                format!("{} as in the other audit", self.least.n_listed()),
            ));
        }
        // All checks come before the first change, so that a failed merge changes nothing.
        check_both_or_none(input::CASES, &self.cases, &other.cases)?;
        check_both_or_none(input::DISTRIBUTION, &self.scores, &other.scores)?;
        if let (Some(cases), Some(other)) = (&mut self.cases, other.cases) {
            cases.merge(other);
        }
        if let (Some(scores), Some(other)) = (&mut self.scores, other.scores) {
            scores.merge(other);
        }
        // Parts number their samples from different starts, so the merged audit continues after the last of them.
        self.next_sample = self.next_sample.max(other.next_sample);
        self.n_samples += other.n_samples;
        self.n_undefined += other.n_undefined;
        self.n_tied += other.n_tied;
        self.all.add_mean(&other.all);
        self.right.merge(&other.right);
        self.wrong.merge(&other.wrong);
        for (label, other) in &other.by_class {
            self.by_class.entry(*label).or_default().merge(other);
        }
        self.reliability.merge(&other.reliability);
        self.least.merge(other.least);
        Ok(())
    }

    /// Computes the report.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without samples.
    fn finish(&self) -> Result<AuditReport> {
        if self.n_samples == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        let (reliability, expected_calibration_error) = self.reliability.finish();
        let by_class = self.by_class.iter();
        Ok(AuditReport {
            n_samples: self.n_samples,
            n_undefined: self.n_undefined,
            n_tied: self.n_tied,
            mean_correspondence: self.all.value(),
            right: self.right.as_group(),
            wrong: self.wrong.as_group(),
            by_class: by_class.map(|(l, class)| (*l, class.as_class())).collect(),
            reliability,
            expected_calibration_error,
            least_supported: self.least.listed().to_vec(),
            cases: self.cases.as_ref().map(Cases::finish),
            distribution: self.distribution()?,
        })
    }
}

/// Returns an error about `name` if only one of two audits has this part: the report would cover only some of the
/// samples.
fn check_both_or_none<T>(name: Input, part: &Option<T>, other: &Option<T>) -> Result<()> {
    if part.is_some() == other.is_some() {
        return Ok(());
    }
    Err(Error::parameter(
        name,
        other.is_some(),
        format!("{} as in the other audit", part.is_some()),
    ))
}
