//! Robust fidelity: fidelity with random parts of the graph removed.

use std::fmt;

use ndarray::{Array1, Array2, ArrayView1};
use xai_core::describe::{Parameters, Score, Scores, metric};
use xai_core::random::{random_stream, uniform};
use xai_core::tensor::check_shape;
use xai_core::{Error, ExactMean, ExactSum, Input, Real, Result, parallel};

use crate::edge_index::{UndirectedEdges, check_edge_index};
use crate::fidelity::changes::signed_probability_change;
use crate::fidelity::metric::FidelityMetric;
use crate::model::edge_choices::EdgeChoices;
use crate::model::explanation::Explanation;
use crate::model::graph::Graph;
use crate::model::graph_model::{GraphModel, call, check_removal};
use crate::outputs::output_rows::ReturnType;
use crate::{help, input};

/// Robust fidelity, with its standard errors over the random draws.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RobustFidelity {
    /// Mean drop of correctness when a random part of the explanation is removed, in [−1, 1] (in [0, 1] for
    /// explanations of the model). Higher is better.
    pub pos: f64,
    /// Mean drop of correctness when a random part of the rest is removed. Lower is better.
    pub neg: f64,
    /// `pos − neg`; higher is better.
    pub delta: f64,
    /// Standard error of `pos` over the draws.
    pub pos_standard_error: f64,
    /// Standard error of `neg` over the draws.
    pub neg_standard_error: f64,
    /// Number of random draws.
    pub n_draws: usize,
    /// The same by probabilities, for the same draws. `None` unless
    /// [`probabilities`](RobustFidelityMetric::probabilities) is set.
    pub by_probability: Option<RobustFidelityByProbability>,
}

/// Robust fidelity by the probability of one class instead of the predicted class.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RobustFidelityByProbability {
    /// Mean drop of the probability when a random part of the explanation is removed, in [−1, 1]. Higher is better.
    pub pos: f64,
    /// Mean drop of the probability when a random part of the rest is removed. Lower is better.
    pub neg: f64,
    /// `pos − neg`; higher is better.
    pub delta: f64,
    /// Standard error of `pos` over the draws.
    pub pos_standard_error: f64,
    /// Standard error of `neg` over the draws.
    pub neg_standard_error: f64,
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
        )?;
        match self.by_probability {
            None => Ok(()),
            Some(by) => write!(
                f,
                "\nby probability: fid+ {:.4} ± {:.4}, fid- {:.4} ± {:.4}, difference {:.4}",
                by.pos, by.pos_standard_error, by.neg, by.neg_standard_error, by.delta
            ),
        }
    }
}

