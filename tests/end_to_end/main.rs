//! The real binary, real files, real processes: what a person or a script sees.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs
)]

mod audit;
mod blackboard;
mod checks;
mod completing;
mod connect;
mod crowds;
mod daemon;
mod doctor;
mod editors;
mod events;
mod faults;
mod first_minutes;
mod fleet;
mod handed_over;
mod homes;
mod hooks;
mod import;
mod kills;
mod loop_runs;
mod loops;
mod mcp;
mod metrics;
mod mistakes;
mod models;
mod month;
mod named_files;
mod newcomer;
mod page;
mod partitions;
mod real_agents;
mod redis;
mod reviewing;
mod rules;
mod secret_names;
mod shared_inbox;
mod support;
mod systemd;
mod tail;
mod terminal;
mod unread;
mod weaver;
mod whose_words;
