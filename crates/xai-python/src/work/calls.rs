//! Calls back into Python, made on the thread that waits for the work.

use std::error::Error as StdError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use crate::error::OrRaise;

/// Something that the waiting thread does with the interpreter lock held.
pub(super) type Call = Box<dyn for<'py> FnOnce(Python<'py>) + Send>;

/// Calls of the user's functions on the thread that waits for the work. The first exception is kept for the user.
#[derive(Clone)]
pub(crate) struct Calls {
    /// Hands a call to the waiting thread; returns whether a thread is waiting.
    hand_over: Arc<dyn Fn(Call) -> bool + Send + Sync>,
    raised: Arc<Raised>,
}

#[derive(Default)]
struct Raised {
    first: Mutex<Option<PyErr>>,
    any: AtomicBool,
}

/// Error that stands for a Python exception, which is kept for the user.
#[derive(Debug)]
struct HasRaised;

impl std::fmt::Display for HasRaised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it raised an exception")
    }
}

impl StdError for HasRaised {}

impl Calls {
    pub(super) fn new(hand_over: impl Fn(Call) -> bool + Send + Sync + 'static) -> Self {
        Self {
            hand_over: Arc::new(hand_over),
            raised: Arc::default(),
        }
    }

    /// Calls a function on the waiting thread and blocks until it returns.
    ///
    /// After the first exception, or if no thread is waiting, nothing is called, so that no further batches follow a
    /// bug or Ctrl-C.
    pub(crate) fn call<R: Send + 'static>(
        &self,
        call: impl for<'py> FnOnce(Python<'py>) -> PyResult<R> + Send + 'static,
    ) -> Result<R, Box<dyn StdError + Send + Sync>> {
        let (answer, answered) = sync_channel(1);
        let raised = Arc::clone(&self.raised);
        (self.hand_over)(Box::new(move |py| {
            if !raised.any.load(Ordering::Relaxed) {
                match call(py) {
                    // Cannot fail: the receiver waits for the answer.
                    Ok(made) => drop(answer.send(made)),
                    Err(exception) => raised.keep(exception),
                }
            }
        }));
        // There is no answer if the call was dropped or raised an exception.
        answered.recv().map_err(|_| HasRaised.into())
    }

    /// Calls a function on the waiting thread without waiting for it, unlike [`call`](Self::call) also after an
    /// exception.
    pub(crate) fn tell(
        &self,
        call: impl for<'py> FnOnce(Python<'py>) -> PyResult<()> + Send + 'static,
    ) {
        let raised = Arc::clone(&self.raised);
        (self.hand_over)(Box::new(move |py| {
            if let Err(exception) = call(py) {
                raised.keep(exception);
            }
        }));
    }

    /// Returns the outcome of the work; an exception of a Python function comes first.
    pub(crate) fn outcome<R, E>(&self, py: Python<'_>, outcome: Result<R, E>) -> PyResult<R>
    where
        Result<R, E>: OrRaise<R>,
    {
        match self.raised.lock().take() {
            Some(exception) => Err(exception),
            None => outcome.or_raise(py),
        }
    }
}

impl Raised {
    fn lock(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, exception: PyErr) {
        self.lock().get_or_insert(exception);
        self.any.store(true, Ordering::Relaxed);
    }
}
