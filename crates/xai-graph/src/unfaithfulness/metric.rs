//! Unfaithfulness with its options, its result and its state.

use std::fmt;
use std::marker::PhantomData;

use ndarray::{ArrayView1, ArrayView2};
use xai_core::describe::{Parameter, Parameters, Score, Scores, metric};
use xai_core::tensor::check_shape;
use xai_core::{Accumulator, Error, ExactMean, Help, Real, Result, parallel};

use crate::outputs::output_rows::{
    OutputDistribution, ReturnType, RowSubset, TWO_COLUMNS, check_row,
};
use crate::unfaithfulness::row_divergence::{LANES, RowDivergence};
use crate::{help, input};

/// Graph explanation unfaithfulness (GEF) of logits.
///
/// ```text
/// GEF(y, ŷ) = 1 − exp(−KL(y‖ŷ)),  KL(y‖ŷ) = mean_i Σ_c y_ic ln(y_ic / ŷ_ic) in nats
/// ```
///
/// - `full`: `(n_samples, n_classes)` logits on the whole graph; y is their softmax
/// - `kept`: of the same shape, on the explanation alone; ŷ is their softmax
///
/// In [0, 1], lower is better: 0 = equal outputs; 1 = an outcome that is possible on the whole graph is impossible on
/// the explanation. The mean is taken before the exponential. [`UnfaithfulnessMetric`] also supports probabilities,
/// log-probabilities, independent columns, the other direction of the divergence, and a subset of the rows.
///
/// Computed with logarithms, so logits of ±1000 do not overflow.
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
/// Agarwal et al., *Evaluating explainability for graph neural networks* (GraphXAI), arXiv 2208.09339, which defines
/// it by `KL(y‖ŷ)`. The code of GraphXAI and `unfaithfulness` of PyTorch Geometric compute `KL(ŷ‖y)`, which is
/// [`KlDirection::Reverse`]. The latter returns NaN for logits of ±1000.
pub fn unfaithfulness<T: Real>(
    full: ArrayView2<'_, T>,
    kept: ArrayView2<'_, T>,
) -> Result<Unfaithfulness> {
    UnfaithfulnessMetric::new().evaluate(full, kept)
}

/// Unfaithfulness with options.
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
    /// Categorical logits, `KL(y‖ŷ)`, all rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Restricts the evaluation to these rows. A repeated index counts repeatedly.
    #[must_use]
    pub fn index(mut self, index: &'a [usize]) -> Self {
        self.rows = RowSubset::new(index);
        self
    }

    /// Returns the assumption made about outputs that look like another kind: rows that look like probabilities are
    /// read as logits unless another kind is set. `None` for all other outputs.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::{ReturnType, UnfaithfulnessMetric, help};
    /// let outputs = array![[0.75, 0.25], [0.5, 0.5]];
    /// let metric = UnfaithfulnessMetric::new();
    /// assert_eq!(metric.assumption(outputs.view()), Some(help::READ_AS_LOGITS));
    /// assert_eq!(metric.return_type(ReturnType::Probs).assumption(outputs.view()), None);
    /// assert_eq!(metric.assumption(array![[0.75, -0.25]].view()), None);
    /// ```
    #[must_use]
    pub fn assumption<T: Real>(&self, outputs: ArrayView2<'_, T>) -> Option<Help> {
        // Probabilities in half precision sum to 1 within a thousandth.
        let is_distribution = |row: ArrayView1<'_, T>| {
            let is_share = |x: &T| *x >= T::ZERO && *x <= T::ONE;
            let sum: f64 = row.iter().map(|x| x.to_f64_exact()).sum();
            row.iter().all(is_share) && (sum - 1.0).abs() < 1e-2
        };
        let are_logits = self.setup.return_type == ReturnType::Logits && outputs.ncols() > 1;
        let are_distributions =
            are_logits && !outputs.is_empty() && outputs.rows().into_iter().all(is_distribution);
        are_distributions.then_some(help::READ_AS_LOGITS)
    }

    /// Evaluates the unfaithfulness over all rows, or over those of the [`index`](Self::index).
    ///
    /// # Errors
    /// `ShapeMismatch`, `Empty`; `NonFinite` and `OutOfDomain` for rows that are not of the declared
    /// [`return_type`](Self::return_type), naming `full` or `kept`; `OutOfDomain` for an index beyond the rows.
    pub fn evaluate<T: Real>(
        &self,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
    ) -> Result<Unfaithfulness> {
        let mut state = self.accumulator();
        state.update_rows(&RowPairs::new(full, kept, self.rows, self.setup)?)?;
        state.finish()
    }

    /// Unfaithfulness `1 − exp(−KL_i)` of every row.
    ///
    /// Their mean differs from the value over all rows, whose mean is taken before the exponential.
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

    /// Divergence `KL_i` of every row in nats, whose mean determines the value. For programs that group rows
    /// themselves, with [`Unfaithfulness::new`].
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

    /// Creates an empty state with these options, except for the subset of rows.
    #[must_use]
    pub fn accumulator<T>(&self) -> UnfaithfulnessAccumulator<T> {
        UnfaithfulnessAccumulator::new(self.setup)
    }
}

