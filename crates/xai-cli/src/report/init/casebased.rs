//! Tables of training and test cases.

use crate::report::init::TomlText;
use crate::report::init::found::{FoundFile, by_folder, name};

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

/// Writes a section for every folder with a table of training and one of test cases.
pub(super) fn write(files: &[FoundFile], text: &mut TomlText) -> usize {
    let mut n = 0;
    for (folder, files) in by_folder(files) {
        let called = |word: &str| {
            files
                .iter()
                .find(|file| !file.columns().is_empty() && file.is_called(&[word]))
        };
        let (Some(train), Some(test)) = (called("train"), called("test")) else {
            continue;
        };
        text.section("casebased", &["Does a prediction agree with its nearest training cases? Keys: the options of `xai casebased audit`."]);
        if !folder.is_empty() {
            text.entry("name", &name(folder), false);
        }
        text.entry("train", &train.path, false);
        text.entry("test", &test.path, false);
        let label = column(train, &LABELS).or(train.columns().last());
        if let Some(label) = label {
            text.entry("label", label, true);
        }
        if let Some(predicted) = column(test, &PREDICTIONS) {
            text.entry("predicted", predicted, true);
        }
        n += 1;
    }
    n
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
