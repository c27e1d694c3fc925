//! Views of inputs and maps, in the precision of a run.

use ndarray::{ArrayD, ArrayViewD, CowArray, IxDyn};
use numpy::{Element, IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use xai_attribution::Real;
use xai_attribution::metric::Precision;
use xai_attribution::model::{Converted, Samples, Targets};

use crate::array::Reals;

/// An array of samples in single or double precision.
pub(super) enum View<'a> {
    Single(ArrayViewD<'a, f32>),
    Double(ArrayViewD<'a, f64>),
}

impl<'a> View<'a> {
    pub(super) fn new(reals: &'a Reals<'_>) -> Self {
        match reals {
            Reals::Single(array) => Self::Single(array.as_array()),
            Reals::Double(array) => Self::Double(array.as_array()),
        }
    }

    pub(super) fn is_single(&self) -> bool {
        matches!(self, Self::Single(_))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Single(view) => view.len(),
            Self::Double(view) => view.len(),
        }
    }

    /// The array in double precision, copied only if it has single precision.
    pub(super) fn double(&self) -> CowArray<'_, f64, IxDyn> {
        match self {
            Self::Single(view) => view.mapv(f64::from).into(),
            Self::Double(view) => view.view().into(),
        }
    }

    /// The samples of a run in its precision, converted batch by batch only if they have another one.
    pub(super) fn samples<T: Native>(&self) -> Box<dyn Samples<T> + '_> {
        T::samples(self)
    }
}

/// A batch that Python owns: a model may keep it.
#[derive(Clone)]
pub(super) enum Batch {
    Single(ArrayD<f32>),
    Double(ArrayD<f64>),
}

impl Batch {
    pub(super) fn into_python(self, py: Python<'_>) -> Bound<'_, PyAny> {
        match self {
            Self::Single(batch) => batch.into_pyarray(py).into_any(),
            Self::Double(batch) => batch.into_pyarray(py).into_any(),
        }
    }
}

/// Classes `(n,)`, or rows of weights `(n, n_outputs)`.
#[derive(FromPyObject)]
pub(super) enum GivenTargets<'py> {
    Classes(PyReadonlyArray1<'py, i64>),
    Rows(PyReadonlyArray2<'py, f64>),
}

impl GivenTargets<'_> {
    pub(super) fn targets(&self) -> Targets {
        match self {
            Self::Classes(classes) => Targets::Classes(classes.as_array().to_vec()),
            Self::Rows(rows) => Targets::Rows(rows.as_array().to_owned()),
        }
    }
}

/// The precisions of a run.
pub(super) trait Native: Precision + Element {
    /// A copy of a batch, in the precision of the user's inputs.
    fn batch(view: ArrayViewD<'_, Self>, single: bool) -> Batch;

    /// Samples in this precision.
    fn samples<'v>(view: &'v View<'_>) -> Box<dyn Samples<Self> + 'v>;
}

impl Native for f32 {
    fn batch(view: ArrayViewD<'_, Self>, _single: bool) -> Batch {
        Batch::Single(view.to_owned())
    }

    fn samples<'v>(view: &'v View<'_>) -> Box<dyn Samples<Self> + 'v> {
        match view {
            View::Single(view) => Box::new(view.view()),
            View::Double(view) => Box::new(Converted::new(view.view())),
        }
    }
}

impl Native for f64 {
    fn batch(view: ArrayViewD<'_, Self>, single: bool) -> Batch {
        if single {
            Batch::Single(view.mapv(Real::from_f64_nearest))
        } else {
            Batch::Double(view.to_owned())
        }
    }

    fn samples<'v>(view: &'v View<'_>) -> Box<dyn Samples<Self> + 'v> {
        match view {
            View::Single(view) => Box::new(Converted::new(view.view())),
            View::Double(view) => Box::new(view.view()),
        }
    }
}
