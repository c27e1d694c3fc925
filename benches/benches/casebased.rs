//! Benches of correspondence, of the workloads of the comparison with the peers, and of the growth of the time with
//! rows, features and neighbours.

mod share;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use ndarray::Array2;
use share::Group;
use std::hint::black_box;
use std::num::NonZero;
use xai_benches::limits::{Limit, Work};
use xai_casebased::search::distances;
use xai_casebased::{CaseExplainer, Distance, Engine, correspondence};
use xai_core::distance::{DistanceFunction, Mahalanobis};
use xai_core::parallel;
use xai_core::random::{random_stream, uniform};

/// Returns rows of independent normal features, the hardest case for a tree.
fn rows(n: usize, d: usize, item: u64) -> Array2<f64> {
    let mut stream = random_stream(1, item);
    Array2::from_shape_simple_fn((n, d), || {
        let (u, v) = (1.0 - uniform(&mut stream), uniform(&mut stream));
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    })
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

/// All distances between two sets of rows, computed together and pair by pair.
fn all_pairs(c: &mut Criterion) {
    let mut group = Group::new(c, "distances");
    group.sample_size(10);
    let names = "euclidean manhattan chebyshev minkowski:1 minkowski:2 minkowski:3 cosine correlation canberra \
                 braycurtis hamming";
    let mut all: Vec<Distance> = names
        .split_whitespace()
        .map(|name| name.parse().expect("a distance"))
        .collect();
    let to = rows(2_000, 64, 0);
    let mahalanobis = Mahalanobis::from_rows(to.view()).expect("independent features");
    all.push(Distance::Mahalanobis(mahalanobis));
    // With few rows, preparing each row takes most of the time.
    for n in [16, 500] {
        let from = rows(n, 64, 1);
        group.throughput(Throughput::Elements((n * to.nrows()) as u64));
        for distance in &all {
            group.bench_function(format!("{n}x2000x64/{distance}"), |b| {
                b.iter(|| distances(black_box(from.view()), to.view(), distance));
            });
        }
    }
    let from = rows(20, 64, 1);
    group.throughput(Throughput::Elements((from.nrows() * to.nrows()) as u64));
    for distance in &all {
        group.bench_function(format!("pair_by_pair/64/{distance}"), |b| {
            b.iter(|| {
                let rows = from.rows().into_iter();
                let row_sum = |row: ndarray::ArrayView1<'_, f64>| -> f64 {
                    let row = row.to_slice().expect("row-major");
                    let others = to.rows().into_iter();
                    others
                        .map(|other| distance.distance(row, other.to_slice().expect("row-major")))
                        .sum()
                };
                rows.map(row_sum).sum::<f64>()
            });
        });
    }
    // The time of whitening grows with the square of the number of features.
    let (from, to) = (rows(50, 2_000, 1), rows(2_500, 2_000, 0));
    let unit_covariance =
        Mahalanobis::from_covariance(Array2::eye(2_000).view()).expect("the unit matrix");
    let work = Work::new(Limit::Float64, from.len() * to.nrows());
    group.bench_work("50x2500x2000/euclidean", work, || {
        distances(black_box(from.view()), to.view(), &Distance::Euclidean)
    });
    let distance = Distance::Mahalanobis(unit_covariance);
    group.bench_function("50x2500x2000/mahalanobis", |b| {
        b.iter(|| distances(black_box(from.view()), to.view(), &distance));
    });
    group.bench_function("covariance/1000x300", |b| {
        let train = rows(1_000, 300, 0);
        b.iter(|| Mahalanobis::from_rows(black_box(train.view())));
    });
}

/// Nearest neighbours, with the sizes of the comparison with the peers.
fn nearest(c: &mut Criterion) {
    let mut group = Group::new(c, "nearest_batch");
    group.sample_size(10);
    for (name, n, d, queries) in [
        ("knn_5d", 56_959, 5, 2_000),
        ("knn_30d", 284_807, 30, 1_000),
        ("knn_784d", 60_000, 784, 256),
    ] {
        let train = rows(n, d, 0);
        let search = Engine::Auto
            .build(train.view(), Distance::Euclidean)
            .expect("finite rows");
        drop(train);
        let queries = rows(queries, d, 1);
        // The operations of a scan; a tree needs fewer.
        let work = Work::new(Limit::Float32, n * queries.len());
        group.bench_work(name, work, || {
            search.nearest_batch(black_box(queries.view()), 5)
        });
    }
}