/// Robust fidelity with options.
///
/// Plain fidelity evaluates the model on graphs unlike any that it was trained on. Robust fidelity only removes a
/// random part at a time, each edge independently:
///
/// ```text
/// Fid_{α₁,+} = mean_i (1[ŷ_i = y_i] − E 1[ŷ_i on G − E_{α₁}(S) = y_i])
/// Fid_{α₂,−} = mean_i (1[ŷ_i = y_i] − E 1[ŷ_i on S + E_{α₂}(G − S) = y_i])
/// ```
///
/// where `E_α(H)` contains each edge of `H` with probability α. So α₁ is the probability that an edge of the
/// explanation is *removed*, and α₂ the probability that an edge outside of it is *kept*. α₁ = 1, α₂ = 0 is plain
/// fidelity (for explanations of the phenomenon, its signed form). For explanations of the model, `y` is the
/// prediction on the whole graph.
///
/// With [`probabilities`](Self::probabilities), the probability of `y_i` is also used in place of `1[… = y_i]`. It is
/// sensitive to changes that leave the prediction as it is.
///
/// Each draw has its own random stream, so the result depends on the seed but not on the number of threads.
///
/// ```
/// use ndarray::array;
/// use xai_graph::model::graph_fn;
/// use xai_graph::{Graph, RobustFidelityMetric};
/// // The answer is class 1 while the first edge is there.
/// let model = graph_fn(|graph| {
///     Ok(array![[0.5, graph.edge_weight.map_or(1.0, |weight| weight[0])]])
/// });
/// let (features, edges) = (array![[0.0], [0.0]], array![[0, 1], [1, 0]]);
/// let graph = Graph::new(features.view(), edges.view())?;
/// let explanation = array![1.0, 0.0];
/// let metric = RobustFidelityMetric::new().n_draws(1000);
/// let fidelity = metric.evaluate(&model, graph, explanation.view())?;
/// assert!((fidelity.pos - 0.1).abs() < 4.0 * fidelity.pos_standard_error);
/// assert_eq!(fidelity.neg, 0.0);
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Zheng et al., *Towards robust fidelity for evaluating explainability of graph neural networks*, ICLR 2024, arXiv
/// 2310.01820, with α₁ = 0.1 and α₂ = 0.9. They report it by labels and by probabilities.
#[derive(Debug, Clone, Copy, Parameters)]
pub struct RobustFidelityMetric<'a> {
    /// α₁ in [0, 1], the probability that an edge of the explanation is removed.
    #[param(at_least = 0, at_most = 1, default = 0.1)]
    alpha_pos: f64,
    /// α₂ in [0, 1], the probability that an edge outside the explanation is kept.
    #[param(at_least = 0, at_most = 1, default = 0.9)]
    alpha_neg: f64,
    /// Number of random draws.
    ///
    /// A standard error needs at least two. The values of all draws are stored until they are averaged.
    #[param(at_least = 2, at_most = 16_777_216, default = 50)]
    n_draws: usize,
    /// Seed of the draws.
    #[param(default = 1)]
    seed: u64,
    #[param(skip, default = FidelityMetric::model())]
    fidelity: FidelityMetric<'a>,
    #[param(skip, default = EdgeChoices::new())]
    edges: EdgeChoices,
    /// Kind of the outputs, if probabilities are compared as well.
    #[param(skip)]
    probabilities: Option<ReturnType>,
}

impl<'a> RobustFidelityMetric<'a> {
    /// α₁ = 0.1, α₂ = 0.9, 50 draws with seed 1, explanations of the model.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the reference and the subset of rows.
    #[must_use]
    pub fn fidelity(mut self, metric: FidelityMetric<'a>) -> Self {
        self.fidelity = metric;
        self
    }

    /// Sets how edges are removed, and whether their two directions are drawn together.
    #[must_use]
    pub fn edges(mut self, edges: EdgeChoices) -> Self {
        self.edges = edges;
        self
    }

    /// Compares probabilities as well, for the same draws; `returns` is the kind of the outputs. The class is the
    /// true one for explanations of the phenomenon, and the one predicted on the whole graph for explanations of the
    /// model.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::model::graph_fn;
    /// use xai_graph::{Graph, ReturnType, RobustFidelityMetric};
    /// // The first edge makes class 1 probable, and does not decide the answer.
    /// let model = graph_fn(|graph| {
    ///     let p = 0.6 + graph.edge_weight.map_or(0.3, |weight| 0.3 * weight[0]);
    ///     Ok(array![[1.0 - p, p]])
    /// });
    /// let (features, edges) = (array![[0.0], [0.0]], array![[0, 1], [1, 0]]);
    /// let graph = Graph::new(features.view(), edges.view())?;
    /// let metric = RobustFidelityMetric::new().alpha_pos(1.0).probabilities(ReturnType::Probs);
    /// let fidelity = metric.evaluate(&model, graph, array![1.0, 0.0].view())?;
    /// let by = fidelity.by_probability.expect("asked for");
    /// assert!((by.pos - 0.3).abs() < 1e-12);
    /// assert_eq!((fidelity.pos, by.neg), (0.0, 0.0));
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    #[must_use]
    pub fn probabilities(mut self, returns: ReturnType) -> Self {
        self.probabilities = Some(returns);
        self
    }

    /// Number of calls of the model: one on the whole graph, and two per draw. There are two more if no output changes,
    /// to find out whether the model reads the weights of edges.
    #[must_use]
    pub fn n_calls(&self) -> usize {
        self.n_draws.saturating_mul(2).saturating_add(1)
    }

