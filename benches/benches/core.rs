//! Benches of `xai-core`: exact sums, checks for finite numbers, activations, sorts and random streams.
//!
//! Exact sums are compared with a plain loop, which rounds after every term.

mod share;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::{Array1, Array2};
use share::Group;
use std::hint::black_box;
use xai_benches::limits::{Limit, Work};
use xai_core::Real;
use xai_core::number::{OrderKey, check_finite, sort_indexed, sort_keys};
use xai_core::random::{random_stream, uniform};
use xai_core::{Activation, ExactSum, input};

fn values(n: usize) -> Vec<f64> {
    let mut stream = random_stream(1, 0);
    (0..n).map(|_| uniform(&mut stream) - 0.5).collect()
}

fn sums(c: &mut Criterion) {
    let mut group = Group::new(c, "sum");
    for n in [1_000, 1_000_000] {
        let terms = values(n);
        let work = Work::new(Limit::Read, 8 * n).on_one_core();
        group.bench_work(&format!("exact/{n}"), work, || {
            let mut sum = ExactSum::new();
            sum.add_slice(black_box(&terms));
            sum.value()
        });
        group.bench_work(&format!("plain/{n}"), work, || {
            black_box(&terms).iter().fold(0.0, |sum, x| sum + x)
        });
    }
    group.bench_function("merge", |b| {
        let other: ExactSum = values(100).into_iter().collect();
        b.iter_batched_ref(
            || other.clone(),
            |sum| sum.add_sum(black_box(&other)),
            BatchSize::SmallInput,
        );
    });
}

fn finiteness(c: &mut Criterion) {
    let mut group = Group::new(c, "check_finite");
    let array = Array1::from(values(1_000_000));
    let work = Work::new(Limit::Read, 8_000_000).on_one_core();
    group.bench_work("f64/1000000", work, || {
        check_finite(input::INPUTS, black_box(array.view()))
    });
    group.bench_work("iter_all_is_finite/1000000", work, || {
        black_box(&array).iter().all(|x| x.is_finite())
    });
}

fn activations(c: &mut Criterion) {
    let mut group = Group::new(c, "activation");
    let scores = Array2::from_shape_vec((100_000, 10), values(1_000_000)).expect("the product");
    let work = Work::new(Limit::Read, 8_000_000);
    for activation in [
        Activation::Softmax,
        Activation::Sigmoid,
        Activation::LogSoftmax,
    ] {
        group.bench_work(&format!("{activation:?}/100000x10"), work, || {
            activation.apply(black_box(scores.view()))
        });
    }
}

/// Sorts of keys of single-precision numbers, alone and with their positions. They show from which length on radix sort
/// is faster than sorting by comparisons, which is the threshold in `number::radix_sort`.
fn sorts(c: &mut Criterion) {
    let mut group = c.benchmark_group("sort");
    for n in [1024, 2048, 4096, 8192, 65536] {
        let keys: Vec<u32> = values(n).iter().map(|x| (*x as f32).order_key()).collect();
        let places: Vec<u64> = keys
            .iter()
            .zip(0..)
            .map(|(key, i)| key.with_index(i))
            .collect();
        group.throughput(Throughput::Elements(n as u64));
        let mut bench_keys = |name, sort: fn(&mut Vec<u32>)| {
            group.bench_function(format!("{name}/{n}"), |b| {
                b.iter_batched_ref(|| keys.clone(), sort, BatchSize::LargeInput);
            });
        };
        bench_keys("keys", sort_keys);
        bench_keys("keys_unstable", |keys| keys.sort_unstable());
        let mut bench_places = |name, sort: fn(&mut Vec<u64>)| {
            group.bench_function(format!("{name}/{n}"), |b| {
                b.iter_batched_ref(|| places.clone(), sort, BatchSize::LargeInput);
            });
        };
        bench_places("places", sort_indexed::<u32>);
        bench_places("places_unstable", |places| places.sort_unstable());
    }
    group.finish();
}

fn randomness(c: &mut Criterion) {
    c.bench_function("random_stream/new_and_one_draw", |b| {
        let mut item = 0;
        b.iter(|| {
            item += 1;
            uniform(&mut random_stream(1, item))
        });
    });
}

criterion_group!(core, sums, finiteness, activations, sorts, randomness);
criterion_main!(core);
