//! An agent's program without a terminal: the command line that an [`Order`] becomes, and what the program's report means.
//!
//! Whoever runs it is the crate `headless`.

pub(crate) mod argument;
mod lines;
mod order;
mod permission;
mod progress;
mod report;
mod subagents;
pub(crate) mod tool;
pub mod words;

use std::collections::BTreeMap;
use std::ffi::OsString;

pub use lines::{JsonLine, objects};
pub(crate) use lines::{count, text};
pub use order::Order;
pub use permission::PermissionMode;
pub use progress::Progress;
pub use report::Report;
pub(crate) use subagents::to_json;
pub use subagents::{Subagent, read_subagents};

/// How an agent's program is called, and what it says.
#[derive(Clone, Copy)]
pub struct Cli {
    /// Makes the command line; an error says what cannot be ordered.
    pub command_line: fn(&Request<'_>) -> Result<CommandLine, String>,
    /// Reads what the program said, one object a line.
    pub report: fn(&[JsonLine], &Order) -> Report,
    /// Hears one object while the program still works.
    pub hear: fn(&JsonLine, &mut Progress),
    /// Whether it says what a run cost.
    pub tells_cost: bool,
    /// Whether the kernel keeps what it starts inside a sandbox that it makes itself, from `Order::mode` and `Order::tools`.
    /// Such a sandbox cannot be made inside of another, and the program needs its own folder.
    pub has_own_sandbox: bool,
    /// Beginnings of the variables that it finds in its environment: its keys, its endpoint, its files.
    pub variables: &'static [&'static str],
}

/// What a command line is made of.
#[derive(Debug)]
pub struct Request<'a> {
    /// What is to be done.
    pub order: &'a Order,
    /// What stands above the prompt.
    pub rules: Option<&'a str>,
    /// Whom the agent may send out.
    pub subagents: &'a [Subagent],
    /// What the program will find in its environment.
    pub environment: &'a BTreeMap<OsString, OsString>,
}

/// How a program is called.
#[derive(Debug, Default)]
pub struct CommandLine {
    /// Its arguments.
    pub args: Vec<String>,
    /// Added to the environment; `None` takes a variable away.
    pub environment: Vec<(&'static str, Option<String>)>,
    /// What it reads.
    pub stdin: String,
}
