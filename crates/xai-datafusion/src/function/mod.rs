//! Shared parts of aggregate and scalar functions: arguments and their types, constants, lists, errors.

mod argument;
mod call;

pub(crate) use argument::{Argument, Kind, Lists, coerced, list, present};
pub use call::Stages;
pub(crate) use call::{Call, documentation, failed, known_by_name};
