//! Counts how many bytes the rules read, in tests only. Time that grows faster than the text shows there
//! without a clock, and so the same on every machine.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static READ_BYTES: Cell<u64> = const { Cell::new(0) };
}

/// Notes that a rule looked at this many bytes. Every loop whose length depends on the text says so.
#[inline(always)]
pub(super) fn note(bytes: usize) {
    #[cfg(test)]
    READ_BYTES.with(|read| read.set(read.get() + bytes as u64));
    #[cfg(not(test))]
    let _ = bytes;
}

/// How many bytes `read` looks at.
#[cfg(test)]
pub(super) fn of(read: impl FnOnce()) -> u64 {
    READ_BYTES.with(|bytes| bytes.set(0));
    read();
    READ_BYTES.with(Cell::get)
}
