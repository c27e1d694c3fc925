//! Work over items that gives the same result with and without threads.
//!
//! With the `rayon` feature items run on the current rayon pool, without it in a plain loop. Results
//! come in item order, the reported error is the one of the lowest item, and states are merged
//! through operations that do not depend on order, so nobody can tell which of the two it was.
//! Another thread can stop [`stoppable`] work between two items; all threads then leave the loop at their next
//! one (`panic_fuse`), instead of unwinding once for each item that is left.
//!
//! A loop of one item, and every loop of [work that is small](of_size), stays on the thread that it is met on.

mod stop;

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use stop::{StopFlag, Stopped, check_stopped, stoppable};

use stop::Stop;

/// Operations that take about as long as waking other threads does, some tens of microseconds.
const SMALL: usize = 1 << 16;

thread_local! {
    /// Whether the loops that this thread meets stay on it.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Does some work of about so many additions or the like: where they take no longer than waking other
/// threads does, all loops in it stay on this thread. The result is the same.
///
/// ```
/// use std::thread::current;
/// use xai_core::parallel::{map, of_size};
/// let here = current().id();
/// assert!(of_size(100, || map(100, |_| current().id() == here)).into_iter().all(|same| same));
/// ```
pub fn of_size<R>(operations: usize, work: impl FnOnce() -> R) -> R {
    /// Gives the thread back what it was told before, also when the work panics.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _before = Before(ALONE.replace(ALONE.get() || operations <= SMALL));
    work()
}

/// Whether a loop over so many items is worth other threads.
#[cfg(feature = "rayon")]
fn is_shared(n: usize) -> bool {
    n > 1 && !ALONE.get()
}

/// Maps `0..n`, results in order.
///
/// ```
/// assert_eq!(xai_core::parallel::map(4, |i| i * i), vec![0, 1, 4, 9]);
/// ```
pub fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    let stop = Stop::of_this_thread();
    let f = |i| stop.run(|| f(i));
    #[cfg(feature = "rayon")]
    if is_shared(n) {
        use rayon::prelude::*;
        return (0..n).into_par_iter().map(f).panic_fuse().collect();
    }
    (0..n).map(f).collect()
}

/// Maps `0..n`, results in order, or the error of the lowest item that has one.
///
/// # Errors
/// That of `f`.
pub fn try_map<T: Send, E: Send>(
    n: usize,
    f: impl Fn(usize) -> Result<T, E> + Sync + Send,
) -> Result<Vec<T>, E> {
    // The lowest item that fails is never skipped, so the reported error is always the same.
    let lowest_failed = AtomicUsize::new(usize::MAX);
    let results = map(n, |i| {
        (i < lowest_failed.load(Ordering::Relaxed)).then(|| {
            let result = f(i);
            if result.is_err() {
                lowest_failed.fetch_min(i, Ordering::Relaxed);
            }
            result
        })
    });
    results.into_iter().flatten().collect()
}

/// Maps the blocks of `0..n` (each `block` long, the last one shorter), results in order.
///
/// ```
/// let sizes = xai_core::parallel::map_blocks(10, 4, |range| range.len());
/// assert_eq!(sizes, vec![4, 4, 2]);
/// ```
pub fn map_blocks<T: Send>(
    n: usize,
    block: usize,
    f: impl Fn(Range<usize>) -> T + Sync + Send,
) -> Vec<T> {
    let block = block.max(1);
    map(
        n.div_ceil(block),
        |b| f(b * block..((b + 1) * block).min(n)),
    )
}

/// Maps items that are given away (mutable slices, buffers), results in order.
///
/// ```
/// let mut values = vec![1, 2, 3, 4];
/// let (low, high) = values.split_at_mut(2);
/// xai_core::parallel::map_owned(vec![low, high], |half, values| values.fill(half));
/// assert_eq!(values, vec![0, 0, 1, 1]);
/// ```
pub fn map_owned<I: Send, T: Send>(
    items: Vec<I>,
    f: impl Fn(usize, I) -> T + Sync + Send,
) -> Vec<T> {
    let stop = Stop::of_this_thread();
    let indexed = |(i, item)| stop.run(|| f(i, item));
    #[cfg(feature = "rayon")]
    if is_shared(items.len()) {
        use rayon::prelude::*;
        let items = items.into_par_iter().enumerate();
        return items.map(indexed).panic_fuse().collect();
    }
    items.into_iter().enumerate().map(indexed).collect()
}

