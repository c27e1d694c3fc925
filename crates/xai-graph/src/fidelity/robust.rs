//! Robust fidelity: fidelity by taking a little away at a time.

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
use crate::model::graph_model::{GraphModel, call};
use crate::outputs::output_rows::ReturnType;
use crate::{help, input};

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
    /// The same by probabilities, of the same draws; `None` unless
    /// [`probabilities`](RobustFidelityMetric::probabilities) asks for it.
    pub by_probability: Option<RobustFidelityByProbability>,
}

/// Robust fidelity by the probability of one class instead of whether it is the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RobustFidelityByProbability {
    /// How much less probable the class is when a part of the explanation is gone, in [−1, 1].
    /// Higher is better.
    pub pos: f64,
    /// How much less probable it is when a part of all the rest is gone. Lower is better.
    pub neg: f64,
    /// `pos − neg`, higher is better.
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
/// By [`probabilities`](Self::probabilities) as well, the probability of `y_i` takes the place of
/// `1[… = y_i]`: it also moves where the answer does not change.
///
/// Each draw has its own random stream: the result depends on the seed and not on the threads.
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
/// let metric = RobustFidelityMetric::new().n_draws(1000);
/// let fidelity = metric.evaluate(&model, graph, explanation.view())?;
/// assert!((fidelity.pos - 0.1).abs() < 4.0 * fidelity.pos_standard_error);
/// assert_eq!(fidelity.neg, 0.0);
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Zheng et al., *Towards robust fidelity for evaluating explainability of graph neural
/// networks*, ICLR 2024, arXiv 2310.01820; α₁ = 0.1 and α₂ = 0.9 are theirs. They report it by labels
/// and by probabilities.
#[derive(Debug, Clone, Copy, Parameters)]
pub struct RobustFidelityMetric<'a> {
    /// α₁ in [0, 1], the probability that an edge of the explanation is removed.
    #[param(at_least = 0, at_most = 1, default = 0.1)]
    alpha_pos: f64,
    /// α₂ in [0, 1], the probability that an edge outside the explanation stays.
    #[param(at_least = 0, at_most = 1, default = 0.9)]
    alpha_neg: f64,
    /// The number of random draws.
    ///
    /// A standard error takes two; their values are kept until their mean is taken.
    #[param(at_least = 2, at_most = 16_777_216, default = 50)]
    n_draws: usize,
    /// The seed of the draws.
    #[param(default = 1)]
    seed: u64,
    #[param(skip, default = FidelityMetric::model())]
    fidelity: FidelityMetric<'a>,
    #[param(skip, default = EdgeChoices::new())]
    edges: EdgeChoices,
    /// What the outputs hold, where they are compared by probabilities too.
    #[param(skip)]
    probabilities: Option<ReturnType>,
}

impl<'a> RobustFidelityMetric<'a> {
    /// α₁ = 0.1, α₂ = 0.9, 50 draws of seed 1, explanations of the model.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is compared, and on which rows.
    #[must_use]
    pub fn fidelity(mut self, metric: FidelityMetric<'a>) -> Self {
        self.fidelity = metric;
        self
    }

    /// How edges are taken away, and whether their two directions are drawn together.
    #[must_use]
    pub fn edges(mut self, edges: EdgeChoices) -> Self {
        self.edges = edges;
        self
    }

    /// Compares probabilities too, of the same draws; `returns` says what the outputs hold. The class
    /// is the true one for explanations of the phenomenon, and the one predicted on the whole graph
    /// for those of the model.
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use xai_graph::{Graph, ReturnType, RobustFidelityMetric};
    /// // The first edge makes class 1 probable, and does not decide the answer.
    /// let model = |graph: Graph<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     let p = 0.6 + graph.edge_weight.map_or(0.3, |weight| 0.3 * weight[0]);
    ///     Ok(array![[1.0 - p, p]])
    /// };
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

    /// How often the model is called: on the whole graph, and twice per draw.
    #[must_use]
    pub fn n_calls(&self) -> usize {
        self.n_draws.saturating_mul(2).saturating_add(1)
    }

