//! The metrics beyond the seven of the study: values of peers, laws, errors.

use approx::assert_relative_eq;
use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;
use serde_json::Value;
use xai_core::describe::Scores;
use xai_repro::across_runs::{
    AgreementCoefficient, AgreementWeights, agreement_interval, gwet_ac2,
};
use xai_repro::metrics::{PAIR_METRICS, REGRESSION_METRICS, error_metrics};
use xai_repro::{
    Agreement, EmptyUnion, Error, ErrorKind, GroupComparison, PackedRuns, PairMetric,
    PairStatistic, Pairwise, RegressionMetric, RegressionReproducibility, RunInterval,
    SampleConsistency, comparison, help, input,
};

fn kind<T: std::fmt::Debug>(result: Result<T, Error>) -> ErrorKind {
    result.unwrap_err().into_kind()
}

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/more_metrics.json")).unwrap()
}

fn numbers(values: &Value) -> Vec<f64> {
    let values = values.as_array().unwrap().iter();
    values.map(|x| x.as_f64().unwrap()).collect()
}

fn matrix(rows: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = rows.as_array().unwrap().iter().map(numbers).collect();
    let shape = (rows.len(), rows[0].len());
    Array2::from_shape_vec(shape, rows.concat()).unwrap()
}

fn labels(values: &Value) -> (Array2<i64>, Vec<i64>) {
    let predictions = matrix(&values["predictions"]).mapv(|x| x as i64);
    let labels = numbers(&values["labels"]);
    (predictions, labels.into_iter().map(|x| x as i64).collect())
}

fn close(ours: &[Option<f64>], peers: &[f64], what: &str) {
    assert_eq!(ours.len(), peers.len());
    for (ours, peer) in ours.iter().zip(peers) {
        let ours = ours.unwrap_or_else(|| panic!("{what} is undefined, {peer}"));
        assert_relative_eq!(ours, *peer, max_relative = 1e-12, epsilon = 1e-13);
    }
}

#[test]
fn mutual_information_and_matthews_correlation_are_those_of_scikit_learn() {
    for case in golden()["classes"].as_array().unwrap() {
        let (predictions, labels) = labels(case);
        let runs = Pairwise::new()
            .evaluate(predictions.view(), &labels)
            .unwrap();
        for metric in [PairMetric::PA_NMI, PairMetric::EC_MATTHEWS] {
            close(
                runs.pairs(metric),
                &numbers(&case[metric.name()]),
                metric.name(),
            );
        }
        for (agree, disagree) in runs
            .pairs(PairMetric::PA_ACC)
            .iter()
            .zip(runs.pairs(PairMetric::PA_DISAGREEMENT))
        {
            assert!((agree.unwrap() + disagree.unwrap() - 1.0).abs() < 1e-15);
        }
    }
}

#[test]
fn error_consistency_is_cohens_kappa_of_the_errors() {
    for case in golden()["classes"].as_array().unwrap() {
        let (predictions, labels) = labels(case);
        let pairwise = Pairwise::new().metrics(&[PairMetric::EC_KAPPA]);
        let runs = pairwise.evaluate(predictions.view(), &labels).unwrap();
        let peers = case["ec_kappa"].as_array().unwrap();
        let ours = runs.pairs(PairMetric::EC_KAPPA);
        assert_eq!(ours.len(), peers.len());
        for (ours, peer) in ours.iter().zip(peers) {
            assert_eq!(ours.is_some(), peer.is_number());
            if let Some(ours) = ours {
                assert_relative_eq!(*ours, peer.as_f64().unwrap(), epsilon = 1e-13);
            }
        }
    }
}

