//! The report of a run, for people. It names paths and line numbers, never what the memory says.

use std::fmt::Write as _;

use super::packet::Packet;
use super::{LineEvidence, Woven};

/// How many paths a report names; the rest is counted.
const MAX_NAMED_PATHS: usize = 50;

/// Writes the report of what was woven; its last line is the result.
pub(super) fn finish(mut woven: Woven, mode: &str, packet: Option<&Packet>, notes: &[String]) -> Woven {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let mut line = |words: String| {
        let _ok = writeln!(text, "{words}");
    };
    line(format!("mode: {mode}"));
    if let Some(packet) = packet {
        line(format!("task: {}", packet.basename));
        if let Some(marker) = &packet.marker {
            line(format!("marker: {marker}"));
        }
        for (what, named) in [("names", &packet.paths), ("points to", &packet.pointers)] {
            if !named.is_empty() {
                line(format!("{what}: {}", paths(named)));
            }
        }
        if let Some(requested) = &packet.requested {
            line(format!("requested: {requested}"));
        }
    }
    let subagents = if woven.subagents.is_empty() { "none".into() } else { woven.subagents.join(", ") };
    line(format!("subagents: {subagents}"));
    line(format!("changed: {}", paths(&woven.changed)));
    for evidence in &woven.evidence {
        line(format!("evidence: {}: {}", evidence.line, counted(evidence)));
    }
    for note in notes {
        line(note.clone());
    }
    text.push_str(&woven.result);
    text.push('\n');
    woven.report = text;
    woven
}

/// `2 new + 5 prior = 7 total evidence`, or `2 new`.
pub(super) fn counted(evidence: &LineEvidence) -> String {
    let LineEvidence { new, prior, .. } = evidence;
    match prior {
        0 => format!("{new} new"),
        _ => format!("{new} new + {prior} prior = {} total evidence", new + prior),
    }
}

fn paths(changed: &[String]) -> String {
    if changed.is_empty() {
        return "nothing".into();
    }
    let named = changed.iter().take(MAX_NAMED_PATHS).cloned().collect::<Vec<_>>().join(", ");
    match changed.len().saturating_sub(MAX_NAMED_PATHS) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
