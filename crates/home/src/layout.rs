//! Where everything is.

use std::path::{Path, PathBuf};

use subcortex_spine::SpineDirs;

/// The paths of one home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// The folders of a home, parents first.
    pub const FOLDERS: [&str; 15] = [
        "config",
        "memory",
        "memory/checks",
        "memory/fragments",
        "memory/state",
        "subconscious",
        "subconscious/inbox",
        "var",
        "var/cadence",
        "var/events",
        "var/index",
        "var/log",
        "var/quarantine",
        "var/runs",
        "var/usage",
    ];

    /// A home at this path, which need not exist yet.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The home itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The settings, written by a person.
    pub fn config_file(&self) -> PathBuf {
        self.root.join(subcortex_config::FILE)
    }

    /// The broadcast: the lines that every agent reads.
    pub fn broadcast(&self) -> PathBuf {
        self.root.join("memory").join("CLAUDE.md")
    }

    /// A person's own lines, which come first.
    pub fn priority(&self) -> PathBuf {
        self.root.join("memory").join("priority.md")
    }

    /// What the daemon keeps for itself.
    pub fn var(&self) -> PathBuf {
        self.root.join("var")
    }

    /// The files of the spine.
    pub fn spine(&self) -> SpineDirs {
        SpineDirs::below(&self.var())
    }

    /// The lock that only one daemon, or one command that changes something, can hold.
    pub fn lock(&self) -> PathBuf {
        self.var().join("cadence").join("home.lock")
    }

    /// The tick counter and what else must survive a restart.
    pub fn cadence_state(&self) -> PathBuf {
        self.var().join("cadence").join("state.json")
    }

    /// The daemon's log.
    pub fn log_file(&self) -> PathBuf {
        self.var().join("log").join("daemon.log")
    }

    /// The kill switch of the whole home.
    pub fn kill_switch(&self) -> PathBuf {
        self.root.join("PAUSED")
    }
}
