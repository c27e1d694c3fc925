//! Pairwise reproducibility.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, Int64Builder, ListBuilder, StructArray,
};
use datafusion::arrow::datatypes::{Float64Type, Int64Type, UInt64Type};
use ndarray::Array2;
use proptest::prelude::*;
use xai_repro::Pairwise;
use xai_repro::metrics::PAIR_METRICS;

use crate::tables::{any_cuts, error, rows, session, table};

const N_RUNS: usize = 4;

type Row = (i64, i64, Option<[i64; N_RUNS]>);

fn columns(all: &[Row]) -> Vec<(&'static str, ArrayRef)> {
    let mut lists = ListBuilder::new(Int64Builder::new());
    for (_, _, classes) in all {
        lists.values().append_slice(&classes.unwrap_or_default());
        lists.append(classes.is_some());
    }
    vec![
        (
            "g",
            Arc::new(Int64Array::from_iter_values(all.iter().map(|row| row.0))),
        ),
        (
            "y",
            Arc::new(Int64Array::from_iter_values(all.iter().map(|row| row.1))),
        ),
        ("p", Arc::new(lists.finish())),
    ]
}

fn number(of: &StructArray, name: &str, row: usize) -> Option<f64> {
    let column = of
        .column_by_name(name)
        .unwrap()
        .as_primitive::<Float64Type>();
    column.is_valid(row).then(|| column.value(row))
}

fn count(of: &StructArray, name: &str, row: usize) -> u64 {
    of.column_by_name(name)
        .unwrap()
        .as_primitive::<UInt64Type>()
        .value(row)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn runs_in_sql_have_the_bits_of_the_library(
        all in prop::collection::vec(
            (0..3i64, -1..2i64, prop::option::weighted(0.9, prop::array::uniform4(-1..2i64))), 1..200
        ),
        cuts in any_cuts(),
    ) {
        let session = table(columns(&all), &cuts);
        let found = rows(&session, "SELECT g, pairwise_reproducibility(y, p) FROM t GROUP BY g ORDER BY g").unwrap();
        let groups = found.column(0).as_primitive::<Int64Type>().values();
        let results = found.column(1).as_struct();
        for (at, &group) in groups.iter().enumerate() {
            let of_group: Vec<&Row> = all.iter().filter(|row| row.0 == group).collect();
            let samples: Vec<(i64, [i64; N_RUNS])> = of_group.iter().filter_map(|row| Some((row.1, row.2?))).collect();
            prop_assert_eq!(count(results, "n_null", at), (of_group.len() - samples.len()) as u64);
            if samples.is_empty() {
                prop_assert!(results.column_by_name("n_runs").unwrap().is_null(at));
                prop_assert!(results.column_by_name("ec_local").unwrap().is_null(at));
                continue;
            }
            let labels: Vec<i64> = samples.iter().map(|sample| sample.0).collect();
            let predictions = Array2::from_shape_fn((N_RUNS, samples.len()), |(run, i)| samples[i].1[run]);
            let local = Pairwise::new().evaluate(predictions.view(), &labels).unwrap();
            prop_assert_eq!(count(results, "n_runs", at), N_RUNS as u64);
            prop_assert_eq!(count(results, "n_samples", at), samples.len() as u64);
            for &metric in PAIR_METRICS {
                let summary = local.summary(metric);
                let of_metric = results.column_by_name(metric.name()).unwrap().as_struct();
                for (name, expected) in [
                    ("mean", summary.mean), ("std", summary.std), ("min", summary.min), ("max", summary.max),
                ] {
                    let found = number(of_metric, name, at).map(f64::to_bits);
                    prop_assert_eq!(found, expected.map(f64::to_bits), "{} {}", metric.name(), name);
                }
                prop_assert_eq!(count(of_metric, "n_defined", at), summary.n_defined as u64);
            }
        }
    }
}

#[test]
fn one_value_of_the_struct_is_taken_by_its_name() {
    let session = session(2, 8);
    let sql = "SELECT pairwise_reproducibility(y, make_array(a, b))['ec_acc']['mean'] FROM \
               (VALUES (0, 0, 1), (1, 1, 1), (1, 0, 0), (0, 0, 0)) AS v(y, a, b)";
    assert_eq!(crate::tables::number(&session, sql), Some(0.75));
}

#[test]
fn pairs_without_errors_follow_the_empty_union_option() {
    let session = session(1, 8);
    let local = |word: &str| {
        let sql = format!(
            "SELECT pairwise_reproducibility(1, make_array(1, 1), '{word}')['ec_local']['mean']"
        );
        crate::tables::number(&session, &sql)
    };
    for (word, value) in [
        ("zero", Some(0.0)),
        ("0", Some(0.0)),
        ("one", Some(1.0)),
        ("1", Some(1.0)),
        ("undefined", None),
    ] {
        assert_eq!(local(word), value, "{word}");
    }
}

#[test]
fn invalid_input_is_named() {
    let session = session(1, 8);
    let cases = [
        (
            "SELECT pairwise_reproducibility(1, 2)",
            "the argument `predictions` must be a list of classes",
        ),
        (
            "SELECT pairwise_reproducibility(1, make_array(1, 2), 'half')",
            "the argument empty_union = half: expected undefined, zero",
        ),
        (
            "SELECT pairwise_reproducibility(y, p) FROM (VALUES (1, make_array(1, 2)), (1, make_array(1))) AS v(y, p)",
            "every run must predict every sample",
        ),
        (
            "SELECT pairwise_reproducibility(1, make_array(1))",
            "pairwise_reproducibility: ",
        ),
    ];
    for (sql, expected) in cases {
        let error = error(&session, sql);
        assert!(error.contains(expected), "{sql}: {error}");
    }
}
