//! Models, their inputs, and maps of the inputs' shape.

use xai_files::content::Content;
use xai_files::onnx::model::ends_in_logits;

use crate::report::init::TomlText;
use crate::report::init::found::{FoundFile, by_folder, name};

/// Writes a section for every folder with a model, its inputs and targets, and maps.
pub(super) fn write(files: &[FoundFile], text: &mut TomlText) -> usize {
    let mut n = 0;
    for (folder, files) in by_folder(files) {
        let model = files
            .iter()
            .find(|file| file.holds == Content::Model && !file.is_called(&["explainer"]));
        let inputs = files.iter().find(|file| {
            file.shape().len() >= 2 && (file.is_called(&["input", "image"]) || file.stem == "x")
        });
        let (Some(model), Some(inputs)) = (model, inputs) else {
            continue;
        };
        let n_samples = inputs.shape()[0];
        let is_target = |file: &&&FoundFile| {
            file.shape() == [n_samples]
                && (file.is_called(&["target", "label", "class"]) || file.stem == "y")
        };
        let maps: Vec<&&FoundFile> = files
            .iter()
            .filter(|file| file.path != inputs.path && is_map(file.shape(), inputs.shape()))
            .collect();
        let Some(targets) = files.iter().find(is_target).filter(|_| !maps.is_empty()) else {
            continue;
        };
        text.section(
            "attribution",
            &["How good are attribution maps? Keys: the options of `xai attribution compare`."],
        );
        if !folder.is_empty() {
            text.entry("name", &name(folder), false);
        }
        text.entry("model", &model.path, false);
        text.entry("inputs", &inputs.path, false);
        text.entry("targets", &targets.path, false);
        // Metrics of scores that may be negative are refused: logits are made probabilities.
        match ends_in_logits(&model.file) {
            true => text.entry("activation", "softmax", true),
            false => text
                .comment("activation = \"softmax\"  # if the model answers with logits of classes"),
        }
        for maps in maps {
            text.section("attribution.explainers", &[]);
            text.entry("name", &name(&maps.stem), false);
            text.entry("maps", &maps.path, true);
        }
        n += 1;
    }
    n
}

/// Whether an array has the shape of maps of inputs: theirs, or without channels.
fn is_map(shape: &[usize], inputs: &[usize]) -> bool {
    let without = |axis: usize| {
        let mut rest = inputs.to_vec();
        rest.remove(axis);
        rest
    };
    shape == inputs || (inputs.len() == 4 && (shape == without(1) || shape == without(3)))
}
