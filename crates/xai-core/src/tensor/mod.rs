//! Arrays of samples and attribution maps, and masks made from maps.

mod mask;
pub(crate) mod positions;
mod rows;
mod selected_rows;

pub use mask::{
    MaskScaling, MaskedInputs, SCALE_MAPS_DOWN, mask_inputs, position_attributions,
    position_magnitudes,
};
pub use positions::{MOVE_CHANNELS, Positions};
pub use rows::Rows;
pub use selected_rows::{ONE_FLAG_PER_ROW, SPECIFY_ROWS, is_zeros_and_ones, selected_rows};

use crate::error::{Error, Input, Result};

/// Checks that an array has the expected shape.
///
/// # Errors
/// `ShapeMismatch` if it has another shape.
pub fn check_shape(input: Input, expected: &[usize], actual: &[usize]) -> Result<()> {
    if actual == expected {
        Ok(())
    } else {
        Err(Error::shape(input, expected, actual))
    }
}
