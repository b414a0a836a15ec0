//! The prompt of a partition that is only a prompt, for engines that bring a loop of their own.

use std::path::Path;

use subcortex_guard::escape_for_display;
use subcortex_scratchpad::State;

use crate::identity::{Identity, shown, whoami};

/// How a run must end, for every engine.
pub(crate) const HOW_TO_END: &str = "\
The last line that is not empty is the result line: one of these words in upper case, a colon, and one sentence.

- `UPDATED:` the work is done, and files changed.
- `NO-OP:` it is done, and nothing had to change.
- `NO_NEW_GRADIENT:` there was no new evidence to act on.
- `BOOTSTRAPPED:` what was missing was set up for the first time.
- `PARTIAL_UPDATE:` a part is done and the rest is not. The task stays in the inbox and comes again, so say what is left.

The first four finish the task. If you did not understand it, or it failed, end with none of these words and say why: \
it stays in the inbox.";

/// The whole prompt: who the worker is, its instructions, what runs, the inbox, and how to answer.
#[must_use]
pub fn prompt(identity: &Identity, state: &State, instructions: &str, task: Option<(&str, &str)>) -> String {
    let sections = [
        whoami(identity, state),
        section("Your Instructions", instructions),
        runtime(identity),
        inbox(task),
        section("How To Answer", HOW_TO_END),
    ];
    sections.join("\n")
}

/// What the partition's file says, what runs, and what is to be done.
pub(crate) fn section(title: &str, body: &str) -> String {
    format!("## {title}\n\n{}\n", body.trim())
}

pub(crate) fn runtime(identity: &Identity) -> String {
    let run = identity.run_id.as_deref().map_or("none".into(), escape_for_display);
    let body = format!(
        "- Home: {}\n- Memory: {}\n- Your folder: {}\n- Tick: {}\n- Mode: {}\n- Run: {run}",
        shown(&identity.home),
        shown(&identity.memory),
        shown(&identity.folder),
        identity.tick,
        escape_for_display(&identity.mode),
    );
    section("Runtime", &format!("{body}\n\n{}", paths(identity)))
}

/// Where everything is that a worker may have to do with; what it may open stands above.
fn paths(identity: &Identity) -> String {
    let of = |root: &Path, all: &[(&str, &str)]| -> String {
        all.iter().map(|(what, below)| format!("- {what}: {}\n", shown(&root.join(below)))).collect()
    };
    let memory = [
        ("The broadcast", "CLAUDE.md"),
        ("A person's own lines", "priority.md"),
        ("How lines are tested", "checks"),
        ("Evidence, by day", "fragments"),
        ("Dossiers", "topics"),
        ("Dossiers of things", "entities"),
        ("The ledger", "effectiveness/CLAUDE-md-effectiveness.md"),
        ("Positions", "state"),
        ("Edits of the broadcast", "journal.jsonl"),
        ("Edits that wait for a yes", "proposals"),
    ];
    let home = [
        ("The shared inbox", "subconscious/inbox"),
        ("Whose turn it is", "subconscious/playlist.md"),
        ("The event log, by day", "var/events"),
        ("Run records", "var/runs"),
    ];
    let own = [("Your inbox", "inbox"), ("Your scratchpad", "scratchpad/active.yaml")];
    of(&identity.memory, &memory) + &of(&identity.home, &home) + &of(&identity.folder, &own)
}

/// The task as `<basename>: <body>`; the body as it is.
pub(crate) fn inbox(task: Option<(&str, &str)>) -> String {
    let body = match task {
        Some((name, body)) => format!("{}: {body}", shown_name(name)),
        None => "(empty)".into(),
    };
    section("Inbox", &body)
}

/// What stands before the first colon of a task is its name, so a colon in the name is written `%3A`.
fn shown_name(name: &str) -> String {
    escape_for_display(name).replace(':', "%3A")
}
