//! Attributions to training cases.

use xai_files::content::{Content, ElementType};

use crate::report::init::TomlText;
use crate::report::init::found::{FoundFile, by_folder, name};

/// Writes a section for every folder with the classes of training and test cases, and attributions `(n_test, n_train)`.
pub(super) fn write(files: &[FoundFile], text: &mut TomlText) -> usize {
    let mut n = 0;
    for (folder, files) in by_folder(files) {
        let find =
            |fits: &dyn Fn(&FoundFile) -> bool| files.iter().copied().find(|file| fits(file));
        let of_classes = |of: &str| {
            find(&|file| {
                file.shape().len() == 1
                    && file.is_whole()
                    && file.is_called(&[of])
                    && file.is_called(&["label", "target", "class", "y_"])
            })
        };
        let (Some(train), Some(test)) = (of_classes("train"), of_classes("test")) else {
            continue;
        };
        let (n_train, n_test) = (train.shape()[0], test.shape()[0]);
        let is_attributions = |file: &&&FoundFile| {
            file.shape() == [n_test, n_train]
                && is_float(file)
                && !file.is_called(&["output", "subset", "input", "feature"])
        };
        let of_explainers: Vec<&&FoundFile> = files.iter().filter(is_attributions).collect();
        if of_explainers.is_empty() {
            continue;
        }
        text.section("data_attribution", &["Which explanation by training cases says what training does? Keys: the options of `xai casebased attribution compare`."]);
        if !folder.is_empty() {
            text.entry("name", &name(folder), false);
        }
        text.entry("train_labels", &train.path, false);
        text.entry("test_classes", &test.path, false);
        let mut entry = |key: &str, file: Option<&FoundFile>| {
            if let Some(file) = file {
                text.entry(key, &file.path, true);
            }
        };
        entry(
            "flags",
            find(&|file| {
                file.shape() == [n_train]
                    && !is_float(file)
                    && file.is_called(&["flag", "flip", "mislabel", "nois"])
            }),
        );
        let subsets =
            find(&|file| file.shape().len() == 2 && file.is_whole() && file.is_called(&["subset"]));
        let of_subsets = |subsets: &FoundFile| {
            let shape = [subsets.shape()[0], n_test];
            find(&|file| {
                file.shape() == shape && is_float(file) && file.is_called(&["output", "margin"])
            })
        };
        if let Some((subsets, outputs)) =
            subsets.and_then(|subsets| Some((subsets, of_subsets(subsets)?)))
        {
            entry("subsets", Some(subsets));
            entry("outputs", Some(outputs));
        }
        for (key, of, n_cases) in [
            ("train_images", "train", n_train),
            ("test_images", "test", n_test),
        ] {
            entry(
                key,
                find(&|file| {
                    file.shape().len() >= 3 && file.shape()[0] == n_cases && file.is_called(&[of])
                }),
            );
        }
        for explainer in of_explainers {
            text.section("data_attribution.explainers", &[]);
            text.entry("name", &name(&explainer.stem), false);
            text.entry("attributions", &explainer.path, true);
            let scores = find(&|file| {
                file.shape() == [n_train]
                    && is_float(file)
                    && file.stem.starts_with(&explainer.stem)
                    && file.is_called(&["score", "self"])
            });
            if let Some(scores) = scores {
                text.entry("scores", &scores.path, true);
            }
        }
        n += 1;
    }
    n
}

fn is_float(file: &FoundFile) -> bool {
    matches!(
        file.holds,
        Content::Array {
            elements: ElementType::Float,
            ..
        }
    )
}
