//! Unfaithfulness: how far the answer on the explanation is from the answer on the whole graph.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use ndarray::ArrayView2;
use xai_core::{Accumulator, Error, ExactMean, Name, Real, Result, parallel};

use crate::outputs::{OutputDistribution, ReturnType, check_row};
use crate::row_divergence::{LANES, RowDivergence};

/// Which of the two distributions the divergence takes as the truth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum KlDirection {
    /// `KL(y‖ŷ)`: the answer on the whole graph is the truth, as the papers define it.
    #[default]
    Forward,
    /// `KL(ŷ‖y)`: what `PyTorch` Geometric computes, whose documentation says `KL(y‖ŷ)`.
    Reverse,
}

/// The graph explanation unfaithfulness of some samples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unfaithfulness {
    /// `1 − exp(−divergence)` in [0, 1], lower is better.
    pub value: f64,
    /// The mean Kullback–Leibler divergence over the rows, in nats; may be ∞.
    pub divergence: f64,
    /// The number of rows.
    pub n_samples: u64,
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
/// [`Error::ShapeMismatch`], [`Error::Empty`], and [`Error::NonFinite`] naming `full` or `kept`.
///
/// ```
/// use ndarray::array;
/// let full = array![[3f64.ln(), 0.0]]; // probabilities ¾, ¼
/// let kept = array![[0.0, 0.0]]; // ½, ½
/// let gef = xai_graph::unfaithfulness(full.view(), kept.view())?;
/// let kl = 0.75 * 1.5f64.ln() + 0.25 * 0.5f64.ln();
/// assert!((gef - (1.0 - (-kl).exp())).abs() < 1e-15);
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Agarwal et al., *Evaluating explainability for graph neural networks* (`GraphXAI`), arXiv
/// 2208.09339. `PyTorch` Geometric's `unfaithfulness` documents `KL(y‖ŷ)`, computes `KL(ŷ‖y)`:
/// [`KlDirection::Reverse`] gives its number; and it returns NaN for logits of ±1000.
pub fn unfaithfulness<T: Real>(full: ArrayView2<'_, T>, kept: ArrayView2<'_, T>) -> Result<f64> {
    Ok(UnfaithfulnessMetric::new().evaluate(full, kept)?.value)
}

/// Unfaithfulness with its choices.
///
/// ```
/// use ndarray::array;
/// use xai_graph::{KlDirection, ReturnType, UnfaithfulnessMetric};
/// let (full, kept) = (array![[0.75, 0.25]], array![[0.5, 0.5]]);
/// let gef = UnfaithfulnessMetric::new()
///     .returns(ReturnType::Probs)
///     .direction(KlDirection::Reverse)
///     .evaluate(full.view(), kept.view())?;
/// let kl = 0.5 * (2.0f64 / 3.0).ln() + 0.5 * 2f64.ln();
/// assert!((gef.divergence - kl).abs() < 1e-15);
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnfaithfulnessMetric<'a> {
    setup: Setup,
    index: Option<&'a [usize]>,
}

/// The choices that two states must share to be merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Setup {
    returns: ReturnType,
    distribution: OutputDistribution,
    direction: KlDirection,
}

impl<'a> UnfaithfulnessMetric<'a> {
    /// Logits of one class of several, `KL(y‖ŷ)`, all rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What the outputs are.
    #[must_use]
    pub fn returns(mut self, returns: ReturnType) -> Self {
        self.setup.returns = returns;
        self
    }

    /// What the columns are to one another. For independent columns the divergence of a row is the
    /// sum of those of its columns, each a yes or no.
    #[must_use]
    pub fn distribution(mut self, distribution: OutputDistribution) -> Self {
        self.setup.distribution = distribution;
        self
    }

    /// Which way the divergence is taken.
    #[must_use]
    pub fn direction(mut self, direction: KlDirection) -> Self {
        self.setup.direction = direction;
        self
    }

    /// Only these rows, by their position; one named twice counts twice.
    #[must_use]
    pub fn index(mut self, index: &'a [usize]) -> Self {
        self.index = Some(index);
        self
    }

    /// The unfaithfulness over all rows.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`], [`Error::Empty`]; [`Error::NonFinite`] and [`Error::OutOfDomain`]
    /// for rows that do not hold what [`returns`](Self::returns) says, naming `full` or `kept`.
    pub fn evaluate<T: Real>(
        &self,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
    ) -> Result<Unfaithfulness> {
        let mut state = self.accumulator();
        state.fold(full, kept, self.index)?;
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
        let rows = Rows::new(full, kept, self.index, self.setup)?;
        let blocks = parallel::try_map(rows.n_blocks(), |block| {
            let mut values = Vec::with_capacity(BLOCK);
            rows.divergences(block, |kl| values.push(from_divergence(kl)))?;
            Ok::<_, Error>(values)
        })?;
        Ok(blocks.concat())
    }

