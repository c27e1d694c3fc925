//! The section of explanatory subgraphs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::estimate::Estimate;
use super::histogram::Histogram;
use super::origin::Origin;

/// Explainers from which on charts, masks and neighbourhoods are left to the tables.
pub(crate) const MOST_DRAWN_EXPLAINERS: usize = 12;

/// Are explanatory subgraphs sufficient and necessary?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Graph {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// Nodes or graphs that are explained.
    pub(crate) n_explained: u64,
    /// The explainers.
    pub(crate) explainers: Vec<GraphExplainer>,
}

/// The scores of one graph explainer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct GraphExplainer {
    /// What it is called.
    pub(crate) name: String,
    /// Its scores over the sizes of the explanation.
    pub(crate) curve: Vec<SizePoint>,
    /// The point of the highest characterization.
    pub(crate) best: usize,
    /// The area under the fidelity curve; `None` where fid− is 1 at some size.
    pub(crate) fidelity_auc: Option<f64>,
    /// Its mask against the truth, where both are known.
    pub(crate) groundtruth: Option<AgainstTruth>,
    /// Its mask, where it is known.
    pub(crate) mask: Option<MaskSummary>,
    /// The surroundings of some explained nodes, where mask and edges are known.
    pub(crate) neighborhoods: Vec<Neighborhood>,
}

/// Scores at one size of the explanation. Intervals are over samples: Wilson's for the two shares, a jackknife
/// for the characterization.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SizePoint {
    /// The size: a share of the edges, say.
    pub(crate) level: f64,
    /// fid₊, the share of predictions that change without the explanation, in [0, 1], higher is better.
    pub(crate) pos_fidelity: Estimate,
    /// fid₋, the share that change with the explanation alone, in [0, 1], lower is better.
    pub(crate) neg_fidelity: Estimate,
    /// Both in one, in [0, 1], higher is better.
    pub(crate) characterization: Estimate,
    /// `1 − exp(−KL)` in [0, 1], lower is better.
    pub(crate) unfaithfulness: f64,
}

/// A mask against the true edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct AgainstTruth {
    /// The share of edges where mask and truth agree, at threshold 0.5.
    pub(crate) accuracy: Option<f64>,
    /// The share of true edges that the mask has.
    pub(crate) recall: Option<f64>,
    /// The share of the mask's edges that are true.
    pub(crate) precision: Option<f64>,
    /// The harmonic mean of the two.
    pub(crate) f1_score: Option<f64>,
    /// The probability that a true edge has a higher score than another, ties half: 0.5 = chance. The
    /// interval (DeLong's) takes edges for independent.
    pub(crate) auroc: Estimate,
    /// The mean precision over the true edges; chance is the share of true edges.
    pub(crate) average_precision: Option<f64>,
    /// Intersection over union.
    pub(crate) jaccard: Option<f64>,
    /// The share of true edges.
    pub(crate) prevalence: f64,
    /// False positive rate and true positive rate, at some of the thresholds.
    pub(crate) roc: Vec<[f64; 2]>,
    /// Recall and precision, at some of the thresholds.
    pub(crate) precision_recall: Vec<[f64; 2]>,
}

/// How the scores of a mask are distributed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MaskSummary {
    /// Its scores in twenty bins.
    pub(crate) histogram: Histogram,
    /// The scores of true edges alone, in the same bins, where the truth is known.
    pub(crate) histogram_of_true: Option<Histogram>,
}

/// An explained node and what is around it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Neighborhood {
    /// The explained node.
    pub(crate) node: usize,
    /// How many nodes the neighbourhood has that are not drawn.
    pub(crate) n_left_out: usize,
    /// The nodes, the explained one first.
    pub(crate) nodes: Vec<DrawnNode>,
    /// The edges between them, once for both directions.
    pub(crate) edges: Vec<DrawnEdge>,
}

/// A node and its place in the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct DrawnNode {
    /// The node.
    pub(crate) node: usize,
    /// Its place, in [0, 1].
    pub(crate) x: f64,
    /// Its place, in [0, 1].
    pub(crate) y: f64,
}

/// An edge of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct DrawnEdge {
    /// The place of the one node in [`Neighborhood::nodes`].
    pub(crate) from: usize,
    /// The place of the other one.
    pub(crate) to: usize,
    /// The score of the mask, the larger one of the two directions.
    pub(crate) score: f64,
    /// Whether the edge belongs to the truth, where that is known.
    pub(crate) is_true: Option<bool>,
}
