//! Correspondence of predictions with neighbours that are found already.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::Result;
use xai_casebased::CorrespondenceMetric;

use crate::function::{Argument, Kind, Lists, failed, present};
use crate::scalar::ScalarDefinition;

const NAME: &str = "correspondence";

pub(crate) const CORRESPONDENCE: ScalarDefinition = ScalarDefinition {
    name: NAME,
    metric: None,
    description: "The share of the weight of a sample's nearest training cases that agrees with its predicted class: \
                  lists of their distances, nearest first, and of their classes, of the same length. The weight of a case \
                  follows from its distance. In [0, 1]; NULL if an argument is NULL or if all weights are 0.",
    example: "SELECT id, correspondence(nearest['distances'], nearest['labels'], predicted) FROM explained",
    arguments: &[
        Argument::new("distances", Kind::Numbers),
        Argument::new("labels", Kind::Classes),
        Argument::new("predicted", Kind::Class),
        Argument::parameter::<CorrespondenceMetric>("weighting"),
    ],
    result: || DataType::Float64,
    values: |call| {
        let metric = call.set(CorrespondenceMetric::new())?;
        Ok(Box::new(move |columns| {
            Ok(Arc::new(scores(&metric, columns)?))
        }))
    },
};

fn scores(metric: &CorrespondenceMetric, columns: &[ArrayRef]) -> Result<Float64Array> {
    let distances = Lists::new::<Float64Type>(&columns[0]);
    let labels = Lists::new::<Int64Type>(&columns[1]);
    let predicted = columns[2].as_primitive::<Int64Type>().values();
    let present: Vec<_> = columns.iter().take(3).filter_map(present).collect();
    let told = |error| failed(NAME, error);
    let mut scorer = metric.scorer().map_err(told)?;
    let evaluate_row = |row: usize| {
        if present.iter().any(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        let score = scorer.score(distances.row(row), labels.row(row), predicted[row]);
        score.map_err(told)
    };
    (0..columns[0].len()).map(evaluate_row).collect()
}
