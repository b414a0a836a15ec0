//! Durable files: the only layer of the program that writes.

mod advice;
#[cfg(test)]
mod child;
#[cfg(any(test, feature = "faults"))]
mod crash;
mod disk;
pub mod durable;
#[cfg(any(test, feature = "faults"))]
mod faulty;
mod lock;
mod locked;
mod process;
mod real;
mod refusal;
mod shown;

pub use advice::advice;
#[cfg(any(test, feature = "faults"))]
pub use crash::CrashDisk;
pub use disk::{Disk, DiskFile, EntryKind, Lease, OpenMode, Stat};
#[cfg(any(test, feature = "faults"))]
pub use faulty::{Fault, FaultKind, FaultyDisk, Then, is_crash};
pub use lock::{Holder, HomeLock, LockError};
pub use locked::locked;
pub use real::RealDisk;
pub use refusal::Refusal;
