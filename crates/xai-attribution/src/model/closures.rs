//! Models and explainers from closures whose types need no annotations, and from functions of slices.

use std::fmt::{Debug, Formatter};
use std::sync::Mutex;

use ndarray::{Array2, ArrayD, ArrayViewD, IxDyn};
use xai_core::{Error, Real};

use crate::input;
use crate::model::black_box::lock;
use crate::model::{BoxError, Explainer, Model, Targets};

/// Returns a closure as a [`Model`], with the type of its argument inferred.
///
/// A closure that is stored in a variable without this function needs the annotations
/// `|batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, MyError>`. Errors of any type are converted by `?`.
///
/// ```
/// use ndarray::{Axis, array};
/// use xai_attribution::{Evaluate, metric::AverageDrop, model::model_fn};
/// let weights = array![[1.0], [2.0]];
/// let model = model_fn(|batch| {
///     let rows = batch.to_shape((batch.len_of(Axis(0)), 2))?;
///     Ok(rows.dot(&weights))
/// });
/// let inputs = array![[1.0, 0.5], [2.0, 1.0]];
/// let drop = AverageDrop::new().evaluate(&model, inputs.view(), &[0, 0], inputs.view())?;
/// assert!((drop.value - 0.5).abs() < 1e-7);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn model_fn<T, O, F>(model: F) -> F
where
    T: Real,
    O: Real,
    F: Fn(ArrayViewD<'_, T>) -> Result<Array2<O>, BoxError>,
{
    model
}

/// Creates a [`Model`] from a closure that changes its state, such as an inference session whose `run` takes
/// `&mut self`. Its calls are made one after another.
///
/// ```
/// use ndarray::{ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::AverageDrop, model::model_fn_mut};
/// let mut n_rows = 0;
/// let model = model_fn_mut(|batch: ArrayViewD<'_, f64>| {
///     n_rows += batch.shape()[0];
///     Ok(batch.into_dimensionality()?.to_owned())
/// });
/// let inputs = array![[1.0, 2.0]];
/// AverageDrop::new().evaluate(&model, inputs.view(), &[1], inputs.view())?;
/// assert_eq!(n_rows, 2);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn model_fn_mut<T, O, F>(model: F) -> ModelMut<F>
where
    T: Real,
    O: Real,
    F: FnMut(ArrayViewD<'_, T>) -> Result<Array2<O>, BoxError>,
{
    ModelMut(Mutex::new(model))
}

/// Returns a closure as an [`Explainer`], with the types of its arguments inferred.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::model::explainer_fn;
/// use xai_attribution::{Evaluate, metric::AverageStability};
/// let twice = explainer_fn(|inputs, _targets| Ok(inputs.mapv(|x| 2.0 * x)));
/// let inputs = array![[1.0, 2.0], [3.0, 4.0]];
/// let stability = AverageStability::new().evaluate_explainer(&twice, inputs.view(), &[0, 1])?;
/// assert!(stability.value < 0.3);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn explainer_fn<T, F>(explainer: F) -> F
where
    T: Real,
    F: Fn(ArrayViewD<'_, T>, &Targets) -> Result<ArrayD<T>, BoxError> + Sync,
{
    explainer
}

/// Creates an [`Explainer`] from a closure that changes its state. Its calls are made one after another.
pub fn explainer_fn_mut<T, F>(explainer: F) -> ExplainerMut<F>
where
    T: Real,
    F: FnMut(ArrayViewD<'_, T>, &Targets) -> Result<ArrayD<T>, BoxError> + Send,
{
    ExplainerMut(Mutex::new(explainer))
}

/// Creates a [`Model`] from a function of slices, for callers that use no `ndarray` or another version of it than this
/// crate.
///
/// The function receives the rows of a batch in row-major order and the shape of the batch, whose first number is the
/// number of rows. It returns the outputs in row-major order, the same number for each row.
///
/// ```
/// use xai_attribution::model::{samples_from_slice, slice_model_fn};
/// use xai_attribution::{Evaluate, metric::AverageDrop};
/// let sums = slice_model_fn(|rows: &[f64], shape: &[usize]| {
///     Ok(rows.chunks(shape[1]).map(|row| row.iter().sum::<f64>()).collect())
/// });
/// let inputs = samples_from_slice(&[2, 2], &[1.0, 1.0, 2.0, 2.0])?;
/// let maps = samples_from_slice(&[2, 2], &[1.0, 0.0, 0.0, 1.0])?;
/// let drop = AverageDrop::new().evaluate(&sums, inputs, &[0, 0], maps)?;
/// assert!((drop.value - 0.5).abs() < 1e-7);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn slice_model_fn<T, O, F>(model: F) -> SliceModel<F>
where
    T: Real,
    O: Real,
    F: Fn(&[T], &[usize]) -> Result<Vec<O>, BoxError>,
{
    SliceModel(model)
}

/// Creates a [`Model`] from a function of slices that changes its state, such as an inference session whose `run` takes
/// `&mut self`. Its calls are made one after another. See [`slice_model_fn`].
///
/// ```
/// use xai_attribution::model::{samples_from_slice, slice_model_fn_mut};
/// use xai_attribution::{Evaluate, metric::AverageDrop};
/// let mut n_rows = 0;
/// let model = slice_model_fn_mut(|rows, shape| {
///     n_rows += shape[0];
///     Ok(rows.to_vec())
/// });
/// let inputs = samples_from_slice(&[1, 2], &[1.0, 2.0])?;
/// AverageDrop::new().evaluate(&model, inputs.view(), &[1], inputs.view())?;
/// assert_eq!(n_rows, 2);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn slice_model_fn_mut<T, O, F>(model: F) -> SliceModelMut<F>
where
    T: Real,
    O: Real,
    F: FnMut(&[T], &[usize]) -> Result<Vec<O>, BoxError>,
{
    SliceModelMut(Mutex::new(model))
}

/// Creates an [`Explainer`] from a function of slices, see [`slice_model_fn`]. It returns one attribution per element
/// of the batch, in the same order.
///
/// ```
/// use xai_attribution::model::{samples_from_slice, slice_explainer_fn};
/// use xai_attribution::{Evaluate, metric::AverageStability};
/// let squares = slice_explainer_fn(|rows: &[f64], _shape: &[usize], _targets| {
///     Ok(rows.iter().map(|x| x * x).collect())
/// });
/// let inputs = samples_from_slice(&[1, 2], &[3.0, 4.0])?;
/// assert!(AverageStability::new().evaluate_explainer(&squares, inputs, &[0]).is_ok());
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn slice_explainer_fn<T, F>(explainer: F) -> SliceExplainer<F>
where
    T: Real,
    F: Fn(&[T], &[usize], &Targets) -> Result<Vec<T>, BoxError> + Sync,
{
    SliceExplainer(explainer)
}

/// Returns a view of samples in a slice, in row-major order, see [`slice_model_fn`]. The first number of the shape is
/// the number of samples.
///
/// # Errors
/// A shape mismatch if the shape does not have the number of elements of the slice.
pub fn samples_from_slice<'a, T: Real>(
    shape: &[usize],
    values: &'a [T],
) -> xai_core::Result<ArrayViewD<'a, T>> {
    let n_elements = shape.iter().copied().try_fold(1, usize::checked_mul);
    match ArrayViewD::from_shape(IxDyn(shape), values) {
        Ok(view) if n_elements == Some(values.len()) => Ok(view),
        _ => {
            let expected = format!("with {} elements in total", values.len());
            Err(Error::shape_described(input::VALUES, expected, shape))
        }
    }
}

/// A model that is called one call at a time, created by [`model_fn_mut`].
pub struct ModelMut<F>(Mutex<F>);

impl<T, O, F> Model<T> for ModelMut<F>
where
    T: Real,
    O: Real,
    F: FnMut(ArrayViewD<'_, T>) -> Result<Array2<O>, BoxError>,
{
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        Ok(lock(&self.0)(batch)?.mapv_into_any(Real::to_f64_exact))
    }
}

/// An explainer that is called one call at a time, created by [`explainer_fn_mut`].
pub struct ExplainerMut<F>(Mutex<F>);

impl<T, F> Explainer<T> for ExplainerMut<F>
where
    T: Real,
    F: FnMut(ArrayViewD<'_, T>, &Targets) -> Result<ArrayD<T>, BoxError> + Send,
{
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError> {
        lock(&self.0)(inputs, targets)
    }
}

/// A model of slices, created by [`slice_model_fn`].
#[derive(Clone, Copy)]
pub struct SliceModel<F>(F);

impl<T, O, F> Model<T> for SliceModel<F>
where
    T: Real,
    O: Real,
    F: Fn(&[T], &[usize]) -> Result<Vec<O>, BoxError>,
{
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        outputs_of_slices(&self.0, batch)
    }
}

/// A model of slices that is called one call at a time, created by [`slice_model_fn_mut`].
pub struct SliceModelMut<F>(Mutex<F>);

impl<T, O, F> Model<T> for SliceModelMut<F>
where
    T: Real,
    O: Real,
    F: FnMut(&[T], &[usize]) -> Result<Vec<O>, BoxError>,
{
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        outputs_of_slices(&mut *lock(&self.0), batch)
    }
}

/// Calls a function of slices with a batch.
fn outputs_of_slices<T: Real, O: Real>(
    mut model: impl FnMut(&[T], &[usize]) -> Result<Vec<O>, BoxError>,
    batch: ArrayViewD<'_, T>,
) -> Result<Array2<f64>, BoxError> {
    let contiguous = batch.as_standard_layout();
    let outputs = model(contiguous.as_slice().unwrap_or_default(), batch.shape())?;
    let n_rows = batch.shape()[0];
    let (n, n_outputs) = (outputs.len(), outputs.len() / n_rows.max(1));
    if n != n_outputs * n_rows {
        return Err(
            format!("{n} numbers for {n_rows} rows, expected equally many for each row").into(),
        );
    }
    let values = outputs.into_iter().map(Real::to_f64_exact).collect();
    Ok(Array2::from_shape_vec((n_rows, n_outputs), values)?)
}

/// An explainer of slices, created by [`slice_explainer_fn`].
#[derive(Clone, Copy)]
pub struct SliceExplainer<F>(F);

impl<T, F> Explainer<T> for SliceExplainer<F>
where
    T: Real,
    F: Fn(&[T], &[usize], &Targets) -> Result<Vec<T>, BoxError> + Sync,
{
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError> {
        let contiguous = inputs.as_standard_layout();
        let rows = contiguous.as_slice().unwrap_or_default();
        let maps = (self.0)(rows, inputs.shape(), targets)?;
        if maps.len() != inputs.len() {
            let (found, expected) = (maps.len(), inputs.len());
            return Err(format!(
                "{found} attributions, expected one for each of the {expected} features"
            )
            .into());
        }
        Ok(ArrayD::from_shape_vec(inputs.raw_dim(), maps)?)
    }
}

/// Omits the closure, which has no `Debug`.
macro_rules! debug {
    ($($name:ident),+) => {$(
        impl<F> Debug for $name<F> {
            fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($name)).finish_non_exhaustive()
            }
        }
    )+};
}
debug!(
    ModelMut,
    ExplainerMut, SliceModel, SliceModelMut, SliceExplainer
);
