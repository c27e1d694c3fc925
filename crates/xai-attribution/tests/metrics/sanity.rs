//! Laws and edges of metrics of explainers of other models, classes and inputs.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, CowArray, IxDyn, array};
use proptest::prelude::*;
use xai_attribution::map::{Bins, MapSimilarity};
use xai_attribution::metric::{
    EfficientRandomization, InputInvariance, Measure, ModelRandomization, OtherTargets,
    PrecomputedTargets, RandomLogit, RandomizationOrder,
};
use xai_attribution::model::{BoxError, Concurrent, Explainer, Samples, Smoothed, Targets};
use xai_attribution::side::SecondMaps;
use xai_attribution::{ErrorKind, Evaluate, EvaluationData, EvaluationError, Result, input};
use xai_core::Input;

type Maps = Result<ArrayD<f64>, std::fmt::Error>;

fn squares(x: ArrayViewD<'_, f64>, _: &Targets) -> Maps {
    Ok(x.mapv(|v| v * v))
}

fn rows(n: usize, width: usize) -> impl Strategy<Value = Array2<f64>> {
    let values = prop::collection::vec(-4.0..4.0f64, n * width);
    values.prop_map(move |values| Array2::from_shape_vec((n, width), values).unwrap())
}

fn classes(n: usize) -> Targets {
    Targets::Classes(vec![0; n])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// What a smoothed explainer says of an input depends on the input alone.
    #[test]
    fn smoothing_sees_neither_batch_nor_order(x in (1usize..7).prop_flat_map(|n| rows(n, 5))) {
        let smoothed = Smoothed::new(squares, 4, 0.2, 3).unwrap();
        let n = x.nrows();
        let whole = smoothed.explain(x.view().into_dyn(), &classes(n)).unwrap();
        for i in 0..n {
            let one = x.select(Axis(0), &[i]).into_dyn();
            let one = smoothed.explain(one.view(), &classes(1)).unwrap();
            prop_assert_eq!(one.index_axis(Axis(0), 0), whole.index_axis(Axis(0), i));
        }
        let backwards: Vec<usize> = (0..n).rev().collect();
        let reversed = x.select(Axis(0), &backwards).into_dyn();
        let reversed = smoothed.explain(reversed.view(), &classes(n)).unwrap();
        prop_assert_eq!(reversed.select(Axis(0), &backwards), whole);
    }

    /// Of a model that depends on nothing but differences of its inputs the gradient does not move.
    #[test]
    fn the_gradient_of_a_linear_model_is_invariant(x in rows(3, 4), shift in -3.0..3.0f64) {
        let gradient = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.mapv(|_| 0.5)) };
        let shifted = move |x: ArrayViewD<'_, f64>, y: &Targets| gradient((&x + shift).view(), y);
        let data = EvaluationData::new(x.view(), &[0; 3])
            .explainer(&gradient)
            .with(SecondMaps::from_fn(shifted));
        prop_assert_eq!(InputInvariance::new().evaluate_on(data).unwrap().value, 0.0);
    }

    /// The bins are of the map's own range: neither unit nor origin shows, up to rounding at the edges, for
    /// which values are whole numbers here.
    #[test]
    fn efficient_randomization_has_no_unit(values in prop::collection::vec(-8i32..9, 24)) {
        let of = |by: f64, plus: f64| {
            let maps: Vec<f64> = values.iter().map(|v| f64::from(*v) * by + plus).collect();
            let maps = Array2::from_shape_vec((2, 12), maps).unwrap();
            let random = Array2::from_shape_fn((2, 12), |(i, j)| ((i * 5 + j * 7) % 12) as f64);
            per_sample(&EfficientRandomization::new().bins(Bins::Count(8)), &maps, random.into_dyn())
        };
        let values = of(1.0, 0.0);
        prop_assert!(values.iter().flatten().all(|v| *v >= -1.0));
        prop_assert_eq!(&values, &of(4.0, 0.0));
        prop_assert_eq!(&values, &of(1.0, 16.0));
    }
}

/// Nothing where no sample has a value.
fn per_sample(
    metric: &impl Measure<f64>,
    maps: &Array2<f64>,
    second: ArrayD<f64>,
) -> Vec<Option<f64>> {
    let value = evaluate(metric, maps, second, 64);
    value.unwrap_or_else(|_| vec![None; maps.nrows()])
}

