//! The metrics beyond the seven of the study: values of peers, laws, errors.

use approx::assert_relative_eq;
use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;
use serde_json::Value;
use xai_repro::agreement::{self, Agreement, AgreementCoefficient, AgreementWeights, gwet_ac2};
use xai_repro::{
    Error, GroupComparison, PackedRuns, PairMetric, PairStatistic, PairwiseReproducibility,
    RegressionMetric, RegressionReproducibility, RunInterval, SampleConsistency,
};

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/more_metrics.json")).unwrap()
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
        let runs = PairwiseReproducibility::from_predictions(predictions.view(), &labels).unwrap();
        for metric in [PairMetric::PaNmi, PairMetric::EcMatthews] {
            close(
                runs.pairs(metric),
                &numbers(&case[metric.name()]),
                metric.name(),
            );
        }
        for (agree, disagree) in runs
            .pairs(PairMetric::PaAcc)
            .iter()
            .zip(runs.pairs(PairMetric::PaDisagreement))
        {
            assert!((agree.unwrap() + disagree.unwrap() - 1.0).abs() < 1e-15);
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
        let ac1 = Agreement::of(predictions.view())
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
    assert_eq!(
        with(Array2::ones((2, 2))).unwrap_err().to_string(),
        "weights: expected shape (3, 3), got (2, 2)"
    );
    let place = |a: usize, b: usize, value: f64| {
        let mut weights = Array2::eye(3);
        weights[[a, b]] = value;
        with(weights).unwrap_err().to_string()
    };
    assert_eq!(
        place(1, 1, 0.5),
        "weights[1, 1] = 0.5: expected 1 on the diagonal"
    );
    assert_eq!(
        place(0, 2, 1.5),
        "weights[0, 2] = 1.5: expected a weight in [0, 1]"
    );
    assert_eq!(
        place(0, 2, 0.5),
        "weights[0, 2] = 0.5: expected the weight of the transposed place"
    );
    assert_eq!(place(2, 0, f64::NAN), "weights[2, 0]: not a finite number");
    let constant = array![[4u8, 4], [4, 4]];
    assert_eq!(
        gwet_ac2(constant.view(), &AgreementWeights::Linear).unwrap(),
        None
    );
    assert!(matches!(
        gwet_ac2(array![[1u8]].view(), &AgreementWeights::Linear),
        Err(Error::TooFew { .. })
    ));
}

#[test]
fn entropies_are_those_of_numpy() {
    for case in golden()["classes"].as_array().unwrap() {
        let (predictions, _) = labels(case);
        let samples = SampleConsistency::of(predictions.view()).unwrap();
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
        SampleConsistency::of(array![[1u8]].view()),
        Err(Error::TooFew { .. })
    ));
}

#[test]
fn regression_metrics_are_those_of_the_peers() {
    for case in golden()["regression"].as_array().unwrap() {
        let predictions = matrix(&case["predictions"]);
        let targets = Array1::from(numbers(&case["targets"]));
        let runs = RegressionReproducibility::from_predictions(predictions.view(), targets.view())
            .unwrap();
        for metric in RegressionMetric::ALL {
            close(
                runs.pairs(metric),
                &numbers(&case[metric.name()]),
                metric.name(),
            );
        }
        let interval = runs
            .interval(RegressionMetric::EcRatio, 0.95)
            .unwrap()
            .unwrap();
        let mean = runs.summary(RegressionMetric::EcRatio).mean.unwrap();
        assert!(interval.low < mean && mean < interval.high);
    }
}

