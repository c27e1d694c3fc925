//! What a report is made from: a `STUDY.toml` and the files it names, or the built-in sample.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::arrays::{self, Stored};
use crate::failure::{Failure, InFile};
use crate::table::Table;

/// A study: one section a family, each optional.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Study {
    #[serde(default = "untitled")]
    pub(super) title: String,
    pub(super) casebased: Option<Casebased>,
    pub(super) attribution: Option<Attribution>,
    pub(super) graph: Option<Graph>,
    pub(super) repro: Option<Repro>,
    pub(super) simulation: Option<Simulation>,
}

fn untitled() -> String {
    "Study".to_owned()
}

/// Files as for `xai casebased explain`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Casebased {
    pub(super) train: String,
    pub(super) test: String,
    pub(super) label: String,
    pub(super) predicted: String,
    #[serde(default = "five")]
    pub(super) k: usize,
    /// Columns whose values never reach the report.
    #[serde(default)]
    pub(super) redact: Vec<String>,
}

fn five() -> usize {
    5
}

/// Files as for `xai attribution average-drop`, one map file an explainer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attribution {
    pub(super) model: String,
    pub(super) inputs: String,
    pub(super) targets: String,
    #[serde(default)]
    pub(super) activation: crate::attribution::ActivationName,
    #[serde(default)]
    pub(super) channels: crate::attribution::ChannelsName,
    pub(super) explainers: Vec<MapExplainer>,
}

/// One attribution method.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapExplainer {
    pub(super) name: String,
    pub(super) maps: String,
}

/// Outputs `(n, c)` on the full graph, and `(levels, n, c)` at each kept fraction of the edges.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Graph {
    pub(super) full: String,
    pub(super) index: Option<String>,
    pub(super) kept_fraction: String,
    pub(super) edge_mask_true: Option<String>,
    pub(super) explainers: Vec<GraphExplainer>,
}

/// One graph explainer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GraphExplainer {
    pub(super) name: String,
    pub(super) kept: String,
    pub(super) complement: String,
    pub(super) edge_mask: Option<String>,
}

/// Files as for `xai repro pairwise`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Repro {
    pub(super) predictions: String,
    pub(super) labels: String,
}

/// The simulation study: draws that `xai repro simulate study --out` wrote, or so many made anew.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Simulation {
    pub(super) draws: Option<String>,
    #[serde(default = "iterations")]
    pub(super) iterations: u64,
    #[serde(default = "seed")]
    pub(super) seed: u64,
}

fn iterations() -> u64 {
    2000
}

fn seed() -> u64 {
    1
}

/// Where the files of a study are.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Source {
    /// Beside the study file.
    Folder(PathBuf),
    /// In the binary.
    BuiltIn,
}

impl Source {
    /// The study file at a path, or the built-in one.
    pub(super) fn open(study: Option<&Path>) -> Result<(Self, Study), Failure> {
        let Some(path) = study else {
            let study = parse(&Self::BuiltIn.bytes("study.toml")?).in_file("study.toml")?;
            return Ok((Self::BuiltIn, study));
        };
        let name = path.display().to_string();
        let bytes = std::fs::read(path)
            .map_err(|e| Failure::new(format!("cannot be opened: {e}")))
            .in_file(&name)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok((Self::Folder(folder), parse(&bytes).in_file(&name)?))
    }

    fn path(folder: &Path, name: &str) -> String {
        folder.join(name).display().to_string()
    }

    /// The bytes of a file.
    pub(super) fn bytes(&self, name: &str) -> Result<Cow<'static, [u8]>, Failure> {
        match self {
            Self::Folder(folder) => {
                let path = Self::path(folder, name);
                std::fs::read(&path)
                    .map(Cow::Owned)
                    .map_err(|e| Failure::new(format!("cannot be opened: {e}")))
                    .in_file(&path)
            }
            Self::BuiltIn => SAMPLE
                .iter()
                .find(|(file, _)| *file == name)
                .map(|(_, bytes)| Cow::Borrowed(*bytes))
                .ok_or_else(|| Failure::new("not in the built-in sample").in_file(name)),
        }
    }

    /// An array.
    pub(super) fn array(&self, name: &str) -> Result<Stored, Failure> {
        match self {
            Self::Folder(folder) => arrays::read(&Self::path(folder, name)),
            Self::BuiltIn => arrays::read_bytes(name, &self.bytes(name)?),
        }
    }

    /// A table.
    pub(super) fn table(&self, name: &str) -> Result<Table, Failure> {
        match self {
            Self::Folder(folder) => Table::read(&Self::path(folder, name)),
            Self::BuiltIn => Table::parse(name, &*self.bytes(name)?),
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Study, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|_| Failure::new("not UTF-8 text"))?;
    toml::from_str(text).map_err(|error| {
        let line = error
            .span()
            .map(|span| text[..span.start].matches('\n').count() + 1);
        let place = line.map_or_else(String::new, |line| format!("line {line}: "));
        Failure::new(format!("{place}{}", error.message()))
    })
}

/// Every file of the sample study, so that the binary needs nothing beside it.
macro_rules! sample {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../sample/", $name)))),*]
    };
}

const SAMPLE: &[(&str, &[u8])] = sample![
    "study.toml",
    "casebased/train.csv",
    "casebased/test.csv",
    "attribution/model.onnx",
    "attribution/inputs.npy",
    "attribution/targets.npy",
    "attribution/saliency.npy",
    "attribution/integrated_gradients.npy",
    "attribution/occlusion.npy",
    "attribution/random.npy",
    "graph/logits_full.npy",
    "graph/index.npy",
    "graph/kept_fraction.npy",
    "graph/edge_mask_true.npy",
    "graph/gnn_explainer/logits_kept.npy",
    "graph/gnn_explainer/logits_complement.npy",
    "graph/gnn_explainer/edge_mask.npy",
    "graph/random/logits_kept.npy",
    "graph/random/logits_complement.npy",
    "graph/random/edge_mask.npy",
    "repro/predictions.npy",
    "repro/labels.npy",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_study_names_only_files_it_has() {
        let (source, study) = Source::open(None).unwrap();
        let attribution = study.attribution.unwrap();
        let graph = study.graph.unwrap();
        let mut names = vec![attribution.model, attribution.inputs, attribution.targets];
        names.extend(attribution.explainers.into_iter().map(|e| e.maps));
        names.extend([graph.full, graph.kept_fraction]);
        names.extend(
            graph
                .explainers
                .into_iter()
                .flat_map(|e| [e.kept, e.complement]),
        );
        for name in names {
            assert!(!source.bytes(&name).unwrap().is_empty(), "{name}");
        }
    }

    #[test]
    fn a_wrong_study_file_is_named_with_its_line() {
        let failure = parse(b"title = 'x'\n[casebased]\ntrian = 't.csv'\n").unwrap_err();
        assert!(
            failure
                .to_string()
                .starts_with("error: line 3: unknown field `trian`"),
            "{failure}"
        );
    }
}
