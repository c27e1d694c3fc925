//! Attributions, and what metrics judge them by.

use std::fmt;

use ndarray::{ArrayView2, ArrayView3};
use xai_core::number::{check_finite, labels_to_i64};
use xai_core::tensor::check_shape;
use xai_core::{Error, Input, Label, Result};

use crate::data_attribution::rows::AttributionRows;
use crate::data_attribution::subsets::{Subsets, check_cases, is_mask_row, looks_like_a_mask};
use crate::{help, input};

/// Labels of any integer type, read when they are asked for.
type Labels<'a> = Box<dyn Fn(Input) -> Result<Vec<i64>> + Sync + 'a>;

/// Attributions of `n_test` test cases to `n_train` training cases, and what metrics judge them by.
///
/// A metric takes what it needs ([`MetricInfo::needs`](xai_core::MetricInfo)); the rest may be missing.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ClassDetection};
/// let attributions = array![[0.9, 0.1, 0.4], [0.2, 0.3, 0.8]];
/// let data = AttributionData::new(attributions.view())
///     .train_labels(&[0, 1, 1])
///     .test_classes(&[0, 0]);
/// let value = ClassDetection::new().evaluate(&data)?;
/// assert_eq!(value.per_sample, [Some(1.0), Some(0.0)]);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Default)]
pub struct AttributionData<'a> {
    attributions: Option<Box<dyn AttributionRows + 'a>>,
    random_attributions: Option<Box<dyn AttributionRows + 'a>>,
    train_labels: Option<Labels<'a>>,
    test_classes: Option<Labels<'a>>,
    keep: Option<&'a [bool]>,
    flags: Option<&'a [bool]>,
    subsets: Option<&'a Subsets>,
    outputs: Option<ArrayView2<'a, f64>>,
    logits: Option<ArrayView3<'a, f64>>,
    targets: Option<Labels<'a>>,
    removed: Option<&'a [usize]>,
    drops: Option<ArrayView2<'a, f64>>,
    relevant: Option<ArrayView2<'a, bool>>,
    scores: Option<&'a [f64]>,
    log_prob: Option<&'a [f64]>,
    log_prob_after: Option<ArrayView2<'a, f64>>,
    ks: Option<&'a [usize]>,
    predictions: Option<ArrayView2<'a, i64>>,
}

fn labels<'a, L: Label>(labels: &'a [L]) -> Labels<'a> {
    Box::new(move |input| labels_to_i64(input, labels.iter().copied()))
}

/// What is given.
impl<'a> AttributionData<'a> {
    /// Attributions, `(n_test, n_train)`; above 0 = the training case raised the score of the test case. Where they are
    /// those of a *loss*, turn their sign first.
    #[must_use]
    pub fn new(attributions: impl AttributionRows + 'a) -> Self {
        Self {
            attributions: Some(Box::new(attributions)),
            ..Self::default()
        }
    }

    /// The attributions by the same explainer of a model with random weights, `(n_test, n_train)`.
    #[must_use]
    pub fn random_attributions(mut self, attributions: impl AttributionRows + 'a) -> Self {
        self.random_attributions = Some(Box::new(attributions));
        self
    }

    /// Classes of the training cases, `(n_train,)`.
    #[must_use]
    pub fn train_labels<L: Label>(mut self, of: &'a [L]) -> Self {
        self.train_labels = Some(labels(of));
        self
    }

    /// Classes of the test cases, `(n_test,)`: the true or the predicted ones, say which.
    #[must_use]
    pub fn test_classes<L: Label>(mut self, of: &'a [L]) -> Self {
        self.test_classes = Some(labels(of));
        self
    }

    /// Which test cases count, `(n_test,)`: the others have no value. All count by default.
    #[must_use]
    pub fn keep(mut self, keep: &'a [bool]) -> Self {
        self.keep = Some(keep);
        self
    }

    /// Which training cases are flagged, `(n_train,)`: those with the shortcut, those of another data set.
    #[must_use]
    pub fn flags(mut self, flags: &'a [bool]) -> Self {
        self.flags = Some(flags);
        self
    }

    /// Subsets of the training cases that models were trained on.
    #[must_use]
    pub fn subsets(mut self, subsets: &'a Subsets) -> Self {
        self.subsets = Some(subsets);
        self
    }

    /// What the model of each subset answers for each test case, `(n_subsets, n_test)`, a mean over its trainings.
    #[must_use]
    pub fn outputs<'v: 'a>(mut self, outputs: ArrayView2<'v, f64>) -> Self {
        self.outputs = Some(outputs.reborrow());
        self
    }