#[test]
fn regression_at_its_edges() {
    let of = |predictions: Array2<f64>, targets: &[f64]| {
        RegressionReproducibility::from_predictions(predictions.view(), ndarray::aview1(targets))
    };
    // Both right everywhere, and constant.
    let right = of(array![[1.0, 1.0], [1.0, 1.0]], &[1.0, 1.0]).unwrap();
    let value = |runs: &RegressionReproducibility, metric| runs.pairs(metric)[0];
    assert_eq!(value(&right, RegressionMetric::EcRatio), Some(1.0));
    assert_eq!(value(&right, RegressionMetric::EcRatioSigned), Some(1.0));
    assert_eq!(value(&right, RegressionMetric::EcRatioDiff), Some(0.0));
    assert_eq!(
        value(&right, RegressionMetric::EcRatioDiffSigned),
        Some(0.0)
    );
    assert_eq!(value(&right, RegressionMetric::Concordance), None);
    assert_eq!(value(&right, RegressionMetric::Pearson), None);
    assert_eq!(value(&right, RegressionMetric::Mae), Some(0.0));
    // Residuals whose product underflows still have a sign.
    let tiny = of(array![[1e-200, 0.0], [-1e-200, 1.0]], &[0.0, 0.0]).unwrap();
    assert_eq!(value(&tiny, RegressionMetric::EcRatioSigned), Some(-0.5));
    assert_eq!(value(&tiny, RegressionMetric::EcRatioDiff), Some(0.5));
    assert_eq!(value(&tiny, RegressionMetric::EcRatioDiffSigned), Some(0.0));
    // A sum beyond the range of f64, of which the mean is within it.
    let large = of(
        Array2::from_shape_fn((2, 40), |(i, _)| i as f64 * 4e307),
        &[0.0; 40],
    )
    .unwrap();
    assert_eq!(value(&large, RegressionMetric::Mae), Some(4e307));
    assert!(matches!(
        of(array![[f64::MAX], [0.0]], &[0.0]),
        Err(Error::OutOfDomain { .. })
    ));
    assert!(matches!(
        of(array![[f64::NAN], [0.0]], &[0.0]),
        Err(Error::NonFinite { .. })
    ));
    assert!(matches!(
        of(array![[1.0], [0.0]], &[0.0, 1.0]),
        Err(Error::ShapeMismatch { .. })
    ));
    assert!(matches!(
        of(array![[1.0]], &[0.0]),
        Err(Error::TooFew { .. })
    ));
    assert!(matches!(
        of(Array2::zeros((2, 0)), &[]),
        Err(Error::Empty { .. })
    ));
    assert!(
        "mse"
            .parse::<RegressionMetric>()
            .unwrap_err()
            .to_string()
            .contains("ec_ratio")
    );
}

