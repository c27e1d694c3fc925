//! All metrics of training-data attribution.

use std::sync::Arc;

use xai_core::describe::{self, Setting};
use xai_core::{Input, Result};

use crate::data_attribution::brittleness::{BrittlenessMetric, brittleness};
use crate::data_attribution::cardinality::{Shown, TopKCardinality};
use crate::data_attribution::class_detection::{ClassDetection, SubclassDetection};
use crate::data_attribution::class_ranking::{ClassAuroc, ClassRecall};
use crate::data_attribution::data::AttributionData;
use crate::data_attribution::entry::{Entry, ListedMetric, MakeOutcome, Started, entry};
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
    entry::<LinearDatamodelingScore>().optional(&[input::LOGITS, input::TARGETS, input::KEEP]),
    entry::<LeaveOneOutCorrelation>(),
    entry::<ClassDetection>(),
    entry::<SubclassDetection>(),
    entry::<ClassAuroc>(),
    entry::<ClassRecall>(),
    entry::<MislabelingDetection>(),
    entry::<ShortcutDetection>(),
    entry::<MixedDatasets>(),
    entry::<TopKCardinality>(),
    entry::<AttributionRandomization>(),
    entry::<MeanReciprocalRank>(),
    entry::<HitAtK>(),
    entry::<RecallAtK>(),
    entry::<TailPatch>(),
    entry::<BrittlenessMetric>(),
];

// Metrics whose result is not a value per test case, or that read no attributions.

impl ListedMetric for TopKCardinality {
    const OPTIONAL: &'static [Input] = &[input::KEEP];

    fn start<'d>(&self, data: &'d AttributionData<'_>) -> Result<Started<'d>> {
        let shown = Arc::new(self.shown(data)?);
        let (row_function, n_kept) = (Shown::row_function(&shown), data.n_kept()?);
        let outcome = move |_| shown.finish(n_kept).into();
        Ok(Started::Rows(row_function, Box::new(outcome)))
    }
}

impl ListedMetric for MislabelingDetection {
    fn start<'d>(&self, data: &'d AttributionData<'_>) -> Result<Started<'d>> {
        let (scores, flags) = data.scores_and_flags()?;
        Ok(Started::Done(self.evaluate(scores, flags)?.into()))
    }
}

impl ListedMetric for TailPatch {
    fn start<'d>(&self, data: &'d AttributionData<'_>) -> Result<Started<'d>> {
        let (before, after) = data.given_log_probs()?;
        Ok(Started::Done(self.evaluate(before, after)?.into()))
    }
}

impl ListedMetric for BrittlenessMetric {
    fn start<'d>(&self, data: &'d AttributionData<'_>) -> Result<Started<'d>> {
        let (ks, predictions) = data.given_predictions()?;
        Ok(Started::Done(brittleness(&ks, predictions)?.into()))
    }
}

/// Finds a metric by its name: `class-detection` or `class_detection`.
///
/// # Errors
/// `InvalidParameter` about the metric, with similar names.
pub fn find(name: &str) -> Result<&'static Entry> {
    describe::find(METRICS, name)
}

/// Computes several metrics by name, in their order, from one reading of the attributions.
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
    enum Pending<'d> {
        Values(MakeOutcome<'d>),
        Done(Outcome),
    }
    let (mut pending, mut row_functions) = (Vec::new(), Vec::new());
    for metric in metrics {
        let start = find(&metric.name)?.computation.0;
        pending.push(match start(&metric.params, data)? {
            Started::Rows(row_function, make_outcome) => {
                row_functions.push(row_function);
                Pending::Values(make_outcome)
            }
            Started::Done(outcome) => Pending::Done(outcome),
        });
    }
    let row_functions: Vec<&RowFunction<'_>> = row_functions.iter().collect();
    let values = if row_functions.is_empty() {
        Vec::new()
    } else {
        walk(data, &row_functions)?
    };
    let mut values = values.into_iter();
    let outcomes = pending.into_iter().map(|pending| match pending {
        Pending::Values(make_outcome) => make_outcome(values.next().unwrap_or_default()),
        Pending::Done(outcome) => outcome,
    });
    Ok(outcomes.collect())
}
