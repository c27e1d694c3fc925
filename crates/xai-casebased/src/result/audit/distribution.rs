//! Distribution of the correspondence of right and wrong predictions.

use xai_core::describe::{Score, Scores as Scored, metric};
use xai_core::statistics::{auroc, auroc_interval, unit_mean_interval, wilson};
use xai_core::sum::Moments;
use xai_core::{Interval, Result};

use crate::input;

/// Number of bins of a histogram.
const BINS: usize = 20;

/// Confidence level of the intervals.
const LEVEL: f64 = 0.95;

/// Distribution of the correspondence of right and of wrong predictions, with 95 % confidence intervals that assume
/// independent samples.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AuditDistribution {
    /// [Interval](xai_core::statistics::unit_mean_interval) of the mean correspondence of all
    /// predictions that have one, including those without a known true class.
    pub interval: Option<Interval>,
    /// Share of right predictions among those with a known true class; `None` without any.
    pub accuracy: Option<f64>,
    /// [Wilson interval](xai_core::statistics::wilson) of the accuracy.
    pub accuracy_interval: Option<Interval>,
    /// Wilson intervals of the accuracy in each bin of
    /// [`AuditReport::reliability`](crate::AuditReport::reliability); `None` for an empty bin.
    pub reliability_intervals: Vec<Option<Interval>>,
    /// Right predictions.
    pub right: GroupDistribution,
    /// Wrong predictions.
    pub wrong: GroupDistribution,
    /// Probability that a right prediction has a higher correspondence than a wrong one, counting ties half: 1 =
    /// always, 0.5 = correspondence does not separate the groups. `None` if one of the groups is empty.
    pub auroc_of_right: Option<f64>,
    /// [Interval](xai_core::statistics::auroc_interval) of `auroc_of_right`.
    pub auroc_of_right_interval: Option<Interval>,
}

impl AuditDistribution {
    /// Share of the predictions that are right.
    ///
    /// ```text
    /// right predictions / predictions with a known true class
    /// ```
    ///
    /// # Extremes
    /// 0: none is right. 1: all are.
    ///
    /// # Source
    /// The share of right predictions.
    #[metric(
        name = "accuracy",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = &[input::PREDICTED, input::TRUTH],
    )]
    pub const ACCURACY: Score<Self> = Score::new(INFO, |distribution| distribution.accuracy);

    /// Probability that a right prediction has a higher correspondence than a wrong one.
    ///
    /// ```text
    /// P(c_right > c_wrong) + ½ P(c_right = c_wrong)
    /// ```
    ///
    /// # Extremes
    /// 0.5: correspondence does not tell right from wrong predictions. 1: it separates them. Below 0.5: wrong
    /// predictions have more support.
    ///
    /// # Source
    /// Hanley and McNeil, *The meaning and use of the area under a ROC curve*, 1982, with correspondence as the score.
    #[metric(
        name = "auroc_of_right",
        title = "AUROC of right predictions",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = &[input::TRAIN, input::LABELS, input::SAMPLES, input::PREDICTED, input::TRUTH],
    )]
    pub const AUROC_OF_RIGHT: Score<Self> =
        Score::new(INFO, |distribution| distribution.auroc_of_right);
}

impl Scored for AuditDistribution {
    const SCORES: &'static [Score<Self>] = &[Self::ACCURACY, Self::AUROC_OF_RIGHT];
}

impl AuditDistribution {
    /// Interval of the score with this name; `None` if it has none.
    pub(crate) fn score_interval(&self, score: &str) -> Option<Interval> {
        match score {
            "mean_correspondence" => self.interval,
            "accuracy" => self.accuracy_interval,
            "auroc_of_right" => self.auroc_of_right_interval,
            _ => None,
        }
    }
}

/// Distribution of the correspondence of right or of wrong predictions.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GroupDistribution {
    /// [Interval](xai_core::statistics::unit_mean_interval) of the mean correspondence.
    pub interval: Option<Interval>,
    /// Histogram: numbers of predictions with a correspondence in `[0, 0.05), …, [0.95, 1]`.
    pub counts: Vec<u64>,
}

/// Values of correspondence that the distribution is computed from.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Scores {
    all: Moments,
    right: Vec<f64>,
    wrong: Vec<f64>,
}

impl Scores {
    pub(crate) fn update(&mut self, score: f64, correct: Option<bool>) {
        self.all.add(score);
        match correct {
            Some(true) => self.right.push(score),
            Some(false) => self.wrong.push(score),
            None => {}
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.all.merge(&other.all);
        self.right.extend(other.right);
        self.wrong.extend(other.wrong);
    }

    /// Computes the distribution. `total` and `bins` are pairs of the number of right predictions and the number of
    /// predictions, in total and in each reliability bin. The result does not depend on the order of the scores.
    pub(crate) fn finish(
        &self,
        total: (usize, usize),
        bins: impl Iterator<Item = (usize, usize)>,
    ) -> Result<AuditDistribution> {
        // Merging appends the scores of other parts in any order, but the statistics below use exact sums, counts
        // and ranks.
        let scores = [self.wrong.as_slice(), &self.right].concat();
        let is_right: Vec<bool> = (0..scores.len()).map(|i| i >= self.wrong.len()).collect();
        Ok(AuditDistribution {
            interval: unit_mean_interval(&self.all, LEVEL)?,
            accuracy: share(total.0, total.1),
            accuracy_interval: share_interval(total)?,
            reliability_intervals: bins.map(share_interval).collect::<Result<_>>()?,
            right: group_distribution(&self.right)?,
            wrong: group_distribution(&self.wrong)?,
            auroc_of_right: auroc(&scores, &is_right),
            auroc_of_right_interval: auroc_interval(&scores, &is_right, LEVEL)?,
        })
    }
}

/// Wilson interval of the share `n_right / n`; `None` for `n = 0`.
fn share_interval((n_right, n): (usize, usize)) -> Result<Option<Interval>> {
    match n {
        0 => Ok(None),
        _ => wilson(n_right as u64, n as u64, LEVEL).map(Some),
    }
}

fn group_distribution(scores: &[f64]) -> Result<GroupDistribution> {
    let (mut moments, mut counts) = (Moments::new(), vec![0; BINS]);
    for &score in scores {
        moments.add(score);
        // Scores are in [0, 1]. A score of 1 belongs to the last bin.
        counts[((score * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    Ok(GroupDistribution {
        interval: unit_mean_interval(&moments, LEVEL)?,
        counts,
    })
}

/// `part / total`; `None` for a total of 0.
pub(super) fn share(part: usize, total: usize) -> Option<f64> {
    (total > 0).then(|| part as f64 / total as f64)
}
