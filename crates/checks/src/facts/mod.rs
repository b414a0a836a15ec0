//! What a turn really holds, extracted once: commands with their order and success, files read and written with what was
//! added, commits, pushes, branches, tools, refusals, and what was said by whom.

mod assemble;
mod files;
mod git;
mod outcome;
mod shell;
pub(crate) mod units;

pub use assemble::{Act, ActKind, Facts, ToolUse, Utterance, Voice};
pub use files::{Written, WrittenBy};
pub use git::{Branched, Commit, Push};
pub use shell::{Simple, split};