/// Direction of the divergence: which of the two distributions is the truth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum KlDirection {
    /// `KL(y‖ŷ)`: the output on the whole graph is the truth, as defined in the papers.
    #[default]
    Forward,
    /// `KL(ŷ‖y)`, as computed by the code of PyTorch Geometric and of GraphXAI.
    ///
    /// The documentation of the former and the paper of the latter define `KL(y‖ŷ)`. (The second argument of torch's
    /// `kl_div` is the truth; both pass the output on the explanation there.)
    Reverse,
}

/// Options that two states must share to be merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = UnfaithfulnessMetric<'_>, at = setup)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Setup {
    /// Kind of the outputs.
    pub(crate) return_type: ReturnType,
    /// Relation between the columns.
    ///
    /// For independent columns the divergence of a row is the sum over its columns, each a yes or no.
    pub(crate) output_distribution: OutputDistribution,
    /// Direction of the divergence.
    pub(crate) kl_direction: KlDirection,
}

/// Graph explanation unfaithfulness of some samples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Unfaithfulness {
    /// `1 − exp(−divergence)` in [0, 1]; lower is better.
    pub value: f64,
    /// Mean Kullback–Leibler divergence over the rows, in nats. May be ∞.
    pub divergence: f64,
    /// Number of rows.
    pub n_samples: u64,
}

impl Unfaithfulness {
    /// Unfaithfulness of a mean divergence in nats over some rows.
    #[must_use]
    pub fn new(divergence: f64, n_samples: u64) -> Self {
        Self {
            value: from_divergence(divergence),
            divergence,
            n_samples,
        }
    }
}

/// `1 − exp(−kl)`, also exact for small divergences.
pub(crate) fn from_divergence(kl: f64) -> f64 {
    // `1 - exp(-kl)` would lose all digits of a small divergence.
    -(-kl).exp_m1()
}

impl fmt::Display for Unfaithfulness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unfaithfulness over {} samples: {:.4} (0 = faithful), mean divergence {:.4} nats",
            self.n_samples, self.value, self.divergence
        )
    }
}

impl Unfaithfulness {
    /// Divergence of the outputs on the explanation from the outputs on the whole graph, scaled to [0, 1].
    ///
    /// ```text
    /// 1 − exp(−mean over rows of KL(y ‖ ŷ)), y the outputs on the whole graph, ŷ those on the explanation
    /// ```
    ///
    /// # Extremes
    /// 0: the outputs are equal. 1: an outcome of the whole graph has probability 0 on the explanation.
    ///
    /// # Source
    /// Agarwal et al. 2022, arXiv 2208.09339.
    ///
    /// # Elsewhere
    /// `torch_geometric.explain.metric.unfaithfulness`
    #[metric(
        name = "unfaithfulness",
        direction = Direction::Lower,
        range = Range::SHARE,
        needs = &[input::FULL, input::KEPT],
    )]
    pub const UNFAITHFULNESS: Score<Self> =
        Score::new(INFO, |unfaithfulness| Some(unfaithfulness.value));
}

