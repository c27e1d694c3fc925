//! NumPy arrays from Python, read in place.
//!
//! `xai_metrics._arrays` has converted the arguments of the user to NumPy arrays of one of these types, in the byte
//! order of the machine and aligned. Strides are arbitrary.

use ndarray::{ArrayView, ArrayView1, ArrayView2, ArrayViewD, Dimension, Ix1, Ix2};
use numpy::{Element, PyReadonlyArray, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Defines an enum of arrays, with a variant per element type. A derived `FromPyObject` would format an error message
/// for every type that does not match.
macro_rules! array_of {
    ($(#[$doc:meta])* $name:ident { $($kind:ident: $element:ty),+ $(,)? }) => {
        $(#[$doc])*
        pub(crate) enum $name<'py> {
            $($kind(numpy::PyReadonlyArrayDyn<'py, $element>),)+
        }

        impl<'py> FromPyObject<'_, 'py> for $name<'py> {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                use numpy::PyArrayMethods;
                $(if let Ok(array) = object.cast::<numpy::PyArrayDyn<$element>>() {
                    return Ok(Self::$kind(array.try_readonly()?));
                })+
                let expected = concat!("expected an array of", $(" ", stringify!($element)),+);
                Err(pyo3::exceptions::PyTypeError::new_err(expected))
            }
        }
    };
}
pub(crate) use array_of;

array_of! {
    /// Real numbers in single or double precision, any number of axes.
    Reals { Single: f32, Double: f64 }
}

/// Evaluates an expression with a view of `f32` or of `f64`: `for_precision!(reals, |view| kernel(view))`. The view has
/// any number of axes.
macro_rules! for_precision {
    ($reals:expr, |$view:ident| $body:expr) => {
        match &$reals {
            $crate::array::Reals::Single(array) => {
                let $view = array.as_array();
                $body
            }
            $crate::array::Reals::Double(array) => {
                let $view = array.as_array();
                $body
            }
        }
    };
}
pub(crate) use for_precision;

/// Evaluates an expression with views of several arrays, which are all of `f32` or all of `f64`:
/// `same_precision!((a, b), |a, b| kernel(a, b))`. The views have any number of axes. For arrays of different
/// precision, the surrounding function returns an error.
macro_rules! same_precision {
    (($($reals:expr),+), |$($view:ident),+| $body:expr) => {
        match ($(&$reals),+) {
            ($($crate::array::Reals::Single($view)),+) => {
                $(let $view = $view.as_array();)+
                $body
            }
            ($($crate::array::Reals::Double($view)),+) => {
                $(let $view = $view.as_array();)+
                $body
            }
            _ => return Err($crate::array::different_precision()),
        }
    };
}
pub(crate) use same_precision;

/// Error for arrays of different precision, which Python should have converted to one type.
pub(crate) fn different_precision() -> PyErr {
    PyTypeError::new_err("arrays of different precision")
}

impl Reals<'_> {
    /// Returns the number of elements.
    pub(crate) fn size(&self) -> usize {
        self.shape().iter().product()
    }

    /// The length of each axis.
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Self::Single(array) => array.shape_of(),
            Self::Double(array) => array.shape_of(),
        }
    }
}

trait ShapeOf {
    fn shape_of(&self) -> &[usize];
}

impl<T: Element> ShapeOf for PyReadonlyArrayDyn<'_, T> {
    fn shape_of(&self) -> &[usize] {
        use numpy::PyUntypedArrayMethods;
        self.shape()
    }
}

/// Returns a view with one axis, or an error that names the argument.
pub(crate) fn one_axis<'a, T>(name: &str, view: ArrayViewD<'a, T>) -> PyResult<ArrayView1<'a, T>> {
    axes::<T, Ix1>(name, view, "one axis")
}

/// Returns a view with rows and columns, or an error that names the argument.
pub(crate) fn two_axes<'a, T>(name: &str, view: ArrayViewD<'a, T>) -> PyResult<ArrayView2<'a, T>> {
    axes::<T, Ix2>(name, view, "two axes")
}

fn axes<'a, T, D: Dimension>(
    name: &str,
    view: ArrayViewD<'a, T>,
    expected: &str,
) -> PyResult<ArrayView<'a, T, D>> {
    let shape = view.shape().to_vec();
    let view = match view.is_empty() {
        // The strides of an empty NumPy array may point outside of it, which fails an assertion when ndarray
        // copies the array.
        true => ArrayView::from_shape(view.raw_dim(), &[]).expect("no elements"),
        false => view,
    };
    view.into_dimensionality().map_err(|_| {
        PyValueError::new_err(format!("{name}: expected {expected}, got shape {shape:?}"))
    })
}

/// The values of an array with one axis as a slice, copied only if they are not contiguous.
pub(crate) fn contiguous<'a, T: Element + Copy>(
    array: &'a PyReadonlyArray<'_, T, Ix1>,
) -> std::borrow::Cow<'a, [T]> {
    match array.as_slice() {
        Ok(values) => values.into(),
        Err(_) => array.as_array().to_vec().into(),
    }
}
