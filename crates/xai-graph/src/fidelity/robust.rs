//! Robust fidelity: fidelity by taking a little away at a time.

use std::fmt;

use ndarray::{Array1, ArrayView1};
use xai_core::{Error, ExactMean, ExactSum, Real, Result, parallel, random_stream, uniform};

use crate::FidelityMetric;
use crate::graph::{EdgeRemoval, Explanation, Graph, GraphModel, call};
use crate::sparsify::UndirectedEdges;

/// Robust fidelity and how well the draws determine it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RobustFidelity {
    /// How much less often the answer holds when a part of the explanation is gone, in [−1, 1]
    /// (in [0, 1] for explanations of the model). Higher is better.
    pub pos: f64,
    /// How much less often it holds when a part of all the rest is gone. Lower is better.
    pub neg: f64,
    /// `pos − neg`, higher is better.
    pub delta: f64,
    /// Standard error of `pos` over the draws.
    pub pos_standard_error: f64,
    /// Standard error of `neg` over the draws.
    pub neg_standard_error: f64,
    /// The number of random draws.
    pub n_draws: usize,
}

impl fmt::Display for RobustFidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "robust fidelity over {} draws: fid+ {:.4} ± {:.4}, fid- {:.4} ± {:.4}, difference {:.4}",
            self.n_draws,
            self.pos,
            self.pos_standard_error,
            self.neg,
            self.neg_standard_error,
            self.delta
        )
    }
}

/// Robust fidelity with its choices.
///
/// Plain fidelity shows the model graphs unlike any it was trained on. Here only a random part is
/// taken away at a time, each edge by itself:
///
/// ```text
/// Fid_{α₁,+} = mean_i (1[ŷ_i = y_i] − E 1[ŷ_i on G − E_{α₁}(S) = y_i])
/// Fid_{α₂,−} = mean_i (1[ŷ_i = y_i] − E 1[ŷ_i on S + E_{α₂}(G − S) = y_i])
/// ```
///
/// where `E_α(H)` holds each edge of `H` with probability α. So α₁ is the probability that an edge of
/// the explanation is *removed*, α₂ that an edge outside it *stays*. α₁ = 1, α₂ = 0 is plain
/// fidelity (for explanations of the phenomenon: its signed form). For explanations of the model
/// `y` is the answer on the whole graph.
///
/// Draws are seeded one by one: the result depends on the seed and not on the threads.
///
/// ```
/// use ndarray::{Array2, array};
/// use xai_graph::{Graph, RobustFidelityMetric};
/// // The answer is class 1 while the first edge is there.
/// let model = |graph: Graph<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(array![[0.5, graph.edge_weight.map_or(1.0, |weight| weight[0])]])
/// };
/// let (features, edges) = (array![[0.0], [0.0]], array![[0, 1], [1, 0]]);
/// let graph = Graph::new(features.view(), edges.view())?;
/// let explanation = array![1.0, 0.0];
/// let fidelity = RobustFidelityMetric::new(0.1, 0.9, 1000)?.evaluate(&model, graph, explanation.view())?;
/// assert!((fidelity.pos - 0.1).abs() < 4.0 * fidelity.pos_standard_error);
/// assert_eq!(fidelity.neg, 0.0);
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Zheng et al., *Towards robust fidelity for evaluating explainability of graph neural
/// networks*, ICLR 2024, arXiv 2310.01820; α₁ = 0.1 and α₂ = 0.9 are theirs.
#[derive(Debug, Clone, Copy)]
pub struct RobustFidelityMetric<'a> {
    alpha_pos: f64,
    alpha_neg: f64,
    n_draws: usize,
    seed: u64,
    fidelity: FidelityMetric<'a>,
    removal: EdgeRemoval,
    undirected: bool,
}

impl<'a> RobustFidelityMetric<'a> {
    /// α₁ (an edge of the explanation is removed), α₂ (an edge outside it stays), both in [0, 1],
    /// and the number of draws, at least 2 for a standard error.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`], [`Error::TooFew`].
    pub fn new(alpha_pos: f64, alpha_neg: f64, n_draws: usize) -> Result<Self> {
        for (name, alpha) in [("alpha_pos", alpha_pos), ("alpha_neg", alpha_neg)] {
            if !(0.0..=1.0).contains(&alpha) {
                return Err(Error::parameter(name, alpha, "a probability in [0, 1]"));
            }
        }
        if n_draws < 2 {
            return Err(Error::too_few("draws", 2, n_draws));
        }
        Ok(Self {
            alpha_pos,
            alpha_neg,
            n_draws,
            seed: 1,
            fidelity: FidelityMetric::model(),
            removal: EdgeRemoval::default(),
            undirected: false,
        })
    }

