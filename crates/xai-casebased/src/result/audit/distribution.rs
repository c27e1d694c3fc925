//! How the correspondence of right and wrong predictions is distributed.

use xai_core::describe::{Score, Scores as Scored, metric};
use xai_core::statistics::{auroc, auroc_interval, unit_mean_interval, wilson};
use xai_core::sum::Moments;
use xai_core::{Interval, Result};

use crate::input;

/// Bins of a histogram.
const BINS: usize = 20;

/// The coverage of the intervals.
const LEVEL: f64 = 0.95;

/// The correspondence of predictions that are right and that are wrong, with intervals of level 0.95
/// that take samples for independent.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AuditDistribution {
    /// The [interval](xai_core::statistics::unit_mean_interval) of the mean correspondence of all
    /// predictions, those without a known true class included.
    pub interval: Option<Interval>,
    /// The share of right predictions among those with a known true class; `None` without any.
    pub accuracy: Option<f64>,
    /// Its [Wilson interval](xai_core::statistics::wilson).
    pub accuracy_interval: Option<Interval>,
    /// The same of the accuracy in each bin of [`AuditReport::reliability`](crate::AuditReport::reliability);
    /// `None` in an empty one.
    pub reliability_intervals: Vec<Option<Interval>>,
    /// Predictions that are right.
    pub right: GroupDistribution,
    /// Predictions that are wrong.
    pub wrong: GroupDistribution,
    /// The chance that a right prediction has a higher correspondence than a wrong one, ties half: 1 =
    /// every right one has, 0.5 = correspondence does not tell them apart. `None` where one of the two
    /// groups is empty.
    pub auroc_of_right: Option<f64>,
    /// Its [interval](xai_core::statistics::auroc_interval).
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
    /// The interval of a score of the audit.
    pub(crate) fn interval_of(&self, score: &str) -> Option<Interval> {
        match score {
            "mean_correspondence" => self.interval,
            "accuracy" => self.accuracy_interval,
            "auroc_of_right" => self.auroc_of_right_interval,
            _ => None,
        }
    }
}

/// The correspondence of right, or of wrong, predictions.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroupDistribution {
    /// The [interval](xai_core::statistics::unit_mean_interval) of the mean correspondence.
    pub interval: Option<Interval>,
    /// How many predictions have a correspondence in `[0, 0.05), …, [0.95, 1]`.
    pub counts: Vec<u64>,
}

/// What the distribution is told from.
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

    /// What is told of the scores, and of how many are right: in all, and in each bin. Nothing here
    /// depends on the order of the scores.
    pub(crate) fn finish(
        &self,
        of_all: (usize, usize),
        of_bins: impl Iterator<Item = (usize, usize)>,
    ) -> Result<AuditDistribution> {
        let scores = [self.wrong.as_slice(), &self.right].concat();
        let is_right: Vec<bool> = (0..scores.len()).map(|i| i >= self.wrong.len()).collect();
        Ok(AuditDistribution {
            interval: unit_mean_interval(&self.all, LEVEL)?,
            accuracy: share(of_all.0, of_all.1),
            accuracy_interval: of_share(of_all)?,
            reliability_intervals: of_bins.map(of_share).collect::<Result<_>>()?,
            right: of_group(&self.right)?,
            wrong: of_group(&self.wrong)?,
            auroc_of_right: auroc(&scores, &is_right),
            auroc_of_right_interval: auroc_interval(&scores, &is_right, LEVEL)?,
        })
    }
}

/// The interval of how many of some are right.
fn of_share((n_right, n): (usize, usize)) -> Result<Option<Interval>> {
    match n {
        0 => Ok(None),
        _ => wilson(n_right as u64, n as u64, LEVEL).map(Some),
    }
}

fn of_group(scores: &[f64]) -> Result<GroupDistribution> {
    let (mut moments, mut counts) = (Moments::new(), vec![0; BINS]);
    for &score in scores {
        moments.add(score);
        // In [0, 1], so the product is at most 20.
        counts[((score * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    Ok(GroupDistribution {
        interval: unit_mean_interval(&moments, LEVEL)?,
        counts,
    })
}

pub(super) fn share(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}
