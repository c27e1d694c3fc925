//! Result of a comparison with the ground truth, and its metrics.

use std::fmt;

use xai_core::describe::{Score, Scores, metric};

use crate::ground_truth::confusion::Confusion;
use crate::ground_truth::ranking::RankStatistics;
use crate::input;

/// Agreement of a mask with the ground truth. Undefined statistics are `None`, unless
/// [`ZeroDivision`](crate::ground_truth::ZeroDivision) assigns a value.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GroundTruth {
    /// Share of elements on which mask and truth agree, in [0, 1].
    pub accuracy: f64,
    /// Share of the true elements that are predicted, in [0, 1]. Undefined without a true element.
    pub recall: Option<f64>,
    /// Share of the predicted elements that are true, in [0, 1]. Undefined without a predicted element.
    pub precision: Option<f64>,
    /// `2 TP / (2 TP + FP + FN)`, in [0, 1]. Undefined if no element is predicted or true.
    pub f1_score: Option<f64>,
    /// Probability that a true element scores above a false one, with ties counted half: 0.5 = chance, 1 = perfect.
    /// Undefined if all elements are of one class.
    pub auroc: Option<f64>,
    /// Mean of the precision at each true element, over descending scores (area under the precision-recall curve,
    /// ties together). Chance level is the share of true elements. Undefined without a true element.
    pub average_precision: Option<f64>,
    /// `TP / (TP + FP + FN)`, in [0, 1]: intersection over union, called explanation accuracy in GraphXAI. Undefined
    /// if no element is predicted or true.
    pub jaccard: Option<f64>,
    /// Counts from which the statistics are computed.
    pub confusion: Confusion,
    /// Number of undefined statistics, including those that got a value by policy.
    pub n_undefined: usize,
    /// Share of the elements that tie at the cut of a [selection](crate::ground_truth::Selection) by rank, of which
    /// the first ones count as predicted. `None` if a threshold selects.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub tied_share: Option<f64>,
}

impl GroundTruth {
    /// Computes the statistics of counts and ranks. `None` without elements.
    pub(crate) fn new(
        confusion: Confusion,
        ranks: RankStatistics,
        undefined: Option<f64>,
        n_tied: Option<u64>,
    ) -> Option<Self> {
        let accuracy = confusion.accuracy()?;
        let mut n_undefined = 0;
        let mut or_policy = |statistic: Option<f64>| {
            n_undefined += usize::from(statistic.is_none());
            statistic.or(undefined)
        };
        Some(Self {
            accuracy,
            recall: or_policy(confusion.recall()),
            precision: or_policy(confusion.precision()),
            f1_score: or_policy(confusion.f1_score()),
            auroc: or_policy(ranks.auroc),
            average_precision: or_policy(ranks.average_precision),
            jaccard: or_policy(confusion.jaccard()),
            confusion,
            n_undefined,
            tied_share: n_tied.map(|n_tied| n_tied as f64 / confusion.total() as f64),
        })
    }
}

impl fmt::Display for GroundTruth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for score in Self::SCORES {
            let info = score.info;
            let name = format!("{} {}", info.title, info.direction.arrow());
            match score.value(self) {
                Some(value) => writeln!(f, "{name:<20}{value:.4}")?,
                None => writeln!(f, "{name:<20}undefined")?,
            }
        }
        write!(
            f,
            "{} elements, {} true, {} predicted",
            self.confusion.total(),
            self.confusion.true_positives + self.confusion.false_negatives,
            self.confusion.true_positives + self.confusion.false_positives,
        )?;
        match self.tied_share.filter(|share| *share > 0.0) {
            Some(share) => write!(
                f,
                "\n{share:.4} of the elements tie at the cut: the first of them are predicted"
            ),
            None => Ok(()),
        }
    }
}

