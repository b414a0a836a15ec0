//! What a commit says of itself.

use std::fmt::Write as _;

use subcortex_diff::between;
use subcortex_guard::Redactor;
use subcortex_memory::Broadcast;

use crate::commit::Origin;
use crate::held_back::HeldBack;
use crate::paths::is_evidence;

/// The longest subject, in characters.
const MAX_SUBJECT_CHARS: usize = 72;
/// How many changed lines a message shows.
const MAX_SHOWN_LINES: usize = 20;

/// What goes into a commit.
#[derive(Debug)]
pub(crate) struct Contents<'a> {
    /// The files, below `memory/`.
    pub(crate) files: &'a [String],
    /// The broadcast before and after, if it is among them.
    pub(crate) broadcast: Option<(String, String)>,
    pub(crate) held_back: &'a [HeldBack],
    /// The edits of the journal that are new.
    pub(crate) edits: &'a [String],
    pub(crate) origin: &'a Origin,
}

impl Contents<'_> {
    /// The whole message, without secrets.
    pub(crate) fn message(&self) -> String {
        let (added, removed) = self.lines();
        let mut text = format!("{}\n", shortened(&self.subject(&added, &removed)));
        // Writing to a String cannot fail.
        if !added.is_empty() || !removed.is_empty() {
            text.push('\n');
        }
        for (mark, lines) in [("-", &removed), ("+", &added)] {
            for line in lines.iter().take(MAX_SHOWN_LINES) {
                let _ok = writeln!(text, "{mark} {line}");
            }
        }
        if !self.held_back.is_empty() {
            text.push('\n');
        }
        for held in self.held_back {
            let _ok = writeln!(text, "Held back: memory/{}: {}", held.path, held.reasons.join("; "));
        }
        let _ok = write!(text, "\nTick: {}\nRun: {}\n", self.origin.tick, self.origin.run_id);
        for edit in self.edits {
            let _ok = writeln!(text, "Edit: {edit}");
        }
        Redactor::new().text(&text).into_owned()
    }

    /// Rules that are new, and rules that are gone.
    fn lines(&self) -> (Vec<String>, Vec<String>) {
        let Some((before, after)) = &self.broadcast else { return Default::default() };
        let (old, new) = (Broadcast::parse(before.as_str()), Broadcast::parse(after.as_str()));
        let rule = |line: &subcortex_memory::Line| {
            line.text.trim_start_matches(['-', '*', '+', ' ']).trim().to_owned()
        };
        let added = new.lines.iter().filter(|line| old.by_hash(&line.hash).is_none()).map(rule).collect();
        let removed = old.lines.iter().filter(|line| new.by_hash(&line.hash).is_none()).map(rule).collect();
        (added, removed)
    }

    fn subject(&self, added: &[String], removed: &[String]) -> String {
        let mut parts = Vec::new();
        match (added, removed) {
            ([one], []) => parts.push(format!("add \"{one}\"")),
            ([], [one]) => parts.push(format!("remove \"{one}\"")),
            ([one], [_]) => parts.push(format!("reword to \"{one}\"")),
            ([], []) if self.broadcast.is_some() => parts.push("arrange the broadcast anew".into()),
            ([], []) => {}
            (added, removed) => parts.push(format!("{} lines added, {} removed", added.len(), removed.len())),
        }
        let count = |is: &dyn Fn(&str) -> bool| self.files.iter().filter(|path| is(path)).count();
        let counted = [
            (count(&|path| path == "priority.md"), "a person's own lines", "a person's own lines"),
            (
                count(&|path| path.starts_with("topics/lesson-") || path.starts_with("topics/groove-")),
                "pattern",
                "patterns",
            ),
            (
                count(&|path| {
                    (path.starts_with("topics/")
                        && !path.starts_with("topics/lesson-")
                        && !path.starts_with("topics/groove-"))
                        || path.starts_with("entities/")
                }),
                "dossier",
                "dossiers",
            ),
            (count(&|path| path.starts_with("fragments/")), "piece of evidence", "pieces of evidence"),
        ];
        for (count, one, many) in counted {
            match count {
                0 => {}
                1 => parts.push(format!("one {one}")),
                _ => parts.push(format!("{count} {many}")),
            }
        }
        if parts.is_empty() {
            let only_evidence = self.files.iter().all(|path| is_evidence(path));
            parts.push(if only_evidence {
                "what the evidence comes to".into()
            } else {
                "the journal".into()
            });
        }
        format!("memory: {}", parts.join(", "))
    }
}

fn shortened(subject: &str) -> String {
    let subject: String = subject.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if subject.chars().count() <= MAX_SUBJECT_CHARS {
        return subject;
    }
    let start: String = subject.chars().take(MAX_SUBJECT_CHARS - 1).collect();
    format!("{}…", start.trim_end())
}

/// Whether two versions of a text differ in white space only.
pub(crate) fn is_trivial(before: &[u8], after: &[u8]) -> bool {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let difference = between(&before, &after);
    let words = |lines: &mut dyn Iterator<Item = &str>| -> Vec<String> {
        lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
    };
    words(&mut difference.removed()) == words(&mut difference.added())
}
