//! Arrays of any element type as inputs.

use std::borrow::Cow;
use std::fmt;

use ndarray::{Array, ArrayD, ArrayView, CowArray, Dimension, IxDyn};
use xai_core::Label;
use xai_core::describe::Element;

use crate::data_attribution::rows::AttributionRows;
use crate::data_attribution::subsets::Subsets;

/// The array of an input, borrowed or owned.
#[non_exhaustive]
pub enum InputArray<'a> {
    /// Attributions, which are read block by block.
    Rows(Box<dyn AttributionRows + 'a>),
    /// Numbers.
    Numbers(CowArray<'a, f64, IxDyn>),
    /// Integers.
    Integers(CowArray<'a, i64, IxDyn>),
    /// Truth values.
    Booleans(CowArray<'a, bool, IxDyn>),
    /// Subsets of the training rows.
    Subsets(Cow<'a, Subsets>),
}

impl fmt::Debug for InputArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

/// Types that can be an input: slices, vectors and arrays of numbers, integers or truth values, and [`Subsets`].
pub trait IntoInput<'a> {
    /// Converts the array to the variant of its element type.
    ///
    /// # Errors
    /// [`TooLarge`] with the first integer above `i64::MAX`.
    fn into_input(self) -> Result<InputArray<'a>, TooLarge>;
}

/// An integer above `i64::MAX`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TooLarge {
    /// Position among all elements in row-major order.
    pub index: usize,
    /// Value, rounded to `f64`.
    pub value: f64,
}

/// Element type of an input.
pub trait InputElement: Copy + 'static {
    /// Converts an array to the variant of this element type.
    #[doc(hidden)]
    fn wrap<'a>(array: CowArray<'a, Self, IxDyn>) -> Result<InputArray<'a>, TooLarge>;
}

impl InputElement for f64 {
    fn wrap<'a>(array: CowArray<'a, Self, IxDyn>) -> Result<InputArray<'a>, TooLarge> {
        Ok(InputArray::Numbers(array))
    }
}

impl InputElement for bool {
    fn wrap<'a>(array: CowArray<'a, Self, IxDyn>) -> Result<InputArray<'a>, TooLarge> {
        Ok(InputArray::Booleans(array))
    }
}

impl InputElement for i64 {
    fn wrap<'a>(array: CowArray<'a, Self, IxDyn>) -> Result<InputArray<'a>, TooLarge> {
        Ok(InputArray::Integers(array))
    }
}

macro_rules! integers {
    ($($integer:ty),+) => {$(
        impl InputElement for $integer {
            fn wrap<'a>(array: CowArray<'a, Self, IxDyn>) -> Result<InputArray<'a>, TooLarge> {
                let too_large = array.iter().position(|integer| integer.to_i64().is_none());
                match too_large {
                    Some(index) => Err(TooLarge {
                        index,
                        value: array.iter().nth(index).map_or(f64::INFINITY, |&integer| integer as f64),
                    }),
                    None => {
                        let integers = array.mapv(|integer| integer.to_i64().unwrap_or_default());
                        Ok(InputArray::Integers(integers.into()))
                    }
                }
            }
        }
    )+};
}
integers!(i8, i16, i32, isize, u8, u16, u32, u64, usize);

impl<'a, T: InputElement> IntoInput<'a> for &'a [T] {
    fn into_input(self) -> Result<InputArray<'a>, TooLarge> {
        T::wrap(ArrayView::from(self).into_dyn().into())
    }
}

impl<'a, T: InputElement, const N: usize> IntoInput<'a> for &'a [T; N] {
    fn into_input(self) -> Result<InputArray<'a>, TooLarge> {
        self.as_slice().into_input()
    }
}

impl<'a, T: InputElement> IntoInput<'a> for &'a Vec<T> {
    fn into_input(self) -> Result<InputArray<'a>, TooLarge> {
        self.as_slice().into_input()
    }
}

impl<'a, T: InputElement> IntoInput<'a> for Vec<T> {
    fn into_input(self) -> Result<InputArray<'a>, TooLarge> {
        T::wrap(Array::from(self).into_dyn().into())
    }
}

impl<'a, T: InputElement, D: Dimension> IntoInput<'a> for ArrayView<'a, T, D> {
    fn into_input(self) -> Result<InputArray<'a>, TooLarge> {
        T::wrap(self.into_dyn().into())
    }
}

impl<'a, T: InputElement, D: Dimension> IntoInput<'a> for Array<T, D> {
    fn into_input(self) -> Result<InputArray<'a>, TooLarge> {
        T::wrap(self.into_dyn().into())
    }
}

impl<'a> IntoInput<'a> for &'a Subsets {
    fn into_input(self) -> Result<InputArray<'a>, TooLarge> {
        Ok(InputArray::Subsets(Cow::Borrowed(self)))
    }
}

impl<'a> IntoInput<'a> for Subsets {
    fn into_input(self) -> Result<InputArray<'a>, TooLarge> {
        Ok(InputArray::Subsets(Cow::Owned(self)))
    }
}

impl<'a> IntoInput<'a> for InputArray<'a> {
    fn into_input(self) -> Result<InputArray<'a>, TooLarge> {
        Ok(self)
    }
}

impl InputArray<'_> {
    /// Converts the array to the element type of an input if that loses no information: integers 0 and 1 to truth
    /// values, truth values to classes, and a mask to subsets. Other arrays are not converted. Lists become contiguous.
    pub(super) fn with_element(self, element: Element) -> Self {
        let converted = match (self, element) {
            // Masks from files and Python often are integers. Numbers are never rounded to integers.
            (Self::Integers(array), Element::Boolean)
                if array.iter().all(|v| matches!(v, 0 | 1)) =>
            {
                Self::Booleans(array.mapv(|v| v == 1).into())
            }
            (Self::Booleans(array), Element::Class) => Self::Integers(array.mapv(i64::from).into()),
            (Self::Booleans(array), Element::Subset) if array.ndim() == 2 => {
                let mask = array.view().into_dimensionality().expect("two axes");
                Self::Subsets(Cow::Owned(Subsets::from_mask(mask)))
            }
            (array, _) => array,
        };
        match converted {
            Self::Numbers(array) => Self::Numbers(contiguous(array)),
            Self::Integers(array) => Self::Integers(contiguous(array)),
            Self::Booleans(array) => Self::Booleans(contiguous(array)),
            array => array,
        }
    }

    /// Name of the element type in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Rows(_) | Self::Numbers(_) => "numbers",
            Self::Integers(_) => "integers",
            Self::Booleans(_) => "booleans",
            Self::Subsets(_) => "subsets",
        }
    }
}

/// Makes a list contiguous, because lists are read as slices. Arrays with more axes are returned as they are.
fn contiguous<T: Copy>(array: CowArray<'_, T, IxDyn>) -> CowArray<'_, T, IxDyn> {
    if array.ndim() == 1 && !array.is_standard_layout() {
        ArrayD::from_shape_vec(array.raw_dim(), array.iter().copied().collect())
            .expect("one value each")
            .into()
    } else {
        array
    }
}
