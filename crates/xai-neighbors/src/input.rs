//! Names of the inputs that errors of this crate refer to.

use xai_core::Input;

pub use xai_core::input::{DISTANCE, ROWS};

/// Training rows, `(n, d)`.
pub const TRAIN: Input = Input::new("train");
/// Standardised training rows.
pub const TRAIN_SCALED: Input = Input::new("train (scaled)");
/// Divisors of a standardization, one per feature.
pub const SCALE: Input = Input::new("scale");
/// Training rows whitened for the Mahalanobis distance.
pub const TRAIN_WHITENED: Input = Input::new("train (whitened)");
/// Query rows of a search, `(m, d)`.
pub const QUERIES: Input = Input::new("queries");
/// Number of neighbours that a search returns.
pub const NEIGHBORS: Input = Input::new("neighbors");
