//! Laws and edges of continuity, of attribution stability, and of ADCC: metrics that explain changed
//! images.

use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, Array3, Array4, ArrayD, ArrayViewD, Axis, array};
use proptest::prelude::*;
use xai_attribution::map::MapSimilarity;
use xai_attribution::metric::{Adcc, AttributionStability, Continuity, Measure};
use xai_attribution::model::{Concurrent, Targets};
use xai_attribution::perturbation::{
    Neighborhood, Neighbors, PrecomputedNeighbors, ShiftAxes, Shifts,
};
use xai_attribution::{
    Benchmark, ErrorKind, Evaluate, EvaluationData, EvaluationError, InputLayout, Result, help,
    input,
};
use xai_core::Input;

type Maps = Result<ArrayD<f64>, std::fmt::Error>;

/// Two classes: the sum of the elements, and its negative.
fn model(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    let rows = batch.outer_iter().flat_map(|x| [x.sum(), -x.sum()]);
    Ok(Array2::from_shape_vec((batch.shape()[0], 2), rows.collect()).unwrap())
}

fn squares(x: ArrayViewD<'_, f64>, _: &Targets) -> Maps {
    Ok(x.mapv(|v| v * v))
}

fn images() -> ArrayD<f64> {
    let value = |(i, r, c, k): (usize, usize, usize, usize)| {
        ((i * 7 + r * 3 + c * 5 + k * 2) % 11) as f64 / 4.0 + 0.25
    };
    Array4::from_shape_fn((5, 4, 6, 2), value).into_dyn()
}

