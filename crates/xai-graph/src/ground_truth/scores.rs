//! The result of a comparison with the truth, and the metrics that are read from it.

use std::fmt;

use xai_core::describe::{Range, Score, Scores};

use crate::ground_truth::confusion::Confusion;
use crate::ground_truth::ranking::RankStatistics;
use crate::input;

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
    /// GraphXAI; undefined when neither has an element.
    pub jaccard: Option<f64>,
    /// The counts behind them.
    pub confusion: Confusion,
    /// How many of the statistics are undefined, whatever value was asked for then.
    pub n_undefined: usize,
    /// Share of the elements that tie at the cut of a [selection](crate::ground_truth::Selection) by rank, so that the first of
    /// them count as predicted; `None` where a threshold selects.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub tied_share: Option<f64>,
}

impl GroundTruth {
    /// The statistics of counts and ranks; `None` without elements.
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
        for Score { info, value } in Self::SCORES {
            let name = format!("{} {}", info.title, info.direction.arrow());
            match value(self) {
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

const PEER: &str = "PyTorch Geometric, groundtruth_metrics";

const fn agreement(
    name: &'static str,
    title: &'static str,
    question: &'static str,
    value: fn(&GroundTruth) -> Option<f64>,
) -> Score<GroundTruth> {
    Score::new(name, title, question, value)
        .higher_is_better()
        .range(Range::SHARE)
        .needs(&[input::PREDICTED, input::TARGET])
}

impl Scores for GroundTruth {
    const SCORES: &'static [Score<Self>] = &[
        agreement(
            "accuracy",
            "Accuracy",
            "On which share of the elements do mask and truth agree?",
            |scores: &Self| Some(scores.accuracy),
        )
        .source(PEER),
        agreement(
            "recall",
            "Recall",
            "Which share of the truth does the mask find?",
            |scores: &Self| scores.recall,
        )
        .source(PEER),
        agreement(
            "precision",
            "Precision",
            "Which share of what the mask marks is true?",
            |scores: &Self| scores.precision,
        )
        .source(PEER),
        agreement(
            "f1_score",
            "F1 score",
            "How well does the mask find the truth, and nothing else?",
            |scores: &Self| scores.f1_score,
        )
        .source(PEER),
        agreement(
            "auroc",
            "AUROC",
            "With what probability does a true element score above a false one?",
            |scores: &Self| scores.auroc,
        )
        .scale_free()
        .source(PEER),
        agreement(
            "average_precision",
            "Average precision",
            "How precise is the mask down to each true element?",
            |scores: &Self| scores.average_precision,
        )
        .scale_free()
        .source("scikit-learn, average_precision_score"),
        agreement(
            "jaccard",
            "Jaccard index",
            "How large is the overlap of mask and truth against both together?",
            |scores: &Self| scores.jaccard,
        )
        .source("Agarwal et al. 2022, arXiv 2208.09339"),
    ];
}
