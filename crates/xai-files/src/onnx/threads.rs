//! The threads of the command.

use std::sync::{Arc, OnceLock};

use rten::ThreadPool;

/// One pool for the loops of the library and for those of the engine: a call of the model from a
/// thread of the pool runs on that pool, so that there are never more threads at work than asked
/// for.
static POOL: OnceLock<Arc<ThreadPool>> = OnceLock::new();

/// The pool of the process, of `threads` threads if it does not exist yet; 0 means all cores.
fn pool_of(threads: usize) -> Arc<ThreadPool> {
    Arc::clone(POOL.get_or_init(|| Arc::new(ThreadPool::with_num_threads(threads))))
}

/// The pool of the process.
pub(super) fn pool() -> Arc<ThreadPool> {
    pool_of(0)
}

/// Runs work on the pool of the process, which has `threads` threads from the first call on; 0 means
/// all cores. Nothing where the system does not give that many threads.
pub fn install<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    pool_of(threads).run(|| rayon::current_thread_index().map(|_| work()))
}
