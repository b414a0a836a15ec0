//! Records that say nothing of the conversation.

use serde_json::json;

use crate::case::Case;

const OTHER: &str = "every other record";

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in [
        "summary",
        "custom-title",
        "ai-title",
        "last-prompt",
        "progress",
        "file-history-snapshot",
        "pr-link",
        "tag",
        "agent-name",
        "saved-hook-context",
        "result",
        "stream_event",
        "content-replacement",
        "task-summary",
        "context-collapse-commit",
        "speculation-accept",
        "worktree-state",
        "channel.message",
        "human",
        "User",
        "something-new",
    ] {
        cases.push(Case::claude(OTHER, &format!("record `{kind}`"), move |text| {
            let message = json!({"role": "user", "content": text});
            vec![json!({"type": kind, "message": message, "content": text, "summary": text, "lastPrompt": text, "title": text,
                "origin": {"kind": "human"}, "promptSource": "typed", "data": {"message": {"type": "user", "message": message}}})]
        }));
    }
    for subtype in [
        "compact_boundary",
        "stop_hook_summary",
        "informational",
        "turn_duration",
        "away_summary",
        "microcompact_boundary",
    ] {
        cases.push(Case::claude(OTHER, &format!("system `{subtype}`"), move |text| {
            vec![json!({"type": "system", "subtype": subtype, "content": text, "message": {"content": text}})]
        }));
    }
    cases
}
