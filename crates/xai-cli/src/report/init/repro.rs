//! Predictions of several runs, and the labels.

use crate::report::init::TomlText;
use crate::report::init::found::{FoundFile, by_folder, name};

/// Writes a section for every folder with predictions `(runs, samples)` and labels `(samples,)`.
pub(super) fn write(files: &[FoundFile], text: &mut TomlText) -> usize {
    let mut n = 0;
    for (folder, files) in by_folder(files) {
        let is_runs = |file: &&&FoundFile| {
            file.shape().len() == 2
                && file.is_whole()
                && file.is_called(&["prediction", "runs", "preds"])
        };
        let Some(runs) = files.iter().find(is_runs) else {
            continue;
        };
        let is_labels = |file: &&&FoundFile| {
            file.shape() == &runs.shape()[1..]
                && (file.is_called(&["label", "target", "truth"]) || file.stem == "y")
        };
        let Some(labels) = files.iter().find(is_labels) else {
            continue;
        };
        text.section("repro", &["Do repeated trainings make the same predictions, and the same errors? Keys: the options of `xai repro pairwise`."]);
        if !folder.is_empty() {
            text.entry("name", &name(folder), false);
        }
        text.entry("predictions", &runs.path, false);
        text.entry("labels", &labels.path, false);
        n += 1;
    }
    n
}
