//! Shared parts of aggregate functions: their declaration and DataFusion's interface.

mod compact_means;
mod definition;
mod flat_states;
mod groups;
mod stored_states;

pub(crate) use compact_means::{Mean, MeanMetric, MeanStates, mean_state, read, stored};
pub(crate) use definition::{Aggregate, Definition};
pub(crate) use flat_states::{FlatMetric, FlatStates, counts_state};
pub(crate) use groups::{Groups, Rows, take_first};
pub(crate) use stored_states::{Metric, StoredStates, bytes_state};
