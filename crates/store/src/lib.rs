//! Durable files: the only layer of the program that writes.

mod advice;
mod disk;
pub mod durable;
mod lock;
mod process;
mod real;
mod refusal;
mod shown;

pub use disk::{Disk, DiskFile, EntryKind, OpenMode, Stat};
pub use lock::{Holder, HomeLock, LockError};
pub use real::RealDisk;
pub use refusal::Refusal;
