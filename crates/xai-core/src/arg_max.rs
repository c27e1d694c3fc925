//! The predicted class of an output row.

use ndarray::ArrayView2;

use crate::{Error, Name, Real, Result};

/// The index of the largest element, the lowest of several; `None` for an empty row or one that
/// holds a NaN. Infinities are ordered like any number: a log-probability may be −∞.
///
/// ```
/// use xai_core::arg_max;
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
/// [`Error::NonFinite`] for the first NaN, [`Error::Empty`] when rows have no element.
///
/// ```
/// use ndarray::array;
/// let classes = xai_core::arg_max_rows("outputs", array![[0.2f32, 0.8], [0.5, 0.5]].view())?;
/// assert_eq!(classes, vec![1, 0]);
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn arg_max_rows<T: Real>(
    what: impl Into<Name>,
    outputs: ArrayView2<'_, T>,
) -> Result<Vec<usize>> {
    let what = what.into();
    if outputs.ncols() == 0 && outputs.nrows() > 0 {
        return Err(Error::empty(format!("columns of {what}")));
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
            arg_max(row).ok_or_else(|| Error::NonFinite {
                what: what.clone(),
                index: vec![
                    sample,
                    row.iter().position(|x| x.is_nan()).unwrap_or_default(),
                ],
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let error = arg_max_rows("kept", outputs.view()).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("kept[1, {column}]: not a finite number")
            );
        }
    }

    #[test]
    fn columns_of_a_transposed_view_are_rows() {
        let outputs = array![[0.0, 5.0], [1.0, 4.0], [2.0, 3.0]];
        assert_eq!(arg_max_rows("y", outputs.t()).unwrap(), vec![2, 0]);
    }

    #[test]
    fn rows_without_columns_have_no_class() {
        let error = arg_max_rows("y", Array2::<f32>::zeros((2, 0)).view()).unwrap_err();
        assert!(matches!(error, Error::Empty { .. }));
        assert!(
            arg_max_rows("y", Array2::<f32>::zeros((0, 3)).view())
                .unwrap()
                .is_empty()
        );
    }
}
