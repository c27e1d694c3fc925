//! Metrics of counterfactuals: 1,000 queries with four counterfactuals each, and 10,000 training rows of 20 columns.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ndarray::{Array2, Axis};
use xai_benches::rows::normals;
use xai_core::describe::Setting;
use xai_counterfactual::{CounterfactualData, Reference, Schema, input, registry};

const COLUMNS: usize = 20;

/// Metrics with their settings. Those of nearest rows search anew in every iteration, engines included.
const METRICS: &[&str] = &[
    "proximity(distance=gower)",
    "proximity(distance=euclidean)",
    "proximity(distance=mad)",
    "proximity(distance=mahalanobis)",
    "sparsity",
    "diversity",
    "dpp-diversity",
    "nearest-distance",
    "nearest-distance(among=all, distance=euclidean)",
    "ynn",
    "local-outlier-factor",
    "connectedness",
    "relative-distance",
    "neighbor-ratio",
    "trust-score",
    "discriminative-power",
    "set-distance",
    "redundancy",
];

fn metrics(c: &mut Criterion) {
    let (n, m, t) = (1_000, 4_000, 10_000);
    let train = normals(t, COLUMNS, 0);
    let labels: Vec<i64> = train
        .rows()
        .into_iter()
        .map(|row| i64::from(row[0] > 0.0))
        .collect();
    let queries = normals(n, COLUMNS, 1);
    let query: Vec<usize> = (0..m).map(|row| row / 4).collect();
    let rows: Array2<f64> = queries.select(Axis(0), &query) + 0.3 * normals(m, COLUMNS, 2);
    let mut group = c.benchmark_group("counterfactual");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(m as u64));
    for metric in METRICS {
        let setting: Setting = metric.parse().expect("a metric with settings");
        group.bench_function(*metric, |b| {
            b.iter(|| {
                let schema = Schema::numeric(COLUMNS);
                let reference = Reference::new(schema, train.view(), Some(&labels))?;
                let data = CounterfactualData::new(
                    reference.schema(),
                    queries.view(),
                    rows.view(),
                    &query,
                )?
                .reference(&reference)?
                .classes(input::CLASS, &vec![0; n])?
                .classes(input::PREDICTED, &vec![1; m])?
                .others(rows.view(), &query)?
                .model(|rows| {
                    Ok(rows
                        .rows()
                        .into_iter()
                        .map(|row| i64::from(row[0] > 0.0))
                        .collect())
                });
                black_box(registry::evaluate(&setting, &data))
            });
        });
    }
    group.finish();
}

criterion_group!(counterfactual, metrics);
criterion_main!(counterfactual);
