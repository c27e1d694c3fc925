//! What all aggregate functions share: how they are declared, and how DataFusion calls them.

mod argument;
mod call;
mod compact_means;
mod definition;
mod failure;
mod flat_states;
mod grouped;
mod groups;
mod lists;
mod one_group;
mod stored_states;

pub(crate) use argument::{Argument, Kind, coerced, list};
pub(crate) use call::Call;
pub(crate) use compact_means::{CompactMeans, mean_state, read, stored};
pub(crate) use definition::{Aggregate, Definition};
pub(crate) use failure::failed;
pub(crate) use flat_states::{FlatMetric, FlatStates, counts_state};
pub(crate) use groups::{Groups, Rows, take_first};
pub(crate) use lists::{Lists, present};
pub(crate) use stored_states::{Metric, StoredStates, bytes_state};
