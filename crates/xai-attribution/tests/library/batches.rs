//! The rows of a call: how many where nobody says, and whether an answer depends on them.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{Array2, ArrayD, ArrayView2, ArrayViewD, Axis, array};

use xai_attribution::masked::MaskedBenchmark;
use xai_attribution::metric::{
    AverageDrop, Complexity, Deletion, InputInvariance, Insertion, MuFidelity,
};
use xai_attribution::model::{
    BoxError, Concurrent, Counted, Model, ModelCalls, RowKind, SinglePrecision, Targets,
    rows_per_call,
};
use xai_attribution::perturbation::RemovalOrder;
use xai_attribution::side::SecondMaps;
use xai_attribution::{Benchmark, ErrorKind, Evaluate, EvaluationData, Real, help, input};

type Answer = Result<Array2<f64>, std::fmt::Error>;

/// Sums that are normalised over the batch, as in training mode.
fn normalised(batch: ArrayViewD<'_, f64>) -> Answer {
    let sums = batch.sum_axis(Axis(1)).insert_axis(Axis(1));
    let sums: Array2<f64> = sums.into_dimensionality().unwrap();
    let (mean, deviation) = (sums.mean().unwrap(), sums.std(0.0));
    Ok(sums.mapv(|x| 3.0 + (x - mean) / (deviation + 1e-5)))
}

/// Sums that differ in the last digits from one size of batch to another, as products in single precision do.
fn rounded(batch: ArrayViewD<'_, f64>) -> Answer {
    let error = 1.0 + 1e-5 * batch.shape()[0] as f64;
    let sums = batch.sum_axis(Axis(1)).insert_axis(Axis(1));
    Ok(sums.into_dimensionality::<ndarray::Ix2>().unwrap() * error)
}

fn table() -> ArrayD<f64> {
    array![[1.0, 2.0, 4.0], [3.0, 1.0, 0.5], [2.0, 2.0, 1.0]].into_dyn()
}

#[test]
fn batch_dependent_outputs_are_an_error_with_a_hint() {
    let x = table();
    let model = Concurrent(&normalised);
    let data = || {
        EvaluationData::new(x.view(), &[0; 3])
            .model(&model)
            .maps(x.view())
    };
    let errors = [
        AverageDrop::new().evaluate_on(data()),
        Deletion::new().evaluate_on(data()),
        // All of the baseline is one row many times, which tells nothing.
        Insertion::new()
            .order(RemovalOrder::Random { seed: 1 })
            .evaluate_on(data()),
        MuFidelity::new()
            .n_subsets(4)
            .evaluate_on(data().batch_size(2)),
    ]
    .map(|outcome| outcome.unwrap_err().into_error());
    for error in &errors {
        assert_eq!(
            (error.input(), error.help()),
            (input::MODEL, Some(help::EVALUATE_OR_ALLOW))
        );
        assert!(matches!(error.kind(), ErrorKind::Model { .. }));
    }
    assert_eq!(
        format!("{}; {}", errors[0].problem(), help::EVALUATE_OR_ALLOW),
        "model: failed on batch 0 (samples 0 to 2): output 0 of its first row is 4.388717292635002 in this \
         batch and 3 alone, as normalisation or dropout in training mode makes it; put the model in evaluation \
         mode, or allow it by allow_batch_dependence = true"
    );
    let allowed = AverageDrop::new().evaluate_on(data().allow_batch_dependence(true));
    assert!(allowed.is_ok());
    // One row at a time has no batch.
    assert!(AverageDrop::new().evaluate_on(data().batch_size(1)).is_ok());
    let one = x.slice_axis(Axis(0), (0..1).into());
    let value = Deletion::new().evaluate(&normalised, one.view(), &[0], one.view());
    assert_eq!(
        value.unwrap_err().error().help(),
        Some(help::EVALUATE_OR_ALLOW)
    );
}

#[test]
fn models_that_reject_single_rows_get_an_explanation() {
    let picky = |batch: ArrayViewD<'_, f64>| match batch.shape()[0] {
        1 => Err("more than 1 value per channel is needed"),
        n => Ok(Array2::<f64>::ones((n, 1))),
    };
    let x = table();
    let drop = AverageDrop::new();
    let stopped = drop
        .evaluate(&picky, x.view(), &[0; 3], x.view())
        .unwrap_err();
    assert_eq!(
        format!("{}; {}", stopped.error().problem(), help::EVALUATE_OR_ALLOW),
        "model: failed on batch 0 (samples 0 to 2): its first row alone, which shows whether answers depend on \
         the batch: more than 1 value per channel is needed; put the model in evaluation mode, or allow it by \
         allow_batch_dependence = true"
    );
    let drop = drop.allow_batch_dependence(true);
    assert!(drop.evaluate(&picky, x.view(), &[0; 3], x.view()).is_ok());
}

#[test]
fn rounding_is_tolerated_and_the_check_runs_once_for_all_metrics() {
    let x = table();
    let counted = Counted::new(&rounded);
    let table = Benchmark::new(&counted, x.view(), &[0; 3])
        .maps("a", x.view())
        .maps("b", x.view())
        .metric(AverageDrop::new())
        .metric(MuFidelity::new().n_subsets(4))
        .batch_size(2)
        .evaluate()
        .unwrap();
    let ModelCalls { calls, rows } = table.model_calls;
    let seen = ModelCalls {
        calls: calls + 1,
        rows: rows + 1,
    };
    assert_eq!(counted.calls(), seen);
}

/// A model of the first number of each row that records the largest call.
struct Recorder {
    largest: AtomicUsize,
    kind: Option<RowKind>,
}

impl Recorder {
    fn new(kind: Option<RowKind>) -> Self {
        let largest = AtomicUsize::new(0);
        Self { largest, kind }
    }
}

