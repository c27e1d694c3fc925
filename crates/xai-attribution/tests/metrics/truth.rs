//! Laws of the metrics of a map and the truth, and their edges.

use ndarray::{Array2, Array3, Axis, array};
use proptest::prelude::*;
use xai_attribution::batch::{Data, Masks};
use xai_attribution::metric::{
    AreaRule, AreaUnderPrecision, AreaUnderRecall, LocalizationAuroc, LocalizationAveragePrecision,
    MaskEntropy, MaskInformation, MaskMae, MaskMse, MaskRmse, Measure, MetricValue, PointingGame,
};
use xai_attribution::{ErrorKind, Evaluate, EvaluationError, help, input};

fn evaluate(
    metric: &dyn Measure<f64>,
    maps: &Array2<f64>,
    truth: &Array2<f64>,
) -> Result<MetricValue, EvaluationError> {
    let truth = Masks::of_numbers(truth.clone().insert_axis(Axis(1)));
    metric.evaluate_on(Data::of_maps(maps.view()).with(truth).batch_size(2))
}

fn per_sample(
    metric: &dyn Measure<f64>,
    maps: &Array2<f64>,
    truth: &Array2<f64>,
) -> Vec<Option<f64>> {
    let value = evaluate(metric, maps, truth);
    value.map_or_else(|_| vec![None; maps.nrows()], |value| value.per_sample)
}

fn near(a: &[Option<f64>], b: &[Option<f64>]) -> bool {
    let same = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a == b,
    };
    a.iter().zip(b).all(same)
}

fn maps_and_truth() -> impl Strategy<Value = (Array2<f64>, Array2<f64>)> {
    (1usize..5, 2usize..12).prop_flat_map(|(n, d)| {
        let maps = prop::collection::vec(-8i32..9, n * d);
        let truth = prop::collection::vec(any::<bool>(), n * d);
        (maps, truth).prop_map(move |(maps, truth)| {
            let maps = maps.into_iter().map(f64::from).collect();
            let truth = truth.into_iter().map(|t| f64::from(u8::from(t))).collect();
            (
                Array2::from_shape_vec((n, d), maps).unwrap(),
                Array2::from_shape_vec((n, d), truth).unwrap(),
            )
        })
    })
}

