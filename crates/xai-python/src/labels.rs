//! Labels that come in: arrays of integers or booleans, as they lie in memory.

use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;
use xai_core::Label;

/// Labels of the types that are read in place; Python widens others to `i64`.
#[derive(FromPyObject)]
pub(crate) enum Labels<'py> {
    I64(PyReadonlyArrayDyn<'py, i64>),
    I32(PyReadonlyArrayDyn<'py, i32>),
    U8(PyReadonlyArrayDyn<'py, u8>),
    Bool(PyReadonlyArrayDyn<'py, bool>),
    I16(PyReadonlyArrayDyn<'py, i16>),
    I8(PyReadonlyArrayDyn<'py, i8>),
}

/// Does the same with labels of every type: `for_labels!(labels, |view| kernel(view))`. The view has
/// any number of axes.
macro_rules! for_labels {
    ($labels:expr, |$view:ident| $body:expr) => {
        $crate::labels::for_labels!(@ $labels, $view, $body, I64 I32 U8 Bool I16 I8)
    };
    (@ $labels:expr, $view:ident, $body:expr, $($kind:ident)+) => {
        match &$labels {
            $($crate::labels::Labels::$kind(array) => {
                let $view = array.as_array();
                $body
            })+
        }
    };
}
pub(crate) use for_labels;

/// A label of any of these types as `i64`, which holds them all.
pub(crate) fn widened<L: Label>(label: L) -> i64 {
    label.to_i64().unwrap_or_default()
}
