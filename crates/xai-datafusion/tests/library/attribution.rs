//! Metrics over base and masked scores.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array};
use datafusion::arrow::datatypes::{Int64Type, UInt64Type};
use proptest::prelude::*;
use xai_attribution::metric::{AverageDrop, AverageGain, AverageIncrease};

use crate::tables::{any_cuts, bits, error, number, rows, session, table};

const N_GROUPS: i64 = 4;

#[derive(Debug, Clone, Copy)]
struct Row {
    group: i64,
    base: Option<f64>,
    masked: Option<f64>,
    is_kept: bool,
}

fn any_row() -> impl Strategy<Value = Row> {
    let score = || prop::option::weighted(0.9, prop_oneof![1e-9..1.0f64, Just(1.0), Just(0.25)]);
    (0..N_GROUPS, score(), score(), any::<bool>()).prop_map(|(group, base, masked, is_kept)| Row {
        group,
        base,
        masked,
        is_kept,
    })
}

fn columns(rows: &[Row]) -> Vec<(&'static str, ArrayRef)> {
    vec![
        (
            "g",
            Arc::new(Int64Array::from_iter_values(
                rows.iter().map(|row| row.group),
            )),
        ),
        (
            "base",
            Arc::new(Float64Array::from_iter(rows.iter().map(|row| row.base))),
        ),
        (
            "masked",
            Arc::new(Float64Array::from_iter(rows.iter().map(|row| row.masked))),
        ),
        (
            "kept",
            Arc::new(Int64Array::from_iter_values(
                rows.iter().map(|row| i64::from(row.is_kept)),
            )),
        ),
    ]
}

/// The scores of the rows that count.
fn scores(rows: &[Row], counts: impl Fn(&Row) -> bool) -> (Vec<f64>, Vec<f64>) {
    let rows = rows.iter().filter(|row| counts(row));
    rows.filter_map(|row| Some((row.base?, row.masked?)))
        .unzip()
}

type Local = fn(&[f64], &[f64]) -> Option<f64>;

const FUNCTIONS: [(&str, Local); 3] = [
    ("average_drop", |base, masked| {
        Some(AverageDrop::new().evaluate_scores(base, masked).ok()?.value)
    }),
    ("average_increase", |base, masked| {
        Some(
            AverageIncrease::new()
                .evaluate_scores(base, masked)
                .ok()?
                .value,
        )
    }),
    ("average_gain", |base, masked| {
        Some(AverageGain::new().evaluate_scores(base, masked).ok()?.value)
    }),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn scores_in_sql_have_the_bits_of_the_library(
        all in prop::collection::vec(any_row(), 1..300), cuts in any_cuts()
    ) {
        let session = table(columns(&all), &cuts);
        for (name, local) in FUNCTIONS {
            let call = format!("{name}(base, masked)");
            let sql = format!(
                "SELECT g, {call}, {call} FILTER (WHERE kept = 1), n_null(base, masked), \
                 n_null(base, masked) FILTER (WHERE kept = 1) FROM t GROUP BY g ORDER BY g"
            );
            let found = rows(&session, &sql).unwrap();
            let groups = found.column(0).as_primitive::<Int64Type>().values().to_vec();
            let of = |counts: &dyn Fn(&Row) -> bool| -> Vec<Option<u64>> {
                let value = |&group: &i64| {
                    let (base, masked) = scores(&all, |row| row.group == group && counts(row));
                    local(&base, &masked).map(f64::to_bits)
                };
                groups.iter().map(value).collect()
            };
            prop_assert_eq!(bits(found.column(1)), of(&|_| true));
            prop_assert_eq!(bits(found.column(2)), of(&|row| row.is_kept));
            for (column, only_kept) in [(3, false), (4, true)] {
                let nulls = found.column(column).as_primitive::<UInt64Type>().values();
                for (&group, &n_null) in groups.iter().zip(nulls) {
                    let is_null = |row: &&Row| {
                        row.group == group && (row.is_kept || !only_kept) && (row.base.is_none() || row.masked.is_none())
                    };
                    prop_assert_eq!(n_null, all.iter().filter(is_null).count() as u64);
                }
            }
            // Rows in the order of the groups, which are then finished one after the other.
            let in_order = format!("SELECT g, {call} FROM (SELECT * FROM t ORDER BY g LIMIT 100000) GROUP BY g ORDER BY g");
            prop_assert_eq!(bits(rows(&session, &in_order).unwrap().column(1)), of(&|_| true));
            let (base, masked) = scores(&all, |_| true);
            let whole = number(&session, &format!("SELECT {call} FROM t"));
            prop_assert_eq!(whole.map(f64::to_bits), local(&base, &masked).map(f64::to_bits));
        }
    }

    #[test]
    fn windows_have_the_bits_of_the_library(
        all in prop::collection::vec(any_row(), 1..60), cuts in any_cuts()
    ) {
        let mut named = columns(&all);
        named.push(("i", Arc::new(Int64Array::from_iter_values(0..all.len() as i64))));
        let session = table(named, &cuts);
        for (frame, before) in [("UNBOUNDED PRECEDING", usize::MAX), ("5 PRECEDING", 5)] {
            for (name, local) in FUNCTIONS {
                let sql = format!(
                    "SELECT {name}(base, masked) OVER (ORDER BY i ROWS BETWEEN {frame} AND CURRENT ROW) FROM t ORDER BY i"
                );
                let found = rows(&session, &sql).unwrap();
                let expected: Vec<Option<u64>> = (0..all.len())
                    .map(|i| {
                        let (base, masked) = scores(&all[i.saturating_sub(before)..=i], |_| true);
                        local(&base, &masked).map(f64::to_bits)
                    })
                    .collect();
                prop_assert_eq!(bits(found.column(0)), expected);
            }
        }
    }
}

