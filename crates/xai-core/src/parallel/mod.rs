//! Parallel loops with the results of sequential ones.
//!
//! With the `rayon` feature, items are processed on the current rayon pool, without it in a plain
//! loop. Results are in item order, the reported error is that of the lowest failing item, and
//! states are merged by operations that do not depend on the order. So the result is the same with
//! and without threads.
//!
//! Another thread can stop [`stoppable`](crate::stop::stoppable) work between two items. All threads then leave the
//! loop at their next item, instead of unwinding once for each remaining item.
//!
//! A loop of one item, and every loop of [small work](with_work_size), stays on the calling thread.
//!
//! The function that distributes items over threads (`for_ranges`) does not depend on their type
//! and is compiled once. With rayon's iterators in each loop, it was a quarter of the code of the
//! crates above.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::stop::{self, Stop};

/// Number of simple operations that take about as long as waking other threads, some tens of
/// microseconds.
const SMALL: usize = 1 << 16;

thread_local! {
    /// `true` while loops of this thread must not use other threads.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, whose loops stay on this thread if it takes only about as long as waking other
/// threads.
///
/// `operations` is the approximate number of additions or similar operations in `work`. It affects
/// the speed only, not the result.
///
/// ```
/// use std::thread::current;
/// use xai_core::parallel::{map, with_work_size};
/// let here = current().id();
/// assert!(with_work_size(100, || map(100, |_| current().id() == here)).into_iter().all(|same| same));
/// ```
pub fn with_work_size<R>(operations: usize, work: impl FnOnce() -> R) -> R {
    /// Restores the previous value of `ALONE`, also if the work panics.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    // Parts of small work are small, too, whatever size they claim.
    let _restore = Restore(ALONE.replace(ALONE.get() || operations <= SMALL));
    work()
}

/// Runs `work` on ranges that cover `0..n`, on the threads of the current pool unless the loop must
/// stay on this thread.
fn for_ranges(n: usize, work: &(dyn Fn(Items<'_>) + Sync)) {
    let (stop, is_aborted) = (Stop::current(), AtomicBool::new(false));
    let run_range = |range: Range<usize>| {
        let _restore = stop.enter();
        work(Items {
            range,
            stop: &stop,
            is_aborted: &is_aborted,
            is_in_progress: false,
        });
    };
    #[cfg(feature = "rayon")]
    if n > 1 && !ALONE.get() {
        return split(0..n, rayon::current_num_threads(), false, &run_range);
    }
    run_range(0..n);
}

/// Halves a range until there are some pieces per thread, and runs the pieces.
///
/// A piece that another thread has stolen is split again, because then a thread was idle. rayon's
/// own iterators split by the same rule.
#[cfg(feature = "rayon")]
fn split(
    range: Range<usize>,
    pieces: usize,
    is_stolen: bool,
    run_range: &(dyn Fn(Range<usize>) + Sync),
) {
    if range.len() < 2 || (pieces == 0 && !is_stolen) {
        return run_range(range);
    }
    let min_pieces = if is_stolen {
        rayon::current_num_threads()
    } else {
        0
    };
    let pieces = min_pieces.max(pieces / 2);
    let middle = range.start + range.len() / 2;
    rayon::join_context(
        |half| split(range.start..middle, pieces, half.migrated(), run_range),
        |half| split(middle..range.end, pieces, half.migrated(), run_range),
    );
}

/// Iterator over the items of a range. It ends early once the work is stopped or an item of any
/// range has panicked.
struct Items<'a> {
    range: Range<usize>,
    stop: &'a Stop,
    /// Set when any thread leaves the loop before its end.
    is_aborted: &'a AtomicBool,
    /// `true` from the time an item is returned until the next one is requested.
    is_in_progress: bool,
}

impl Iterator for Items<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.is_in_progress = false;
        if self.is_aborted.load(Ordering::Relaxed) {
            return None;
        }
        let item = self.range.next()?;
        // Only the first thread that sees the flag unwinds; the others find `is_aborted` set and
        // end without a panic.
        if self.stop.is_raised() {
            self.is_aborted.store(true, Ordering::Relaxed);
            stop::unwind();
        }
        self.is_in_progress = true;
        Some(item)
    }
}

impl Drop for Items<'_> {
    fn drop(&mut self) {
        // A loop that ends normally requests items until there are none, so an item still in
        // progress has panicked.
        if self.is_in_progress {
            self.is_aborted.store(true, Ordering::Relaxed);
        }
    }
}

/// Locks a mutex, also if it is poisoned: after a panic of an item the results of the loop are
/// discarded anyway.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Maps `0..n` and returns the results in order.
///
/// ```
/// assert_eq!(xai_core::parallel::map(4, |i| i * i), vec![0, 1, 4, 9]);
/// ```
pub fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    // Everything but the loop over the items is compiled once per result type, not for each `f`.
    gather(n, &|items, part| {
        for i in items {
            part.push(f(i));
        }
    })
}

