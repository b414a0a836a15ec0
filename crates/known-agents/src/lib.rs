//! The agent programs that are known, each a folder here and a line in [`AGENTS`].
//!
//! An [`Agent`] says what there is to know of one of them: where its files lie, how its session files are read
//! ([`Sessions`]), what it tells its hooks and where its settings name them ([`Hooks`]), and how its program is called
//! without a terminal ([`Cli`]). Whoever has to do with agents is handed some of them and walks the list; nobody else
//! knows one by its name. A part that an agent lacks is absent.
//!
//! Nothing is started here and nothing written: [`transcript`] and [`hooks`] make drafts for the spine of what they are
//! given, [`headless`] makes command lines of orders and reads what comes back.

mod agent;
mod claude;
mod codex;
pub mod headless;
pub mod hooks;
#[cfg(test)]
mod testkit;
pub mod transcript;
mod ways;

pub use agent::{AGENTS, Agent, ConfigDir, Sessions, Settings, Spilled};
pub use claude::CLAUDE;
pub use codex::CODEX;
pub use headless::Cli;
pub use hooks::Hooks;
pub use transcript::{Options, Reader};
pub use ways::{Door, Owner, Way, ways};
