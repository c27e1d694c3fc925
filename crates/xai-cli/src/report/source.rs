//! Where the files of a study are: beside its `STUDY.toml`, or in the binary.

use std::borrow::Cow;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use super::study_file::StudyFile;
use crate::failure::{Failure, InFile};
use crate::input::arrays::{self, StoredArray};
use crate::input::table::Table;

/// The files of a study.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Source {
    /// Beside the study file.
    Folder {
        /// The study file.
        study: PathBuf,
        folder: PathBuf,
    },
    /// In the binary.
    BuiltIn,
}

impl Source {
    /// The study file at a path, or the built-in one.
    pub(super) fn open(study: Option<&Path>) -> Result<(Self, StudyFile), Failure> {
        let source = match study {
            None => Self::BuiltIn,
            Some(study) => Self::Folder {
                study: study.to_owned(),
                folder: study.parent().unwrap_or(Path::new("")).to_owned(),
            },
        };
        let name = source.study();
        let bytes = match study {
            None => source.bytes("study.toml")?,
            Some(path) => read(path)?,
        };
        let study = StudyFile::parse(&bytes).in_file(&name)?;
        Ok((source, study))
    }

    /// The study file.
    pub(super) fn study(&self) -> PathBuf {
        match self {
            Self::Folder { study, .. } => study.clone(),
            Self::BuiltIn => PathBuf::from("study.toml"),
        }
    }

    /// The path of a file that the study names.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        match self {
            Self::Folder { folder, .. } => folder.join(name),
            Self::BuiltIn => PathBuf::from(name),
        }
    }

    /// The bytes of a file.
    pub(super) fn bytes(&self, name: &str) -> Result<Cow<'static, [u8]>, Failure> {
        match self {
            Self::Folder { folder, .. } => read(&folder.join(name)),
            Self::BuiltIn => SAMPLE
                .iter()
                .find(|(file, _)| *file == name)
                .map(|(_, bytes)| Cow::Borrowed(*bytes))
                .ok_or_else(|| Failure::new("not in the built-in sample").in_file(name)),
        }
    }

    /// An array.
    pub(super) fn array(&self, name: &str) -> Result<StoredArray, Failure> {
        match self {
            Self::Folder { .. } => arrays::read(self.path(name)),
            Self::BuiltIn => arrays::read_bytes(name, &self.bytes(name)?),
        }
    }

    /// A table.
    pub(super) fn table(&self, name: &str) -> Result<Table, Failure> {
        match self {
            Self::Folder { .. } => Table::read(&self.path(name)),
            Self::BuiltIn => Table::parse(name, Cursor::new(self.bytes(name)?)),
        }
    }
}

fn read(path: &Path) -> Result<Cow<'static, [u8]>, Failure> {
    std::fs::read(path)
        .map(Cow::Owned)
        .map_err(Failure::cannot_be_opened)
        .in_file(path)
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
}
