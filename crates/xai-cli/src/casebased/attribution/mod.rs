//! `xai casebased attribution`: the metrics of training-data attribution.

pub(crate) mod compare;
mod family;
mod inputs;

pub(crate) use family::DataAttributionMetrics;
