//! Pairwise metrics over the number of samples and of runs.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::Array2;
use std::hint::black_box;
use xai_core::{random_stream, uniform_index};
use xai_repro::agreement::Agreement;
use xai_repro::{ClassDistribution, PairMetric, PairwiseReproducibility, sample_labels};

fn predictions(k: usize, n: usize, classes: usize) -> Array2<u16> {
    let mut stream = random_stream(1, 0);
    Array2::from_shape_fn((k, n), |_| uniform_index(&mut stream, classes) as u16)
}

/// Seconds a pair, packing included, spread over many pairs.
fn pairs(c: &mut Criterion) {
    let mut group = c.benchmark_group("pairwise");
    let k = 40;
    group
        .sample_size(10)
        .throughput(Throughput::Elements((k * (k - 1) / 2) as u64));
    for n in [1_000, 10_000, 100_000] {
        let runs = predictions(k, n, 10);
        let labels = vec![0u16; n];
        for (name, metrics) in [
            ("errors", &PairMetric::ALL[..4]),
            ("kappa", &[PairMetric::PaKappa][..]),
            ("cramers_v", &[PairMetric::PaCramersV][..]),
        ] {
            let builder = PairwiseReproducibility::builder().metrics(metrics);
            group.bench_function(BenchmarkId::new(name, n), |b| {
                b.iter(|| builder.from_predictions(black_box(runs.view()), &labels));
            });
        }
    }
    group.finish();
}

/// One table a pair by class sets, by a square histogram and by sorting.
fn tables(c: &mut Criterion) {
    let mut group = c.benchmark_group("cramers_v_by_classes");
    group.sample_size(10);
    let labels = vec![0u16; 100_000];
    let builder = PairwiseReproducibility::builder().metrics(&[PairMetric::PaCramersV]);
    for classes in [2, 6, 12, 13, 50, 256, 1000] {
        let runs = predictions(10, 100_000, classes);
        group.bench_function(BenchmarkId::from_parameter(classes), |b| {
            b.iter(|| builder.from_predictions(black_box(runs.view()), &labels));
        });
    }
    group.finish();
}

fn across_runs(c: &mut Criterion) {
    let runs = predictions(20, 10_000, 10);
    c.bench_function("agreement/20x10000", |b| {
        b.iter(|| Agreement::of(black_box(runs.view())))
    });
}

fn simulators(c: &mut Criterion) {
    c.bench_function("class_distribution/step/50", |b| {
        let mut item = 0;
        b.iter(|| {
            item += 1;
            ClassDistribution::Step.draw(50, 1, item)
        });
    });
    let p = ClassDistribution::Uniform.draw(20, 1, 0).expect("classes");
    c.bench_function("sample_labels/20/1000", |b| {
        b.iter(|| sample_labels(black_box(&p), 1000, false, 1, 0));
    });
}

criterion_group!(repro, pairs, tables, across_runs, simulators);
criterion_main!(repro);
