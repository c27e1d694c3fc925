//! What a report is made from: a `STUDY.toml` that names the files of each family.

use serde::de::{Deserialize, Deserializer, Error};
use xai_metrics::attribution::Activation;

use crate::attribution::options::{ACTIVATIONS, Channels};
use crate::choice;
use crate::failure::Failure;
#[cfg(feature = "onnx")]
use crate::input::onnx::engine::EngineName;

/// A study: one section per family, each optional.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StudyFile {
    #[serde(default = "untitled")]
    pub(super) title: String,
    pub(super) casebased: Option<CasebasedInputs>,
    pub(super) attribution: Option<AttributionInputs>,
    pub(super) graph: Option<GraphInputs>,
    pub(super) repro: Option<ReproInputs>,
    pub(super) simulation: Option<SimulationInputs>,
}

fn untitled() -> String {
    "Study".to_owned()
}

/// Files as for `xai casebased explain`; `redact` means what `--redact` does.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CasebasedInputs {
    pub(super) train: String,
    pub(super) test: String,
    pub(super) label: String,
    pub(super) predicted: String,
    #[serde(default = "five")]
    pub(super) k: usize,
    /// Columns whose values are in no output.
    #[serde(default)]
    pub(super) redact: Vec<String>,
    /// Columns of the training file that are left out.
    #[serde(default)]
    pub(super) drop_columns: Vec<String>,
    /// Whether rows with a missing cell are left out; an error else.
    #[serde(default)]
    pub(super) drop_rows_with_missing: bool,
}

fn five() -> usize {
    5
}

/// Files as for `xai attribution average-drop`, one map file per explainer.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AttributionInputs {
    pub(super) model: String,
    pub(super) inputs: String,
    pub(super) targets: String,
    #[serde(default, deserialize_with = "activation")]
    pub(super) activation: Activation,
    #[serde(default)]
    pub(super) channels: Option<Channels>,
    /// Metrics of the registry.
    #[serde(default = "averages")]
    pub(super) metrics: Vec<String>,
    pub(super) explainers: Vec<MapExplainer>,
    /// What runs the model.
    #[cfg(feature = "onnx")]
    #[serde(default)]
    pub(super) engine: EngineName,
    /// The model's output that holds the scores.
    #[cfg(feature = "onnx")]
    pub(super) model_output: Option<String>,
}

fn averages() -> Vec<String> {
    ["average-drop", "average-increase", "average-gain"]
        .map(str::to_owned)
        .to_vec()
}

fn activation<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Activation, D::Error> {
    let word = String::deserialize(deserializer)?;
    choice::meaning(ACTIVATIONS, &word).ok_or_else(|| {
        let words: Vec<&str> = ACTIVATIONS.iter().map(|(word, ..)| *word).collect();
        D::Error::custom(format!("activation {word}: expected {}", words.join(", ")))
    })
}

/// One attribution method.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapExplainer {
    pub(super) name: String,
    pub(super) maps: String,
}

/// Outputs `(n, c)` on the full graph, and `(levels, n, c)` at each kept fraction of the edges.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GraphInputs {
    pub(super) full: String,
    pub(super) index: Option<String>,
    pub(super) kept_fraction: String,
    pub(super) edge_mask_true: Option<String>,
    pub(super) explainers: Vec<GraphExplainer>,
}

/// One graph explainer.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GraphExplainer {
    pub(super) name: String,
    pub(super) kept: String,
    pub(super) complement: String,
    pub(super) edge_mask: Option<String>,
}

/// Files as for `xai repro pairwise`: an array of runs and one of labels; or a `.csv` with a column per
/// run, and the column, or the array, of the labels.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReproInputs {
    pub(super) predictions: String,
    pub(super) labels: String,
    /// Columns of the table that are no runs.
    #[serde(default)]
    pub(super) drop_columns: Vec<String>,
}

/// The simulation study: draws that `xai repro simulate study --out` wrote, or so many made anew.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SimulationInputs {
    pub(super) draws: Option<String>,
    /// How many draws are made, 2000 unless given; beside `draws`, how many there must be.
    pub(super) iterations: Option<u64>,
    /// What they are made from, unless `--seed` is given.
    #[serde(default = "seed")]
    pub(super) seed: u64,
}

fn seed() -> u64 {
    1
}

impl StudyFile {
    /// Reads the text of a study.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Failure> {
        let text = std::str::from_utf8(bytes).map_err(|_| Failure::new("not UTF-8 text"))?;
        toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .map(|span| text[..span.start].matches('\n').count() + 1);
            let place = line.map_or_else(String::new, |line| format!("line {line}: "));
            Failure::new(format!("{place}{}", error.message()))
        })
    }

    /// Whether the study has no section.
    pub(super) fn is_empty(&self) -> bool {
        self.casebased.is_none()
            && self.attribution.is_none()
            && self.graph.is_none()
            && self.repro.is_none()
            && self.simulation.is_none()
    }
}
