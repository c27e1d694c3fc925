//! The explainer under evaluation, for metrics that call it.

use ndarray::{ArrayD, ArrayViewD, IxDyn};
use xai_core::number::check_finite;
use xai_core::{Error, Real, Result};

use crate::input;
use crate::model::{BoxError, Targets};

/// An explainer: maps a batch of inputs and their targets to one map per sample.
///
/// Implemented by closures `Fn(ArrayViewD<T>, &Targets) -> Result<ArrayD<T>, E>`; see
/// [`explainer_fn`](super::explainer_fn) for closures without annotations. The batch is in row-major order,
/// samples first; the maps have the samples on the first axis as well, followed by at least one axis. Several threads
/// call an explainer at the same time only if the model is [`Concurrent`](super::Concurrent).
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::model::{Explainer, Targets};
/// // The terms of a linear model of weights 2 and −1.
/// let terms = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(&x * &array![2.0, -1.0].into_dyn())
/// };
/// let x = array![[3.0, 4.0]].into_dyn();
/// let maps = terms.explain(x.view(), &Targets::Classes(vec![0])).unwrap();
/// assert_eq!(maps, array![[6.0, -4.0]].into_dyn());
/// ```
pub trait Explainer<T: Real>: Sync {
    /// Returns the maps of one batch.
    ///
    /// # Errors
    /// Errors of the explainer itself.
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError>;
}

impl<T, F, E> Explainer<T> for F
where
    T: Real,
    E: Into<BoxError>,
    F: Fn(ArrayViewD<'_, T>, &Targets) -> Result<ArrayD<T>, E> + Sync,
{
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError> {
        self(inputs, targets).map_err(Into::into)
    }
}

/// Implements [`Explainer`] for pointers to trait objects.
macro_rules! pointers_to_explainers {
    ($($pointer:ty),+) => {$(
        impl<T: Real> Explainer<T> for $pointer {
            fn explain(
                &self,
                inputs: ArrayViewD<'_, T>,
                targets: &Targets,
            ) -> Result<ArrayD<T>, BoxError> {
                (**self).explain(inputs, targets)
            }
        }
    )+};
}

pointers_to_explainers!(
    &(dyn Explainer<T> + '_),
    &(dyn Explainer<T> + Send + '_),
    Box<dyn Explainer<T> + '_>,
    Box<dyn Explainer<T> + Send + '_>,
    std::sync::Arc<dyn Explainer<T> + Send + '_>
);

/// An explainer behind a reference, which makes unsized explainers usable as trait objects.
pub(crate) struct BorrowedExplainer<'a, X: ?Sized>(pub(crate) &'a X);

impl<T: Real, X: Explainer<T> + ?Sized> Explainer<T> for BorrowedExplainer<'_, X> {
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError> {
        self.0.explain(inputs, targets)
    }
}

/// Calls the explainer and checks its maps: one per row, without empty axes, and finite. They are returned in row-major
/// order. `sample(row)` is the sample of the data set that a row is derived from, and `call` describes the rows in
/// errors.
pub(crate) fn explain_rows<T: Real>(
    explainer: &dyn Explainer<T>,
    rows: ArrayViewD<'_, T>,
    targets: &Targets,
    sample: impl Fn(usize) -> usize,
    call: &str,
) -> Result<ArrayD<T>> {
    let n_rows = rows.shape()[0];
    let maps = explainer.explain(rows, targets).map_err(|source| {
        Error::model(format!("the maps of {call}"), source).about(input::EXPLAINER)
    })?;
    let shape = maps.shape();
    if shape.first() != Some(&n_rows) || shape.len() < 2 || shape.contains(&0) {
        let expected = format!("{n_rows} maps");
        return Err(
            Error::shape_described(input::EXPLANATIONS, expected, shape).owner(call.to_owned())
        );
    }
    check_finite(input::EXPLANATIONS, maps.view())
        .map_err(|error| error_of_row(error, &sample, call))?;
    if maps.is_standard_layout() {
        return Ok(maps);
    }
    Ok(ArrayD::from_shape_fn(IxDyn(maps.shape()), |i| maps[i]))
}

/// Rewrites an error about a row of a call into one about the sample that the row is derived from. The row alone
/// would not tell the caller which sample to look at.
pub(crate) fn error_of_row(error: Error, sample: &dyn Fn(usize) -> usize, call: &str) -> Error {
    let mut index = error.index().to_vec();
    let Some(row) = index.first_mut() else {
        return error.owner(call.to_owned());
    };
    *row = sample(*row);
    let owner = format!("sample {row} in {call}");
    error.at(&index).owner(owner)
}
