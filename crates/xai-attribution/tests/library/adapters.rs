//! Models, explainers and samples behind pointers, from closures, and of another precision have the results of plain
//! ones.

use std::sync::Arc;

use ndarray::{Array2, ArrayD, ArrayViewD, Ix2, array};
use xai_attribution::metric::{AverageDrop, AverageStability, Deletion, Measure, MetricValue};
use xai_attribution::model::{
    BoxError, Concurrent, Converted, Explainer, Model, SinglePrecision, Targets, explainer_fn,
    explainer_fn_mut, model_fn, model_fn_mut, samples_from_slice, slice_explainer_fn,
    slice_model_fn, slice_model_fn_mut,
};
use xai_attribution::{Benchmark, ErrorKind, Evaluate, EvaluationData, input};

fn inputs() -> Array2<f64> {
    Array2::from_shape_fn((5, 4), |(i, j)| (1 + (3 * i + 5 * j) % 7) as f64 / 8.0)
}

fn maps() -> Array2<f64> {
    Array2::from_shape_fn((5, 4), |(i, j)| ((5 * i + 3 * j) % 11) as f64 / 3.0)
}

fn identity(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, BoxError> {
    Ok(batch.into_dimensionality::<Ix2>()?.to_owned())
}

fn squares(x: ArrayViewD<'_, f64>, _: &Targets) -> Result<ArrayD<f64>, BoxError> {
    Ok(x.mapv(|v| v * v))
}

fn deletion(model: &(impl Model<f64> + ?Sized)) -> MetricValue {
    let deletion = Deletion::new().steps(None).batch_size(2);
    let value = deletion.evaluate(model, inputs().view(), &[0, 1, 2, 3, 0], maps().view());
    value.unwrap()
}

#[test]
fn models_behind_pointers_and_from_closures_have_the_same_values() {
    let plain = deletion(&identity);
    let boxed: Box<dyn Model<f64>> = Box::new(identity);
    let shared: Arc<dyn Model<f64> + Send + Sync> = Arc::new(identity);
    let borrowed: &dyn Model<f64> = &identity;
    assert_eq!(deletion(&boxed), plain);
    assert_eq!(deletion(&*boxed), plain);
    assert_eq!(deletion(&borrowed), plain);
    assert_eq!(deletion(&shared), plain);
    assert_eq!(deletion(&Concurrent(&shared)), plain);
    assert_eq!(deletion(&model_fn(|batch| identity(batch))), plain);
    let mut n_calls = 0;
    let counting = model_fn_mut(|batch| {
        n_calls += 1;
        identity(batch)
    });
    assert_eq!(deletion(&counting), plain);
    assert!(n_calls > 0);
    let cell = std::cell::RefCell::new(0);
    let not_sync = |batch: ArrayViewD<'_, f64>| {
        *cell.borrow_mut() += 1;
        identity(batch)
    };
    assert_eq!(deletion(&not_sync), plain);
    let slices = slice_model_fn(|rows: &[f64], _: &[usize]| Ok(rows.to_vec()));
    assert_eq!(deletion(&slices), plain);
    let mut buffer = Vec::new();
    let with_buffer = slice_model_fn_mut(|rows: &[f64], _| {
        buffer.clear();
        buffer.extend_from_slice(rows);
        Ok(buffer.clone())
    });
    assert_eq!(deletion(&with_buffer), plain);
}

#[test]
fn explainers_behind_pointers_and_from_closures_have_the_same_values() {
    let stability = |explainer: &dyn Explainer<f64>| {
        let x = inputs();
        let value = AverageStability::new().evaluate_explainer(explainer, x.view(), &[0; 5]);
        value.unwrap()
    };
    let plain = stability(&squares);
    let boxed: Box<dyn Explainer<f64>> = Box::new(squares);
    assert_eq!(stability(&boxed), plain);
    assert_eq!(
        stability(&explainer_fn(|x, targets| squares(x, targets))),
        plain
    );
    let mut n_rows = 0;
    let counting = explainer_fn_mut(|x: ArrayViewD<'_, f64>, targets: &Targets| {
        n_rows += x.shape()[0];
        squares(x, targets)
    });
    assert_eq!(stability(&counting), plain);
    assert!(n_rows > 5);
    let slices = slice_explainer_fn(|rows: &[f64], _: &[usize], _: &Targets| {
        Ok(rows.iter().map(|x| x * x).collect())
    });
    assert_eq!(stability(&slices), plain);
}

