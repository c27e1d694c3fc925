//! Metrics of training-data attribution.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, AsArray, BooleanBuilder, Float64Array, Float64Builder, Int64Array, Int64Builder,
    ListBuilder,
};
use datafusion::arrow::datatypes::{Float64Type, UInt64Type};
use datafusion::prelude::SessionContext;
use ndarray::Array2;
use proptest::prelude::*;
use xai_casebased::data_attribution::{AttributionData, Subsets, evaluate_all};
use xai_casebased::input;

use crate::tables::{Cuts, any_cuts, bits, error, number, rows, session, table};

/// Attributions of test cases with ties, and what metrics judge them by.
#[derive(Debug, Clone)]
struct Case {
    attributions: Array2<f64>,
    others: Array2<f64>,
    marks: Array2<bool>,
    train_labels: Vec<i64>,
    flags: Vec<bool>,
    classes: Vec<i64>,
    /// Test cases without attributions.
    is_null: Vec<bool>,
}

fn any_case() -> impl Strategy<Value = Case> {
    (1usize..30, 1usize..20).prop_flat_map(|(n_test, n_train)| {
        let n = n_test * n_train;
        let numbers = || prop::collection::vec((-4i8..5).prop_map(|x| f64::from(x) / 4.0), n);
        let array = move |values| Array2::from_shape_vec((n_test, n_train), values).unwrap();
        let array_of_marks =
            move |values| Array2::from_shape_vec((n_test, n_train), values).unwrap();
        (
            numbers().prop_map(array),
            numbers().prop_map(array),
            prop::collection::vec(any::<bool>(), n).prop_map(array_of_marks),
            prop::collection::vec(0..3i64, n_train),
            prop::collection::vec(any::<bool>(), n_train),
            prop::collection::vec(0..3i64, n_test),
            prop::collection::vec(prop::bool::weighted(0.1), n_test),
        )
            .prop_map(
                |(attributions, others, marks, train_labels, flags, classes, is_null)| Case {
                    attributions,
                    others,
                    marks,
                    train_labels,
                    flags,
                    classes,
                    is_null,
                },
            )
    })
}

impl Case {
    /// A row a test case.
    fn wide(&self, cuts: &Cuts) -> SessionContext {
        let n_test = self.classes.len();
        let lists = |of: &Array2<f64>, is_null: &[bool]| -> ArrayRef {
            let mut lists = ListBuilder::new(Float64Builder::new());
            for (row, &is_null) in of.rows().into_iter().zip(is_null) {
                lists.values().append_slice(row.to_slice().unwrap());
                lists.append(!is_null);
            }
            Arc::new(lists.finish())
        };
        let mut marks = ListBuilder::new(BooleanBuilder::new());
        let mut flags = ListBuilder::new(BooleanBuilder::new());
        let mut labels = ListBuilder::new(Int64Builder::new());
        for row in self.marks.rows() {
            marks.values().append_slice(row.to_slice().unwrap());
            marks.append(true);
            flags.values().append_slice(&self.flags);
            flags.append(true);
            labels.values().append_slice(&self.train_labels);
            labels.append(true);
        }
        let whole = vec![false; n_test];
        let columns: Vec<(&str, ArrayRef)> = vec![
            (
                "test",
                Arc::new(Int64Array::from_iter_values(0..n_test as i64)),
            ),
            ("a", lists(&self.attributions, &self.is_null)),
            ("b", lists(&self.others, &whole)),
            ("marks", Arc::new(marks.finish())),
            ("flags", Arc::new(flags.finish())),
            ("labels", Arc::new(labels.finish())),
            ("class", Arc::new(Int64Array::from(self.classes.clone()))),
        ];
        table(columns, cuts)
    }

    /// A row a pair of a test and a training case.
    fn long(&self, cuts: &Cuts) -> SessionContext {
        let (n_test, n_train) = self.attributions.dim();
        let of_pair = |of: &dyn Fn(usize, usize) -> i64| -> ArrayRef {
            let pairs = (0..n_test * n_train).map(|at| of(at / n_train, at % n_train));
            Arc::new(Int64Array::from_iter_values(pairs))
        };
        let attributions = self.attributions.iter().copied();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("test", of_pair(&|test, _| test as i64)),
            ("train", of_pair(&|_, train| train as i64)),
            ("label", of_pair(&|_, train| self.train_labels[train])),
            ("class", of_pair(&|test, _| self.classes[test])),
            (
                "attribution",
                Arc::new(Float64Array::from_iter_values(attributions)),
            ),
        ];
        table(columns, cuts)
    }
}