fn per_sample(
    metric: &dyn Measure<f64>,
    x: &ArrayD<f64>,
    explainer: &(dyn Fn(ArrayViewD<'_, f64>, &Targets) -> Maps + Sync),
    batch_size: usize,
) -> Result<Vec<Option<f64>>> {
    let data = EvaluationData::new(x.view(), &vec![0u8; x.shape()[0]])
        .model(&model)
        .explainer(&explainer)
        .layout(InputLayout::ChannelsLast)
        .batch_size(batch_size);
    let value = metric
        .evaluate_on(data)
        .map_err(EvaluationError::into_error)?;
    Ok(value.per_sample)
}

fn metrics() -> Vec<Box<dyn Measure<f64>>> {
    let mut metrics: Vec<Box<dyn Measure<f64>>> =
        vec![Box::new(Continuity::new()), Box::new(Adcc::new())];
    for metric in AttributionStability::suite() {
        metrics.push(Box::new(metric));
    }
    metrics
}

#[test]
fn batches_do_not_show() {
    for metric in metrics() {
        let of = |size| per_sample(&*metric, &images(), &squares, size).unwrap();
        assert!(of(64).iter().all(Option::is_some), "{}", metric.info().name);
        assert_eq!(of(64), of(1), "{}", metric.info().name);
        assert_eq!(of(64), of(3), "{}", metric.info().name);
    }
}

#[test]
fn threads_do_not_show() {
    let (x, concurrent) = (images(), Concurrent(&model));
    for metric in metrics() {
        let data = EvaluationData::new(x.view(), &[0; 5])
            .model(&concurrent)
            .explainer(&squares)
            .layout(InputLayout::ChannelsLast)
            .batch_size(1);
        let values = metric.evaluate_on(data).unwrap().per_sample;
        let alone = per_sample(&*metric, &x, &squares, 64).unwrap();
        assert_eq!(values, alone, "{}", metric.info().name);
    }
}

#[test]
fn the_order_of_samples_does_not_show_where_nothing_is_random() {
    let x = images();
    let mut reversed = x.clone();
    reversed.invert_axis(Axis(0));
    let metrics: [&dyn Measure<f64>; 2] = [&Continuity::new(), &Adcc::new()];
    for metric in metrics {
        let mut values = per_sample(metric, &reversed, &squares, 2).unwrap();
        values.reverse();
        assert_eq!(values, per_sample(metric, &x, &squares, 64).unwrap());
    }
}

#[test]
fn an_explainer_that_answers_nan_on_a_changed_sample_is_named_with_the_sample() {
    let x = images();
    let known: Vec<f64> = x.index_axis(Axis(0), 3).iter().copied().collect();
    // NaN for whatever is made of sample 3 by changing it: its sum is near, its elements are others.
    let sum: f64 = known.iter().sum();
    let nan = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
        let mut maps = x.mapv(|v| v * v);
        for (mut map, x) in maps.outer_iter_mut().zip(x.outer_iter()) {
            let is_it = x.iter().zip(&known).all(|(a, b)| a == b);
            if (x.sum() - sum).abs() < 1e-6 && !is_it {
                map[[0, 0, 1]] = f64::NAN;
            }
        }
        Ok(maps)
    };
    let size = known.len();
    let mut noise = ArrayD::zeros(vec![1, 5, size]);
    noise[[0, 3, 0]] = 0.25;
    noise[[0, 3, 1]] = -0.25;
    let given = Neighbors {
        neighborhood: Neighborhood::Given,
        ..Neighbors::above(0.1)
    };
    let data = EvaluationData::new(x.view(), &[0; 5])
        .model(&model)
        .explainer(&nan)
        .with(PrecomputedNeighbors(noise))
        .layout(InputLayout::ChannelsLast)
        .batch_size(2);
    let metric = AttributionStability::new().neighbors(given);
    let error = metric.evaluate_on(data).unwrap_err().into_error();
    assert!(matches!(error.kind(), ErrorKind::NonFinite));
    assert_eq!(error.input(), input::EXPLANATIONS);
    assert_eq!(error.index(), [3, 0, 0, 1]);
    let owner = error.owner_name().unwrap();
    assert_eq!(owner, "sample 3 in neighbours of samples 2 to 3");
}

#[test]
fn an_explainer_that_fails_on_a_changed_sample_is_an_error() {
    let fails = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
        let whole = images();
        let is_known = |x: ArrayViewD<'_, f64>| whole.outer_iter().any(|known| known == x);
        match x.outer_iter().all(is_known) {
            true => squares(x, &Targets::Classes(Vec::new())),
            false => Err(std::fmt::Error),
        }
    };
    for metric in metrics() {
        let error = per_sample(&*metric, &images(), &fails, 64).unwrap_err();
        assert_eq!(error.input(), input::EXPLAINER, "{}", metric.info().name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// `a = w` of a linear model does not move with the input.
    #[test]
    fn maps_that_never_move_are_continuous(values in prop::collection::vec(-2.0..2.0f64, 36)) {
        let x = ArrayD::from_shape_vec(vec![1, 6, 6, 1], values).unwrap();
        let weights = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
            Ok(ArrayD::from_shape_fn(x.raw_dim(), |i| (i[1] * 5 + i[2]) as f64))
        };
        let of = |metric: &dyn Measure<f64>| per_sample(metric, &x, &weights, 64);
        prop_assert_eq!(of(&Continuity::new()).unwrap(), [Some(0.0)]);
        for metric in AttributionStability::suite() {
            // Where the sum is about 0 no neighbour may have its sign.
            if let Ok(values) = of(&metric) {
                prop_assert!((values[0].unwrap() - 1.0).abs() < 1e-12, "{:?}", values);
            }
        }
    }

    /// Of `c x` the quotient of norms is that of the input alone.
    #[test]
    fn continuity_has_the_unit_of_the_map(
        values in prop::collection::vec(-8i32..9, 30),
        by in 0u32..6,
    ) {
        let values = values.into_iter().map(f64::from).collect();
        let x = ArrayD::from_shape_vec(vec![1, 5, 6, 1], values).unwrap();
        let by = f64::from(1 << by);
        let scaled = move |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.mapv(|v| by * v)) };
        let same = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.to_owned()) };
        let metric = Continuity::new();
        let of_same = per_sample(&metric, &x, &same, 64);
        if let Ok(of_same) = of_same {
            let of_scaled = per_sample(&metric, &x, &scaled, 64).unwrap();
            prop_assert_eq!(of_scaled[0], of_same[0].map(|v| v * by));
            // |d|₁ is between |d|₂ and √30 |d|₂.
            prop_assert!((1.0 - 1e-12..=30f64.sqrt() + 1e-12).contains(&of_same[0].unwrap()));
        }
    }
}