impl GroundTruth {
    /// Share of the elements on which mask and truth agree.
    ///
    /// ```text
    /// (TP + TN) / n
    /// ```
    ///
    /// # Extremes
    /// 0: they agree nowhere. 1: everywhere. A mask that selects nothing reaches the share of false elements.
    ///
    /// # Source
    /// PyTorch Geometric, `groundtruth_metrics`.
    ///
    /// # Elsewhere
    /// `torchmetrics.classification.BinaryAccuracy`
    #[metric(
        name = "accuracy",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = &[input::PREDICTED, input::TARGET],
    )]
    pub const ACCURACY: Score<Self> = Score::new(INFO, |scores| Some(scores.accuracy));

    /// Share of the true elements that the mask selects.
    ///
    /// ```text
    /// TP / (TP + FN)
    /// ```
    ///
    /// # Extremes
    /// 0: it selects none of them. 1: all, as a mask that selects everything does.
    ///
    /// # Source
    /// PyTorch Geometric, `groundtruth_metrics`.
    ///
    /// # Elsewhere
    /// `torchmetrics.classification.BinaryRecall`
    #[metric(
        name = "recall",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = &[input::PREDICTED, input::TARGET],
    )]
    pub const RECALL: Score<Self> = Score::new(INFO, |scores| scores.recall);

    /// Share of the selected elements that are true.
    ///
    /// ```text
    /// TP / (TP + FP)
    /// ```
    ///
    /// # Extremes
    /// 0: none is true. 1: all are. A random mask reaches the share of true elements.
    ///
    /// # Source
    /// PyTorch Geometric, `groundtruth_metrics`.
    ///
    /// # Elsewhere
    /// `torchmetrics.classification.BinaryPrecision`
    #[metric(
        name = "precision",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = &[input::PREDICTED, input::TARGET],
    )]
    pub const PRECISION: Score<Self> = Score::new(INFO, |scores| scores.precision);

    /// Harmonic mean of precision and recall.
    ///
    /// ```text
    /// 2 TP / (2 TP + FP + FN)
    /// ```
    ///
    /// # Extremes
    /// 0: no selected element is true. 1: the mask selects the truth and nothing else.
    ///
    /// # Source
    /// PyTorch Geometric, `groundtruth_metrics`.
    ///
    /// # Elsewhere
    /// `torchmetrics.classification.BinaryF1Score`
    #[metric(
        name = "f1_score",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = &[input::PREDICTED, input::TARGET],
    )]
    pub const F1_SCORE: Score<Self> = Score::new(INFO, |scores| scores.f1_score);

    /// Probability that a true element scores above a false one.
    ///
    /// ```text
    /// P(s_true > s_false) + ½ P(s_true = s_false)
    /// ```
    ///
    /// # Extremes
    /// 0.5: chance. 1: every true element scores above every false one. 0: below.
    ///
    /// # Source
    /// PyTorch Geometric, `groundtruth_metrics`.
    ///
    /// # Elsewhere
    /// `torchmetrics.classification.BinaryAUROC`
    #[metric(
        name = "auroc",
        title = "AUROC",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTED, input::TARGET],
    )]
    pub const AUROC: Score<Self> = Score::new(INFO, |scores| scores.auroc);

    /// Precision at each true element, averaged over descending scores.
    ///
    /// ```text
    /// Σ_k (R_k − R_{k−1}) P_k over the distinct scores, largest first
    /// ```
    ///
    /// # Extremes
    /// The share of true elements: chance. 1: every true element scores above every false one.
    ///
    /// # Source
    /// scikit-learn, `average_precision_score`.
    ///
    /// # Elsewhere
    /// `sklearn.metrics.average_precision_score`
    #[metric(
        name = "average_precision",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTED, input::TARGET],
    )]
    pub const AVERAGE_PRECISION: Score<Self> = Score::new(INFO, |scores| scores.average_precision);

    /// Intersection over union of the selected and the true elements.
    ///
    /// ```text
    /// TP / (TP + FP + FN)
    /// ```
    ///
    /// # Extremes
    /// 0: they have no element in common. 1: they are equal.
    ///
    /// # Source
    /// Agarwal et al. 2022, arXiv 2208.09339.
    ///
    /// # Elsewhere
    /// `graphxai.metrics.graph_exp_acc`
    #[metric(
        name = "jaccard",
        title = "Jaccard index",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = &[input::PREDICTED, input::TARGET],
    )]
    pub const JACCARD: Score<Self> = Score::new(INFO, |scores| scores.jaccard);
}

impl Scores for GroundTruth {
    const SCORES: &'static [Score<Self>] = &[
        Self::ACCURACY,
        Self::RECALL,
        Self::PRECISION,
        Self::F1_SCORE,
        Self::AUROC,
        Self::AVERAGE_PRECISION,
        Self::JACCARD,
    ];
}
