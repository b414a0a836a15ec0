//! One cycle: what was read, what became of it.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};

use crate::active::{self, ACTIVE_FILE, Active, MAX_ACTIVE_BYTES, Quarantined};
use crate::{CycleId, ScratchpadError, State, TextTooLong, snapshots, yaml};

/// A cycle that has begun. It ends with [`Cycle::finish`] or [`Cycle::fail`]; if it ends with neither, because the
/// process died, [`crate::recover_interrupted`] ends it.
#[derive(Debug)]
#[must_use = "a cycle that is not ended looks like one that was cut short"]
pub struct Cycle {
    id: CycleId,
    dir: PathBuf,
    quarantine: PathBuf,
    /// The bytes of `active.yaml` at the beginning.
    read: Option<Vec<u8>>,
    /// The bytes of the first snapshot.
    snapshot: Vec<u8>,
    before: State,
    /// What a failure goes back to: what was read, or what the last piece of work left that is to be kept.
    good: State,
    state: State,
    quarantined: Option<Quarantined>,
}

/// Why what a worker set was not kept.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// It cannot be taken: why.
    #[error("{0}")]
    Unfit(String),
    /// The disk refused it.
    #[error(transparent)]
    NotWritten(#[from] ScratchpadError),
}

/// What the end of a cycle came to.
#[derive(Debug)]
pub struct Ended {
    /// Which cycle.
    pub id: CycleId,
    /// Why its new state was refused, and it was ended as a failure.
    pub refused: Option<String>,
    /// Where the version is that somebody else wrote into `active.yaml` during the cycle.
    pub set_aside: Option<PathBuf>,
    /// Why old snapshots could not be removed. Nothing depends on that.
    pub not_pruned: Option<ScratchpadError>,
}

impl Cycle {
    /// Reads `active.yaml` in the worker's `dir` and writes what was read as the first snapshot. A broken file goes to
    /// the folder `quarantine`. The folder is made if it is missing.
    pub fn begin(
        disk: &dyn Disk,
        dir: &Path,
        quarantine: &Path,
        now: Timestamp,
    ) -> Result<Cycle, ScratchpadError> {
        active::make_folder(disk, dir)?;
        let id = CycleId::starting(now);
        let active = Active::load(disk, dir, quarantine, &id.to_string())?;
        let snapshot = active.snapshot()?;
        let id = snapshots::write_before(disk, dir, id, &snapshot)?;
        Ok(Cycle {
            id,
            dir: dir.to_owned(),
            quarantine: quarantine.to_owned(),
            read: active.bytes,
            snapshot,
            state: active.state.clone(),
            good: active.state.clone(),
            before: active.state,
            quarantined: active.quarantined,
        })
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> &CycleId {
        &self.id
    }

    /// What was read.
    #[must_use]
    pub fn before(&self) -> &State {
        &self.before
    }

    /// The state as it is now.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The same, to be changed. It reaches the disk with [`Cycle::finish`].
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// The file that could not be used, if there was one.
    #[must_use]
    pub fn quarantined(&self) -> Option<&Quarantined> {
        self.quarantined.as_ref()
    }

    /// The worker sets its free text: see [`State::set_text`].
    pub fn set_text(&mut self, text: &str) -> Result<&'static str, TextTooLong> {
        self.state.set_text(text)
    }

    /// A piece of work ended, and what it made of the state is to be kept: a later failure goes back to here.
    pub fn keep_so_far(&mut self) {
        self.good.clone_from(&self.state);
    }

    /// A piece of work ended, and what it made of the state is not to be kept.
    pub fn go_back(&mut self) {
        self.state.clone_from(&self.good);
    }

    /// The worker changes what is its own while it works. It is durable when this returns, whatever becomes of the cycle;
    /// what the present work noted besides is not.
    pub fn keep_change(
        &mut self,
        disk: &dyn Disk,
        now: Timestamp,
        change: impl Fn(&mut State) -> Result<(), String>,
    ) -> Result<(), KeepError> {
        let (mut good, mut state) = (self.good.clone(), self.state.clone());
        change(&mut good).and_then(|()| change(&mut state)).map_err(KeepError::Unfit)?;
        let versions = Versions::of(good.clone(), now)?;
        if let Some(active) = versions.active {
            self.set_edit_aside(disk)?;
            durable::replace(disk, &self.dir.join(ACTIVE_FILE), &active).map_err(ScratchpadError::from)?;
            self.read = Some(active);
        }
        (self.good, self.state) = (good, state);
        Ok(())
    }

