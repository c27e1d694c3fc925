//! The arguments that errors of these functions are about.

pub use xai_attribution::input::{BASE, SCORES};
use xai_core::Input;
pub use xai_core::input::{LABELS, VALUES};
pub use xai_graph::input::{FULL, TARGET};

/// Predictions or outputs on a part of a graph.
pub const PERTURBED: Input = Input::new("perturbed");
/// Scores of elements.
pub const PRED: Input = Input::new("pred");
/// Rows of features.
pub const FEATURES: Input = Input::new("features");
