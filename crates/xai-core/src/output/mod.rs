//! What is read off the output rows of a model: activations and predicted classes.

mod activation;
mod arg_max;

pub use activation::Activation;
pub use arg_max::{arg_max, arg_max_rows};
