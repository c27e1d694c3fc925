//! Pools of threads, by their number.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Thread pools by process and number of threads: the shared pool for work that calls no Python, and idle pools for work that does.
///
/// A process made by `fork` has the memory of its parent, but not its threads, and would wait for ever
/// on a pool of the parent. So would a model that measures something, on this thread or on another that it waits
/// for, if its work shared a pool with the work that waits for the model: such work has a pool of its own while it
/// lasts.
type Pools = HashMap<(u32, usize), (Option<Arc<ThreadPool>>, Vec<Arc<ThreadPool>>)>;

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// Idle pools of one size that are kept.
const KEPT: usize = 4;

/// Threads per core, at most: more of them only wait for each other.
const PER_CORE: usize = 4;

/// A pool for one piece of work.
pub(super) struct Lent {
    pool: Arc<ThreadPool>,
    /// Key under which the pool is returned.
    home: Option<(u32, usize)>,
}

impl Deref for Lent {
    type Target = ThreadPool;

    fn deref(&self) -> &ThreadPool {
        &self.pool
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(home) = self.home else { return };
        with_pools(home, |(_, idle)| {
            if idle.len() < KEPT {
                idle.push(Arc::clone(&self.pool));
            }
        });
    }
}

/// A pool of `n_jobs` threads: `None` and -1 stand for one per core, -2 for one less, and so on. `calls` says
/// whether its work calls Python.
///
/// # Errors
/// `ValueError` for 0.
pub(super) fn with_threads(n_jobs: Option<i64>, calls: bool) -> PyResult<Lent> {
    let n = count(n_jobs)?;
    let key = (std::process::id(), n);
    let home = calls.then_some(key);
    let found = with_pools(
        key,
        |(shared, idle)| if calls { idle.pop() } else { shared.clone() },
    );
    if let Some(pool) = found {
        return Ok(Lent { pool, home });
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(n)
        .thread_name(|i| format!("xai-metrics-{i}"))
        .build()
        .map_err(|e| PyRuntimeError::new_err(format!("{n} threads cannot be started: {e}")))?;
    let pool = Arc::new(pool);
    if !calls {
        with_pools(key, |(shared, _)| *shared = Some(Arc::clone(&pool)));
    }
    Ok(Lent { pool, home })
}

fn with_pools<R>(
    key: (u32, usize),
    work: impl FnOnce(&mut (Option<Arc<ThreadPool>>, Vec<Arc<ThreadPool>>)) -> R,
) -> R {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    work(pools.get_or_insert_default().entry(key).or_default())
}

/// # Errors
/// `ValueError` for 0.
pub(super) fn check(n_jobs: Option<i64>) -> PyResult<()> {
    match n_jobs {
        Some(0) => Err(PyValueError::new_err(
            "n_jobs: expected a number of threads, or -1 for one per core, got 0",
        )),
        _ => Ok(()),
    }
}

/// The number of threads that `n_jobs` stands for.
pub(super) fn count(n_jobs: Option<i64>) -> PyResult<usize> {
    check(n_jobs)?;
    let cores = available_parallelism().map_or(1, usize::from);
    let n = n_jobs.unwrap_or(-1);
    let asked = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
    Ok(if n > 0 {
        asked.min(PER_CORE * cores)
    } else {
        (cores + 1).saturating_sub(asked).max(1)
    })
}
