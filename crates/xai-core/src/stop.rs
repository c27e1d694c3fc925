//! Stopping work from another thread, for example on Ctrl-C, after a time limit, or when a client is gone.
//!
//! [`stoppable`] runs any work of these crates, and another thread ends it by a [`StopFlag`]. Loops
//! of your own that cannot run in [`parallel`](crate::parallel) call [`check_stopped`].
//!
//! The crates of the families re-export this module, for example as `xai_casebased::stop`; programs that use one of
//! them import from there and need no dependency on `xai-core`.
//!
//! # In an async runtime
//!
//! Evaluations compute for seconds or hours and would block a worker of the runtime, so run them by
//! `spawn_blocking`. A task that was started cannot be aborted, but it can be stopped: a guard that
//! raises the flag ends it when the future is dropped, as by `tokio::time::timeout` or `select!`.
//!
//! ```
//! use xai_core::stop::{StopFlag, Stopped, stoppable};
//!
//! async fn in_background<R, F>(work: F) -> Result<R, Stopped>
//! where
//!     R: Send + 'static,
//!     F: FnOnce() -> R + Send + 'static,
//! {
//!     let flag = StopFlag::new();
//!     let _guard = flag.raise_on_drop();
//!     let task = tokio::task::spawn_blocking(move || stoppable(&flag, work));
//!     task.await.expect("the work does not panic")
//! }
//!
//! let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! let work = || xai_core::parallel::map(3, |i| i * i);
//! assert_eq!(runtime.block_on(in_background(work)), Ok(vec![0, 1, 4]));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # How soon work ends
//!
//! Work ends at the next item of a loop. For searches of nearest neighbours an item is a block of queries: a batch
//! is divided among the threads, in blocks of at most some hundred queries. Searches that must end soon, or show their
//! progress, are therefore called with small batches. With brute force over 100,000 rows of 16 features, a search ended
//! after 2.9 ms with batches of 8 queries, 9 ms with 64, and 72 ms with one batch of 20,000.
//!
//! # Progress
//!
//! Mergeable states ([`Accumulator`](crate::Accumulator)) are updated by the caller, who knows how many batches are
//! left. The evaluation of several attribution metrics plans its calls of the model and reports each of them
//! (`on_plan` and `on_progress`).

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Flag of the work that this thread is doing.
    static CURRENT: RefCell<Option<StopFlag>> = const { RefCell::new(None) };
}

/// Flag by which another thread stops [`stoppable`] work. Clones share the same flag.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Creates a flag that is not raised.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag, so that the work ends at the next item of one of its loops.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns a guard that raises the flag when it is dropped.
    ///
    /// ```
    /// let flag = xai_core::stop::StopFlag::new();
    /// drop(flag.raise_on_drop());
    /// assert!(flag.is_raised());
    /// ```
    #[must_use = "the flag is raised at once if the guard is not kept"]
    pub fn raise_on_drop(&self) -> RaiseOnDrop {
        RaiseOnDrop(self.clone())
    }

    /// Returns `true` if the flag was raised.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Guard that raises a [`StopFlag`] when it is dropped, see [`StopFlag::raise_on_drop`].
#[derive(Debug)]
pub struct RaiseOnDrop(StopFlag);

impl Drop for RaiseOnDrop {
    fn drop(&mut self) {
        self.0.raise();
    }
}

/// Error of work that was stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the end")]
pub struct Stopped;

/// Runs work that another thread can stop by raising `flag`: on Ctrl-C, by a button, after a time
/// limit.
///
/// All loops of [`parallel`](crate::parallel), including nested ones, check the flag before each item, on every
/// thread. So stopping takes as long as the longest item, some milliseconds for most metrics.
/// Partial results are dropped. If the flag is never raised, the result is that of the work without
/// a flag.
///
/// The loops are left by unwinding, so a program with `panic = "abort"` ends.
///
/// # Errors
/// [`Stopped`] if the work found the flag raised. A flag raised after the last check has no effect.
///
/// ```
/// use xai_core::parallel;
/// use xai_core::stop::{StopFlag, Stopped, stoppable};
/// let flag = StopFlag::new();
/// let work = || parallel::map(1000, |i| if i == 3 { flag.raise() });
/// assert_eq!(stoppable(&flag, work), Err(Stopped));
/// assert_eq!(stoppable(&StopFlag::new(), || parallel::map(2, |i| i)), Ok(vec![0, 1]));
/// ```
pub fn stoppable<R>(flag: &StopFlag, work: impl FnOnce() -> R) -> Result<R, Stopped> {
    let stop = Stop(Some(flag.clone()));
    let run = || {
        let _restore = stop.enter();
        check_stopped();
        work()
    };
    // Unwind-safe: data that the work leaves incomplete is dropped with the closure.
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        if payload.is::<Stopped>() {
            Stopped
        } else {
            resume_unwind(payload)
        }
    })
}