impl Scores for Unfaithfulness {
    const SCORES: &'static [Score<Self>] = &[Self::UNFAITHFULNESS];
}

/// Accumulator of [`Unfaithfulness`]. Every row has the same weight, whatever its batch.
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
    /// Adds the visited rows. The state is not changed if one of them is invalid.
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
        let divergence = self
            .mean
            .value()
            .ok_or_else(|| Error::empty(input::SAMPLES))?;
        Ok(Unfaithfulness::new(divergence, self.mean.count()))
    }
}

/// Number of rows that a thread processes at a time. A multiple of [`LANES`], so that only the last block has unused
/// lanes.
pub(crate) const BLOCK: usize = 64 * LANES;

/// Two output arrays of the same shape, and the rows to visit.
pub(crate) struct RowPairs<'a, T> {
    full: ArrayView2<'a, T>,
    kept: ArrayView2<'a, T>,
    subset: RowSubset<'a>,
    n_rows: usize,
    setup: Setup,
}

impl<'a, T: Real> RowPairs<'a, T> {
    pub(crate) fn new(
        full: ArrayView2<'a, T>,
        kept: ArrayView2<'a, T>,
        subset: RowSubset<'a>,
        setup: Setup,
    ) -> Result<Self> {
        check_shape(input::KEPT, full.shape(), kept.shape())?;
        let n_rows = subset.n_rows(full.nrows())?;
        match (setup.output_distribution, full.ncols()) {
            (_, 0) => return Err(Error::empty(input::FULL).part("columns")),
            // The softmax of a single column is 1 for every output, so the divergence would always be 0.
            (OutputDistribution::Categorical, 1) => {
                let error = Error::shape_described(input::FULL, TWO_COLUMNS, full.shape());
                return Err(error.with_help(help::BERNOULLI_FOR_ONE_COLUMN));
            }
            _ => {}
        }
        Ok(Self {
            full,
            kept,
            subset,
            n_rows,
            setup,
        })
    }

    pub(crate) fn n_blocks(&self) -> usize {
        self.n_rows.div_ceil(BLOCK)
    }

    /// Calls `each` with the divergence of every row of a block, in order.
    pub(crate) fn divergences(&self, block: usize, mut each: impl FnMut(f64)) -> Result<()> {
        let range = block * BLOCK..((block + 1) * BLOCK).min(self.n_rows);
        let (p, q) = match self.setup.kl_direction {
            KlDirection::Forward => (self.full, self.kept),
            KlDirection::Reverse => (self.kept, self.full),
        };
        let (returns, distribution) = (self.setup.return_type, self.setup.output_distribution);
        let mut rows = RowDivergence::new(self.full.ncols(), returns, distribution);
        for start in range.clone().step_by(LANES) {
            let lanes = start..(start + LANES).min(range.end);
            let visited = lanes.clone().map(|visited| self.subset.row(visited));
            match rows.compute(p, q, visited) {
                // Lanes beyond the last row contain results of older rows.
                Some(divergences) => divergences[..lanes.len()].iter().for_each(|&kl| each(kl)),
                None => return Err(self.first_error(lanes)),
            }
        }
        Ok(())
    }

    /// Error of the first invalid row among those visited. There is one, because the kernel tests the same bounds as
    /// the check of a row.
    #[cold]
    fn first_error(&self, visited: std::ops::Range<usize>) -> Error {
        let (returns, distribution) = (self.setup.return_type, self.setup.output_distribution);
        let first = visited.start;
        let check = |visited| {
            let row = self.subset.row(visited);
            check_row(input::FULL, row, self.full.row(row), returns, distribution)?;
            check_row(input::KEPT, row, self.kept.row(row), returns, distribution)
        };
        visited
            .map(check)
            .find_map(Result::err)
            .unwrap_or_else(|| Error::non_finite(input::FULL, &[self.subset.row(first)]))
    }
}