const CALLS: [(&str, &str); 14] = [
    ("class-detection", "class_detection(a, labels, class)"),
    (
        "class-detection(k=3)",
        "class_detection(a, labels, class, 3)",
    ),
    (
        "subclass-detection(k=2)",
        "subclass_detection(a, labels, class, 2)",
    ),
    ("class-auroc", "class_auroc(a, labels, class)"),
    ("class-recall", "class_recall(a, labels, class)"),
    ("shortcut-detection", "shortcut_detection(a, flags)"),
    ("mixed-datasets", "mixed_datasets(a, flags)"),
    ("mean-reciprocal-rank", "mean_reciprocal_rank(a, marks)"),
    ("hit-at-k(k=2)", "hit_at_k(a, marks, 2)"),
    ("recall-at-k(k=2)", "recall_at_k(a, marks, 2)"),
    (
        "attribution-randomization",
        "attribution_randomization(a, b)",
    ),
    (
        "attribution-randomization(correlation=kendall)",
        "attribution_randomization(a, b, 'kendall')",
    ),
    (
        "leave-one-out-correlation",
        "leave_one_out_correlation(a, b)",
    ),
    (
        "linear-datamodeling-score",
        "linear_datamodeling_score(a, b)",
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rows_of_test_cases_have_the_bits_of_the_library(case in any_case(), cuts in any_cuts()) {
        let (n_train, keep) = (case.train_labels.len(), case.is_null.iter().map(|&null| !null).collect::<Vec<_>>());
        let removed: Vec<usize> = (0..n_train).collect();
        let subsets = Subsets::from_cases(n_train, (0..n_train).map(|at| [at])).unwrap();
        let data = AttributionData::new(case.attributions.view())
            .random_attributions(case.others.view())
            .with(input::TRAIN_LABELS, &case.train_labels)
            .with(input::TEST_CLASSES, &case.classes)
            .with(input::FLAGS, &case.flags)
            .with(input::RELEVANT, case.marks.view())
            .with(input::REMOVED, &removed)
            .with(input::DROPS, case.others.t())
            .with(input::SUBSETS, &subsets)
            .with(input::OUTPUTS, case.others.t())
            .with(input::KEEP, &keep);
        let metrics: Vec<_> = CALLS.iter().map(|(metric, _)| metric.parse().unwrap()).collect();
        let expected = evaluate_all(&data, &metrics).unwrap();
        let session = case.wide(&cuts);
        for ((metric, call), expected) in CALLS.iter().zip(expected) {
            let expected: Vec<Option<u64>> = expected.per_sample().unwrap().iter().map(|x| x.map(f64::to_bits)).collect();
            let found = bits(rows(&session, &format!("SELECT test, {call} FROM t ORDER BY test")).unwrap().column(1));
            prop_assert_eq!(found, expected, "{}", metric);
        }
    }

    #[test]
    fn groups_of_pairs_have_the_bits_of_the_library(case in any_case(), cuts in any_cuts()) {
        let data = AttributionData::new(case.attributions.view())
            .with(input::TRAIN_LABELS, &case.train_labels)
            .with(input::TEST_CLASSES, &case.classes);
        let expected = evaluate_all(&data, &["class-detection(k=2)".parse().unwrap()]).unwrap().remove(0);
        let expected: Vec<Option<u64>> = expected.per_sample().unwrap().iter().map(|x| x.map(f64::to_bits)).collect();
        let sql = "SELECT test, class_detection(array_agg(attribution ORDER BY train), array_agg(label ORDER BY train), \
                   first_value(class), 2) FROM t GROUP BY test ORDER BY test";
        prop_assert_eq!(bits(rows(&case.long(&cuts), sql).unwrap().column(1)), expected);
    }
}

#[test]
fn sums_over_subsets_are_those_of_a_join() {
    let session = session(2, 8);
    // Case 1 is twice in the second subset.
    let sql = "
        SELECT linear_datamodeling_score(array_agg(sum ORDER BY sums.subset), array_agg(output ORDER BY sums.subset)) AS value
        FROM (
            SELECT s.subset, exact_sum(a.attribution) AS sum
            FROM (VALUES (0, 1.0), (1, 2.0), (2, -4.0)) AS a(train, attribution)
            JOIN (VALUES (0, 0), (0, 1), (1, 1), (1, 1), (2, 0), (2, 2)) AS s(subset, train) ON a.train = s.train
            GROUP BY s.subset
        ) AS sums
        JOIN (VALUES (0, 0.6), (1, 0.9), (2, 0.1)) AS o(subset, output) ON sums.subset = o.subset";
    assert_eq!(number(&session, sql), Some(1.0));
}

#[test]
fn undefined_values_are_null_and_left_out_of_the_mean() {
    let session = session(2, 8);
    let sql = "
        SELECT mean['mean'] AS value, mean['n_null'] AS n_null FROM (
            SELECT exact_avg(mean_reciprocal_rank(a, relevant)) AS mean
            FROM (VALUES
                (make_array(0.9, 0.1, 0.4), make_array(false, false, true)),
                (make_array(0.9, 0.1, 0.4), make_array(false, false, false)),
                (make_array(0.2, 0.1), make_array(true, false))
            ) AS t(a, relevant)
        )";
    let found = rows(&session, sql).unwrap();
    assert_eq!(found.column(0).as_primitive::<Float64Type>().value(0), 0.75);
    assert_eq!(found.column(1).as_primitive::<UInt64Type>().value(0), 1);
}

#[test]
fn wrong_arguments_are_errors() {
    let session = session(1, 8);
    let told = |call: &str| error(&session, &format!("SELECT {call}"));
    let a = "make_array(0.5, 0.25)";
    for (call, expected) in [
        (
            format!("class_detection({a}, make_array(1, 2, 3), 1)"),
            "train_labels",
        ),
        (
            format!("class_detection({a}, make_array(1, 2), 1, 0)"),
            "argument k = 0",
        ),
        (format!("class_detection({a}, {a}, 1)"), "a list of classes"),
        (
            format!("shortcut_detection({a}, make_array(0, 1))"),
            "`flags` must be a list of Booleans",
        ),
        (
            format!("attribution_randomization({a}, make_array(0.5, 'NaN'::double))"),
            "random_attributions",
        ),
        (
            format!("attribution_randomization({a}, {a}, 'pearsn')"),
            "pearson",
        ),
        (
            "class_auroc(make_array(0.5, 'inf'::double), make_array(1, 2), 1)".to_owned(),
            "attributions",
        ),
    ] {
        let told = told(&call);
        assert!(told.contains(expected), "{call}: {told}");
    }
}
