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
    pub const FOLDERS: [&str; 23] = [
        "config",
        "memory",
        "memory/checks",
        "memory/fragments",
        "memory/state",
        "subconscious",
        "subconscious/inbox",
        "subconscious/cadence-executor",
        "subconscious/cadence-executor/inbox",
        "subconscious/memory-committer",
        "subconscious/memory-committer/inbox",
        "subconscious/memory-weaver",
        "subconscious/memory-weaver/inbox",
        "subconscious/pattern-tracker",
        "subconscious/pattern-tracker/inbox",
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

    /// Whether somebody made a home here. An empty folder, or one of something else, is none.
    pub fn is_there(&self) -> bool {
        self.root.is_dir()
            && (self.config_file().exists()
                || self.broadcast().exists()
                || self.subconscious().is_dir()
                || self.spine().events.is_dir())
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

    /// The partitions, the shared inbox and the playlist.
    pub fn subconscious(&self) -> PathBuf {
        self.root.join("subconscious")
    }

    /// The folder of one partition, whose name has been checked.
    pub fn partition(&self, name: &str) -> PathBuf {
        self.subconscious().join(name)
    }

    /// The tasks of one partition.
    pub fn inbox(&self, partition: &str) -> PathBuf {
        self.partition(partition).join("inbox")
    }

    /// Tasks for whom it concerns.
    pub fn shared_inbox(&self) -> PathBuf {
        self.subconscious().join("inbox")
    }

    /// The scratchpad of one partition.
    pub fn scratchpad(&self, partition: &str) -> PathBuf {
        self.partition(partition).join("scratchpad")
    }

    /// The kill switch of one partition.
    pub fn partition_kill_switch(&self, partition: &str) -> PathBuf {
        self.partition(partition).join("PAUSED")
    }

    /// The order in which partitions have their turns.
    pub fn playlist(&self) -> PathBuf {
        self.subconscious().join("playlist.md")
    }

    /// What has been learned.
    pub fn memory(&self) -> PathBuf {
        self.root.join("memory")
    }

    /// The records of all runs.
    pub fn runs(&self) -> PathBuf {
        self.var().join("runs")
    }

    /// What models cost, by days.
    pub fn usage(&self) -> PathBuf {
        self.root.join("var/usage")
    }

    /// Where workers reach whoever runs them.
    pub fn worker_socket(&self) -> PathBuf {
        self.root.join("var/cadence/worker.sock")
    }

    /// The traces of a partition's cycles.
    pub fn cycle_logs(&self, partition: &str) -> PathBuf {
        self.root.join("var/log/cycles").join(partition)
    }

    /// What a person shows to use the page of the running daemon: a token, in a file that only its owner can read.
    pub fn page_token(&self) -> PathBuf {
        self.var().join("cadence").join("page.token")
    }

    /// A file that leads a browser to the page, so that the token stands in no list of processes.
    pub fn page_link(&self) -> PathBuf {
        self.var().join("cadence").join("open.html")
    }

    /// Where commands reach the running daemon.
    pub fn control_socket(&self) -> PathBuf {
        self.var().join("cadence").join("control.sock")
    }

    /// What the daemon keeps for itself.
    pub fn var(&self) -> PathBuf {
        self.root.join("var")
    }

    /// The moment at which the home came into being.
    pub fn began(&self) -> PathBuf {
        self.var().join("began")
    }

    /// What is remembered of loops, and what their runs work with.
    pub fn loops(&self) -> PathBuf {
        self.var().join("loops")
    }

    /// The blackboards of supervised runs.
    pub fn blackboards(&self) -> PathBuf {
        self.root.join("var/blackboard")
    }

    /// Which tasks of this home's inboxes came from its fleet.
    pub fn fleet_tickets(&self) -> PathBuf {
        self.root.join("var/fleet/tickets.json")
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

    /// What went wrong in hooks, which tell nobody else.
    pub fn hooks_log(&self) -> PathBuf {
        self.var().join("log").join("hooks.log")
    }

    /// The kill switch of the whole home.
    pub fn kill_switch(&self) -> PathBuf {
        self.root.join("PAUSED")
    }
}