    /// The robust fidelity of an explanation by edges.
    ///
    /// `explanation` is a hard mask, `(n_edges,)` of 0 and 1
    /// ([`sparsify`](crate::mask::sparsify()) makes one); of an undirected edge, both directions. The
    /// model is called once on the whole graph and twice per draw, draws in parallel.
    ///
    /// # Errors
    /// `InvalidParameter` for α outside [0, 1], below two draws and above 2²⁴, `ShapeMismatch`,
    /// `OutOfDomain` for a soft mask or one whose directions differ, `Model`, and those of
    /// [`FidelityMetric::evaluate`].
    pub fn evaluate<T: Real>(
        &self,
        model: &(impl GraphModel<T> + ?Sized),
        graph: Graph<'_, T>,
        explanation: ArrayView1<'_, T>,
    ) -> Result<RobustFidelity> {
        self.check_params()?;
        check_shape(input::EXPLANATION, &[graph.n_edges()], explanation.shape())?;
        // The fields of a graph are public: they can be changed after they were checked.
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

/// How much one draw changes, by labels and by probabilities (0 where those are not asked for).
struct Changes {
    pos: f64,
    neg: f64,
    probability_pos: f64,
    probability_neg: f64,
}

/// What every draw of an evaluation shares.
struct Drawing<'a, 'g, T, M: ?Sized> {
    metric: &'a RobustFidelityMetric<'a>,
    model: &'a M,
    graph: Graph<'g, T>,
    pairs: &'a UndirectedEdges,
    /// Which undirected edges are explained.
    explained: &'a [bool],
    full: &'a Array2<T>,
}

impl<T: Real, M: GraphModel<T> + ?Sized> Drawing<'_, '_, T, M> {
    /// How much less often the answer holds, and how much less probable it is, without a part of the
    /// explanation, and with it and a part of the rest.
    fn changes(&self, draw: usize) -> Result<Changes> {
        let (metric, explained) = (self.metric, self.explained);
        let mut stream = random_stream(metric.seed, draw as u64);
        // Every undirected edge takes its two numbers, whatever it is part of.
        let numbers: Vec<(f64, f64)> = (0..self.pairs.n_pairs)
            .map(|_| (uniform(&mut stream), uniform(&mut stream)))
            .collect();
        let without = self.outputs(
            &format!("the graph without a part of the explanation of draw {draw}"),
            |pair| !explained[pair] || numbers[pair].0 >= metric.alpha_pos,
        )?;
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
        })
    }

    /// The outputs on the undirected edges that stay.
    fn outputs(&self, part: &str, stays: impl Fn(usize) -> bool) -> Result<Array2<T>> {
        let value = |&pair: &usize| if stays(pair) { T::one() } else { T::zero() };
        let mask: Array1<T> = self.pairs.of_edge.iter().map(value).collect();
        let explanation = Explanation::edges(mask.view());
        let rest = explanation.kept(self.graph, self.metric.edges.removal)?;
        call(self.model, rest.view(), part, Some(self.full.dim()))
    }
}

/// Which undirected edges are explained, from a hard mask over directed ones.
fn hard_pairs<T: Real>(mask: ArrayView1<'_, T>, pairs: &UndirectedEdges) -> Result<Vec<bool>> {
    let mut explained = vec![None; pairs.n_pairs];
    for (edge, (&pair, &value)) in pairs.of_edge.iter().zip(mask).enumerate() {
        let bad = |expected: &'static str| {
            Error::out_of_domain(input::EXPLANATION, &[edge], value.to_f64_exact(), expected)
        };
        if value != T::zero() && value != T::one() {
            return Err(bad("0 or 1").with_help(help::SPARSIFY_FIRST));
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
    let n = mean.count() as f64;
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
    /// 2: only the explanation matters. 0: explanation and rest matter alike. −2: only the rest matters.
    ///
    /// # Source
    /// Zheng et al., *Towards Robust Fidelity for Evaluating Explainability of Graph Neural Networks*, 2024, arXiv
    /// 2310.01820.
    #[metric(
        name = "robust_fidelity_delta",
        title = "Robust fidelity difference",
        direction = Direction::Higher,
        range = Range::closed(-2.0, 2.0),
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
    /// 2: only the explanation matters. 0: explanation and rest matter alike. −2: only the rest matters.
    ///
    /// # Source
    /// Zheng et al., *Towards Robust Fidelity for Evaluating Explainability of Graph Neural Networks*, 2024, arXiv
    /// 2310.01820.
    #[metric(
        name = "robust_probability_delta",
        title = "Robust fidelity difference by probability",
        direction = Direction::Higher,
        range = Range::closed(-2.0, 2.0),
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
