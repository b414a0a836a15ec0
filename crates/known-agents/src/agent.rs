//! What there is to know of an agent program.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::transcript::{Fields, Options, Reader};
use crate::{CLAUDE, CODEX, Cli, Hooks, Way};

/// All of them, in the order in which they are named to people.
pub const AGENTS: &[&Agent] = &[&CLAUDE, &CODEX];

/// An agent program.
pub struct Agent {
    /// Its name on the command line and in settings: also that of its program, and the source kind of what it tells.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Where it keeps its files.
    pub config_dir: ConfigDir,
    /// Variables that are set where it runs commands: what is called there is called by the agent.
    pub shell_variables: &'static [&'static str],
    /// Folders in which its program lies, whatever its file is called: `b/c` of `/a/b/c/d`.
    pub lies_in: &'static [&'static str],
    /// Its session files.
    pub sessions: Sessions,
    /// What it tells while it works.
    pub hooks: Option<Hooks>,
    /// Its program without a terminal.
    pub cli: Option<Cli>,
    /// Every way by which text gets from it to the spine.
    pub ways: &'static [Way],
}

/// Where an agent keeps its files.
#[derive(Debug, Clone, Copy)]
pub struct ConfigDir {
    /// The variable that names the folder.
    pub variable: &'static str,
    /// The folder below the person's own where the variable is not set.
    pub usual: &'static str,
}

/// The session files of an agent.
#[derive(Clone, Copy)]
pub struct Sessions {
    /// The folders of them, below the agent's own. The first is where new ones come; the others need not be there.
    pub folders: &'static [&'static str],
    /// Whether a line can only be of such a file.
    pub is_record: fn(&Fields<'_>) -> bool,
    /// A reader for one file.
    pub reader: fn(Options) -> Box<dyn Reader>,
    /// Whether a folder of this name may hold the sessions in a directory or below it; `None` where the sessions of all
    /// projects lie together.
    pub may_hold: Option<fn(folder_name: &str, directory: &Path) -> bool>,
    /// Whether a file below a folder that is searched lies where the agent keeps sessions. What lies elsewhere may have been
    /// written by anybody: a tool, or the agent itself.
    pub is_session: fn(searched: &Path, file: &Path) -> bool,
    /// Whether a file lies where the agent keeps no sessions, by its own place alone: what tools answered, what the agent noted. Also who
    /// names it does not make it one.
    pub is_others: fn(&Path) -> bool,
    /// Whether the file is a subagent's.
    pub is_subagents: fn(&Path) -> bool,
    /// What a line of a session file only names, where answers that are too long for it lie beside it.
    pub spilled: Option<fn(session_file: &Path, line: &[u8]) -> Spilled>,
}

/// What the line of a session file names instead of saying it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spilled {
    /// The files that hold it.
    pub files: Vec<PathBuf>,
    /// It stands where nobody looks.
    pub is_hidden: bool,
}

/// The settings that name an agent's hooks: JSON in the form that Claude Code introduced.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The file, in the agent's folder.
    pub file: &'static str,
    /// The events that say something.
    pub events: &'static [&'static str],
    /// The file that takes in the broadcast, in the agent's folder, where the agent can take in files. Otherwise the
    /// event `SessionStart` hands the broadcast over.
    pub memory_file: Option<&'static str>,
    /// What a person has to do before the agent calls new hooks.
    pub advice: Option<&'static str>,
}

impl Agent {
    /// The agent of that name.
    pub fn named(agents: &[&'static Self], name: &str) -> Option<&'static Self> {
        agents.iter().copied().find(|agent| agent.name == name)
    }

    /// A reader for one of its session files.
    pub fn reader(&self, options: Options) -> Box<dyn Reader> {
        (self.sessions.reader)(options)
    }

    /// The folders of its session files.
    pub fn session_folders(&self, config_dir: &Path) -> Vec<PathBuf> {
        self.sessions.folders.iter().map(|folder| config_dir.join(folder)).collect()
    }

    /// What names its hooks, if it has any.
    pub fn settings(&self) -> Option<&Settings> {
        self.hooks.as_ref().map(|hooks| &hooks.settings)
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Agent {}

impl Hash for Agent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
