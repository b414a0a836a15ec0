//! An agent's settings changed so that it tells this home what it does and knows the broadcast; and changed back.
//!
//! | agent | file | what is added |
//! |---|---|---|
//! | Claude Code | `settings.json` | a hook for each event that says something |
//! | | `CLAUDE.md` | a line that imports the broadcast |
//! | Codex | `hooks.json` | the hooks, of which the one at the start of a session hands over the broadcast |
//!
//! Nothing but insertions: every byte that was there stays, with its comments, order and line ends. What was inserted is
//! noted in `var/connect/<agent>.json` before the files are touched:
//!
//! ```json
//! {"agent": "claude", "files": [{"path": "…", "made": false, "hash": "<of the file after>", "pieces": [{"at": 12, "text": "…"}]}]}
//! ```
//!
//! Taking it back goes by the first of these that works: the pieces, at their places, if the file still has that hash (it is then
//! byte for byte what it was, and gone if it was made); the pieces, wherever they stand; the entries with our commands, found by
//! reading the file. Files are replaced only if nobody else has changed them since they were read.

mod command;
mod doctor;
mod edit;
mod error;
mod jsonc;
mod memory_file;
mod plan;
mod record;
mod settings;
mod style;

use std::path::PathBuf;

use subcortex_home::Home;
use subcortex_known_agents::{Agent, Settings};

pub use doctor::{findings, other_homes};
pub use error::ConnectError;
pub use plan::{Change, Plan, apply, plan_connect, plan_disconnect, wait_until_quiet};
pub use record::{is_connected, record_file};

/// The longest settings or memory file that is edited, in bytes.
pub const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// An agent of a person, and the home that it is connected with.
#[derive(Debug, Clone)]
pub struct Link {
    /// Which agent.
    pub agent: &'static Agent,
    /// Where its hooks are named.
    pub settings: &'static Settings,
    /// Where the agent keeps its settings, such as `~/.claude`.
    pub config_dir: PathBuf,
    /// This program, as the hooks are to call it.
    pub binary: PathBuf,
    /// The home that is told.
    pub home: Home,
}

impl Link {
    /// The file with the hooks.
    pub fn settings_file(&self) -> PathBuf {
        self.config_dir.join(self.settings.file)
    }

    /// The file that imports the broadcast, where the agent can import.
    pub fn memory_file(&self) -> Option<PathBuf> {
        self.settings.memory_file.map(|file| self.config_dir.join(file))
    }

    fn commands(&self) -> Result<command::Commands, ConnectError> {
        command::Commands::new(&self.binary, self.home.root(), self.agent, self.settings)
    }
}
