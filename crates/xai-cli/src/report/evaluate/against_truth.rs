//! A mask against the truth, as the report shows it.

use xai_files::failure::{Failure, InFile};
use xai_metrics::core::statistics::auroc_interval;
use xai_metrics::graph::ground_truth::Confusion;

use crate::context::Context;
use crate::graph::groundtruth::Groundtruth;
use crate::report::model::estimate::Estimate;
use crate::report::model::graph::AgainstTruth;

/// Points of a curve on the page.
const MOST_POINTS: usize = 200;
/// Confidence of the interval.
const CONFIDENCE: f64 = 0.95;

/// A mask that has a truth.
pub(crate) struct MaskOfTruth {
    pub(crate) result: AgainstTruth,
    /// The scores of the mask.
    pub(crate) mask: Vec<f64>,
    /// Which of its elements are true.
    pub(crate) truth: Vec<bool>,
    /// Whether a curve has more points than the page.
    pub(crate) is_reduced: bool,
}

/// Scores a mask against its truth.
pub(crate) fn evaluate(command: &Groundtruth, context: &Context) -> Result<MaskOfTruth, Failure> {
    let compared = command.evaluate(context)?;
    let (scores, mask) = (&compared.scores, compared.mask());
    let elements = command.elements(&compared)?;
    let truth: Vec<bool> = elements.iter().map(|element| element.is_true).collect();
    let interval = auroc_interval(&mask, &truth, CONFIDENCE)
        .map_err(Failure::new)
        .in_file(command.mask_file())?;
    let curves = command.curves(&compared)?;
    let (roc, precision_recall) = (curves.roc, curves.precision_recall);
    let is_reduced = roc
        .as_ref()
        .is_some_and(|roc| roc.points.len() > MOST_POINTS);
    let roc = roc.map(|roc| roc.reduced(MOST_POINTS).points);
    let precision_recall = precision_recall.map(|curve| curve.reduced(MOST_POINTS).points);
    let result = AgainstTruth {
        accuracy: Some(scores.accuracy),
        recall: scores.recall,
        precision: scores.precision,
        f1_score: scores.f1_score,
        auroc: Estimate::new(scores.auroc, interval, scores.confusion.total()),
        average_precision: scores.average_precision,
        jaccard: scores.jaccard,
        prevalence: prevalence(&scores.confusion),
        roc: roc
            .into_iter()
            .flatten()
            .map(|point| [point.false_positive_rate, point.true_positive_rate])
            .collect(),
        precision_recall: precision_recall
            .into_iter()
            .flatten()
            .map(|point| [point.recall, point.precision])
            .collect(),
    };
    Ok(MaskOfTruth {
        result,
        mask,
        truth,
        is_reduced,
    })
}

/// The share of true elements.
fn prevalence(confusion: &Confusion) -> f64 {
    let n_true = confusion.true_positives + confusion.false_negatives;
    n_true as f64 / confusion.total() as f64
}
