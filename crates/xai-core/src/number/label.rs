//! Class labels, and checks of labels and values.

use std::hash::Hash;

use ndarray::{ArrayView, Dimension};

use crate::error::{Error, Input, Result};
use crate::number::real::Real;

mod sealed {
    pub trait Sealed {}
}

/// Class label: a primitive integer of at most 64 bits, or `bool`.
///
/// Labels are compared by value and need not be consecutive: `-1`, `7` and `1_000_000` may be the
/// three classes of a problem.
pub trait Label:
    sealed::Sealed + Copy + Eq + Ord + Hash + Send + Sync + std::fmt::Debug + 'static
{
    /// Label as `i64`; `None` for unsigned values above `i64::MAX`.
    fn to_i64(self) -> Option<i64>;
}

macro_rules! label {
    ($($t:ty),*) => {$(
        impl sealed::Sealed for $t {}
        impl Label for $t {
            #[inline]
            fn to_i64(self) -> Option<i64> {
                i64::try_from(self).ok()
            }
        }
    )*};
}
label!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl sealed::Sealed for bool {}
impl Label for bool {
    #[inline]
    fn to_i64(self) -> Option<i64> {
        Some(i64::from(self))
    }
}

/// Converts all labels to `i64`.
///
/// # Errors
/// `OutOfDomain` for the first label that does not fit.
///
/// ```
/// use xai_core::{input, number::labels_to_i64};
/// assert_eq!(labels_to_i64(input::LABELS, [0u8, 3].iter().copied())?, vec![0, 3]);
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn labels_to_i64<L: Label>(
    input: Input,
    labels: impl IntoIterator<Item = L, IntoIter: Clone>,
) -> Result<Vec<i64>> {
    // Checking first lets the second pass allocate once: collecting into a `Result` loses the length.
    let labels = labels.into_iter();
    check_labels(input, labels.clone())?;
    let value = |label: L| label.to_i64().unwrap_or_default();
    Ok(labels.map(value).collect())
}

/// Checks that every label fits an `i64`.
///
/// # Errors
/// `OutOfDomain` for the first label that does not.
///
/// ```
/// use xai_core::{input, number::check_labels};
/// let error = check_labels(input::LABELS, [1, u64::MAX]).unwrap_err();
/// assert_eq!(error.index(), [1]);
/// ```
pub fn check_labels<L: Label>(input: Input, labels: impl IntoIterator<Item = L>) -> Result<()> {
    let mut labels = labels.into_iter().enumerate();
    match labels.find(|(_, label)| label.to_i64().is_none()) {
        None => Ok(()),
        Some((index, label)) => Err(Error::out_of_domain(
            input,
            &[index],
            format!("{label:?}").parse().unwrap_or(f64::INFINITY),
            "a label of at most 2^63 - 1",
        )),
    }
}

/// Converts the label at `position` to a class index in `0..n_classes`.
///
/// # Errors
/// `LabelOutOfRange` if it is not one of the classes.
pub fn class_index<L: Label>(
    input: Input,
    position: usize,
    label: L,
    n_classes: usize,
) -> Result<usize> {
    let label = label.to_i64().unwrap_or(i64::MAX);
    usize::try_from(label)
        .ok()
        .filter(|&class| class < n_classes)
        .ok_or_else(|| Error::label_out_of_range(input, position, label, n_classes))
}

/// Checks that every element is finite, in one vectorised pass over contiguous arrays.
///
/// # Errors
/// `NonFinite` with the index of the first element that is not.
///
/// ```
/// use ndarray::array;
/// use xai_core::{input, number::check_finite};
/// let error = check_finite(input::INPUTS, array![[1.0, f64::NAN]].view()).unwrap_err();
/// assert_eq!((error.input(), error.index()), (input::INPUTS, &[0, 1][..]));
/// ```
pub fn check_finite<T: Real, D: Dimension>(input: Input, array: ArrayView<'_, T, D>) -> Result<()> {
    if let Some(slice) = array.as_slice() {
        if all_finite(slice) {
            return Ok(());
        }
    } else if array.iter().all(|x| x.is_finite()) {
        return Ok(());
    }
    // Searched again only in case of an error: the vectorised check does not know the position.
    let index = array
        .view()
        .into_dyn()
        .indexed_iter()
        .find(|(_, x)| !x.is_finite())
        .map(|(index, _)| index.as_array_view().to_vec())
        .unwrap_or_default();
    Err(Error::non_finite(input, &index))
}

