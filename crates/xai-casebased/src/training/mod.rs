//! Training rows: values, standardisation and metadata.

pub(crate) mod metadata;

pub use metadata::{MetadataColumn, MetadataValue};
pub use xai_neighbors::{SPREADS, Standardization};

/// `(n, d)` values in row-major order.
pub(crate) type Matrix = xai_core::tensor::Rows<'static, f64>;
