//! What all scalar functions share: how they are declared, and how DataFusion calls them.

mod definition;

pub(crate) use definition::{Scalar, ScalarDefinition};