/// Checks that every element of a slice is finite.
///
/// # Errors
/// `NonFinite` with the index of the first element that is not.
pub fn check_finite_slice<T: Real>(input: Input, slice: &[T]) -> Result<()> {
    check_finite(input, ndarray::aview1(slice))
}

/// Checks that every element of a slice is finite and satisfies `is_within`.
///
/// # Errors
/// `NonFinite` with the index of the first element that is not finite; if all are, `OutOfDomain` with
/// the index of the first that does not satisfy `is_within`.
pub fn check_domain<T: Real>(
    input: Input,
    slice: &[T],
    is_within: impl Fn(f64) -> bool,
    expected: &'static str,
) -> Result<()> {
    check_finite_slice(input, slice)?;
    let mut values = slice.iter().map(|x| x.to_f64_exact());
    match values.position(|x| !is_within(x)) {
        None => Ok(()),
        Some(i) => Err(Error::out_of_domain(
            input,
            &[i],
            slice[i].to_f64_exact(),
            expected,
        )),
    }
}

/// Returns `true` if every element of a slice is finite.
///
/// `x · 0` is 0 for every finite `x` and NaN otherwise, so a sum of such products detects
/// non-finite elements without branches. It is three times as fast as `iter().all(is_finite)` for a
/// million doubles. Blocks of 4096 elements end the scan early.
pub(crate) fn all_finite<T: Real>(slice: &[T]) -> bool {
    slice.chunks(4096).all(|block| {
        let mut lanes = [T::ZERO; 16];
        let mut chunks = block.chunks_exact(16);
        for chunk in &mut chunks {
            for (lane, &x) in lanes.iter_mut().zip(chunk) {
                *lane += x * T::ZERO;
            }
        }
        for (lane, &x) in lanes.iter_mut().zip(chunks.remainder()) {
            *lane += x * T::ZERO;
        }
        lanes.iter().all(|&lane| lane == T::ZERO)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::input;
    use ndarray::{Array1, Array2, Axis};

    #[test]
    fn the_error_has_the_index_of_an_invalid_label() {
        assert_eq!(class_index(input::LABELS, 0, 2u8, 3).unwrap(), 2);
        for wrong in [-1i32, 3] {
            let error = class_index(input::LABELS, 5, wrong, 3).unwrap_err();
            assert_eq!(error.index(), [5]);
            assert!(matches!(
                *error.kind(),
                ErrorKind::LabelOutOfRange { label, n_classes: 3 } if label == i64::from(wrong)
            ));
        }
    }

    #[test]
    fn a_label_above_the_signed_range_is_refused() {
        let error = labels_to_i64(input::LABELS, [1u64, u64::MAX]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfDomain { .. }));
        assert_eq!(error.index(), [1]);
    }

    #[test]
    fn the_first_non_finite_element_is_found_at_any_position() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for at in [0, 15, 16, 4095, 4096, 9999] {
                let mut values = Array1::from_elem(10_000, f64::MAX);
                values[at] = bad;
                values[9999] = bad;
                let error = check_finite(input::VALUES, values.view()).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::NonFinite));
                assert_eq!(error.index(), [at]);
            }
        }
        assert!(
            check_finite(
                input::VALUES,
                Array1::from_elem(10_000, f64::MIN_POSITIVE).view()
            )
            .is_ok()
        );
    }

    #[test]
    fn a_transposed_view_reports_its_own_index() {
        let mut values = Array2::<f32>::zeros((3, 5));
        values[[2, 1]] = f32::NAN;
        let error = check_finite(input::VALUES, values.t()).unwrap_err();
        assert_eq!(error.index(), [1, 2]);
        let rows = values.index_axis(Axis(0), 0);
        assert!(check_finite(input::VALUES, rows).is_ok());
    }
}