#[test]
fn ac2_is_that_of_its_definition_for_all_weights() {
    for case in golden()["classes"].as_array().unwrap() {
        let (predictions, _) = labels(case);
        for (name, weights) in [
            ("identity", AgreementWeights::Identity),
            ("linear", AgreementWeights::Linear),
            ("quadratic", AgreementWeights::Quadratic),
            ("radical", AgreementWeights::Radical),
            ("ordinal", AgreementWeights::Ordinal),
        ] {
            let ours = gwet_ac2(predictions.view(), &weights).unwrap();
            let peer = case["ac2"][name].as_f64().unwrap();
            assert!(
                (ours.unwrap() - peer).abs() < 1e-13,
                "{name}: {ours:?} {peer}"
            );
        }
        let ac1 = Agreement::new(predictions.view())
            .unwrap()
            .gwet_ac1()
            .unwrap();
        let identity = gwet_ac2(predictions.view(), &AgreementWeights::Identity).unwrap();
        assert!((identity.unwrap() - ac1).abs() < 1e-14);
    }
}

#[test]
fn custom_weights_are_checked_and_used() {
    let runs = array![[3, 3, 9, 20], [3, 9, 9, 20]];
    let with = |weights: Array2<f64>| gwet_ac2(runs.view(), &AgreementWeights::Custom(weights));
    let linear = array![
        [1.0, 1.0 - 6.0 / 17.0, 0.0],
        [1.0 - 6.0 / 17.0, 1.0, 1.0 - 11.0 / 17.0],
        [0.0, 1.0 - 11.0 / 17.0, 1.0]
    ];
    let built_in = gwet_ac2(runs.view(), &AgreementWeights::Linear)
        .unwrap()
        .unwrap();
    assert!((with(linear).unwrap().unwrap() - built_in).abs() < 1e-15);
    // Where all classes agree in full, so do all runs.
    assert_eq!(with(Array2::ones((3, 3))).unwrap(), Some(1.0));
    let shape = with(Array2::ones((2, 2))).unwrap_err();
    assert_eq!(shape.input(), input::WEIGHTS);
    assert!(matches!(shape.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [2, 2]));
    for (place, weight) in [([1, 1], 0.5), ([0, 2], 1.5), ([0, 2], 0.5)] {
        let mut weights = Array2::eye(3);
        weights[place] = weight;
        let error = with(weights).unwrap_err();
        assert_eq!((error.input(), error.index()), (input::WEIGHTS, &place[..]));
        assert!(matches!(error.kind(), ErrorKind::OutOfDomain { value, .. } if *value == weight));
    }
    let mut weights = Array2::eye(3);
    weights[[2, 0]] = f64::NAN;
    let error = with(weights).unwrap_err();
    assert_eq!(
        (error.input(), error.index()),
        (input::WEIGHTS, &[2, 0][..])
    );
    assert!(matches!(error.kind(), ErrorKind::NonFinite));
    let constant = array![[4u8, 4], [4, 4]];
    assert_eq!(
        gwet_ac2(constant.view(), &AgreementWeights::Linear).unwrap(),
        None
    );
    assert!(matches!(
        kind(gwet_ac2(array![[1u8]].view(), &AgreementWeights::Linear)),
        ErrorKind::TooFew { .. }
    ));
}

#[test]
fn entropies_are_those_of_numpy() {
    for case in golden()["classes"].as_array().unwrap() {
        let (predictions, _) = labels(case);
        let samples = SampleConsistency::new(predictions.view()).unwrap();
        let ours: Vec<Option<f64>> = samples.entropy.iter().copied().map(Some).collect();
        close(&ours, &numbers(&case["entropy"]), "entropy");
        let changing = samples.ever_changing();
        for (sample, column) in predictions.columns().into_iter().enumerate() {
            let changes = column.iter().any(|label| *label != column[0]);
            assert_eq!(changing.contains(&sample), changes);
        }
        let listed = samples.most_inconsistent(10);
        assert!(listed.is_sorted_by(|&a, &b| samples.entropy[a] >= samples.entropy[b]));
    }
    assert!(matches!(
        kind(SampleConsistency::new(array![[1u8]].view())),
        ErrorKind::TooFew { .. }
    ));
}

