//! Work over items that gives the same result with and without threads.
//!
//! With the `rayon` feature items run on the current rayon pool, without it in a plain loop. Results
//! come in item order, the reported error is the one of the lowest item, and states are merged
//! through operations that do not depend on order, so nobody can tell which of the two it was.
//! Another thread can stop [`stoppable`] work between two items; all threads then leave the loop at their next
//! one, instead of unwinding once for each item that is left.
//!
//! A loop of one item, and every loop of [work that is small](with_work_size), stays on the thread that it is met on.
//!
//! What shares items among threads (`in_ranges`) knows no type of them and is compiled once: with an iterator of rayon in
//! each loop it was a quarter of the code of the crates above.

mod stop;

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
/// use xai_core::parallel::{map, with_work_size};
/// let here = current().id();
/// assert!(with_work_size(100, || map(100, |_| current().id() == here)).into_iter().all(|same| same));
/// ```
pub fn with_work_size<R>(operations: usize, work: impl FnOnce() -> R) -> R {
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

/// Covers `0..n` by ranges whose items `work` does, on the threads of the current pool where that is worth it.
fn in_ranges(n: usize, work: &(dyn Fn(Items<'_>) + Sync)) {
    let (stop, is_left) = (Stop::of_this_thread(), AtomicBool::new(false));
    let of_range = |range: Range<usize>| {
        let _before = stop.begin();
        work(Items {
            range,
            stop: &stop,
            is_left: &is_left,
            is_at_one: false,
        });
    };
    #[cfg(feature = "rayon")]
    if is_shared(n) {
        return share(0..n, rayon::current_num_threads(), false, &of_range);
    }
    of_range(0..n);
}

/// Halves a range until there are some pieces for each thread, and cuts what another thread has taken over once more,
/// for threads that are done early: the rule of rayon's own iterators.
#[cfg(feature = "rayon")]
fn share(
    range: Range<usize>,
    pieces: usize,
    is_taken_over: bool,
    of_range: &(dyn Fn(Range<usize>) + Sync),
) {
    if range.len() < 2 || (pieces == 0 && !is_taken_over) {
        return of_range(range);
    }
    let least = if is_taken_over {
        rayon::current_num_threads()
    } else {
        0
    };
    let pieces = least.max(pieces / 2);
    let middle = range.start + range.len() / 2;
    rayon::join_context(
        |of| share(range.start..middle, pieces, of.migrated(), of_range),
        |of| share(middle..range.end, pieces, of.migrated(), of_range),
    );
}

/// The items of a range, up to where the work is stopped or an item of any range panics.
struct Items<'a> {
    range: Range<usize>,
    stop: &'a Stop,
    /// Whether some thread has left the loop before its end.
    is_left: &'a AtomicBool,
    /// Whether an item was handed out and no other was asked for since.
    is_at_one: bool,
}

impl Iterator for Items<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.is_at_one = false;
        if self.is_left.load(Ordering::Relaxed) {
            return None;
        }
        let item = self.range.next()?;
        if self.stop.is_raised() {
            self.is_left.store(true, Ordering::Relaxed);
            stop::leave();
        }
        self.is_at_one = true;
        Some(item)
    }
}

impl Drop for Items<'_> {
    fn drop(&mut self) {
        // Dropped with an item at hand: it panicked.
        if self.is_at_one {
            self.is_left.store(true, Ordering::Relaxed);
        }
    }
}

/// What a mutex holds. One is poisoned where an item panicked, and then nobody sees what the loop has made.
fn held<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Maps `0..n`, results in order.
///
/// ```
/// assert_eq!(xai_core::parallel::map(4, |i| i * i), vec![0, 1, 4, 9]);
/// ```
pub fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    // All but the loop over the items is compiled once for each type of results, not for each `f`.
    gather(n, &|items, part| {
        for i in items {
            part.push(f(i));
        }
    })
}

/// The results that `work` appends for ranges of `0..n`, in order.
fn gather<T: Send>(n: usize, work: &(dyn Fn(Items<'_>, &mut Vec<T>) + Sync)) -> Vec<T> {
    // The first item of each range and its results, ascending.
    let parts: Mutex<Vec<(usize, Vec<T>)>> = Mutex::new(Vec::new());
    in_ranges(n, &|items| {
        let first = items.range.start;
        let mut part = Vec::with_capacity(items.range.len());
        work(items, &mut part);
        let mut parts = held(&parts);
        let place = parts.partition_point(|(other, _)| *other < first);
        parts.insert(place, (first, part));
    });
    let parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut parts = parts.into_iter().map(|(_, part)| part);
    let mut all = parts.next().unwrap_or_default();
    all.reserve_exact(n - all.len());
    for mut part in parts {
        all.append(&mut part);
    }
    all
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
    let mut values = Vec::with_capacity(n);
    for result in results.into_iter().flatten() {
        values.push(result?);
    }
    Ok(values)
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
    let n = items.len();
    let items: Vec<Mutex<Option<I>>> = items.into_iter().map(|it| Mutex::new(Some(it))).collect();
    map(n, |i| {
        let item = held(&items[i]).take();
        f(i, item.expect("each item is asked for once"))
    })
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
    let merged: Mutex<Option<S>> = Mutex::new(None);
    in_ranges(n.div_ceil(block), &|items| {
        let mut state = identity();
        for b in items {
            fold(&mut state, b * block..((b + 1) * block).min(n));
        }
        // Merged while nobody waits: whoever finds another state takes it along.
        loop {
            let mut merged = held(&merged);
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
    fn small_work_stays_on_its_thread_and_other_work_does_not_end_it() {
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
