//! Mergeable states for metrics over a dataset.

use crate::error::Result;

/// Mergeable state of a metric over a dataset: it is updated with batches, merged with other
/// states, and computes the value.
///
/// All implementations satisfy these laws, to the last bit:
///
/// - `finish` after updates with any split of the data equals `finish` after one update with all
///   data;
/// - `merge` is commutative and associative with respect to `finish`;
/// - merging a new state changes nothing.
///
/// So the same state serves streaming from disk, several threads and several machines. With the
/// `serde` feature it can be stored and sent.
///
/// ```
/// use xai_core::{Accumulator, ExactMean};
/// let (mut left, mut right) = (ExactMean::default(), ExactMean::default());
/// left.update(&[1e16, 1.0])?;
/// right.update(&[-1e16])?;
/// left.merge(right)?;
/// assert_eq!(left.finish()?, 1.0 / 3.0);
/// # Ok::<(), xai_core::Error>(())
/// ```
pub trait Accumulator: Sized {
    /// One batch: a view, or a tuple of views of the same samples.
    type Batch<'a>;
    /// Value of the metric.
    type Output;

    /// Adds one batch.
    ///
    /// # Errors
    /// As documented by the metric. The state is unchanged in case of an error.
    fn update(&mut self, batch: Self::Batch<'_>) -> Result<()>;

    /// Adds another state of the same metric with the same parameters.
    ///
    /// # Errors
    /// `InvalidParameter` if the states have different parameters. The state is unchanged in this
    /// case.
    fn merge(&mut self, other: Self) -> Result<()>;

    /// Value over all batches added so far. The state can be updated further.
    ///
    /// # Errors
    /// `Empty` if no data was added.
    fn finish(&self) -> Result<Self::Output>;
}
