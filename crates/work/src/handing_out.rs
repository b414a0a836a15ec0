//! Tasks for workers, as a STRATEGY assigns them: each is handed out once, also when the daemon died in the middle of it.
//!
//! `var/blackboard/handed/<supervisor>.json` holds the newest STRATEGY of a supervisor and the workers that have their share of it. It is
//! written after each share; whatever is missing there when the supervisor's run begins again is handed out then.
//!
//! Not promised: who dies between a drop and this note hands that share out again if it was finished meanwhile. Its worker then finds
//! on the board what it found before.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_blackboard::{Entry, Record, delegations};
use subcortex_cadence::PartitionId;
use subcortex_cadence::definition::InboxPlace;
use subcortex_fleet::FleetError;
use subcortex_inbox::InboxError;
use subcortex_store::durable::{self, WriteError};
use tracing::{info, warn};

use crate::inbox_place;
use crate::seat::Seat;

/// The longest note that is read, in bytes.
const MAX_NOTE_BYTES: u64 = 1024 * 1024;
/// Where the notes are, below the home.
const NOTES: &str = "var/blackboard/handed";

#[derive(Default, Serialize, Deserialize)]
struct Handed {
    /// The record that holds the STRATEGY.
    strategy: String,
    /// Who has its share.
    workers: Vec<String>,
}

impl Seat {
    /// Hands out what an earlier process did not come to.
    pub(crate) fn hand_out_missing(&self) {
        let Ok(thread) = self.now() else { return };
        let is_own =
            |record: &&Record| matches!(record.entry, Entry::Strategy(_)) && record.by == self.partition;
        if let Some(record) = thread.records().iter().rev().find(is_own) {
            self.hand_out(record);
        }
    }

    /// Each worker's share of a STRATEGY becomes a task in its inbox.
    pub(crate) fn hand_out(&self, record: &Record) {
        if !matches!(record.entry, Entry::Strategy(_)) {
            return;
        }
        let board = match self.boards.read(self.thread(), Timestamp::now()) {
            Ok(board) => board,
            Err(error) => return warn!(thread = %self.thread(), %error, "no tasks for workers"),
        };
        let mut handed = self.handed();
        if handed.strategy != record.id {
            handed = Handed { strategy: record.id.clone(), workers: Vec::new() };
        }
        for share in delegations(self.thread(), board.board(), record) {
            let Ok(worker) = PartitionId::new(&share.worker) else { continue };
            // Workers elsewhere look at the board themselves.
            let is_here = self.home.partition(&share.worker).join("CLAUDE.md").exists();
            if !is_here || share.worker == self.partition || handed.workers.contains(&share.worker) {
                continue;
            }
            let name = format!("{}.md", share.task);
            match self.drop_task(&worker, &name, share.body.as_bytes()) {
                Ok(()) => info!(thread = %self.thread(), %worker, task = %name, "handed out"),
                Err(error) => {
                    warn!(thread = %self.thread(), %worker, %error, "not handed out");
                    continue;
                }
            }
            handed.workers.push(share.worker);
            self.note(&handed);
        }
    }

    /// Puts a task where its worker looks for tasks. One that is there already was handed out before.
    fn drop_task(&self, worker: &PartitionId, name: &str, body: &[u8]) -> Result<(), FleetError> {
        let dropped = match inbox_place(&*self.disk, &self.home, worker) {
            InboxPlace::Fleet => self.fleet.post(worker, name, body).map(drop),
            InboxPlace::Local => {
                let inbox = self.home.inbox(worker.as_str());
                subcortex_inbox::drop_task(&*self.disk, &inbox, name, body)
                    .map(drop)
                    .map_err(FleetError::from)
            }
        };
        match dropped {
            Err(
                FleetError::Exists { .. } | FleetError::Inbox(InboxError::Write(WriteError::Exists { .. })),
            ) => Ok(()),
            dropped => dropped,
        }
    }

    fn note_file(&self) -> PathBuf {
        self.home.root().join(NOTES).join(format!("{}.json", self.partition))
    }

    /// A note that cannot be read is none: a share that is still in its inbox is not doubled by that.
    fn handed(&self) -> Handed {
        let json = durable::read(&*self.disk, &self.note_file(), MAX_NOTE_BYTES).unwrap_or_default();
        serde_json::from_slice(&json).unwrap_or_default()
    }

    fn note(&self, handed: &Handed) {
        let json = serde_json::to_vec(handed).unwrap_or_default();
        let noted = durable::make_dirs(&*self.disk, self.home.root(), Path::new(NOTES))
            .and_then(|()| durable::replace(&*self.disk, &self.note_file(), &json));
        if let Err(error) = noted {
            warn!(thread = %self.thread(), %error, "not noted that a task was handed out");
        }
    }
}