    /// Evaluates an explanation by edges.
    ///
    /// `explanation` is a hard mask of 0 and 1 with shape `(n_edges,)` (see [`sparsify`](crate::mask::sparsify()));
    /// with undirected edges both directions must have the same value. The model is called once on the whole graph
    /// and twice per draw, with draws in parallel.
    ///
    /// # Errors
    /// `InvalidParameter` for α outside [0, 1], for fewer than two draws, for more than 2²⁴, and for removal by weight
    /// and a model that does not read the weights of edges; `ShapeMismatch`;
    /// `OutOfDomain` for a soft mask, for one whose directions differ if edges are undirected, and for an edge to a
    /// node that does not exist; `Model`; those of [`FidelityMetric::evaluate`]; and, with
    /// [`probabilities`](Self::probabilities), those of [`FidelityMetric::evaluate_probabilities`].
    pub fn evaluate<T: Real, E: Real>(
        &self,
        model: &(impl GraphModel<T> + Sync + ?Sized),
        graph: Graph<'_, T>,
        explanation: ArrayView1<'_, E>,
    ) -> Result<RobustFidelity> {
        self.check_params()?;
        check_shape(input::EXPLANATION, &[graph.n_edges()], explanation.shape())?;
        // The fields of a graph are public and may have been changed since they were checked.
        check_edge_index(graph.edge_index, graph.n_nodes())?;
        let pairs = self.edges.pairs(graph.edge_index);
        let explained = hard_pairs(explanation, &pairs)?;
        let full = call(model, graph, "the whole graph", None)?;
        let drawing = Drawing {
            metric: self,
            model,
            graph,
            pairs: &pairs,
            explained: &explained,
            full: &full,
        };
        let draws = parallel::try_map(self.n_draws, |draw| drawing.changes(draw))?;
        if !draws.iter().any(|draw| draw.is_changed) {
            check_removal(model, graph, &full, self.edges.removal)?;
        }
        // The draws are independent, which is what the standard errors assume.
        let over_draws =
            |change: &dyn Fn(&Changes) -> f64| mean_and_error(draws.iter().map(change));
        let (pos, pos_standard_error) = over_draws(&|draw| draw.pos);
        let (neg, neg_standard_error) = over_draws(&|draw| draw.neg);
        let by_probability = self.probabilities.map(|_| {
            let (pos, pos_standard_error) = over_draws(&|draw| draw.probability_pos);
            let (neg, neg_standard_error) = over_draws(&|draw| draw.probability_neg);
            RobustFidelityByProbability {
                pos,
                neg,
                delta: pos - neg,
                pos_standard_error,
                neg_standard_error,
            }
        });
        Ok(RobustFidelity {
            pos,
            neg,
            delta: pos - neg,
            pos_standard_error,
            neg_standard_error,
            n_draws: self.n_draws,
            by_probability,
        })
    }
}

/// Changes in one draw, by labels and by probabilities (0 if not requested).
struct Changes {
    pos: f64,
    neg: f64,
    probability_pos: f64,
    probability_neg: f64,
    /// Whether an output changed.
    is_changed: bool,
}

/// Data shared by all draws of an evaluation.
struct Drawing<'a, 'g, T, M: ?Sized> {
    metric: &'a RobustFidelityMetric<'a>,
    model: &'a M,
    graph: Graph<'g, T>,
    /// Edges that are drawn together: both directions of an edge, or each directed edge by itself.
    pairs: &'a UndirectedEdges,
    /// Whether each of `pairs` is part of the explanation.
    explained: &'a [bool],
    full: &'a Array2<T>,
}

impl<T: Real, M: GraphModel<T> + Sync + ?Sized> Drawing<'_, '_, T, M> {
    /// Changes in correctness and probability without a part of the explanation, and with the explanation and a part
    /// of the rest.
    fn changes(&self, draw: usize) -> Result<Changes> {
        let (metric, explained) = (self.metric, self.explained);
        let mut stream = random_stream(metric.seed, draw as u64);
        // Every undirected edge consumes two numbers, whether it is explained or not, so that the draws of an edge do
        // not depend on the explanation.
        // Numbers lie in [0, 1), so the comparisons below remove nothing for α₁ = 0 and everything for α₁ = 1 (likewise
        // for α₂).
        let numbers: Vec<(f64, f64)> = (0..self.pairs.n_pairs)
            .map(|_| (uniform(&mut stream), uniform(&mut stream)))
            .collect();
        // An edge of the explanation is removed with probability α₁, all other edges are kept.
        let without = self.outputs(
            &format!("the graph without a part of the explanation of draw {draw}"),
            |pair| !explained[pair] || numbers[pair].0 >= metric.alpha_pos,
        )?;
        // The explanation is kept, and any other edge with probability α₂.
        let with = self.outputs(
            &format!("the explanation with a part of the rest of draw {draw}"),
            |pair| explained[pair] || numbers[pair].1 < metric.alpha_neg,
        )?;
        let compared = metric.fidelity.compared();
        let probability = |other: &Array2<T>| match metric.probabilities {
            None => Ok(0.0),
            Some(returns) => {
                signed_probability_change(compared, self.full.view(), other.view(), returns)
            }
        };
        Ok(Changes {
            pos: compared.signed_change(self.full, &without)?,
            neg: compared.signed_change(self.full, &with)?,
            probability_pos: probability(&without)?,
            probability_neg: probability(&with)?,
            is_changed: without != *self.full || with != *self.full,
        })
    }

