//! Outputs of a model on graphs, on explanations and on their complements.

use crate::report::init::TomlText;
use crate::report::init::found::{FoundFile, by_folder, name};

/// Writes a section for every folder with outputs on the full graph, and explainers in it or below.
pub(super) fn write(files: &[FoundFile], text: &mut TomlText) -> usize {
    let mut n = 0;
    for (folder, of_folder) in by_folder(files) {
        let full = of_folder
            .iter()
            .find(|file| file.shape().len() == 2 && file.is_called(&["full"]));
        let Some(full) = full else {
            continue;
        };
        let explainers = explainers(files, folder, full.shape());
        let Some((_, kept, _)) = explainers.first() else {
            continue;
        };
        text.section("graph", &["Is an explanatory subgraph sufficient and necessary? Keys: the options of `xai graph sweep` and `xai graph groundtruth`."]);
        if !folder.is_empty() {
            text.entry("name", &name(folder), false);
        }
        text.entry("full", &full.path, false);
        let mut entry = |key: &str, words: &[&str], fits: &dyn Fn(&[usize]) -> bool| {
            let found = of_folder
                .iter()
                .find(|file| file.is_called(words) && fits(file.shape()));
            if let Some(file) = found {
                text.entry(key, &file.path, true);
            }
        };
        let n_levels = kept.shape()[0];
        entry("index", &["index"], &|shape| shape.len() == 1);
        entry("levels", &["level", "fraction", "kept", "size"], &|shape| {
            shape == [n_levels]
        });
        entry("edge_mask_true", &["true", "truth"], &|shape| {
            shape.len() == 1
        });
        entry("edge_index", &["edge_index", "edges"], &|shape| {
            shape.len() == 2 && shape[0] == 2
        });
        for (of, kept, complement) in &explainers {
            text.section("graph.explainers", &[]);
            text.entry("name", &name(of), false);
            text.entry("kept", &kept.path, false);
            text.entry("complement", &complement.path, false);
            let mask = files.iter().find(|file| {
                file.folder == *of
                    && file.shape().len() == 1
                    && file.is_called(&["mask"])
                    && !file.is_called(&["true", "truth"])
            });
            if let Some(mask) = mask {
                text.entry("edge_mask", &mask.path, true);
            }
        }
        n += 1;
    }
    n
}

/// Folders with outputs on explanations and their complements: `(folder, kept, complement)`.
fn explainers<'a>(
    files: &'a [FoundFile],
    folder: &str,
    full: &[usize],
) -> Vec<(&'a str, &'a FoundFile, &'a FoundFile)> {
    let below = by_folder(files).into_iter().filter(|(of, _)| {
        *of == folder || folder.is_empty() || of.starts_with(&format!("{folder}/"))
    });
    below
        .filter_map(|(of, files)| {
            let find = |word: &str| {
                files
                    .iter()
                    .copied()
                    .find(|file| file.shape().get(1..) == Some(full) && file.is_called(&[word]))
            };
            let (kept, complement) = (find("kept")?, find("complement")?);
            (kept.shape() == complement.shape()).then_some((of, kept, complement))
        })
        .collect()
}
