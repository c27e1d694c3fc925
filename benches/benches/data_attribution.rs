//! Benches of training-data attribution, with 1 000 test cases and 50 000 training cases. Metrics that read each
//! attribution once are limited by memory. The sums over subsets are a matrix product.

mod share;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::{Array2, ArrayView2};
use share::Group;
use std::hint::black_box;
use xai_benches::limits::{Limit, Work};
use xai_casebased::data_attribution::{
    AttributionData, AttributionRows, Outcome, Subsets, evaluate_all,
};
use xai_casebased::input;
use xai_core::Direction;
use xai_core::describe::Settings;
use xai_core::evaluation::{EvaluationValues, MetricValues, Statistics};
use xai_core::random::{random_stream, uniform};

const N_TEST: usize = 1_000;
const N_TRAIN: usize = 50_000;
const N_SUBSETS: usize = 100;

/// Inputs of the metrics besides the attributions.
struct SideInputs {
    labels: Vec<i64>,
    classes: Vec<i64>,
    flags: Vec<bool>,
    relevant: Array2<bool>,
    subsets: Subsets,
    outputs: Array2<f64>,
}

fn uniforms(rows: usize, columns: usize, item: u64) -> Array2<f64> {
    let mut stream = random_stream(1, item);
    Array2::from_shape_simple_fn((rows, columns), || uniform(&mut stream) - 0.5)
}

impl SideInputs {
    fn new() -> Self {
        let half = uniforms(N_SUBSETS, N_TRAIN, 1).mapv(|value| value > 0.0);
        Self {
            labels: (0..N_TRAIN as i64).map(|i| i * 7919 % 10).collect(),
            classes: (0..N_TEST as i64).map(|t| t % 10).collect(),
            flags: (0..N_TRAIN).map(|i| i % 20 == 0).collect(),
            relevant: Array2::from_shape_fn((N_TEST, N_TRAIN), |(t, i)| (i + t) % 5_000 == 0),
            subsets: Subsets::from_mask(half.view()),
            outputs: uniforms(N_SUBSETS, N_TEST, 2),
        }
    }

    fn evaluate(
        &self,
        attributions: impl AttributionRows,
        random: ArrayView2<'_, f64>,
        metrics: &Settings,
    ) -> Vec<Outcome> {
        let data = AttributionData::new(attributions)
            .random_attributions(random)
            .with(input::TRAIN_LABELS, &self.labels)
            .with(input::TEST_CLASSES, &self.classes)
            .with(input::FLAGS, &self.flags)
            .with(input::RELEVANT, self.relevant.view())
            .with(input::SUBSETS, &self.subsets)
            .with(input::OUTPUTS, self.outputs.view());
        evaluate_all(&data, &metrics.0).expect("inputs that fit")
    }
}

fn metrics(c: &mut Criterion) {
    let mut group = Group::new(c, "data_attribution");
    group.sample_size(10);
    let (sides, tau) = (SideInputs::new(), uniforms(N_TEST, N_TRAIN, 0));
    let (random, single) = (uniforms(N_TEST, N_TRAIN, 3), tau.mapv(|value| value as f32));
    let bytes = N_TEST * N_TRAIN * size_of::<f64>();
    let read = Work::new(Limit::Read, bytes);
    for name in [
        "class-detection(k=10)",
        "class-detection(k=100)",
        "top-k-cardinality(k=10)",
        "mean-reciprocal-rank",
        "recall-at-k(k=10)",
        "class-recall",
        "class-auroc",
        "shortcut-detection",
        "class-detection(k=10), top-k-cardinality(k=10), recall-at-k(k=10), mean-reciprocal-rank",
    ] {
        let metrics = name.parse().expect("metrics");
        group.bench_work(name, read, || {
            sides.evaluate(black_box(tau.view()), random.view(), &metrics)
        });
    }
    let metrics = "class-detection(k=10)".parse().expect("metrics");
    let halved = Work::new(Limit::Read, bytes / 2);
    group.bench_work("f32/class-detection(k=10)", halved, || {
        sides.evaluate(black_box(single.view()), random.view(), &metrics)
    });
    let metrics = "attribution-randomization".parse().expect("metrics");
    group.bench_work(
        "attribution-randomization",
        Work::new(Limit::Read, 2 * bytes),
        || sides.evaluate(black_box(tau.view()), random.view(), &metrics),
    );
    let metrics = "linear-datamodeling-score".parse().expect("metrics");
    let products = Work::new(Limit::Float64, N_TEST * N_TRAIN * N_SUBSETS);
    group.bench_work("linear-datamodeling-score", products, || {
        sides.evaluate(black_box(tau.view()), random.view(), &metrics)
    });
}

/// Bootstrap intervals over up to a million test cases, with few replicates to keep the bench short.
fn intervals(c: &mut Criterion) {
    let mut group = c.benchmark_group("intervals");
    group.sample_size(10);
    let statistics = Statistics {
        replicates: 20,
        ..Statistics::default()
    };
    for n in [1_000, 100_000, 1_000_000] {
        let scores = uniforms(2, n, 4);
        let per_sample = scores
            .outer_iter()
            .map(|row| row.iter().copied().map(Some).collect())
            .collect();
        let metric = MetricValues::new("score", Direction::Higher, per_sample);
        let values = EvaluationValues::new(["a", "b"], n, vec![metric]);
        group.throughput(Throughput::Elements((n * statistics.replicates) as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| black_box(&values).table(&statistics));
        });
    }
    group.finish();
}

criterion_group!(benches, metrics, intervals);
criterion_main!(benches);
