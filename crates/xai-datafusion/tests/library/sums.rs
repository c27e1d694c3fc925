//! Exact sums and means.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array};
use datafusion::arrow::datatypes::{Float64Type, Int64Type, UInt64Type};
use proptest::prelude::*;
use xai_core::ExactSum;
use xai_core::statistics::mean_interval;
use xai_core::sum::Moments;

use crate::tables::{any_cuts, bits, error, number, rows, session, table};

fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e3..1e3f64,
        1 => -1e-20..1e-20f64,
        1 => -1e100..1e100f64,
        1 => Just(0.0),
        1 => Just(1.0),
    ]
}

fn columns(values: &[(i64, Option<f64>)]) -> Vec<(&'static str, ArrayRef)> {
    vec![
        (
            "g",
            Arc::new(Int64Array::from_iter_values(values.iter().map(|row| row.0))),
        ),
        (
            "x",
            Arc::new(Float64Array::from_iter(values.iter().map(|row| row.1))),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sums_and_means_in_sql_have_the_bits_of_the_library(
        values in prop::collection::vec((0..3i64, prop::option::weighted(0.9, any_value())), 1..300),
        is_share in any::<bool>(),
        cuts in any_cuts(),
    ) {
        let share = |x: f64| if x > 0.0 { 1.0 } else { 0.0 };
        let values: Vec<_> = values.into_iter().map(|(g, x)| (g, x.map(|x| if is_share { share(x) } else { x }))).collect();
        let session = table(columns(&values), &cuts);
        let sql = "SELECT g, s, a['mean'], a['std'], a['low'], a['high'], a['n'], a['n_null'] FROM \
                   (SELECT g, exact_sum(x) AS s, exact_avg(x, 0.9) AS a FROM t GROUP BY g) ORDER BY g";
        let found = rows(&session, sql).unwrap();
        let groups = found.column(0).as_primitive::<Int64Type>().values();
        for (at, &group) in groups.iter().enumerate() {
            let of_group: Vec<f64> = values.iter().filter(|row| row.0 == group).filter_map(|row| row.1).collect();
            let sum: ExactSum = of_group.iter().copied().collect();
            let mut moments = Moments::new();
            of_group.iter().for_each(|&x| moments.add(x));
            let interval = mean_interval(&moments, 0.9).unwrap();
            let expected = [
                (!of_group.is_empty()).then(|| sum.value()),
                moments.mean(),
                moments.std(),
                interval.map(|interval| interval.low),
                interval.map(|interval| interval.high),
            ];
            for (column, expected) in expected.into_iter().enumerate() {
                prop_assert_eq!(bits(found.column(column + 1))[at], expected.map(f64::to_bits));
            }
            let count = |column: usize| found.column(column).as_primitive::<UInt64Type>().value(at);
            prop_assert_eq!(count(6), of_group.len() as u64);
            let n_null = values.iter().filter(|row| row.0 == group && row.1.is_none()).count();
            prop_assert_eq!(count(7), n_null as u64);
        }
    }

    #[test]
    fn a_frame_that_moves_on_leaves_nothing_behind(
        values in prop::collection::vec((0..3i64, prop::option::weighted(0.9, any_value())), 1..60), cuts in any_cuts()
    ) {
        let mut named = columns(&values);
        named.push(("i", Arc::new(Int64Array::from_iter_values(0..values.len() as i64))));
        let session = table(named, &cuts);
        let sql = "SELECT exact_sum(x) OVER (ORDER BY i ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM t ORDER BY i";
        let found = rows(&session, sql).unwrap();
        let expected: Vec<_> = (0..values.len())
            .map(|i| {
                let frame: Vec<f64> = values[i.saturating_sub(3)..=i].iter().filter_map(|row| row.1).collect();
                (!frame.is_empty()).then(|| frame.iter().copied().collect::<ExactSum>().value().to_bits())
            })
            .collect();
        prop_assert_eq!(bits(found.column(0)), expected);
    }
}

#[test]
fn non_finite_values_follow_ieee_or_are_errors() {
    let session = session(3, 8);
    let inf = "SELECT exact_sum(x) FROM (VALUES (CAST('inf' AS DOUBLE)), (1.0)) AS v(x)";
    assert_eq!(number(&session, inf), Some(f64::INFINITY));
    let nan = "SELECT exact_avg(x) FROM (VALUES (CAST('nan' AS DOUBLE)), (1.0)) AS v(x)";
    assert!(error(&session, nan).contains("exact_avg: values: not a finite number"));
    assert!(
        error(&session, "SELECT exact_avg(1.0, 2.0)")
            .contains("the argument level = 2: expected a number in (0, 1)")
    );
    assert!(
        error(&session, "SELECT exact_sum('a')").contains("the argument `value` must be a number")
    );
}

#[test]
fn integers_are_numbers() {
    let session = session(3, 8);
    let found = rows(
        &session,
        "SELECT exact_sum(x) FROM (VALUES (1), (2)) AS v(x)",
    )
    .unwrap();
    assert_eq!(found.column(0).as_primitive::<Float64Type>().value(0), 3.0);
}
