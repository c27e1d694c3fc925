//! Work without the interpreter lock: on a number of threads, interrupted by Ctrl-C, and with calls
//! back into Python on the thread that asked for it.
//!
//! Small work that calls no Python runs on the caller's thread, with the lock and without interrupts; all other work
//! runs on the threads of a pool while the caller's thread waits. That thread looks for Ctrl-C whenever it has got no
//! message for 20 ms, and it makes the calls of models and explainers: in the thread that the user called us from,
//! where the settings that frameworks keep per thread (`torch.no_grad`, a default device) are the user's.

mod calls;
mod pools;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use xai_core::parallel::with_work_size;
use xai_core::stop::{StopFlag, stoppable};

pub(crate) use calls::Calls;

/// Interval at which the waiting thread checks for Ctrl-C.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(20);

/// Message to the waiting thread.
enum Message {
    /// Something to do with the lock held.
    Call(calls::Call),
    /// The work is done.
    Done,
}

/// Largest number of elements for which work takes less time than other threads take to wake.
const SMALL: usize = 1 << 12;

/// Does some work over `n_elements` elements: on this thread if they are few, otherwise as [`run`].
///
/// # Errors
/// As [`run`].
pub(crate) fn run_sized<R: Send>(
    py: Python<'_>,
    n_jobs: Option<i64>,
    n_elements: usize,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    if n_elements > SMALL {
        return run(py, n_jobs, work);
    }
    pools::check(n_jobs)?;
    Ok(with_work_size(n_elements, work))
}

/// Does some work on `n_jobs` threads without the interpreter lock.
///
/// # Errors
/// `KeyboardInterrupt` (or what a handler of signals raises); `ValueError` for `n_jobs=0`; `RuntimeError` if the
/// threads cannot be started.
pub(crate) fn run<R: Send>(
    py: Python<'_>,
    n_jobs: Option<i64>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let pool = pools::with_threads(n_jobs, false)?;
    Ok(run_on(py, &pool, |_| work())?.1)
}

/// Does some work that calls Python from any of its threads. The returned calls have the first exception.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_with_calls<R: Send>(
    py: Python<'_>,
    n_jobs: Option<i64>,
    work: impl FnOnce(&Calls) -> R + Send,
) -> PyResult<(Calls, R)> {
    let pool = pools::with_threads(n_jobs, true)?;
    run_on(py, &pool, work)
}

/// As [`run_sized`], for work that could call Python but has no function to call.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_without_calls<R: Send>(
    py: Python<'_>,
    n_jobs: Option<i64>,
    n_elements: usize,
    work: impl FnOnce(&Calls) -> R + Send,
) -> PyResult<(Calls, R)> {
    let calls = Calls::new(|_| false);
    let made = run_sized(py, n_jobs, n_elements, || work(&calls))?;
    Ok((calls, made))
}

fn run_on<R: Send>(
    py: Python<'_>,
    pool: &rayon::ThreadPool,
    work: impl FnOnce(&Calls) -> R + Send,
) -> PyResult<(Calls, R)> {
    let flag = StopFlag::new();
    let (tell, told) = channel();
    let ask = tell.clone();
    // What the work has made, or the payload of its panic.
    let made = Mutex::new(None);
    let calls = Calls::new(move |call| ask.send(Message::Call(call)).is_ok());
    let result = py.detach(|| {
        pool.in_place_scope(|scope| {
            let (stop, outcome_of_work, calls) = (flag.clone(), &made, calls.clone());
            scope.spawn(move |_| {
                let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    stoppable(&stop, || work(&calls))
                }));
                // Nobody waits for stopped work.
                let outcome = match outcome {
                    Ok(Ok(made)) => Ok(made),
                    Ok(Err(_)) => return,
                    Err(payload) => Err(payload),
                };
                *outcome_of_work
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner) = Some(outcome);
                let _ = tell.send(Message::Done);
            });
            loop {
                match told.recv_timeout(BETWEEN_SIGNALS) {
                    Ok(Message::Done) => {
                        match made.lock().unwrap_or_else(PoisonError::into_inner).take() {
                            Some(Ok(made)) => return Ok(made),
                            Some(Err(payload)) => std::panic::resume_unwind(payload),
                            None => {}
                        }
                    }
                    Ok(Message::Call(call)) => Python::attach(call),
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                        if let Err(raised) = Python::attach(|py| py.check_signals()) {
                            flag.raise();
                            // Calls that wait for an answer get none, and their loops end.
                            drop(told);
                            return Err(raised);
                        }
                    }
                }
            }
        })
    });
    Ok((calls, result?))
}

/// The number of threads that `n_jobs` stands for.
#[pyfunction]
#[pyo3(signature = (n_jobs=None))]
fn n_threads(n_jobs: Option<i64>) -> PyResult<usize> {
    pools::count(n_jobs)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(n_threads, module)?)
}