/// The number of threads that loops run on, at least 1: into how many pieces it pays to cut work
/// whose result does not depend on the pieces.
#[must_use]
pub fn threads() -> usize {
    #[cfg(feature = "rayon")]
    if !ALONE.get() {
        return rayon::current_num_threads();
    }
    1
}

/// Folds the blocks of `0..n` into states and merges the states.
///
/// `merge` must be associative and commutative to the last bit (counts, maxima, [`ExactSum`]s):
/// which blocks share a state is not fixed.
///
/// [`ExactSum`]: crate::ExactSum
///
/// ```
/// use xai_core::{ExactSum, parallel};
/// let values = vec![0.1; 1000];
/// let sum = parallel::fold_blocks(
///     values.len(), 64, ExactSum::new,
///     |sum, range| sum.add_slice(&values[range]),
///     |sum, other| sum.add_sum(&other),
/// );
/// assert_eq!(sum.value(), values.iter().copied().collect::<ExactSum>().value());
/// ```
pub fn fold_blocks<S: Send>(
    n: usize,
    block: usize,
    identity: impl Fn() -> S + Sync + Send,
    fold: impl Fn(&mut S, Range<usize>) + Sync + Send,
    merge: impl Fn(&mut S, S) + Sync + Send,
) -> S {
    let block = block.max(1);
    let n_blocks = n.div_ceil(block);
    let stop = Stop::of_this_thread();
    let step = |mut state: S, b: usize| {
        stop.run(|| fold(&mut state, b * block..((b + 1) * block).min(n)));
        state
    };
    #[cfg(feature = "rayon")]
    if is_shared(n_blocks) {
        use rayon::prelude::*;
        return (0..n_blocks)
            .into_par_iter()
            .panic_fuse()
            .fold(&identity, step)
            .reduce(&identity, |mut left, right| {
                merge(&mut left, right);
                left
            });
    }
    let _ = &merge;
    (0..n_blocks).fold(identity(), step)
}

/// Visits the chunks of a slice (each `size` long, the last one shorter) with their positions.
///
/// ```
/// let mut values = vec![0; 5];
/// xai_core::parallel::for_each_chunk(&mut values, 2, |i, chunk| chunk.fill(i));
/// assert_eq!(values, [0, 0, 1, 1, 2]);
/// ```
pub fn for_each_chunk<T: Send>(
    values: &mut [T],
    size: usize,
    f: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    map_owned(values.chunks_mut(size.max(1)).collect(), f);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_that_of_the_lowest_item() {
        for _ in 0..50 {
            let result: Result<Vec<()>, usize> =
                try_map(1000, |i| if i % 7 == 3 { Err(i) } else { Ok(()) });
            assert_eq!(result, Err(3));
        }
    }

    #[test]
    fn items_above_one_that_failed_are_not_begun() {
        let begun = AtomicUsize::new(0);
        let result: Result<Vec<()>, usize> = of_size(1, || {
            try_map(1000, |i| {
                begun.fetch_add(1, Ordering::Relaxed);
                if i == 3 { Err(i) } else { Ok(()) }
            })
        });
        assert_eq!((result, begun.into_inner()), (Err(3), 4));
    }

    #[test]
    fn small_work_stays_on_its_thread_and_other_work_does_not_end_it() {
        let here = std::thread::current().id();
        let elsewhere = |_| std::thread::current().id() != here;
        let met = of_size(SMALL, || {
            let of_part = of_size(SMALL + 1, || map(64, elsewhere));
            let folded = fold_blocks(
                9,
                1,
                || 0,
                |s, _| *s += usize::from(elsewhere(0)),
                |s, o| *s += o,
            );
            (
                of_part,
                map_owned(vec![0; 64], |i, _| elsewhere(i)),
                folded,
                threads(),
            )
        });
        assert_eq!(met, (vec![false; 64], vec![false; 64], 0, 1));
        assert_eq!(map(1, elsewhere), [false]);
        let panicked = std::panic::catch_unwind(|| of_size(1, || panic!("of the work")));
        assert!(panicked.is_err() && !ALONE.get());
        assert!(of_size(SMALL + 1, || !ALONE.get()));
    }

    #[test]
    fn blocks_cover_everything_once() {
        for (n, block) in [(0, 4), (1, 4), (4, 4), (9, 4), (5, 0)] {
            let covered: Vec<usize> = map_blocks(n, block, |r| r.collect::<Vec<_>>()).concat();
            assert_eq!(covered, (0..n).collect::<Vec<_>>());
            let count = fold_blocks(n, block, || 0, |s, r| *s += r.len(), |s, o| *s += o);
            assert_eq!(count, n);
        }
    }
}