    /// Outputs of the model on the edges that are kept.
    fn outputs(&self, part: &str, stays: impl Fn(usize) -> bool) -> Result<Array2<T>> {
        let value = |&pair: &usize| if stays(pair) { T::ONE } else { T::ZERO };
        let mask: Array1<T> = self.pairs.pair_of_edge.iter().map(value).collect();
        let explanation = Explanation::edges(mask.view());
        let rest = explanation.kept(self.graph, self.metric.edges.removal)?;
        call(self.model, rest.view(), part, Some(self.full.dim()))
    }
}

/// Converts a hard mask over directed edges to one over `pairs`. Fails for values other than 0 and 1, and if the edges
/// of a pair have different values.
fn hard_pairs<T: Real>(mask: ArrayView1<'_, T>, pairs: &UndirectedEdges) -> Result<Vec<bool>> {
    let mut explained = vec![None; pairs.n_pairs];
    for (edge, (&pair, &value)) in pairs.pair_of_edge.iter().zip(mask).enumerate() {
        let bad = |expected: &'static str| {
            Error::out_of_domain(input::EXPLANATION, &[edge], value.to_f64_exact(), expected)
        };
        if value != T::ZERO && value != T::ONE {
            return Err(bad("0 or 1").with_help(help::SPARSIFY_FIRST));
        }
        let is_explained = value == T::ONE;
        if *explained[pair].get_or_insert(is_explained) != is_explained {
            return Err(bad("the value of the edge's other direction"));
        }
    }
    Ok(explained
        .into_iter()
        .map(|is_explained| is_explained == Some(true))
        .collect())
}

/// Mean of at least two values and its standard error.
fn mean_and_error(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let mut mean = ExactMean::new();
    values.clone().for_each(|value| mean.add(value));
    let center = mean.value().unwrap_or_default();
    // Two passes: deviations from the mean do not cancel, unlike squares minus the squared mean.
    let squares: ExactSum = values.map(|value| (value - center).powi(2)).collect();
    let n = mean.count() as f64;
    // The parameter check ensures at least two draws.
    (center, (squares.value() / (n - 1.0) / n).sqrt())
}

const NEEDS: &[Input] = &[
    input::MODEL,
    input::FEATURES,
    input::EDGE_INDEX,
    input::EDGE_MASK,
];

