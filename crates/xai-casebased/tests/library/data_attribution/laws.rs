//! What holds for all attributions.

use ndarray::{Array2, Axis};
use proptest::prelude::*;
use xai_casebased::data_attribution::{
    AttributionData, AttributionMetric, AttributionRandomization, ClassAuroc, ClassDetection,
    ClassRecall, Entry, HitAtK, LinearDatamodelingScore, METRICS, MeanReciprocalRank,
    MislabelingDetection, Outcome, RecallAtK, Subsets, TopKCardinality, brittleness, evaluate_all,
};
use xai_casebased::input;
use xai_core::describe::Setting;
use xai_core::random::{random_stream, uniform};
use xai_core::statistics::Correlation;
use xai_core::{Direction, Input};

/// Rows of attributions that tie, a label for each training case, a class for each test case.
fn cases() -> impl Strategy<Value = (Array2<f64>, Vec<i8>, Vec<i8>)> {
    (1usize..6, 1usize..30).prop_flat_map(|(n, d)| {
        let rows = prop::collection::vec((-6i8..6).prop_map(f64::from), n * d);
        let rows = rows.prop_map(move |values| Array2::from_shape_vec((n, d), values).unwrap());
        let labels = |n| prop::collection::vec(0i8..3, n);
        (rows, labels(d), labels(n))
    })
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-12,
        (a, b) => a == b,
    }
}

