//! Benches of masks, of metrics with a cheap model, and of the library's overhead with a small convolutional network.

mod share;

use criterion::{Criterion, criterion_group, criterion_main};
use ndarray::{Array2, ArrayD, ArrayViewD, IxDyn};
use share::Group;
use std::hint::black_box;
use xai_attribution::map::structural_similarity;
use xai_attribution::metric::{
    AverageDrop, AverageGain, AverageIncrease, Complexity, Deletion, Infidelity, Insertion, Irof,
    MetricValue, MuFidelity, Perturbation, RoadMostRelevantFirst, SensitivityN, Sparseness,
    complexity, sparseness,
};
use xai_attribution::model::Concurrent;
use xai_attribution::perturbation::{Features, SubsetSize};
use xai_attribution::side::Segments;
use xai_attribution::{
    Activation, Benchmark, Evaluate, EvaluationData, EvaluationError, InputLayout,
};
use xai_benches::limits::{Limit, Work};
use xai_core::Accumulator;
use xai_core::random::{random_stream, uniform};
use xai_core::tensor::{MaskScaling, mask_inputs};

fn images(n: usize, side: usize, item: u64) -> ArrayD<f32> {
    let mut stream = random_stream(1, item);
    ArrayD::from_shape_fn(IxDyn(&[n, side, side, 3]), |_| uniform(&mut stream) as f32)
}

/// A model with ten outputs, each the mean of every tenth element.
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
    let mut group = Group::new(c, "mask_inputs");
    group.sample_size(20);
    for (n, side) in [(16, 64), (64, 64), (64, 224)] {
        let (x, e) = (images(n, side, 0), images(n, side, 1));
        // Two arrays are read, and written bytes count like read ones.
        let work = Work::new(Limit::Read, 3 * 4 * x.len());
        group.bench_work(&format!("{n}x{side}x{side}x3"), work, || {
            let (layout, scaling) = (InputLayout::ChannelsLast, MaskScaling::Relative);
            mask_inputs(black_box(x.view()), e.view(), layout, scaling)
        });
    }
}

/// Metrics that read their inputs once and write almost nothing.
fn streams(c: &mut Criterion) {
    let mut group = Group::new(c, "stream");
    group.sample_size(20);
    let maps = images(64, 224, 1);
    let map_work = Work::new(Limit::Read, 4 * maps.len());
    group.bench_work("complexity/64x224x224x3", map_work, || {
        complexity(black_box(maps.view()), InputLayout::ChannelsLast)
    });
    let scores = |item| -> Vec<f64> {
        let mut stream = random_stream(4, item);
        (0..5_000_000).map(|_| 1.0 - uniform(&mut stream)).collect()
    };
    let (base, masked) = (scores(0), scores(1));
    let score_work = Work::new(Limit::Read, 2 * 8 * base.len());
    group.bench_work("average_drop_of_scores/5000000", score_work, || {
        let mut state = AverageDrop::new().accumulator();
        state.update((black_box(&base), &masked)).map(|()| state)
    });
    let (base, masked) = (&base[..1_000_000], &masked[..1_000_000]);
    group.bench_function("average_drop_per_sample/1000000", |b| {
        b.iter(|| AverageDrop::new().evaluate_scores(black_box(base), masked));
    });
}

fn metrics(c: &mut Criterion) {
    let mut group = c.benchmark_group("64x64x64x3");
    group.sample_size(10);
    let (x, e) = (images(64, 64, 0), images(64, 64, 1));
    let targets = vec![3u8; 64];
    group.bench_function("model_alone", |b| b.iter(|| strided(black_box(x.view()))));
    group.bench_function("average_drop", |b| {
        let drop = AverageDrop::new().layout(InputLayout::ChannelsLast);
        b.iter(|| drop.evaluate(&strided, x.view(), &targets, e.view()));
    });
    group.bench_function("deletion_50_steps", |b| {
        let deletion = Deletion::new()
            .steps(Some(50))
            .layout(InputLayout::ChannelsLast);
        b.iter(|| deletion.evaluate(&strided, x.view(), &targets, e.view()));
    });
    group.bench_function("mu_fidelity_50_subsets", |b| {
        let fidelity = MuFidelity::new()
            .n_subsets(50)
            .layout(InputLayout::ChannelsLast);
        b.iter(|| fidelity.evaluate(&strided, x.view(), &targets, e.view()));
    });
    group.bench_function("ssim", |b| {
        let first_image = |images: &ArrayD<f32>| {
            let first = images.index_axis(ndarray::Axis(0), 0).to_owned();
            first
                .into_dimensionality::<ndarray::Ix3>()
                .expect("an image")
        };
        let (first, second) = (first_image(&x), first_image(&e));
        b.iter(|| structural_similarity(black_box(first.view()), second.view()));
    });
    group.bench_function("complexity", |b| {
        b.iter(|| complexity(e.view(), InputLayout::ChannelsLast))
    });
    group.bench_function("sparseness", |b| {
        b.iter(|| sparseness(e.view(), InputLayout::ChannelsLast))
    });
    group.finish();
}