#[test]
fn regression_metrics_are_those_of_the_peers() {
    for case in golden()["regression"].as_array().unwrap() {
        let predictions = matrix(&case["predictions"]);
        let targets = Array1::from(numbers(&case["targets"]));
        let runs = RegressionReproducibility::new(predictions.view(), targets.view()).unwrap();
        for metric in REGRESSION_METRICS.iter().copied() {
            close(
                runs.pairs(metric),
                &numbers(&case[metric.name()]),
                metric.name(),
            );
        }
        let interval = runs
            .interval(RegressionMetric::EC_RATIO, 0.95)
            .unwrap()
            .unwrap();
        let mean = runs.summary(RegressionMetric::EC_RATIO).mean.unwrap();
        assert!(interval.low < mean && mean < interval.high);
    }
}

#[test]
fn regression_at_its_edges() {
    let of = |predictions: Array2<f64>, targets: &[f64]| {
        RegressionReproducibility::new(predictions.view(), ndarray::aview1(targets))
    };
    // Both right everywhere, and constant.
    let right = of(array![[1.0, 1.0], [1.0, 1.0]], &[1.0, 1.0]).unwrap();
    let value = |runs: &RegressionReproducibility, metric| runs.pairs(metric)[0];
    assert_eq!(value(&right, RegressionMetric::EC_RATIO), Some(1.0));
    assert_eq!(value(&right, RegressionMetric::EC_RATIO_SIGNED), Some(1.0));
    assert_eq!(value(&right, RegressionMetric::EC_RATIO_DIFF), Some(0.0));
    assert_eq!(
        value(&right, RegressionMetric::EC_RATIO_DIFF_SIGNED),
        Some(0.0)
    );
    assert_eq!(value(&right, RegressionMetric::CONCORDANCE), None);
    assert_eq!(value(&right, RegressionMetric::PEARSON), None);
    assert_eq!(value(&right, RegressionMetric::MAE), Some(0.0));
    // Residuals whose product underflows still have a sign.
    let tiny = of(array![[1e-200, 0.0], [-1e-200, 1.0]], &[0.0, 0.0]).unwrap();
    assert_eq!(value(&tiny, RegressionMetric::EC_RATIO_SIGNED), Some(-0.5));
    assert_eq!(value(&tiny, RegressionMetric::EC_RATIO_DIFF), Some(0.5));
    assert_eq!(
        value(&tiny, RegressionMetric::EC_RATIO_DIFF_SIGNED),
        Some(0.0)
    );
    // A sum beyond the range of f64, of which the mean is within it.
    let large = of(
        Array2::from_shape_fn((2, 40), |(i, _)| i as f64 * 4e307),
        &[0.0; 40],
    )
    .unwrap();
    assert_eq!(value(&large, RegressionMetric::MAE), Some(4e307));
    assert!(matches!(
        kind(of(array![[f64::MAX], [0.0]], &[0.0])),
        ErrorKind::OutOfDomain { .. }
    ));
    assert!(matches!(
        kind(of(array![[f64::NAN], [0.0]], &[0.0])),
        ErrorKind::NonFinite
    ));
    assert!(matches!(
        kind(of(array![[1.0], [0.0]], &[0.0, 1.0])),
        ErrorKind::ShapeMismatch { .. }
    ));
    assert!(matches!(
        kind(of(array![[1.0]], &[0.0])),
        ErrorKind::TooFew { .. }
    ));
    assert!(matches!(
        kind(of(Array2::zeros((2, 0)), &[])),
        ErrorKind::Empty
    ));
    let unknown = "mse".parse::<RegressionMetric>().unwrap_err();
    assert_eq!(unknown.input(), input::METRIC);
    let large = of(array![[1.0, f64::MAX], [0.0, 0.0]], &[0.0, 0.0]).unwrap_err();
    assert_eq!(
        (large.input(), large.index()),
        (input::PREDICTIONS, &[0, 1][..])
    );
    assert_eq!(large.help(), Some(help::SCALE_TARGETS));
    let large = of(array![[1.0, 2.0], [0.0, 0.0]], &[0.0, -f64::MAX]).unwrap_err();
    assert_eq!((large.input(), large.index()), (input::TARGETS, &[1][..]));
}

