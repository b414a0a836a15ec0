//! Locks that a panic elsewhere does not take down with it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock. What it guards is whole between any two statements, so one that a panic left behind is as good.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