    /// A state of no rows with these choices; the subset of rows is not part of it.
    #[must_use]
    pub fn accumulator<T>(&self) -> UnfaithfulnessAccumulator<T> {
        UnfaithfulnessAccumulator {
            setup: self.setup,
            mean: ExactMean::new(),
            element: PhantomData,
        }
    }
}

/// `1 − exp(−kl)`, exact for small divergences too.
fn from_divergence(kl: f64) -> f64 {
    -(-kl).exp_m1()
}

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
    fn fold(
        &mut self,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
        index: Option<&[usize]>,
    ) -> Result<()> {
        let rows = Rows::new(full, kept, index, self.setup)?;
        let blocks = parallel::try_map(rows.n_blocks(), |block| {
            let mut mean = ExactMean::new();
            rows.divergences(block, |kl| mean.add(kl))?;
            Ok::<_, Error>(mean)
        })?;
        for block in blocks {
            self.mean.merge(block)?;
        }
        Ok(())
    }
}

impl<T: Real> Accumulator for UnfaithfulnessAccumulator<T> {
    type Batch<'a> = (ArrayView2<'a, T>, ArrayView2<'a, T>);
    type Output = Unfaithfulness;

    fn update(&mut self, (full, kept): Self::Batch<'_>) -> Result<()> {
        self.fold(full, kept, None)
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if self.setup != other.setup {
            return Err(Error::parameter(
                "merged state",
                format!("{:?}", other.setup),
                format!("the same choices, {:?}", self.setup),
            ));
        }
        self.mean.merge(other.mean)
    }

    fn finish(&self) -> Result<Unfaithfulness> {
        let divergence = self.mean.value().ok_or_else(|| Error::empty("samples"))?;
        Ok(Unfaithfulness {
            value: from_divergence(divergence),
            divergence,
            n_samples: self.mean.count(),
        })
    }
}

/// Rows that one thread takes at a time.
const BLOCK: usize = 64 * LANES;

/// Two output arrays whose shapes agree, and the rows of them to visit.
struct Rows<'a, T> {
    full: ArrayView2<'a, T>,
    kept: ArrayView2<'a, T>,
    index: Option<&'a [usize]>,
    n_rows: usize,
    setup: Setup,
}

impl<'a, T: Real> Rows<'a, T> {
    fn new(
        full: ArrayView2<'a, T>,
        kept: ArrayView2<'a, T>,
        index: Option<&'a [usize]>,
        setup: Setup,
    ) -> Result<Self> {
        if kept.dim() != full.dim() {
            return Err(Error::shape("kept", full.shape(), kept.shape()));
        }
        let n_rows = crate::index::n_rows(index, full.nrows())?;
        match (setup.distribution, full.ncols()) {
            (_, 0) => return Err(Error::empty("columns of full")),
            (OutputDistribution::Categorical, 1) => {
                return Err(Error::shape_described(
                    "full",
                    "(n, c) with c >= 2; for a single score a row say `OutputDistribution::Bernoulli`",
                    full.shape(),
                ));
            }
            _ => {}
        }
        Ok(Self {
            full,
            kept,
            index,
            n_rows,
            setup,
        })
    }

    fn n_blocks(&self) -> usize {
        self.n_rows.div_ceil(BLOCK)
    }

    /// The row of the arrays that is visited at a position.
    fn row(&self, visited: usize) -> usize {
        self.index.map_or(visited, |index| index[visited])
    }

    /// Calls `each` with the divergence of every row of a block, in order.
    fn divergences(&self, block: usize, mut each: impl FnMut(f64)) -> Result<()> {
        let range = block * BLOCK..((block + 1) * BLOCK).min(self.n_rows);
        let (p, q) = match self.setup.direction {
            KlDirection::Forward => (self.full, self.kept),
            KlDirection::Reverse => (self.kept, self.full),
        };
        let Setup {
            returns,
            distribution,
            ..
        } = self.setup;
        let mut rows = RowDivergence::new(self.full.ncols(), returns, distribution);
        for start in range.clone().step_by(LANES) {
            let lanes = start..(start + LANES).min(range.end);
            let visited = lanes.clone().map(|visited| self.row(visited));
            match rows.compute(p, q, visited) {
                Some(divergences) => divergences[..lanes.len()].iter().for_each(|&kl| each(kl)),
                None => return Err(self.first_error(lanes)),
            }
        }
        Ok(())
    }

    /// What is wrong with the first bad row among those visited; one is.
    #[cold]
    fn first_error(&self, visited: Range<usize>) -> Error {
        let Setup {
            returns,
            distribution,
            ..
        } = self.setup;
        for row in visited.map(|visited| self.row(visited)) {
            for (what, outputs) in [("full", self.full), ("kept", self.kept)] {
                let what = Name::from(what);
                let scores = outputs.row(row);
                if let Err(error) = check_row(&what, row, scores, returns, distribution) {
                    return error;
                }
            }
        }
        Error::empty("samples") // not reached: a row was bad
    }
}
