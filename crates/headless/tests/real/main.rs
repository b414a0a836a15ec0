//! The real command-line agents, run by this crate, with a scripted model on loopback and no network.
//!
//! The programs are npm packages that `cargo xtask test` puts below `target/agents`; without them these tests are
//! skipped. Whatever they might want to reach besides the model goes to a port where nobody listens.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "tests write files, read the environment and stop at the first surprise"
)]

mod claude;
mod claude_failures;
mod codex;
mod missing;
mod questions;
mod stage;
