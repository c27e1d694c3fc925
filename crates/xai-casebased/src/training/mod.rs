//! Training rows: values, standardisation and metadata.

pub(crate) mod metadata;
pub(crate) mod rows;
pub(crate) mod standardization;

pub use metadata::{MetadataColumn, MetadataValue};
pub use standardization::{SPREADS, Standardization};

/// `(n, d)` values in row-major order.
pub(crate) type Matrix = xai_core::tensor::Rows<'static, f64>;