proptest! {
    #[test]
    fn of_all_cases_the_class_has_its_share((rows, labels, classes) in cases()) {
        let data = AttributionData::new(rows.view()).with(input::TRAIN_LABELS, &labels).with(input::TEST_CLASSES, &classes);
        let found = ClassDetection::new().k(labels.len() + 1).evaluate(&data).unwrap();
        for (value, class) in found.per_sample.iter().zip(&classes) {
            let of_class = labels.iter().filter(|&label| label == class).count();
            prop_assert_eq!(*value, Some(of_class as f64 / labels.len() as f64));
        }
        let recall = ClassRecall::new().evaluate(&data).unwrap();
        prop_assert!(recall.per_sample.iter().flatten().all(|value| (0.0..=1.0).contains(value)));
    }

    #[test]
    fn turning_the_sign_turns_the_auroc((rows, labels, classes) in cases()) {
        let turned = rows.mapv(|value| -value);
        let auroc = |rows: &Array2<f64>| {
            let data = AttributionData::new(rows.view()).with(input::TRAIN_LABELS, &labels).with(input::TEST_CLASSES, &classes);
            ClassAuroc::new().evaluate(&data).unwrap().per_sample
        };
        for (one, other) in auroc(&rows).into_iter().zip(auroc(&turned)) {
            prop_assert!(close(one, other.map(|other| 1.0 - other)), "{one:?} {other:?}");
        }
    }

    #[test]
    fn attributions_that_add_up_to_the_outputs_score_1(
        (rows, _, _) in cases(), lists in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..12), 2..12),
    ) {
        let d = rows.ncols();
        let lists: Vec<Vec<usize>> = lists.iter().map(|list| list.iter().map(|i| i.index(d)).collect()).collect();
        let looks_like_mask = |list: &Vec<usize>| list.len() == d && list.iter().all(|&case| case < 2);
        prop_assume!(!lists.iter().all(looks_like_mask));
        let subsets = Subsets::from_cases(d, &lists).unwrap();
        let outputs = Array2::from_shape_fn((lists.len(), rows.nrows()), |(j, t)| lists[j].iter().map(|&i| rows[[t, i]]).sum::<f64>());
        let turned = rows.mapv(|value| -value);
        for correlation in [Correlation::Spearman, Correlation::Pearson, Correlation::Kendall] {
            let lds = |rows: &Array2<f64>| {
                let data = AttributionData::new(rows.view()).with(input::SUBSETS, &subsets).with(input::OUTPUTS, outputs.view());
                LinearDatamodelingScore::new().correlation(correlation).evaluate(&data).unwrap()
            };
            let (lds, of_turned) = (lds(&rows), lds(&turned));
            prop_assert!(lds.per_sample.iter().all(|value| value.is_none() || close(*value, Some(1.0))));
            prop_assert!(of_turned.per_sample.iter().all(|value| value.is_none() || close(*value, Some(-1.0))));
        }
    }

    #[test]
    fn a_shift_leaves_the_score_of_subsets_of_one_size(
        (rows, _, _) in cases(), outputs in prop::collection::vec(-9i8..9, 5), shift in -3i8..4,
    ) {
        let d = rows.ncols();
        let lists: Vec<Vec<usize>> = (0..5).map(|j| (0..4).map(|i| (i * 3 + j) % d).collect()).collect();
        let subsets = Subsets::from_cases(d, &lists).unwrap();
        let outputs = Array2::from_shape_fn((5, rows.nrows()), |(j, t)| f64::from(outputs[(j + t) % 5]));
        let lds = |rows: &Array2<f64>| {
            let data = AttributionData::new(rows.view()).with(input::SUBSETS, &subsets).with(input::OUTPUTS, outputs.view());
            LinearDatamodelingScore::new().evaluate(&data).unwrap()
        };
        prop_assert_eq!(lds(&rows), lds(&rows.mapv(|value| 2.0 * value + f64::from(shift))));
    }

    #[test]
    fn a_hit_is_at_least_the_recall_and_at_most_k_times_the_reciprocal_rank(
        (rows, _, _) in cases(), marks in prop::collection::vec(any::<bool>(), 180), k in 1usize..40,
    ) {
        let d = rows.ncols();
        let relevant = Array2::from_shape_fn(rows.dim(), |(t, i)| marks[(t * d + i) % marks.len()]);
        let data = AttributionData::new(rows.view()).with(input::RELEVANT, relevant.view());
        let hit = HitAtK::new().k(k).evaluate(&data).unwrap();
        let first = HitAtK::new().k(1).evaluate(&data).unwrap();
        let recall = RecallAtK::new().k(k).evaluate(&data).unwrap();
        let rank = MeanReciprocalRank::new().evaluate(&data).unwrap();
        for (t, hit) in hit.per_sample.iter().enumerate() {
            let of = |values: &[Option<f64>]| values[t];
            prop_assert_eq!(hit.is_some(), relevant.row(t).iter().any(|&relevant| relevant));
            let Some(hit) = hit else { continue };
            prop_assert!(*hit >= of(&recall.per_sample).unwrap());
            prop_assert!(of(&rank.per_sample).unwrap() >= hit / k as f64);
            prop_assert_eq!(of(&first.per_sample) == Some(1.0), of(&rank.per_sample) == Some(1.0));
        }
    }

    #[test]
    fn explanations_that_are_all_the_same_have_the_least_cardinality((rows, _, _) in cases(), k in 1usize..40) {
        let same = Array2::from_shape_fn(rows.dim(), |(_, i)| rows[[0, i]]);
        let of_same = TopKCardinality::new().k(k).evaluate(&AttributionData::new(same.view())).unwrap();
        prop_assert!(of_same.scaled.is_none_or(|scaled| scaled == 0.0));
        prop_assert!(close(of_same.value, Some(1.0 / rows.nrows() as f64)));
        let of_all = TopKCardinality::new().k(k).evaluate(&AttributionData::new(rows.view())).unwrap();
        prop_assert!(of_all.unique >= of_same.unique);
        prop_assert!(of_all.scaled.is_none_or(|scaled| (0.0..=1.0).contains(&scaled)));
    }

    #[test]
    fn the_same_attributions_have_correlation_1((rows, _, _) in cases()) {
        let data = AttributionData::new(rows.view()).random_attributions(rows.view());
        for value in AttributionRandomization::new().evaluate(&data).unwrap().per_sample {
            prop_assert!(value.is_none_or(|value| close(Some(value), Some(1.0))));
        }
    }

    #[test]
    fn area_and_auroc_of_flagged_cases_are_one_number(
        cases in prop::collection::vec(((-6i8..6).prop_map(f64::from), any::<bool>()), 1..60),
    ) {
        let (scores, flags): (Vec<f64>, Vec<bool>) = cases.into_iter().unzip();
        let found = MislabelingDetection::new().evaluate(&scores, &flags).unwrap();
        let (n, m) = (scores.len() as f64, found.n_flagged as f64);
        prop_assert_eq!(found.area.is_some(), m > 0.0);
        let Some((area, curve)) = found.area.zip(found.curve) else { return Ok(()) };
        let trapezoids: f64 = curve.windows(2).map(|w| (w[0] + w[1]) / (2.0 * n)).sum();
        prop_assert!(close(Some(area), Some(trapezoids)), "{area} {trapezoids}");
        prop_assert!(m == n || close(found.auroc, Some((area - m / (2.0 * n)) / (1.0 - m / n))));
        prop_assert_eq!((curve[0], curve[scores.len()]), (0.0, 1.0));
    }

    #[test]
    fn no_prediction_differs_from_itself(values in prop::collection::vec(0i8..3, 4..40)) {
        let n = values.len() / 4;
        let predictions = Array2::from_shape_vec((n, 4), values[..4 * n].to_vec()).unwrap();
        let of = brittleness(&[0, 3, 9, 10], predictions.view()).unwrap();
        prop_assert_eq!(of.curve[0], 0.0);
        let flipped = of.first_k.iter().flatten().count();
        prop_assert_eq!(of.share_flipped, Some(flipped as f64 / n as f64));
        prop_assert_eq!(of.n_undefined, n - flipped);
    }
}

