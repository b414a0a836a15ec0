//! Names that people shorten: edits, runs, proposals, events and sessions. Any beginning that fits one of them only is enough.

use subcortex_guard::escape_for_display;
use subcortex_yaml::nearest;

use crate::failure::Failure;

/// How many names are shown when several are meant, or none.
const MAX_SHOWN: usize = 8;
/// How much of a name that is a hash is shown at least, behind its prefix.
const MIN_HASH_CHARS: usize = 6;
/// How much of a name that begins with the time is shown at least, behind its prefix: all of the time. What is made later then
/// has another beginning.
const MIN_TIME_CHARS: usize = 12;

/// What kind of names they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// What one of them is called.
    pub(crate) what: &'static str,
    /// What all of them begin with; it may be left out.
    pub(crate) prefix: &'static str,
    /// The command that lists them.
    pub(crate) listed_by: &'static str,
    min_chars: usize,
}

/// Edits of the memory.
pub(crate) const EDIT: Kind =
    Kind { what: "edit", prefix: "edit_", listed_by: "subcortex history", min_chars: MIN_TIME_CHARS };
/// Edits that wait for a yes.
pub(crate) const PROPOSAL: Kind =
    Kind { what: "proposal", prefix: "prop_", listed_by: "subcortex review", min_chars: MIN_HASH_CHARS };
/// Runs.
pub(crate) const RUN: Kind =
    Kind { what: "run", prefix: "", listed_by: "subcortex runs", min_chars: MIN_TIME_CHARS };

impl Kind {
    /// The one name that is meant by a beginning, or the whole of it.
    pub(crate) fn resolve<'n>(
        &self,
        word: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<String, Failure> {
        let names: Vec<&str> = names.into_iter().collect();
        let meant = meant_by(word, self.prefix, &names);
        match &*meant {
            [only] => Ok((*only).to_owned()),
            [] => Err(self.unknown(word, &names)),
            several => Err(Failure::refused(format!(
                "`{}` is the beginning of {} {}s; write more of the one that you mean\n{}",
                escape_for_display(word),
                several.len(),
                self.what,
                listed(several)
            ))),
        }
    }

    fn unknown(&self, word: &str, names: &[&str]) -> Failure {
        let word = escape_for_display(word);
        let what = self.what;
        let near = match (nearest(&word, names), names) {
            (_, []) => format!("there is none yet; `{}` lists them", self.listed_by),
            (Some(near), _) => format!("did you mean {near}?"),
            (None, _) => format!("`{}` lists them", self.listed_by),
        };
        Failure::refused(format!("there is no {what} `{word}`\n{near}"))
    }

    /// A name as short as it can be told from the others, and will be from later ones.
    pub(crate) fn short<'n>(&self, name: &'n str, names: &[&str]) -> &'n str {
        let least = self.prefix.len() + self.min_chars;
        let shared = |other: &&str| name.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let others = names.iter().filter(|other| **other != name);
        let unique = others.map(shared).max().map_or(0, |shared| shared + 1);
        let at = name.char_indices().map(|(at, _)| at).find(|at| *at >= unique.max(least));
        at.map_or(name, |at| &name[..at])
    }
}

/// The names that a word can mean: itself, else all that begin with it, with or without the prefix.
pub(crate) fn meant_by<'n>(word: &str, prefix: &str, names: &[&'n str]) -> Vec<&'n str> {
    let whole = format!("{prefix}{word}");
    if let Some(name) = names.iter().find(|name| **name == word || **name == whole) {
        return vec![name];
    }
    if word.is_empty() || word == prefix {
        return Vec::new();
    }
    names.iter().filter(|name| name.starts_with(word) || name.starts_with(&whole)).copied().collect()
}

/// Some names, a line each.
pub(crate) fn listed(names: &[&str]) -> String {
    let mut lines: Vec<String> =
        names.iter().take(MAX_SHOWN).map(|name| format!("  {}", escape_for_display(name))).collect();
    if let Some(more) = names.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        lines.push(format!("  … and {more} more"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["edit_0199aaaaaaaa7000", "edit_0199aaaaaaaa7111", "edit_0199bbbbbbbb7000"];

    #[track_caller]
    fn check(word: &str, expect: &str) {
        let said = EDIT.resolve(word, NAMES).unwrap_or_else(|failure| failure.message().to_owned());
        assert!(said.starts_with(expect), "{word}: {said}");
    }

    #[test]
    fn any_beginning_that_fits_one_name_only_is_enough() {
        check("edit_0199bbbbbbbb7000", "edit_0199bbbbbbbb7000");
        check("edit_0199b", "edit_0199bbbbbbbb7000");
        check("0199b", "edit_0199bbbbbbbb7000");
        check(
            "0199a",
            "`0199a` is the beginning of 2 edits; write more of the one that you mean\n  edit_0199aaaaaaaa7000\n  edit_0199aaaaaaaa7111",
        );
        check(
            "edit_0199bbbbbbbb7001",
            "there is no edit `edit_0199bbbbbbbb7001`\ndid you mean edit_0199bbbbbbbb7000?",
        );
        check("zebra", "there is no edit `zebra`\n`subcortex history` lists them");
        check("", "there is no edit ``");
        check("edit_", "there is no edit `edit_`");
    }

    #[test]
    fn a_short_name_is_told_from_the_others_and_from_later_ones() {
        assert_eq!(EDIT.short(NAMES[2], &NAMES), "edit_0199bbbbbbbb");
        assert_eq!(EDIT.short(NAMES[0], &NAMES), "edit_0199aaaaaaaa70");
        assert_eq!(PROPOSAL.short("prop_abcdef0123456789", &["prop_abcdef0123456789"]), "prop_abcdef");
    }
}
