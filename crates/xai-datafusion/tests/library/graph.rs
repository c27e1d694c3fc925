//! Fidelity, unfaithfulness and ground truth.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float32Array, Float32Builder, Float64Array, Int64Array, ListBuilder,
};
use datafusion::arrow::datatypes::{Float64Type, Int64Type, UInt64Type};
use ndarray::{Array1, Array2};
use proptest::prelude::*;
use xai_datafusion::Stages;
use xai_graph::{
    FidelityMetric, GroundTruth, GroundTruthMetric, KlDirection, ReturnType, UnfaithfulnessMetric,
};

use crate::tables::{any_cuts, bits, error, number, rows, session, table};

const N_OUTPUTS: usize = 3;

#[derive(Debug, Clone)]
struct Row {
    group: i64,
    full: Option<[f32; N_OUTPUTS]>,
    part: Option<[f32; N_OUTPUTS]>,
    target: i64,
}

impl Row {
    fn outputs(&self) -> Option<([f32; N_OUTPUTS], [f32; N_OUTPUTS])> {
        Some((self.full?, self.part?))
    }
}

fn any_row() -> impl Strategy<Value = Row> {
    let outputs = || {
        prop::option::weighted(
            0.9,
            prop::array::uniform3(prop_oneof![-2.0..2.0f32, Just(1.0)]),
        )
    };
    (0..3i64, outputs(), outputs(), 0..N_OUTPUTS as i64).prop_map(|(group, full, part, target)| {
        Row {
            group,
            full,
            part,
            target,
        }
    })
}

fn lists<'a>(rows: impl Iterator<Item = &'a Option<[f32; N_OUTPUTS]>>) -> ArrayRef {
    let mut lists = ListBuilder::new(Float32Builder::new());
    for row in rows {
        lists.values().append_slice(&row.unwrap_or_default());
        lists.append(row.is_some());
    }
    Arc::new(lists.finish())
}

