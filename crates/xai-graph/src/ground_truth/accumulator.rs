//! Accumulator of ground-truth scores over masks.

use std::borrow::Cow;
use std::marker::PhantomData;

use ndarray::ArrayView1;
use xai_core::tensor::check_shape;
use xai_core::{Accumulator, Error, Real, Result, parallel};

use crate::ground_truth::confusion::Confusion;
use crate::ground_truth::curves::{GroundTruthCurves, thresholds};
use crate::ground_truth::metric::{GroundTruthMetric, Selection, is_true};
use crate::ground_truth::ranking::{BLOCK, Ranking};
use crate::ground_truth::scores::GroundTruth;
use crate::input;
use crate::mask::top_k::{largest, n_tied_at_cut};

/// Accumulator of [`GroundTruth`] over the elements of many masks together (micro average).
///
/// A batch is `(predicted, target)`: one mask with scores of type `T`, and its truth of type `U`. Selection by rank
/// applies within a mask. The state stores 4 bytes per element of a single-precision mask and 8 per element of a
/// double-precision one, because ranks among all elements need every score.
///
/// ```
/// use ndarray::array;
/// use xai_graph::{Accumulator, GroundTruthMetric};
/// let mut state = GroundTruthMetric::new().accumulator()?;
/// state.update((array![0.9, 0.4].view(), array![1.0, 1.0].view()))?;
/// state.update((array![0.6, 0.1].view(), array![0.0, 0.0].view()))?;
/// assert_eq!(state.finish()?.auroc, Some(0.75));
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "T::Key: serde::Serialize",
        deserialize = "T::Key: serde::Deserialize<'de>"
    ))
)]
pub struct GroundTruthAccumulator<T: Real, U = T> {
    metric: GroundTruthMetric,
    confusion: Confusion,
    ranking: Ranking<T::Key>,
    /// Number of elements that tie at the cut of their mask, for selection by rank.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    n_tied: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    target: PhantomData<U>,
}

impl<T: Real, U: Real> GroundTruthAccumulator<T, U> {
    /// Creates an empty state with checked parameters.
    pub(crate) fn new(metric: GroundTruthMetric) -> Self {
        Self {
            metric,
            confusion: Confusion::default(),
            ranking: Ranking::default(),
            n_tied: 0,
            target: PhantomData,
        }
    }

    /// Like [`finish`](Accumulator::finish), without copying the scores.
    ///
    /// # Errors
    /// `Empty` without elements.
    pub fn finish_into(self) -> Result<GroundTruth> {
        let undefined = self.metric.zero_division.value();
        let is_by_rank = self.metric.selection != Selection::Threshold;
        let n_tied = is_by_rank.then_some(self.n_tied);
        GroundTruth::new(self.confusion, self.ranking.evaluate(), undefined, n_tied)
            .ok_or_else(|| Error::empty(input::ELEMENTS))
    }

    /// Curves of the scores of all masks together.
    ///
    /// # Errors
    /// `Empty` without elements.
    pub fn curves(self) -> Result<GroundTruthCurves> {
        match self.confusion.total() {
            0 => Err(Error::empty(input::ELEMENTS)),
            _ => Ok(GroundTruthCurves::new(&thresholds::<T>(self.ranking))),
        }
    }
}

impl<T: Real, U: Real> Accumulator for GroundTruthAccumulator<T, U> {
    type Batch<'a> = (ArrayView1<'a, T>, ArrayView1<'a, U>);
    type Output = GroundTruth;

    fn update(&mut self, (predicted, target): Self::Batch<'_>) -> Result<()> {
        let n = predicted.len();
        check_shape(input::TARGET, &[n], target.shape())?;
        if n == 0 {
            return Err(Error::empty(input::ELEMENTS));
        }
        let (predicted, target) = (contiguous(predicted), contiguous(target));
        let (predicted, target): (&[T], &[U]) = (&predicted, &target);
        let threshold = T::from_f64_nearest(self.metric.threshold);
        let truth = |i: usize| is_true(target[i], threshold);
        // The same blocks as in `Ranking::extend`, which needs the number of true elements of each.
        let counts = parallel::map_blocks(n, BLOCK, |range| {
            self.metric
                .count(&predicted[range.clone()], &target[range], threshold)
        });
        // Nothing has been added to the state yet, so an error leaves it as it was.
        let blocks = counts
            .into_iter()
            .collect::<Option<Vec<Confusion>>>()
            .ok_or_else(|| self.metric.first_error(predicted, target))?;
        let n_true: Vec<usize> = blocks.iter().map(Confusion::n_true).collect();
        let confusion = match self.metric.n_selected(n, n_true.iter().sum())? {
            None => Confusion::sum(&blocks),
            Some(k) => {
                // Counts by threshold give the truth and the validity of every element, but not which of them are
                // selected.
                self.n_tied += n_tied_at_cut(predicted, k) as u64;
                Confusion::from_selected(&largest(predicted, k), n, truth)
            }
        };
        self.ranking.extend(predicted, truth, &n_true);
        self.confusion.merge(confusion);
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if self.metric != other.metric {
            return Err(Error::parameter(
                input::MERGED_STATE,
                format!("{:?}", other.metric),
                format!("the same choices, {:?}", self.metric),
            ));
        }
        self.n_tied += other.n_tied;
        self.confusion.merge(other.confusion);
        self.ranking.merge(other.ranking);
        Ok(())
    }

    fn finish(&self) -> Result<GroundTruth> {
        self.clone().finish_into()
    }
}

/// Borrows the elements, or copies them if they are not contiguous.
fn contiguous<T: Real>(mask: ArrayView1<'_, T>) -> Cow<'_, [T]> {
    match mask.to_slice() {
        Some(slice) => Cow::Borrowed(slice),
        None => Cow::Owned(mask.to_vec()),
    }
}
