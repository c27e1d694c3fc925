//! Masks, and the library's work beside a cheap model.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::{Array2, ArrayD, ArrayViewD, IxDyn};
use std::hint::black_box;
use xai_attribution::{AverageDrop, Deletion, Layout, complexity, mask_inputs, sparseness};
use xai_core::{random_stream, uniform};

fn images(n: usize, side: usize, item: u64) -> ArrayD<f32> {
    let mut stream = random_stream(1, item);
    ArrayD::from_shape_fn(IxDyn(&[n, side, side, 3]), |_| uniform(&mut stream) as f32)
}

/// Ten outputs, each the mean of every tenth element.
fn strided(batch: ArrayViewD<'_, f32>) -> Result<Array2<f32>, std::fmt::Error> {
    let n = batch.shape()[0];
    let flat = batch.as_slice().ok_or(std::fmt::Error)?;
    let size = flat.len() / n;
    Ok(Array2::from_shape_fn((n, 10), |(i, class)| {
        let sample = &flat[i * size..(i + 1) * size];
        sample.iter().skip(class).step_by(10).sum::<f32>() / size as f32
    }))
}

fn masks(c: &mut Criterion) {
    let mut group = c.benchmark_group("mask_inputs");
    group.sample_size(20);
    for (n, side) in [(16, 64), (64, 64), (64, 224)] {
        let (x, e) = (images(n, side, 0), images(n, side, 1));
        group.throughput(Throughput::Bytes(3 * 4 * x.len() as u64));
        group.bench_function(
            BenchmarkId::from_parameter(format!("{n}x{side}x{side}x3")),
            |b| {
                b.iter(|| mask_inputs(black_box(x.view()), e.view(), Layout::ChannelsLast));
            },
        );
    }
    group.finish();
}

fn metrics(c: &mut Criterion) {
    let mut group = c.benchmark_group("64x64x64x3");
    group.sample_size(10);
    let (x, e) = (images(64, 64, 0), images(64, 64, 1));
    let targets = vec![3u8; 64];
    group.bench_function("model_alone", |b| b.iter(|| strided(black_box(x.view()))));
    group.bench_function("average_drop", |b| {
        b.iter(|| AverageDrop::new().evaluate(&strided, x.view(), &targets, e.view()));
    });
    group.bench_function("deletion_50_steps", |b| {
        let deletion = Deletion::new().steps(Some(50));
        b.iter(|| deletion.evaluate(&strided, x.view(), &targets, e.view()));
    });
    group.bench_function("complexity", |b| {
        b.iter(|| complexity(e.view(), Layout::ChannelsLast))
    });
    group.bench_function("sparseness", |b| {
        b.iter(|| sparseness(e.view(), Layout::ChannelsLast))
    });
    group.finish();
}

criterion_group!(attribution, masks, metrics);
criterion_main!(attribution);