/// A network of the size of the sample study's: 8 × 8 pixels, two convolutions of 3 × 3 with 16 and
/// 32 channels, each with a maximum over 2 × 2, and ten outputs.
struct Network {
    first: Vec<f32>,
    second: Vec<f32>,
    dense: Vec<f32>,
}

impl Network {
    fn new() -> Self {
        let weights = |n: usize, item: u64| {
            let mut stream = random_stream(2, item);
            (0..n).map(|_| uniform(&mut stream) as f32 - 0.5).collect()
        };
        Self {
            first: weights(16 * 9, 0),
            second: weights(32 * 16 * 9, 1),
            dense: weights(10 * 32 * 4, 2),
        }
    }

    /// Computes a convolution with zero padding, a ReLU and a maximum over 2 × 2.
    fn layer(input: &[f32], channels: usize, side: usize, weights: &[f32], out: &mut Vec<f32>) {
        let area = side * side;
        let half = side / 2;
        for kernel in weights.chunks_exact(9 * channels) {
            let mut sums = vec![0.0f32; area];
            for (plane, kernel) in input.chunks_exact(area).zip(kernel.chunks_exact(9)) {
                for (k, w) in kernel.iter().enumerate() {
                    let (down, right) = (k / 3, k % 3);
                    for row in 1usize.saturating_sub(down)..side.min(side + 1 - down) {
                        let (from, to) = (1usize.saturating_sub(right), side.min(side + 1 - right));
                        let source = (row + down - 1) * side + from + right - 1;
                        let plane = &plane[source..source + to - from];
                        let sums = &mut sums[row * side + from..row * side + to];
                        for (sum, x) in sums.iter_mut().zip(plane) {
                            *sum += w * x;
                        }
                    }
                }
            }
            for row in 0..half {
                for column in 0..half {
                    let at = 2 * row * side + 2 * column;
                    let four = [sums[at], sums[at + 1], sums[at + side], sums[at + side + 1]];
                    out.push(four.into_iter().fold(0.0, f32::max));
                }
            }
        }
    }

    fn outputs(&self, batch: ArrayViewD<'_, f32>) -> Result<Array2<f32>, std::fmt::Error> {
        let values = batch.as_slice().ok_or(std::fmt::Error)?;
        let mut outputs = Vec::with_capacity(10 * values.len() / 64);
        let (mut hidden, mut last) = (Vec::new(), Vec::new());
        for image in values.chunks_exact(64) {
            hidden.clear();
            last.clear();
            Self::layer(image, 1, 8, &self.first, &mut hidden);
            Self::layer(&hidden, 16, 4, &self.second, &mut last);
            let dot = |row: &[f32]| row.iter().zip(&last).map(|(w, x)| w * x).sum::<f32>();
            outputs.extend(self.dense.chunks_exact(128).map(dot));
        }
        Array2::from_shape_vec((values.len() / 64, 10), outputs).map_err(|_| std::fmt::Error)
    }
}

/// Overhead of the library for 240 images and four explainers: the time of each metric above that of the model alone on
/// the same number of rows.
fn overhead(c: &mut Criterion) {
    let mut group = c.benchmark_group("240x1x8x8_network");
    group.sample_size(10);
    let array = |item: u64| {
        let mut stream = random_stream(3, item);
        ArrayD::from_shape_fn(IxDyn(&[240, 1, 8, 8]), |_| uniform(&mut stream) as f32)
    };
    let (x, maps) = (array(0), [array(1), array(2), array(3), array(4)]);
    let targets = vec![3u8; 240];
    let network = Network::new();
    let model = |batch: ArrayViewD<'_, f32>| network.outputs(batch);
    // The metrics also run the model on 64 rows at a time.
    let rows = |n: usize| {
        let batch = x.slice_axis(ndarray::Axis(0), (0..64).into());
        for rows in (0..n).step_by(64).map(|first| 64.min(n - first)) {
            let part = batch.slice_axis(ndarray::Axis(0), (0..rows).into());
            let _ = black_box(model(part));
        }
    };
    let layout = InputLayout::ChannelsFirst;
    group.bench_function("model_alone/480", |b| b.iter(|| rows(480)));
    group.bench_function("average_drop", |b| {
        let drop = AverageDrop::new()
            .layout(layout)
            .activation(Activation::Softmax);
        b.iter(|| {
            drop.evaluate(&model, x.view(), &targets, maps[0].view())
                .expect("scores")
        });
    });
    group.bench_function("model_alone/2640", |b| b.iter(|| rows(2640)));
    group.bench_function("deletion_10_steps", |b| {
        let deletion = Deletion::new()
            .layout(layout)
            .activation(Activation::Softmax);
        b.iter(|| {
            let curve = deletion.evaluate(&model, x.view(), &targets, maps[0].view());
            curve.expect("a curve")
        });
    });
    // Rows: 240 samples times 2 (inputs and baseline) + 4 explainers × (1 masked + 2 · 9 steps) + 20 subsets.
    group.bench_function("model_alone/23520", |b| b.iter(|| rows(23_520)));
    group.bench_function("compare_all", |b| {
        b.iter(|| {
            let mut evaluation = Benchmark::new(&model, x.view(), &targets)
                .layout(layout)
                .activation(Activation::Softmax)
                .metric(AverageDrop::default())
                .metric(AverageIncrease::default())
                .metric(AverageGain::default())
                .metric(Deletion::default())
                .metric(Insertion::default())
                .metric(MuFidelity::new().n_subsets(20))
                .metric(Complexity)
                .metric(Sparseness);
            for (name, maps) in ["a", "b", "c", "d"].iter().zip(&maps) {
                evaluation = evaluation.maps(*name, maps.view());
            }
            evaluation.evaluate().expect("a table")
        });
    });
    group.finish();
}

