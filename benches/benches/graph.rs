//! Benches of graph metrics over size. The time per element should be constant, or grow with the logarithm of the size
//! for metrics that rank scores.

mod share;

use criterion::{Criterion, criterion_group, criterion_main};
use ndarray::{Array1, Array2};
use share::Group;
use std::hint::black_box;
use std::time::Duration;
use xai_benches::limits::{Limit, Work};
use xai_core::Activation;
use xai_core::output::arg_max_rows;
use xai_core::random::{random_stream, uniform};
use xai_graph::mask::MaskMetric;
use xai_graph::{
    FidelityMetric, ReturnType, UnfaithfulnessMetric, fidelity, ground_truth, input, unfaithfulness,
};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const N_CLASSES: usize = 10;

/// Returns the work of reading elements of a size in bytes once.
fn reads(elements: usize, bytes: usize) -> Work {
    Work::new(Limit::Read, elements * bytes)
}

fn scores(n: usize, item: u64) -> Array1<f32> {
    let mut stream = random_stream(1, item);
    (0..n).map(|_| uniform(&mut stream) as f32).collect()
}

fn outputs(n: usize, item: u64) -> Array2<f32> {
    let mut stream = random_stream(2, item);
    Array2::from_shape_fn((n, N_CLASSES), |_| 6.0 * uniform(&mut stream) as f32 - 3.0)
}

fn ground_truths(c: &mut Criterion) {
    let mut group = Group::new(c, "ground_truth");
    for n in SIZES.into_iter().chain([5_000_000]) {
        let (predicted, truth) = (scores(n, 0), scores(n, 1));
        group.bench_work(&format!("f32/{n}"), reads(2 * n, 4), || {
            ground_truth(black_box(predicted.view()), truth.view())
        });
        let (predicted64, truth64) = (predicted.mapv(f64::from), truth.mapv(f64::from));
        group.bench_work(&format!("f64/{n}"), reads(2 * n, 8), || {
            ground_truth(black_box(predicted64.view()), truth64.view())
        });
        // Only ten distinct scores, so that there are many ties.
        let tied = predicted.mapv(|x| (10.0 * x).floor() / 10.0);
        group.bench_work(&format!("f32_tied/{n}"), reads(2 * n, 4), || {
            ground_truth(black_box(tied.view()), truth.view())
        });
    }
}

fn divergences(c: &mut Criterion) {
    let mut group = Group::new(c, "unfaithfulness");
    for n in SIZES {
        let (full, kept) = (outputs(n, 0), outputs(n, 1));
        let work = reads(2 * n * N_CLASSES, 4);
        group.bench_work(&format!("logits/{n}"), work, || {
            unfaithfulness(black_box(full.view()), kept.view())
        });
        let softmax = |logits: &Array2<f32>| {
            let probabilities = Activation::Softmax.apply(logits.view());
            probabilities.expect("finite").mapv(|x| x as f32)
        };
        let (full_probs, kept_probs) = (softmax(&full), softmax(&kept));
        let metric = UnfaithfulnessMetric::new().return_type(ReturnType::Probs);
        group.bench_work(&format!("probs/{n}"), work, || {
            metric.evaluate(black_box(full_probs.view()), kept_probs.view())
        });
    }
}

fn fidelities(c: &mut Criterion) {
    let mut group = Group::new(c, "fidelity");
    for n in SIZES {
        let [full, kept, complement] = [0, 1, 2].map(|item| outputs(n, item));
        let work = reads(3 * n * N_CLASSES, 4);
        group.bench_work(&format!("outputs/{n}"), work, || {
            fidelity(black_box(&full), &kept, &complement)
        });
        let classes =
            |rows: &Array2<f32>| arg_max_rows(input::OUTPUTS, rows.view()).expect("finite");
        let labels = [&full, &kept, &complement].map(classes);
        group.bench_work(&format!("labels/{n}"), reads(3 * n, 8), || {
            fidelity(black_box(&labels[0]), &labels[1], &labels[2])
        });
        let metric = FidelityMetric::phenomenon(&labels[1]);
        group.bench_work(&format!("phenomenon/{n}"), work, || {
            metric.evaluate(black_box(&full), &kept, &complement)
        });
        group.bench_work(&format!("probabilities/{n}"), work, || {
            let views = [full.view(), kept.view(), complement.view()];
            let [full, kept, complement] = black_box(views);
            metric.evaluate_probabilities(full, kept, complement, ReturnType::Logits)
        });
    }
}

fn masks(c: &mut Criterion) {
    let mut group = Group::new(c, "edge_mask_properties");
    for n in SIZES {
        let n_nodes = n / 4;
        let mut stream = random_stream(3, 0);
        let mut node = || (uniform(&mut stream) * n_nodes as f64) as i64;
        let edges = Array2::from_shape_fn((2, n), |_| node());
        let mask = scores(n, 0);
        // An edge has a score and two nodes.
        group.bench_work(&format!("f32/{n}"), reads(n, 4 + 2 * 8), || {
            let metric = MaskMetric::new().threshold(0.5);
            metric.evaluate_edges(black_box(mask.view()), edges.view(), n_nodes)
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600));
    targets = ground_truths, divergences, fidelities, masks
}
criterion_main!(benches);
