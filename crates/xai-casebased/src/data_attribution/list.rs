//! All metrics of training-data attribution.

use std::sync::Arc;

use xai_core::describe::{Described, Setting, same_word};
use xai_core::{Error, Result};

use crate::data_attribution::brittleness::{self, brittleness};
use crate::data_attribution::cardinality::{Shown, TopKCardinality};
use crate::data_attribution::class_detection::{ClassDetection, SubclassDetection};
use crate::data_attribution::class_ranking::{ClassAuroc, ClassRecall};
use crate::data_attribution::data::AttributionData;
use crate::data_attribution::entry::{Compute, Entry, Reading, made};
use crate::data_attribution::flagged::{MixedDatasets, ShortcutDetection};
use crate::data_attribution::leave_one_out::LeaveOneOutCorrelation;
use crate::data_attribution::linear_datamodeling::LinearDatamodelingScore;
use crate::data_attribution::mislabeling::MislabelingDetection;
use crate::data_attribution::outcome::Outcome;
use crate::data_attribution::randomization::AttributionRandomization;
use crate::data_attribution::relevance::{HitAtK, MeanReciprocalRank, RecallAtK};
use crate::data_attribution::tail_patch::TailPatch;
use crate::data_attribution::walk::{RowFunction, walk};
use crate::input;

/// The metrics, in the order of the documentation.
pub const METRICS: &[Entry] = &[
    Entry::of::<LinearDatamodelingScore>().taking(&[input::LOGITS, input::TARGETS, input::KEEP]),
    Entry::of::<LeaveOneOutCorrelation>(),
    Entry::of::<ClassDetection>(),
    Entry::of::<SubclassDetection>(),
    Entry::of::<ClassAuroc>(),
    Entry::of::<ClassRecall>(),
    Entry::of_arrays::<MislabelingDetection>(MislabelingDetection::INFO, |_, data| {
        let (scores, flags) = data.scores_and_flags()?;
        Ok(MislabelingDetection.evaluate(scores, flags)?.into())
    }),
    Entry::of::<ShortcutDetection>(),
    Entry::of::<MixedDatasets>(),
    Entry::of_all::<TopKCardinality>(TopKCardinality::INFO, |settings, data| {
        let shown = Arc::new(made::<TopKCardinality>(settings)?.shown(data)?);
        let (row_function, n_kept) = (Shown::row_function(&shown), data.n_kept()?);
        let outcome = Box::new(move |_| shown.finish(n_kept).into());
        Ok(Reading {
            row_function,
            outcome,
        })
    }),
    Entry::of::<AttributionRandomization>(),
    Entry::of::<MeanReciprocalRank>(),
    Entry::of::<HitAtK>(),
    Entry::of::<RecallAtK>(),
    Entry::of_arrays::<TailPatch>(TailPatch::INFO, |settings, data| {
        let (before, after) = data.given_log_probs()?;
        Ok(made::<TailPatch>(settings)?.evaluate(before, after)?.into())
    }),
    Entry::of_arrays::<()>(brittleness::DESCRIPTION, |_, data| {
        let (ks, predictions) = data.given_predictions()?;
        Ok(brittleness(&ks, predictions)?.into())
    }),
];

/// The metric of a name: `class-detection` or `class_detection`.
///
/// # Errors
/// `InvalidParameter` about the metric, which lists the names there are.
pub fn find(name: &str) -> Result<&'static Entry> {
    let found = METRICS
        .iter()
        .find(|entry| same_word(entry.info.name, name));
    found.ok_or_else(|| {
        let names: Vec<&str> = METRICS.iter().map(|entry| entry.info.name).collect();
        Error::parameter(input::METRIC, name, format!("one of {}", names.join(", ")))
    })
}

/// Several metrics by name, in their order, from one reading of the attributions.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, evaluate_all};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.1, 0.4], [0.2, 0.3, 0.8]];
/// let data = AttributionData::new(attributions.view()).with(input::TRAIN_LABELS, &[0, 1, 1]).with(input::TEST_CLASSES, &[0, 0]);
/// let metrics = ["class-detection(k=2)".parse()?, "class-auroc".parse()?];
/// let outcomes = evaluate_all(&data, &metrics)?;
/// let values = outcomes.iter().map(|outcome| outcome.value());
/// assert!(values.eq([Some(0.25), Some(0.5)]));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Errors
/// As [`find`], and those of each metric, see [`AttributionMetric::evaluate`](super::AttributionMetric::evaluate).
pub fn evaluate_all(data: &AttributionData<'_>, metrics: &[Setting]) -> Result<Vec<Outcome>> {
    enum Begun<'d> {
        Rows(Box<dyn FnOnce(Vec<Option<f64>>) -> Outcome + 'd>),
        Done(Outcome),
    }
    let (mut begun, mut walked) = (Vec::new(), Vec::new());
    for metric in metrics {
        begun.push(match find(&metric.name)?.compute {
            Compute::Rows(read) => {
                let reading = read(&metric.params, data)?;
                walked.push(reading.row_function);
                Begun::Rows(reading.outcome)
            }
            Compute::Whole(evaluate) => Begun::Done(evaluate(&metric.params, data)?),
        });
    }
    let walked: Vec<&RowFunction<'_>> = walked.iter().collect();
    let mut values = match walked.is_empty() {
        true => Vec::new(),
        false => walk(data, &walked)?,
    }
    .into_iter();
    let outcomes = begun.into_iter().map(|begun| match begun {
        Begun::Rows(outcome) => outcome(values.next().unwrap_or_default()),
        Begun::Done(outcome) => outcome,
    });
    Ok(outcomes.collect())
}
