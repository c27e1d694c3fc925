//! The files of a model, its inputs and its targets.

use std::path::Path;

use xai_files::arrays::StoredArray;
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::model::OnnxModel;
use xai_files::samples::FileSamples;
use xai_files::{Failure, Files, InFile, arrays};
use xai_metrics::attribution::model::{Samples, Targets};
use xai_metrics::attribution::{INPUTS, input};
use xai_metrics::common::Input;

use crate::Context;
use crate::metric_commands::InputFiles;

/// A model, its inputs and their targets.
pub(crate) struct OpenedModel {
    pub(crate) model: OnnxModel,
    pub(crate) inputs: FileSamples,
    pub(crate) targets: Targets,
}

/// Opens the inputs and their targets.
pub(super) fn open_inputs(files: &InputFiles) -> Result<(FileSamples, Targets), Failure> {
    let inputs = FileSamples::open_for_model(files.needed(input::INPUTS)?)?;
    let targets = targets(arrays::read(files.needed(input::TARGETS)?)?)?;
    Ok((inputs, targets))
}

/// Opens the model, which has to take the inputs.
pub(super) fn open_model(
    files: &InputFiles,
    inputs: &FileSamples,
    engine: &EngineOptions,
    context: &Context,
) -> Result<OnnxModel, Failure> {
    let file = files.needed(input::MODEL)?;
    let model = OnnxModel::open(file, engine)?;
    if let Some(remark) = &model.faster_engine {
        context.remark(format_args!("{}: {remark}", file.display()));
    }
    check_samples((&model, file), (inputs, files.needed(input::INPUTS)?))?;
    Ok(model)
}

/// The file of each input that an error may be about, and the files that its shape and its range follow from. Errors
/// about anything else are about the model, else about the explainer or the maps.
pub(super) fn places(files: &InputFiles) -> Files<'_> {
    let [model, explainer, maps, inputs] = [
        input::MODEL,
        input::EXPLAINER,
        input::EXPLANATIONS,
        input::INPUTS,
    ]
    .map(|input| files.get(input));
    let main = model.or(explainer).or(maps);
    let mut places = main.map_or_else(Files::new, Files::with_main_file);
    if let Some(explainer) = explainer {
        places = places.file(&[input::EXPLANATIONS], explainer);
    }
    places = files.add_to(places);
    if let Some(targets) = files.get(input::TARGETS) {
        places = places.file(&[input::LABELS], targets);
    }
    // Maps without inputs are what everything else is compared with.
    if let Some(shape) = inputs.or(maps) {
        let is_of_samples =
            |input: &Input| ![input::MODEL, input::EXPLAINER, input::INPUTS].contains(input);
        let inputs = INPUTS.iter().map(|spec| spec.input);
        let of_samples = inputs.filter(is_of_samples).chain([input::LABELS]);
        places = places.shaped_by(&of_samples.collect::<Vec<_>>(), shape);
    }
    if let Some(model) = model {
        // Rows of weights have a column per output.
        places = places.shaped_by(&[input::TARGETS], model);
        places = places.bounded_by(&[input::TARGETS, input::LABELS], model);
    }
    places
}

/// Refuses inputs of another shape than a model takes.
fn check_samples(
    (model, model_file): (&OnnxModel, &Path),
    (inputs, inputs_file): (&FileSamples, &Path),
) -> Result<(), Failure> {
    if inputs.n_samples() == 0 {
        return Ok(()); // The metric reports that there are none.
    }
    let failure = |why| Failure::new(format_args!("{why} in {}", inputs_file.display()));
    let checked = model.check_samples(inputs.shape()).map_err(failure);
    checked.in_file(model_file)
}

/// Targets by the number of axes: class indices `(n,)` or rows of weights `(n, outputs)`.
fn targets(stored: StoredArray) -> Result<Targets, Failure> {
    if stored.shape().len() == 1 {
        Ok(Targets::Classes(
            stored.into_labels::<ndarray::Ix1>()?.to_vec(),
        ))
    } else {
        Ok(Targets::Rows(stored.into_f64::<ndarray::Ix2>()?))
    }
}