/// Ends the current work if it was stopped. For loops whose items depend on each other, which the
/// functions of [`parallel`](crate::parallel) cannot run.
///
/// ```
/// use xai_core::stop::{StopFlag, Stopped, check_stopped, stoppable};
/// let flag = StopFlag::new();
/// let mut done = 0;
/// let work = || {
///     for i in 0..1000 {
///         check_stopped();
///         if i == 3 {
///             flag.raise();
///         }
///         done += 1;
///     }
/// };
/// assert_eq!(stoppable(&flag, work), Err(Stopped));
/// assert_eq!(done, 4);
/// ```
pub fn check_stopped() {
    if CURRENT.with_borrow(|flag| flag.as_ref().is_some_and(StopFlag::is_raised)) {
        unwind();
    }
}

/// Flag of the work that a loop belongs to, if it can be stopped.
pub(crate) struct Stop(Option<StopFlag>);

impl Stop {
    /// Flag of the work that this thread is doing.
    pub(crate) fn current() -> Self {
        Self(CURRENT.with_borrow(Clone::clone))
    }

    /// Returns `true` if the work was stopped.
    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        self.0.as_ref().is_some_and(StopFlag::is_raised)
    }

    /// Marks this thread as doing the work until the returned guard is dropped.
    ///
    /// This includes work without a flag: a rayon thread that waits for a part of its own work may
    /// run items of other work meanwhile, which must not be stopped with it.
    pub(crate) fn enter(&self) -> RestoreCurrent {
        RestoreCurrent(CURRENT.replace(self.0.clone()))
    }
}

/// Unwinds stopped work. `resume_unwind` does not call the panic hook, so no panic message is printed.
pub(crate) fn unwind() -> ! {
    resume_unwind(Box::new(Stopped))
}

/// Guard that restores the previous work of the thread, also if an item panics.
pub(crate) struct RestoreCurrent(Option<StopFlag>);

impl Drop for RestoreCurrent {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::{fold_blocks, for_each_chunk, map, map_owned};
    use std::sync::atomic::AtomicUsize;

    /// What the loops of a test do with each item.
    type Item<'a> = &'a (dyn Fn() + Sync);

    /// Loops that count their items and raise the flag at the tenth.
    fn counted(flag: &StopFlag, run: impl FnOnce(Item<'_>)) -> usize {
        let items = AtomicUsize::new(0);
        let item = || {
            if items.fetch_add(1, Ordering::Relaxed) == 9 {
                flag.raise();
            }
            std::thread::yield_now();
        };
        assert_eq!(stoppable(flag, || run(&item)), Err(Stopped));
        items.into_inner()
    }

    #[test]
    fn every_loop_stops_at_a_raised_flag() {
        const N: usize = 100_000;
        let loops: [&dyn Fn(Item<'_>); 5] = [
            &|item| drop(map(N, |_| item())),
            &|item| drop(map_owned(vec![(); N], |_, ()| item())),
            &|item| fold_blocks(N, 1, || (), |(), _| item(), |(), ()| ()),
            &|item| for_each_chunk(&mut vec![0_u8; N], 1, |_, _| item()),
            // Within an item of a loop.
            &|item| drop(map(2, |_| drop(map(N, |_| item())))),
        ];
        for run in loops {
            let items = counted(&StopFlag::new(), run);
            assert!((10..N).contains(&items), "{items}");
        }
    }

    /// Unwinding once for each item that is left would take seconds.
    #[test]
    fn a_long_loop_stops_without_unwinding_per_item() {
        const N: usize = 5_000_000;
        let flag = StopFlag::new();
        let start = std::time::Instant::now();
        let stopped = stoppable(&flag, || {
            map(N, |i| {
                if i % (N / 2) == 99 {
                    flag.raise();
                }
            });
        });
        assert_eq!(stopped, Err(Stopped));
        assert!(start.elapsed() < std::time::Duration::from_secs(1));
    }

    #[test]
    fn a_flag_that_was_raised_before_stops_work_at_once() {
        let flag = StopFlag::new();
        flag.raise();
        assert_eq!(stoppable(&flag, || 1), Err(Stopped));
    }

    #[test]
    fn other_work_is_not_stopped() {
        let flag = StopFlag::new();
        let stopped = stoppable(&flag, || {
            flag.raise();
            // Other work, which a thread may meet while it waits for its own.
            let other = stoppable(&StopFlag::new(), || map(100, |i| map(3, |j| i + j)));
            assert_eq!(other.map(|items| items.len()), Ok(100));
            map(1, |_| ())
        });
        assert_eq!(stopped, Err(Stopped));
        assert_eq!(map(100, |i| i).len(), 100);
    }

    #[test]
    fn a_panic_of_the_work_is_passed_on() {
        let panicked = catch_unwind(|| {
            let _ = stoppable(&StopFlag::new(), || resume_unwind(Box::new("other")));
        });
        let payload = panicked.expect_err("a panic");
        assert_eq!(payload.downcast_ref(), Some(&"other"));
    }
}
