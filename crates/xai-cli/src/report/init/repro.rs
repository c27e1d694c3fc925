//! Predictions of several runs, and the labels.

use crate::report::init::found::Folder;
use crate::report::init::sections::Sections;

const QUESTION: &str = "Do repeated trainings make the same predictions, and the same errors? Keys: the options of `xai repro pairwise`.";

/// Writes a section for a folder with predictions `(runs, samples)` and labels `(samples,)`.
pub(super) fn write(folder: &Folder<'_>, sections: &mut Sections<'_>) -> Option<()> {
    let runs = folder.find(|file| {
        file.shape().len() == 2
            && file.is_whole()
            && file.is_called(&["prediction", "runs", "preds"])
    })?;
    let labels = folder.find(|file| {
        file.shape() == &runs.shape()[1..]
            && (file.is_called(&["label", "target", "truth"]) || file.stem == "y")
    })?;
    sections.begin(&folder.name(), QUESTION);
    sections.file("predictions", runs, false);
    sections.file("labels", labels, false);
    Some(())
}
