//! Windows and `FILTER`: each value is that of a query over the same rows.

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::prelude::SessionContext;
use xai_datafusion::Stages;

use crate::tables::{error, rows, session};

const N_ROWS: i64 = 20;

const CALLS: &[&str] = &[
    "average_drop(base, masked)",
    // With a base score of -1e-8, for which the formula would divide by 0.
    "average_drop(if_i_is_four, masked, 'as-is')",
    "average_increase(base, masked)",
    "average_gain(base, masked)",
    "pos_fidelity(label, other)",
    "neg_fidelity(outputs, kept, other)",
    "unfaithfulness(outputs, kept, 'probs')",
    "groundtruth_accuracy(masked, truth)",
    "groundtruth_precision(masked, truth)",
    "groundtruth_recall(masked, truth)",
    "groundtruth_f1(masked, truth)",
    "groundtruth_auroc(masked, truth)",
    "groundtruth_auroc_binned(masked, truth, 0.5, 4)",
    "pairwise_reproducibility(label, predictions)",
    "nearest_cases(i, label, masked, 2)",
    "exact_sum(base - masked)",
    "exact_avg(base)",
    "n_null(base, masked)",
];

/// Rows with ties and NULL.
fn with_rows() -> SessionContext {
    let session = session(2, 7);
    let sql = format!(
        "CREATE TABLE t AS SELECT i, base, masked, i % 3 = 0 AS truth, i % 3 AS label, i * i % 3 AS other, \
         [base, 1 - base] AS outputs, [masked, 1 - masked] AS kept, [i % 3, i % 2, 0] AS predictions, \
         CASE WHEN i = 4 THEN -1e-8 ELSE base END AS if_i_is_four \
         FROM (SELECT i, nullif((i * 7 % 11 + 1) / 12.0, 0.5) AS base, (i * 5 % 7) / 7.0 AS masked \
         FROM generate_series(1, {N_ROWS}) AS s(i))"
    );
    rows(&session, &sql).unwrap();
    session
}

fn column(session: &SessionContext, sql: &str) -> ArrayRef {
    rows(session, sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"))
        .column(0)
        .clone()
}

#[test]
fn every_function_has_a_call() {
    for function in xai_datafusion::aggregates(Stages::OneProcess) {
        let start = format!("{}(", function.name());
        let is_called = CALLS.iter().any(|call| call.starts_with(&start));
        assert!(is_called, "{start}");
    }
}

#[test]
fn a_window_has_the_values_of_its_frames() {
    let session = with_rows();
    // Of each row: the first and the last of its frame.
    type Frame = fn(i64) -> (i64, i64);
    let frames: [(&str, Frame); 4] = [
        ("3 PRECEDING AND CURRENT ROW", |i| (i - 3, i)),
        ("5 PRECEDING AND 2 PRECEDING", |i| (i - 5, i - 2)),
        ("1 PRECEDING AND 2 FOLLOWING", |i| (i - 1, i + 2)),
        ("UNBOUNDED PRECEDING AND CURRENT ROW", |i| (0, i)),
    ];
    for call in CALLS {
        for (between, frame) in frames {
            let sql =
                format!("SELECT {call} OVER (ORDER BY i ROWS BETWEEN {between}) FROM t ORDER BY i");
            let found = column(&session, &sql);
            for i in 1..=N_ROWS {
                let (first, last) = frame(i);
                let sql = format!("SELECT {call} FROM t WHERE i BETWEEN {first} AND {last}");
                let expected = column(&session, &sql);
                let at = (i - 1) as usize;
                assert_eq!(&found.slice(at, 1), &expected, "{call}, {between}, row {i}");
            }
        }
    }
}

#[test]
fn a_filter_takes_the_rows_that_a_condition_takes() {
    let session = with_rows();
    for call in CALLS {
        let filtered = format!(
            "SELECT {call} FILTER (WHERE base > 0.3) AS value FROM t GROUP BY label ORDER BY label"
        );
        let taken =
            format!("SELECT {call} AS value FROM t WHERE base > 0.3 GROUP BY label ORDER BY label");
        assert_eq!(
            &column(&session, &filtered),
            &column(&session, &taken),
            "{call}"
        );
        let filtered = format!("SELECT {call} FILTER (WHERE base > 0.3) FROM t");
        let taken = format!("SELECT {call} FROM t WHERE base > 0.3");
        assert_eq!(
            &column(&session, &filtered),
            &column(&session, &taken),
            "{call}"
        );
        let in_window = format!(
            "SELECT value FROM (SELECT i, {call} FILTER (WHERE base > 0.3) OVER (ORDER BY i \
             ROWS BETWEEN 4 PRECEDING AND CURRENT ROW) AS value FROM t) WHERE i = 9"
        );
        let taken = format!("SELECT {call} FROM t WHERE base > 0.3 AND i BETWEEN 5 AND 9");
        assert_eq!(
            &column(&session, &in_window),
            &column(&session, &taken),
            "{call}"
        );
    }
}

#[test]
fn groups_in_the_order_of_the_rows_have_the_same_values() {
    let session = with_rows();
    for call in CALLS {
        // Sorted by the key, so that the engine gives groups out as soon as they end.
        let sorted = format!(
            "SELECT {call} FROM (SELECT * FROM t ORDER BY label, i LIMIT 1000) GROUP BY label ORDER BY label"
        );
        let hashed = format!("SELECT {call} FROM t GROUP BY label ORDER BY label");
        assert_eq!(
            &column(&session, &sorted),
            &column(&session, &hashed),
            "{call}"
        );
    }
}

#[test]
fn distinct_and_wrong_options_are_errors_in_windows_too() {
    let session = with_rows();
    let over = "OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)";
    let wrong = format!("SELECT groundtruth_auroc_binned(masked, truth, 0.5, 0) {over} FROM t");
    assert!(error(&session, &wrong).contains("the argument bins = "));
    let distinct = "SELECT average_drop(DISTINCT base, masked) FROM t";
    assert!(error(&session, distinct).contains("average_drop: DISTINCT is not supported"));
}
