//! Dataset-level metrics as states that batches fold into.

use crate::error::Result;

/// A metric over a dataset as a mergeable state: batches fold in, states add up, the value comes
/// out at the end.
///
/// The laws every implementation keeps, to the last bit:
///
/// - `finish` after updates with any split of the data equals `finish` after one update with all;
/// - `merge` is commutative and associative as far as `finish` can tell;
/// - a fresh state is neutral in `merge`.
///
/// So one state serves streaming from disk, several threads and several machines: with the `serde`
/// feature it can be stored and sent.
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
    /// One batch: a view, or a tuple of views that belong together.
    type Batch<'a>;
    /// The value.
    type Output;

    /// Folds one batch in.
    ///
    /// # Errors
    /// As documented by the metric; the state is unchanged then.
    fn update(&mut self, batch: Self::Batch<'_>) -> Result<()>;

    /// Adds another state of the same metric and parameters.
    ///
    /// # Errors
    /// `InvalidParameter` when the two were set up differently; the state is unchanged then.
    fn merge(&mut self, other: Self) -> Result<()>;

    /// The value over everything folded in so far; the state can go on.
    ///
    /// # Errors
    /// `Empty` when nothing was folded in.
    fn finish(&self) -> Result<Self::Output>;
}