proptest! {
    #[test]
    fn regression_of_single_precision_is_that_of_the_same_values_in_double(
        values in prop::collection::vec(-100f32..100.0, 30)
    ) {
        let single = Array2::from_shape_vec((3, 10), values).unwrap();
        let targets = Array1::from_elem(10, 0.5f32);
        let a = RegressionReproducibility::new(single.view(), targets.view()).unwrap();
        let double = single.mapv(f64::from);
        let b = RegressionReproducibility::new(double.view(), targets.view()).unwrap();
        prop_assert_eq!(a, b);
    }

    #[test]
    fn regression_metrics_are_within_their_bounds(
        values in prop::collection::vec(-1e3..1e3f64, 24), shift in -10.0..10.0f64
    ) {
        let runs = Array2::from_shape_vec((3, 8), values).unwrap();
        let targets = Array1::from_elem(8, shift);
        let metrics = RegressionReproducibility::new(runs.view(), targets.view()).unwrap();
        for metric in REGRESSION_METRICS.iter().copied() {
            let range = metric.info().range;
            for value in metrics.pairs(metric).iter().flatten() {
                prop_assert!(range.contains(*value), "{} {}", metric, value);
            }
        }
        let order: Vec<usize> = (0..8).rev().collect();
        let reversed = runs.select(Axis(1), &order);
        let again = RegressionReproducibility::new(reversed.view(), targets.view()).unwrap();
        prop_assert_eq!(again, metrics);
    }
}

fn some_runs() -> (Array2<u8>, Vec<u8>) {
    let runs = Array2::from_shape_fn((7, 90), |(i, j)| {
        ((i * 31 + j * 17 + j / 7 + i * j / 11) % 4) as u8
    });
    (runs, (0..90).map(|j| (j % 4) as u8).collect())
}

#[test]
fn the_jackknife_of_the_mean_is_the_interval() {
    let (predictions, labels) = some_runs();
    let runs = Pairwise::new()
        .evaluate(predictions.view(), &labels)
        .unwrap();
    for metric in PAIR_METRICS.iter().copied() {
        let (a, b) = (
            runs.interval(metric, 0.9).unwrap().unwrap(),
            runs.interval_of(
                metric,
                PairStatistic::Mean,
                RunInterval::jackknife().level(0.9),
            )
            .unwrap()
            .unwrap(),
        );
        assert!(
            (a.low - b.low).abs() < 1e-12 && (a.high - b.high).abs() < 1e-12,
            "{metric}"
        );
    }
}

#[test]
fn bootstrap_intervals_lie_within_the_range_of_the_metric() {
    let (predictions, labels) = some_runs();
    let runs = Pairwise::new()
        .evaluate(predictions.view(), &labels)
        .unwrap();
    let bca = RunInterval::bca().n_replicates(400).seed(3).level(0.9);
    for statistic in [
        PairStatistic::Mean,
        PairStatistic::Std,
        PairStatistic::Min,
        PairStatistic::Median,
        PairStatistic::Max,
        PairStatistic::Quantile(0.1),
    ] {
        for metric in [PairMetric::EC_LOCAL, PairMetric::PA_KAPPA] {
            let summary = runs.summary(metric);
            let interval = runs.interval_of(metric, statistic, bca).unwrap().unwrap();
            assert!(interval.low <= interval.high);
            // No value of a replicate is outside the values of the pairs.
            if statistic != PairStatistic::Std {
                assert!(summary.min.unwrap() <= interval.low, "{statistic:?}");
                assert!(interval.high <= summary.max.unwrap(), "{statistic:?}");
            }
            let again = runs.interval_of(metric, statistic, bca).unwrap().unwrap();
            assert_eq!(again, interval);
        }
    }
    let quantile = PairStatistic::Quantile(1.5);
    assert!(matches!(
        kind(runs.interval_of(PairMetric::PA_ACC, quantile, bca)),
        ErrorKind::InvalidParameter { .. }
    ));
}

