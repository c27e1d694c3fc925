//! Arrays of samples, of attribution maps and of the masks that maps become.

mod mask;
mod positions;
mod rows;
mod selected_rows;

pub use mask::{
    MaskScaling, MaskedInputs, SCALE_MAPS_DOWN, mask_inputs, position_attributions,
    position_magnitudes,
};
pub use positions::{Layout, MOVE_CHANNELS, Positions};
pub use rows::Rows;
pub use selected_rows::{ONE_FLAG_PER_ROW, SPECIFY_ROWS, is_zeros_and_ones, selected_rows};

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
