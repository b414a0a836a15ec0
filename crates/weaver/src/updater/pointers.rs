//! Pointers that lead nowhere, taken out of their lines where the line says the same without them.

use std::collections::BTreeSet;

use regex::{NoExpand, Regex};
use subcortex_memory::{Broadcast, Cause, Change, ChangeKind, Edit, MemoryFolder};

use super::commit::{Committed, commit};
use super::page::Page;
use crate::{BroadcastMode, WeaveError, Workshop};

/// What became of pointers that lead nowhere.
#[derive(Debug, Default)]
pub(crate) struct TakenOut {
    /// The edit that took some of them out.
    pub(crate) edit: Option<Edit>,
    /// Why others stay, a sentence each.
    pub(crate) stay: Vec<String>,
}

/// Takes these pointers out of the lines that hold them, in one edit.
pub(crate) fn take_out(
    shop: &Workshop,
    broadcast: &Broadcast,
    pointers: &BTreeSet<String>,
) -> Result<TakenOut, WeaveError> {
    let mut done = TakenOut::default();
    let mut page = Page::of(broadcast);
    let mut changed = Vec::new();
    for line in broadcast.lines.iter().filter(|line| line.pointers.iter().any(|name| pointers.contains(name)))
    {
        let gone: Vec<&String> = line.pointers.iter().filter(|name| pointers.contains(*name)).collect();
        let without = gone.iter().try_fold(line.text.clone(), |text, name| without(&text, name));
        match without {
            Some(text) if shop.settings.mode == BroadcastMode::Apply => {
                page.replace(line.number, &text);
                changed.push((line, gone));
            }
            Some(_) => done.stay.push(format!(
                "{} points to a dossier that does not exist, and `broadcast.mode` leaves the line to a person",
                line.reference()
            )),
            None => done.stay.push(format!(
                "{} speaks of a dossier that does not exist and that there is no evidence to write from: write {}, or reword the line",
                line.reference(),
                gone.iter().map(|name| usual_path(name)).collect::<Vec<_>>().join(" and ")
            )),
        }
    }
    if changed.is_empty() {
        return Ok(done);
    }
    let text = page.text();
    let after = Broadcast::parse(text.clone());
    let changes = changed.iter().map(|(line, _)| {
        let new = page.now_at(line.number).and_then(|number| after.by_number(number));
        Change {
            kind: ChangeKind::Rewrite,
            line_before: Some(line.number),
            line_after: new.map(|line| line.number),
            hash_before: Some(line.hash.clone()),
            hash_after: new.map(|line| line.hash.clone()),
            before: Some(line.text.clone()),
            after: new.map(|line| line.text.clone()),
            project: line.project.clone(),
            why: "it pointed to a dossier that does not exist".into(),
            evidence: Vec::new(),
            rate_before: None,
            rate_after: None,
        }
    });
    let edit = shop.edit(Cause::Task, changes.collect());
    match commit(shop, broadcast, &text, &edit)? {
        Committed::Done => done.edit = Some(edit),
        Committed::Conflict | Committed::Busy => done.stay.push(format!(
            "somebody is writing {}; the pointers are taken out when it is quiet",
            MemoryFolder::BROADCAST_REF
        )),
    }
    Ok(done)
}

/// Where a person would write the dossier of a pointer.
fn usual_path(pointer: &str) -> String {
    match pointer.strip_prefix("entity-") {
        Some(slug) => format!("memory/entities/{slug}.md"),
        None => format!("memory/topics/{}.md", pointer.strip_prefix("topic-").unwrap_or(pointer)),
    }
}

/// A line without a pointer that only stood beside it; `None` when the sentence needs it.
fn without(text: &str, pointer: &str) -> Option<String> {
    let name = format!(r"\[\[\s*{}\s*\]\]", regex::escape(pointer));
    let hint = r"(?i:(?:for )?(?:see|details|more|background|cf\.)(?: also| in| on this in)?:? )?";
    let asides = [
        (format!(r"\s*\({hint}{name}\)"), ""),
        (format!(r"[;,—–-]?\s*(?i:see(?: also)?|details(?: in)?:?|more(?: in)?:?)\s+{name}\.?\s*$"), "."),
        (format!(r"([.;:!?])\s+(?i:see(?: also)? )?{name}\.?\s*$"), "."),
    ];
    for (pattern, instead) in asides {
        let Ok(pattern) = Regex::new(&pattern) else { continue };
        if pattern.is_match(text) {
            let rest = pattern.replace(text, NoExpand(instead));
            let rest = rest.trim_end().replace("..", ".");
            let words = rest.trim_start_matches(['-', '*', '+', ' ']).split_whitespace().count();
            return (words >= 2).then_some(rest);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        assert_eq!(without(text, "topic-x").as_deref(), expect, "{text}");
    }

    #[test]
    fn a_pointer_beside_a_sentence_goes_and_one_within_it_stays() {
        check("- Use pnpm, not npm (see [[topic-x]]).", Some("- Use pnpm, not npm."));
        check("- Use pnpm, not npm ([[topic-x]])", Some("- Use pnpm, not npm"));
        check("- Use pnpm, not npm; see [[topic-x]].", Some("- Use pnpm, not npm."));
        check("- Use pnpm, not npm. See also [[topic-x]]", Some("- Use pnpm, not npm."));
        check("- Use pnpm, not npm. [[topic-x]]", Some("- Use pnpm, not npm."));
        check("- Before a deploy, read [[topic-x]].", None);
        check("- Follow [[topic-x]] for releases.", None);
        check("- See [[topic-x]].", None);
        check("- Use pnpm (see [[topic-y]]).", None);
    }
}