/// The tree of the crate kiddo, which is not used, on the rows of `knn_5d`. It searches six neighbours, because ranking
/// ties needs one more than `k`. The ranking itself is not part of the time.
fn other_tree(c: &mut Criterion) {
    let points = |rows: &Array2<f64>| -> Vec<[f64; 5]> {
        rows.rows()
            .into_iter()
            .map(|row| std::array::from_fn(|i| row[i]))
            .collect()
    };
    let tree =
        ImmutableKdTree::<f64, 5>::new_from_slice(&points(&rows(56_959, 5, 0))).expect("a tree");
    let queries = points(&rows(2_000, 5, 1));
    let six = NonZero::new(6).expect("not 0");
    let mut group = c.benchmark_group("nearest_batch");
    group.throughput(Throughput::Elements(queries.len() as u64));
    group.bench_function("kiddo_5d_six", |b| {
        b.iter(|| {
            parallel::map_blocks(queries.len(), 32, |block| {
                let nearest = |query| {
                    tree.query(query)
                        .nearest_n::<SquaredEuclidean<f64>>(six)
                        .execute()
                };
                queries[block].iter().map(nearest).collect::<Vec<_>>()
            })
        });
    });
    group.finish();
}

/// Time of a query over the number of rows and neighbours, whose growth the documentation states.
fn growth(c: &mut Criterion) {
    const QUERIES: usize = 256;
    let mut group = c.benchmark_group("growth");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(QUERIES as u64));
    let mut bench = |name: String, engine: Engine, n: usize, d: usize, k: usize, distance| {
        let search = engine
            .build(rows(n, d, 0).view(), distance)
            .expect("finite rows");
        let queries = rows(QUERIES, d, 1);
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| search.nearest_batch(black_box(queries.view()), k));
        });
    };
    for n in [4_000, 16_000, 64_000, 256_000] {
        let (tree, scan) = (Engine::KdTree, Engine::BruteForce);
        bench(format!("tree/n={n}"), tree, n, 5, 5, Distance::Euclidean);
        bench(format!("filter/n={n}"), scan, n, 30, 5, Distance::Euclidean);
        bench(format!("direct/n={n}"), scan, n, 30, 5, Distance::Manhattan);
    }
    for k in [1, 10, 100, 1_000] {
        let (tree, scan) = (Engine::KdTree, Engine::BruteForce);
        bench(
            format!("tree/k={k}"),
            tree,
            64_000,
            5,
            k,
            Distance::Euclidean,
        );
        bench(
            format!("filter/k={k}"),
            scan,
            64_000,
            30,
            k,
            Distance::Euclidean,
        );
        bench(
            format!("direct/k={k}"),
            scan,
            64_000,
            30,
            k,
            Distance::Manhattan,
        );
    }
    for distance in [
        "cosine",
        "correlation",
        "chebyshev",
        "minkowski:2",
        "minkowski:3",
        "canberra",
        "braycurtis",
        "hamming",
    ] {
        let parsed = distance.parse().expect("a distance");
        bench(
            distance.to_owned(),
            Engine::BruteForce,
            16_000,
            30,
            5,
            parsed,
        );
    }
    group.finish();
}

fn explanations(c: &mut Criterion) {
    const QUERIES: usize = 2_000;
    let mut group = c.benchmark_group("explain_batch");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(QUERIES as u64));
    let (n, d) = (56_959, 5);
    let labels: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let train = rows(n, d, 0);
    let queries = rows(QUERIES, d, 1);
    for provenance in [true, false] {
        let builder = CaseExplainer::builder().provenance(provenance);
        let explainer = builder.fit(train.view(), &labels).expect("finite rows");
        let name = if provenance { "provenance" } else { "bare" };
        group.bench_function(name, |b| {
            b.iter(|| explainer.explain_batch(black_box(queries.view()), &[1usize; QUERIES]));
        });
    }
    group.bench_function("fit", |b| {
        b.iter(|| CaseExplainer::builder().fit(black_box(train.view()), &labels));
    });
    group.finish();
}

/// Fits of common sizes with the default engine.
fn fits(c: &mut Criterion) {
    let mut group = c.benchmark_group("fit");
    for (n, d) in [
        (150, 4),
        (5_000, 5),
        (5_000, 30),
        (5_000, 100),
        (20_000, 10),
        (50_000, 30),
    ] {
        let labels: Vec<usize> = (0..n).map(|i| i % 2).collect();
        let train = rows(n, d, 0);
        group.throughput(Throughput::Elements((n * d) as u64));
        group.bench_function(format!("{n}x{d}"), |b| {
            b.iter(|| CaseExplainer::builder().fit(black_box(train.view()), &labels));
        });
    }
    group.finish();
}

criterion_group!(
    casebased,
    correspondences,
    all_pairs,
    fits,
    nearest,
    other_tree,
    growth,
    explanations
);
criterion_main!(casebased);
