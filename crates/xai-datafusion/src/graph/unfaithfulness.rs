//! Unfaithfulness of outputs that exist already.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::common::{Result, exec_err};
use ndarray::ArrayView2;
use xai_core::Real;
use xai_core::describe::Parameters;
use xai_graph::{Unfaithfulness, UnfaithfulnessMetric};

use crate::aggregate::{Definition, Groups, Mean, MeanMetric, MeanStates, Rows, mean_state};
use crate::function::{Argument, Call, Kind, Lists, failed};

pub(crate) const UNFAITHFULNESS: Definition = Definition {
    name: "unfaithfulness",
    description: "1 - exp(-KL), where KL is the mean Kullback-Leibler divergence in nats of the outputs on the \
                  explanation, `kept`, from those on the whole graph, `full`: lists of the same length. In [0, 1], \
                  lower is better; NULL without rows.",
    example: "SELECT explainer, unfaithfulness(full, kept, 'probs') FROM outputs GROUP BY explainer",
    arguments: &[
        Argument::new("full", Kind::Outputs),
        Argument::new("kept", Kind::Outputs),
        Argument::optional(
            "options",
            Kind::Words(|| UnfaithfulnessMetric::new().params()),
        ),
    ],
    result: || DataType::Float64,
    state: mean_state,
    groups,
};

fn groups(call: &Call) -> Result<Box<dyn Groups>> {
    let function = call.function;
    let divergence = MeanDivergence {
        function,
        is_single: call.types.iter().take(2).all(is_single),
        metric: call.set(UnfaithfulnessMetric::new())?,
    };
    Ok(Box::new(MeanStates::new(function, divergence)))
}

fn is_single(of: &DataType) -> bool {
    matches!(of, DataType::List(of) if *of.data_type() == DataType::Float32)
}

#[derive(Clone)]
struct MeanDivergence {
    function: &'static str,
    /// Both columns hold single precision, which is then kept.
    is_single: bool,
    metric: UnfaithfulnessMetric<'static>,
}

impl MeanDivergence {
    /// The divergences of the rows that are counted, in order.
    fn divergences<T: ArrowPrimitiveType<Native: Real>>(
        &self,
        rows: &Rows<'_>,
        counted: Option<&NullBuffer>,
    ) -> Result<Vec<f64>> {
        let columns = [0, 1].map(|at| self.cast::<T>(&rows.arguments[at]));
        let [full, kept] = columns;
        let (full, kept) = (full?, kept?);
        let [full, kept] = [Lists::new::<T>(&full), Lists::new::<T>(&kept)];
        let mut elements = [Vec::new(), Vec::new()];
        let (mut n_rows, mut n_columns, mut other) = (0, None, None);
        rows.for_each(counted, |row, _| {
            for (elements, list) in elements.iter_mut().zip([full.row(row), kept.row(row)]) {
                if *n_columns.get_or_insert(list.len()) != list.len() {
                    other = Some(list.len());
                }
                elements.extend_from_slice(list);
            }
            n_rows += 1;
        });
        let n_columns = n_columns.unwrap_or_default();
        if let Some(other) = other {
            return exec_err!(
                "{}: a list has {other} outputs, another {n_columns}",
                self.function
            );
        }
        if n_rows == 0 {
            return Ok(Vec::new());
        }
        let [full, kept] = elements.each_ref().map(|elements| {
            ArrayView2::from_shape((n_rows, n_columns), elements)
                .expect("every row has added as many elements")
        });
        self.metric
            .divergence_per_row(full, kept)
            .map_err(|error| failed(self.function, error))
    }

    /// One column may be of single precision where the other is not.
    fn cast<T: ArrowPrimitiveType>(&self, column: &ArrayRef) -> Result<ArrayRef> {
        let of = crate::function::list(T::DATA_TYPE);
        if *column.data_type() == of {
            Ok(Arc::clone(column))
        } else {
            Ok(datafusion::arrow::compute::cast(column, &of)?)
        }
    }
}

impl MeanMetric for MeanDivergence {
    fn each(&mut self, rows: &Rows<'_>, mut add: impl FnMut(usize, f64)) -> Result<()> {
        let counted = rows.counted(&[0, 1]);
        let divergences = (if self.is_single {
            self.divergences::<Float32Type>(rows, counted.as_ref())
        } else {
            self.divergences::<Float64Type>(rows, counted.as_ref())
        })?;
        let mut next = divergences.into_iter();
        rows.for_each(counted.as_ref(), |_, group| {
            if let Some(divergence) = next.next() {
                add(group, divergence);
            }
        });
        Ok(())
    }

    fn value(&self, mean: &Mean) -> Option<f64> {
        Some(Unfaithfulness::new(mean.value()?, mean.count).value)
    }
}
