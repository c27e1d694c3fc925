//! Attributions to training cases.

use xai_files::content::ElementType;

use crate::report::init::found::{Folder, FoundFile, name};
use crate::report::init::sections::Sections;

const QUESTION: &str = "Which explanation by training cases says what training does? Keys: the options of `xai casebased attribution compare`.";

/// Writes a section for a folder with the classes of training and test cases, and attributions `(n_test, n_train)`.
pub(super) fn write(folder: &Folder<'_>, sections: &mut Sections<'_>) -> Option<()> {
    let of_classes = |of: &str| {
        folder.find(|file| {
            file.shape().len() == 1
                && file.is_whole()
                && file.is_called(&[of])
                && file.is_called(&["label", "target", "class", "y_"])
        })
    };
    let (train, test) = (of_classes("train")?, of_classes("test")?);
    let (n_train, n_test) = (train.shape()[0], test.shape()[0]);
    let of_explainers = folder.all_of(|file| {
        file.shape() == [n_test, n_train]
            && is_float(file)
            && !file.is_called(&["output", "subset", "input", "feature"])
    });
    of_explainers.first()?;
    sections.begin(&folder.name(), QUESTION);
    sections.file("train_labels", train, false);
    sections.file("test_classes", test, false);
    let flags = folder.find(|file| {
        file.shape() == [n_train]
            && !is_float(file)
            && file.is_called(&["flag", "flip", "mislabel", "nois"])
    });
    sections.guessed("flags", flags);
    let subsets = folder
        .find(|file| file.shape().len() == 2 && file.is_whole() && file.is_called(&["subset"]));
    let outputs = subsets.and_then(|subsets| {
        let shape = [subsets.shape()[0], n_test];
        folder.find(|file| {
            file.shape() == shape && is_float(file) && file.is_called(&["output", "margin"])
        })
    });
    sections.guessed("subsets", subsets.filter(|_| outputs.is_some()));
    sections.guessed("outputs", outputs);
    for (key, of, n_cases) in [
        ("train_images", "train", n_train),
        ("test_images", "test", n_test),
    ] {
        let images = folder.find(|file| {
            file.shape().len() >= 3 && file.shape()[0] == n_cases && file.is_called(&[of])
        });
        sections.guessed(key, images);
    }
    for explainer in of_explainers {
        sections.begin_explainer(&name(&explainer.stem));
        sections.file("attributions", explainer, true);
        let scores = folder.find(|file| {
            file.shape() == [n_train]
                && is_float(file)
                && file.stem.starts_with(&explainer.stem)
                && file.is_called(&["score", "self"])
        });
        sections.guessed("scores", scores);
    }
    Some(())
}

fn is_float(file: &FoundFile) -> bool {
    file.holds_elements(ElementType::Float)
}
