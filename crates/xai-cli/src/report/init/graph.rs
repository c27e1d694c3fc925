//! Outputs of a model on graphs, on explanations and on their complements.

use crate::report::init::found::{Folder, FoundFile, by_folder};
use crate::report::init::sections::Sections;

const QUESTION: &str = "Is an explanatory subgraph sufficient and necessary? Keys: the options of `xai graph sweep` and `xai graph groundtruth`.";

/// Writes a section for a folder with outputs on the full graph, and explainers in it or below.
pub(super) fn write(folder: &Folder<'_>, sections: &mut Sections<'_>) -> Option<()> {
    let full = folder.find(|file| file.shape().len() == 2 && file.is_called(&["full"]))?;
    let explainers = explainers(folder, full.shape());
    let (_, kept, _) = explainers.first()?;
    sections.begin(&folder.name(), QUESTION);
    sections.file("full", full, false);
    let n_levels = kept.shape()[0];
    let mut entry = |key: &str, words: &[&str], fits: &dyn Fn(&[usize]) -> bool| {
        let file = folder.find(|file| file.is_called(words) && fits(file.shape()));
        sections.guessed(key, file);
    };
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
        sections.begin_explainer(&of.name());
        sections.file("kept", kept, false);
        sections.file("complement", complement, false);
        let mask = of.find(|file| {
            file.shape().len() == 1
                && file.is_called(&["mask"])
                && !file.is_called(&["true", "truth"])
        });
        sections.guessed("edge_mask", mask);
    }
    Some(())
}

/// Folders with outputs on explanations and their complements: `(folder, kept, complement)`.
fn explainers<'a>(
    folder: &Folder<'a>,
    full: &[usize],
) -> Vec<(Folder<'a>, &'a FoundFile, &'a FoundFile)> {
    let is_below = |of: &Folder<'_>| {
        folder.path.is_empty()
            || of
                .path
                .strip_prefix(folder.path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let below = by_folder(folder.all).into_iter().filter(is_below);
    below
        .filter_map(|of| {
            let find = |word: &str| {
                of.find(|file| file.shape().get(1..) == Some(full) && file.is_called(&[word]))
            };
            let (kept, complement) = (find("kept")?, find("complement")?);
            (kept.shape() == complement.shape()).then_some((of, kept, complement))
        })
        .collect()
}
