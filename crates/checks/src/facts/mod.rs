//! What a turn really holds, extracted once: commands with their order and success, files read and written with what was
//! added, commits, pushes, branches, tools, refusals, and what was said by whom.

mod apart;
mod assemble;
mod diff;
mod files;
mod git;
mod line;
mod outcome;
mod shell;
mod shell_writes;
pub(crate) mod units;

pub(crate) use apart::Apart;
pub use assemble::{Act, ActKind, Facts, ToolUse, Utterance, Voice};
pub use files::{Written, WrittenBy};
pub use git::{Branched, Commit, Push};
pub(crate) use outcome::{of_tests, refutes};
pub use shell::{Redirect, Simple, split};