#[test]
fn single_logits_are_margins_of_class_1() {
    // One logit z is a margin of z for class 1: two logits (0, z) have it, too.
    let rows = ndarray::array![[0.5, 1.0, -1.0], [0.25, 0.0, 2.0]];
    let subsets = Subsets::from_cases(3, [[0, 1], [0, 2], [1, 2]]).unwrap();
    let one =
        ndarray::Array3::from_shape_fn((3, 2, 1), |(j, t, _)| [0.3, -0.7, 1.9][(j + 2 * t) % 3]);
    let two = ndarray::Array3::from_shape_fn(
        (3, 2, 2),
        |(j, t, c)| if c == 1 { one[[j, t, 0]] } else { 0.0 },
    );
    for targets in [[0, 0], [0, 1], [1, 1]] {
        let lds = |logits: &ndarray::Array3<f64>| {
            let data = AttributionData::new(rows.view())
                .with(input::SUBSETS, &subsets)
                .with(input::LOGITS, logits.view())
                .with(input::TARGETS, &targets);
            LinearDatamodelingScore::new()
                .correlation(Correlation::Pearson)
                .evaluate(&data)
                .unwrap()
        };
        for (one, two) in lds(&one).per_sample.into_iter().zip(lds(&two).per_sample) {
            assert!(close(one, two), "{one:?} {two:?}");
        }
    }
}

/// What every metric reads.
#[derive(Clone, PartialEq)]
struct Problem {
    tau: Array2<f64>,
    random: Array2<f64>,
    train_labels: Vec<i64>,
    test_classes: Vec<i64>,
    flags: Vec<bool>,
    relevant: Array2<bool>,
    subsets: Array2<bool>,
    outputs: Array2<f64>,
    removed: Vec<usize>,
    drops: Array2<f64>,
    scores: Vec<f64>,
    log_prob: Vec<f64>,
    log_prob_after: Array2<f64>,
    predictions: Array2<i64>,
}

/// Test cases and training cases.
const SIZE: (usize, usize) = (6, 24);

fn drawn(of: u64, row: usize, column: usize) -> f64 {
    uniform(&mut random_stream(of, (row * SIZE.1 + column) as u64)) - 0.5
}

