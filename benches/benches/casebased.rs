//! Correspondence alone, and explanations over training size, dimension and neighbours.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::Array2;
use std::hint::black_box;
use xai_casebased::{CaseExplainer, Metric, correspondence};
use xai_core::{random_stream, uniform};

fn rows(n: usize, d: usize, item: u64) -> Array2<f64> {
    let mut stream = random_stream(1, item);
    Array2::from_shape_fn((n, d), |_| uniform(&mut stream) - 0.5)
}

fn correspondences(c: &mut Criterion) {
    let mut group = c.benchmark_group("correspondence");
    for k in [5, 50] {
        let distances: Vec<f64> = (0..k).map(f64::from).collect();
        let labels: Vec<i32> = (0..k).map(|i| i % 3).collect();
        group.bench_function(BenchmarkId::from_parameter(k), |b| {
            b.iter(|| correspondence(black_box(&distances), &labels, 1));
        });
    }
    group.finish();
}

fn explanations(c: &mut Criterion) {
    const QUERIES: usize = 100;
    let mut group = c.benchmark_group("explain_batch");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(QUERIES as u64));
    let mut bench = |n: usize, d: usize, k: usize, metric: Metric| {
        let train = rows(n, d, 0);
        let labels: Vec<usize> = (0..n).map(|i| i % 2).collect();
        let name = format!("{n}x{d}/k={k}/{metric:?}");
        let explainer = CaseExplainer::builder()
            .k(k)
            .metric(metric)
            .fit(train.view(), &labels)
            .expect("finite rows");
        let queries = rows(QUERIES, d, 1);
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| explainer.explain_batch(black_box(queries.view()), &[1usize; QUERIES]));
        });
    };
    for n in [1_000, 10_000, 100_000] {
        bench(n, 10, 5, Metric::Euclidean);
    }
    for d in [2, 100] {
        bench(10_000, d, 5, Metric::Euclidean);
    }
    bench(10_000, 10, 100, Metric::Euclidean);
    bench(10_000, 10, 5, Metric::Manhattan);
    group.finish();
}

criterion_group!(casebased, correspondences, explanations);
criterion_main!(casebased);