/// Results that `work` appends for ranges of `0..n`, in order.
fn gather<T: Send>(n: usize, work: &(dyn Fn(Items<'_>, &mut Vec<T>) + Sync)) -> Vec<T> {
    // First item and results of each range, in ascending order.
    let parts: Mutex<Vec<(usize, Vec<T>)>> = Mutex::new(Vec::new());
    for_ranges(n, &|items| {
        let first = items.range.start;
        let mut part = Vec::with_capacity(items.range.len());
        work(items, &mut part);
        let mut parts = lock(&parts);
        let position = parts.partition_point(|(other, _)| *other < first);
        parts.insert(position, (first, part));
    });
    let sorted = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut results = sorted.into_iter().map(|(_, part)| part);
    // Reuses the first part, which is the only one if the loop was not split.
    let mut all = results.next().unwrap_or_default();
    all.reserve_exact(n - all.len());
    for mut part in results {
        all.append(&mut part);
    }
    all
}

/// Maps `0..n` and returns the results in order, or the error of the lowest item that fails.
///
/// # Errors
/// The error of `f` for the lowest item that fails.
pub fn try_map<T: Send, E: Send>(
    n: usize,
    f: impl Fn(usize) -> Result<T, E> + Sync + Send,
) -> Result<Vec<T>, E> {
    // Items above a failed one are skipped. The lowest item that fails is never skipped, so the
    // reported error is always the same.
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
    let mut values = Vec::with_capacity(n);
    for result in results.into_iter().flatten() {
        values.push(result?);
    }
    Ok(values)
}

/// Maps consecutive blocks of `0..n` and returns the results in order. All blocks have `block`
/// items, except a shorter last one.
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

/// Maps owned items (mutable slices, buffers) and returns the results in order.
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
    // `map` calls a shared closure, so each item is taken out of a mutex, which is never contended.
    let n = items.len();
    let items: Vec<Mutex<Option<I>>> = items.into_iter().map(|it| Mutex::new(Some(it))).collect();
    map(n, |i| {
        let item = lock(&items[i]).take();
        f(i, item.expect("each item is taken once"))
    })
}

/// Number of threads that loops run on, at least 1. Use it to choose the number of pieces for work
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
/// `merge` must be associative and commutative to the last bit (counts, maxima,
/// [`ExactSum`](crate::ExactSum)s), because it is not fixed which blocks share a state.
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
    let merged: Mutex<Option<S>> = Mutex::new(None);
    for_ranges(n.div_ceil(block), &|items| {
        let mut state = identity();
        for b in items {
            fold(&mut state, b * block..((b + 1) * block).min(n));
        }
        // Merging happens outside the lock, so that no thread waits for it: a thread that finds
        // another state takes it, merges the two and tries again.
        loop {
            let mut merged = lock(&merged);
            let Some(other) = merged.take() else {
                *merged = Some(state);
                break;
            };
            drop(merged);
            merge(&mut state, other);
        }
    });
    let merged = merged.into_inner().unwrap_or_else(PoisonError::into_inner);
    merged.unwrap_or_else(identity)
}

/// Calls `f` with each chunk of a slice and the index of the chunk. All chunks have `size`
/// elements, except a shorter last one.
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
    fn items_after_a_failed_one_are_skipped() {
        let begun = AtomicUsize::new(0);
        let result: Result<Vec<()>, usize> = with_work_size(1, || {
            try_map(1000, |i| {
                begun.fetch_add(1, Ordering::Relaxed);
                if i == 3 { Err(i) } else { Ok(()) }
            })
        });
        assert_eq!((result, begun.into_inner()), (Err(3), 4));
    }

    /// Ranges that were not begun would otherwise be done before the panic arrives.
    #[cfg(feature = "rayon")]
    #[test]
    fn an_item_that_panics_ends_the_loop_on_every_thread() {
        const N: usize = 1000;
        let begun = AtomicUsize::new(0);
        let item = |i| {
            begun.fetch_add(1, Ordering::Relaxed);
            if i == 5 {
                std::panic::resume_unwind(Box::new("of the item"));
            }
            // The other thread is at its first items still.
            std::thread::sleep(std::time::Duration::from_millis(1));
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("two threads");
        let work = std::panic::AssertUnwindSafe(|| pool.install(|| map(N, item)));
        let payload = std::panic::catch_unwind(work).expect_err("a panic");
        assert_eq!(payload.downcast_ref(), Some(&"of the item"));
        assert!(begun.into_inner() < N / 2);
    }

    #[test]
    fn small_work_stays_on_its_thread_including_nested_work() {
        let here = std::thread::current().id();
        let elsewhere = |_| std::thread::current().id() != here;
        let met = with_work_size(SMALL, || {
            let of_part = with_work_size(SMALL + 1, || map(64, elsewhere));
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
        let panicked = std::panic::catch_unwind(|| with_work_size(1, || panic!("of the work")));
        assert!(panicked.is_err() && !ALONE.get());
        assert!(with_work_size(SMALL + 1, || !ALONE.get()));
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
