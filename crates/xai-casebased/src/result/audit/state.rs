//! Accumulated state of an audit.

use std::collections::BTreeMap;
#[cfg(feature = "serde")]
use std::sync::Arc;

#[cfg(feature = "serde")]
use xai_core::stored::{MAX_COUNT, TOO_MANY};
use xai_core::{ExactMean, ExactSum};

use crate::correspondence::level::Level;
use crate::result::audit::distribution::share;
use crate::result::audit::report::{
    AuditCases, AuditClass, AuditGroup, LeastSupported, LevelCount, ReliabilityBin,
};
#[cfg(feature = "serde")]
use crate::result::explanation::CaseSummary;
use crate::result::explanation::{Explanation, ExplanationSummary};

/// Counts and correspondence of a group of predictions: a class, a bin, or the right or wrong ones.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Predictions {
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    n: usize,
    scores: ExactMean,
    /// Number of predictions with a known true class.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    n_judged: usize,
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    n_right: usize,
}

impl Predictions {
    pub(crate) fn update(&mut self, score: Option<f64>, correct: Option<bool>) {
        self.n += 1;
        self.n_judged += usize::from(correct.is_some());
        self.n_right += usize::from(correct == Some(true));
        if let Some(score) = score {
            self.scores.add(score);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.n += other.n;
        self.n_judged += other.n_judged;
        self.n_right += other.n_right;
        self.scores.add_mean(&other.scores);
    }

    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// Mean correspondence of the predictions that have one.
    fn mean(&self) -> Option<f64> {
        self.scores.value()
    }

    /// Share of right predictions among those with a known true class.
    fn accuracy(&self) -> Option<f64> {
        share(self.n_right, self.n_judged)
    }

    pub(crate) fn as_group(&self) -> AuditGroup {
        AuditGroup {
            n: self.n,
            mean_correspondence: self.mean(),
        }
    }

    pub(crate) fn as_class(&self) -> AuditClass {
        AuditClass {
            n: self.n,
            mean_correspondence: self.mean(),
            accuracy: self.accuracy(),
        }
    }
}

/// Number of bins of the reliability table.
const BINS: usize = 10;

/// Predictions with a known true class, in bins of correspondence.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Reliability([Predictions; BINS]);

impl Reliability {
    pub(crate) fn update(&mut self, score: f64, correct: bool) {
        // Scores are in [0, 1]. A score of 1 belongs to the last bin.
        let bin = &mut self.0[((score * 10.0) as usize).min(BINS - 1)];
        bin.update(Some(score), Some(correct));
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (bin, other) in self.0.iter_mut().zip(&other.0) {
            bin.merge(other);
        }
    }

    /// Number of right predictions and number of predictions of each bin.
    pub(crate) fn right_and_total(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.0.iter().map(|bin| (bin.n_right, bin.n))
    }

    /// Reliability table and expected calibration error.
    pub(crate) fn finish(&self) -> (Vec<ReliabilityBin>, Option<f64>) {
        let table = self.0.iter().enumerate().map(|(i, bin)| ReliabilityBin {
            from: i as f64 / BINS as f64,
            to: (i + 1) as f64 / BINS as f64,
            n: bin.n,
            mean_correspondence: bin.mean(),
            accuracy: bin.accuracy(),
        });
        let bins: Vec<_> = table.collect();
        let n: usize = bins.iter().map(|bin| bin.n).sum();
        // Empty bins have no mean and no gap.
        let gaps = bins.iter().filter_map(|bin| {
            let gap = (bin.mean_correspondence? - bin.accuracy?).abs();
            Some(gap * bin.n as f64 / n as f64)
        });
        let error = (n > 0).then(|| gaps.collect::<ExactSum>().value());
        (bins, error)
    }
}

/// Default number of listed predictions.
pub(crate) const DEFAULT_LISTED: usize = 20;

/// The `n_listed` items with the lowest support. The result does not depend on the order of the updates.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Least<T> {
    n_listed: usize,
    listed: Vec<T>,
}

/// An item that is listed in ascending order of its support.
pub(crate) trait Listed {
    /// Sort key: the correspondence, −∞ without one, then the sample. The classes distinguish items of audits
    /// that use the same sample index twice, so that the order is total.
    fn support(&self) -> (f64, (usize, Option<i64>, Option<i64>));

    fn precedes(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.support(), other.support());
        ours.0
            .total_cmp(&theirs.0)
            .then(ours.1.cmp(&theirs.1))
            .is_lt()
    }
}

impl Listed for LeastSupported {
    fn support(&self) -> (f64, (usize, Option<i64>, Option<i64>)) {
        (
            self.correspondence,
            (self.sample, self.predicted, self.truth),
        )
    }
}

impl Listed for ExplanationSummary {
    fn support(&self) -> (f64, (usize, Option<i64>, Option<i64>)) {
        let correspondence = self.correspondence.unwrap_or(f64::NEG_INFINITY);
        (correspondence, (self.sample, self.predicted, self.truth))
    }
}

impl<T> Default for Least<T> {
    fn default() -> Self {
        Self::new(DEFAULT_LISTED)
    }
}

