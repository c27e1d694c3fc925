//! Model scores of unchanged and of masked inputs.

use std::sync::Mutex;

use xai_core::evaluation::Remark;
use xai_core::{Real, Result};

use crate::batch::data::CheckedData;
use crate::batch::{ExplainedBatch, SampleBatch};
use crate::model::black_box::{into_inner, lock};
use crate::model::{IntoTargets, Model, Samples, Scoring};
use crate::run::evaluation_run::{Records, Sums, UNNAMED, for_each_batch};
use crate::{CompletedScores, EvaluationData, EvaluationError};

/// Scores of every sample, for the unchanged input and for the input masked by its map.
///
/// Average Drop, Increase and Gain are functions of these pairs: compute the scores once with [`masked_scores`], and
/// pass them to [`evaluate_scores`](crate::metric::ScoreMetric::evaluate_scores) of each metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MaskedScores {
    /// `base_i = g(f, x_i, y_i)`.
    pub base: Vec<f64>,
    /// `masked_i = g(f, x_i ⊙ M_i, y_i)`; `None` for a map whose positions all have the same magnitude (mean over
    /// channels), because it has no mask.
    pub masked: Vec<Option<f64>>,
    /// Assumptions that the scores depend on and that the caller did not choose explicitly.
    #[cfg_attr(feature = "serde", serde(default))]
    pub assumed: Vec<Remark>,
    /// Warnings about suspicious inputs.
    #[cfg_attr(feature = "serde", serde(default))]
    pub warnings: Vec<Remark>,
    /// Largest number of rows per call of the model and the explainer. `None` for scores that were computed elsewhere.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub batch_size: Option<usize>,
}

impl MaskedScores {
    /// Creates a value from existing scores, without assumptions or warnings.
    #[must_use]
    pub fn new(base: Vec<f64>, masked: Vec<Option<f64>>) -> Self {
        Self {
            base,
            masked,
            assumed: Vec::new(),
            warnings: Vec::new(),
            batch_size: None,
        }
    }
}

/// Model score `g(f, x_i, y_i)` of every unchanged sample.
///
/// # Errors
/// As [`Evaluate::evaluate`](crate::Evaluate::evaluate).
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::scores::base_scores;
/// use xai_attribution::model::Scoring;
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[1.0, 2.0], [3.0, 4.0]].into_dyn();
/// let targets = array![[1.0, 0.0], [-1.0, 1.0]];
/// let scores = base_scores(&model, inputs.view(), &targets, &Scoring::default())?;
/// assert_eq!(scores, [1.0, 1.0]); // 1·1 + 0·2 and −1·3 + 1·4
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn base_scores<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    inputs: impl Samples<T>,
    targets: &(impl IntoTargets + ?Sized),
    scoring: &Scoring,
) -> Result<Vec<f64>, EvaluationError> {
    let mut data = EvaluationData::new(inputs, targets).model(model);
    data.scoring = *scoring;
    // Scores of unchanged inputs are the same for any layout.
    let data = data.with_any_layout().check(false)?;
    let [base] = collect(&data, |batch, records| {
        let outcome = batch.base_scores().map(drop);
        let first = batch.samples().start;
        lock(records).keep(None, first, batch.records());
        outcome
    })?;
    Ok(base.into_iter().flatten().collect())
}

/// Scores every sample twice, unchanged and masked.
///
/// The model is called with `2 n` rows, plus at most one that checks whether [outputs depend on the
/// batch](crate::Evaluate::allow_batch_dependence). `inputs` and `maps` have the shapes of a
/// [`InputLayout`](xai_core::InputLayout); `targets` are class indices or rows of weights.
///
/// # Errors
/// As [`Evaluate::evaluate`](crate::Evaluate::evaluate).
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::scores::masked_scores;
/// use xai_attribution::{metric::{AverageDrop, AverageIncrease}, model::Scoring};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[2.0, 1.0]].into_dyn();
/// let maps = array![[0.0, 1.0]].into_dyn();
/// let scores = masked_scores(&model, inputs.view(), &[0], maps.view(), &Scoring::default())?;
/// assert_eq!((scores.base[0], scores.masked[0]), (2.0, Some(0.0)));
/// let drop = AverageDrop::new().evaluate_scores(&scores.base, &scores.masked)?;
/// assert!((drop.value - 1.0).abs() < 1e-8);
/// assert_eq!(AverageIncrease::new().evaluate_scores(&scores.base, &scores.masked)?.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn masked_scores<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    inputs: impl Samples<T>,
    targets: &(impl IntoTargets + ?Sized),
    maps: impl Samples<T>,
    scoring: &Scoring,
) -> Result<MaskedScores, EvaluationError> {
    let mut data = EvaluationData::new(inputs, targets).model(model).maps(maps);
    data.scoring = *scoring;
    masked_scores_on(data)
}

/// Like [`masked_scores`], for data with a model and maps, or with a model and an explainer that computes them.
///
/// # Errors
/// As [`Evaluate::evaluate_on`](crate::Evaluate::evaluate_on).
pub fn masked_scores_on<T: Real>(
    data: EvaluationData<'_, T>,
) -> Result<MaskedScores, EvaluationError> {
    let data = data.check(false)?;
    if let Some(maps) = &data.explained.maps {
        data.dataset.check_maps(&**maps)?;
    }
    let are_given = data.explained.maps.is_some();
    let sums = Mutex::new(Sums::new(data.dataset.n_samples(), 1));
    let [base, masked] = collect(&data, |batch, records| {
        let explained = ExplainedBatch::new(batch, &data.explained)?;
        let outcome = batch.base_scores().and_then(|_| explained.masked_scores());
        // Recorded before an error is returned: if only the masked inputs fail, the base scores are not lost.
        let first = batch.samples().start;
        let taken = [batch.records(), explained.records()].concat();
        lock(records).keep(None, first, taken);
        outcome?;
        lock(&sums).add(0, &explained, are_given)
    })?;
    if are_given {
        data.dataset.assume_explained_class();
    }
    let check = into_inner(sums).class_check(&data.dataset, &[are_given]);
    Ok(MaskedScores {
        base: base.into_iter().flatten().collect(),
        masked,
        assumed: data.dataset.assumed(),
        warnings: check.map_or_else(Vec::new, |check| check.warnings(&[UNNAMED.to_owned()])),
        batch_size: data.dataset.call_size(),
    })
}

/// Runs work on every batch and returns the scores it records, in the order in which their names were first recorded.
fn collect<T: Real, const N: usize>(
    data: &CheckedData<'_, T>,
    work: impl Fn(&SampleBatch<'_, T>, &Mutex<Records>) -> Result<()> + Sync,
) -> Result<[Vec<Option<f64>>; N], EvaluationError> {
    let records = Mutex::new(Records::new(data.dataset.n_samples()));
    let outcome = for_each_batch(&*data.model, &data.dataset, &|batch| {
        Ok(work(batch, &records)?)
    });
    let mut taken = into_inner(records).take(None).into_iter();
    match outcome {
        // Records are in the order in which their scores were first recorded: base scores before masked ones.
        Ok(()) => Ok(std::array::from_fn(|_| {
            let (_, scores) = taken.next().unwrap_or_default();
            scores
        })),
        Err(stopped) => {
            let completed = taken.map(|(name, per_sample)| CompletedScores {
                explainer: None,
                score: name.into(),
                per_sample,
            });
            Err(stopped.with_completed(completed.collect()))
        }
    }
}