proptest! {
    #[test]
    fn areas_do_not_depend_on_the_unit_of_a_map((maps, truth) in maps_and_truth(), c in 0.5..8.0f64, b in -4.0..4.0f64) {
        let moved = maps.mapv(|a| c * a + b);
        for metric in [&AreaUnderPrecision::new() as &dyn Measure<f64>, &AreaUnderRecall::new()] {
            let (a, b) = (per_sample(metric, &maps, &truth), per_sample(metric, &moved, &truth));
            prop_assert!(near(&a, &b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn the_truth_itself_is_without_error_and_decided((_, truth) in maps_and_truth()) {
        for metric in [&MaskMae::new() as &dyn Measure<f64>, &MaskMse::new(), &MaskRmse::new()] {
            prop_assert_eq!(per_sample(metric, &truth, &truth), vec![Some(0.0); truth.nrows()]);
        }
        let entropy = per_sample(&MaskEntropy::new().normalize(false), &truth, &truth);
        prop_assert!(entropy.iter().flatten().all(|&bits| bits == 0.0));
    }

    /// Of each threshold the recall is the mean of who is marked there: its area is the mean of the maps.
    #[test]
    fn the_area_under_recall_is_the_mean_of_the_true_attributions((maps, truth) in maps_and_truth()) {
        let shares = maps.mapv(|a| (a + 8.0) / 16.0);
        let areas = per_sample(&AreaUnderRecall::new().normalize(false), &shares, &truth);
        let means: Vec<Option<f64>> = (0..maps.nrows()).map(|i| {
            let n = truth.row(i).sum();
            (n > 0.0).then(|| (&shares.row(i) * &truth.row(i)).sum() / n)
        }).collect();
        prop_assert!(near(&areas, &means), "{areas:?} {means:?}");
    }

    #[test]
    fn pooled_samples_of_one_have_the_value_of_that_one((maps, truth) in maps_and_truth()) {
        let (one, of_one) = (maps.slice(ndarray::s![..1, ..]).to_owned(), truth.slice(ndarray::s![..1, ..]).to_owned());
        for (pooled, alone) in [
            (&LocalizationAuroc::new().pooled(true) as &dyn Measure<f64>, &LocalizationAuroc::new() as &dyn Measure<f64>),
            (&LocalizationAveragePrecision::new().pooled(true), &LocalizationAveragePrecision::new()),
            (&MaskRmse::new().pooled(true), &MaskRmse::new()),
        ] {
            prop_assert_eq!(per_sample(pooled, &one, &of_one), per_sample(alone, &one, &of_one));
        }
        // Nor does it matter in which order they come.
        let mut reversed = (maps.clone(), truth.clone());
        reversed.0.invert_axis(Axis(0));
        reversed.1.invert_axis(Axis(0));
        for metric in [
            &LocalizationAuroc::new().pooled(true) as &dyn Measure<f64>,
            &AreaUnderPrecision::new().rule(AreaRule::Trapezoid).pooled(true),
            &MaskInformation::new().pooled(true),
            &MaskRmse::new().pooled(true),
        ] {
            prop_assert_eq!(per_sample(metric, &maps, &truth), per_sample(metric, &reversed.0, &reversed.1));
        }
    }
}

#[test]
fn numbers_between_are_read_by_errors_and_are_on_the_object() {
    let (maps, truth) = (array![[0.5, 0.0]], array![[0.9, 0.0]]);
    let mae = evaluate(&MaskMae::new(), &maps, &truth).unwrap().value;
    assert!((mae - 0.2).abs() < 1e-15);
    assert_eq!(
        evaluate(&PointingGame::new(), &maps, &truth).unwrap().value,
        1.0
    );
    assert_eq!(
        evaluate(&LocalizationAuroc::new(), &maps, &truth)
            .unwrap()
            .value,
        1.0
    );
}

#[test]
fn what_is_no_mask_is_refused_by_sample() {
    let (maps, truth) = (
        array![[0.5, 0.0], [0.5, 0.25], [0.0, -0.25]],
        array![[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]],
    );
    for metric in [
        &MaskInformation::new().normalize(false) as &dyn Measure<f64>,
        &MaskEntropy::new().normalize(false),
        &AreaUnderRecall::new().normalize(false),
    ] {
        let error = evaluate(metric, &maps, &truth).unwrap_err().into_error();
        assert_eq!(error.input(), input::EXPLANATIONS);
        assert_eq!(error.index(), [2]);
        assert_eq!(error.help(), Some(help::NORMALIZE_MAPS));
    }
    let wrong = array![[1.0, 0.0], [1.0, 0.0], [0.5, 1.5]];
    let error = evaluate(&MaskMae::new(), &maps, &wrong)
        .unwrap_err()
        .into_error();
    assert_eq!(
        (error.input(), error.index()),
        (input::MASKS, &[2, 0, 1][..])
    );
    assert!(matches!(error.kind(), ErrorKind::OutOfDomain { .. }));
}

#[test]
fn maps_of_the_whole_range_are_scaled() {
    let (maps, truth) = (array![[1e308, -1e308, 0.0]], array![[1.0, 0.0, 1.0]]);
    assert_eq!(
        evaluate(&AreaUnderRecall::new(), &maps, &truth)
            .unwrap()
            .value,
        0.75
    );
}

/// Features of a time series that share one attribution per time step.
#[test]
fn a_time_series_may_have_one_attribution_per_step() {
    let (maps, x) = (array![[1.0, 0.0]], Array3::<f64>::zeros((1, 2, 2)));
    let truth = Masks::new(array![[[true, true], [false, true]]]);
    let data = Data::new(x.view(), &[0]).maps(maps.view()).with(truth);
    // Of three true cells the two of the first step have 1.
    let value = AreaUnderRecall::new().evaluate_on(data).unwrap().value;
    assert!((value - 2.0 / 3.0).abs() < 1e-15);
}