/// A model that takes almost no time: its outputs are the first ten elements.
fn first_elements(batch: ArrayViewD<'_, f32>) -> Result<Array2<f32>, std::fmt::Error> {
    let n = batch.shape()[0];
    let flat = batch.as_slice().ok_or(std::fmt::Error)?;
    let size = flat.len() / n;
    Ok(Array2::from_shape_fn((n, 10), |(i, class)| {
        flat[i * size + class]
    }))
}

/// Maps that are high within a disk, so that the removed pixels are connected.
fn disks(n: usize, side: usize) -> ArrayD<f32> {
    let middle = side as f32 / 2.0;
    ArrayD::from_shape_fn(IxDyn(&[n, side, side]), |at| {
        let shift = at[0] as f32 / n as f32;
        -(at[1] as f32 - middle + shift).hypot(at[2] as f32 - middle - shift)
    })
}

/// The library's own work on images, with a model that takes almost no time.
fn without_model(c: &mut Criterion) {
    let mut group = c.benchmark_group("without_model");
    group.sample_size(10);
    let model = Concurrent(&first_elements);
    let (x, e) = (images(16, 64, 0), images(16, 64, 1));
    let targets = vec![3u8; 16];
    let mut bench = |name: &str,
                     x: &ArrayD<f32>,
                     e: &ArrayD<f32>,
                     evaluate: &dyn Fn(
        EvaluationData<'_, f32>,
    ) -> Result<MetricValue, EvaluationError>| {
        group.bench_function(name, |b| {
            b.iter(|| {
                let data = EvaluationData::new(x.view(), &targets)
                    .model(&model)
                    .maps(e.view())
                    .layout(InputLayout::ChannelsLast);
                evaluate(data).expect("a value")
            });
        });
    };
    let infidelity = Infidelity::new()
        .perturbation(Perturbation::Gaussian { sigma: 0.1 })
        .n_draws(64);
    bench("infidelity_64_draws", &x, &e, &|data| {
        infidelity.evaluate_on(data)
    });
    let metric = RoadMostRelevantFirst::default().percentages(&[10.0, 30.0, 50.0, 70.0, 90.0]);
    let road = |data: EvaluationData<'_, f32>| metric.evaluate_on(data);
    bench("road_at_random", &x, &e, &road);
    bench("road_disk", &x, &disks(16, 64), &road);
    let grey = |images: &ArrayD<f32>| {
        images
            .slice_axis(ndarray::Axis(3), (0..1).into())
            .to_owned()
    };
    bench("road_grey_at_random", &grey(&x), &grey(&e), &road);
    bench("road_grey_disk", &grey(&x), &disks(16, 64), &road);
    bench("road_disk_224", &images(16, 224, 0), &disks(16, 224), &road);
    let sensitivity = SensitivityN::new();
    bench("sensitivity_n", &x, &e, &|data| {
        sensitivity.evaluate_on(data)
    });
    let fidelity = MuFidelity::new();
    bench("mu_fidelity_200_subsets", &x, &e, &|data| {
        fidelity.evaluate_on(data)
    });
    let position_fidelity = MuFidelity::new()
        .features(Features::Positions)
        .subset_size(SubsetSize::Fraction(0.2));
    bench("mu_fidelity_positions", &x, &e, &|data| {
        position_fidelity.evaluate_on(data)
    });
    let segments = ndarray::Array3::from_shape_fn((16, 64, 64), |(_, row, column)| {
        (row / 8 * 8 + column / 8) as u32
    });
    let irof = Irof::new();
    bench("irof_64_segments", &x, &e, &|data| {
        irof.evaluate_on(data.with(Segments::new(segments.clone())))
    });
    for steps in [48, 384] {
        let rows = |images: &ArrayD<f32>| {
            let flat = images.to_shape(IxDyn(&[16, 64 * 64 * 3])).expect("rows");
            flat.to_owned()
        };
        let flipping = Deletion::new().steps(Some(steps));
        let name = format!("pixel_flipping_{steps}_steps");
        bench(&name, &rows(&x), &rows(&e), &|data| {
            flipping.evaluate_on(data)
        });
    }
    group.finish();
}

criterion_group!(
    attribution,
    masks,
    streams,
    metrics,
    overhead,
    without_model
);
criterion_main!(attribution);
