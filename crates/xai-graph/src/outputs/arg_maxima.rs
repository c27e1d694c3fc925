//! The predicted class of output rows.

use std::ops::Range;

use ndarray::ArrayView2;
use xai_core::output::arg_max;
use xai_core::{Error, Input, Real, Result};

use crate::help;
use crate::outputs::output_rows::TWO_COLUMNS;

/// Writes the arg-max of `rows` of outputs, ties to the lower class.
pub(crate) fn write_arg_maxima<T: Real>(
    input: Input,
    outputs: ArrayView2<'_, T>,
    rows: Range<usize>,
    classes: &mut [i64],
) -> Result<()> {
    if outputs.ncols() < 2 {
        let error = Error::shape_described(input, TWO_COLUMNS, outputs.shape());
        return Err(error.with_help(help::PASS_LABELS_FOR_ONE_COLUMN));
    }
    let n_columns = outputs.ncols();
    if let Some(elements) = outputs.as_slice() {
        let elements = &elements[rows.start * n_columns..rows.end * n_columns];
        if arg_maxima(elements, n_columns, classes) {
            return Ok(());
        }
    }
    let mut contiguous = Vec::new();
    for (row_index, class) in rows.zip(classes) {
        let row = outputs.row(row_index);
        let row = match row.to_slice() {
            Some(row) => row,
            None => {
                contiguous.clear();
                contiguous.extend(row);
                &contiguous
            }
        };
        let Some(best) = arg_max(row) else {
            let column = row.iter().position(|x| x.is_nan()).unwrap_or_default();
            return Err(Error::non_finite(input, &[row_index, column]));
        };
        *class = best as i64;
    }
    Ok(())
}

/// The arg-max of every row of adjacent rows; `false` if there is a NaN.
///
/// The check runs over all elements first, where it vectorises, and the scan then neither branches
/// nor looks for NaN. Fidelity of 1 M × 10 single-precision outputs, two threads of an AMD Zen 4:
/// 7.9 ms, against 41 ms with one scan that tests each element.
fn arg_maxima<T: Real>(elements: &[T], n_columns: usize, classes: &mut [i64]) -> bool {
    if elements.iter().fold(false, |nan, x| nan | x.is_nan()) {
        return false;
    }
    macro_rules! unrolled {
        ($($n:literal)*) => {
            match n_columns {
                $($n => {
                    let (rows, _) = elements.as_chunks::<$n>();
                    for (row, class) in rows.iter().zip(classes) {
                        *class = first_largest(row);
                    }
                })*
                _ => {
                    for (row, class) in elements.chunks_exact(n_columns).zip(classes) {
                        *class = first_largest(row);
                    }
                }
            }
        };
    }
    unrolled!(2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    true
}

/// The position of the largest of at least one number, the lowest of several.
#[inline(always)]
fn first_largest<T: Real>(row: &[T]) -> i64 {
    let (mut largest, mut class) = (row[0], 0);
    for (&x, c) in row[1..].iter().zip(1..) {
        let larger = x > largest;
        largest = if larger { x } else { largest };
        class = if larger { c } else { class };
    }
    class
}
