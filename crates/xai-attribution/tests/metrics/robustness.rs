//! Laws of the metrics of explainers under noise, and their edges.

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, array};
use xai_attribution::map::MapDistance;
use xai_attribution::metric::{
    AverageStability, Complexity, LocalLipschitz, MaximumStability, Measure, NonzeroFeatures,
    RelativeInputStability, RelativeOutputStability, RelativeRepresentationStability, Sparseness,
};
use xai_attribution::model::Targets;
use xai_attribution::perturbation::{
    Neighborhood, Neighbors, PrecomputedNeighbors, Representation,
};
use xai_attribution::{Evaluate, EvaluationData, Result, input};
use xai_core::Input;

type Maps = Result<ArrayD<f64>, std::fmt::Error>;

/// Two classes: the sum of the features, and its negative.
fn model(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    let rows = batch.outer_iter().flat_map(|x| [x.sum(), -x.sum()]);
    Ok(Array2::from_shape_vec((batch.shape()[0], 2), rows.collect()).unwrap())
}

fn squares(batch: ArrayViewD<'_, f64>, _: &Targets) -> Maps {
    Ok(batch.mapv(|x| x * x))
}

fn inputs() -> Array2<f64> {
    Array2::from_shape_fn((7, 3), |(i, j)| (i * 3 + j) as f64 / 4.0 + 0.5)
}

fn per_sample(
    metric: &dyn Measure<f64>,
    x: &Array2<f64>,
    explainer: &(dyn Fn(ArrayViewD<'_, f64>, &Targets) -> Maps + Sync),
    batch_size: usize,
    noise: Option<ArrayD<f64>>,
) -> Result<Vec<Option<f64>>> {
    let targets = vec![0u8; x.nrows()];
    let layer = Representation::from_fn(|batch: ArrayViewD<'_, f64>| {
        Ok::<_, std::fmt::Error>(
            batch
                .sum_axis(Axis(1))
                .insert_axis(Axis(1))
                .into_dimensionality()
                .unwrap(),
        )
    });
    let data = EvaluationData::new(x.view(), &targets)
        .model(&model)
        .explainer(&explainer)
        .with(layer)
        .batch_size(batch_size);
    let data = match noise {
        Some(noise) => data.with(PrecomputedNeighbors(noise)),
        None => data,
    };
    let value = metric
        .evaluate_on(data)
        .map_err(xai_attribution::EvaluationError::into_error)?;
    Ok(value.per_sample)
}

fn metrics() -> [Box<dyn Measure<f64>>; 5] {
    [
        Box::new(LocalLipschitz::new()),
        Box::new(RelativeInputStability::new()),
        Box::new(RelativeOutputStability::new()),
        Box::new(RelativeRepresentationStability::new()),
        Box::new(
            AverageStability::new()
                .distance(MapDistance::Relative)
                .same_prediction(true),
        ),
    ]
}

#[test]
fn batches_do_not_show() {
    let x = inputs();
    for metric in metrics() {
        let of = |size| per_sample(&*metric, &x, &squares, size, None).unwrap();
        assert_eq!(of(64), of(1), "{}", metric.info().name);
        assert_eq!(of(64), of(5), "{}", metric.info().name);
    }
}

#[test]
fn a_map_that_never_moves_is_perfectly_stable() {
    let constant = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.mapv(|_| 2.0)) };
    for metric in metrics() {
        let values = per_sample(&*metric, &inputs(), &constant, 64, None).unwrap();
        assert!(
            values.iter().all(|&v| v == Some(0.0)),
            "{}",
            metric.info().name
        );
    }
}

#[test]
fn a_map_of_zeros_has_no_relative_change() {
    let zeros = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps { Ok(x.mapv(|_| 0.0)) };
    for metric in &metrics()[1..] {
        let error = per_sample(&**metric, &inputs(), &zeros, 64, None).unwrap_err();
        assert_eq!(error.input(), input::VALUES, "{}", metric.info().name);
    }
}

/// Of the first sample every neighbour is another class, of the second one of two.
#[test]
fn neighbours_of_another_prediction_are_left_out() {
    let x = array![[0.25, 0.25], [0.25, 0.25]];
    let noise = array![[[-1.0, 0.0], [-1.0, 0.0]], [[0.0, -1.0], [0.5, 0.0]]].into_dyn();
    let given = Neighbors {
        neighborhood: Neighborhood::Given,
        ..Neighbors::above(0.1)
    };
    let metric = RelativeInputStability::new().neighbors(given);
    let values = per_sample(&metric, &x, &squares, 64, Some(noise.clone())).unwrap();
    // e = (1, 1)/16, e' = (9, 1)/16: |e − e'|/|e| = 8/√2; |x − x'|/|x| = ½ / (√2/4).
    let expected = (8.0 / 2f64.sqrt()) / (0.5 / (2f64.sqrt() / 4.0));
    assert_eq!(values[0], None);
    assert!((values[1].unwrap() - expected).abs() < 1e-12);
    let all = metric.same_prediction(false);
    let all = per_sample(&all, &x, &squares, 64, Some(noise)).unwrap();
    assert!(all[0].is_some());
}