proptest! {
    #[test]
    fn regression_of_single_precision_is_that_of_the_same_values_in_double(
        values in prop::collection::vec(-100f32..100.0, 30)
    ) {
        let single = Array2::from_shape_vec((3, 10), values).unwrap();
        let targets = Array1::from_elem(10, 0.5f32);
        let a = RegressionReproducibility::from_predictions(single.view(), targets.view()).unwrap();
        let double = single.mapv(f64::from);
        let b = RegressionReproducibility::from_predictions(double.view(), targets.view()).unwrap();
        prop_assert_eq!(a, b);
    }

    #[test]
    fn regression_metrics_are_within_their_bounds(
        values in prop::collection::vec(-1e3..1e3f64, 24), shift in -10.0..10.0f64
    ) {
        let runs = Array2::from_shape_vec((3, 8), values).unwrap();
        let targets = Array1::from_elem(8, shift);
        let metrics = RegressionReproducibility::from_predictions(runs.view(), targets.view()).unwrap();
        for metric in RegressionMetric::ALL {
            let (low, high) = match metric {
                RegressionMetric::EcRatio | RegressionMetric::EcRatioDiff => (0.0, 1.0),
                RegressionMetric::Mae => (0.0, f64::MAX),
                _ => (-1.0, 1.0),
            };
            for value in metrics.pairs(metric).iter().flatten() {
                prop_assert!((low..=high).contains(value), "{} {}", metric, value);
            }
        }
        let order: Vec<usize> = (0..8).rev().collect();
        let reversed = runs.select(Axis(1), &order);
        let again = RegressionReproducibility::from_predictions(reversed.view(), targets.view()).unwrap();
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
    let runs = PairwiseReproducibility::from_predictions(predictions.view(), &labels).unwrap();
    for metric in PairMetric::ALL {
        let (a, b) = (
            runs.interval(metric, 0.9).unwrap().unwrap(),
            runs.interval_of(metric, PairStatistic::Mean, RunInterval::Jackknife, 0.9)
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
fn a_bootstrap_interval_lies_within_what_pairs_can_be() {
    let (predictions, labels) = some_runs();
    let runs = PairwiseReproducibility::from_predictions(predictions.view(), &labels).unwrap();
    let bca = RunInterval::Bca {
        n_replicates: 400,
        seed: 3,
    };
    for statistic in [
        PairStatistic::Mean,
        PairStatistic::Std,
        PairStatistic::Min,
        PairStatistic::Median,
        PairStatistic::Max,
        PairStatistic::Quantile(0.1),
    ] {
        for metric in [PairMetric::EcLocal, PairMetric::PaKappa] {
            let summary = runs.summary(metric);
            let interval = runs
                .interval_of(metric, statistic, bca, 0.9)
                .unwrap()
                .unwrap();
            assert!(interval.low <= interval.high);
            // No value of a replicate is outside the values of the pairs.
            if statistic != PairStatistic::Std {
                assert!(summary.min.unwrap() <= interval.low, "{statistic:?}");
                assert!(interval.high <= summary.max.unwrap(), "{statistic:?}");
            }
            let again = runs
                .interval_of(metric, statistic, bca, 0.9)
                .unwrap()
                .unwrap();
            assert_eq!(again, interval);
        }
    }
    let quantile = PairStatistic::Quantile(1.5);
    assert!(matches!(
        runs.interval_of(PairMetric::PaAcc, quantile, bca, 0.9),
        Err(Error::InvalidParameter { .. })
    ));
}

#[test]
fn the_interval_of_a_coefficient_is_over_runs() {
    let (predictions, labels) = some_runs();
    let packed = PackedRuns::new(predictions.view(), &labels).unwrap();
    for coefficient in [
        AgreementCoefficient::FleissKappa,
        AgreementCoefficient::KrippendorffAlpha,
        AgreementCoefficient::GwetAc1,
    ] {
        let without = |left_out: usize| {
            let others: Vec<usize> = (0..7).filter(|&run| run != left_out).collect();
            let rest = predictions.select(Axis(0), &others);
            Agreement::of(rest.view())
                .unwrap()
                .coefficient(coefficient)
                .unwrap()
        };
        let leave_one_out: Vec<f64> = (0..7).map(without).collect();
        let all = Agreement::of_packed(&packed)
            .unwrap()
            .coefficient(coefficient)
            .unwrap();
        let expected = xai_core::jackknife(all, &leave_one_out, 0.95).unwrap();
        let ours = agreement::interval(&packed, coefficient, RunInterval::Jackknife, 0.95)
            .unwrap()
            .unwrap();
        assert!(
            (ours.low - expected.low).abs() < 1e-12,
            "{ours:?} {expected:?}"
        );
        let bca = RunInterval::Bca {
            n_replicates: 200,
            seed: 1,
        };
        let bca = agreement::interval(&packed, coefficient, bca, 0.95)
            .unwrap()
            .unwrap();
        assert!(bca.low < all && all < bca.high, "{bca:?} {all}");
    }
    let errors =
        PackedRuns::for_metrics(&PairMetric::OF_ERRORS, predictions.view(), &labels).unwrap();
    assert!(matches!(
        Agreement::of_packed(&errors),
        Err(Error::InvalidParameter { .. })
    ));
}

#[test]
fn groups_that_differ_are_told_apart_and_equal_ones_are_not() {
    let labels = vec![0u8; 60];
    // The first group errs on the same ten samples, the second on ten others each.
    let alike = Array2::from_shape_fn((5, 60), |(_, j)| u8::from(j < 10));
    let apart = Array2::from_shape_fn((5, 60), |(i, j)| u8::from(j / 10 == i + 1));
    let test = GroupComparison::new().metrics(&[PairMetric::EcLocal, PairMetric::EcAcc]);
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
fn groups_that_cannot_be_compared_are_named() {
    let labels = [0u8, 1];
    let two = array![[0u8, 1], [1, 1]];
    let test = GroupComparison::new();
    let message = |result: Result<Vec<_>, Error>| result.unwrap_err().to_string();
    assert_eq!(
        message(test.compare(two.view(), array![[0u8, 1]].view(), &labels)),
        "runs of the second group: at least 2 needed, got 1"
    );
    assert_eq!(
        message(test.compare(two.view(), array![[0u8, 1, 1], [0, 1, 1]].view(), &labels)),
        "predictions of the second group: expected shape (2, 2), got (2, 3)"
    );
    assert_eq!(
        message(
            test.clone()
                .n_assignments(1)
                .compare(two.view(), two.view(), &labels)
        ),
        "n_assignments = 1: expected 2 to 10 000 000, the actual one and others"
    );
    // Nothing to compare is no error.
    let right = array![[0u8, 1], [0, 1]];
    let local = test.metrics(&[PairMetric::EcLocal]);
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
        let runs = RegressionReproducibility::from_predictions(predictions.view(), targets.view());
        let runs = runs.unwrap();
        let pair = |metric| runs.pairs(metric)[0].unwrap();
        (
            pair(RegressionMetric::Pearson),
            pair(RegressionMetric::Concordance),
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

#[cfg(feature = "serde")]
#[test]
fn stored_values_that_cannot_be_are_refused() {
    let predictions = array![[1.0, 2.0, 4.0], [1.0, 3.0, 3.0], [0.0, 2.0, 5.0]];
    let targets = array![1.0, 2.0, 3.0];
    let runs = RegressionReproducibility::from_predictions(predictions.view(), targets.view());
    let runs = runs.unwrap();
    let text = serde_json::to_string(&runs).unwrap();
    let again: RegressionReproducibility = serde_json::from_str(&text).unwrap();
    assert_eq!(again.n_runs(), 3);
    let forged = text.replace("\"n_runs\":3", "\"n_runs\":4000000000");
    assert!(serde_json::from_str::<RegressionReproducibility>(&forged).is_err());
    let agreement = Agreement::of(array![[0, 1, 1], [0, 1, 0]].view()).unwrap();
    let text = serde_json::to_string(&agreement).unwrap();
    assert_eq!(serde_json::from_str::<Agreement>(&text).unwrap(), agreement);
    let forged = text.replace("\"n_pairs\":6", "\"n_pairs\":0");
    assert!(forged != text && serde_json::from_str::<Agreement>(&forged).is_err());
}
