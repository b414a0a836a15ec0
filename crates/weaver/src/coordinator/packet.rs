//! A task as a work packet: what it asks for, read from its prose.
//!
//! A bracketed marker at the front (`[memory:claude-compress] …`) is transport metadata: it never decides the work.

use std::collections::BTreeSet;

use subcortex_memory::notice_words::{FOR_INFORMATION, GOES_AWAY};
use subcortex_spine::Cursor;

/// What the prose asks for. More than one may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Wanted {
    /// Look at what happened.
    pub(crate) scan: bool,
    /// Edit the broadcast.
    pub(crate) edit: bool,
    /// Make or mend dossiers.
    pub(crate) dossiers: bool,
}

/// One task, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packet {
    /// What stands before the first colon of its rendering: the ack target.
    pub(crate) basename: String,
    /// The marker, if it has one.
    pub(crate) marker: Option<String>,
    /// The prose.
    pub(crate) prose: String,
    /// What it asks for.
    pub(crate) wanted: Wanted,
    /// Lines of the broadcast that it names.
    pub(crate) lines: Vec<usize>,
    /// Where to begin scanning, if it says so.
    pub(crate) from: Option<Cursor>,
    /// Whether it says that a line is wrong, in so many words.
    pub(crate) contrary: bool,
    /// Whether it speaks of nothing but the program's own traces.
    pub(crate) only_internal: bool,
    /// Files of the memory that it names.
    pub(crate) paths: Vec<String>,
    /// Dossiers that it names, as pointers: `topic-x`.
    pub(crate) pointers: Vec<String>,
    /// Whether it is about pointers or missing dossiers, whichever they are.
    pub(crate) of_pointers: bool,
    /// What it says is wanted, in its own words.
    pub(crate) requested: Option<String>,
    /// Whether it only tells something, or waits for a person.
    pub(crate) concern: Concern,
}

/// Whom a task that a check posted is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Concern {
    /// The workers.
    #[default]
    Workers,
    /// Nobody has to do anything.
    Information,
    /// A person decides; until then it stays.
    Person,
}

const SCAN_WORDS: &[&str] = &[
    "scan",
    "rescan",
    "spine",
    "events",
    "event log",
    "sessions",
    "session",
    "transcript",
    "transcripts",
    "evidence",
    "coverage",
    "what happened",
    "turns",
    "followed",
    "ignored",
    "review the log",
    "look at the log",
];
const EDIT_WORDS: &[&str] = &[
    "compact",
    "compress",
    "prune",
    "repair",
    "rewrite",
    "reword",
    "tidy",
    "clean up",
    "cleanup",
    "trim",
    "shorten",
    "shrink",
    "deduplicate",
    "dedupe",
    "condense",
    "remove line",
    "remove the line",
    "drop line",
    "drop the line",
    "delete line",
    "delete the line",
    "fix line",
    "fix the line",
    "update the broadcast",
    "edit the broadcast",
    "update claude.md",
    "edit claude.md",
    "update memory/claude.md",
    "edit memory/claude.md",
    "sharpen",
];
const DOSSIER_WORDS: &[&str] = &[
    "dossier",
    "dossiers",
    "pointer",
    "pointers",
    "crystallize",
    "crystallise",
    "ledger",
    "entity",
    "entities",
];
const CONTRARY_WORDS: &[&str] = &[
    "is wrong",
    "are wrong",
    "is outdated",
    "are outdated",
    "is stale",
    "no longer true",
    "no longer holds",
    "no longer applies",
    "does not hold",
    "doesn't hold",
    "is obsolete",
    "contradicts",
    "contrary to",
    "is false",
];
/// What may be stale or wrong without any line being so.
const OWN_FILES: &[&str] = &["ledger", "dossier", "dossiers", "index", "check", "checks"];
const INTERNAL_WORDS: &[&str] = &[
    "run record",
    "run records",
    "run-log",
    "heartbeat",
    "cadence tick",
    "cadence ticks",
    "daemon log",
    "daemon.log",
    "scheduler",
    "system.cadence_tick",
    "tick log",
];

