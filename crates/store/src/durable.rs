//! The few ways in which anything becomes durable.
//!
//! | helper                   | steps, in this order                                                     | after a crash           |
//! |--------------------------|--------------------------------------------------------------------------|-------------------------|
//! | [`append`]               | one `write(2)`; cut back when it was short or failed                     | old, or a torn last record |
//! | [`replace`]              | temporary file, sync, rename, sync the directory                         | old or new              |
//! | [`create_new`]           | temporary file, sync, rename without replacing, sync the directory       | missing or whole        |
//! | [`create_many_new`]      | as `create_new`, with one sync of the file system for all of them        | each missing or whole   |
//! | [`replace_if_unchanged`] | as `create_new` beside it, then exchanged with what is there, which is looked at | old or new; see `swap` |
//! | [`replace_when_quiet`]   | waits until nobody writes to it, then as `replace_if_unchanged`          | the same                |
//! | [`remove_if_unchanged`]  | renamed, looked at, unlinked                                             | there or gone; see `swap` |
//! | [`claim`]                | rename without replacing, sync both directories                          | here or there           |
//! | [`remove`]               | unlink, sync the directory                                               | there or gone           |
//! | [`make_dirs`]            | one directory after the other, each parent synced                        | a prefix of them        |
//!
//! - A temporary file is called `.<name>.<pid>.<counter>.tmp` and stands beside its target. A failed
//!   operation removes its own; [`sweep_temporaries`] removes those of writers that died, and [`clear_up`] is for the
//!   next one who writes there.
//! - Only regular files are replaced: a link, FIFO or directory under the name is refused. The new file
//!   is another inode with mode 0600, so hard links to the old one keep the old content. Only the files that people
//!   edit too keep what they are: those that go through `replace_if_unchanged`.
//! - Not promised: anything against a disk that says "synced" and lies.

mod append;
mod aside;
mod error;
mod finish;
mod held;
mod moves;
mod poison;
mod quiet;
mod read;
mod replace;
mod swap;
mod temporary;

pub use append::{AppendError, append};
pub use aside::set_aside;
pub use error::WriteError;
pub use finish::{clear_up, finish_replacements};
pub use moves::{claim, make_dirs, remove};
pub use poison::{Poison, SyncError};
pub use quiet::{Patience, QuietError, read_when_quiet, replace_when_quiet, wait_until_quiet};
pub use read::{ReadError, follow_link, read, read_text};
pub use replace::{create_many_new, create_new, replace, replace_derived, replace_with};
pub use swap::{remove_if_unchanged, replace_if_unchanged, why_not_replaceable};
pub use temporary::{SweepError, is_temporary_of, sweep_temporaries};

#[cfg(test)]
mod tests;