/// By hand: one image of 2 × 3 pixels with two channels, every layout of it.
#[test]
fn shifts_move_all_channels_and_fill_with_the_smallest_value() {
    // Pixels (row, column), the second channel ten times the first.
    let first = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let last = Array4::from_shape_fn((1, 2, 3, 2), |(_, r, c, k)| {
        first[[r, c]] * if k == 0 { 1.0 } else { 10.0 }
    });
    let seen = std::sync::Mutex::new(Vec::new());
    let spy = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
        seen.lock().unwrap().push(x.to_owned());
        Ok(x.to_owned())
    };
    let right = Shifts {
        axes: ShiftAxes::Width,
        by: vec![1],
    };
    let of = |x: &ArrayD<f64>, layout: InputLayout, shifts: &Shifts| {
        seen.lock().unwrap().clear();
        let metric = Continuity::new().shifts(shifts.clone());
        let data = EvaluationData::new(x.view(), &[0])
            .explainer(&spy)
            .layout(layout);
        let value = metric.evaluate_on(data).unwrap().value;
        (seen.lock().unwrap()[1].clone(), value)
    };
    let (moved, value) = of(&last.clone().into_dyn(), InputLayout::ChannelsLast, &right);
    let channel = |moved: &ArrayD<f64>, k: usize| moved.index_axis(Axis(3), k).to_owned();
    assert_eq!(
        channel(&moved, 0),
        array![[[1.0, 1.0, 2.0], [1.0, 4.0, 5.0]]].into_dyn()
    );
    assert_eq!(
        channel(&moved, 1),
        array![[[1.0, 10.0, 20.0], [1.0, 40.0, 50.0]]].into_dyn()
    );
    let channels_first = last
        .permuted_axes([0, 3, 1, 2])
        .as_standard_layout()
        .to_owned();
    let (other, same) = of(
        &channels_first.into_dyn(),
        InputLayout::ChannelsFirst,
        &right,
    );
    assert_eq!(other.permuted_axes(vec![0, 2, 3, 1]), moved);
    // Up to the order of the terms.
    assert!((value - same).abs() < 1e-12);

    // A time series moves along time: two steps of three features.
    let series = first.insert_axis(Axis(0)).into_dyn();
    let back = Shifts {
        axes: ShiftAxes::Both,
        by: vec![-1],
    };
    let (moved, _) = of(&series, InputLayout::TimeSeries, &back);
    assert_eq!(moved, array![[[4.0, 5.0, 6.0], [1.0, 1.0, 1.0]]].into_dyn());
}

#[test]
fn shifts_that_show_nothing_are_refused() {
    let refused = |x: &ArrayD<f64>, axes: ShiftAxes, by: &[isize]| {
        let metric = Continuity::new().shifts(Shifts {
            axes,
            by: by.to_vec(),
        });
        per_sample(&metric, x, &squares, 64).unwrap_err()
    };
    let x = images();
    for by in [&[0][..], &[6], &[-6], &[1, 7], &[isize::MIN]] {
        let error = refused(&x, ShiftAxes::Width, by);
        assert_eq!(error.input(), input::SHIFTS);
        assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
    }
    // The height is 4, the width 6.
    assert_eq!(refused(&x, ShiftAxes::Both, &[4]).input(), input::SHIFTS);
    assert_eq!(refused(&x, ShiftAxes::Both, &[]).input(), input::SHIFTS);
    let table = Array2::ones((2, 3)).into_dyn();
    let error = refused(&table, ShiftAxes::Height, &[1]);
    assert_eq!(error.input(), input::SHIFT_AXES);
    assert_eq!(error.help(), Some(help::CHOOSE_LOCAL_LIPSCHITZ));
    let error = refused(&table, ShiftAxes::Both, &[1]);
    assert_eq!(error.input(), input::SHIFT_AXES);
    let series = Array3::ones((2, 5, 3)).into_dyn();
    let error = refused(&series, ShiftAxes::Width, &[1]);
    assert_eq!(error.input(), input::SHIFT_AXES);
    // A constant image is the same wherever it is moved.
    let constant = Array4::ones((1, 4, 4, 1)).into_dyn();
    let error = refused(&constant, ShiftAxes::Both, &[1]);
    assert_eq!(error.input(), input::VALUES);
}

#[test]
fn neighbours_of_another_prediction_are_left_out() {
    let x = array![[0.25, 0.5], [0.25, 0.5]].into_dyn();
    // Of the first sample both neighbours are another class, of the second the first of two is.
    let noise = array![[[-1.0, 0.0], [-1.0, 0.0]], [[0.0, -1.0], [1.0, 0.0]]].into_dyn();
    let given = Neighbors {
        neighborhood: Neighborhood::Given,
        ..Neighbors::above(0.1)
    };
    let metric = AttributionStability::new()
        .neighbors(given)
        .similarity(MapSimilarity::Spearman);
    let data = EvaluationData::new(x.view(), &[0, 0])
        .model(&model)
        .explainer(&squares)
        .with(PrecomputedNeighbors(noise));
    // (1/16, 1/4) and (25/16, 1/4): the order is reversed.
    let values = metric.evaluate_on(data).unwrap().per_sample;
    assert_eq!(values, [None, Some(-1.0)]);
}

