//! Unfaithfulness with its choices.

use ndarray::ArrayView2;
use xai_core::describe::Parameters;
use xai_core::{Accumulator, Error, Real, Result, parallel};

use crate::outputs::row_subset::RowSubset;
use crate::unfaithfulness::accumulator::UnfaithfulnessAccumulator;
use crate::unfaithfulness::row_pairs::{BLOCK, RowPairs};
use crate::unfaithfulness::scores::{Unfaithfulness, from_divergence};
use crate::unfaithfulness::setup::Setup;

/// Graph explanation unfaithfulness (GEF) of logits.
///
/// ```text
/// GEF(y, ŷ) = 1 − exp(−KL(y‖ŷ)),  KL(y‖ŷ) = mean_i Σ_c y_ic ln(y_ic / ŷ_ic) in nats
/// ```
///
/// - `full`: `(n_samples, n_classes)` logits on the whole graph; y is their softmax
/// - `kept`: of the same shape, on the explanation alone; ŷ is their softmax
///
/// In [0, 1], lower is better: 0 = the same answer; 1 = an answer that the explanation rules out.
/// The mean is taken before the exponential. [`UnfaithfulnessMetric`] takes probabilities, log-probabilities,
/// independent columns, the other direction and a subset of the rows.
///
/// Works in logarithms, so logits of ±1000 do no harm.
///
/// # Errors
/// `ShapeMismatch`, `Empty`, and `NonFinite` naming `full` or `kept`.
///
/// ```
/// use ndarray::array;
/// let full = array![[3f64.ln(), 0.0]]; // probabilities ¾, ¼
/// let kept = array![[0.0, 0.0]]; // ½, ½
/// let gef = xai_graph::unfaithfulness(full.view(), kept.view())?.value;
/// let kl = 0.75 * 1.5f64.ln() + 0.25 * 0.5f64.ln();
/// assert!((gef - (1.0 - (-kl).exp())).abs() < 1e-15);
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Agarwal et al., *Evaluating explainability for graph neural networks* (`GraphXAI`), arXiv
/// 2208.09339, which defines it by `KL(y‖ŷ)`. `GraphXAI`'s own code and `unfaithfulness` of `PyTorch`
/// Geometric compute `KL(ŷ‖y)`: [`KlDirection::Reverse`] gives their number. The latter returns NaN for
/// logits of ±1000.
pub fn unfaithfulness<T: Real>(
    full: ArrayView2<'_, T>,
    kept: ArrayView2<'_, T>,
) -> Result<Unfaithfulness> {
    UnfaithfulnessMetric::new().evaluate(full, kept)
}

/// Unfaithfulness with its choices.
///
/// ```
/// use ndarray::array;
/// use xai_graph::{KlDirection, ReturnType, UnfaithfulnessMetric};
/// let (full, kept) = (array![[0.75, 0.25]], array![[0.5, 0.5]]);
/// let gef = UnfaithfulnessMetric::new()
///     .return_type(ReturnType::Probs)
///     .kl_direction(KlDirection::Reverse)
///     .evaluate(full.view(), kept.view())?;
/// let kl = 0.5 * (2.0f64 / 3.0).ln() + 0.5 * 2f64.ln();
/// assert!((gef.divergence - kl).abs() < 1e-15);
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct UnfaithfulnessMetric<'a> {
    #[param(flatten)]
    pub(crate) setup: Setup,
    #[param(skip)]
    rows: RowSubset<'a>,
}

impl<'a> UnfaithfulnessMetric<'a> {
    /// Logits of one class of several, `KL(y‖ŷ)`, all rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Only these rows, by their position; one named twice counts twice.
    #[must_use]
    pub fn index(mut self, index: &'a [usize]) -> Self {
        self.rows = RowSubset::new(index);
        self
    }

    /// The unfaithfulness over all rows.
    ///
    /// # Errors
    /// `ShapeMismatch`, `Empty`; `NonFinite` and `OutOfDomain`
    /// for rows that do not hold what [`return_type`](Self::return_type) says, naming `full` or `kept`.
    pub fn evaluate<T: Real>(
        &self,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
    ) -> Result<Unfaithfulness> {
        let mut state = self.accumulator();
        state.update_rows(&RowPairs::new(full, kept, self.rows, self.setup)?)?;
        state.finish()
    }

    /// The unfaithfulness `1 − exp(−KL_i)` of every row by itself.
    ///
    /// Their mean is not the value over all rows, whose mean is taken before the exponential.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    ///
    /// ```
    /// use ndarray::array;
    /// let full = array![[0.0, 0.0], [1000.0, -1000.0]];
    /// let kept = array![[0.0, 0.0], [-1000.0, 1000.0]];
    /// let rows = xai_graph::UnfaithfulnessMetric::new().per_row(full.view(), kept.view())?;
    /// assert_eq!(rows, vec![0.0, 1.0]);
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    pub fn per_row<T: Real>(
        &self,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
    ) -> Result<Vec<f64>> {
        let mut divergences = self.divergence_per_row(full, kept)?;
        for value in &mut divergences {
            *value = from_divergence(*value);
        }
        Ok(divergences)
    }

    /// The divergence `KL_i` of every row in nats, whose mean the value is made of: for programs that
    /// group rows by themselves, with [`Unfaithfulness::new`].
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::{Unfaithfulness, UnfaithfulnessMetric};
    /// let (full, kept) = (array![[0.0, 1.0], [2.0, 0.0]], array![[0.5, 1.0], [1.0, 0.0]]);
    /// let metric = UnfaithfulnessMetric::new();
    /// let rows = metric.divergence_per_row(full.view(), kept.view())?;
    /// let of_rows = Unfaithfulness::new((rows[0] + rows[1]) / 2.0, 2);
    /// assert_eq!(of_rows, metric.evaluate(full.view(), kept.view())?);
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    pub fn divergence_per_row<T: Real>(
        &self,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
    ) -> Result<Vec<f64>> {
        let rows = RowPairs::new(full, kept, self.rows, self.setup)?;
        let blocks = parallel::try_map(rows.n_blocks(), |block| {
            let mut values = Vec::with_capacity(BLOCK);
            rows.divergences(block, |kl| values.push(kl))?;
            Ok::<_, Error>(values)
        })?;
        Ok(blocks.concat())
    }

    /// A state of no rows with these choices; the subset of rows is not part of it.
    #[must_use]
    pub fn accumulator<T>(&self) -> UnfaithfulnessAccumulator<T> {
        UnfaithfulnessAccumulator::new(self.setup)
    }
}
