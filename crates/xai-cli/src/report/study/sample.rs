//! The built-in sample study.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use xai_files::{Failure, InFile};

use crate::output::whole_file;

/// Every file of the sample study, so that the binary needs nothing beside it.
macro_rules! sample {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../../sample/", $name)))),*]
    };
}

const FILES: &[(&str, &[u8])] = sample![
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
    "texts/reviews.json",
    "data_attribution/flipped.npy",
    "data_attribution/gradients.npy",
    "data_attribution/gradients_scores.npy",
    "data_attribution/influence.npy",
    "data_attribution/influence_scores.npy",
    "data_attribution/nearest.npy",
    "data_attribution/nearest_scores.npy",
    "data_attribution/outputs.npy",
    "data_attribution/random.npy",
    "data_attribution/random_scores.npy",
    "data_attribution/subsets.npy",
    "data_attribution/test_classes.npy",
    "data_attribution/test_images.npy",
    "data_attribution/train_images.npy",
    "data_attribution/train_labels.npy",
    "graph/edge_index.npy",
    "graph/logits_full.npy",
    "graph/index.npy",
    "graph/kept_fraction.npy",
    "graph/edge_mask_true.npy",
    "graph/gnn_explainer/logits_kept.npy",
    "graph/gnn_explainer/logits_complement.npy",
    "graph/gnn_explainer/edge_mask.npy",
    "graph/saliency/logits_kept.npy",
    "graph/saliency/logits_complement.npy",
    "graph/saliency/edge_mask.npy",
    "graph/random/logits_kept.npy",
    "graph/random/logits_complement.npy",
    "graph/random/edge_mask.npy",
    "repro/predictions.npy",
    "repro/labels.npy",
];

/// The study file among them.
pub(crate) const STUDY: &str = "study.toml";

/// The files in a folder that is gone when the value is.
pub(crate) fn in_temporary_folder() -> Result<TempDir, Failure> {
    let folder =
        TempDir::new().map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
    write(folder.path())?;
    Ok(folder)
}

/// The first of the files that is in a folder already.
pub(crate) fn first_there(folder: &Path) -> Option<PathBuf> {
    let mut files = FILES.iter().map(|(name, _)| folder.join(name));
    files.find(|file| file.exists())
}

/// Writes the files into a folder.
pub(crate) fn write(folder: &Path) -> Result<(), Failure> {
    for (name, bytes) in FILES {
        let file = folder.join(name);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent)
                .map_err(Failure::cannot_be_written)
                .in_file(parent)?;
        }
        whole_file::write(&file, |out| {
            out.write_all(bytes).map_err(Failure::cannot_be_written)
        })?;
    }
    Ok(())
}