#[test]
fn the_interval_of_a_coefficient_is_over_runs() {
    let (predictions, labels) = some_runs();
    let packed = PackedRuns::new(PAIR_METRICS, predictions.view(), &labels).unwrap();
    for coefficient in [
        AgreementCoefficient::FleissKappa,
        AgreementCoefficient::KrippendorffAlpha,
        AgreementCoefficient::GwetAc1,
    ] {
        let without = |left_out: usize| {
            let others: Vec<usize> = (0..7).filter(|&run| run != left_out).collect();
            let rest = predictions.select(Axis(0), &others);
            Agreement::new(rest.view())
                .unwrap()
                .score(coefficient.info().name)
                .unwrap()
        };
        let leave_one_out: Vec<f64> = (0..7).map(without).collect();
        let all = Agreement::from_packed(&packed)
            .unwrap()
            .score(coefficient.info().name)
            .unwrap();
        let expected = xai_core::statistics::jackknife(all, &leave_one_out, 0.95).unwrap();
        let ours = agreement_interval(&packed, coefficient, RunInterval::jackknife())
            .unwrap()
            .unwrap();
        assert!(
            (ours.low - expected.low).abs() < 1e-12,
            "{ours:?} {expected:?}"
        );
        let bca = RunInterval::bca().n_replicates(200);
        let bca = agreement_interval(&packed, coefficient, bca)
            .unwrap()
            .unwrap();
        assert!(bca.low < all && all < bca.high, "{bca:?} {all}");
    }
    let errors = PackedRuns::new(&error_metrics(), predictions.view(), &labels).unwrap();
    assert!(matches!(
        kind(Agreement::from_packed(&errors)),
        ErrorKind::InvalidParameter { .. }
    ));
}

#[test]
fn different_groups_are_distinguished_and_equal_ones_are_not() {
    let labels = vec![0u8; 60];
    // The first group errs on the same ten samples, the second on ten others each.
    let alike = Array2::from_shape_fn((5, 60), |(_, j)| u8::from(j < 10));
    let apart = Array2::from_shape_fn((5, 60), |(i, j)| u8::from(j / 10 == i + 1));
    let test =
        GroupComparison::new(Pairwise::new().metrics(&[PairMetric::EC_LOCAL, PairMetric::EC_ACC]));
    let results = test.compare(alike.view(), apart.view(), &labels).unwrap();
    for result in &results {
        // Of the 252 assignments only this one and its mirror image are as far apart.
        assert_eq!((result.n_assignments, result.exact), (252, true));
        assert_eq!(result.p_value, Some(2.0 / 252.0), "{result:?}");
    }
    assert_eq!(results[0].difference, Some(1.0));
    assert_eq!(
        (results[0].first.mean, results[0].second.mean),
        (Some(1.0), Some(0.0))
    );
    let drawn = test.clone().n_assignments(200).seed(4);
    let drawn = drawn.compare(alike.view(), apart.view(), &labels).unwrap();
    assert_eq!((drawn[0].n_assignments, drawn[0].exact), (200, false));
    assert!(drawn[0].p_value.unwrap() < 0.05);
    let same = test.compare(apart.view(), apart.view(), &labels).unwrap();
    assert_eq!(same[0].p_value, Some(1.0));
}

#[test]
fn regressions_of_two_groups_are_compared_like_classes() {
    let targets = Array1::from_elem(12, 0.0);
    // The first group errs by 1 everywhere, the second by 1 on samples of its own.
    let alike = Array2::from_elem((3, 12), 1.0);
    let apart = Array2::from_shape_fn((3, 12), |(i, j)| f64::from(u8::from(j / 4 == i)));
    let test = GroupComparison::default();
    let results = test
        .compare_regression(alike.view(), apart.view(), targets.view())
        .unwrap();
    let names: Vec<&str> = results.iter().map(|result| result.metric.name()).collect();
    let all: Vec<&str> = REGRESSION_METRICS.iter().map(|m| m.name()).collect();
    assert_eq!(names, all);
    let of = |metric| results.iter().find(|r| r.metric == metric).unwrap();
    let ratio = of(RegressionMetric::EC_RATIO);
    // Ratio 1 of equal errors; of the second group the third of the samples where both are right counts 1, the rest 0.
    assert_eq!(ratio.first.mean, Some(1.0));
    assert_relative_eq!(ratio.difference.unwrap(), 2.0 / 3.0);
    assert_eq!((ratio.n_assignments, ratio.exact), (20, true));
    assert_eq!(ratio.p_value, Some(0.1));
    // Constant predictions have no correlation, which leaves no difference.
    let pearson = of(RegressionMetric::PEARSON);
    assert_eq!((pearson.first.n_undefined, pearson.difference), (3, None));
    let swapped = test
        .compare_regression(apart.view(), alike.view(), targets.view())
        .unwrap();
    assert_relative_eq!(swapped[0].difference.unwrap(), -2.0 / 3.0);
    let mut broken = apart.clone();
    broken[[1, 5]] = f64::NAN;
    let error = test
        .compare_regression(alike.view(), broken.view(), targets.view())
        .unwrap_err();
    assert_eq!(error.owner_name(), Some("the second group"));
    assert_eq!(
        (error.input(), error.index()),
        (input::PREDICTIONS, &[1, 5][..])
    );
    let few = test.compare_regression(
        alike.view(),
        apart.slice(ndarray::s![..1, ..]),
        targets.view(),
    );
    assert_eq!(few.unwrap_err().input(), input::RUNS);
}