impl Problem {
    fn new() -> Self {
        let (n, d) = SIZE;
        let drawn_array = |of, rows, columns| {
            Array2::from_shape_fn((rows, columns), |(row, column)| drawn(of, row, column))
        };
        Self {
            tau: drawn_array(1, n, d),
            random: drawn_array(2, n, d),
            train_labels: (0..d as i64).map(|i| i % 3).collect(),
            test_classes: (0..n as i64).map(|t| t % 3).collect(),
            flags: (0..d).map(|i| i % 5 == 0).collect(),
            relevant: Array2::from_shape_fn((n, d), |(t, i)| (i + t) % 7 == 0),
            subsets: drawn_array(3, 8, d).mapv(|x| x > 0.0),
            outputs: drawn_array(4, 8, n),
            removed: (0..10).map(|j| 2 * j).collect(),
            drops: drawn_array(5, 10, n),
            scores: (0..d).map(|i| drawn(6, 0, i)).collect(),
            log_prob: (0..n).map(|t| drawn(7, 0, t) - 1.0).collect(),
            log_prob_after: drawn_array(8, n, 2).mapv(|x| x - 1.0),
            predictions: drawn_array(9, n, 4).mapv(|x| i64::from(x > 0.2)),
        }
    }

    /// Right attributions find the cases of class 0, which all test cases are of and which are flagged and relevant;
    /// they differ between test cases and predict what training does. Wrong ones do none of this.
    fn of_known_truth(is_right: bool) -> Self {
        let (n, d) = SIZE;
        let mut known = Self::new();
        known.test_classes = vec![0; n];
        let is_of_class = |i: usize| i.is_multiple_of(3);
        known.flags = (0..d).map(is_of_class).collect();
        known.relevant = Array2::from_shape_fn((n, d), |(_, i)| is_of_class(i));
        let sign = |i: usize| f64::from(u8::from(is_of_class(i)));
        let right = Array2::from_shape_fn((n, d), |(t, i)| sign(i) + 0.9 * drawn(1, t, i));
        let wrong = Array2::from_shape_fn((n, d), |(_, i)| -right[[0, i]]);
        let sum = |j: usize, t: usize| {
            let in_subset = (0..d).filter(|&i| known.subsets[[j, i]]);
            in_subset.map(|i| right[[t, i]]).sum()
        };
        known.outputs = Array2::from_shape_fn((8, n), |(j, t)| sum(j, t));
        known.drops = Array2::from_shape_fn((10, n), |(j, t)| right[[t, known.removed[j]]]);
        known.random.clone_from(&wrong);
        known.tau = if is_right { right } else { wrong };
        known.scores = known.tau.row(0).to_vec();
        known.log_prob = vec![-1.0; n];
        known
            .log_prob_after
            .fill(if is_right { -0.5 } else { -2.0 });
        let flips_at = if is_right { 1 } else { 3 };
        known.predictions = Array2::from_shape_fn((n, 4), |(_, k)| i64::from(k >= flips_at));
        known
    }

    fn outcome(&self, metric: &Setting) -> Outcome {
        let subsets = Subsets::from_mask(self.subsets.view());
        let data = AttributionData::new(self.tau.view())
            .random_attributions(self.random.view())
            .with(input::TRAIN_LABELS, &self.train_labels)
            .with(input::TEST_CLASSES, &self.test_classes)
            .with(input::FLAGS, &self.flags)
            .with(input::RELEVANT, self.relevant.view())
            .with(input::SUBSETS, &subsets)
            .with(input::OUTPUTS, self.outputs.view())
            .with(input::REMOVED, &self.removed)
            .with(input::DROPS, self.drops.view())
            .with(input::SCORES, &self.scores)
            .with(input::LOG_PROB, &self.log_prob)
            .with(input::LOG_PROB_AFTER, self.log_prob_after.view())
            .with(input::KS, &[0, 1, 5, 10])
            .with(input::PREDICTIONS, self.predictions.view());
        evaluate_all(&data, std::slice::from_ref(metric))
            .unwrap()
            .swap_remove(0)
    }