fn array(rows: &[[f32; N_OUTPUTS]]) -> Array2<f32> {
    Array2::from_shape_fn((rows.len(), N_OUTPUTS), |(i, j)| rows[i][j])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn outputs_in_sql_have_the_bits_of_the_library(
        all in prop::collection::vec(any_row(), 1..200), cuts in any_cuts()
    ) {
        let session = table(vec![
            ("g", Arc::new(Int64Array::from_iter_values(all.iter().map(|row| row.group)))),
            ("f", lists(all.iter().map(|row| &row.full))),
            ("p", lists(all.iter().map(|row| &row.part))),
            ("y", Arc::new(Int64Array::from_iter_values(all.iter().map(|row| row.target)))),
        ], &cuts);
        let sql = "SELECT g, pos_fidelity(f, p), pos_fidelity(f, p, y), neg_fidelity(f, p), unfaithfulness(f, p), \
                   unfaithfulness(f, p, 'reverse'), n_null(f, p) FROM t GROUP BY g ORDER BY g";
        let found = rows(&session, sql).unwrap();
        let groups = found.column(0).as_primitive::<Int64Type>().values();
        for (at, &group) in groups.iter().enumerate() {
            let of_group: Vec<&Row> = all.iter().filter(|row| row.group == group).collect();
            let n_null = of_group.iter().filter(|row| row.outputs().is_none()).count();
            prop_assert_eq!(found.column(6).as_primitive::<UInt64Type>().value(at), n_null as u64);
            let of_group: Vec<&Row> = of_group.into_iter().filter(|row| row.outputs().is_some()).collect();
            let value = |column: usize| {
                let column = found.column(column).as_primitive::<Float64Type>();
                column.is_valid(at).then(|| column.value(at).to_bits())
            };
            if of_group.is_empty() {
                for column in 1..6 {
                    prop_assert_eq!(value(column), None);
                }
                continue;
            }
            let (full, part): (Vec<_>, Vec<_>) = of_group.iter().filter_map(|row| row.outputs()).unzip();
            let (full, part) = (array(&full), array(&part));
            let targets: Vec<i64> = of_group.iter().map(|row| row.target).collect();
            let (f, p) = (full.view(), part.view());
            let model = FidelityMetric::model().evaluate(&f, &p, &p).unwrap();
            let phenomenon = FidelityMetric::phenomenon(&targets).evaluate(&f, &p, &p).unwrap();
            let forward = UnfaithfulnessMetric::new().evaluate(f, p).unwrap();
            let reverse = UnfaithfulnessMetric::new().kl_direction(KlDirection::Reverse).evaluate(f, p).unwrap();
            let expected = [model.pos, phenomenon.pos, model.neg, forward.value, reverse.value];
            for (column, expected) in expected.into_iter().enumerate() {
                prop_assert_eq!(value(column + 1), Some(expected.to_bits()));
            }
        }
    }

    #[test]
    fn labels_in_sql_have_the_bits_of_the_library(
        labels in prop::collection::vec((0..3i64, 0..3i64, 0..3i64), 1..200), cuts in any_cuts()
    ) {
        let column = |of: fn(&(i64, i64, i64)) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(labels.iter().map(of)))
        };
        let (f, p, y) = (column(|row| row.0), column(|row| row.1), column(|row| row.2));
        let of = |column: &ArrayRef| column.as_primitive::<Int64Type>().values().to_vec();
        let (full, part, target) = (of(&f), of(&p), of(&y));
        let session = table(vec![("f", f), ("p", p), ("y", y)], &cuts);
        let model = FidelityMetric::model().evaluate(&full, &part, &part).unwrap();
        let phenomenon = FidelityMetric::phenomenon(&target).evaluate(&full, &part, &part).unwrap();
        prop_assert_eq!(number(&session, "SELECT pos_fidelity(f, p) FROM t"), Some(model.pos));
        prop_assert_eq!(number(&session, "SELECT neg_fidelity(f, p, y) FROM t"), Some(phenomenon.neg));
    }

    #[test]
    fn masks_in_sql_have_the_bits_of_the_library(
        elements in prop::collection::vec(
            (0..3i64, prop::option::weighted(0.9, prop_oneof![0.0..=1.0f32, Just(0.3), Just(0.0)]), any::<bool>()), 1..300
        ),
        is_single in any::<bool>(),
        threshold in prop_oneof![Just(0.5), Just(0.3), 0.01..0.99],
        cuts in any_cuts(),
    ) {
        let scores = elements.iter().map(|(_, score, _)| *score);
        let scores: ArrayRef = if is_single { Arc::new(Float32Array::from_iter(scores)) } else { Arc::new(Float64Array::from_iter(scores.map(|score| score.map(f64::from)))) };
        // A target at the threshold is true, in either precision.
        let truth = |is_true: bool| if is_true { threshold } else { 0.0 };
        let session = table(vec![
            ("g", Arc::new(Int64Array::from_iter_values(elements.iter().map(|row| row.0)))),
            ("m", scores),
            ("y", Arc::new(Float64Array::from_iter_values(elements.iter().map(|row| truth(row.2))))),
        ], &cuts);
        // With so little memory everything goes to disk.
        let sql = format!(
            "SELECT g, groundtruth_accuracy(m, y, {threshold}), groundtruth_precision(m, y, {threshold}), \
             groundtruth_recall(m, y, {threshold}), groundtruth_f1(m, y, {threshold}), \
             groundtruth_auroc(m, y, {threshold}), groundtruth_auroc(m, y, {threshold}, 0.0001), \
             groundtruth_auroc_binned(m, y, {threshold}, 8) AS b FROM t GROUP BY g ORDER BY g"
        );
        let sql = format!("SELECT *, b['auroc'], b['error_bound'] FROM ({sql}) ORDER BY g");
        let found = rows(&session, &sql).unwrap();
        let groups = found.column(0).as_primitive::<Int64Type>().values();
        for (at, &group) in groups.iter().enumerate() {
            let of_group: Vec<(f32, f64)> = elements
                .iter()
                .filter(|row| row.0 == group)
                .filter_map(|row| Some((row.1?, truth(row.2))))
                .collect();
            let value = |column: usize| {
                let column = found.column(column).as_primitive::<Float64Type>();
                column.is_valid(at).then(|| column.value(at))
            };
            let (mask, target): (Vec<f32>, Vec<f64>) = of_group.into_iter().unzip();
            let target = Array1::from(target);
            let metric = GroundTruthMetric::new().threshold(threshold);
            let local = if is_single { metric.evaluate(Array1::from(mask).view(), target.view()) } else { metric.evaluate(Array1::from(mask).mapv(f64::from).view(), target.view()) };
            let Ok(local) = local else {
                prop_assert_eq!((1..=6).filter_map(value).count(), 0);
                continue;
            };
            let GroundTruth { accuracy, precision, recall, f1_score, auroc, .. } = local;
            let expected = [Some(accuracy), precision, recall, f1_score, auroc, auroc];
            for (column, expected) in expected.into_iter().enumerate() {
                prop_assert_eq!(value(column + 1).map(f64::to_bits), expected.map(f64::to_bits));
            }
            match (auroc, value(8), value(9)) {
                (Some(exact), Some(binned), Some(bound)) => {
                    prop_assert!((exact - binned).abs() <= bound + 1e-12, "{exact} {binned} {bound}");
                }
                (exact, binned, _) => prop_assert_eq!(exact, binned),
            }
        }
    }
}

#[test]
fn probabilities_are_an_option() {
    let session = session(2, 8);
    let found = number(
        &session,
        "SELECT unfaithfulness(make_array(0.75, 0.25), make_array(0.5, 0.5), 'probs reverse')",
    );
    let (full, kept) = (ndarray::array![[0.75, 0.25]], ndarray::array![[0.5, 0.5]]);
    let metric = UnfaithfulnessMetric::new()
        .return_type(ReturnType::Probs)
        .kl_direction(KlDirection::Reverse);
    assert_eq!(
        found,
        Some(metric.evaluate(full.view(), kept.view()).unwrap().value)
    );
}

