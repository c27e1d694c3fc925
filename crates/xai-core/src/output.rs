//! Predicted classes of model outputs. See [`Activation`](crate::Activation) for scores.

pub use crate::activation::{arg_max, arg_max_rows};
