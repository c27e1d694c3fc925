//! Conversion between columns of a table and the inputs and outputs of a model.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, ListArray};
use datafusion::arrow::buffer::{NullBuffer, OffsetBuffer};
use datafusion::arrow::datatypes::{DataType, Field, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err, internal_datafusion_err};
use ndarray::ArrayViewD;
use xai_core::Error;
use xai_core::InputLayout;
use xai_core::input::OUTPUTS;
use xai_core::output::arg_max;
use xai_core::tensor::{MaskScaling, mask_inputs};

use crate::function::{Argument, Kind, Lists, failed, list, present};
use crate::scalar::ScalarDefinition;

const MASK: &str = "mask_inputs";

pub(crate) const MASK_INPUTS: ScalarDefinition = ScalarDefinition {
    name: MASK,
    metric: None,
    description: "The inputs of a model times the mask of their attributions, as Average Drop asks the model about them: the mask is \
                  (|explanations| - min) / (max - min), which keeps what is marked most and removes what is marked least. A list; NULL if an argument is NULL or if all explanations have one size, which have no mask. Values that are not finite are an error.",
    example: "SELECT mask_inputs(inputs, explanations) FROM samples",
    arguments: &[
        Argument::new("inputs", Kind::Numbers),
        Argument::new("explanations", Kind::Numbers),
    ],
    result: || list(DataType::Float64),
    values: |_| Ok(Box::new(|columns| Ok(Arc::new(masked(columns)?)))),
};

fn masked(columns: &[ArrayRef]) -> Result<ListArray> {
    let lists = [0, 1].map(|at| Lists::new::<Float64Type>(&columns[at]));
    let nulls = NullBuffer::union(present(&columns[0]).as_ref(), present(&columns[1]).as_ref());
    let n_rows = columns[0].len();
    let is_whole = nulls.as_ref().is_none_or(|nulls| nulls.null_count() == 0);
    let (mut values, mut lengths) = (Vec::new(), Vec::with_capacity(n_rows));
    let mut has_mask = Vec::with_capacity(n_rows);
    match is_whole.then(|| common_length(&lists)).flatten() {
        // All rows at once, as most batches are.
        Some(n) => {
            let rows = lists.each_ref().map(|lists| lists.rows(&(0..n_rows)));
            (values, has_mask) = mask_rows(rows, n)?;
            lengths.resize(n_rows, n);
        }
        None => {
            for row in 0..n_rows {
                if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                    lengths.push(0);
                    has_mask.push(false);
                    continue;
                }
                let [inputs, maps] = lists.each_ref().map(|lists| lists.row(row));
                if inputs.len() != maps.len() {
                    return exec_err!(
                        "{MASK}: {} inputs have {} explanations",
                        inputs.len(),
                        maps.len()
                    );
                }
                let (masked, has_mask_of_row) = mask_rows([inputs, maps], inputs.len())?;
                values.extend(masked);
                has_mask.extend(has_mask_of_row);
                lengths.push(inputs.len());
            }
        }
    }
    Ok(ListArray::new(
        Arc::new(Field::new_list_field(DataType::Float64, true)),
        OffsetBuffer::from_lengths(lengths),
        Arc::new(Float64Array::from(values)),
        NullBuffer::union(nulls.as_ref(), Some(&NullBuffer::from(has_mask)))
            .filter(|nulls| nulls.null_count() > 0),
    ))
}

/// Returns the length of the lists of both columns if all have the same, non-zero length.
fn common_length([inputs, maps]: &[Lists<'_, f64>; 2]) -> Option<usize> {
    let ((_, n), (_, n_maps)) = (inputs.equal_length()?, maps.equal_length()?);
    (n == n_maps && n > 0).then_some(n)
}

/// The masked inputs of rows of `n` values, and whether the map of each row has a mask.
fn mask_rows([inputs, maps]: [&[f64]; 2], n: usize) -> Result<(Vec<f64>, Vec<bool>)> {
    let shape = [inputs.len().checked_div(n).unwrap_or_default(), n];
    let view = |values| {
        let view = ArrayViewD::from_shape(&shape[..], values);
        view.map_err(|error| internal_datafusion_err!("{MASK}: {error}"))
    };
    let (layout, scaling) = (InputLayout::Tabular, MaskScaling::Relative);
    let masked = mask_inputs(view(inputs)?, view(maps)?, layout, scaling)
        .map_err(|error| failed(MASK, error))?;
    Ok((masked.inputs.into_raw_vec_and_offset().0, masked.has_mask))
}

pub(crate) const PREDICTED_CLASS: ScalarDefinition = ScalarDefinition {
    name: "predicted_class",
    metric: None,
    description: "The class that a model predicts: the number, from 0, of the largest of its outputs, the lowest of equal ones. NULL if \
                  the argument is NULL. Outputs that are NaN, and none at all, are an error.",
    example: "SELECT predicted_class(outputs) FROM scores",
    arguments: &[Argument::new("outputs", Kind::Numbers)],
    result: || DataType::Int64,
    values: |call| {
        let function = call.function;
        Ok(Box::new(move |columns| {
            let nulls = present(&columns[0]);
            let lists = Lists::new::<Float64Type>(&columns[0]);
            let evaluate_row = |row: usize| {
                if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                    return Ok(None);
                }
                let outputs = lists.row(row);
                let error = match (arg_max(outputs), outputs.is_empty()) {
                    (Some(class), _) => return Ok(Some(class as i64)),
                    (None, true) => Error::empty(OUTPUTS),
                    (None, false) => Error::non_finite(OUTPUTS, &[]),
                };
                Err(failed(function, error))
            };
            let classes: Int64Array = (0..columns[0].len())
                .map(evaluate_row)
                .collect::<Result<_>>()?;
            Ok(Arc::new(classes))
        }))
    },
};

pub(crate) const CLASS_SCORE: ScalarDefinition = ScalarDefinition {
    name: "class_score",
    metric: None,
    description: "The output of a model for a class, whose number is from 0. NULL if an argument is NULL. A class that the outputs do not have \
                  is an error.",
    example: "SELECT class_score(outputs, label) FROM scores",
    arguments: &[
        Argument::new("outputs", Kind::Numbers),
        Argument::new("class", Kind::Class),
    ],
    result: || DataType::Float64,
    values: |call| {
        let function = call.function;
        Ok(Box::new(move |columns| {
            let nulls = NullBuffer::union(
                present(&columns[0]).as_ref(),
                columns[1].logical_nulls().as_ref(),
            );
            let lists = Lists::new::<Float64Type>(&columns[0]);
            let classes = columns[1].as_primitive::<Int64Type>();
            let evaluate_row = |row: usize| {
                if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                    return Ok(None);
                }
                let (outputs, class) = (lists.row(row), classes.value(row));
                let score = usize::try_from(class)
                    .ok()
                    .and_then(|class| outputs.get(class));
                match score {
                    Some(score) => Ok(Some(*score)),
                    None => exec_err!(
                        "{function}: class {class}: there are {} outputs",
                        outputs.len()
                    ),
                }
            };
            let scores: Float64Array = (0..columns[0].len())
                .map(evaluate_row)
                .collect::<Result<_>>()?;
            Ok(Arc::new(scores))
        }))
    },
};
