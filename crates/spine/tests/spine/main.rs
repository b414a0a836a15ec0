//! The spine on a real file system: appends, repairs, duplicates, faults, many processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs
)]

mod appends;
mod bad_files;
mod common;
mod cuts;
mod days;
mod duplicates;
mod faults;
mod processes;
