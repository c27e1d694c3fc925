//! Laws of the pairwise metrics and of the simulators.

use ndarray::{Array1, Array2, Axis, concatenate};
use proptest::prelude::*;
use xai_core::Direction;
use xai_core::describe::{End, MetricInfo, Scores};
use xai_core::parallel::with_work_size;
use xai_core::random::{random_stream, uniform};
use xai_repro::FAMILY;
use xai_repro::metrics::{PAIR_METRICS, REGRESSION_METRICS};
use xai_repro::simulate::{ClassDistribution, LabelSimulator};
use xai_repro::{Agreement, PairMetric, Pairwise, RegressionReproducibility, input};

/// `(predictions, labels)` of 2..6 runs over up to 150 samples and up to `c` classes.
fn runs(c: i16) -> impl Strategy<Value = (Array2<i16>, Vec<i16>)> {
    (2usize..6, 1usize..150).prop_flat_map(move |(k, n)| {
        (
            prop::collection::vec(0..c, k * n)
                .prop_map(move |v| Array2::from_shape_vec((k, n), v).unwrap()),
            prop::collection::vec(0..c, n),
        )
    })
}

fn metrics(predictions: &Array2<i16>, labels: &[i16]) -> Vec<Vec<Option<f64>>> {
    let runs = Pairwise::new()
        .evaluate(predictions.view(), labels)
        .unwrap();
    PAIR_METRICS
        .iter()
        .map(|&metric| runs.pairs(metric).to_vec())
        .collect()
}

type Values = Vec<(&'static MetricInfo, Vec<Option<f64>>)>;

/// Every metric of the registry: those of pairs of runs, of all runs, and, with the labels as numbers, of pairs that
/// predict numbers.
fn all_metrics(predictions: &Array2<i16>, labels: &[i16]) -> Values {
    all_metrics_times(1, 1.0, predictions, labels)
}

/// The same with all labels and numbers multiplied.
fn all_metrics_times(factor: i16, unit: f64, predictions: &Array2<i16>, labels: &[i16]) -> Values {
    let classes = predictions.mapv(|label| factor * label);
    let true_classes: Vec<i16> = labels.iter().map(|label| factor * label).collect();
    let of_classes = PAIR_METRICS.iter().zip(metrics(&classes, &true_classes));
    let of_classes = of_classes.map(|(metric, values)| (metric.info(), values));
    let agreement = Agreement::new(classes.view()).unwrap();
    let of_all_runs = Agreement::SCORES
        .iter()
        .map(|score| (score.info, vec![score.value(&agreement)]));
    let number = |label: i16| f64::from(label) * unit;
    let targets: Array1<f64> = labels.iter().copied().map(number).collect();
    let numbers = RegressionReproducibility::new(predictions.mapv(number).view(), targets.view());
    let numbers = numbers.unwrap();
    let of_numbers = REGRESSION_METRICS
        .iter()
        .map(|&metric| (metric.info(), numbers.pairs(metric).to_vec()));
    of_classes.chain(of_all_runs).chain(of_numbers).collect()
}

/// Whether values are equal but for rounding.
fn near(a: &[Option<f64>], b: &[Option<f64>]) -> bool {
    let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12,
        (a, b) => a == b,
    };
    a.len() == b.len() && a.iter().zip(b).all(near)
}

/// Runs that are right by chance alone.
fn example() -> (Array2<i16>, Vec<i16>) {
    let drawn = |run: u64, sample: usize| {
        let stream = &mut random_stream(run, sample as u64);
        (4.0 * uniform(stream)) as i16
    };
    let predictions = Array2::from_shape_fn((3, 60), |(run, i)| drawn(run as u64, i));
    (predictions, (0..60).map(|i| drawn(9, i)).collect())
}

#[test]
fn the_laws_are_those_of_every_metric() {
    let judged = all_metrics(&Array2::zeros((2, 1)), &[0])
        .into_iter()
        .map(|(info, _)| info);
    assert!(judged.eq(FAMILY.infos()));
}

/// Each takes another way to the codes of its classes: consecutive labels, labels with a gap, and a label that comes
/// only after many samples. The last word of bits is not whole.
#[test]
fn long_runs_are_those_of_other_labels_and_counted_as_they_are() {
    long_runs(|label| label);
    long_runs(|label| if label == 4 { 9 } else { label });
}

fn long_runs(relabel: impl Fn(i16) -> i16) {
    let n = 10_003;
    let label = |i: usize, by: usize| relabel((i * by % 7919 % 5) as i16);
    let mut p = Array2::from_shape_fn((3, n), |(run, i)| label(i, 31 + run));
    let y: Vec<i16> = (0..n).map(|i| label(i, 31)).collect();
    check_counts(&p, &y);
    for late in [5, -1, 300] {
        p[[1, 9_000]] = late;
        check_counts(&p, &y);
    }
}

