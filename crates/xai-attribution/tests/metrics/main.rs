//! Laws of the metrics, and their edges: of all of them, and by kind.

mod all_metrics;
mod between_samples;
mod curves;
mod localization;
mod robustness;