#[test]
fn groups_that_cannot_be_compared_are_named() {
    let labels = [0u8, 1];
    let two = array![[0u8, 1], [1, 1]];
    let test = GroupComparison::default();
    let few = test.compare(two.view(), array![[0u8, 1]].view(), &labels);
    let few = few.unwrap_err();
    assert_eq!(few.input(), input::RUNS);
    assert_eq!(few.owner_name(), Some("the second group"));
    assert!(matches!(few.kind(), ErrorKind::TooFew { actual: 1, .. }));
    // A pair without errors, in either group or across them.
    let strict = GroupComparison::new(
        Pairwise::new()
            .metrics(&[PairMetric::EC_LOCAL])
            .empty_union(EmptyUnion::Error),
    );
    let wrong = array![[1u8, 1], [0, 0], [1, 0]];
    let right = array![[0u8, 0], [0, 1], [0, 1]];
    let of = |a: &Array2<u8>, b: &Array2<u8>| {
        let error = strict.compare(a.view(), b.view(), &labels).unwrap_err();
        assert_eq!(error.input(), input::ERRORS);
        (
            error.owner_name().map(str::to_owned),
            error.index().to_vec(),
        )
    };
    let owned = |owner: &str, index: [usize; 2]| (Some(owner.to_owned()), index.to_vec());
    assert_eq!(of(&right, &wrong), owned(comparison::FIRST, [1, 2]));
    assert_eq!(of(&wrong, &right), owned(comparison::SECOND, [1, 2]));
    let three = array![[0u8, 1, 1], [0, 1, 1]];
    let shape = test.compare(two.view(), three.view(), &labels).unwrap_err();
    assert_eq!(shape.input(), input::PREDICTIONS);
    assert_eq!(shape.owner_name(), Some("the second group"));
    assert!(matches!(shape.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [2, 3]));
    let one = test.clone().n_assignments(1);
    let one = one.compare(two.view(), two.view(), &labels).unwrap_err();
    assert_eq!(one.input().name(), "n_assignments");
    assert!(matches!(one.kind(), ErrorKind::InvalidParameter { .. }));
    // Nothing to compare is no error.
    let right = array![[0u8, 1], [0, 1]];
    let local = GroupComparison::new(Pairwise::new().metrics(&[PairMetric::EC_LOCAL]));
    let result = &local.compare(right.view(), right.view(), &labels).unwrap()[0];
    assert_eq!((result.difference, result.p_value), (None, None));
}

