//! What aggregate and scalar functions share: arguments and their types, constants, lists, errors.

mod argument;
mod call;
mod documentation;
mod failure;
mod lists;

pub(crate) use argument::{Argument, Kind, coerced, list, usage};
pub(crate) use call::Call;
pub use call::Stages;
pub(crate) use documentation::documentation;
pub(crate) use failure::failed;
pub(crate) use lists::{Lists, present};