/// A neighbour that is the sample has no quotient.
#[test]
fn a_neighbour_that_is_the_sample_is_skipped() {
    let x = array![[1.0, 2.0], [1.0, 2.0]];
    let noise = array![[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]].into_dyn();
    let metric = LocalLipschitz::new().neighbors(Neighbors {
        neighborhood: Neighborhood::Given,
        ..Neighbors::above(0.1)
    });
    let values = per_sample(&metric, &x, &squares, 64, Some(noise)).unwrap();
    assert_eq!(values, [None, Some(3.0)]);
}

#[test]
fn errors_on_neighbours_are_named() {
    let x = inputs();
    let given = Neighbors {
        neighborhood: Neighborhood::Given,
        ..Neighbors::above(0.1)
    };
    let missing = LocalLipschitz::new().neighbors(given);
    let error = per_sample(&missing, &x, &squares, 64, None).unwrap_err();
    assert_eq!(error.input(), input::NEIGHBORS);
    let shape = ArrayD::zeros(vec![2, 7, 4]);
    let error = per_sample(&missing, &x, &squares, 64, Some(shape)).unwrap_err();
    assert_eq!(error.input(), input::NEIGHBORS);
    // The explainer answers NaN beside the samples.
    let fails = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
        Ok(x.mapv(|v| {
            if (v * 4.0).fract() == 0.0 {
                v
            } else {
                f64::NAN
            }
        }))
    };
    for metric in metrics() {
        let error = per_sample(&*metric, &x, &fails, 64, None).unwrap_err();
        assert_eq!(error.input(), input::EXPLANATIONS, "{}", metric.info().name);
    }
    // So does a layer, of sample 4 alone.
    let layer = Representation::from_fn(|batch: ArrayViewD<'_, f64>| {
        let of = |x: ArrayViewD<'_, f64>| if x[0] == 3.5 { f64::NAN } else { x[0] };
        let values = batch.outer_iter().map(of).collect();
        Array2::from_shape_vec((batch.shape()[0], 1), values)
    });
    let data = EvaluationData::new(x.view(), &[0; 7])
        .model(&model)
        .explainer(&squares)
        .with(layer)
        .batch_size(3);
    let metric = RelativeRepresentationStability::new();
    let error = metric.evaluate_on(data).unwrap_err().into_error();
    assert_eq!(
        (error.input(), error.index()),
        (input::REPRESENTATION, &[4, 0][..])
    );
    let floor = RelativeInputStability::new().floor(0.0);
    let error = per_sample(&floor, &x, &squares, 64, None).unwrap_err();
    assert_eq!(error.input(), Input::new("floor"));
}

/// An explainer that always answers with zeros says nothing: it is neither the most stable nor the simplest.
#[test]
fn maps_of_zeros_have_no_stability_and_no_complexity() {
    let silent = |x: ArrayViewD<'_, f64>, _: &Targets| -> Maps {
        // The first two samples are explained, the others are not.
        let mut maps = x.to_owned();
        maps.mapv_inplace(|v| if v < 2.0 { v } else { 0.0 });
        Ok(maps)
    };
    let x = inputs();
    let near = Neighbors {
        radius: 1e-6,
        ..Neighbors::above(0.1)
    };
    let metrics: [&dyn Measure<f64>; 3] = [
        &AverageStability::new().neighbors(near),
        &MaximumStability::default().neighbors(near),
        &LocalLipschitz::new().neighbors(near),
    ];
    for metric in metrics {
        let values = per_sample(metric, &x, &silent, 4, None).unwrap();
        let defined: Vec<bool> = values.iter().map(Option::is_some).collect();
        assert_eq!(defined, [true, true, false, false, false, false, false]);
    }
    let maps = array![[1.0, -1.0], [0.0, 0.0]];
    let simple: [&dyn Measure<f64>; 3] = [&Complexity, &Sparseness, &NonzeroFeatures::new()];
    for metric in simple {
        let value = metric
            .evaluate_on(EvaluationData::from_maps(maps.view()))
            .unwrap();
        assert!(value.per_sample[0].is_some() && value.per_sample[1].is_none());
        assert_eq!(value.n_undefined, 1);
    }
}
