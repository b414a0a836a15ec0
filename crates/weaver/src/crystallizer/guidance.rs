//! What the evidence asks for, in a sentence, by rule. The updater decides on the numbers, not on these words.

use subcortex_checks::Check;

use super::candidates::{Group, MIN_SESSIONS};
use super::escape;
use crate::LineTally;

/// What the evidence about a line asks for.
pub(super) fn for_line(check: &Check, tally: &LineTally) -> String {
    let asked = by_evidence(tally);
    if check.testable {
        return asked;
    }
    format!("{asked}; it cannot be tested: {}", escape::title(&check.why))
}

fn by_evidence(tally: &LineTally) -> String {
    let LineTally { strengthening, weakening, sided_with, recall_miss, against_standing, .. } = *tally;
    let sessions = tally.against_sessions.len();
    let rate = format!("followed {strengthening} of {}", strengthening + weakening);
    if against_standing > 0 {
        return "contradicted by a standing instruction: rewrite or remove".to_owned();
    }
    if sessions >= MIN_SESSIONS {
        return format!("contradicted in {sessions} sessions: rewrite or remove");
    }
    if sessions > 0 {
        return format!("{rate}, contradicted in 1 session: wait for a second one");
    }
    if recall_miss > 0 && recall_miss * 2 >= weakening {
        return format!(
            "{rate}, its dossier was not opened {}: sharpen the trigger or the pointer, not the content",
            times(recall_miss)
        );
    }
    if sided_with > 0 {
        return format!(
            "{rate}, ignored: the person sides with it ({}): sharpen or move up",
            times(sided_with)
        );
    }
    if weakening > strengthening {
        return format!("{rate}, missed without a word from anybody: sharpen the trigger");
    }
    if strengthening > 0 {
        return format!("{rate}: keep");
    }
    format!("touched {}, never clearly: keep", times(tally.neutral))
}

/// What the evidence of a group asks for.
pub(super) fn for_group(group: &Group<'_>) -> String {
    let sessions = group.sessions().len();
    if let Some(line) = group.said_by {
        return format!("said by {} by now", line.reference());
    }
    if group.is_quarantined() {
        return "quarantined: no person said it first-hand".to_owned();
    }
    if group.is_standing() {
        return "a standing instruction: a line of its own".to_owned();
    }
    if sessions >= MIN_SESSIONS {
        return format!("recurs in {sessions} sessions: a line of its own");
    }
    "waits for a second session, or a standing instruction".to_owned()
}

/// `once`, `twice`, `3 times`.
pub(super) fn times(count: impl TryInto<u64>) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}