impl<T: Real> Model<T> for Recorder {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        let n = batch.shape()[0];
        self.largest.fetch_max(n, Ordering::Relaxed);
        let first = batch.outer_iter();
        let first = first.map(|row| row.first().unwrap().to_f64_exact());
        Ok(Array2::from_shape_vec((n, 1), first.collect())?)
    }

    fn row_kind(&self, shape: &[usize]) -> RowKind {
        self.kind.unwrap_or(RowKind::from_shape(shape))
    }
}

/// The largest call of a model by average drop, which makes calls of whole batches, and the recorded batch size.
fn largest_call<T: Real>(model: &dyn Model<T>, shape: &[usize]) -> Option<usize> {
    let x = ArrayD::from_elem(shape, T::ONE);
    let maps = ArrayD::from_shape_fn(shape, |at| T::from_f64_nearest(at[1] as f64));
    let drop = AverageDrop::new().evaluate(model, x, &vec![0; shape[0]], maps);
    drop.unwrap().batch_size
}

#[test]
fn the_default_batch_size_depends_on_the_shape_and_the_size_of_a_row() {
    let largest = |shape: &[usize]| {
        let model = Recorder::new(None);
        let recorded = largest_call::<f32>(&model, shape);
        (model.largest.into_inner(), recorded)
    };
    let (mib, rows) = (1 << 18, 20_000); // f32 per MiB
    // Tables: 16,384 rows, or 4 MiB, at least 64 rows up to 32 MiB.
    assert_eq!(largest(&[rows, 3]), (16_384, Some(16_384)));
    assert_eq!(largest(&[600, 2 * mib / 256]), (512, Some(512)));
    assert_eq!(largest(&[70, mib / 4]), (64, Some(64)));
    assert_eq!(largest(&[3, 12 * mib]), (2, Some(2)));
    // Series and images: 64 rows, 32 of more than 256 KiB, at most 32 MiB.
    assert_eq!(largest(&[100, 3, 2]), (64, Some(64)));
    assert_eq!(largest(&[100, 256, mib / 1024]), (64, Some(64)));
    assert_eq!(largest(&[40, 256, mib / 1024 + 1]), (32, Some(32)));
    assert_eq!(largest(&[3, 12, mib]), (2, Some(2)));
    assert_eq!(largest(&[2, 40, mib]), (1, Some(1)));
}

#[test]
fn the_default_batch_size_is_that_of_the_kind_that_a_model_declares() {
    let (tokens, on_gpu) = (Some(RowKind::Structured), Some(RowKind::Gpu));
    assert_eq!(
        largest_call::<f64>(&Recorder::new(tokens), &[100, 4]),
        Some(64)
    );
    assert_eq!(
        largest_call::<f64>(&Recorder::new(on_gpu), &[600, 4]),
        Some(512)
    );
    assert_eq!(rows_per_call(RowKind::Gpu, 1 << 20), 256);
    let model = Recorder::new(tokens);
    let (concurrent, counted) = (Concurrent(&model), Counted::new(&model));
    let boxed: Box<dyn Model<f64>> = Box::new(Recorder::new(tokens));
    let wrapped: [&dyn Model<f64>; 4] = [&concurrent, &counted, &SinglePrecision(&model), &boxed];
    for model in wrapped {
        assert_eq!(largest_call(model, &[100, 4]), Some(64));
    }
}

#[test]
fn results_record_the_batch_size_of_calls() {
    let (x, maps) = (
        ArrayD::<f64>::ones(vec![100, 3, 2]),
        ArrayD::ones(vec![100, 3, 2]),
    );
    let explainer = |batch: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, BoxError> {
        assert!(batch.shape()[0] <= 64);
        Ok(batch.to_owned())
    };
    let data = || EvaluationData::new(x.view(), &[0; 100]);
    let explained = Benchmark::on(data())
        .explainer("a", &explainer)
        .metric(Complexity::new());
    assert_eq!(explained.evaluate().unwrap().batch_size, Some(64));
    let second = Benchmark::on(data().with(SecondMaps::from_fn(explainer)))
        .maps("a", maps.view())
        .metric(InputInvariance::new());
    assert_eq!(second.evaluate().unwrap().batch_size, Some(64));
    // Nothing is called.
    let stored = Benchmark::on(data())
        .maps("a", maps.view())
        .metric(Complexity::new());
    assert_eq!(stored.evaluate().unwrap().batch_size, None);
    let model = Recorder::new(None);
    let chosen = Deletion::new()
        .batch_size(7)
        .evaluate(&model, x.view(), &[0; 100], maps.view());
    assert_eq!(chosen.unwrap().batch_size, Some(7));
}

#[test]
fn masked_models_get_one_batch_size_for_all_numbers_of_features() {
    let largest = AtomicUsize::new(0);
    let model = |samples: &[usize], _: ArrayView2<'_, bool>| -> Result<Array2<f64>, BoxError> {
        largest.fetch_max(samples.len(), Ordering::Relaxed);
        Ok(Array2::ones((samples.len(), 1)))
    };
    let n_features: Vec<usize> = (0..200).map(|sample| 2 + sample % 2).collect();
    let maps: Vec<Vec<f64>> = n_features.iter().map(|&n| vec![1.0; n]).collect();
    let values = |batch_size: Option<usize>| {
        MaskedBenchmark::new(&model, &n_features)
            .maps("a", &maps)
            .values(|evaluation, _| evaluation.metric(Deletion::new()).batch_size(batch_size))
            .unwrap()
    };
    assert_eq!(
        (values(None).batch_size, largest.load(Ordering::Relaxed)),
        (Some(64), 64)
    );
    assert_eq!(values(Some(80)).batch_size, Some(80));
}
