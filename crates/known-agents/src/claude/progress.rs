//! The work of a sub-agent that has no file of its own: its records stand inside the progress of the call that started it.

use super::record::Record;
use crate::transcript::json::{Piece, fields};
use crate::transcript::raw;

/// The kind of progress that holds records of a sub-agent.
const OF_SUBAGENT: &str = "agent_progress";

fields! {
    struct Progress {
        kind: "type",
        message: "message",
        agent_id: "agentId",
    }
}

/// Whether a line may hold a record of a sub-agent: a look that costs little and never misses one.
pub(super) fn may_hold_work(line: &[u8]) -> bool {
    memchr::memmem::find(line, OF_SUBAGENT.as_bytes()).is_some()
}

/// The record of a sub-agent inside a progress record, with what it shares with the one around it.
pub(super) fn inner<'a>(outer: &Record<'a>) -> Option<Record<'a>> {
    let progress: Progress<'a> = raw::object(outer.data);
    if raw::text(progress.kind).as_deref() != Some(OF_SUBAGENT) {
        return None;
    }
    let record: Record<'a> = raw::object(Some(progress.message?));
    Some(Record {
        session_id: outer.session_id,
        cwd: record.cwd.or(outer.cwd),
        git_branch: record.git_branch.or(outer.git_branch),
        timestamp: record.timestamp.or(outer.timestamp),
        uuid: record.uuid.or(outer.uuid),
        agent_id: progress.agent_id,
        is_sidechain: Some(Piece::yes()),
        ..record
    })
}