fn check_counts(p: &Array2<i16>, y: &[i16]) {
    let n = y.len();
    let all = metrics(p, y);
    let far: Vec<i16> = y.iter().map(|label| 90 * label).collect();
    assert_eq!(all, metrics(&p.mapv(|label| 90 * label), &far));
    let share =
        |alike: &dyn Fn(usize) -> bool| (0..n).filter(|&i| alike(i)).count() as f64 / n as f64;
    for (pair, (a, b)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        let same = share(&|i| p[[a, i]] == p[[b, i]]);
        assert_eq!(of(PairMetric::PA_ACC, &all)[pair], Some(same));
        let both_wrong = share(&|i| p[[a, i]] != y[i] && p[[b, i]] != y[i]);
        assert_eq!(of(PairMetric::EC_GLOBAL, &all)[pair], Some(both_wrong));
    }
}

/// The values of one metric among those of all.
fn of(metric: PairMetric, all: &[Vec<Option<f64>>]) -> &[Option<f64>] {
    let place = PAIR_METRICS.iter().position(|&listed| listed == metric);
    &all[place.unwrap()]
}

proptest! {
    #[test]
    fn values_are_within_their_bounds((p, y) in runs(5)) {
        for (info, values) in all_metrics(&p, &y) {
            for value in values.into_iter().flatten() {
                prop_assert!(value.is_finite() && info.range.contains(value), "{} {}", info.name, value);
            }
        }
    }

    #[test]
    fn one_thread_gives_the_bits_of_many((p, y) in runs(5)) {
        prop_assert_eq!(with_work_size(1, || all_metrics(&p, &y)), all_metrics(&p, &y));
    }

    #[test]
    fn samples_that_come_twice_change_nothing((p, y) in runs(4)) {
        let (twice, labels) = (concatenate![Axis(1), p, p], [&y[..], &y[..]].concat());
        for ((info, of_twice), (_, values)) in all_metrics(&twice, &labels).into_iter().zip(all_metrics(&p, &y)) {
            match info.name {
                // It is corrected for the number of predictions.
                "krippendorff_alpha" => {}
                // Its logarithms are of counts, and round.
                "pa_nmi" => {
                    let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
                        (Some(a), Some(b)) => (a - b).abs() < 1e-13,
                        (a, b) => a == b,
                    };
                    prop_assert!(of_twice.iter().zip(&values).all(near), "{:?} {:?}", of_twice, values);
                }
                _ => prop_assert_eq!(of_twice, values, "{}", info.name),
            }
        }
    }

    #[test]
    fn a_pair_is_the_same_from_either_side((p, y) in runs(4)) {
        let two = p.select(Axis(0), &[0, 1]);
        let swapped = p.select(Axis(0), &[1, 0]);
        prop_assert_eq!(metrics(&two, &y), metrics(&swapped, &y));
    }

    #[test]
    fn the_order_of_the_samples_does_not_show(
        ((p, y), order) in runs(4).prop_flat_map(|(p, y)| {
            let order: Vec<usize> = (0..y.len()).collect();
            (Just((p, y)), Just(order).prop_shuffle())
        })
    ) {
        let shuffled: Vec<i16> = order.iter().map(|&i| y[i]).collect();
        prop_assert_eq!(all_metrics(&p, &y), all_metrics(&p.select(Axis(1), &order), &shuffled));
    }

    #[test]
    fn relabelling_the_classes_changes_nothing((p, y) in runs(4)) {
        let renamed = |label: i16| [70, -3, 12, 1000][usize::try_from(label).unwrap()];
        let relabelled: Vec<i16> = y.iter().copied().map(renamed).collect();
        prop_assert_eq!(metrics(&p, &y), metrics(&p.mapv(renamed), &relabelled));
    }

    #[test]
    fn the_scale_of_predictions_does_not_show_where_descriptions_say_so(
        (p, y) in runs(9), power in 0u32..10, exponent in -100i32..100, decimal in -30i32..30,
    ) {
        let by_two = all_metrics_times(1 << power, 2f64.powi(exponent), &p, &y);
        let by_ten = all_metrics_times(10, 10f64.powi(decimal), &p, &y);
        for ((info, values), ((_, by_two), (_, by_ten))) in all_metrics(&p, &y).into_iter().zip(by_two.into_iter().zip(by_ten)) {
            if info.invariance.scale {
                prop_assert_eq!(&by_two, &values, "{}", info.name);
                prop_assert!(near(&by_ten, &values), "{} {:?} {:?}", info.name, by_ten, values);
            }
        }
    }

    #[test]
    fn the_order_of_the_runs_does_not_show((p, y) in runs(4)) {
        let order: Vec<usize> = (0..p.nrows()).rev().collect();
        let sorted = |mut values: Vec<Option<f64>>| {
            values.sort_by(|a, b| a.partial_cmp(b).unwrap());
            values
        };
        for ((info, reversed), (_, values)) in all_metrics(&p.select(Axis(0), &order), &y).into_iter().zip(all_metrics(&p, &y)) {
            prop_assert_eq!(sorted(reversed), sorted(values), "{}", info.name);
        }
    }

    #[test]
    fn tables_by_sets_by_square_and_by_sorting_agree((p, y) in runs(11)) {
        // Spare classes in an added run change the way tables are made, not the first pair.
        let with_spare = |spare: i16| {
            let n = p.ncols();
            let mut wide = Array2::from_shape_fn((p.nrows(), n + 400), |(i, j)| if j < n { p[[i, j]] } else { 0 });
            let mut labels = y.clone();
            labels.resize(n + 400, 0);
            for j in 0..400i16 {
                wide[[p.nrows() - 1, n + usize::try_from(j).unwrap()]] = j % spare;
            }
            (wide, labels)
        };
        let first_pair = |spare| {
            let (wide, labels) = with_spare(spare);
            metrics(&wide, &labels).into_iter().map(|v| v[0]).collect::<Vec<_>>()
        };
        if p.nrows() > 2 {
            let by_sets = first_pair(2);
            prop_assert_eq!(&by_sets, &first_pair(40));
            prop_assert_eq!(&by_sets, &first_pair(300));
        }
    }

    #[test]
    fn identical_runs_agree_in_everything_that_is_defined((p, y) in runs(4)) {
        // A constant correlates with nothing, not even with itself.
        let is_right = |(prediction, label): (&i16, &i16)| prediction == label;
        let n_right = p.row(0).iter().zip(&y).filter(|&pair| is_right(pair)).count();
        prop_assume!((1..y.len()).contains(&n_right));
        let same = p.select(Axis(0), &[0, 0, 0]);
        for (info, values) in all_metrics(&same, &y) {
            let expected = match (info.direction, info.range.low, info.range.high) {
                (Direction::Higher, _, End::Included(best)) | (Direction::Lower, End::Included(best), _) => best,
                _ => continue,
            };
            prop_assert!(values.into_iter().flatten().all(|v| v == expected), "{}", info.name);
        }
    }

    #[test]
    fn agreement_is_at_most_both_right_plus_both_wrong((p, y) in runs(4)) {
        // Both right is what is neither shared nor single error: EC_acc − EC_global.
        let m = metrics(&p, &y);
        let value = |metric: PairMetric, pair: usize| of(metric, &m)[pair].unwrap();
        let two_classes = p.iter().chain(&y).all(|&label| label < 2);
        for pair in 0..m[0].len() {
            let (acc, agree) = (value(PairMetric::EC_ACC, pair), value(PairMetric::PA_ACC, pair));
            prop_assert!(agree <= acc + 1e-15);
            if two_classes {
                prop_assert!((agree - acc).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn distributions_descend_and_sum_to_one(c in 1usize..200, item in 0u64..1000) {
        for kind in ["flat", "balanced", "uniform", "exponential", "multimodal", "step"] {
            let law: ClassDistribution = kind.parse().unwrap();
            let p = law.draw(c, 5, item).unwrap();
            prop_assert_eq!(p.len(), c);
            prop_assert!(p.is_sorted_by(|a, b| a >= b), "{}", kind);
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{}", kind);
            prop_assert!(p.iter().all(|&x| x > 0.0), "{}", kind);
            prop_assert_eq!(&p, &law.draw(c, 5, item).unwrap());
        }
    }
}

/// A description that claims too little would hide a metric from the law.
#[test]
fn metrics_that_do_not_say_so_depend_on_the_scale() {
    let (p, y) = example();
    let scaled = all_metrics_times(4, 4.0, &p, &y);
    for ((info, scaled), (_, values)) in scaled.into_iter().zip(all_metrics(&p, &y)) {
        assert_eq!(scaled == values, info.invariance.scale, "{}", info.name);
    }
}

/// Labels that belong to other samples give other values, and so does a run whose predictions do.
#[test]
fn samples_of_one_side_in_another_order_give_other_values() {
    let (p, y) = example();
    let mut turned = y.clone();
    turned.rotate_left(7);
    let mut turned_run = p.clone();
    let order: Vec<usize> = (0..60).map(|i| (i + 7) % 60).collect();
    turned_run
        .row_mut(0)
        .assign(&p.row(0).select(Axis(0), &order));
    let of_turned = all_metrics(&p, &turned)
        .into_iter()
        .zip(all_metrics(&turned_run, &y));
    for (((info, labels), (_, run)), (_, values)) in of_turned.zip(all_metrics(&p, &y)) {
        let reads = |of| info.needs.contains(&of);
        let reads_labels = reads(input::LABELS) || reads(input::TARGETS);
        assert_eq!(labels != values, reads_labels, "{}: labels", info.name);
        assert_ne!(run, values, "{}: one run", info.name);
    }
}

/// Of a base run, copies that differ in few samples agree better than runs that are drawn anew.
#[test]
fn runs_that_agree_more_are_better() {
    let (apart, y) = example();
    let alike = Array2::from_shape_fn(apart.dim(), |(run, i)| {
        apart[[if i % 20 == run { run } else { 0 }, i]]
    });
    for ((info, alike), (_, apart)) in all_metrics(&alike, &y)
        .into_iter()
        .zip(all_metrics(&apart, &y))
    {
        for (alike, apart) in alike.into_iter().zip(apart) {
            let is_better = match info.direction {
                Direction::Higher => alike > apart,
                Direction::Lower => alike < apart,
                Direction::None => true,
            };
            assert!(is_better, "{}: {alike:?} {apart:?}", info.name);
        }
    }
}

#[test]
fn labels_far_apart_are_classes_like_any() {
    let p = Array2::from_shape_fn((3, 90), |(i, j)| ((i * 7 + j * 13 + j / 9) % 4) as i16);
    let y: Vec<i16> = (0..90).map(|j| (j % 4) as i16).collect();
    let far = |label: i16| [i64::MIN, -5, 1 << 40, i64::MAX][usize::try_from(label).unwrap()];
    let far_labels: Vec<i64> = y.iter().copied().map(far).collect();
    let near = Pairwise::new().evaluate(p.view(), &y).unwrap();
    let far = Pairwise::new()
        .evaluate(p.mapv(far).view(), &far_labels)
        .unwrap();
    for metric in PAIR_METRICS.iter().copied() {
        assert_eq!(near.pairs(metric), far.pairs(metric), "{metric}");
    }
}

#[test]
fn tables_of_two_classes_are_equal_to_error_accuracy() {
    let p = Array2::from_shape_fn((3, 97), |(i, j)| i16::from((i * 7 + j * 13) % 5 < 2));
    let y: Vec<i16> = (0..97).map(|j| i16::from(j % 3 == 0)).collect();
    let m = metrics(&p, &y);
    assert_eq!(of(PairMetric::PA_ACC, &m), of(PairMetric::EC_ACC, &m));
}

#[test]
fn the_interval_is_the_jackknife_over_runs() {
    let p = Array2::from_shape_fn((4, 60), |(i, j)| ((i * 31 + j * 17 + j / 7) % 3) as i16);
    let y: Vec<i16> = (0..60).map(|j| (j % 3) as i16).collect();
    let runs = Pairwise::new().evaluate(p.view(), &y).unwrap();
    let mean_without = |left_out: usize| {
        let others: Vec<usize> = (0..4).filter(|&run| run != left_out).collect();
        let rest = p.select(Axis(0), &others);
        let rest = Pairwise::new().evaluate(rest.view(), &y).unwrap();
        rest.summary(PairMetric::PA_KAPPA).mean.unwrap()
    };
    let leave_one_out: Vec<f64> = (0..4).map(mean_without).collect();
    let mean = runs.summary(PairMetric::PA_KAPPA).mean.unwrap();
    let expected = xai_core::statistics::jackknife(mean, &leave_one_out, 0.95).unwrap();
    let ours = runs.interval(PairMetric::PA_KAPPA, 0.95).unwrap().unwrap();
    assert!((ours.low - expected.low).abs() < 1e-12 && (ours.high - expected.high).abs() < 1e-12);
}

#[test]
fn a_class_without_probability_does_not_occur() {
    let simulator = LabelSimulator::new(&[0.5, 0.5, 0.0], 10_000).unwrap();
    let never = simulator.simulate(1, 0).unwrap();
    assert!(!never.contains(&2));
}

/// One prediction of two million differs: κ = 1 − 10⁻⁶ · N² / (2 (N − 1)) with N = 2 · 10⁶, and α is 0 but
/// for what is left of one pair. Agreements near 1 would cancel; disagreements do not.
#[test]
fn coefficients_keep_their_digits_where_one_class_dominates() {
    let mut predictions = Array2::<u8>::zeros((2, 1_000_000));
    predictions[[0, 77]] = 1;
    let agreement = Agreement::new(predictions.view()).unwrap();
    let kappa = agreement.fleiss_kappa().unwrap();
    assert!((kappa + 5.000_002_5e-7).abs() < 1e-15, "{kappa:e}");
    assert!(agreement.krippendorff_alpha().unwrap().abs() < 1e-15);
}