    /// Logits instead of [outputs](Self::outputs), `(n_subsets, n_test, n_classes)`; the output is the margin of the
    /// [target](Self::targets).
    #[must_use]
    pub fn logits<'v: 'a>(mut self, logits: ArrayView3<'v, f64>) -> Self {
        self.logits = Some(logits.reborrow());
        self
    }

    /// The class of each test case whose margin is taken of the [logits](Self::logits), `(n_test,)`.
    #[must_use]
    pub fn targets<L: Label>(mut self, targets: &'a [L]) -> Self {
        self.targets = Some(labels(targets));
        self
    }

    /// The training case that each model was trained without, `(n_removed,)`.
    #[must_use]
    pub fn removed(mut self, removed: &'a [usize]) -> Self {
        self.removed = Some(removed);
        self
    }

    /// How far the output of each test case falls without each of the [removed](Self::removed) cases,
    /// `(n_removed, n_test)`.
    #[must_use]
    pub fn drops<'v: 'a>(mut self, drops: ArrayView2<'v, f64>) -> Self {
        self.drops = Some(drops.reborrow());
        self
    }

    /// Which training cases are relevant to each test case, `(n_test, n_train)`.
    #[must_use]
    pub fn relevant<'v: 'a>(mut self, relevant: ArrayView2<'v, bool>) -> Self {
        self.relevant = Some(relevant.reborrow());
        self
    }

    /// What [`MislabelingDetection`](super::MislabelingDetection) reads with the flags, for metrics by name.
    #[must_use]
    pub fn scores(mut self, scores: &'a [f64]) -> Self {
        self.scores = Some(scores);
        self
    }

    /// What [`TailPatch`](super::TailPatch) reads, for metrics by name.
    #[must_use]
    pub fn log_probs<'v: 'a>(mut self, log_prob: &'a [f64], after: ArrayView2<'v, f64>) -> Self {
        self.log_prob = Some(log_prob);
        self.log_prob_after = Some(after.reborrow());
        self
    }

    /// What [`brittleness`](super::brittleness()) reads, for metrics by name.
    #[must_use]
    pub fn predictions<'v: 'a>(
        mut self,
        ks: &'a [usize],
        predictions: ArrayView2<'v, i64>,
    ) -> Self {
        self.ks = Some(ks);
        self.predictions = Some(predictions.reborrow());
        self
    }
}

