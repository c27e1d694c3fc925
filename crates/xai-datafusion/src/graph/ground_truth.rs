//! Masks beside the truth, by threshold.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, ArrowPrimitiveType, AsArray, Float64Array};
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::common::Result;
use xai_core::Real;
use xai_graph::GroundTruthMetric;
use xai_graph::ground_truth::{Confusion, CountedElement};
use xai_graph::input::PREDICTED;

use crate::aggregate::{Definition, FlatMetric, FlatStates, Groups, Rows, counts_state};
use crate::function::{Argument, Call, Kind, failed};
use crate::{help, input};

const ARGUMENTS: &[Argument] = &[
    Argument::new("pred", Kind::Score),
    Argument::new("target", Kind::Truth),
    Argument::parameter::<GroundTruthMetric>("threshold"),
];

macro_rules! definition {
    ($name:literal, $value:expr, $description:literal) => {
        Definition {
            name: $name,
            description: concat!(
                $description,
                " An element is true where target >= threshold, predicted where pred > threshold, in the precision of \
                 `pred`. In [0, 1], higher is better; NULL if it is undefined. \
                 Scores outside [0, 1] are an error."
            ),
            example: concat!("SELECT graph, ", $name, "(mask, truth, 0.5) FROM edges GROUP BY graph"),
            arguments: ARGUMENTS,
            result: || DataType::Float64,
            state: counts_state![
                "true_positives",
                "false_positives",
                "false_negatives",
                "true_negatives"
            ],
            groups: |call| groups(call, $value),
        }
    };
}

pub(crate) const ACCURACY: Definition = definition!(
    "groundtruth_accuracy",
    Confusion::accuracy,
    "The share of elements on which mask and truth agree."
);
pub(crate) const PRECISION: Definition = definition!(
    "groundtruth_precision",
    Confusion::precision,
    "The share of what the mask marks that is true; undefined without a prediction."
);
pub(crate) const RECALL: Definition = definition!(
    "groundtruth_recall",
    Confusion::recall,
    "The share of the truth that the mask finds; undefined without a true element."
);
pub(crate) const F1: Definition = definition!(
    "groundtruth_f1",
    Confusion::f1_score,
    "2 TP / (2 TP + FP + FN); undefined when neither mask nor truth has an element."
);

fn groups(call: &Call, value: fn(&Confusion) -> Option<f64>) -> Result<Box<dyn Groups>> {
    Ok(Box::new(FlatStates::new(ConfusionMetric {
        function: call.function,
        metric: call.set(GroundTruthMetric::new())?,
        value,
    })))
}

#[derive(Clone)]
struct ConfusionMetric {
    function: &'static str,
    metric: GroundTruthMetric,
    value: fn(&Confusion) -> Option<f64>,
}

/// Calls `each` for every element that is counted, with its group, its score in double precision, and whether it counts
/// as predicted and as true. Thresholds are compared in the precision of the scores.
pub(crate) fn for_each_element(
    function: &str,
    metric: &GroundTruthMetric,
    rows: &Rows<'_>,
    each: impl FnMut(usize, f64, CountedElement),
) -> Result<()> {
    let judged = match rows.arguments[0].data_type() {
        DataType::Float32 => judge::<Float32Type>(metric, rows, each),
        _ => judge::<Float64Type>(metric, rows, each),
    };
    judged.map_err(|error| {
        let error = error.renamed(PREDICTED, input::PRED);
        let error = match error.help() {
            Some(_) => error.with_help(help::LOGITS),
            None => error,
        };
        failed(function, error)
    })
}

fn judge<T: ArrowPrimitiveType<Native: Real>>(
    metric: &GroundTruthMetric,
    rows: &Rows<'_>,
    mut each: impl FnMut(usize, f64, CountedElement),
) -> xai_core::Result<()> {
    let scores = rows.arguments[0].as_primitive::<T>().values();
    let target = rows.arguments[1].as_primitive::<Float64Type>().values();
    let mut judged = Ok(());
    let counted = rows.counted(&[0, 1]);
    rows.for_each(counted.as_ref(), |row, group| {
        match metric.element(scores[row], target[row]) {
            Ok(element) => each(group, scores[row].to_f64_exact(), element),
            // The first that is wrong.
            Err(error) if judged.is_ok() => judged = Err(error),
            Err(_) => {}
        }
    });
    judged
}

impl FlatMetric<4> for ConfusionMetric {
    fn each(&mut self, rows: &Rows<'_>, mut add: impl FnMut(usize, [u64; 4])) -> Result<()> {
        for_each_element(self.function, &self.metric, rows, |group, _, element| {
            let mut counts = Confusion::default();
            counts.add(element);
            let (found, wrong) = (counts.true_positives, counts.false_positives);
            add(
                group,
                [found, wrong, counts.false_negatives, counts.true_negatives],
            );
        })
    }

    fn values(&self, counts: &[[u64; 4]]) -> ArrayRef {
        let values = counts.iter().map(|counts| {
            let [
                true_positives,
                false_positives,
                false_negatives,
                true_negatives,
            ] = *counts;
            (self.value)(&Confusion {
                true_positives,
                false_positives,
                false_negatives,
                true_negatives,
            })
        });
        Arc::new(values.collect::<Float64Array>())
    }
}
