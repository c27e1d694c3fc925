//! Models, their inputs, and maps of the inputs' shape.

use xai_files::content::Content;
use xai_files::onnx::model::ends_in_logits;

use crate::report::init::found::{Folder, name};
use crate::report::init::sections::Sections;

const QUESTION: &str =
    "How good are attribution maps? Keys: the options of `xai attribution compare`.";

/// Writes a section for a folder with a model, its inputs and targets, and maps.
pub(super) fn write(folder: &Folder<'_>, sections: &mut Sections<'_>) -> Option<()> {
    let model =
        folder.find(|file| file.holds == Content::Model && !file.is_called(&["explainer"]))?;
    let inputs = folder.find(|file| {
        file.shape().len() >= 2 && (file.is_called(&["input", "image"]) || file.stem == "x")
    })?;
    let n_samples = inputs.shape()[0];
    let maps =
        folder.all_of(|file| file.path != inputs.path && is_map(file.shape(), inputs.shape()));
    maps.first()?;
    let targets = folder.find(|file| {
        file.shape() == [n_samples]
            && (file.is_called(&["target", "label", "class"]) || file.stem == "y")
    })?;
    sections.begin(&folder.name(), QUESTION);
    sections.file("model", model, false);
    sections.file("inputs", inputs, false);
    sections.file("targets", targets, false);
    // Metrics of scores that may be negative are refused: logits are made probabilities.
    match ends_in_logits(&model.file) {
        true => sections.text.entry("activation", "softmax", true),
        false => sections
            .text
            .comment("activation = \"softmax\"  # if the model answers with logits of classes"),
    }
    for maps in maps {
        sections.begin_explainer(&name(&maps.stem));
        sections.file("maps", maps, true);
    }
    Some(())
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
