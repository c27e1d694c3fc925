//! Arrays of samples, of attribution maps and of the masks that maps become.

mod chosen_rows;
mod mask;
mod positions;
mod rows;

pub use chosen_rows::{ONE_BOOLEAN_PER_ROW, SAY_WHICH_ROWS, chosen_rows, is_zeros_and_ones};
pub use mask::{
    MaskScaling, MaskedInputs, SCALE_MAPS_DOWN, mask_inputs, position_attributions,
    position_magnitudes,
};
pub use positions::{Layout, MOVE_CHANNELS, Positions};
pub use rows::Rows;

use crate::error::{Error, Input, Result};

/// Checks that an array has the shape that it should have.
///
/// # Errors
/// `ShapeMismatch`.
pub fn check_shape(input: Input, expected: &[usize], actual: &[usize]) -> Result<()> {
    match actual == expected {
        true => Ok(()),
        false => Err(Error::shape(input, expected, actual)),
    }
}