#[test]
fn slices_are_samples() {
    let (x, maps) = (inputs(), maps());
    let slices = || {
        let of = |array| samples_from_slice(&[5, 4], array);
        (
            of(x.as_slice().unwrap()).unwrap(),
            of(maps.as_slice().unwrap()).unwrap(),
        )
    };
    let of_slices = AverageDrop::new().evaluate(&identity, slices().0, &[0; 5], slices().1);
    let plain = AverageDrop::new().evaluate(&identity, x.view(), &[0; 5], maps.view());
    assert_eq!(of_slices.unwrap(), plain.unwrap());
    let error = samples_from_slice(&[3, 4], x.as_slice().unwrap()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [3, 4]));
    // Outputs that are not the same number for each row.
    let uneven = slice_model_fn(|_: &[f64], _: &[usize]| Ok(vec![1.0; 7]));
    let error = AverageDrop::new().evaluate(&uneven, x.view(), &[0; 5], maps.view());
    assert_eq!(error.unwrap_err().error().input(), input::MODEL);
}

/// Maps in double precision that differ only beyond single precision still rank the features.
#[test]
fn a_model_of_single_precision_reads_maps_of_double_precision() {
    let single = |batch: ArrayViewD<'_, f32>| -> Result<Array2<f32>, BoxError> {
        let sums = batch.outer_iter().map(|row| row.sum()).collect();
        Ok(Array2::from_shape_vec((batch.shape()[0], 1), sums)?)
    };
    let x = array![[4.0_f32, 2.0]];
    let maps = array![[1.0, 1.0 + 1e-12]];
    let deletion = Deletion::new().steps(None);
    let wide = SinglePrecision(&single);
    let value = deletion.evaluate(&wide, Converted::new(x.view()), &[0], maps.view());
    assert_eq!(
        value.unwrap().value,
        f64::midpoint(6.0, 4.0) / 2.0 + f64::midpoint(4.0, 0.0) / 2.0
    );
    let concurrent = deletion.evaluate(
        &SinglePrecision(&Concurrent(&single)),
        Converted::new(x.view()),
        &[0],
        maps.view(),
    );
    assert_eq!(concurrent.unwrap().value, 3.5);
    // Rounded to single precision, they are tied, and the first feature goes first.
    let rounded = Converted::new(maps.view());
    let value = deletion.evaluate(&single, x.view(), &[0], rounded);
    assert_eq!(value.unwrap().value, 2.5);
}

#[test]
fn an_evaluation_may_own_its_model_inputs_maps_and_explainer() {
    let evaluation = || -> Benchmark<'static, f64> {
        let data = EvaluationData::new(inputs(), &[0; 5]).owned_model(identity);
        Benchmark::on(data)
            .maps("maps", maps())
            .owned_explainer("squares", squares)
            .metric(AverageDrop::new())
    };
    let table = evaluation().evaluate().unwrap();
    let (x, maps) = (inputs(), maps());
    let borrowed = Benchmark::new(&identity, x.view(), &[0; 5])
        .maps("maps", maps.view())
        .explainer("squares", &squares)
        .metric(AverageDrop::new());
    assert_eq!(table, borrowed.evaluate().unwrap());
    let owned = EvaluationData::new(inputs(), &[0; 5]).owned_explainer(squares);
    assert!(AverageStability::new().evaluate_on(owned).is_ok());
}

#[test]
fn boxed_metrics_cross_threads() {
    let metric: Box<dyn Measure<f64>> = Box::new(AverageDrop::new());
    let name = std::thread::spawn(move || metric.info().name).join();
    assert_eq!(name.unwrap(), "average-drop");
}
