//! One thread equals many, bit for bit.
#![cfg(feature = "rayon")]

use ndarray::{Array2, ArrayD, ArrayViewD};
use xai_attribution::metric::{
    AverageDrop, Deletion, FFidelity, Infidelity, Insertion, MonotonicityCorrelation, MuFidelity,
    Perturbation, PredictionGapImportant, Road, RoadOf, SensitivityN,
};
use xai_attribution::model::Concurrent;
use xai_attribution::perturbation::Baseline;
use xai_attribution::{Activation, Benchmark, Evaluate};
use xai_core::random::{random_stream, uniform};

/// Runs on pools of 1, 2, 3 and 8 threads and expects one result.
fn on_any_number_of_threads<T: PartialEq + std::fmt::Debug + Send>(work: impl Fn() -> T + Sync) {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool").install(&work)
    };
    let alone = on(1);
    for threads in [2, 3, 8] {
        assert_eq!(on(threads), alone, "{threads} threads");
    }
}

/// A model whose rows depend on their batch, as those of matrix products in single precision do:
/// the batches have to be the same ones on any number of threads.
fn fickle(batch: ArrayViewD<'_, f32>) -> Result<Array2<f32>, std::fmt::Error> {
    let n = batch.shape()[0];
    let rows = batch.outer_iter().flat_map(|x| {
        let sum = x.sum() * (1.0 + n as f32 * 1e-7);
        [sum, x.iter().map(|v| v * v).sum::<f32>()]
    });
    Ok(Array2::from_shape_vec((n, 2), rows.collect()).unwrap())
}

#[test]
fn an_evaluation_of_a_concurrent_model() {
    let array = |item: u64| {
        let mut stream = random_stream(5, item);
        ArrayD::from_shape_fn(vec![70, 2, 9, 8], |_| uniform(&mut stream) as f32)
    };
    let (x, a, b) = (array(0), array(1), array(2));
    let y = Array2::from_shape_fn((70, 2), |(i, c)| if c == 0 { 1.0 } else { i as f64 / 70.0 });
    let model = Concurrent(&fickle);
    on_any_number_of_threads(|| {
        Benchmark::new(&model, x.view(), &y)
            .activation(Activation::Sigmoid)
            .layout(xai_attribution::InputLayout::ChannelsFirst)
            .batch_size(16)
            .replicates(100)
            .maps("a", a.view())
            .maps("b", b.view())
            .metric(AverageDrop::default())
            .metric(Deletion::new().baseline(Baseline::DatasetMean))
            .metric(
                Insertion::new()
                    .steps(None)
                    .baseline(Baseline::Blur { sigma: 1.5 }),
            )
            .metric(MuFidelity::new().n_subsets(25))
            .metric(SensitivityN::new().n_subsets(5))
            .metric(Road::new().percentages(&[20.0, 80.0]).of(RoadOf::Score))
            .metric(Infidelity::new().perturbation(Perturbation::Gaussian { sigma: 0.1 }))
            .metric(MonotonicityCorrelation::new().n_values(2))
            .metric(PredictionGapImportant::new())
            .metric(FFidelity::new().n_draws(2))
            .evaluate()
            .unwrap()
    });
    on_any_number_of_threads(|| {
        let deletion = Deletion::new()
            .steps(None)
            .layout(xai_attribution::InputLayout::ChannelsFirst);
        deletion.evaluate(&model, x.view(), &y, a.view()).unwrap()
    });
}