/// Units far from 1 change neither correlation nor, where both runs have them, concordance.
#[test]
fn regression_keeps_its_numbers_in_extreme_units() {
    let of = |first: f64, second: f64| {
        let predictions = Array2::from_shape_vec(
            (2, 4),
            [1.0, 2.0, 3.0, 5.0]
                .map(|x| x * first)
                .into_iter()
                .chain([1.0, 2.0, 3.0, 4.0].map(|x| x * second))
                .collect(),
        )
        .unwrap();
        let targets = ndarray::Array1::<f64>::zeros(4);
        let runs = RegressionReproducibility::new(predictions.view(), targets.view());
        let runs = runs.unwrap();
        let pair = |metric| runs.pairs(metric)[0].unwrap();
        (
            pair(RegressionMetric::PEARSON),
            pair(RegressionMetric::CONCORDANCE),
        )
    };
    // Deviations −1.75, −0.75, 0.25, 2.25 and −1.5, −0.5, 0.5, 1.5: products 6.5, squares 8.75 and 5.
    let (pearson, concordance) = of(1.0, 1.0);
    assert!((pearson - 6.5 / 43.75f64.sqrt()).abs() < 1e-15);
    assert!((concordance - 13.0 / (8.75 + 5.0 + 4.0 * 0.0625)).abs() < 1e-15);
    for unit in [1e160, 1e-161, 1e-170, 1e300] {
        let (p, c) = of(unit, unit);
        assert!(
            (p - pearson).abs() < 1e-12 && (c - concordance).abs() < 1e-12,
            "{unit} {p} {c}"
        );
        assert!((of(unit, 1.0).0 - pearson).abs() < 1e-12, "{unit}");
    }
}

/// The mean of numbers far from 0 is rounded by more than they differ.
#[test]
fn correlations_do_not_depend_on_where_the_numbers_are() {
    let of = |first: &[f64], second: &[f64], offset: f64, unit: f64| {
        let numbers = first.iter().chain(second).map(|x| offset + x * unit);
        let shape = (2, first.len());
        let predictions = Array2::from_shape_vec(shape, numbers.collect()).unwrap();
        let targets = ndarray::Array1::from_elem(first.len(), offset);
        let runs = RegressionReproducibility::new(predictions.view(), targets.view()).unwrap();
        [RegressionMetric::PEARSON, RegressionMetric::CONCORDANCE]
            .map(|metric| runs.pairs(metric)[0].unwrap())
    };
    let (first, second) = (
        [0.0, 1.0, 2.0, 5.0, 7.0, 8.0],
        [1.0, 2.0, 4.0, 5.0, 5.0, 9.0],
    );
    let plain = of(&first, &second, 0.0, 1.0);
    // 2⁻²⁶ is the distance of two numbers at 1e8.
    for unit in [2f64.powi(-26), 2f64.powi(-20), 2f64.powi(-7)] {
        let far = of(&first, &second, 1e8, unit);
        for (far, plain) in far.iter().zip(plain) {
            assert!((far - plain).abs() < 1e-14, "{unit} {far} {plain}");
        }
    }
    let [pearson, concordance] = of(&[0.0, 1.0], &[1.0, 0.0], 1e8, 2f64.powi(-26));
    assert!(
        (pearson + 1.0).abs() < 1e-15 && concordance == -1.0,
        "{pearson}"
    );
}

#[cfg(feature = "serde")]
#[test]
fn stored_values_that_cannot_be_are_refused() {
    let predictions = array![[1.0, 2.0, 4.0], [1.0, 3.0, 3.0], [0.0, 2.0, 5.0]];
    let targets = array![1.0, 2.0, 3.0];
    let runs = RegressionReproducibility::new(predictions.view(), targets.view());
    let runs = runs.unwrap();
    let text = serde_json::to_string(&runs).unwrap();
    let again: RegressionReproducibility = serde_json::from_str(&text).unwrap();
    assert_eq!(again.n_runs(), 3);
    let forged = text.replace("\"n_runs\":3", "\"n_runs\":4000000000");
    assert!(serde_json::from_str::<RegressionReproducibility>(&forged).is_err());
    let agreement = Agreement::new(array![[0, 1, 1], [0, 1, 0]].view()).unwrap();
    let text = serde_json::to_string(&agreement).unwrap();
    assert_eq!(serde_json::from_str::<Agreement>(&text).unwrap(), agreement);
    let forged = text.replace("\"n_pairs\":6", "\"n_pairs\":0");
    assert!(forged != text && serde_json::from_str::<Agreement>(&forged).is_err());
}
