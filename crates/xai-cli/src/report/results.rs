//! What a report says, as values: `report.json`, and the source of the page.

use serde::Serialize;

/// `report.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Report {
    pub(super) title: String,
    pub(super) casebased: Option<Casebased>,
    pub(super) attribution: Option<Attribution>,
    pub(super) graph: Option<Graph>,
    pub(super) repro: Option<crate::repro::PairwiseResult>,
    pub(super) simulation: Option<Simulation>,
}

/// Agreement of predictions with their nearest training cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Casebased {
    pub(super) n_train: usize,
    pub(super) n_test: usize,
    pub(super) k: usize,
    pub(super) mean_correspondence: Option<f64>,
    pub(super) right: Group,
    pub(super) wrong: Group,
    pub(super) levels: Vec<LevelCount>,
    /// The predictions with the lowest correspondence, lowest first.
    pub(super) least_supported: Vec<crate::casebased::ExplanationResult>,
}

/// The predictions that were right, or those that were wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Group {
    pub(super) n: usize,
    pub(super) mean_correspondence: Option<f64>,
}

/// How many predictions have a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LevelCount {
    pub(super) level: xai_metrics::casebased::Level,
    pub(super) n: usize,
}

/// Whether the model still believes its answer on what each map keeps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Attribution {
    pub(super) n_samples: usize,
    pub(super) activation: String,
    pub(super) explainers: Vec<AttributionScores>,
}

/// The scores of one attribution method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct AttributionScores {
    pub(super) name: String,
    pub(super) average_drop: f64,
    pub(super) average_increase: f64,
    pub(super) average_gain: f64,
}

/// Sufficiency and necessity of explanatory subgraphs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Graph {
    pub(super) n_explained: usize,
    pub(super) explainers: Vec<GraphScores>,
}

/// The scores of one graph explainer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct GraphScores {
    pub(super) name: String,
    pub(super) curve: Vec<CurvePoint>,
    /// Undefined when a level has fid₋ = 1.
    pub(super) fidelity_auc: Option<f64>,
    pub(super) groundtruth: Option<crate::graph::GroundtruthResult>,
}

/// The scores with a share of the edges kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CurvePoint {
    pub(super) kept_fraction: f64,
    pub(super) pos_fidelity: f64,
    pub(super) neg_fidelity: f64,
    pub(super) characterization: f64,
    pub(super) unfaithfulness: f64,
}

/// How the reproducibility metrics behave where the truth is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Simulation {
    pub(super) summary: xai_metrics::repro::StudySummary,
    pub(super) profiles: Vec<xai_metrics::repro::AccuracyProfile>,
}
