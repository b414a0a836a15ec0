//! A real home in a temporary folder, with the real memory-weaver in it, and a clock of the world's own.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use subcortex_memory::fragments::{self, Found};
use subcortex_memory::{ChangeKind, MemoryFolder, Proposal};
use subcortex_model::{Draft, Source, event_type};
use subcortex_spine::{Appended, Durability, Spine, SpineDirs};
use subcortex_store::{Disk, RealDisk, durable};
use subcortex_weaver::updater::{self, DecisionError};
use subcortex_weaver::{Workshop, reflect};

use crate::ProofError;
use crate::acts::Act;

/// The largest broadcast that is read, in bytes.
const MAX_BROADCAST_BYTES: u64 = 16 * 1024 * 1024;

pub(crate) struct Home {
    _dir: tempfile::TempDir,
    shop: Workshop,
    spine: Spine,
    calls: u64,
}

/// One turn as it goes on the spine.
pub(crate) struct Spoken<'a> {
    pub(crate) session: &'a str,
    pub(crate) folder: &'a str,
    pub(crate) message: &'a str,
    pub(crate) acts: &'a [Act],
    pub(crate) answer: &'a str,
    pub(crate) ends_session: bool,
}

impl Home {
    pub(crate) fn with(broadcast: &str, now: Timestamp) -> Result<Self, ProofError> {
        let dir = tempfile::tempdir().map_err(ProofError::Folder)?;
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let var = dir.path().join("var");
        let dirs = SpineDirs::below(&var);
        for below in ["var/index", "memory/state"] {
            durable::make_dirs(&*disk, dir.path(), below.as_ref())?;
        }
        for folder in [&dirs.events, &dirs.quarantine] {
            let below = folder.strip_prefix(dir.path()).unwrap_or(folder);
            durable::make_dirs(&*disk, dir.path(), below)?;
        }
        let folder = MemoryFolder::at(dir.path().join("memory"));
        durable::replace(&*disk, &folder.broadcast(), broadcast.as_bytes())?;
        let shop = Workshop::new(disk.clone(), folder, &var, now);
        Ok(Self { _dir: dir, shop, spine: Spine::new(disk, dirs, "proof".into()), calls: 0 })
    }

    /// Writes a turn; hands out the id of the person's message.
    pub(crate) fn turn(&mut self, spoken: &Spoken<'_>, now: Timestamp) -> Result<String, ProofError> {
        let mut payloads = vec![(event_type::CHANNEL_MESSAGE, json!({ "text": spoken.message }))];
        for act in spoken.acts {
            self.calls += 1;
            let id = format!("call_{}", self.calls);
            let call = json!({ "tool_name": act.tool, "input": act.input, "tool_use_id": id });
            let answer =
                json!({ "tool_name": act.tool, "tool_use_id": id, "is_error": false, "text": act.answer });
            payloads.push((event_type::AGENT_TOOL_USE, call));
            payloads.push((event_type::AGENT_TOOL_RESULT, answer));
        }
        payloads.push((event_type::AGENT_RESULT, json!({ "text": spoken.answer })));
        if spoken.ends_session {
            payloads.push((event_type::AGENT_SESSION_END, json!({ "reason": "exit" })));
        }
        let mut at = now;
        let drafts = payloads.into_iter().map(|(kind, payload)| {
            let payload = if let Value::Object(payload) = payload { payload } else { Map::new() };
            let mut draft = Draft::new(kind, Source::of("claude"), payload);
            draft.ts = Some(at);
            draft.session_key = Some(spoken.session.to_owned());
            draft.cwd = Some(spoken.folder.to_owned());
            at += SignedDuration::from_secs(4);
            draft
        });
        let drafts = drafts.collect();
        let appended = self.spine.append(drafts, now, Durability::Written)?;
        match appended.first() {
            Some(Appended::New(id)) => Ok(id.as_str().to_owned()),
            _ => Ok(String::new()),
        }
    }

    /// Lets memory-weaver look at what is new.
    pub(crate) fn reflect(&mut self, now: Timestamp) -> Result<(), ProofError> {
        self.shop.now = now;
        reflect(&self.shop, &|| false)?;
        Ok(())
    }

    /// The proposal for which most speaks: a new rule.
    pub(crate) fn proposal(&self) -> Result<Option<Proposal>, ProofError> {
        let all = Proposal::read_all(&*self.shop.disk, &self.shop.folder)
            .map_err(|error| ProofError::Weave(error.into()))?;
        Ok(all.waiting.into_iter().find(|proposal| proposal.change.kind == ChangeKind::Add))
    }

    /// A person's answer to it.
    pub(crate) fn answer(&self, proposal: &Proposal, is_wanted: bool) -> Result<(), ProofError> {
        let decided = if is_wanted {
            updater::accept(&self.shop, &proposal.id).map(drop)
        } else {
            updater::reject(&self.shop, &proposal.id)
        };
        match decided {
            // It no longer fits: that is the end of it.
            Ok(()) | Err(DecisionError::Refused(_)) => Ok(()),
            Err(DecisionError::Weave(error)) => Err(error.into()),
        }
    }

    pub(crate) fn broadcast(&self) -> Result<String, ProofError> {
        Ok(durable::read_text(&*self.shop.disk, &self.shop.folder.broadcast(), MAX_BROADCAST_BYTES)?)
    }

    pub(crate) fn fragments(&self) -> Result<Found, ProofError> {
        fragments::read_all(&*self.shop.disk, &self.shop.folder)
            .map_err(|error| ProofError::Weave(error.into()))
    }

    /// Edits as `history` would show them, with their reasons.
    pub(crate) fn journal(&self) -> Result<subcortex_memory::Journal, ProofError> {
        subcortex_memory::Journal::read(&*self.shop.disk, &self.shop.folder)
            .map_err(|error| ProofError::Weave(error.into()))
    }
}
