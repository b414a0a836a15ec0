//! What a commit says of itself.

use std::fmt::Write as _;

use subcortex_guard::{Redactor, counted};
use subcortex_memory::Broadcast;

use crate::commit::Origin;
use crate::held_back::HeldBack;
use crate::paths::is_evidence;

/// The longest subject, in characters.
const MAX_SUBJECT_CHARS: usize = 72;
/// How much of a rule a subject shows at least, in characters.
const MIN_RULE_CHARS: usize = 30;
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
        let subject = shortened(&self.subject(&added, &removed), MAX_SUBJECT_CHARS);
        let mut text = format!("{subject}\n");
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

    /// The subject: what happened to rules, then how much else. Of a rule that is too long its beginning is shown.
    fn subject(&self, added: &[String], removed: &[String]) -> String {
        let mut others = self.counted();
        let (verb, rule) = match (added, removed) {
            ([one], []) => ("add", Some(one)),
            ([], [one]) => ("remove", Some(one)),
            ([one], [_]) => ("reword to", Some(one)),
            (_, _) => ("", None),
        };
        let lines = |count: usize| counted(count, "line", "lines");
        let first = match (added.len(), removed.len()) {
            (0, 0) if self.broadcast.is_some() => Some("arrange the broadcast anew".to_owned()),
            (0, 0) => None,
            (added, 0) => Some(format!("{} added", lines(added))),
            (0, removed) => Some(format!("{} removed", lines(removed))),
            (added, removed) => Some(format!("{} added, {removed} removed", lines(added))),
        };
        if let Some(rule) = rule {
            others.retain(|one| !one.ends_with("evidence")); // which every rule has
            let around = format!(
                "memory: {verb} \"\"{}",
                others.iter().map(|one| format!(", {one}")).collect::<String>()
            );
            let room = MAX_SUBJECT_CHARS.saturating_sub(around.chars().count()).max(MIN_RULE_CHARS);
            others.insert(0, format!("{verb} \"{}\"", shortened(rule, room)));
        } else if let Some(first) = first {
            others.insert(0, first);
        }
        if others.is_empty() {
            let only_evidence = self.files.iter().all(|path| is_evidence(path));
            others.push(if only_evidence {
                "what the evidence comes to".into()
            } else {
                "the journal".into()
            });
        }
        format!("memory: {}", others.join(", "))
    }

    /// How many files of each kind there are, in words.
    fn counted(&self) -> Vec<String> {
        let count = |is: &dyn Fn(&str) -> bool| self.files.iter().filter(|path| is(path)).count();
        let is_pattern =
            |path: &str| path.starts_with("topics/lesson-") || path.starts_with("topics/groove-");
        let is_page = |path: &str| path.starts_with("topics/") || path.starts_with("entities/");
        let counted = [
            (count(&|path| path == "priority.md"), "the person's own lines", "lines of persons"),
            (count(&is_pattern), "one pattern", "patterns"),
            (count(&|path| is_page(path) && !is_pattern(path)), "one dossier", "dossiers"),
            (count(&|path| path.starts_with("fragments/")), "one piece of evidence", "pieces of evidence"),
        ];
        let in_words = counted.into_iter().filter_map(|(count, one, many)| match count {
            0 => None,
            1 => Some(one.to_owned()),
            _ => Some(format!("{count} {many}")),
        });
        in_words.collect()
    }
}

fn shortened(text: &str, max_chars: usize) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() <= max_chars {
        return text;
    }
    let start: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    format!("{}…", start.trim_end())
}

/// Whether two versions of a text differ in white space only. A line that was moved is no trifle: the first ones weigh most.
pub(crate) fn is_trivial(before: &[u8], after: &[u8]) -> bool {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    before.split_whitespace().eq(after.split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, files: &[&str], expect: &str) {
        let files: Vec<String> = files.iter().map(|path| (*path).to_owned()).collect();
        let broadcast = (before != after).then(|| (before.to_owned(), after.to_owned()));
        let origin = Origin { tick: 1, run_id: "r".into() };
        let contents = Contents { files: &files, broadcast, held_back: &[], edits: &[], origin: &origin };
        let message = contents.message();
        let subject = message.lines().next().unwrap();
        assert_eq!(subject, expect);
        assert!(subject.chars().count() <= MAX_SUBJECT_CHARS, "{subject}");
    }

    #[test]
    fn white_space_is_a_trifle_and_the_order_of_lines_is_not() {
        assert!(is_trivial(b"- a\n- b\n", b"- a\n\n-  b\n"));
        assert!(!is_trivial(b"- a\n- b\n", b"- b\n- a\n"));
        assert!(!is_trivial(b"- a\n", b"- a b\n"));
    }

    #[test]
    fn a_subject_says_what_changed_and_of_a_long_rule_its_beginning() {
        check("", "- Use pnpm.\n", &[], "memory: add \"Use pnpm.\"");
        check("- Use npm.\n- Use b.\n", "", &[], "memory: 2 lines removed");
        check(
            "- Use npm.\n",
            "- Use a.\n- Use b.\n",
            &["topics/a.md"],
            "memory: 2 lines added, 1 removed, one dossier",
        );
        check("", "", &["priority.md"], "memory: the person's own lines");
        check("", "", &["effectiveness/x.md"], "memory: what the evidence comes to");
        let files = ["entities/a.md", "topics/b.md", "topics/lesson-c.md"];
        let long = "- Never use `sed -i` on generated files, regenerate them instead.\n";
        check("", long, &files, "memory: add \"Never use `sed -i` on generated…\", one pattern, 2 dossiers");
    }
}
