//! Durable files: the only layer of the program that writes.

mod disk;

pub use disk::{Disk, DiskFile, EntryKind, OpenMode, Stat};
