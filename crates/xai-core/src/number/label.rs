//! Class labels: any primitive integer.

use std::hash::Hash;

use crate::error::{Error, Input, Result};

mod sealed {
    pub trait Sealed {}
}

/// A class label: any primitive integer of at most 64 bits, or `bool`.
///
/// Labels are compared by value and need not be dense: `-1`, `7` and `1_000_000` may be the three
/// classes of a problem.
pub trait Label:
    sealed::Sealed + Copy + Eq + Ord + Hash + Send + Sync + std::fmt::Debug + 'static
{
    /// The label as `i64`; `None` for unsigned values above `i64::MAX`.
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

/// All labels as `i64`.
///
/// # Errors
/// [`ErrorKind::OutOfDomain`](crate::ErrorKind::OutOfDomain) for the first that does not fit.
///
/// ```
/// use xai_core::{input, number::labels_to_i64};
/// assert_eq!(labels_to_i64(input::LABELS, [0u8, 3].iter().copied())?, vec![0, 3]);
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn labels_to_i64<L: Label>(
    input: Input,
    labels: impl IntoIterator<Item = L>,
) -> Result<Vec<i64>> {
    labels
        .into_iter()
        .enumerate()
        .map(|(index, label)| {
            label.to_i64().ok_or_else(|| {
                Error::out_of_domain(
                    input,
                    &[index],
                    format!("{label:?}").parse().unwrap_or(f64::INFINITY),
                    "a label of at most 2^63 - 1",
                )
            })
        })
        .collect()
}

/// The class that the label at a position names among `0..n_classes`.
///
/// # Errors
/// [`ErrorKind::LabelOutOfRange`](crate::ErrorKind::LabelOutOfRange) when it names none of them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::input;

    #[test]
    fn a_label_outside_the_classes_is_named_with_its_place() {
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
}
