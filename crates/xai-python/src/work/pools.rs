//! Pools of threads, by their number.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// By process, depth of calls and number of threads.
///
/// A process made by `fork` has the memory of its parent, but not its threads, and would wait for ever
/// on a pool of the parent. So would a model that measures something itself, on a pool whose threads
/// wait for the model.
type Pools = HashMap<(u32, usize, usize), Arc<ThreadPool>>;

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

thread_local! {
    /// How many calls back into Python this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Makes a call back into Python, which may ask for a pool itself.
pub(super) fn within_call(call: impl FnOnce()) {
    DEPTH.set(DEPTH.get() + 1);
    call();
    DEPTH.set(DEPTH.get() - 1);
}

/// The pool of `n_jobs` threads: `None` and -1 stand for one per core, -2 for one less, and so on.
///
/// # Errors
/// `ValueError` for 0.
pub(super) fn of_threads(n_jobs: Option<i64>) -> PyResult<Arc<ThreadPool>> {
    let n = count(n_jobs)?;
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), DEPTH.get(), n);
    if let Some(pool) = pools.as_ref().and_then(|pools| pools.get(&key)) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(n)
        .thread_name(|i| format!("xai-metrics-{i}"))
        .build()
        .map_err(|e| PyRuntimeError::new_err(format!("{n} threads cannot be started: {e}")))?;
    let pool = Arc::new(pool);
    pools.get_or_insert_default().insert(key, pool.clone());
    Ok(pool)
}

fn count(n_jobs: Option<i64>) -> PyResult<usize> {
    let cores = available_parallelism().map_or(1, usize::from);
    match n_jobs.unwrap_or(-1) {
        0 => Err(PyValueError::new_err(
            "n_jobs: expected a number of threads, or -1 for one per core, got 0",
        )),
        n if n > 0 => Ok(usize::try_from(n).unwrap_or(usize::MAX).min(1 << 16)),
        n => {
            let fewer = usize::try_from(-(n + 1)).unwrap_or(usize::MAX);
            Ok(cores.saturating_sub(fewer).max(1))
        }
    }
}