    /// Puts the test and training cases of one input into another order.
    fn reorder(&mut self, of: Input, test: &[usize], train: &[usize]) {
        fn select<T: Copy>(values: &mut Vec<T>, order: &[usize]) {
            *values = order.iter().map(|&i| values[i]).collect();
        }
        let by_both = |values: &mut Array2<f64>| {
            *values = values.select(Axis(0), test).select(Axis(1), train);
        };
        match of.name() {
            "attributions" => by_both(&mut self.tau),
            "random_attributions" => by_both(&mut self.random),
            "relevant" => {
                self.relevant = self.relevant.select(Axis(0), test).select(Axis(1), train);
            }
            "train_labels" => select(&mut self.train_labels, train),
            "flags" => select(&mut self.flags, train),
            "scores" => select(&mut self.scores, train),
            "subsets" => self.subsets = self.subsets.select(Axis(1), train),
            "removed" => {
                let place = |case: &usize| train.iter().position(|old| old == case).unwrap();
                self.removed = self.removed.iter().map(place).collect();
            }
            "test_classes" => select(&mut self.test_classes, test),
            "log_prob" => select(&mut self.log_prob, test),
            "log_prob_after" => self.log_prob_after = self.log_prob_after.select(Axis(0), test),
            "predictions" => self.predictions = self.predictions.select(Axis(0), test),
            "outputs" => self.outputs = self.outputs.select(Axis(1), test),
            "drops" => self.drops = self.drops.select(Axis(1), test),
            "ks" => {}
            other => panic!("{other}: which axis has cases?"),
        }
    }
}

/// Each metric with its defaults, and with every correlation that it can take.
fn settings(entry: &Entry) -> Vec<Setting> {
    let mut metrics = vec![entry.info.name.to_owned()];
    if (entry.params().iter()).any(|param| param.name == "correlation") {
        let of = |word: &str| format!("{}(correlation={word})", entry.info.name);
        metrics.extend(["pearson", "spearman", "kendall"].map(of));
    }
    let parsed = metrics.iter().map(|metric| metric.parse().unwrap());
    parsed.collect()
}

