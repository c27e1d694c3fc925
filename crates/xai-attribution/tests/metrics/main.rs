//! Laws of the metrics, and their edges: of all of them, and by kind.

mod adcc;
mod all_metrics;
mod curves;
mod drops;
mod localization;
mod neighbors;
mod robustness;
mod sanity;
