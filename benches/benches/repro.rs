//! Benches of pairwise metrics over the number of samples, runs and classes, and for each instruction set.

mod share;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::Array2;
use share::Group;
use std::hint::black_box;
use xai_benches::limits::{Limit, Work};
use xai_core::random::{random_stream, uniform_index};
use xai_core::simd::InstructionSet;
use xai_repro::metrics::{PAIR_METRICS, error_metrics};
use xai_repro::simulate::{AliasTable, ClassDistribution, PredictionSimulator, RunErrors};
use xai_repro::study::StudySettings;
use xai_repro::{
    Agreement, PackedRuns, PairMetric, Pairwise, PairwiseAccumulator, RegressionReproducibility,
    SampleConsistency, SimulationStudy,
};

fn predictions(k: usize, n: usize, classes: usize) -> Array2<u16> {
    let mut stream = random_stream(1, 0);
    Array2::from_shape_fn((k, n), |_| uniform_index(&mut stream, classes) as u16)
}

fn packed(k: usize, n: usize, classes: usize) -> PackedRuns {
    let runs = predictions(k, n, classes);
    PackedRuns::new(PAIR_METRICS, runs.view(), &vec![0u16; n]).expect("runs")
}

/// Pairs of packed runs. The time is linear in the number of samples.
fn pairs(c: &mut Criterion) {
    let mut group = Group::new(c, "pairs_of_packed_runs");
    let k = 64;
    group.sample_size(10);
    for n in [1_000, 10_000, 100_000, 300_000] {
        let packed = packed(k, n, 10);
        // Number of 64-bit words per pair that are ANDed, counted and added. Errors need one pass. Ten classes have
        // four bits, so κ needs four XORs, a count and an addition, which are twice as many operations. Cramér's V
        // intersects 9 class sets with 9.
        for (name, metrics, passes) in [
            ("errors", error_metrics(), 1),
            ("kappa", vec![PairMetric::PA_KAPPA], 2),
            ("cramers_v", vec![PairMetric::PA_CRAMERS_V], 81),
        ] {
            let pairwise = Pairwise::new().metrics(&metrics);
            let words = k * (k - 1) / 2 * n.div_ceil(64) * passes;
            let work = Work::new(Limit::SharedBits, words);
            group.bench_work(&format!("{name}/{n}"), work, || {
                pairwise.summarize(black_box(&packed))
            });
        }
    }
}

/// The same metrics on each instruction set of the processor.
fn instruction_sets(c: &mut Criterion) {
    let mut group = c.benchmark_group("instruction_sets");
    group.sample_size(10);
    let packed = packed(64, 100_000, 10);
    for level in InstructionSet::available() {
        for (name, metrics) in [
            ("errors", error_metrics()),
            ("kappa", vec![PairMetric::PA_KAPPA]),
            ("cramers_v", vec![PairMetric::PA_CRAMERS_V]),
        ] {
            let pairwise = Pairwise::new().metrics(&metrics).instruction_set(level);
            group.bench_function(BenchmarkId::new(name, level), |b| {
                b.iter(|| pairwise.summarize(black_box(&packed)));
            });
        }
    }
    group.finish();
}

/// Contingency tables of classes. Their number decides between AND-popcounts of class sets, a square histogram, and
/// rows.
fn tables(c: &mut Criterion) {
    let mut group = c.benchmark_group("cramers_v_by_classes");
    group.sample_size(10);
    let pairwise = Pairwise::new().metrics(&[PairMetric::PA_CRAMERS_V]);
    for classes in [2, 5, 10, 24, 25, 50, 256, 300, 5000] {
        let packed = packed(10, 100_000, classes);
        group.bench_function(BenchmarkId::from_parameter(classes), |b| {
            b.iter(|| pairwise.evaluate_packed(black_box(&packed)));
        });
    }
    group.finish();
}

/// Packing of runs, which happens once per run before the pairs.
fn packing(c: &mut Criterion) {
    let mut group = c.benchmark_group("packing");
    group.sample_size(10);
    let (k, n) = (20, 100_000);
    group.throughput(Throughput::Elements((k * n) as u64));
    let runs = predictions(k, n, 10);
    let labels = vec![0u16; n];
    for (name, metrics) in [
        ("errors", error_metrics()),
        ("predictions", vec![PairMetric::PA_ACC]),
        ("class_sets", vec![PairMetric::PA_CRAMERS_V]),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| PackedRuns::new(&metrics, black_box(runs.view()), &labels));
        });
    }
    let two = predictions(2, 1_000_000, 10).mapv(i64::from);
    let labels_of_two = vec![0i64; 1_000_000];
    let agreement = Pairwise::new().metrics(&[PairMetric::PA_ACC]);
    group.throughput(Throughput::Elements(two.len() as u64));
    group.bench_function("agreement_of_two", |b| {
        b.iter(|| agreement.evaluate(black_box(two.view()), &labels_of_two));
    });
    group.throughput(Throughput::Elements((k * n) as u64));
    group.bench_function("streamed_block", |b| {
        b.iter(|| {
            let mut state = PairwiseAccumulator::default();
            state
                .update_labels(black_box(runs.view()), &labels)
                .map(|()| state)
        });
    });
    group.finish();
}

fn across_runs(c: &mut Criterion) {
    let runs = predictions(20, 10_000, 10);
    c.bench_function("agreement/20x10000", |b| {
        b.iter(|| Agreement::new(black_box(runs.view())));
    });
    c.bench_function("sample_consistency/20x10000", |b| {
        b.iter(|| SampleConsistency::new(black_box(runs.view())));
    });
    let numbers = runs.mapv(|x| f64::from(x) / 7.0);
    let targets = ndarray::Array1::from_elem(10_000, 0.5);
    c.bench_function("regression/20x10000", |b| {
        b.iter(|| RegressionReproducibility::new(black_box(numbers.view()), targets.view()));
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
    let table = AliasTable::new(&p).expect("a distribution");
    let mut stream = random_stream(1, 0);
    c.bench_function("alias_table/20", |b| b.iter(|| table.sample(&mut stream)));
    let simulator = PredictionSimulator::new(&p, RunErrors::default().max_error_share(0.5))
        .expect("a simulator");
    let labels = vec![0; 1000];
    c.bench_function("predictions/5x1000", |b| {
        b.iter(|| simulator.simulate(black_box(&labels), 5, 1, 0));
    });
    let study = SimulationStudy::new(StudySettings::default()).expect("a study");
    c.bench_function("study/draw", |b| {
        let mut draw = 0;
        b.iter(|| {
            draw += 1;
            study.draw(draw)
        });
    });
}

criterion_group!(
    repro,
    pairs,
    instruction_sets,
    tables,
    packing,
    across_runs,
    simulators
);
criterion_main!(repro);
