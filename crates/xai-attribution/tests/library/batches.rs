//! The rows of a call: how many where nobody says, and whether an answer depends on them.

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, array};
use xai_attribution::metric::{AverageDrop, Deletion, Insertion, MuFidelity};
use xai_attribution::model::{Concurrent, Counted, ModelCalls, rows_per_call};
use xai_attribution::perturbation::RemovalOrder;
use xai_attribution::{Benchmark, ErrorKind, Evaluate, EvaluationData, help, input};

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

/// As many rows as the budget holds: the samples of a batch too.
#[test]
fn large_rows_are_predicted_singly_and_small_ones_in_batches() {
    let largest = |width: usize, n: usize| {
        let largest = std::sync::atomic::AtomicUsize::new(0);
        let model = |batch: ArrayViewD<'_, f32>| -> Answer {
            let n = batch.shape()[0];
            largest.fetch_max(n, std::sync::atomic::Ordering::Relaxed);
            let first = batch.axis_iter(Axis(0)).map(|row| f64::from(row[0]));
            Ok(Array2::from_shape_vec((n, 1), first.collect()).unwrap())
        };
        let x = Array2::<f32>::from_elem((n, width), 1.0);
        let maps = Array2::from_shape_fn((n, width), |(_, column)| column as f32);
        let drop = AverageDrop::new().evaluate(&model, x.view(), &vec![0; n], maps.view());
        drop.unwrap();
        largest.into_inner()
    };
    assert_eq!(largest(3, 5000), 4096);
    assert_eq!(largest(3 << 20, 3), 2);
    assert_eq!([rows_per_call(0), rows_per_call(usize::MAX)], [4096, 1]);
}
