//! What every worker is handed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use subcortex_config::BroadcastMode;
use subcortex_memory::{Cause, Change, Edit, MemoryFolder, Trouble};
use subcortex_mind::AskNow;
use subcortex_spine::{ReadError, SpineDirs};
use subcortex_store::Disk;
use subcortex_store::durable::Patience;

/// What a person can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// What the updater may do.
    pub mode: BroadcastMode,
    /// The least time between two edits that nobody asked for: each costs every session its prompt cache.
    pub min_rewrite_interval: SignedDuration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { mode: BroadcastMode::Apply, min_rewrite_interval: SignedDuration::from_hours(3) }
    }
}

/// What every worker is handed: where things are, what time it is, and whether to go on.
#[derive(Debug, Clone)]
pub struct Workshop {
    /// The file system.
    pub disk: Arc<dyn Disk>,
    /// `memory/`.
    pub folder: MemoryFolder,
    /// `var/events/`.
    pub events_dir: PathBuf,
    /// `var/index/`: what is there can be deleted and is made anew.
    pub index_dir: PathBuf,
    /// How long somebody who writes to the broadcast is waited for.
    pub patience: Patience,
    /// The moment for which all of this is decided.
    pub now: Timestamp,
    /// When the home came into being: what people said before is only asked about. `None`: there was nothing before.
    pub began: Option<Timestamp>,
    /// What a person set.
    pub settings: Settings,
    /// The run that this is, for the journal.
    pub run_id: Option<String>,
    /// The model that may be asked; without one nothing is missing but what it would have added.
    pub mind: Option<Arc<dyn AskNow>>,
}

impl Workshop {
    /// One without a model, in which nobody set anything and nobody is waited for.
    pub fn new(disk: Arc<dyn Disk>, folder: MemoryFolder, var: &Path, now: Timestamp) -> Self {
        Self {
            disk,
            folder,
            events_dir: SpineDirs::below(var).events,
            index_dir: var.join("index"),
            patience: Patience::NONE,
            now,
            began: None,
            settings: Settings::default(),
            run_id: None,
            mind: None,
        }
    }

    /// An edit that is made now, of a broadcast that was there before, and that takes none back.
    pub(crate) fn edit(&self, cause: Cause, changes: Vec<Change>) -> Edit {
        Edit {
            id: Edit::new_id(),
            ts: self.now,
            cause,
            run_id: self.run_id.clone(),
            reverts: None,
            bootstrapped: false,
            changes,
        }
    }

    /// The same, where the broadcast cannot be edited: what would be done is proposed.
    pub(crate) fn proposing(&self) -> Self {
        let mut other = self.clone();
        if other.settings.mode == BroadcastMode::Apply {
            other.settings.mode = BroadcastMode::Propose;
        }
        other
    }
}

/// Why a worker could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum WeaveError {
    /// A file of the memory.
    #[error(transparent)]
    Memory(#[from] Trouble),
    /// The spine.
    #[error(transparent)]
    Spine(#[from] ReadError),
    /// What a worker counted is not what stands on the disk.
    #[error("{0}; nothing is acked, and the next run counts again")]
    Count(String),
    /// The broadcast is gone, and there was one.
    #[error(
        "memory/CLAUDE.md is gone; when it was last read it had {lines} lines. Nothing was changed: put it back, or make an \
         empty file in its place to begin anew"
    )]
    Vanished {
        /// How many lines it had.
        lines: usize,
    },
    /// The broadcast is not there, and an editor has it open.
    #[error(
        "memory/CLAUDE.md is not there, and memory/{copy} says that an editor is at it. Nothing was changed: save it, or remove \
         memory/{copy} if nobody edits it"
    )]
    MovedAway {
        /// What lies beside it.
        copy: &'static str,
    },
    /// The run was ended before it was done.
    #[error("cancelled before it finished")]
    Cancelled,
}

impl WeaveError {
    /// Whether somebody was writing a file of the memory, or had it away: nothing was changed, and the next run may find it quiet.
    pub fn is_busy(&self) -> bool {
        match self {
            Self::Memory(trouble) => trouble.is_busy(),
            Self::Vanished { .. } | Self::MovedAway { .. } => true,
            Self::Spine(_) | Self::Count(_) | Self::Cancelled => false,
        }
    }

    /// Whether the disk, or what stands on it, is at fault.
    pub fn is_storage(&self) -> bool {
        match self {
            Self::Memory(trouble) => !trouble.is_busy() && !trouble.is_conflict() && !trouble.is_left_alone(),
            Self::Spine(_) | Self::Count(_) => true,
            Self::Vanished { .. } | Self::MovedAway { .. } | Self::Cancelled => false,
        }
    }
}

impl From<subcortex_store::durable::WriteError> for WeaveError {
    fn from(error: subcortex_store::durable::WriteError) -> Self {
        Self::Memory(error.into())
    }
}

impl From<subcortex_store::durable::ReadError> for WeaveError {
    fn from(error: subcortex_store::durable::ReadError) -> Self {
        Self::Memory(error.into())
    }
}
