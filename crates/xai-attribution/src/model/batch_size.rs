//! Default number of rows per call.

/// Kind of the rows that a model is called with, which decides the [default batch size](rows_per_call).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RowKind {
    /// A row of a table: one axis of numbers.
    Table,
    /// An image, a series, token ids, or a query of a [masked model](crate::masked).
    Structured,
    /// A row of any shape, for a model on a GPU.
    Gpu,
}

impl RowKind {
    /// Kind of inputs of this shape, samples first, of a model that declares nothing else: rows with one axis are those
    /// of a table.
    #[must_use]
    pub fn from_shape(shape: &[usize]) -> Self {
        if shape.len() > 2 {
            Self::Structured
        } else {
            Self::Table
        }
    }
}

/// Default number of rows per call of the model or the explainer, at least 1:
///
/// | rows | number per call | largest size of a call |
/// |---|---|---|
/// | tables | as many as 4 MiB hold, 64 to 16,384 | 32 MiB |
/// | images, series, token ids, masked models | 64, or 32 if a row exceeds 256 KiB | 32 MiB |
/// | models on a GPU | 512 | 256 MiB |
///
/// Models of tables are fast when they get many rows at once. In contrast, the intermediate results of networks and
/// transformers are much larger than their inputs, and larger calls no longer fit into the cache.
///
/// The default depends on the shape and kind of the inputs only and is never measured, because models in single
/// precision return other last digits for other batch sizes, and results have to be the same on any machine.
///
/// ```
/// use xai_attribution::model::{RowKind, rows_per_call};
/// assert_eq!(rows_per_call(RowKind::Table, 20 * 8), 16_384); // 20 numbers in double precision
/// assert_eq!(rows_per_call(RowKind::Table, 784 * 4), 1337); // 784 numbers in single precision
/// assert_eq!(rows_per_call(RowKind::Structured, 28 * 28 * 4), 64); // digits
/// assert_eq!(rows_per_call(RowKind::Structured, 3 * 224 * 224 * 4), 32); // photographs
/// assert_eq!(rows_per_call(RowKind::Structured, 3 * 4096 * 4096 * 4), 1);
/// assert_eq!(rows_per_call(RowKind::Gpu, 3 * 224 * 224 * 4), 445);
/// ```
#[must_use]
pub fn rows_per_call(kind: RowKind, row_bytes: usize) -> usize {
    let fitting = |bytes: usize| bytes / row_bytes.max(1);
    let (rows, most_bytes) = match kind {
        RowKind::Table => (fitting(4 << 20).clamp(64, 16_384), 32 << 20),
        RowKind::Structured if row_bytes > 256 << 10 => (32, 32 << 20),
        RowKind::Structured => (64, 32 << 20),
        RowKind::Gpu => (512, 256 << 20),
    };
    rows.min(fitting(most_bytes)).max(1)
}
