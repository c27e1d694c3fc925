//! Explainers in ONNX files, which map inputs to attribution maps.

use std::path::Path;

use ndarray::{ArrayD, ArrayViewD, Axis, IxDyn, stack};
use xai_attribution::Real;
use xai_attribution::model::{BoxError, Explainer, Targets};
use xai_core::output::arg_max;

use super::ImageLayout;
use super::engine::EngineOptions;
use super::model::OnnxModel;
use crate::failure::Failure;

/// An explainer in an ONNX file.
///
/// It takes the inputs and optionally the target classes `(n,)` as integers. Its output is the maps, with the shape
/// of the inputs or without channels, or the maps of all classes with the class as the second axis; then the map of
/// the target is used.
pub struct OnnxExplainer(OnnxModel);

impl OnnxExplainer {
    /// Reads an explainer.
    ///
    /// # Errors
    /// The file cannot be read, is not an ONNX model, has operators or types that the engine lacks, or has other
    /// inputs or several outputs that may be the maps.
    pub fn open(file: &Path, options: &EngineOptions) -> Result<Self, Failure> {
        OnnxModel::open_map_model(file, options).map(Self)
    }

    /// The layout of its images, as far as the file reveals it.
    pub fn images(&self) -> ImageLayout {
        self.0.images
    }
}

impl<T: Real> Explainer<T> for OnnxExplainer {
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError> {
        let classes = classes(targets);
        // Operators that select by a class count negative indices from the end.
        if let Some(row) = classes.iter().position(|&class| class < 0) {
            return Err(format!(
                "targets[{row}] = {}: expected a class from 0 on",
                classes[row]
            )
            .into());
        }
        let output = self.0.run_batch(&inputs, Some(&classes))?;
        let maps = if has_class_axis(&inputs.shape()[1..], &output.shape()[1..]) {
            select_targets(&output, &classes)?
        } else {
            output
        };
        Ok(maps.mapv(T::from_f64_nearest))
    }
}

/// The target classes. For rows of weights, the class with the largest weight.
fn classes(targets: &Targets) -> Vec<i64> {
    match targets {
        Targets::Classes(classes) => classes.clone(),
        Targets::Rows(rows) => {
            let class = |row: ndarray::ArrayView1<'_, f64>| arg_max(&row.to_vec());
            let classes = rows.outer_iter().map(class);
            classes.map(|c| c.unwrap_or_default() as i64).collect()
        }
    }
}

/// Returns whether the map of a sample has a leading class axis, compared with the shape of its input.
fn has_class_axis(input: &[usize], map: &[usize]) -> bool {
    let is_map = |shape: &[usize]| {
        let without_channels = match input {
            [_, _, _] => shape == &input[1..] || shape == &input[..2],
            [_, _] => shape == &input[..1],
            _ => false,
        };
        shape == input || without_channels
    };
    !is_map(map) && map.len() >= 2 && is_map(&map[1..])
}

/// Selects the maps of the targets from the maps of all classes.
fn select_targets(maps: &ArrayD<f64>, classes: &[i64]) -> Result<ArrayD<f64>, BoxError> {
    let n_classes = maps.shape()[1];
    let select = |(sample, &class): (usize, &i64)| {
        let index = usize::try_from(class)
            .ok()
            .filter(|&class| class < n_classes)
            .ok_or_else(|| {
                format!("it has maps of {n_classes} classes, but targets[{sample}] = {class}")
            })?;
        Ok(maps
            .index_axis(Axis(0), sample)
            .index_axis_move(Axis(0), index))
    };
    let selected = classes
        .iter()
        .enumerate()
        .map(select)
        .collect::<Result<Vec<_>, BoxError>>()?;
    if selected.is_empty() {
        return Ok(ArrayD::zeros(IxDyn(&[0])));
    }
    Ok(stack(Axis(0), &selected)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_axis_is_found_by_the_shape_of_the_inputs() {
        for (input, map, expected) in [
            (&[5][..], &[5][..], false),
            (&[5], &[3, 5], true),
            (&[8, 9, 3], &[8, 9, 3], false),
            (&[8, 9, 3], &[8, 9], false),
            (&[8, 9, 3], &[4, 8, 9], true),
            (&[3, 8, 9], &[8, 9], false),
            (&[3, 8, 9], &[4, 8, 9], true),
            (&[3, 8, 9], &[4, 3, 8, 9], true),
            (&[3, 8, 9], &[3, 8, 9], false),
            (&[7, 2], &[7], false),
            (&[7, 2], &[4, 7], true),
            (&[7, 2], &[4, 7, 2], true),
            (&[7, 2], &[9], false),
        ] {
            assert_eq!(has_class_axis(input, map), expected, "{input:?} {map:?}");
        }
    }
}