    /// What the worker answered when it was asked at the end of its run; kept however the cycle ends. See
    /// [`State::remember`].
    pub fn remember(&mut self, answer: Option<&str>) -> bool {
        let taken = self.state.remember(answer);
        if taken {
            self.good.scratchpad.clone_from(&self.state.scratchpad);
        }
        taken
    }

    /// Ends the cycle well: the state becomes its second snapshot, and then, stamped, `active.yaml`.
    ///
    /// A state that cannot be kept (too large) ends the cycle as a failure instead, and [`Ended::refused`] says why.
    pub fn finish(self, disk: &dyn Disk, now: Timestamp) -> Result<Ended, ScratchpadError> {
        match Versions::of(self.state.clone(), now) {
            Ok(versions) => self.end(disk, &versions, None),
            Err(refused) => {
                let refused = refused.to_string();
                let versions = self.versions_of_failure(&refused, now);
                self.end(disk, &versions, Some(refused))
            }
        }
    }

    /// Ends the cycle as a failure: what was read, or kept since ([`Cycle::keep_so_far`]), stays, and the notes say what
    /// went wrong.
    pub fn fail(self, disk: &dyn Disk, error: &str, now: Timestamp) -> Result<Ended, ScratchpadError> {
        let versions = self.versions_of_failure(error, now);
        self.end(disk, &versions, None)
    }

    fn versions_of_failure(&self, error: &str, now: Timestamp) -> Versions {
        let mut state = self.good.clone();
        state.note_failure(&self.id, error);
        Versions::of(state, now).unwrap_or_else(|_| Versions::unchanged(self.snapshot.clone()))
    }

    fn end(
        self,
        disk: &dyn Disk,
        versions: &Versions,
        refused: Option<String>,
    ) -> Result<Ended, ScratchpadError> {
        durable::replace(disk, &snapshots::after(&self.dir, &self.id), &versions.after)?;
        let mut set_aside = None;
        if let Some(active) = &versions.active {
            set_aside = self.set_edit_aside(disk)?;
            durable::replace(disk, &self.dir.join(ACTIVE_FILE), active)?;
        }
        let not_pruned = snapshots::prune(disk, &self.dir, &self.id).err();
        Ok(Ended { id: self.id, refused, set_aside, not_pruned })
    }

    /// Keeps what somebody else wrote into `active.yaml` meanwhile.
    fn set_edit_aside(&self, disk: &dyn Disk) -> Result<Option<PathBuf>, ScratchpadError> {
        let found = match durable::read(disk, &self.dir.join(ACTIVE_FILE), MAX_ACTIVE_BYTES) {
            Ok(found) => found,
            Err(ReadError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if self.read.as_ref() == Some(&found) {
            return Ok(None);
        }
        let label = format!("{}-edited", self.id);
        active::set_aside(disk, &self.dir, &self.quarantine, &label, &found).map(Some)
    }
}

/// A state as it is written at the end of a cycle.
pub(crate) struct Versions {
    /// Before the stamp.
    pub(crate) after: Vec<u8>,
    /// With the stamp; nothing if `active.yaml` stays as it is.
    pub(crate) active: Option<Vec<u8>>,
}

impl Versions {
    pub(crate) fn of(state: State, now: Timestamp) -> Result<Versions, ScratchpadError> {
        let mut state = state.bounded();
        let after = yaml::write(&state)?;
        state.last_updated = Some(now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string());
        Ok(Versions { after, active: Some(yaml::write(&state)?) })
    }

    /// For a file that a person made so long that it cannot take a note as well.
    pub(crate) fn unchanged(snapshot: Vec<u8>) -> Versions {
        Versions { after: snapshot, active: None }
    }
}
