//! Fidelity of predictions that exist already.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, ArrowPrimitiveType, AsArray, Float64Array};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err, plan_err};
use ndarray::ArrayView2;
use xai_core::output::arg_max;
use xai_core::{Error, Input, Real};
use xai_graph::Predictions;

use crate::aggregate::{Definition, FlatMetric, FlatStates, Groups, Rows, counts_state};
use crate::function::{Argument, Call, Kind, Lists, failed};
use crate::input;

pub(crate) const POS_FIDELITY: Definition = Definition {
    name: "pos_fidelity",
    description: "The share of rows whose prediction changes without the explanation: `full` and `perturbed` are \
                  predicted classes, or lists of outputs whose arg-max is taken, on the whole graph and on what the \
                  explanation leaves. With `target`, the mean change of being right. In [0, 1], higher is better; \
                  NULL without rows.",
    example: "SELECT explainer, pos_fidelity(full, complement) FROM predictions GROUP BY explainer",
    arguments: &[
        Argument::new("full", Kind::ClassOrOutputs),
        Argument::new("perturbed", Kind::ClassOrOutputs),
        Argument::optional("target", Kind::Class),
    ],
    result: || DataType::Float64,
    state: counts_state!["changed", "count"],
    groups,
};

pub(crate) const NEG_FIDELITY: Definition = Definition {
    name: "neg_fidelity",
    description: "The share of rows whose prediction changes on the explanation alone: `full` and `perturbed` are \
                  predicted classes, or lists of outputs whose arg-max is taken, on the whole graph and on the \
                  explanation. With `target`, the mean change of being right. In [0, 1], lower is better; NULL \
                  without rows.",
    example: "SELECT explainer, neg_fidelity(full, kept) FROM predictions GROUP BY explainer",
    ..POS_FIDELITY
};

fn groups(call: &Call) -> Result<Box<dyn Groups>> {
    if let [full, perturbed, ..] = &call.types[..] {
        let is_list = |of: &DataType| matches!(of, DataType::List(_));
        if is_list(full) != is_list(perturbed) {
            return plan_err!(
                "{}: the arguments `full` and `perturbed` must both be classes or both be lists, got {full} and \
                 {perturbed}",
                call.function
            );
        }
    }
    Ok(Box::new(FlatStates::new(FidelityMetric {
        function: call.function,
        columns: call.columns(),
        classes: [Vec::new(), Vec::new()],
    })))
}

#[derive(Clone)]
struct FidelityMetric {
    function: &'static str,
    columns: Vec<usize>,
    /// Predicted classes of a batch, on the whole graph and on a part of it.
    classes: [Vec<i64>; 2],
}

impl FlatMetric<2> for FidelityMetric {
    fn each(&mut self, rows: &Rows<'_>, mut add: impl FnMut(usize, [u64; 2])) -> Result<()> {
        let counted = rows.counted(&self.columns);
        let mut n_outputs = None;
        for (at, input) in [input::FULL, input::PERTURBED].into_iter().enumerate() {
            let column = &rows.arguments[at];
            let classes = &mut self.classes[at];
            classes.clear();
            let DataType::List(of) = column.data_type() else {
                classes.extend_from_slice(column.as_primitive::<Int64Type>().values());
                continue;
            };
            classes.resize(column.len(), 0);
            let class = match of.data_type() {
                DataType::Float32 => classes_of::<Float32Type>,
                _ => classes_of::<Float64Type>,
            };
            class(
                self.function,
                input,
                column,
                rows,
                &counted,
                &mut n_outputs,
                classes,
            )?;
        }
        let [full, perturbed] = &self.classes;
        match rows.arguments.get(2) {
            None => rows.for_each(counted.as_ref(), |row, group| {
                add(group, [u64::from(full[row] != perturbed[row]), 1]);
            }),
            Some(target) => {
                let target = target.as_primitive::<Int64Type>().values();
                let mut outside = None;
                rows.for_each(counted.as_ref(), |row, group| {
                    let class = target[row];
                    if n_outputs.is_some_and(|n| !(0..n as i64).contains(&class)) {
                        outside.get_or_insert(class);
                    }
                    let changed = (full[row] == class) != (perturbed[row] == class);
                    add(group, [u64::from(changed), 1]);
                });
                if let (Some(class), Some(n)) = (outside, n_outputs) {
                    let error = Error::label_out_of_range(input::TARGET, 0, class, n);
                    return Err(failed(self.function, error));
                }
            }
        }
        Ok(())
    }

    fn values(&self, counts: &[[u64; 2]]) -> ArrayRef {
        let share =
            |&[changed, count]: &[u64; 2]| (count > 0).then(|| changed as f64 / count as f64);
        Arc::new(counts.iter().map(share).collect::<Float64Array>())
    }
}

/// The arg-max of the lists that are counted.
fn classes_of<T: ArrowPrimitiveType<Native: Real>>(
    function: &str,
    input: Input,
    column: &ArrayRef,
    rows: &Rows<'_>,
    counted: &Option<NullBuffer>,
    n_outputs: &mut Option<usize>,
    classes: &mut [i64],
) -> Result<()> {
    let lists = Lists::new::<T>(column);
    // If all rows are counted and have one length, the library evaluates them at once. It refuses wrong outputs; the
    // loop below then finds the row to report.
    if counted.is_none()
        && let Some((outputs, n)) = lists.equal_length()
        && n_outputs.is_none_or(|expected| expected == n)
        && let Ok(outputs) = ArrayView2::from_shape((classes.len(), n), outputs)
        && outputs.classes(input, 0..classes.len(), classes).is_ok()
    {
        *n_outputs = Some(n);
        return Ok(());
    }
    let mut wrong = None;
    rows.for_each(counted.as_ref(), |row, _| {
        let outputs = lists.row(row);
        let expected = *n_outputs.get_or_insert(outputs.len());
        match arg_max(outputs) {
            Some(class) if outputs.len() == expected && expected > 1 => classes[row] = class as i64,
            _ => drop(wrong.get_or_insert((row, expected))),
        }
    });
    let Some((row, expected)) = wrong else {
        return Ok(());
    };
    let outputs = lists.row(row);
    if outputs.len() != expected {
        return exec_err!(
            "{function}: {input}: a list has {} outputs, another {expected}",
            outputs.len()
        );
    }
    if expected < 2 {
        return exec_err!(
            "{function}: {input}: a list has {expected} outputs, at least 2 are needed; pass classes for a model of \
             one output"
        );
    }
    Err(failed(function, Error::non_finite(input, &[])))
}
