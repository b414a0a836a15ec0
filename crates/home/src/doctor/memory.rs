//! The broadcast, as far as one can judge it without evidence.

use subcortex_checks::reading::MAX_RULES_BYTES;
use subcortex_store::{Disk, durable};

use super::Finding;
use super::writable::Refusal;
use crate::layout::Home;

/// What agents load of a memory file at most.
const MAX_BROADCAST_LINES: usize = 200;
/// The same in bytes.
const MAX_BROADCAST_BYTES: usize = 25_000;

/// What keeps the memory from being written: the folder, or the file in it that its owner made read-only.
pub fn unwritable(disk: &dyn Disk, home: &Home) -> Vec<Finding> {
    const ABOUT: &str = "broadcast";
    let mut findings = Vec::new();
    for folder in Home::FOLDERS.into_iter().filter(|folder| folder.starts_with("memory")) {
        let path = home.root().join(folder);
        if let Some(refusal) = Refusal::of(&path) {
            let found = format!("{folder}/ is not writable {}; nothing can be learned", refusal.why());
            findings.push(Finding::problem(ABOUT, found, refusal.advice(&[path])));
        }
    }
    let file = durable::follow_link(disk, &home.broadcast()).ok();
    let left_alone = file.and_then(|file| durable::why_not_replaceable(disk, &file).ok().flatten());
    findings.extend(left_alone.map(|why| {
        Finding::warning(
            ABOUT,
            why.to_string(),
            "or leave it so: rules are then only proposed, see `subcortex review`",
        )
    }));
    findings
}

pub(super) fn broadcast(disk: &dyn Disk, home: &Home) -> Vec<Finding> {
    const ABOUT: &str = "broadcast";
    let read = durable::follow_link(disk, &home.broadcast())
        .and_then(|file| durable::read_text(disk, &file, MAX_RULES_BYTES));
    let text = match read {
        Ok(text) => text,
        Err(durable::ReadError::Missing { .. }) => {
            return vec![Finding::warning(
                ABOUT,
                "there is no memory/CLAUDE.md yet",
                "start with one that you have: `subcortex adopt FILE`; or wait until rules are learned",
            )];
        }
        Err(error) => return vec![Finding::problem(ABOUT, error.to_string(), "mend or move the file")],
    };
    let lines = text.lines().count();
    let mut findings = Vec::new();
    if lines > MAX_BROADCAST_LINES || text.len() > MAX_BROADCAST_BYTES {
        findings.push(Finding::warning(
            ABOUT,
            format!("memory/CLAUDE.md has {lines} lines and {} bytes", text.len()),
            format!(
                "agents load {MAX_BROADCAST_LINES} lines or {MAX_BROADCAST_BYTES} bytes of it; shorten it"
            ),
        ));
    }
    let text = text.trim_start_matches('\u{feff}');
    let has_priority = disk.stat(&home.priority()).is_ok();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if has_priority && first.trim() != "@priority.md" {
        findings.push(Finding::problem(
            ABOUT,
            "memory/priority.md exists, but memory/CLAUDE.md does not begin with it",
            "make `@priority.md` the first line of memory/CLAUDE.md",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(ABOUT, format!("{lines} lines")));
    }
    findings
}
