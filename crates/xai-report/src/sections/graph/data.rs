//! The section of explanatory subgraphs.

use std::collections::BTreeMap;

use ndarray::ArcArray2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_core::Result;
use xai_core::describe::Scores;
use xai_core::statistics::auroc_interval;
use xai_graph::GroundTruth;
use xai_graph::dataset::{SweepCurve, SweepPoint};
use xai_graph::ground_truth::{Confusion, GroundTruthCurves};

use crate::estimate::{Estimate, Histogram};
use crate::origin::Origin;
use crate::picture::extent;
use crate::sections::graph::neighborhood::{Network, neighborhood, spread};

pub use crate::sections::graph::neighborhood::{DrawnEdge, DrawnNode, Neighborhood};

/// Number of bins of the histogram of a mask.
const N_BINS: usize = 20;
/// Largest number of points of a curve on the page.
const MAX_POINTS: usize = 200;
/// The score of a mask against the truth that has an interval.
pub(crate) const AUROC: &str = "auroc";
/// Confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// Largest number of explainers with fidelity charts, histograms of masks and neighbourhoods of their own. The other
/// charts and the tables have all explainers.
pub(crate) const MAX_DRAWN_EXPLAINERS: usize = 12;

/// Section about graph explanations: are explanatory subgraphs sufficient and necessary?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Graph {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Number of nodes or graphs that are explained.
    pub n_explained: u64,
    /// The explainers.
    pub explainers: Vec<GraphExplainer>,
}

/// The scores of one graph explainer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct GraphExplainer {
    /// Name of the explainer.
    pub name: String,
    /// Scores by size of the explanation.
    pub curve: Vec<SizePoint>,
    /// Index of the point of `curve` with the highest characterization.
    pub best: usize,
    /// Area under the fidelity curve; `None` if fid₋ is 1 at some size.
    pub fidelity_auc: Option<f64>,
    /// Scores of the mask against the ground truth, if both are known.
    pub groundtruth: Option<AgainstTruth>,
    /// Summary of the mask, if it is known.
    pub mask: Option<MaskSummary>,
    /// Neighbourhoods of some explained nodes, if mask and edges are known.
    pub neighborhoods: Vec<Neighborhood>,
}

/// Scores at one size of the explanation. Intervals are over samples: Wilson's for the two shares,
/// a jackknife for the characterization.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SizePoint {
    /// Size of the explanation, for example a share of the edges.
    pub level: f64,
    /// fid₊: share of predictions that change without the explanation, in [0, 1], higher is better.
    pub pos_fidelity: Estimate,
    /// fid₋: share of predictions that change if only the explanation is kept, in [0, 1], lower is better.
    pub neg_fidelity: Estimate,
    /// Characterization, the weighted harmonic mean of fid₊ and 1 − fid₋, in [0, 1], higher is better.
    pub characterization: Estimate,
    /// Unfaithfulness `1 − exp(−KL)`, in [0, 1], lower is better.
    pub unfaithfulness: f64,
}

/// Scores of a mask against the true edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AgainstTruth {
    /// The other scores by name, such as `accuracy`. Scores that count found edges use threshold 0.5.
    #[serde(flatten)]
    pub scores: BTreeMap<String, Option<f64>>,
    /// Probability that a true edge has a higher score than another edge, counting ties as one half: 0.5 =
    /// as by chance. DeLong's interval, which treats edges as independent.
    pub auroc: Estimate,
    /// Share of true edges.
    pub prevalence: f64,
    /// False positive rate and true positive rate, at some of the thresholds.
    pub roc: Vec<[f64; 2]>,
    /// Recall and precision, at some of the thresholds.
    pub precision_recall: Vec<[f64; 2]>,
}

/// Distribution of the scores of a mask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MaskSummary {
    /// Histogram of the scores with twenty bins.
    pub histogram: Histogram,
    /// Histogram of the scores of true edges in the same bins, if the ground truth is known.
    pub histogram_of_true: Option<Histogram>,
}

/// Results of one explainer, from which its part of the section is made.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainerResults {
    /// Name of the explainer.
    pub name: String,
    /// Scores by size of the explanation.
    pub sweep: SweepCurve,
    /// Explained rows; `None` for all.
    pub index: Option<Vec<usize>>,
    /// Scores of the mask against the ground truth.
    pub ground_truth: Option<MaskWithTruth>,
    /// Scores of the mask.
    pub mask: Option<Vec<f64>>,
    /// Ends of the edges that the mask scores, (2, e), to draw the neighbourhoods of explained nodes. Nothing
    /// is drawn if the mask has another number of scores.
    pub edges: Option<ArcArray2<usize>>,
}

/// A mask that was scored against its truth.
#[derive(Debug, Clone, PartialEq)]
pub struct MaskWithTruth {
    /// Its scores.
    pub scores: AgainstTruth,
    /// True for each element of the mask that belongs to the ground truth.
    pub is_true: Vec<bool>,
    /// True if the ROC curve has more points than are drawn.
    pub is_reduced: bool,
}

