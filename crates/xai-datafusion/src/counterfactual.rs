//! Metrics of counterfactuals: a row is a query and one of its counterfactuals.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err};
use xai_core::Error;
use xai_core::describe::Described;
use xai_counterfactual::metric::{ConstraintViolation, Proximity, Sparsity};
use xai_counterfactual::{
    Change, DistanceOptions, Feature, MixedDistance, RowDistance, Schema, input,
};

use crate::function::{Argument, Call, Kind, Lists, failed, present};
use crate::scalar::{RowValues, ScalarDefinition};

const QUERY: Argument = Argument::new("query", Kind::Numbers);
const COUNTERFACTUAL: Argument = Argument::new("counterfactual", Kind::Numbers);
const SCALES: Argument = Argument::new("scales", Kind::Numbers);
const CATEGORICAL: Argument = Argument::optional("categorical", Kind::Truths);
const ZERO_SCALE: Argument = Argument::parameter::<Proximity>("zero_scale");

pub(crate) static FUNCTIONS: &[ScalarDefinition] = &[
    ScalarDefinition {
        name: "counterfactual_sparsity",
        metric: Some(Sparsity::INFO),
        description: "A row is a query and a counterfactual, lists with an element per feature. NULL if an argument is \
                      NULL or the lists are empty.",
        example: "SELECT method, exact_avg(counterfactual_sparsity(query, counterfactual)) FROM explained GROUP BY method",
        arguments: &[
            QUERY,
            COUNTERFACTUAL,
            Argument::parameter::<Sparsity>("score"),
            Argument::parameter::<Sparsity>("tolerance"),
        ],
        result: || DataType::Float64,
        values: |call| {
            let metric = call.set(Sparsity::new())?;
            Ok(per_pair(call, 2, move |_, _, n| {
                let schema = Schema::numeric(n);
                Ok(Box::new(move |x, c| Some(metric.between(&schema, x, c))))
            }))
        },
    },
    ScalarDefinition {
        name: "constraint_violation",
        metric: Some(ConstraintViolation::INFO),
        description: "A row is a query and a counterfactual, lists with an element per feature, and the changes that each feature allows: 0 none, \
                      1 only upwards, -1 only downwards, 2 any. NULL if an argument is NULL, the lists are empty, or every feature allows any change.",
        example: "SELECT method, exact_avg(constraint_violation(query, counterfactual, [1, 0, 2])) FROM explained GROUP BY method",
        arguments: &[
            QUERY,
            COUNTERFACTUAL,
            Argument::new("changes", Kind::Classes),
            Argument::parameter::<ConstraintViolation>("score"),
            Argument::parameter::<ConstraintViolation>("tolerance"),
        ],
        result: || DataType::Float64,
        values: |call| {
            let metric = call.set(ConstraintViolation::new())?;
            Ok(per_pair(call, 3, move |columns, row, n| {
                let changes = Lists::new::<Int64Type>(&columns[2]).row(row);
                let feature = |(column, &code): (usize, &i64)| {
                    let change = match code {
                        0 => Change::None,
                        1 => Change::Increase,
                        -1 => Change::Decrease,
                        2 => Change::Any,
                        _ => {
                            let expected =
                                "0 (no change), 1 (upwards), -1 (downwards) or 2 (any change)";
                            return Err(Error::out_of_domain(
                                input::CONSTRAINTS,
                                &[column],
                                code as f64,
                                expected,
                            ));
                        }
                    };
                    Ok(Feature::numeric(column).change(change))
                };
                let features = changes
                    .iter()
                    .enumerate()
                    .map(feature)
                    .collect::<xai_core::Result<_>>()?;
                let schema = Schema::new(n, features)?;
                Ok(Box::new(move |x, c| metric.between(&schema, x, c)))
            }))
        },
    },
    ScalarDefinition {
        name: "gower_distance",
        metric: None,
        description: "Gower's distance of two rows: the mean over features of |a - b| / scale, of categories 0 or 1. The scales are the ranges of \
                      the features. NULL if an argument is NULL, the lists are empty, or a feature with scale 0 differs (see zero_scale).",
        example: "SELECT gower_distance(query, counterfactual, [73, 16, 1], [false, false, true]) FROM explained",
        arguments: &[QUERY, COUNTERFACTUAL, SCALES, CATEGORICAL, ZERO_SCALE],
        result: || DataType::Float64,
        values: |call| distances(call, MixedDistance::Gower),
    },
    ScalarDefinition {
        name: "heom_distance",
        metric: None,
        description: "The heterogeneous Euclidean-overlap distance of two rows: the Euclidean length of the differences |a - b| / scale, of categories \
                      0 or 1. The scales are the ranges of the features. NULL if an argument is NULL, the lists are empty, or a feature \
                      with scale 0 differs (see zero_scale).",
        example: "SELECT heom_distance(query, counterfactual, [73, 16, 1], [false, false, true]) FROM explained",
        arguments: &[QUERY, COUNTERFACTUAL, SCALES, CATEGORICAL, ZERO_SCALE],
        result: || DataType::Float64,
        values: |call| distances(call, MixedDistance::Heom),
    },
    ScalarDefinition {
        name: "mad_distance",
        metric: None,
        description: "The sum over features of |a - b| / scale, of categories 0 or 1. The scales are the median absolute deviations of the \
                      features. NULL if an argument is NULL, the lists are empty, or a feature with scale 0 differs (see zero_scale).",
        example: "SELECT mad_distance(query, counterfactual, [10, 1, 0], [false, false, true]) FROM explained",
        arguments: &[
            QUERY,
            COUNTERFACTUAL,
            SCALES,
            CATEGORICAL,
            ZERO_SCALE,
            Argument::parameter::<Proximity>("scale"),
        ],
        result: || DataType::Float64,
        values: |call| distances(call, MixedDistance::Mad),
    },
];

