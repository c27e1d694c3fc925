//! Locks that a panic of the caller's model does not poison.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic of the model in another thread must not hide behind a poisoned lock.
pub(crate) fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a lock holds, as [`lock`] has it.
pub(crate) fn into_inner<V>(mutex: Mutex<V>) -> V {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
