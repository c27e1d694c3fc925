//! Inputs of metrics, from files.

use std::path::Path;

use ndarray::{Array2, Ix2, Ix3, IxDyn};
use xai_files::arrays::StoredArray;
use xai_files::samples::{FilePlanes, FileSamples};
use xai_files::{Failure, Files, InFile, InFiles, arrays};
use xai_metrics::attribution::side::{Masks, ReferenceMaps, SecondMaps, Segments};
use xai_metrics::attribution::{EvaluationData, InputArray, Real, input, input_spec};
use xai_metrics::common::Input;
use xai_metrics::common::describe::Element;

/// Adds an input from its file, for inputs or maps of a shape.
pub(super) fn add<'a, T: Real>(
    data: EvaluationData<'a, T>,
    input: Input,
    file: &Path,
    shape: &[usize],
) -> Result<EvaluationData<'a, T>, Failure> {
    Ok(match input {
        // These are opened by themselves.
        input::MODEL | input::INPUTS | input::EXPLANATIONS | input::EXPLAINER | input::TARGETS => {
            data
        }
        // These may be larger than the memory.
        input::MASKS => data.with(masks(file, shape)?),
        input::SEGMENTS => data.with(segments(file, shape)?),
        input::SECOND_MAPS => data.with(SecondMaps::from_maps(FileSamples::open(file)?)),
        input::REFERENCE_MAPS => data.with(ReferenceMaps::new(FileSamples::open(file)?)),
        _ => {
            let files = Files::with_main_file(file).file(&[input], file);
            data.with_array(input, read(input, file)?)
                .in_files(&files)?
        }
    })
}

/// Reads the array of an input by its description.
fn read(input: Input, file: &Path) -> Result<InputArray, Failure> {
    let stored = arrays::read(file)?;
    let element = input_spec(input).map(|spec| spec.element);
    Ok(match element {
        Some(Element::Integer) => InputArray::Integers(stored.into_integers::<IxDyn>()?),
        Some(Element::Class) => InputArray::Integers(stored.into_labels::<IxDyn>()?),
        Some(Element::Target) if stored.shape().len() == 1 => {
            InputArray::Integers(stored.into_labels::<IxDyn>()?)
        }
        Some(Element::Boolean) => {
            let integers = stored.into_integers::<IxDyn>()?;
            if integers.iter().any(|x| !matches!(x, 0 | 1)) {
                return Err(Failure::new("expected booleans, or zeros and ones").in_file(file));
            }
            InputArray::Booleans(integers.mapv(|x| x == 1))
        }
        _ => InputArray::Numbers(stored.into_f64::<IxDyn>()?),
    })
}

/// Reads masks: booleans `(n, height, width)`, of tables `(n, features)`, or numbers in [0, 1].
fn masks(file: &Path, shape: &[usize]) -> Result<Masks, Failure> {
    let rule = |label| match label {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Failure::new(format!(
            "{other}: expected booleans, or numbers from 0 to 1"
        ))
        .help(
            "save booleans: of a mask with 0 and 255, or with a number for each object, `mask > 0`",
        )),
    };
    if let Some(masks) = FilePlanes::open_large(file, rule) {
        return Ok(Masks::new(masks));
    }
    let stored = planes(arrays::read(file)?, shape)?;
    if stored.has_fractions() {
        Ok(Masks::from_numbers(stored.into_f64::<Ix3>()?))
    } else {
        Ok(Masks::new(FilePlanes::from_array(stored, rule)?))
    }
}

/// Reads segments: integers `(n, height, width)`, `(height, width)` for all samples, or of tables `(n, features)`.
fn segments(file: &Path, shape: &[usize]) -> Result<Segments, Failure> {
    let rule = |label: i64| {
        u32::try_from(label).map_err(|_| Failure::new("expected segments of 0 to 4 294 967 295"))
    };
    if let Some(segments) = FilePlanes::open_large(file, rule) {
        return Ok(Segments::new(segments));
    }
    let stored = arrays::read(file)?;
    // One row of a table stands for all samples.
    let is_shared = stored.shape().len() == 2 && (shape.len() != 2 || stored.shape()[0] == 1);
    if is_shared {
        let n = shape.first().copied().unwrap_or_default();
        let labels = stored.into_integers::<Ix2>()?;
        let segments: Result<Vec<u32>, Failure> = labels.iter().map(|&it| rule(it)).collect();
        let plane = Array2::from_shape_vec(labels.raw_dim(), segments.in_file(file)?);
        return Ok(Segments::shared(plane.map_err(Failure::new)?, n));
    }
    Ok(Segments::new(FilePlanes::from_array(
        planes(stored, shape)?,
        rule,
    )?))
}

/// A plane for each sample; the planes of tables `(n, features)` have one row. Refuses an axis of channels, which
/// masks and segments do not have.
fn planes(stored: StoredArray, shape: &[usize]) -> Result<StoredArray, Failure> {
    let own = stored.shape().to_vec();
    match (own.len(), shape.len()) {
        (2, 2) => Ok(stored.insert_axis(1)),
        (4, _) => {
            let channels: Vec<usize> = [1, 3].into_iter().filter(|&axis| own[axis] == 1).collect();
            let failure = Failure::new(format_args!(
                "expected shape (n, height, width), got {own:?}: masks and segments have no channel axis"
            ));
            let failure = match channels[..] {
                [axis] => failure.help(format_args!(
                    "leave axis {axis} out: numpy.squeeze(array, axis={axis})"
                )),
                _ => failure.help(
                    "save one mask for each sample, of all channels together: array.any(axis=…)",
                ),
            };
            Err(failure.in_file(stored.file()))
        }
        _ => Ok(stored),
    }
}
