//! The thread pool of the process.

use std::sync::{Arc, OnceLock};

use rten::ThreadPool;

/// The pool for the loops of both the library and the engine, so that there are never more threads than requested:
/// a call of the model from a thread of the pool runs on the same pool.
static POOL: OnceLock<Arc<ThreadPool>> = OnceLock::new();

/// Returns the pool, and creates it with `threads` threads if there is none yet. 0 means all cores.
fn pool_with_threads(threads: usize) -> Arc<ThreadPool> {
    Arc::clone(POOL.get_or_init(|| Arc::new(ThreadPool::with_num_threads(threads))))
}

/// Returns the pool of the process.
pub(super) fn pool() -> Arc<ThreadPool> {
    pool_with_threads(0)
}

/// Runs work on the pool of the process, which the first call creates with `threads` threads. 0 means all cores.
/// `None` if the system does not provide that many threads.
pub fn install<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    pool_with_threads(threads).run(|| rayon::current_thread_index().map(|_| work()))
}
