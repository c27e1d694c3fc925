//! The result of a comparison with the truth, and the metrics that are read from it.

use std::fmt;

use xai_core::describe::Range;
use xai_core::{Direction, Input, MetricInfo};

use crate::ground_truth::confusion::Confusion;
use crate::ground_truth::ranking::RankStatistics;
use crate::input;
use crate::registry::metric::GraphMetric;

/// Agreement of a mask with the truth. A statistic is `None` where it is undefined, unless
/// [`ZeroDivision`](crate::ground_truth::ZeroDivision) says otherwise.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundTruth {
    /// Share of elements on which mask and truth agree, in [0, 1].
    pub accuracy: f64,
    /// Share of the truth that was found, in [0, 1]; undefined without a true element.
    pub recall: Option<f64>,
    /// Share of what was predicted that is true, in [0, 1]; undefined without a prediction.
    pub precision: Option<f64>,
    /// `2 TP / (2 TP + FP + FN)`, in [0, 1]; undefined when neither has an element.
    pub f1_score: Option<f64>,
    /// Probability that a true element scores above a false one, ties counting half: 0.5 = chance,
    /// 1 = perfect; undefined when the truth has one class only.
    pub auroc: Option<f64>,
    /// Mean of the precision at each true element, over descending scores (area under the
    /// precision-recall curve, ties together); undefined without a true element. Chance is the
    /// share of true elements.
    pub average_precision: Option<f64>,
    /// `TP / (TP + FP + FN)`, in [0, 1]: intersection over union, the explanation accuracy of
    /// `GraphXAI`; undefined when neither has an element.
    pub jaccard: Option<f64>,
    /// The counts behind them.
    pub confusion: Confusion,
    /// How many of the seven statistics are undefined, whatever value was asked for then.
    pub n_undefined: usize,
}

impl GroundTruth {
    /// The statistics of counts and ranks; `None` without elements.
    pub(crate) fn new(
        confusion: Confusion,
        ranks: RankStatistics,
        undefined: Option<f64>,
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
        })
    }
}

impl fmt::Display for GroundTruth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("accuracy", Some(self.accuracy)),
            ("recall", self.recall),
            ("precision", self.precision),
            ("F1 score", self.f1_score),
            ("AUROC", self.auroc),
            ("average precision", self.average_precision),
            ("Jaccard", self.jaccard),
        ];
        for (name, value) in rows {
            // Of all of them higher is better.
            let name = format!("{name} {}", Direction::Higher.arrow());
            match value {
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
        )
    }
}

const NEEDS: &[Input] = &[input::PREDICTED, input::TARGET];
const PEER: &str = "PyTorch Geometric, groundtruth_metrics";

/// Share of agreement.
pub static ACCURACY: GraphMetric<GroundTruth> = GraphMetric {
    info: MetricInfo {
        name: "accuracy",
        title: "Accuracy",
        question: "On which share of the elements do mask and truth agree?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: NEEDS,
        source: PEER,
    },
    value: |scores| Some(scores.accuracy),
};

/// Share of the truth that was found.
pub static RECALL: GraphMetric<GroundTruth> = GraphMetric {
    info: MetricInfo {
        name: "recall",
        title: "Recall",
        question: "Which share of the truth does the mask find?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: NEEDS,
        source: PEER,
    },
    value: |scores| scores.recall,
};

/// Share of what was predicted that is true.
pub static PRECISION: GraphMetric<GroundTruth> = GraphMetric {
    info: MetricInfo {
        name: "precision",
        title: "Precision",
        question: "Which share of what the mask marks is true?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: NEEDS,
        source: PEER,
    },
    value: |scores| scores.precision,
};

/// Harmonic mean of precision and recall.
pub static F1_SCORE: GraphMetric<GroundTruth> = GraphMetric {
    info: MetricInfo {
        name: "f1_score",
        title: "F1 score",
        question: "How well does the mask find the truth, and nothing else?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: NEEDS,
        source: PEER,
    },
    value: |scores| scores.f1_score,
};

/// Area under the receiver operating characteristic.
pub static AUROC: GraphMetric<GroundTruth> = GraphMetric {
    info: MetricInfo {
        name: "auroc",
        title: "AUROC",
        question: "With what probability does a true element score above a false one?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: NEEDS,
        source: PEER,
    },
    value: |scores| scores.auroc,
};

/// Area under the precision-recall curve.
pub static AVERAGE_PRECISION: GraphMetric<GroundTruth> = GraphMetric {
    info: MetricInfo {
        name: "average_precision",
        title: "Average precision",
        question: "How precise is the mask down to each true element?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: NEEDS,
        source: "scikit-learn, average_precision_score",
    },
    value: |scores| scores.average_precision,
};

/// Intersection over union.
pub static JACCARD: GraphMetric<GroundTruth> = GraphMetric {
    info: MetricInfo {
        name: "jaccard",
        title: "Jaccard index",
        question: "How large is the overlap of mask and truth against both together?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: NEEDS,
        source: "Agarwal et al. 2022, arXiv 2208.09339",
    },
    value: |scores| scores.jaccard,
};