#[test]
fn invalid_input_is_named() {
    let session = session(2, 8);
    let cases = [
        (
            "SELECT pos_fidelity(1, make_array(0.1, 0.2))",
            "must both be classes or both be lists",
        ),
        (
            "SELECT pos_fidelity('a', 1)",
            "the argument `full` must be a class",
        ),
        (
            "SELECT pos_fidelity(1.5, 1)",
            "the argument `full` must be a class",
        ),
        (
            "SELECT pos_fidelity(make_array(0.1, 0.2), make_array(0.1, 0.2, 0.3))",
            "a list has 3 outputs, another 2",
        ),
        (
            "SELECT pos_fidelity(make_array(0.1), make_array(0.2))",
            "at least 2 are needed",
        ),
        (
            "SELECT pos_fidelity(make_array(0.1, 0.2), make_array(0.1, 0.2), 7)",
            "expected a class of 0 or 1",
        ),
        (
            "SELECT unfaithfulness(make_array(0.1), make_array('a'))",
            "the argument `kept` must be a list of numbers",
        ),
        (
            "SELECT unfaithfulness(make_array(0.1, 0.9), make_array(0.1, 0.9), 'odds')",
            "the argument `options` has the word \"odds\"",
        ),
        (
            "SELECT unfaithfulness(make_array(0.1, 0.8), make_array(0.1, 0.9), 'probs')",
            "of full = 0.9: expected 1; for raw scores choose 'logits'",
        ),
        (
            "SELECT groundtruth_f1(0.5, 1.0, 2.0)",
            "the argument threshold = 2: expected a number in [0, 1]",
        ),
        (
            "SELECT groundtruth_f1(5.0, 1.0)",
            "expected a score in [0, 1]; where they are logits, pass their sigmoid",
        ),
        (
            "SELECT groundtruth_auroc('x', 1.0)",
            "the argument `pred` must be a number",
        ),
        (
            "SELECT groundtruth_auroc_binned(0.5, 1.0, 0.5, 0)",
            "the argument bins = 0: expected a whole number in [1, 10000000]",
        ),
    ];
    for (sql, expected) in cases {
        let error = error(&session, sql);
        assert!(error.contains(expected), "{sql}: {error}");
    }
}

#[test]
fn a_window_takes_the_rows_of_its_frame() {
    let session = session(2, 8);
    let sql = "SELECT groundtruth_auroc(m, y) OVER (ORDER BY i), neg_fidelity(f, p) OVER \
               (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) \
               FROM (VALUES (1, 0.1, 0, 1, 1), (2, 0.9, 1, 1, 2), (3, 0.9, 0, 2, 2)) AS v(i, m, y, f, p) ORDER BY i";
    let found = rows(&session, sql).unwrap();
    assert_eq!(
        bits(found.column(0)),
        [None, Some(1f64.to_bits()), Some(0.75f64.to_bits())]
    );
    assert_eq!(
        bits(found.column(1)),
        [0.0f64, 0.5, 0.5].map(|x| Some(x.to_bits()))
    );
}

#[test]
fn lists_of_two_lengths_are_a_planning_error_where_their_types_tell() {
    let session = session(2, 8);
    let list = |of: &str, n: usize| format!("arrow_cast({of}, 'FixedSizeList({n}, Float64)')");
    let (three, two) = (list("[0.1, 0.2, 0.7]", 3), list("[0.5, 0.5]", 2));
    for (call, names) in [
        (format!("unfaithfulness({three}, {two})"), ["full", "kept"]),
        (
            format!("pos_fidelity({three}, {two})"),
            ["full", "perturbed"],
        ),
        (format!("feature_distance({three}, {two})"), ["a", "b"]),
    ] {
        let error = error(&session, &format!("SELECT {call}"));
        assert!(error.contains("Error during planning"), "{error}");
        for name in names {
            assert!(error.contains(&format!("`{name}`")), "{error}");
        }
    }
    let same = format!("SELECT unfaithfulness({two}, {two}, 'probs')");
    assert_eq!(number(&session, &same), Some(0.0));
}

/// In a distributed engine the states of a stage go to another process, so that only the stage that merges
/// writes to disk.
#[test]
fn scores_of_several_processes_are_merged_in_little_memory() {
    let sql = "SELECT groundtruth_auroc(x, y, 0.5, 0.0001) FROM (SELECT i % 7 AS g, (i * 37 % 101) / 101.0 AS x, \
               i * i % 3 AS y FROM generate_series(1, 5000) AS s(i))";
    let in_groups = format!("{sql} GROUP BY g ORDER BY g");
    for sql in [sql, &in_groups] {
        let whole = session(1, 8192);
        let expected = bits(
            rows(&whole, &sql.replace("0.0001", "64"))
                .unwrap()
                .column(0),
        );
        let session = session(4, 64);
        for function in xai_datafusion::aggregates(Stages::SeveralProcesses) {
            session.register_udaf(Arc::unwrap_or_clone(function));
        }
        let found = rows(&session, sql).unwrap();
        assert_eq!(bits(found.column(0)), expected);
    }
}
