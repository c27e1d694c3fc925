//! Thread pools by number of threads, which are kept for later calls.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Thread pools by process and number of threads: the shared pool for work that calls no Python, and idle pools for
/// work that does.
///
/// Pools are kept per process, because a process made by `fork` has the memory of its parent but not its threads, and
/// would wait forever for a pool of the parent.
///
/// Work that calls Python has a pool of its own while it runs. A model that it calls may use this library as well; if
/// both shared a pool, its threads could all wait for the model, whose own work would then never start.
type Pools = HashMap<(u32, usize), (Option<Arc<ThreadPool>>, Vec<Arc<ThreadPool>>)>;

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// Largest number of idle pools that are kept per process and number of threads.
const KEPT: usize = 4;

/// Largest number of threads per core. More threads would only wait for each other.
const PER_CORE: usize = 4;

/// A pool that is lent to one piece of work, and returned when this value is dropped.
pub(super) struct Lent {
    pool: Arc<ThreadPool>,
    /// Key under which the pool is returned; `None` for the shared pool, which is not taken out.
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

/// Lends a pool with the [number of threads](count) that `n_jobs` stands for. `calls` is true for work that calls
/// Python.
///
/// # Errors
/// `ValueError` for 0, `RuntimeError` if the threads cannot be started.
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

/// Checks that `n_jobs` is not 0.
///
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

/// Number of threads that `n_jobs` stands for: a positive number itself, but at most four per core; `None` and -1 for
/// one per core, -2 for one less, and so on, but at least one.
///
/// # Errors
/// `ValueError` for 0.
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