impl<T> Least<T> {
    pub(crate) fn new(n_listed: usize) -> Self {
        let listed = Vec::new();
        Self { n_listed, listed }
    }

    #[cfg(feature = "serde")]
    fn map<U>(self, to: impl FnMut(T) -> U) -> Least<U> {
        Least {
            n_listed: self.n_listed,
            listed: self.listed.into_iter().map(to).collect(),
        }
    }
}

impl<T: Listed> Least<T> {
    pub(crate) fn n_listed(&self) -> usize {
        self.n_listed
    }

    pub(crate) fn update(&mut self, candidate: T) {
        // A sorted list instead of a heap: it is short, and most candidates are rejected by one comparison with the
        // last item. If nothing is to be listed, there is no last item and every candidate is rejected.
        let full = self.listed.len() == self.n_listed;
        let last = self.listed.last();
        if full && last.is_none_or(|last| !candidate.precedes(last)) {
            return;
        }
        let position = self
            .listed
            .partition_point(|kept| kept.precedes(&candidate));
        self.listed.insert(position, candidate);
        self.listed.truncate(self.n_listed);
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for listed in other.listed {
            self.update(listed);
        }
    }

    pub(crate) fn listed(&self) -> &[T] {
        &self.listed
    }
}

/// Counts of the levels, and the least supported predictions with their nearest cases.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "StoredCases", into = "StoredCases")
)]
pub(crate) struct Cases {
    levels: BTreeMap<Level, usize>,
    least: Least<ExplanationSummary>,
}

/// Serialized form of [`Cases`] that always has all fields. [`ExplanationSummary`] leaves out absent class names,
/// so formats without field names cannot read it back.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredCases {
    levels: BTreeMap<Level, usize>,
    least: Least<StoredSummary>,
}

/// A class label and its name.
#[cfg(feature = "serde")]
type StoredClass<C> = (C, Option<Arc<str>>);

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredSummary {
    sample: usize,
    predicted: StoredClass<Option<i64>>,
    truth: StoredClass<Option<i64>>,
    correspondence: (Option<f64>, Level),
    cases: Vec<(usize, f64, StoredClass<i64>)>,
    ties_at_k: usize,
}

#[cfg(feature = "serde")]
impl From<ExplanationSummary> for StoredSummary {
    fn from(summary: ExplanationSummary) -> Self {
        let cases = summary.cases.into_iter().map(|case| {
            let class = (case.label, case.class_name);
            (case.index, case.distance, class)
        });
        Self {
            sample: summary.sample,
            predicted: (summary.predicted, summary.predicted_name),
            truth: (summary.truth, summary.truth_name),
            correspondence: (summary.correspondence, summary.level),
            cases: cases.collect(),
            ties_at_k: summary.ties_at_k,
        }
    }
}

#[cfg(feature = "serde")]
impl From<StoredSummary> for ExplanationSummary {
    fn from(stored: StoredSummary) -> Self {
        let cases = stored
            .cases
            .into_iter()
            .map(|(index, distance, (label, class_name))| CaseSummary {
                index,
                distance,
                label,
                class_name,
            });
        let (predicted, predicted_name) = stored.predicted;
        let (truth, truth_name) = stored.truth;
        let (correspondence, level) = stored.correspondence;
        Self {
            sample: stored.sample,
            predicted,
            predicted_name,
            truth,
            truth_name,
            correspondence,
            level,
            cases: cases.collect(),
            ties_at_k: stored.ties_at_k,
        }
    }
}

#[cfg(feature = "serde")]
impl From<Cases> for StoredCases {
    fn from(Cases { levels, least }: Cases) -> Self {
        let least = least.map(StoredSummary::from);
        Self { levels, least }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredCases> for Cases {
    type Error = &'static str;

    fn try_from(StoredCases { levels, least }: StoredCases) -> Result<Self, Self::Error> {
        // Counts from a file are limited like all stored counts, so that merging cannot overflow.
        if levels.values().any(|&n| n as u64 > MAX_COUNT) {
            return Err(TOO_MANY);
        }
        let least = least.map(ExplanationSummary::from);
        Ok(Self { levels, least })
    }
}

impl Cases {
    pub(crate) fn new(n_listed: usize) -> Self {
        Self {
            levels: BTreeMap::new(),
            least: Least::new(n_listed),
        }
    }

    pub(crate) fn update(&mut self, sample: usize, explanation: &Explanation) {
        *self.levels.entry(explanation.level()).or_default() += 1;
        self.least.update(ExplanationSummary {
            sample,
            ..explanation.into()
        });
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (level, n) in other.levels {
            *self.levels.entry(level).or_default() += n;
        }
        self.least.merge(other.least);
    }

    pub(crate) fn listed(&self) -> &[ExplanationSummary] {
        self.least.listed()
    }

    pub(crate) fn finish(&self) -> AuditCases {
        let levels = [Level::High, Level::Medium, Level::Low, Level::Undefined];
        AuditCases {
            levels: levels
                .map(|level| LevelCount {
                    level,
                    n: self.levels.get(&level).copied().unwrap_or(0),
                })
                .to_vec(),
            least_supported: self.least.listed().to_vec(),
        }
    }
}