#[test]
fn base_scores_of_zero_are_errors_with_a_hint() {
    let session = session(2, 8);
    let sql = |rest: &str| {
        format!("SELECT average_drop(b, m{rest}) FROM (VALUES (0.5, 0.25), (-1.0, 0.5)) AS v(b, m)")
    };
    let error = error(&session, &sql(""));
    assert!(error.contains("average_drop: base = -1"), "{error}");
    assert!(error.contains("'skip'"), "{error}");
    assert_eq!(
        number(&session, &sql(", 'skip'")),
        number(&session, "SELECT average_drop(0.5, 0.25)")
    );
    let as_is = AverageDrop::new()
        .base_score_policy(xai_attribution::metric::BaseScorePolicy::AsIs)
        .evaluate_scores(&[0.5, -1.0], &[0.25, 0.5])
        .unwrap();
    assert_eq!(number(&session, &sql(", 'as-is'")), Some(as_is.value));
}

/// The scale of the explanations does not matter, and equal ones mark nothing.
#[test]
fn a_mask_is_relative_and_constant_explanations_have_none() {
    let session = session(2, 8);
    let masked = |explanations: &str, at: usize| {
        number(
            &session,
            &format!("SELECT mask_inputs([2.0, 4.0, 6.0], {explanations})[{at}]"),
        )
    };
    for explanations in [
        "[0.0, -1.0, 0.5]",
        "[0.0, -1e-30, 0.5e-30]",
        "[0.0, -1e30, 0.5e30]",
    ] {
        let of = [1, 2, 3].map(|at| masked(explanations, at));
        assert_eq!(of, [Some(0.0), Some(4.0), Some(3.0)], "{explanations}");
    }
    assert_eq!(masked("[0.5, -0.5, 0.5]", 1), None);
    // Beside rows that have a mask, and in rows of different lengths.
    let sql = "SELECT n_null(mask_inputs(x, e)) FROM (VALUES ([1.0, 2.0], [0.0, 1.0]), ([1.0, 2.0], [1.0, 1.0]), ([1.0], [3.0])) AS v(x, e)";
    let n_null = rows(&session, sql).unwrap();
    let n_null = n_null.column(0).as_any();
    let n_null = n_null
        .downcast_ref::<datafusion::arrow::array::UInt64Array>()
        .unwrap();
    assert_eq!(n_null.value(0), 2);
}

#[test]
fn a_wrong_argument_is_a_planning_error_that_names_it() {
    let session = session(2, 8);
    let cases = [
        (
            "SELECT average_drop('a', 0.5)",
            "the argument `base` must be a number, got Utf8",
        ),
        (
            "SELECT average_drop(0.5, 0.5, 'maybe')",
            "the argument base_score_policy = maybe: expected error, as-is or skip",
        ),
        (
            "SELECT average_drop(0.5)",
            "expected 2 to 3 arguments, got 1",
        ),
        (
            "SELECT average_drop(a, a, b) FROM (VALUES (1.0, 'skip')) AS v(a, b)",
            "the argument `base_score_policy` must be a constant",
        ),
    ];
    for (sql, expected) in cases {
        let error = error(&session, sql);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn nothing_has_no_value() {
    let session = session(4, 8);
    for (name, _) in FUNCTIONS {
        let none = format!("SELECT {name}(a, a) FROM (SELECT CAST(NULL AS DOUBLE) AS a)");
        assert_eq!(number(&session, &none), None);
        let empty = format!("SELECT {name}(a, a) FROM (SELECT 1.0 AS a) WHERE a > 2");
        assert_eq!(number(&session, &empty), None);
    }
}
