//! Calls back into Python, made on the thread that waits for the work.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Something that the waiting thread does with the interpreter lock held.
pub(super) type Call = Box<dyn for<'py> FnOnce(Python<'py>) + Send>;

/// Hands calls to the thread that waits for the work.
#[derive(Clone)]
pub(crate) struct Caller<'a> {
    hand_over: Arc<dyn Fn(Call) -> bool + Send + Sync>,
    during: PhantomData<&'a ()>,
}

impl Caller<'_> {
    pub(super) fn new(hand_over: impl Fn(Call) -> bool + Send + Sync + 'static) -> Self {
        Self {
            hand_over: Arc::new(hand_over),
            during: PhantomData,
        }
    }

    /// For closures that own what they use. When the work is over nobody waits any more: see the errors of
    /// [`call`](Self::call).
    pub(crate) fn unbound(&self) -> Caller<'static> {
        Caller {
            hand_over: Arc::clone(&self.hand_over),
            during: PhantomData,
        }
    }

    /// What `call` gives on the waiting thread; blocks until then.
    ///
    /// # Errors
    /// The exception that the call raised; `KeyboardInterrupt` where nobody waits any more.
    pub(crate) fn call<R: Send + 'static>(
        &self,
        call: impl for<'py> FnOnce(Python<'py>) -> PyResult<R> + Send + 'static,
    ) -> PyResult<R> {
        let (answer, answered) = sync_channel(1);
        let handed = (self.hand_over)(Box::new(move |py| {
            // The one who asked is there as long as the answer is awaited.
            let _ = answer.send(call(py));
        }));
        let nobody = || PyKeyboardInterrupt::new_err(());
        if !handed {
            return Err(nobody());
        }
        answered.recv().unwrap_or_else(|_| Err(nobody()))
    }

    /// Tells the waiting thread something, and goes on.
    pub(crate) fn tell(&self, call: impl for<'py> FnOnce(Python<'py>) + Send + 'static) {
        (self.hand_over)(Box::new(call));
    }
}
