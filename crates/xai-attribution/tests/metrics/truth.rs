//! Laws of the metrics of a map and the truth, and their edges.

use ndarray::{Array2, Array3, Axis, array};
use proptest::prelude::*;
use xai_attribution::metric::{
    AreaRule, AreaUnderPrecision, AreaUnderRecall, LocalizationAuroc, LocalizationAveragePrecision,
    MaskEntropy, MaskInformation, MaskMae, MaskMse, MaskRmse, Measure, MetricValue, PointingGame,
    key, registry,
};
use xai_attribution::side::Masks;
use xai_attribution::{
    Benchmark, ErrorKind, Evaluate, EvaluationData, EvaluationError, help, input,
};
use xai_core::random::{random_stream, uniform_index};
use xai_core::statistics::t_interval;
use xai_core::sum::Moments;

fn evaluate(
    metric: &dyn Measure<f64>,
    maps: &Array2<f64>,
    truth: &Array2<f64>,
) -> Result<MetricValue, EvaluationError> {
    let truth = Masks::from_numbers(truth.clone().insert_axis(Axis(1)));
    metric.evaluate_on(
        EvaluationData::from_maps(maps.view())
            .with(truth)
            .batch_size(2),
    )
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
            let values = per_sample(alone, &one, &of_one);
            let together = evaluate(pooled, &one, &of_one).ok().map(|value| value.value);
            prop_assert_eq!(vec![together], values);
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
            let value = |maps, truth| evaluate(metric, maps, truth).ok().map(|value| value.value);
            prop_assert_eq!(value(&maps, &truth), value(&reversed.0, &reversed.1));
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
fn invalid_masks_are_refused_with_their_sample() {
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
    let data = EvaluationData::new(x.view(), &[0])
        .maps(maps.view())
        .with(truth);
    // Of three true cells the two of the first step have 1.
    let value = AreaUnderRecall::new().evaluate_on(data).unwrap().value;
    assert!((value - 2.0 / 3.0).abs() < 1e-15);
}

/// All metrics that can judge the positions of all samples together.
fn pooled_metrics() -> Vec<Box<dyn Measure<f64>>> {
    let entries = registry::metrics()
        .iter()
        .filter(|entry| entry.has_param("pooled"));
    let settings = [
        ("pooled".to_owned(), true.into()),
        ("normalize".to_owned(), true.into()),
    ];
    entries
        .map(|entry| entry.build::<f64>(&settings).unwrap())
        .collect()
}

/// `n` samples of maps that have nothing to do with the truth.
fn random_samples(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut stream = random_stream(seed, 0);
    Array2::from_shape_fn((n, d), |_| {
        uniform_index(&mut stream, 1_000) as f64 / 1_000.0
    })
}

/// One value of all samples is no value of each: two explainers are not compared by it, and its interval has a width.
#[test]
fn a_pooled_value_has_an_interval_over_samples_and_no_paired_test() {
    let (a, b) = (random_samples(30, 20, 1), random_samples(30, 20, 2));
    let truth = random_samples(30, 20, 3).mapv(|x| f64::from(u8::from(x > 0.6)));
    let metrics = pooled_metrics();
    assert_eq!(metrics.len(), 9);
    let table = |size: usize| {
        let masks = Masks::from_numbers(truth.clone().insert_axis(Axis(1)));
        let data = EvaluationData::from_maps(a.view())
            .with(masks)
            .batch_size(size);
        let evaluation = Benchmark::on(data).maps("a", a.view()).maps("b", b.view());
        let metrics = pooled_metrics().into_iter();
        metrics
            .fold(evaluation, Benchmark::metric)
            .evaluate()
            .unwrap()
    };
    let of_all = table(30);
    for result in &of_all.metrics {
        assert!(result.is_pooled, "{}", result.metric);
        for value in &result.values {
            let interval = value.interval.unwrap();
            let estimate = value.value.unwrap();
            assert!(
                interval.low < estimate && estimate < interval.high,
                "{}",
                result.metric
            );
            assert!(
                value.per_sample.iter().all(Option::is_none),
                "{}",
                result.metric
            );
            assert_eq!(value.n_undefined, 0);
        }
        for comparison in &result.comparisons {
            assert_eq!(
                (comparison.p_value, comparison.n_pairs),
                (None, 0),
                "{}",
                result.metric
            );
        }
    }
    assert!(
        of_all
            .to_string()
            .contains("of pooled values by jackknife over samples")
    );
    assert_eq!(table(7), of_all);
    for metric in metrics {
        let one = evaluate(&*metric, &a, &truth).unwrap();
        let result = of_all.result("a", &key(metric.info())).unwrap();
        assert_eq!(Some(one.value), result.value, "{}", metric.info().name);
        assert_eq!((one.n_undefined, one.per_sample), (0, vec![None; 30]));
    }
}

/// The error of all positions is the mean of those of samples of one size: so is its interval the t interval of that
/// mean.
#[test]
fn the_interval_of_a_pooled_mean_is_the_t_interval_of_the_samples() {
    let (maps, truth) = (random_samples(25, 8, 4), random_samples(25, 8, 5));
    let masks = || Masks::from_numbers(truth.clone().insert_axis(Axis(1)));
    let metric = MaskMae::new().pooled(true).normalize(false);
    let evaluation = Benchmark::on(EvaluationData::from_maps(maps.view()).with(masks()));
    let table = evaluation
        .maps("a", maps.view())
        .metric(metric)
        .evaluate()
        .unwrap();
    let interval = table.metrics[0].values[0].interval.unwrap();
    let alone = evaluate(&MaskMae::new().normalize(false), &maps, &truth).unwrap();
    let values: Vec<f64> = alone.per_sample.into_iter().flatten().collect();
    let mut moments = Moments::new();
    values.iter().for_each(|&value| moments.add(value));
    let expected = t_interval(&moments, 0.95).unwrap().unwrap();
    assert!(
        (interval.low - expected.low).abs() < 1e-12,
        "{interval:?} {expected:?}"
    );
    assert!(
        (interval.high - expected.high).abs() < 1e-12,
        "{interval:?} {expected:?}"
    );
}