fn evaluate(
    metric: &impl Measure<f64>,
    maps: &Array2<f64>,
    second: ArrayD<f64>,
    batch_size: usize,
) -> Result<Vec<Option<f64>>> {
    let data = EvaluationData::from_maps(maps.view())
        .with(SecondMaps::from_maps(second))
        .batch_size(batch_size);
    let value = metric
        .evaluate_on(data)
        .map_err(EvaluationError::into_error)?;
    Ok(value.per_sample)
}

#[test]
fn smoothed_maps_are_those_of_the_same_noise_in_single_precision() {
    let x = array![[0.5, 1.0, 2.0], [3.0, 3.0, 3.0]];
    let seen = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.to_owned()) };
    let smoothed = Smoothed::new(seen, 1, 0.25, 1).unwrap();
    let double = smoothed.explain(x.view().into_dyn(), &classes(2)).unwrap();
    let seen = |x: ArrayViewD<'_, f32>, _: &Targets| -> Result<ArrayD<f32>, std::fmt::Error> {
        Ok(x.to_owned())
    };
    let smoothed = Smoothed::new(seen, 1, 0.25, 1).unwrap();
    let x = x.mapv(|v| v as f32);
    let single = smoothed.explain(x.view().into_dyn(), &classes(2)).unwrap();
    assert_eq!(single, double.mapv(|v| v as f32));
    // Of a constant input the range is 0, and so is its noise.
    assert_eq!(
        double.index_axis(Axis(0), 1),
        array![3.0, 3.0, 3.0].into_dyn()
    );
    assert_ne!(double[[0, 0]], 0.5);
}

#[test]
fn invalid_smoothing_is_named() {
    let about = |error: xai_attribution::Error| error.input();
    assert_eq!(
        about(Smoothed::new(squares, 0, 0.1, 1).unwrap_err()),
        input::N_COPIES
    );
    for magnitude in [-0.1, f64::NAN, f64::INFINITY] {
        let error = Smoothed::new(squares, 2, magnitude, 1).unwrap_err();
        assert_eq!(error.input(), input::MAGNITUDE);
    }
    let given = |noise: ArrayD<f64>| Smoothed::with_noise(squares, noise, 1.0);
    assert_eq!(
        about(given(ArrayD::zeros(vec![3])).unwrap_err()),
        input::NOISE
    );
    let nan = ArrayD::from_elem(vec![1, 2, 3], f64::NAN);
    assert_eq!(about(given(nan).unwrap_err()), input::NOISE);
    // Noise of two samples, and a call with three rows, as smaller batches make it.
    let given = given(ArrayD::zeros(vec![1, 2, 3])).unwrap();
    let x = Array2::<f64>::ones((3, 3));
    let error = RandomLogit::new(2)
        .similarity(MapSimilarity::Pearson)
        .evaluate_explainer(&given, x.view(), &[0; 3])
        .unwrap_err();
    assert_eq!(error.error().input(), input::EXPLAINER);
    assert!(
        error.error().problem().to_string().contains("noise"),
        "{error}"
    );
    // A map that is not a number is that of its sample.
    let nan_of_large = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
        Ok(x.mapv(|v| if v > 50.0 { f64::NAN } else { v }))
    };
    let smoothed = Smoothed::new(nan_of_large, 2, 0.1, 1).unwrap();
    let mut x = Array2::from_shape_fn((5, 3), |(i, j)| (i + j) as f64);
    x[[3, 1]] = 100.0;
    let error = RandomLogit::new(2)
        .similarity(MapSimilarity::Pearson)
        .batch_size(2)
        .evaluate_explainer(&smoothed, x.view(), &[0; 5])
        .unwrap_err();
    assert_eq!(
        (error.error().input(), error.error().index()),
        (input::EXPLANATIONS, &[3, 1][..])
    );
    let owner = error.error().owner_name();
    assert_eq!(owner, Some("sample 3 in batch 1 (samples 2 to 3)"));
}

