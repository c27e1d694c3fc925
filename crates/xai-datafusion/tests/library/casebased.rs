//! Correspondence and nearest cases.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Builder, Int64Array, ListBuilder};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use ndarray::Array2;
use proptest::prelude::*;
use xai_casebased::{CorrespondenceMetric, Engine, Kernel};
use xai_core::Distance;

use crate::tables::{any_cuts, error, number, rows, session, table};

const N_FEATURES: usize = 2;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_nearest_of_all_partitions_are_those_of_a_scan(
        training in prop::collection::vec((prop::array::uniform2(0..5i8), 0..3i64), 1..150),
        samples in prop::collection::vec(prop::array::uniform2(-1.0..6.0f64), 1..6),
        k in 1usize..8,
        is_manhattan in any::<bool>(),
        cuts in any_cuts(),
    ) {
        let mut features = ListBuilder::new(Float64Builder::new());
        for (row, _) in &training {
            features.values().append_slice(&row.map(f64::from));
            features.append(true);
        }
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(Int64Array::from_iter_values(0..training.len() as i64))),
            ("y", Arc::new(Int64Array::from_iter_values(training.iter().map(|row| row.1)))),
            ("x", Arc::new(features.finish())),
        ];
        let session = table(columns, &cuts);
        let (name, distance) = if is_manhattan { ("manhattan", Distance::Manhattan) } else { ("euclidean", Distance::Euclidean) };
        let values: Vec<String> = samples.iter().enumerate().map(|(i, [a, b])| format!("({i}, make_array({a:?}, {b:?}))")).collect();
        let sql = format!(
            "SELECT s.i, nearest_cases(t.id, t.y, feature_distance(s.x, t.x, '{name}'), {k}) FROM \
             (VALUES {}) AS s(i, x) CROSS JOIN t GROUP BY s.i ORDER BY s.i",
            values.join(", ")
        );
        let found = rows(&session, &sql).unwrap();
        let found = found.column(1).as_struct();
        let train = Array2::from_shape_fn((training.len(), N_FEATURES), |(i, j)| f64::from(training[i].0[j]));
        let queries = Array2::from_shape_fn((samples.len(), N_FEATURES), |(i, j)| samples[i][j]);
        let search = Engine::BruteForce.build(train.view(), distance).unwrap();
        let nearest = search.nearest_batch(queries.view(), k).unwrap();
        for (sample, nearest) in nearest.iter().enumerate() {
            let list = |name: &str| found.column_by_name(name).unwrap().as_list::<i32>().value(sample);
            let ids = list("ids").as_primitive::<Int64Type>().values().to_vec();
            let labels = list("labels").as_primitive::<Int64Type>().values().to_vec();
            let distances: Vec<u64> = list("distances").as_primitive::<Float64Type>().values().iter().map(|d| d.to_bits()).collect();
            prop_assert_eq!(ids, nearest.iter().map(|n| n.index as i64).collect::<Vec<_>>());
            prop_assert_eq!(labels, nearest.iter().map(|n| training[n.index].1).collect::<Vec<_>>());
            prop_assert_eq!(distances, nearest.iter().map(|n| n.distance.to_bits()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn correspondence_in_sql_has_the_bits_of_the_library(
        neighbors in prop::collection::vec((0.0..9.0f64, 0..3i64), 1..9), predicted in 0..3i64
    ) {
        let session = session(2, 8);
        let list = |values: Vec<String>| format!("make_array({})", values.join(", "));
        let (distances, labels): (Vec<f64>, Vec<i64>) = neighbors.into_iter().unzip();
        let call = |rest: &str| format!(
            "SELECT correspondence({}, {}, {predicted}{rest})",
            list(distances.iter().map(|d| format!("CAST({d:?} AS DOUBLE)")).collect()),
            list(labels.iter().map(i64::to_string).collect()),
        );
        let local = |kernel| CorrespondenceMetric::new().weighting(kernel).evaluate(&distances, &labels, predicted).unwrap().score;
        prop_assert_eq!(number(&session, &call("")), local(Kernel::InverseCube));
        prop_assert_eq!(number(&session, &call(", 'uniform'")), local(Kernel::Uniform));
    }
}

#[test]
fn correspondence_is_taken_of_the_nearest_cases() {
    let session = session(3, 8);
    let sql = "SELECT correspondence(n['distances'], n['labels'], 1, 'uniform') FROM (SELECT \
               nearest_cases(id, y, d, 2) AS n FROM (VALUES (1, 1, 0.5), (2, 0, 0.1), (3, 1, 2.0)) AS v(id, y, d))";
    assert_eq!(number(&session, sql), Some(0.5));
}

#[test]
fn null_arguments_give_null() {
    let session = session(2, 8);
    assert_eq!(
        number(&session, "SELECT correspondence(NULL, make_array(1), 1)"),
        None
    );
    assert_eq!(
        number(
            &session,
            "SELECT feature_distance(make_array(1.0, NULL), make_array(1.0, 2.0))"
        ),
        None
    );
    let none = rows(
        &session,
        "SELECT nearest_cases(1, 1, CAST(NULL AS DOUBLE), 3)",
    )
    .unwrap();
    assert!(none.column(0).is_null(0));
}

#[test]
fn invalid_input_is_named() {
    let session = session(2, 8);
    let cases = [
        (
            "SELECT correspondence(1, make_array(1), 1)",
            "the argument `distances` must be a list of numbers",
        ),
        (
            "SELECT correspondence(make_array(-1.0), make_array(1), 1)",
            "a distance, at least 0",
        ),
        (
            "SELECT correspondence(make_array(1.0), make_array(1, 2), 1)",
            "labels: expected shape (1), got (2)",
        ),
        (
            "SELECT correspondence(make_array(1.0), make_array(1), 1, 'near')",
            "the argument weighting = near: expected ",
        ),
        (
            "SELECT feature_distance(make_array(1.0), make_array(1.0, 2.0))",
            "a list has 1 features, another 2",
        ),
        (
            "SELECT feature_distance(make_array(1.0), make_array(1.0), 'far')",
            "the argument distance = far: expected ",
        ),
        (
            "SELECT nearest_cases(1, 1, 0.5, 0)",
            "the argument k = 0: expected a whole number, at least 1",
        ),
        (
            "SELECT nearest_cases(1, 1, 0.5, 1.5)",
            "the argument k = 1.5: expected a whole number",
        ),
        (
            "SELECT nearest_cases(1, 1, 0.5, NULL)",
            "the argument `k` must not be NULL",
        ),
        (
            "SELECT nearest_cases(1, 1, -0.5, 2)",
            "expected a distance, at least 0",
        ),
        (
            "SELECT nearest_cases(id, 1, 0.5, id) FROM (VALUES (1)) AS v(id)",
            "the argument `k` must be a constant",
        ),
    ];
    for (sql, expected) in cases {
        let error = error(&session, sql);
        assert!(error.contains(expected), "{sql}: {error}");
    }
}
