//! Comparison of explainers by metrics, shared by several sections.

mod data;
mod findings;
mod metrics;
mod page;
mod ranking;
mod reliability;
pub(crate) mod shown;

pub use data::*;
pub(crate) use findings::{Rules, findings};
pub(crate) use page::{judged, values};
