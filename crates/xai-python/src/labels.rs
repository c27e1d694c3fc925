//! Labels passed from Python: arrays of integers or booleans, which are read without a copy.

use pyo3::prelude::*;
use xai_core::Label;

use crate::array::array_of;

array_of! {
    /// Labels of the types that are read without a copy; the Python side converts other types to `i64`.
    Labels { I64: i64, I32: i32, U8: u8, Bool: bool, I16: i16, I8: i8 }
}

/// Evaluates an expression with a view of labels, whatever their type: `for_labels!(labels, |view| kernel(view))`. The
/// view has any number of axes.
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