#[test]
fn randomization_from_the_input_up_begins_with_the_last_layer() {
    let x = array![[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]];
    // The map is constant where the last layer alone is randomized, reversed where the first is, too.
    let explainer_of = |layers: &[usize]| -> Result<_, std::fmt::Error> {
        let layers = layers.to_vec();
        Ok(move |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
            Ok(match layers.as_slice() {
                [] => x.to_owned(),
                [2] => x.mapv(|_| 1.0),
                _ => x.mapv(|v| -v),
            })
        })
    };
    for similarity in [MapSimilarity::Pearson, MapSimilarity::Spearman] {
        let of = ModelRandomization::new(3)
            .order(RandomizationOrder::BottomUp)
            .similarity(similarity)
            .evaluate(
                explainer_of,
                EvaluationData::new(x.view(), &[0, 0]).batch_size(1),
            )
            .unwrap();
        let layers: Vec<_> = of.steps.iter().map(|step| step.layers.clone()).collect();
        assert_eq!(layers, [vec![2], vec![1, 2], vec![0, 1, 2]]);
        assert_eq!(of.steps[0].value, None);
        assert_eq!(of.last().unwrap().per_sample, [Some(-1.0), None]);
        // Over the two steps that have a similarity.
        assert_eq!(of.average().unwrap().per_sample, [Some(-1.0), None]);
    }
    let constant = |_: &[usize]| -> Result<_, std::fmt::Error> {
        Ok(|x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.mapv(|_| 0.0)) })
    };
    let of = ModelRandomization::new(1).evaluate(constant, EvaluationData::new(x.view(), &[0, 0]));
    assert_eq!(of.unwrap().average().unwrap_err().input(), input::VALUES);
}

#[test]
fn other_targets_may_be_given() {
    let x = array![[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]];
    let signed = |x: ArrayViewD<'_, f64>, y: &Targets| -> Maps {
        let Targets::Classes(classes) = y else {
            return Err(std::fmt::Error);
        };
        let mut maps = x.to_owned();
        for (mut map, class) in maps.outer_iter_mut().zip(classes) {
            map *= 1.0 - *class as f64;
        }
        Ok(maps)
    };
    let metric = RandomLogit::new(2)
        .n_classes(None)
        .others(OtherTargets::Given)
        .similarity(MapSimilarity::Pearson);
    let of = |classes: Option<Vec<i64>>| {
        let data = EvaluationData::new(x.view(), &[0, 0])
            .explainer(&signed)
            .batch_size(1);
        let data = match classes {
            Some(classes) => data.with(PrecomputedTargets(Targets::Classes(classes))),
            None => data,
        };
        metric.evaluate_on(data).map(|value| value.per_sample)
    };
    // Class 1 has a map of zeros, class 2 the reverse, class 0 is the target.
    assert_eq!(of(Some(vec![2, 1])).unwrap(), [Some(-1.0), None]);
    assert_eq!(of(Some(vec![0, 2])).unwrap(), [Some(1.0), Some(-1.0)]);
    for wrong in [None, Some(vec![1])] {
        let error = of(wrong).unwrap_err();
        assert_eq!(error.error().input(), input::OTHER_TARGETS);
    }
    let none = RandomLogit::new(2).similarity(MapSimilarity::Jaccard { percent: 0 });
    let error = none
        .evaluate_explainer(&signed, x.view(), &[0, 0])
        .unwrap_err();
    assert_eq!(error.error().input(), Input::new("similarity"));
}

#[test]
fn maps_without_entropy_have_no_efficient_randomization() {
    let metric = EfficientRandomization::new().bins(Bins::Count(4));
    let maps = array![
        [0.0, 0.0, 0.0, 0.0],
        [2.0, 2.0, 2.0, 2.0],
        [0.0, 1.0, 2.0, 3.0]
    ];
    let random = array![
        [0.0, 1.0, 2.0, 3.0],
        [0.0, 1.0, 2.0, 3.0],
        [5.0, 5.0, 5.0, 5.0]
    ]
    .into_dyn();
    let values = per_sample(&metric, &maps, random.clone());
    assert_eq!(values, [None, None, Some(-1.0)]);
    assert_eq!(evaluate(&metric, &maps, random.clone(), 1).unwrap(), values);
    // One sample without a value is no result at all.
    let one = evaluate(
        &metric,
        &array![[0.0, 0.0]],
        array![[1.0, 2.0]].into_dyn(),
        1,
    );
    assert_eq!(one.unwrap_err().input(), input::VALUES);
    for bins in [Bins::Count(0), Bins::Count(1 << 21)] {
        let error = evaluate(&metric.bins(bins), &maps, random.clone(), 64).unwrap_err();
        assert_eq!(error.input(), Input::new("bins"));
    }
    let rule = metric.bins(Bins::FreedmanDiaconis);
    assert_eq!(per_sample(&rule, &maps, random)[2], Some(-1.0));
}

#[test]
fn a_map_of_zeros_has_no_invariance() {
    let metric = InputInvariance::new();
    let maps = array![[0.0, 0.0], [1.0, -2.0], [1.0, 2.0]];
    let second = array![[0.0, 1.0], [1.0, -1.0], [1.0, 2.0]].into_dyn();
    for batch_size in [1, 2, 64] {
        let values = evaluate(&metric, &maps, second.clone(), batch_size).unwrap();
        assert_eq!(values, [None, Some(0.5), Some(0.0)]);
    }
    // Differences are taken in units of the map.
    let (large, other) = (array![[f64::MAX, 0.0]], array![[-f64::MAX, 0.0]].into_dyn());
    assert_eq!(per_sample(&metric, &large, other), [Some(2.0)]);
}