fn distances(call: &Call, distance: MixedDistance) -> Result<RowValues> {
    let options = call.set(DistanceOptions::default())?.distance(distance);
    Ok(per_pair(call, 4, move |columns, row, n| {
        let scales = Lists::new::<Float64Type>(&columns[2]).row(row);
        let is_categorical = |column: usize| {
            let flags = columns
                .get(3)
                .map(|flags| flags.as_list::<i32>().value(row));
            flags.is_some_and(|flags| flags.as_boolean().value(column))
        };
        let feature = |column| {
            if is_categorical(column) {
                Feature::categorical(column)
            } else {
                Feature::numeric(column)
            }
        };
        let schema = Schema::new(n, (0..n).map(feature).collect())?;
        let distance = RowDistance::with_scales(options, &schema, scales)?;
        Ok(Box::new(move |x, c| distance.between(x, c)))
    }))
}

/// A value of a query and a counterfactual.
type PairValue = Box<dyn Fn(&[f64], &[f64]) -> Option<f64>>;

/// The values of all rows, whose first `n_lists` arguments are lists with an element per feature.
///
/// `prepare` returns the value for the lists of a row after the counterfactual; it is called once for consecutive rows
/// with the same lists.
fn per_pair(
    call: &Call,
    n_lists: usize,
    prepare: impl Fn(&[ArrayRef], usize, usize) -> xai_core::Result<PairValue> + 'static,
) -> RowValues {
    let function = call.function;
    Box::new(move |columns| {
        let lists = &columns[..n_lists.min(columns.len())];
        let nulls: Vec<_> = lists.iter().filter_map(present).collect();
        let [queries, rows] = [0, 1].map(|at| Lists::new::<Float64Type>(&columns[at]));
        let lengths = |row: usize| {
            lists
                .iter()
                .map(move |list| list.as_list::<i32>().value_length(row))
        };
        let side_lists = |row: usize| {
            lists[2..]
                .iter()
                .map(move |list| list.as_list::<i32>().value(row))
        };
        let mut prepared: Option<(usize, PairValue)> = None;
        let value = |row: usize| {
            if nulls.iter().any(|nulls| nulls.is_null(row)) {
                return Ok(None);
            }
            let (x, c) = (queries.row(row), rows.row(row));
            if x.is_empty() && c.is_empty() {
                return Ok(None); // no feature can be compared
            }
            if let Some(n) = lengths(row).find(|&n| n as usize != x.len()) {
                return exec_err!("{function}: a list has {} features, another {n}", x.len());
            }
            for (input, values) in [(input::QUERIES, x), (input::COUNTERFACTUALS, c)] {
                if values.iter().any(|value| !value.is_finite()) {
                    return Err(failed(function, Error::non_finite(input, &[])));
                }
            }
            let is_same = |(first, _): &&(usize, PairValue)| {
                queries.row(*first).len() == x.len() && side_lists(*first).eq(side_lists(row))
            };
            let value = match prepared.as_ref().filter(is_same) {
                Some((_, value)) => value(x, c),
                None => {
                    let value =
                        prepare(columns, row, x.len()).map_err(|error| failed(function, error))?;
                    let (_, value) = prepared.insert((row, value));
                    value(x, c)
                }
            };
            Ok(value)
        };
        let values: Float64Array = (0..columns[0].len()).map(value).collect::<Result<_>>()?;
        Ok(Arc::new(values))
    })
}
