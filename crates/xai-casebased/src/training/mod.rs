//! Training rows: their values, how they are scaled, and what else is known of them.

pub(crate) mod metadata;
pub(crate) mod rows;
pub(crate) mod standardization;

pub use metadata::{MetadataColumn, MetadataValue};
pub use standardization::{SPREADS, Standardization};

/// `(n, d)` values, row after row.
pub(crate) type Matrix = xai_core::tensor::Rows<'static, f64>;