impl RobustFidelity {
    /// Drop of the share of kept predictions when a random part of the explanation is removed.
    ///
    /// ```text
    /// mean over draws of 1[ŷ = y] − 1[ŷ(graph without a random part of the explanation) = y]
    /// ```
    ///
    /// # Extremes
    /// 0: no part of the explanation matters. 1: removing a part changes every prediction. Below 0: removal corrects
    /// predictions.
    ///
    /// # Source
    /// Zheng et al., *Towards Robust Fidelity for Evaluating Explainability of Graph Neural Networks*, 2024, arXiv
    /// 2310.01820.
    #[metric(
        name = "robust_pos_fidelity",
        title = "Robust fidelity+",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        needs = NEEDS,
    )]
    pub const ROBUST_POS_FIDELITY: Score<Self> = Score::new(INFO, |robust| Some(robust.pos));

    /// Drop of the share of kept predictions when a random part of the rest of the graph is removed.
    ///
    /// ```text
    /// mean over draws of 1[ŷ = y] − 1[ŷ(graph without a random part of the rest) = y]
    /// ```
    ///
    /// # Extremes
    /// 0: the rest does not matter. 1: removing a part of it changes every prediction.
    ///
    /// # Source
    /// Zheng et al., *Towards Robust Fidelity for Evaluating Explainability of Graph Neural Networks*, 2024, arXiv
    /// 2310.01820.
    #[metric(
        name = "robust_neg_fidelity",
        title = "Robust fidelity-",
        direction = Direction::Lower,
        range = Range::SIGNED_SHARE,
        needs = NEEDS,
    )]
    pub const ROBUST_NEG_FIDELITY: Score<Self> = Score::new(INFO, |robust| Some(robust.neg));

    /// Difference of robust fidelity+ and robust fidelity-.
    ///
    /// ```text
    /// robust fidelity+ − robust fidelity-
    /// ```
    ///
    /// # Extremes
    /// 1: only the explanation matters. 0: explanation and rest matter alike. −1: only the rest matters.
    ///
    /// # Source
    /// Zheng et al., *Towards Robust Fidelity for Evaluating Explainability of Graph Neural Networks*, 2024, arXiv
    /// 2310.01820.
    #[metric(
        name = "robust_fidelity_delta",
        title = "Robust fidelity difference",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        needs = NEEDS,
    )]
    pub const ROBUST_FIDELITY_DELTA: Score<Self> = Score::new(INFO, |robust| Some(robust.delta));

    /// Drop of the class probability when a random part of the explanation is removed.
    ///
    /// ```text
    /// mean over draws of p_y − p_y(graph without a random part of the explanation)
    /// ```
    ///
    /// # Extremes
    /// 0: no part of the explanation matters. 1: removing a part takes all probability.
    ///
    /// # Source
    /// Zheng et al., *Towards Robust Fidelity for Evaluating Explainability of Graph Neural Networks*, 2024, arXiv
    /// 2310.01820.
    #[metric(
        name = "robust_pos_probability",
        title = "Robust fidelity+ by probability",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        needs = NEEDS,
    )]
    pub const ROBUST_POS_PROBABILITY: Score<Self> =
        Score::new(INFO, |robust| robust.by_probability.map(|by| by.pos));

    /// Drop of the class probability when a random part of the rest of the graph is removed.
    ///
    /// ```text
    /// mean over draws of p_y − p_y(graph without a random part of the rest)
    /// ```
    ///
    /// # Extremes
    /// 0: the rest does not matter. 1: removing a part of it takes all probability.
    ///
    /// # Source
    /// Zheng et al., *Towards Robust Fidelity for Evaluating Explainability of Graph Neural Networks*, 2024, arXiv
    /// 2310.01820.
    #[metric(
        name = "robust_neg_probability",
        title = "Robust fidelity- by probability",
        direction = Direction::Lower,
        range = Range::SIGNED_SHARE,
        needs = NEEDS,
    )]
    pub const ROBUST_NEG_PROBABILITY: Score<Self> =
        Score::new(INFO, |robust| robust.by_probability.map(|by| by.neg));

    /// Difference of robust fidelity+ and robust fidelity- by probability.
    ///
    /// ```text
    /// robust fidelity+ by probability − robust fidelity- by probability
    /// ```
    ///
    /// # Extremes
    /// 1: only the explanation matters. 0: explanation and rest matter alike. −1: only the rest matters.
    ///
    /// # Source
    /// Zheng et al., *Towards Robust Fidelity for Evaluating Explainability of Graph Neural Networks*, 2024, arXiv
    /// 2310.01820.
    #[metric(
        name = "robust_probability_delta",
        title = "Robust fidelity difference by probability",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        needs = NEEDS,
    )]
    pub const ROBUST_PROBABILITY_DELTA: Score<Self> =
        Score::new(INFO, |robust| robust.by_probability.map(|by| by.delta));
}

impl Scores for RobustFidelity {
    const SCORES: &'static [Score<Self>] = &[
        Self::ROBUST_POS_FIDELITY,
        Self::ROBUST_NEG_FIDELITY,
        Self::ROBUST_FIDELITY_DELTA,
        Self::ROBUST_POS_PROBABILITY,
        Self::ROBUST_NEG_PROBABILITY,
        Self::ROBUST_PROBABILITY_DELTA,
    ];
}