/// What metrics read, checked.
impl AttributionData<'_> {
    pub(super) fn rows(&self) -> Result<&dyn AttributionRows> {
        let rows = needed(input::ATTRIBUTIONS, self.attributions.as_ref())?;
        match rows.shape() {
            (_, 0) => Err(Error::empty(input::ATTRIBUTIONS).part("training cases")),
            // Places of training cases are kept as `u32`.
            (n_test, n_train) if u32::try_from(n_train).is_err() => {
                let expected = "(n_test, n_train) with n_train below 2^32";
                let shape = [n_test, n_train];
                Err(Error::shape_described(
                    input::ATTRIBUTIONS,
                    expected,
                    &shape,
                ))
            }
            _ => Ok(&**rows),
        }
    }

    /// `(n_test, n_train)`.
    pub(super) fn shape(&self) -> Result<(usize, usize)> {
        self.rows().map(AttributionRows::shape)
    }

    pub(super) fn random_rows(&self) -> Result<&dyn AttributionRows> {
        let rows = needed(
            input::RANDOM_ATTRIBUTIONS,
            self.random_attributions.as_ref(),
        )?;
        let ((n, d), (n_random, d_random)) = (self.shape()?, rows.shape());
        check_shape(input::RANDOM_ATTRIBUTIONS, &[n, d], &[n_random, d_random])?;
        Ok(&**rows)
    }

    /// Classes of the training cases, and of the test cases.
    pub(super) fn classes(&self) -> Result<(Vec<i64>, Vec<i64>)> {
        let (n_test, n_train) = self.shape()?;
        let of_train = needed(input::TRAIN_LABELS, self.train_labels.as_ref())?;
        let of_test = needed(input::TEST_CLASSES, self.test_classes.as_ref())?;
        let of_train = of_train(input::TRAIN_LABELS)?;
        let of_test = of_test(input::TEST_CLASSES)?;
        check_shape(input::TRAIN_LABELS, &[n_train], &[of_train.len()])?;
        check_shape(input::TEST_CLASSES, &[n_test], &[of_test.len()])?;
        Ok((of_train, of_test))
    }

    /// Which test cases count; none is said where all do.
    pub(super) fn kept(&self) -> Result<Option<&[bool]>> {
        if let Some(keep) = self.keep {
            check_shape(input::KEEP, &[self.shape()?.0], &[keep.len()])?;
        }
        Ok(self.keep)
    }

    /// How many test cases count.
    pub(super) fn n_kept(&self) -> Result<usize> {
        let n_test = self.shape()?.0;
        let kept = |keep: &[bool]| keep.iter().filter(|&&kept| kept).count();
        Ok(self.kept()?.map_or(n_test, kept))
    }

    pub(super) fn flagged(&self) -> Result<&[bool]> {
        let flags = needed(input::FLAGS, self.flags.as_ref())?;
        check_shape(input::FLAGS, &[self.shape()?.1], &[flags.len()])?;
        Ok(flags)
    }

    /// Subsets of the training cases there are.
    pub(super) fn checked_subsets(&self) -> Result<&Subsets> {
        let subsets = *needed(input::SUBSETS, self.subsets.as_ref())?;
        let (n_train, of) = (self.shape()?.1, subsets.n_train());
        match n_train == of {
            true => Ok(subsets),
            false => Err(Error::shape(input::SUBSETS, &[n_train], &[of]).part("training cases")),
        }
    }

    /// Outputs as they are given, `(n_subsets, n_test)`.
    pub(super) fn given_outputs(&self, n_subsets: usize) -> Result<Option<ArrayView2<'_, f64>>> {
        let Some(outputs) = self.outputs else {
            return Ok(None);
        };
        let expected = [n_subsets, self.shape()?.0];
        check_shape(input::OUTPUTS, &expected, outputs.shape())?;
        check_finite(input::OUTPUTS, outputs)?;
        Ok(Some(outputs))
    }

    /// Logits `(n_subsets, n_test, n_classes)`, and the class of each test case.
    pub(super) fn logits_and_targets(
        &self,
        n_subsets: usize,
    ) -> Result<(ArrayView3<'_, f64>, Vec<i64>)> {
        // Without both it is the outputs that are missing.
        let logits = needed(input::OUTPUTS, self.logits.as_ref())?;
        let targets = needed(input::TARGETS, self.targets.as_ref())?(input::TARGETS)?;
        let n_test = self.shape()?.0;
        let expected = [n_subsets, n_test, logits.dim().2.max(1)];
        check_shape(input::LOGITS, &expected, logits.shape())?;
        check_finite(input::LOGITS, *logits)?;
        check_shape(input::TARGETS, &[n_test], &[targets.len()])?;
        Ok((*logits, targets))
    }

    /// The training cases that were left out, and what the outputs fell by, `(n_removed, n_test)`.
    pub(super) fn removed_and_drops(&self) -> Result<(&[usize], ArrayView2<'_, f64>)> {
        let (n_test, n_train) = self.shape()?;
        let removed = *needed(input::REMOVED, self.removed.as_ref())?;
        let drops = *needed(input::DROPS, self.drops.as_ref())?;
        check_cases(input::REMOVED, removed, n_train)?;
        if n_train > 2 && is_mask_row(removed, n_train) {
            return Err(looks_like_a_mask(
                input::REMOVED,
                n_train,
                help::POSITIONS_OF_MASK,
            ));
        }
        check_shape(input::DROPS, &[removed.len(), n_test], drops.shape())?;
        check_finite(input::DROPS, drops)?;
        Ok((removed, drops))
    }

    pub(super) fn relevance(&self) -> Result<ArrayView2<'_, bool>> {
        let relevant = *needed(input::RELEVANT, self.relevant.as_ref())?;
        let (n_test, n_train) = self.shape()?;
        check_shape(input::RELEVANT, &[n_test, n_train], relevant.shape())?;
        Ok(relevant)
    }

    pub(super) fn scores_and_flags(&self) -> Result<(&[f64], &[bool])> {
        let scores = *needed(input::SCORES, self.scores.as_ref())?;
        Ok((scores, *needed(input::FLAGS, self.flags.as_ref())?))
    }

    pub(super) fn given_log_probs(&self) -> Result<(&[f64], ArrayView2<'_, f64>)> {
        let before = *needed(input::LOG_PROB, self.log_prob.as_ref())?;
        Ok((
            before,
            *needed(input::LOG_PROB_AFTER, self.log_prob_after.as_ref())?,
        ))
    }

    pub(super) fn given_predictions(&self) -> Result<(&[usize], ArrayView2<'_, i64>)> {
        let ks = *needed(input::KS, self.ks.as_ref())?;
        Ok((ks, *needed(input::PREDICTIONS, self.predictions.as_ref())?))
    }
}

/// What a metric needs.
fn needed<T>(input: Input, given: Option<T>) -> Result<T> {
    given.ok_or_else(|| Error::parameter(input, "none", "to be given, for the metric needs it"))
}

impl fmt::Debug for AttributionData<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.attributions.as_ref().map(|rows| rows.shape());
        let mut data = f.debug_struct("AttributionData");
        data.field("shape", &shape).finish_non_exhaustive()
    }
}