impl AgainstTruth {
    /// The score with this name; `None` if it is undefined or not in [`scores`](Self::scores).
    #[must_use]
    pub fn score(&self, name: &str) -> Option<f64> {
        self.scores.get(name).copied().flatten()
    }
}

impl MaskWithTruth {
    /// Creates the scores of a mask with the interval of the AUROC, and with curves reduced to the number of points
    /// that the page draws.
    ///
    /// # Errors
    /// As [`auroc_interval`]: a mask and a truth of different lengths, or a mask that is not finite.
    pub fn new(
        scores: &GroundTruth,
        curves: GroundTruthCurves,
        mask: &[f64],
        is_true: Vec<bool>,
    ) -> Result<Self> {
        let interval = auroc_interval(mask, &is_true, CONFIDENCE)?;
        let n_points = curves.roc.as_ref().map_or(0, |roc| roc.points.len());
        let roc = curves.roc.map(|roc| roc.reduced(MAX_POINTS).points);
        let precision_recall = curves.precision_recall;
        let precision_recall = precision_recall.map(|curve| curve.reduced(MAX_POINTS).points);
        let scores = AgainstTruth {
            scores: scores
                .values()
                .filter(|(name, _)| *name != AUROC)
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            auroc: Estimate::new(scores.auroc, interval, scores.confusion.total()),
            prevalence: prevalence(&scores.confusion),
            roc: roc
                .into_iter()
                .flatten()
                .map(|point| [point.false_positive_rate, point.true_positive_rate])
                .collect(),
            precision_recall: precision_recall
                .into_iter()
                .flatten()
                .map(|point| [point.recall, point.precision])
                .collect(),
        };
        Ok(Self {
            scores,
            is_true,
            is_reduced: n_points > MAX_POINTS,
        })
    }
}

/// The share of true elements.
fn prevalence(confusion: &Confusion) -> f64 {
    let n_true = confusion.true_positives + confusion.false_negatives;
    n_true as f64 / confusion.total() as f64
}

impl Graph {
    /// Creates the section from the results of several explainers. The surroundings of up to `n_drawn` explained nodes
    /// are drawn, for every explainer of the same nodes if possible.
    ///
    /// ```
    /// use ndarray::{Axis, array};
    /// use xai_graph::SparsitySweep;
    /// use xai_report::sections::graph::{ExplainerResults, Graph};
    /// use xai_report::Origin;
    ///
    /// // Outputs of three nodes: on the graph, on the explanation alone, and without it.
    /// let full = array![[2.0, 0.0], [0.0, 2.0], [0.0, 1.0]];
    /// let kept = array![[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]];
    /// let without = array![[[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]];
    /// let sweep = SparsitySweep::new().evaluate(full.view(), kept.view(), without.view(), &[0.5])?;
    /// let results = ExplainerResults {
    ///     name: "gradient".to_owned(),
    ///     sweep,
    ///     index: None,
    ///     ground_truth: None,
    ///     mask: Some(vec![0.9, 0.1]),
    ///     edges: None,
    /// };
    /// let section = Graph::new(Origin::new(&Graph::KIND, 1, "Three nodes"), vec![results], 3);
    /// assert_eq!(section.explainers[0].curve[0].pos_fidelity.value, Some(2.0 / 3.0));
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    #[must_use]
    pub fn new(mut origin: Origin, explainers: Vec<ExplainerResults>, n_drawn: usize) -> Self {
        let scored: Vec<Scored> = explainers.into_iter().map(Scored::new).collect();
        let n_explained = scored
            .first()
            .map_or(0, |scored| scored.results.sweep.n_samples);
        let nodes = nodes_of_all(&scored, n_drawn);
        let drawn: Vec<Vec<Neighborhood>> = scored
            .iter()
            .map(|scored| scored.neighborhoods(&nodes, n_drawn))
            .collect();
        origin.remarks.extend(remarks(&scored, &drawn, n_explained));
        Self {
            origin,
            n_explained,
            explainers: std::iter::zip(scored, drawn)
                .map(|(scored, neighborhoods)| GraphExplainer::new(scored.results, neighborhoods))
                .collect(),
        }
    }
}

/// Remarks for the reader of the section.
fn remarks(scored: &[Scored], drawn: &[Vec<Neighborhood>], n_explained: u64) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut truths = scored
        .iter()
        .filter_map(|of| of.results.ground_truth.as_ref());
    if truths.any(|truth| truth.is_reduced) {
        remarks.push(
            "The ROC and precision-recall curves are drawn through some of their points."
                .to_owned(),
        );
    }
    if let Some(n) = drawn.iter().map(Vec::len).max().filter(|&n| n > 0) {
        remarks.push(format!("{n} of {n_explained} explained nodes are drawn."));
    }
    if scored.len() > MAX_DRAWN_EXPLAINERS {
        remarks.push(format!(
            "The fidelity charts, masks and neighbourhoods show the first {MAX_DRAWN_EXPLAINERS} of {} explainers; \
             the other charts and the tables show all.",
            scored.len()
        ));
    }
    remarks
}

