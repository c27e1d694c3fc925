//! No metric holds more memory beside its input than the input itself takes.

use ndarray::{Array1, Array2};
use peak_alloc::PeakAlloc;
use xai_graph::ground_truth::Selection;
use xai_graph::mask::{MaskMetric, Sparsity, sparsify_undirected};
use xai_graph::{FidelityMetric, GroundTruthMetric, ReturnType, UnfaithfulnessMetric, fidelity};

/// The system's allocator, counting the bytes that are held and the most that ever were.
#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The most bytes that the work held beside what was there before.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = work();
    let peak = ALLOCATOR.peak_usage() - before;
    drop(result);
    peak
}

fn scores(n: usize, item: u64) -> Vec<f32> {
    let mut stream = xai_core::random::random_stream(4, item);
    (0..n)
        .map(|_| xai_core::random::uniform(&mut stream) as f32)
        .collect()
}

// One test: the counters are the process's.
#[test]
fn temporaries_stay_below_the_input() {
    // Threads and their stacks start before anything is counted.
    xai_core::parallel::map(64, |i| i);
    let n = 400_000;
    let (mask, truth) = (Array1::from(scores(n, 0)), Array1::from(scores(n, 1)));
    let input = 2 * 4 * n;
    let metric = GroundTruthMetric::new();
    let top = metric.selection(Selection::TopK(1000));
    assert!(peak(|| metric.evaluate(mask.view(), truth.view()).unwrap()) <= input);
    assert!(peak(|| top.evaluate(mask.view(), truth.view()).unwrap()) <= input);
    let (wide, wide_truth) = (mask.mapv(f64::from), truth.mapv(f64::from));
    assert!(peak(|| metric.evaluate(wide.view(), wide_truth.view()).unwrap()) <= 2 * input);

    let rows = |item| Array2::from_shape_vec((n / 10, 10), scores(n, item)).unwrap();
    let [full, kept, complement] = [2, 3, 4].map(rows);
    let (two, three) = (2 * 4 * n, 3 * 4 * n);
    assert!(peak(|| fidelity(&full, &kept, &complement).unwrap()) <= three / 10);
    let gef = UnfaithfulnessMetric::new();
    assert!(peak(|| gef.evaluate(full.view(), kept.view()).unwrap()) <= two / 10);
    let per_row = peak(|| gef.per_row(full.view(), kept.view()).unwrap());
    assert!(per_row <= two);
    let soft = peak(|| {
        let views = (full.view(), kept.view(), complement.view());
        FidelityMetric::model()
            .evaluate_probabilities(views.0, views.1, views.2, ReturnType::Logits)
            .unwrap()
    });
    assert!(soft <= three);

    let edges = Array2::from_shape_fn((2, n), |(end, e)| ((e * (7 + 4 * end)) % (n / 4)) as i64);
    let input = (4 + 16) * n;
    let properties = peak(|| {
        MaskMetric::new()
            .threshold(0.5)
            .evaluate_edges(mask.view(), edges.view(), n / 4)
            .unwrap()
    });
    assert!(properties <= input);
    let level = Sparsity::Fraction(0.5);
    let hard = peak(|| sparsify_undirected(mask.view(), edges.view(), level).unwrap());
    // Three arrays of 8-byte positions: each is below the input, together they are above it.
    assert!(hard <= 2 * input);
}
