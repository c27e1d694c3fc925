//! No metric holds more memory beside its input than the input itself takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{Array1, Array2};
use xai_graph::ground_truth::Selection;
use xai_graph::mask::{Sparsity, edge_mask_properties, sparsify_undirected};
use xai_graph::{FidelityMetric, GroundTruthMetric, ReturnType, UnfaithfulnessMetric, fidelity};

/// The system's allocator, counting the bytes that are held and the most that ever were.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`, and `alloc` is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that the work held beside what was there before.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    let peak = PEAK.load(Ordering::Relaxed) - before;
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
    let properties = peak(|| edge_mask_properties(mask.view(), edges.view(), n / 4, 0.5).unwrap());
    assert!(properties <= input);
    let level = Sparsity::Fraction(0.5);
    let hard = peak(|| sparsify_undirected(mask.view(), edges.view(), level).unwrap());
    // Three arrays of 8-byte positions: each is below the input, together they are above it.
    assert!(hard <= 2 * input);
}