/// The results of an explainer with its network, where edges and mask fit.
struct Scored {
    results: ExplainerResults,
    network: Option<Network>,
}

/// Explained nodes with an edge that every explainer with a network scores, evenly spread. They are drawn for all
/// explainers, so that the same surroundings can be compared.
fn nodes_of_all(scored: &[Scored], n: usize) -> Vec<usize> {
    let networks: Vec<&Network> = scored.iter().filter_map(|s| s.network.as_ref()).collect();
    let Some(first) = scored.first().filter(|_| !networks.is_empty()) else {
        return Vec::new();
    };
    let is_scored = |&node: &usize| networks.iter().all(|network| network.is_scored(node));
    spread(&first.explained(is_scored), n)
}

impl Scored {
    fn new(results: ExplainerResults) -> Self {
        // A mask that is known by its truth alone may be one of nodes or features.
        let fits = |(mask, edges): &(&Vec<f64>, &ArcArray2<usize>)| mask.len() == edges.ncols();
        let of_edges = results.mask.as_ref().zip(results.edges.as_ref());
        let network = of_edges.filter(fits).map(|(mask, edges)| {
            let truth = results.ground_truth.as_ref();
            let truth = truth.map(|truth| &truth.is_true[..]);
            Network::new(
                edges.view(),
                mask,
                truth.filter(|truth| truth.len() == mask.len()),
            )
        });
        Self { results, network }
    }

    /// The nodes that are explained and fit.
    fn explained(&self, fits: impl Fn(&usize) -> bool) -> Vec<usize> {
        let all = 0..usize::try_from(self.results.sweep.n_samples).unwrap_or_default();
        match &self.results.index {
            Some(index) => index.iter().copied().filter(fits).collect(),
            None => all.filter(fits).collect(),
        }
    }

    /// The surroundings of the nodes that all explainers share or, where there are none, of its own.
    fn neighborhoods(&self, nodes: &[usize], n: usize) -> Vec<Neighborhood> {
        let Some(network) = &self.network else {
            return Vec::new();
        };
        let own: Vec<usize> = match nodes {
            [] => spread(&self.explained(|node| network.is_scored(*node)), n),
            nodes => nodes.to_vec(),
        };
        own.into_iter()
            .map(|node| neighborhood(network, node))
            .collect()
    }
}

impl GraphExplainer {
    fn new(results: ExplainerResults, neighborhoods: Vec<Neighborhood>) -> Self {
        let (curve, ground_truth) = (results.sweep, results.ground_truth);
        let truth = ground_truth.as_ref().map(|truth| &truth.is_true[..]);
        let points = curve.points.iter();
        Self {
            name: results.name,
            curve: points
                .map(|point| SizePoint::new(point, curve.n_samples))
                .collect(),
            best: curve.best,
            fidelity_auc: curve.fidelity_auc,
            mask: results.mask.map(|mask| MaskSummary::new(&mask, truth)),
            groundtruth: ground_truth.map(|truth| truth.scores),
            neighborhoods,
        }
    }
}

impl SizePoint {
    fn new(point: &SweepPoint, n: u64) -> Self {
        let estimate = |value, interval| Estimate::new(Some(value), interval, n);
        Self {
            level: point.level,
            pos_fidelity: estimate(point.pos_fidelity, point.pos_interval),
            neg_fidelity: estimate(point.neg_fidelity, point.neg_interval),
            characterization: estimate(point.characterization, point.characterization_interval),
            unfaithfulness: point.unfaithfulness,
        }
    }
}

impl MaskSummary {
    /// The distribution of a mask, over [0, 1] where its scores are in it.
    fn new(mask: &[f64], truth: Option<&[bool]>) -> Self {
        let range = match extent(mask.iter().copied()) {
            Some((low, high)) if low < 0.0 || high > 1.0 => (low, high),
            _ => (0.0, 1.0),
        };
        let truth = truth.filter(|truth| truth.len() == mask.len());
        Self {
            histogram: Histogram::new(mask.iter().copied(), range, N_BINS),
            histogram_of_true: truth.map(|truth| {
                let of_true = mask.iter().zip(truth).filter(|(_, is_true)| **is_true);
                Histogram::new(of_true.map(|(&score, _)| score), range, N_BINS)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_beyond_one_have_a_histogram_of_their_own_range() {
        let logits = MaskSummary::new(&[-2.0, 0.0, 2.0], Some(&[false, false, true]));
        assert_eq!((logits.histogram.from, logits.histogram.to), (-2.0, 2.0));
        assert_eq!(logits.histogram_of_true.unwrap().counts[N_BINS - 1], 1);
        let shares = MaskSummary::new(&[0.25, 0.5], None);
        assert_eq!((shares.histogram.from, shares.histogram.to), (0.0, 1.0));
    }
}
