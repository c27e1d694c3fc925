//! Metrics over pairs of repeated runs, shared by several sections.

mod data;
mod findings;
mod page;

pub use data::*;
pub(crate) use findings::{beyond_chance, undefined};
pub(crate) use page::metrics;
