//! Arrays of any kind that an input may be.

use std::borrow::Cow;
use std::fmt;

use ndarray::{Array, ArrayD, ArrayView, CowArray, Dimension, IxDyn};
use xai_core::Label;
use xai_core::describe::Element;

use crate::data_attribution::rows::AttributionRows;
use crate::data_attribution::subsets::Subsets;

/// The array of an input, borrowed or owned.
pub enum InputArray<'a> {
    /// Attributions that may be read block by block.
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

/// An array that can be an input: a slice, a vector or an array of numbers, integers or truth values, or [`Subsets`].
pub trait IntoInput<'a> {
    /// The array with its kind of elements.
    ///
    /// # Errors
    /// The first integer above `i64::MAX`.
    fn into_input(self) -> Result<InputArray<'a>, TooLarge>;
}

/// An integer above `i64::MAX`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TooLarge {
    /// Its position, counted over all elements.
    pub index: usize,
    /// Its value, rounded.
    pub value: f64,
}

/// An element of an input.
pub trait InputElement: Copy + 'static {
    /// The array with elements of one of the kinds.
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
                        let array = array.mapv(|integer| integer.to_i64().unwrap_or_default());
                        Ok(InputArray::Integers(array.into()))
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
    /// The array with elements of the kind that an input has, where that loses nothing: 0 and 1 are truth values, truth
    /// values are classes, and a mask is subsets. Lists are contiguous afterwards.
    pub(super) fn with_element(self, element: Element) -> Self {
        let array = match (self, element) {
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
        match array {
            Self::Numbers(array) => Self::Numbers(contiguous(array)),
            Self::Integers(array) => Self::Integers(contiguous(array)),
            Self::Booleans(array) => Self::Booleans(contiguous(array)),
            array => array,
        }
    }

    /// The kind of its elements in a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Rows(_) | Self::Numbers(_) => "numbers",
            Self::Integers(_) => "integers",
            Self::Booleans(_) => "booleans",
            Self::Subsets(_) => "subsets",
        }
    }
}

/// A list in one piece, for it is read as a slice; arrays of more axes stay as they are.
fn contiguous<T: Copy>(array: CowArray<'_, T, IxDyn>) -> CowArray<'_, T, IxDyn> {
    if array.ndim() == 1 && !array.is_standard_layout() {
        ArrayD::from_shape_vec(array.raw_dim(), array.iter().copied().collect())
            .expect("one value each")
            .into()
    } else {
        array
    }
}