proptest! {
    #[test]
    fn the_order_of_test_and_training_cases_does_not_show(
        test in Just((0..SIZE.0).collect::<Vec<usize>>()).prop_shuffle(),
        train in Just((0..SIZE.1).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let problem = Problem::new();
        for entry in METRICS {
            let mut reordered = problem.clone();
            entry.info.needs.iter().for_each(|of| reordered.reorder(*of, &test, &train));
            for metric in settings(entry) {
                let (one, other) = (problem.outcome(&metric), reordered.outcome(&metric));
                prop_assert!(close(one.value(), other.value()), "{metric}: {one:?} {other:?}");
                let values = one.per_sample().unwrap_or_default();
                let others = other.per_sample().unwrap_or_default();
                let mut pairs = others.iter().zip(&test);
                prop_assert!(pairs.all(|(value, &t)| close(*value, values[t])), "{metric}: {one:?} {other:?}");
            }
        }
    }
}

/// An input whose cases are those of another one gives other values in another order.
#[test]
fn cases_of_one_side_in_another_order_give_other_values() {
    let problem = Problem::new();
    let turned = |n: usize, by: usize| (0..n).map(|i| (i + by) % n).collect::<Vec<usize>>();
    for entry in METRICS {
        let metric = Setting::new(entry.info.name);
        // The values in ascending order, whatever the order of the test cases.
        let values = |problem: &Problem| {
            let outcome = problem.outcome(&metric);
            let mut values = outcome.per_sample().unwrap_or_default().to_vec();
            values.push(outcome.value());
            values.sort_by(|a, b| a.partial_cmp(b).unwrap());
            values
        };
        let plain = values(&problem);
        for one_side in entry.info.needs {
            let is_moved = |by_test: usize, by_train: usize| {
                let mut moved = problem.clone();
                let (test, train) = (turned(SIZE.0, by_test), turned(SIZE.1, by_train));
                moved.reorder(*one_side, &test, &train);
                let moved = values(&moved);
                !moved.iter().zip(&plain).all(|(a, b)| close(*a, *b))
            };
            let (by_test, by_train) = (
                (1..6).any(|by| is_moved(by, 0)),
                (1..24).any(|by| is_moved(0, by)),
            );
            let shares = |axis: usize| {
                let has = |of: &Input| axes(*of)[axis];
                has(one_side) && entry.info.needs.iter().any(|of| of != one_side && has(of))
            };
            let expected = (shares(0), shares(1));
            assert_eq!(
                (by_test, by_train),
                expected,
                "{metric}: {}",
                one_side.name()
            );
        }
    }
}

/// Whether an input has an axis of test cases, and one of training cases.
fn axes(of: Input) -> [bool; 2] {
    let is_moved = |test: &[usize], train: &[usize]| {
        let mut problem = Problem::new();
        problem.reorder(of, test, train);
        problem != Problem::new()
    };
    let order = |n: usize| (0..n).collect::<Vec<usize>>();
    let reversed = |n: usize| (0..n).rev().collect::<Vec<usize>>();
    let (n, d) = SIZE;
    [
        is_moved(&reversed(n), &order(d)),
        is_moved(&order(n), &reversed(d)),
    ]
}

#[test]
fn right_attributions_are_better_than_wrong_ones() {
    let [right, wrong] = [true, false].map(Problem::of_known_truth);
    for entry in METRICS {
        for metric in settings(entry) {
            let (right, wrong) = (
                right.outcome(&metric).value(),
                wrong.outcome(&metric).value(),
            );
            let is_better = match entry.info.direction {
                Direction::Higher => right > wrong,
                Direction::Lower => right.is_some() && right < wrong,
                Direction::None => continue,
            };
            assert!(is_better, "{metric}: {right:?} {wrong:?}");
        }
    }
}

/// A metric that says so has the same values for `c · A`: to the last bit for powers of two, and but for rounding
/// otherwise.
#[test]
fn values_do_not_depend_on_the_scale_of_attributions() {
    let mut plain = Problem::new();
    // Some attributions tie, and some are 0.
    for ((_, i), value) in plain.tau.indexed_iter_mut() {
        *value = match i % 6 {
            0 => 0.0,
            1 => 0.25,
            _ => *value,
        };
    }
    let read = [
        input::ATTRIBUTIONS,
        input::RANDOM_ATTRIBUTIONS,
        input::SCORES,
    ];
    for entry in METRICS {
        let reads_attributions = entry.info.needs.iter().any(|of| read.contains(of));
        assert_eq!(
            entry.info.invariance.scale, reads_attributions,
            "{}",
            entry.info.name
        );
        if !reads_attributions {
            continue;
        }
        for metric in settings(entry) {
            let evaluate = |c: f64| {
                let mut scaled = plain.clone();
                scaled.tau *= c;
                scaled.random *= c;
                scaled.scores.iter_mut().for_each(|score| *score *= c);
                scaled.outcome(&metric)
            };
            let expected = evaluate(1.0);
            assert!(expected.value().is_some(), "{metric}");
            for exponent in [-99, -40, -1, 1, 23, 99] {
                assert_eq!(
                    evaluate(2f64.powi(exponent)),
                    expected,
                    "{metric} 2^{exponent}"
                );
            }
            for c in [1e-30, 3e-17, 0.7, 1.3, 5e11, 1e30] {
                let scaled = evaluate(c);
                assert!(close(scaled.value(), expected.value()), "{metric} {c}");
                let values = scaled.per_sample().into_iter().flatten();
                for (a, b) in values.zip(expected.per_sample().unwrap_or_default()) {
                    assert!(close(*a, *b), "{metric} {c}: {a:?} {b:?}");
                }
            }
        }
    }
}
