//! The memory of states grows by few bytes per pair of runs.

use ndarray::Array2;
use peak_alloc::PeakAlloc;
use xai_core::random::{random_stream, uniform};
use xai_repro::{Accumulator, Pairwise, PairwiseAccumulator, metrics};

/// System allocator that counts the allocated bytes and their maximum.
#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Largest number of bytes allocated during `work` in addition to those before, and those still allocated after.
fn peak_and_kept<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = work();
    let peak = ALLOCATOR.peak_usage() - before;
    let kept = ALLOCATOR.current_usage().saturating_sub(before);
    (result, peak, kept)
}

/// Predictions of `k` runs for `m` samples, the first class for most of them.
fn predictions(k: usize, m: usize, n_classes: usize, item: u64) -> Array2<u8> {
    let mut stream = random_stream(1, item);
    Array2::from_shape_simple_fn((k, m), || {
        let drawn = 2.0 * uniform(&mut stream) * n_classes as f64;
        drawn as u8 % n_classes as u8 * u8::from(drawn < n_classes as f64)
    })
}

// A single test, because the allocator counts for the whole process.
#[test]
fn two_thousand_runs_take_at_most_200_megabytes() {
    // Threads and their stacks start before anything is counted.
    xai_core::parallel::map(64, |i| i);
    let (k, m) = (2000, 300);
    let n_pairs = k * (k - 1) / 2;
    let errors = Pairwise::new().metrics(&metrics::error_metrics());
    for (pairwise, n_classes, bytes_per_pair) in [(&errors, 2, 5), (&Pairwise::new(), 2, 24)] {
        let blocks = [0, 1].map(|item| predictions(k, m, n_classes, item));
        let labels = vec![0u8; m];
        let ([mut state, other], updated, _) = peak_and_kept(|| {
            blocks.each_ref().map(|block| {
                let mut state = PairwiseAccumulator::new(pairwise).unwrap();
                state.update_labels(block.view(), &labels).unwrap();
                state
            })
        });
        let ((), merged, _) = peak_and_kept(|| state.merge(other).unwrap());
        let (copy, _, kept) = peak_and_kept(|| state.clone());
        drop(copy);
        println!("{n_classes} classes: update {updated}, merge {merged}, state {kept} bytes");
        assert!(kept <= bytes_per_pair * n_pairs, "{kept}");
        // Both states, and what merging them adds.
        assert!(
            updated.max(2 * kept + merged) <= 200_000_000,
            "{updated}, {merged}"
        );
    }
    // The result has 16 bytes per pair and metric.
    let mut state = PairwiseAccumulator::new(&errors).unwrap();
    let block = predictions(k, m, 2, 2);
    state.update_labels(block.view(), &vec![0u8; m]).unwrap();
    let (_result, peak, _) = peak_and_kept(|| state.finish().unwrap());
    println!("finish {peak} bytes");
    assert!(
        peak <= 17 * metrics::error_metrics().len() * n_pairs,
        "{peak}"
    );
}
