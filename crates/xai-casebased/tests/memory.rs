//! Explaining takes little memory beside the training data.

use ndarray::Array2;
use peak_alloc::PeakAlloc;
use xai_casebased::{CaseExplainer, Engine};

/// The system's allocator, counting the bytes that are held and the most that ever were.
#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

fn rows(n: usize, d: usize, item: u64) -> Array2<f64> {
    let mut stream = xai_core::random::random_stream(4, item);
    Array2::from_shape_simple_fn((n, d), || xai_core::random::uniform(&mut stream))
}

/// The most bytes held from before the training rows are made until 300 samples are explained.
fn peak(n: usize, d: usize, engine: Engine, owned: bool) -> usize {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let labels: Vec<u8> = (0..n).map(|i| u8::from(i % 3 == 0)).collect();
    let train = rows(n, d, 0);
    let samples = rows(300, d, 1);
    let builder = CaseExplainer::builder().engine(engine);
    let explainer = if owned {
        builder.fit_owned(train, &labels).unwrap()
    } else {
        builder.fit(train.view(), &labels).unwrap()
    };
    let explanations = explainer.explain_votes(samples.view()).unwrap();
    assert_eq!(explanations.len(), 300);
    ALLOCATOR.peak_usage() - before
}

// One test: the counters are the process's.
#[test]
fn the_training_data_counts_less_than_three_times() {
    // Threads and their stacks start before anything is counted.
    xai_core::parallel::map(64, |i| i);
    let (n, d) = (60_000, 30);
    let data = 8 * n * d;
    // The rows, half of them again in single precision, and the products, whose buffers follow the processor's
    // caches: 6.0 MB on two threads where the last of them has 260 MB, the most that was met.
    let products = xai_core::parallel::threads() * (2 << 20) + (4 << 20);
    let filtered = peak(n, d, Engine::BruteForce, true);
    assert!(filtered < 3 * data / 2 + products, "{filtered} of {data}");
    let copied = peak(n, d, Engine::BruteForce, false);
    assert!(copied < 3 * data, "{copied} of {data}");
    // A tree holds the rows once more.
    let tree = peak(n, d, Engine::KdTree, true);
    assert!(tree < 5 * data / 2, "{tree} of {data}");
}