impl Packet {
    /// Understands a task.
    pub(crate) fn of(basename: &str, body: &str) -> Self {
        let (marker, prose) = split_marker(body);
        let lower = prose.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| holds_word(&lower, word));
        let wanted = Wanted { scan: has(SCAN_WORDS), edit: has(EDIT_WORDS), dossiers: has(DOSSIER_WORDS) };
        let evidence_of_people = holds_word(&lower, "spine")
            || holds_word(&lower, "session")
            || holds_word(&lower, "sessions")
            || holds_word(&lower, "transcripts");
        Self {
            basename: basename.to_owned(),
            marker,
            lines: cited_lines(&prose),
            from: cursor_in(&prose),
            contrary: CONTRARY_WORDS.iter().any(|word| says_of_a_line(&lower, word)),
            only_internal: has(INTERNAL_WORDS) && !evidence_of_people,
            wanted,
            paths: named_paths(&prose),
            pointers: named_pointers(&prose),
            of_pointers: has(&["pointer", "pointers", "missing dossier", "missing dossiers"]),
            requested: prose.split_once("Wanted: ").map(|(_, wanted)| one_line(wanted)),
            concern: concern(&lower),
            prose,
        }
    }

    /// What it says first.
    pub(crate) fn first_sentence(&self) -> String {
        one_line(self.prose.split("\n\nWanted:").next().unwrap_or_default())
    }

    /// Whether nobody can tell what is wanted.
    pub(crate) fn is_unclear(&self) -> bool {
        let Wanted { scan, edit, dossiers } = self.wanted;
        !(scan || edit || dossiers)
            && self.lines.is_empty()
            && !self.only_internal
            && self.concern == Concern::Workers
    }
}

fn concern(lower: &str) -> Concern {
    if lower.contains(&GOES_AWAY.to_lowercase()) {
        Concern::Person
    } else if lower.contains(&FOR_INFORMATION.to_lowercase()) {
        Concern::Information
    } else {
        Concern::Workers
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `memory/topics/x.md` and the like.
fn named_paths(prose: &str) -> Vec<String> {
    let words = prose.split(|c: char| c.is_whitespace() || ",;()\"'`".contains(c));
    let paths = words
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .filter(|word| word.starts_with("memory/"));
    let paths = paths.map(|path| path.rsplit_once(":L").map_or(path, |(path, _)| path).to_owned());
    paths.collect::<BTreeSet<_>>().into_iter().collect()
}

/// `[[topic-x]]`, or `topic-x` as a word of its own.
fn named_pointers(prose: &str) -> Vec<String> {
    let mut found: BTreeSet<String> = subcortex_memory::pointers_of(prose).into_iter().collect();
    for word in prose.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_' || c == '/' || c == '.'))
    {
        let word = word.trim_end_matches('.');
        let slug = word.strip_prefix("topic-").or_else(|| word.strip_prefix("entity-"));
        if slug.is_some_and(|slug| !slug.is_empty()) && !word.contains('/') {
            found.insert(word.to_owned());
        }
    }
    found.into_iter().collect()
}

fn split_marker(body: &str) -> (Option<String>, String) {
    let body = body.trim();
    let marker = body.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match marker {
        Some((marker, prose)) if !marker.contains('\n') && !marker.starts_with('[') => {
            (Some(marker.trim().to_owned()), prose.trim().to_owned())
        }
        _ => (None, body.to_owned()),
    }
}

/// Whether a text says this of something else than the program's own files about the lines.
fn says_of_a_line(lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, _)| {
        let subject =
            lower.get(..at).and_then(|text| text.split_whitespace().next_back()).unwrap_or_default();
        !OWN_FILES.contains(&subject) && holds_word(lower, word)
    })
}

/// Whether a text holds a word or phrase on its own, not as a part of another word.
fn holds_word(lower: &str, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    lower.match_indices(word).any(|(at, _)| {
        let before = lower.get(..at).and_then(|text| text.chars().next_back());
        let behind = lower.get(at + word.len()..).and_then(|text| text.chars().next());
        edge(before) && edge(behind)
    })
}

