//! The distance of two rows of features.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, Float64Array};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Result, exec_err};
use ndarray::ArrayView2;
use xai_core::Distance;
use xai_core::distance::DistanceFunction;

use crate::casebased::explain::ExplainCases;
use crate::function::{Argument, Kind, Lists, failed, present};
use crate::input;
use crate::scalar::ScalarDefinition;

const NAME: &str = "feature_distance";

pub(crate) const FEATURE_DISTANCE: ScalarDefinition = ScalarDefinition {
    name: NAME,
    metric: None,
    description: "The distance of two rows of features, lists of the same length. At least 0; NULL if an \
                  argument is NULL. Features that are not finite are an error.",
    example: "SELECT feature_distance(a.features, b.features, 'manhattan') FROM samples AS a CROSS JOIN samples AS b",
    arguments: &[
        Argument::new("a", Kind::Numbers),
        Argument::new("b", Kind::Numbers),
        Argument::parameter::<ExplainCases>("distance"),
    ],
    result: || DataType::Float64,
    values: |call| {
        let ExplainCases { distance, .. } = call.set(ExplainCases::default())?;
        Ok(Box::new(move |columns| {
            Ok(Arc::new(distances(&distance, columns)?))
        }))
    },
};

fn distances(distance: &Distance, columns: &[ArrayRef]) -> Result<Float64Array> {
    let lists = [0, 1].map(|at| Lists::new::<Float64Type>(&columns[at]));
    let present: Vec<_> = columns.iter().take(2).filter_map(present).collect();
    let is_whole = present.iter().all(|nulls| nulls.null_count() == 0);
    if let Some(distances) = is_whole
        .then(|| matrix_distances(distance, &lists))
        .flatten()
    {
        return Ok(distances);
    }
    let [a, b] = lists;
    let between = |row: usize| {
        if present.iter().any(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        let (a, b) = (a.row(row), b.row(row));
        if a.len() != b.len() {
            return exec_err!(
                "{NAME}: a list has {} features, another {}",
                a.len(),
                b.len()
            );
        }
        if !is_finite(a) || !is_finite(b) {
            return Err(failed(
                NAME,
                xai_core::Error::non_finite(input::FEATURES, &[]),
            ));
        }
        let rows = [a, b].map(|row| ArrayView2::from_shape((1, row.len()), row));
        for row in rows.into_iter().flatten() {
            distance
                .check_rows(input::FEATURES, row)
                .map_err(|error| failed(NAME, error))?;
        }
        Ok(Some(distance.distance(a, b)))
    };
    (0..columns[0].len()).map(between).collect()
}

/// Distances of a batch without NULL whose rows have one length, the usual case: checks run once for all rows.
///
/// `None` for other batches, and if a check fails: the caller then goes row by row and reports the first wrong row.
fn matrix_distances(distance: &Distance, lists: &[Lists<'_, f64>; 2]) -> Option<Float64Array> {
    let ((a, n), (b, n_b)) = (lists[0].equal_length()?, lists[1].equal_length()?);
    if n != n_b || n == 0 {
        return None;
    }
    for rows in [a, b] {
        let matrix = ArrayView2::from_shape((rows.len() / n, n), rows).ok()?;
        let is_defined = is_finite(rows) && distance.check_rows(input::FEATURES, matrix).is_ok();
        is_defined.then_some(())?;
    }
    let pairs = a.chunks_exact(n).zip(b.chunks_exact(n));
    let distances: Vec<f64> = pairs.map(|(a, b)| distance.distance(a, b)).collect();
    Some(distances.into())
}

fn is_finite(values: &[f64]) -> bool {
    values.iter().all(|x| x.is_finite())
}
