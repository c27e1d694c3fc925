//! The predicted class of an output row.

use ndarray::ArrayView2;

use crate::error::{Error, Input, Result};
use crate::number::Real;

/// The index of the largest element, the lowest of several; `None` for an empty row or one that
/// holds a NaN. Infinities are ordered like any number: a log-probability may be −∞.
///
/// ```
/// use xai_core::output::arg_max;
/// assert_eq!(arg_max(&[0.1, 0.7, 0.7]), Some(1));
/// assert_eq!(arg_max(&[0.1, f64::NAN]), None);
/// ```
#[must_use]
pub fn arg_max<T: Real>(row: &[T]) -> Option<usize> {
    let mut best = 0;
    for (class, &score) in row.iter().enumerate() {
        if score.is_nan() {
            return None;
        }
        if score > row[best] {
            best = class;
        }
    }
    (!row.is_empty()).then_some(best)
}

/// The arg-max of every row of `(n_samples, n_classes)` outputs, ties to the lower class.
///
/// # Errors
/// [`ErrorKind::NonFinite`](crate::ErrorKind::NonFinite) for the first NaN, [`ErrorKind::Empty`](crate::ErrorKind::Empty) when rows have no element.
///
/// ```
/// use ndarray::array;
/// use xai_core::{input, output::arg_max_rows};
/// let classes = arg_max_rows(input::OUTPUTS, array![[0.2f32, 0.8], [0.5, 0.5]].view())?;
/// assert_eq!(classes, vec![1, 0]);
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn arg_max_rows<T: Real>(input: Input, outputs: ArrayView2<'_, T>) -> Result<Vec<usize>> {
    if outputs.ncols() == 0 && outputs.nrows() > 0 {
        return Err(Error::empty(input).part("columns"));
    }
    let mut contiguous = Vec::new();
    outputs
        .rows()
        .into_iter()
        .enumerate()
        .map(|(sample, row)| {
            let row = match row.to_slice() {
                Some(row) => row,
                None => {
                    contiguous.clear();
                    contiguous.extend(row);
                    &contiguous
                }
            };
            arg_max(row).ok_or_else(|| {
                let column = row.iter().position(|x| x.is_nan()).unwrap_or_default();
                Error::non_finite(input, &[sample, column])
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::input;
    use ndarray::{Array2, array};

    #[test]
    fn ties_go_to_the_lower_class() {
        assert_eq!(arg_max(&[1.0f32, 1.0, 1.0]), Some(0));
        assert_eq!(arg_max(&[0.0, -0.0]), Some(0));
        assert_eq!(arg_max(&[f64::NEG_INFINITY; 3]), Some(0));
        assert_eq!(arg_max(&[f64::NEG_INFINITY, -1e300]), Some(1));
        assert_eq!(arg_max::<f64>(&[]), None);
    }

    #[test]
    fn a_nan_is_named_with_its_place() {
        for column in 0..3 {
            let mut outputs = array![[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]];
            outputs[[1, column]] = f64::NAN;
            let error = arg_max_rows(input::OUTPUTS, outputs.view()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::NonFinite));
            assert_eq!(error.index(), [1, column]);
        }
    }

    #[test]
    fn columns_of_a_transposed_view_are_rows() {
        let outputs = array![[0.0, 5.0], [1.0, 4.0], [2.0, 3.0]];
        assert_eq!(
            arg_max_rows(input::OUTPUTS, outputs.t()).unwrap(),
            vec![2, 0]
        );
    }

    #[test]
    fn rows_without_columns_have_no_class() {
        let error = arg_max_rows(input::OUTPUTS, Array2::<f32>::zeros((2, 0)).view()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Empty));
        assert!(
            arg_max_rows(input::OUTPUTS, Array2::<f32>::zeros((0, 3)).view())
                .unwrap()
                .is_empty()
        );
    }
}