/// The lines that a text names: `memory/CLAUDE.md:L3`, `L3`, `line 3`.
fn cited_lines(prose: &str) -> Vec<usize> {
    let mut found = BTreeSet::new();
    let words: Vec<&str> = prose.split(|c: char| c.is_whitespace() || ",;()\"'`".contains(c)).collect();
    let named_lines = prose.to_lowercase().contains("line");
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        let numbered = word.rsplit(':').next().and_then(|last| last.strip_prefix(['L', 'l']));
        let after_line = at
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|before| matches!(before.to_lowercase().as_str(), "line" | "lines" | "and"))
            .then_some(word);
        let number = numbered.or(after_line.filter(|_| named_lines));
        found.extend(number.and_then(|digits| digits.parse::<usize>().ok()).filter(|number| *number > 0));
    }
    found.into_iter().collect()
}

/// A position that a task gives: `2026-01-02.jsonl:1234`, or a day `2026-01-02` after "from" or "since".
fn cursor_in(prose: &str) -> Option<Cursor> {
    let words: Vec<&str> = prose.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_matches(|c: char| ",;()\"'`.".contains(c));
        let word = word.rsplit('/').next().unwrap_or(word);
        if let Some((day, rest)) = word.split_once(".jsonl")
            && is_day(day)
        {
            let offset = rest.strip_prefix(':').and_then(|digits| digits.parse().ok()).unwrap_or(0);
            return Some(Cursor { file: format!("{day}.jsonl"), offset, last_id: None });
        }
        let since = at
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|before| matches!(before.to_lowercase().as_str(), "from" | "since"));
        if since && is_day(word) {
            return Some(Cursor { file: format!("{word}.jsonl"), offset: 0, last_id: None });
        }
    }
    None
}

fn is_day(text: &str) -> bool {
    text.parse::<jiff::civil::Date>().is_ok_and(|date| date.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expect: &str) {
        let packet = Packet::of("t.md", body);
        let Wanted { scan, edit, dossiers } = packet.wanted;
        let mut words = Vec::new();
        words.extend(scan.then_some("scan".to_owned()));
        words.extend(edit.then_some("edit".to_owned()));
        words.extend(dossiers.then_some("dossiers".to_owned()));
        words.extend(packet.contrary.then_some("contrary".to_owned()));
        words.extend(packet.only_internal.then_some("internal".to_owned()));
        words.extend(packet.is_unclear().then_some("unclear".to_owned()));
        words.extend(packet.lines.iter().map(|line| format!("L{line}")));
        words.extend(packet.from.map(|cursor| format!("{}:{}", cursor.file, cursor.offset)));
        assert_eq!(words.join(" "), expect, "{body}");
    }

    #[test]
    fn the_prose_decides_and_the_marker_does_not() {
        check("[memory:claude-compress] Scan the spine for new evidence.", "scan");
        check("[memory:scan] Compact memory/CLAUDE.md, it is too long", "edit");
        check("please prune lines 3 and 7", "edit L3 L7");
        check("line 4 is outdated: rewrite it", "edit contrary L4");
        check("scan since 2026-01-02 and rewrite memory/CLAUDE.md:L5", "scan edit L5 2026-01-02.jsonl:0");
        check("rescan var/events/2026-01-02.jsonl:512", "scan 2026-01-02.jsonl:512");
        check("make the missing dossier for [[topic-deploys]]", "dossiers");
        check("The ledger is stale for L6: repair it.", "edit dossiers L6");
        check("hello there", "unclear");
        check("", "unclear");
        check("the heartbeat did nothing again, learn from the run records", "internal");
    }

    #[test]
    fn a_bracket_that_is_no_marker_is_prose() {
        let packet = Packet::of("t.md", "[[topic-x]] is a dangling pointer");
        assert_eq!(packet.marker, None);
        assert!(packet.prose.starts_with("[["));
    }
}
