//! Arrays of samples, of attribution maps and of the masks that maps become.

mod mask;
mod positions;
mod rows;

pub use mask::{SCALE_MAPS_DOWN, mask_inputs, position_attributions, position_magnitudes};
pub use positions::{Layout, Positions};
pub use rows::Rows;
