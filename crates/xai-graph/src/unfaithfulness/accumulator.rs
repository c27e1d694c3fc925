//! Unfaithfulness as a state that batches fold into.

use std::marker::PhantomData;

use ndarray::ArrayView2;
use xai_core::{Accumulator, Error, ExactMean, Real, Result, parallel};

use crate::input;
use crate::outputs::row_subset::RowSubset;
use crate::unfaithfulness::row_pairs::RowPairs;
use crate::unfaithfulness::scores::Unfaithfulness;
use crate::unfaithfulness::setup::Setup;

/// [`Unfaithfulness`] as a state: every row counts the same, whatever batch it came in.
///
/// A batch is `(full, kept)`, both `(n_samples, n_classes)`.
///
/// ```
/// use ndarray::array;
/// use xai_graph::{Accumulator, UnfaithfulnessMetric};
/// let (full, kept) = (array![[0.0f32, 1.0], [2.0, 0.0]], array![[0.5f32, 1.0], [1.0, 0.0]]);
/// let mut state = UnfaithfulnessMetric::new().accumulator();
/// for row in 0..2 {
///     let rows = ndarray::s![row..row + 1, ..];
///     state.update((full.slice(rows), kept.slice(rows)))?;
/// }
/// assert_eq!(state.finish()?, UnfaithfulnessMetric::new().evaluate(full.view(), kept.view())?);
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = ""))]
pub struct UnfaithfulnessAccumulator<T> {
    setup: Setup,
    mean: ExactMean,
    element: PhantomData<T>,
}

impl<T: Real> UnfaithfulnessAccumulator<T> {
    /// Folds in the visited rows; the state is unchanged where one of them is bad.
    pub(crate) fn update_rows(&mut self, rows: &RowPairs<'_, T>) -> Result<()> {
        let blocks = parallel::try_map(rows.n_blocks(), |block| {
            let mut mean = ExactMean::new();
            rows.divergences(block, |kl| mean.add(kl))?;
            Ok::<_, Error>(mean)
        })?;
        for block in &blocks {
            self.mean.add_mean(block);
        }
        Ok(())
    }
}

impl<T> UnfaithfulnessAccumulator<T> {
    /// A state of no rows.
    pub(crate) fn new(setup: Setup) -> Self {
        Self {
            setup,
            mean: ExactMean::new(),
            element: PhantomData,
        }
    }
}

impl<T: Real> Accumulator for UnfaithfulnessAccumulator<T> {
    type Batch<'a> = (ArrayView2<'a, T>, ArrayView2<'a, T>);
    type Output = Unfaithfulness;

    fn update(&mut self, (full, kept): Self::Batch<'_>) -> Result<()> {
        self.update_rows(&RowPairs::new(
            full,
            kept,
            RowSubset::default(),
            self.setup,
        )?)
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if self.setup != other.setup {
            return Err(Error::parameter(
                input::MERGED_STATE,
                format!("{:?}", other.setup),
                format!("the same choices, {:?}", self.setup),
            ));
        }
        self.mean.merge(other.mean)
    }

    fn finish(&self) -> Result<Unfaithfulness> {
        let divergence = self.mean.value();
        let divergence = divergence.ok_or_else(|| Error::empty(input::SAMPLES))?;
        Ok(Unfaithfulness::new(divergence, self.mean.count()))
    }
}