#[test]
fn invalid_second_maps_are_named() {
    let (metric, maps) = (InputInvariance::new(), array![[1.0, 2.0], [3.0, 4.0]]);
    let missing = metric
        .evaluate_on(EvaluationData::from_maps(maps.view()))
        .unwrap_err();
    assert_eq!(missing.error().input(), input::SECOND_MAPS);
    let nan = array![[1.0, 2.0], [3.0, f64::NAN]].into_dyn();
    let wrong = [
        (ArrayD::ones(vec![3, 2]), "rows"),
        (ArrayD::ones(vec![2, 3]), "elements"),
        (ArrayD::ones(vec![2]), "axes"),
        (nan, "a number"),
    ];
    for (second, what) in wrong {
        let error = evaluate(&metric, &maps, second, 64).unwrap_err();
        assert_eq!(error.input(), input::SECOND_MAPS, "{what}");
    }
    let asked = |second: SecondMaps| {
        let data = EvaluationData::new(maps.view(), &[0, 0])
            .maps(maps.view())
            .with(second);
        metric
            .evaluate_on(data.batch_size(1))
            .unwrap_err()
            .into_error()
    };
    let fails = |_: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Err(std::fmt::Error) };
    let error = asked(SecondMaps::from_fn(fails));
    assert_eq!(error.input(), input::SECOND_MAPS);
    assert!(matches!(error.kind(), ErrorKind::Model { .. }));
    let nan = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
        Ok(x.mapv(|v| if v > 3.5 { f64::NAN } else { v }))
    };
    let error = asked(SecondMaps::from_fn(nan));
    assert_eq!(
        (error.input(), error.index()),
        (input::SECOND_MAPS, &[1, 1][..])
    );
}

/// Two metrics of one run ask the second explainer once, on several threads too.
#[test]
fn the_second_explainer_sees_every_input_once() {
    let seen = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&seen);
    let second = move |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, BoxError> {
        counter.fetch_add(x.shape()[0] as u64, Ordering::Relaxed);
        Ok(x.mapv(f64::exp))
    };
    let x = Array2::from_shape_fn((7, 4), |(i, j)| ((i * 3 + j * 5) % 8) as f64 / 4.0);
    let model = |x: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(x.into_dimensionality().unwrap().to_owned())
    };
    let model = Concurrent(&model);
    let run = |batch_size: usize| {
        let data = EvaluationData::new(x.view(), &[0; 7])
            .model(&model)
            .maps(x.view())
            .with(SecondMaps::from_fn(second.clone()))
            .batch_size(batch_size);
        let (a, b) = (InputInvariance::new(), EfficientRandomization::new());
        let values = xai_attribution::evaluate_together::<f64>(&[&a, &b], data).unwrap();
        let per_sample = values.into_iter().map(|value| value.per_sample);
        per_sample.collect::<Vec<_>>()
    };
    let whole = run(64);
    assert_eq!(seen.load(Ordering::Relaxed), 7);
    assert_eq!(run(2), whole);
    assert_eq!(seen.load(Ordering::Relaxed), 14);
}

/// Second maps that no memory holds: sample `i` is all of `i`, the last one no number.
struct Made;

impl Samples<f64> for Made {
    fn shape(&self) -> &[usize] {
        &[6, 2]
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, f64, IxDyn>, BoxError> {
        let value = |(i, _): (usize, usize)| match samples.start + i {
            5 => f64::NAN,
            sample => sample as f64,
        };
        let rows = Array2::from_shape_fn((samples.len(), 2), value);
        Ok(rows.into_dyn().into())
    }
}

#[test]
fn second_maps_are_read_a_batch_at_a_time() {
    let maps = Array2::from_elem((6, 2), 4.0);
    let data = EvaluationData::from_maps(maps.view())
        .with(SecondMaps::from_maps(Made))
        .batch_size(2);
    let stopped = InputInvariance::new().evaluate_on(data).unwrap_err();
    let error = stopped.error();
    assert_eq!(
        (error.input(), error.index()),
        (input::SECOND_MAPS, &[5, 0][..])
    );
    let done = &stopped.completed()[0].per_sample[..4];
    assert_eq!(done, [Some(1.0), Some(0.75), Some(0.5), Some(0.25)]);
}
