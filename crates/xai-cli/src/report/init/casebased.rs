//! Tables of training and test cases.

use crate::report::init::found::{Folder, FoundFile};
use crate::report::init::sections::Sections;

/// What columns of true classes are called.
const LABELS: [&str; 8] = [
    "label",
    "target",
    "class",
    "y",
    "truth",
    "diagnosis",
    "outcome",
    "species",
];
/// What columns of predicted classes are called.
const PREDICTIONS: [&str; 6] = ["predicted", "prediction", "pred", "y_pred", "y_hat", "yhat"];

const QUESTION: &str = "Does a prediction agree with its nearest training cases? Keys: the options of `xai casebased audit`.";

/// Writes a section for a folder with a table of training and one of test cases.
pub(super) fn write(folder: &Folder<'_>, sections: &mut Sections<'_>) -> Option<()> {
    let called =
        |word: &str| folder.find(|file| !file.columns().is_empty() && file.is_called(&[word]));
    let (train, test) = (called("train")?, called("test")?);
    sections.begin(&folder.name(), QUESTION);
    sections.file("train", train, false);
    sections.file("test", test, false);
    if let Some(label) = column(train, &LABELS).or(train.columns().last()) {
        sections.text.entry("label", label, true);
    }
    if let Some(predicted) = column(test, &PREDICTIONS) {
        sections.text.entry("predicted", predicted, true);
    }
    Some(())
}

/// The column of one of some names.
fn column<'a>(file: &'a FoundFile, names: &[&str]) -> Option<&'a String> {
    let find = |name: &&str| {
        file.columns()
            .iter()
            .find(|column| column.to_lowercase() == *name)
    };
    names.iter().find_map(find)
}