#[test]
fn given_noise_is_of_one_draw_at_least_and_of_every_sample() {
    let x = array![[0.25, 0.5], [0.25, 0.5]].into_dyn();
    let given = Neighbors {
        neighborhood: Neighborhood::Given,
        ..Neighbors::above(0.1)
    };
    let metric = AttributionStability::new().neighbors(given);
    for (draws, n, fits) in [(0, 2, false), (1, 1, false), (1, 2, true)] {
        let noise = Array3::from_elem((draws, n, 2), 0.125).into_dyn();
        let data = EvaluationData::new(x.view(), &[0, 0])
            .model(&model)
            .explainer(&squares)
            .with(PrecomputedNeighbors(noise));
        match metric.evaluate_on(data) {
            Ok(value) => assert!(fits && value.per_sample.len() == 2),
            Err(stopped) => {
                let error = stopped.into_error();
                assert!(!fits && error.input() == input::NEIGHBORS, "{error}");
            }
        }
    }
}

#[test]
fn the_suite_explains_its_neighbours_once() {
    let seen = AtomicU64::new(0);
    let counted = |x: ArrayViewD<'_, f64>, targets: &Targets| -> Maps {
        seen.fetch_add(x.shape()[0] as u64, Ordering::Relaxed);
        squares(x, targets)
    };
    let x = images();
    let suite = AttributionStability::suite();
    let metrics: Vec<&dyn Measure<f64>> = suite.iter().map(|m| m as &dyn Measure<f64>).collect();
    let data = EvaluationData::new(x.view(), &[0; 5])
        .model(&model)
        .explainer(&counted)
        .layout(InputLayout::ChannelsLast);
    let values = xai_attribution::evaluate_together(&metrics, data).unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 5 * 21);
    for (metric, value) in suite.iter().zip(&values) {
        let alone = per_sample(metric, &x, &squares, 2).unwrap();
        assert_eq!(alone, value.per_sample);
    }
    let alone = per_sample(&AttributionStability::new(), &x, &squares, 64).unwrap();
    assert_eq!(alone, values[1].per_sample);
}

#[test]
fn inputs_that_attribution_stability_cannot_compare_are_named() {
    let table = array![[1.0, 2.0, 4.0]].into_dyn();
    let [structural, ..] = AttributionStability::suite();
    let ordered = AttributionStability::new();
    let error = per_sample(&structural, &table, &squares, 64).unwrap_err();
    assert_eq!(error.help(), Some(help::CHOOSE_SPEARMAN));
    assert_eq!(
        per_sample(&ordered, &table, &squares, 64).unwrap(),
        [Some(1.0)]
    );
    let none = AttributionStability::new().similarity(MapSimilarity::Jaccard { percent: 101 });
    let error = per_sample(&none, &table, &squares, 64).unwrap_err();
    assert_eq!(error.input(), Input::new("similarity"));
    // A constant map has no order; by structural similarity it stays what it is.
    let zeros = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.mapv(|_| 0.0)) };
    let error = per_sample(&AttributionStability::new(), &images(), &zeros, 64).unwrap_err();
    assert_eq!(error.input(), input::VALUES);
    let structural = AttributionStability::new().similarity(MapSimilarity::Ssim);
    let values = per_sample(&structural, &images(), &zeros, 64).unwrap();
    assert_eq!(values, [Some(1.0); 5]);
}

/// A comparison of tables by all metrics does not stop at those of images: they have no value there.
#[test]
fn metrics_of_explainers_take_tables_where_nothing_moves() {
    let x = Array2::from_shape_fn((4, 3), |(i, j)| ((i * 2 + j * 5) % 7) as f64 / 4.0 + 0.5);
    let data = || EvaluationData::new(x.view(), &[0; 4]).model(&model);
    let table = Benchmark::on(data())
        .explainer("squares", &squares)
        .metric(AttributionStability::new())
        .metric(Adcc::new())
        .evaluate()
        .unwrap();
    let of = |metric: &str| table.result("squares", metric).unwrap().value;
    assert!(of("attribution_stability").is_some() && of("adcc").is_some());
    let stopped = Continuity::new().evaluate_on(data().explainer(&squares));
    let stopped = stopped.unwrap_err();
    assert_eq!(stopped.error().input(), input::SHIFT_AXES);
    assert_eq!(stopped.error().help(), Some(help::CHOOSE_LOCAL_LIPSCHITZ));
}