    /// The seed; 1 unless said otherwise.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What is compared, and on which rows.
    #[must_use]
    pub fn fidelity(mut self, metric: FidelityMetric<'a>) -> Self {
        self.fidelity = metric;
        self
    }

    /// How edges are taken away.
    #[must_use]
    pub fn removal(mut self, removal: EdgeRemoval) -> Self {
        self.removal = removal;
        self
    }

    /// Draws the two directions of an edge together.
    #[must_use]
    pub fn undirected(mut self, undirected: bool) -> Self {
        self.undirected = undirected;
        self
    }

    /// The robust fidelity of an explanation by edges.
    ///
    /// `explanation` is a hard mask, `(n_edges,)` of 0 and 1 ([`sparsify`](crate::sparsify) makes one);
    /// of an undirected edge, both directions. The model is called once on the whole graph and
    /// twice a draw, draws in parallel.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`], [`Error::OutOfDomain`] for a soft mask or one whose directions
    /// differ, [`Error::Model`], and those of [`FidelityMetric::evaluate`].
    pub fn evaluate<T: Real>(
        &self,
        model: &(impl GraphModel<T> + ?Sized),
        graph: Graph<'_, T>,
        explanation: ArrayView1<'_, T>,
    ) -> Result<RobustFidelity> {
        let n_edges = graph.n_edges();
        if explanation.len() != n_edges {
            return Err(Error::shape("explanation", &[n_edges], explanation.shape()));
        }
        let pairs = if self.undirected {
            UndirectedEdges::new(graph.edge_index)
        } else {
            UndirectedEdges::directed(n_edges)
        };
        let explained = hard_pairs(explanation, &pairs)?;
        let full = call(model, graph, "the whole graph", None)?;
        let shape = Some(full.dim());
        let draws = parallel::try_map(self.n_draws, |draw| -> Result<(f64, f64)> {
            let mut stream = random_stream(self.seed, draw as u64);
            // Every undirected edge takes its two numbers, whatever it is part of.
            let numbers: Vec<(f64, f64)> = (0..pairs.n_pairs)
                .map(|_| (uniform(&mut stream), uniform(&mut stream)))
                .collect();
            let outputs = |what: &str, stays: &dyn Fn(usize) -> bool| {
                let mask: Array1<T> = pairs
                    .of_edge
                    .iter()
                    .map(|&pair| if stays(pair) { T::one() } else { T::zero() })
                    .collect();
                let rest = Explanation::edges(mask.view()).kept(graph, self.removal)?;
                call(model, rest.view(), format!("{what} of draw {draw}"), shape)
            };
            let without = outputs("the graph without a part of the explanation", &|pair| {
                !explained[pair] || numbers[pair].0 >= self.alpha_pos
            })?;
            let with = outputs("the explanation with a part of the rest", &|pair| {
                explained[pair] || numbers[pair].1 < self.alpha_neg
            })?;
            Ok((
                self.fidelity.signed_change(&full, &without)?,
                self.fidelity.signed_change(&full, &with)?,
            ))
        })?;
        let (pos, pos_standard_error) = mean_and_error(draws.iter().map(|draw| draw.0));
        let (neg, neg_standard_error) = mean_and_error(draws.iter().map(|draw| draw.1));
        Ok(RobustFidelity {
            pos,
            neg,
            delta: pos - neg,
            pos_standard_error,
            neg_standard_error,
            n_draws: self.n_draws,
        })
    }
}

/// Which undirected edges are explained, from a hard mask over directed ones.
fn hard_pairs<T: Real>(mask: ArrayView1<'_, T>, pairs: &UndirectedEdges) -> Result<Vec<bool>> {
    let mut explained = vec![None; pairs.n_pairs];
    for (edge, (&pair, &value)) in pairs.of_edge.iter().zip(mask).enumerate() {
        let bad = |expected: &'static str| {
            Error::out_of_domain("explanation", &[edge], value.to_f64_exact(), expected)
        };
        if value != T::zero() && value != T::one() {
            return Err(bad("0 or 1; sparsify the mask first"));
        }
        let own = value == T::one();
        if *explained[pair].get_or_insert(own) != own {
            return Err(bad("the value of the edge's other direction"));
        }
    }
    Ok(explained.into_iter().map(|own| own == Some(true)).collect())
}

/// The mean, and its standard error from the spread of the values.
fn mean_and_error(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let mut mean = ExactMean::new();
    values.clone().for_each(|value| mean.add(value));
    let center = mean.value().unwrap_or_default();
    let squares: ExactSum = values.map(|value| (value - center).powi(2)).collect();
    #[allow(clippy::cast_precision_loss)] // exact below 2^53
    let n = mean.count() as f64;
    (center, (squares.value() / (n - 1.0) / n).sqrt())
}
