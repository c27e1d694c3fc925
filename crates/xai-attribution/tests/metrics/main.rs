//! Laws of the metrics, and their edges: of all of them, and by kind.

mod adcc;
mod agreement;
mod all_metrics;
mod between_samples;
mod compactness;
mod context;
mod curves;
mod drops;
mod edges;
mod examples;
mod golden;
mod laws;
mod localization;
mod neighbors;
mod orders;
mod outputs;
mod parameters;
mod plausibility;
mod robustness;
mod sanity;
mod truth;
