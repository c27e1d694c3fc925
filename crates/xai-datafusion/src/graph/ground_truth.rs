//! Masks beside the truth, by threshold.

use datafusion::arrow::array::{ArrowPrimitiveType, AsArray};
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::common::Result;
use xai_core::Real;
use xai_core::describe::with;
use xai_graph::GroundTruthMetric;
use xai_graph::ground_truth::Confusion;

use crate::aggregate::{Definition, FlatMetric, FlatStates, Groups, Rows, counts_state};
use crate::function::{Argument, Call, Kind, failed};
use crate::help;

pub(crate) const THRESHOLD: &str = "threshold";
const ARGUMENTS: &[Argument] = &[
    Argument::new("pred", Kind::Score),
    Argument::new("target", Kind::Truth),
    Argument::optional(THRESHOLD, Kind::ConstantNumber),
];

macro_rules! definition {
    ($name:literal, $value:expr, $description:literal) => {
        Definition {
            name: $name,
            description: concat!(
                $description,
                " An element is true where target >= threshold, predicted where pred > threshold, in the precision of \
                 `pred`; the threshold is 0.5 unless given. In [0, 1], higher is better; NULL where it is undefined. \
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

/// The threshold, checked.
pub(crate) fn metric(call: &Call) -> Result<GroundTruthMetric> {
    let threshold = call.number(THRESHOLD)?;
    let threshold = threshold.map(|threshold| (THRESHOLD, threshold.into()));
    match with(GroundTruthMetric::new(), threshold) {
        Ok(metric) => Ok(metric),
        Err(error) => call.wrong(THRESHOLD, &format!("is out of its domain: {error}")),
    }
}

fn groups(call: &Call, value: fn(&Confusion) -> Option<f64>) -> Result<Box<dyn Groups>> {
    Ok(Box::new(FlatStates::new(ConfusionMetric {
        function: call.function,
        metric: metric(call)?,
        value,
    })))
}

#[derive(Clone)]
struct ConfusionMetric {
    function: &'static str,
    metric: GroundTruthMetric,
    value: fn(&Confusion) -> Option<f64>,
}

impl ConfusionMetric {
    fn each_of<T: ArrowPrimitiveType<Native: Real>>(
        &self,
        rows: &Rows<'_>,
        mut add: impl FnMut(usize, [u64; 4]),
    ) -> Result<()> {
        let predicted = rows.arguments[0].as_primitive::<T>().values();
        let target = rows.arguments[1].as_primitive::<Float64Type>().values();
        let counted = rows.counted(&[0, 1]);
        let mut wrong = None;
        rows.for_each(counted.as_ref(), |row, group| {
            match self.metric.element(predicted[row], target[row]) {
                Ok(element) => {
                    let (predicted, truth) = (element.is_predicted, element.is_true);
                    add(
                        group,
                        [
                            u64::from(predicted & truth),
                            u64::from(predicted & !truth),
                            u64::from(!predicted & truth),
                            u64::from(!predicted & !truth),
                        ],
                    );
                }
                Err(error) => drop(wrong.get_or_insert(error)),
            }
        });
        match wrong {
            Some(error) => Err(failed(self.function, in_sql(error))),
            None => Ok(()),
        }
    }
}

/// The way out in terms of SQL.
pub(crate) fn in_sql(error: xai_core::Error) -> xai_core::Error {
    match error.help() {
        Some(_) => error.with_help(help::LOGITS),
        None => error,
    }
}

impl FlatMetric<4> for ConfusionMetric {
    fn each(&mut self, rows: &Rows<'_>, add: impl FnMut(usize, [u64; 4])) -> Result<()> {
        match rows.arguments[0].data_type() {
            DataType::Float32 => self.each_of::<Float32Type>(rows, add),
            _ => self.each_of::<Float64Type>(rows, add),
        }
    }

    fn value(&self, counts: &[u64; 4]) -> Option<f64> {
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
    }
}
