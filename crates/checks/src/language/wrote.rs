//! Files that were changed.

use serde::{Deserialize, Serialize};

use crate::facts::{ActKind, Written, WrittenBy};
use crate::judge::{Field, Need, Trace, Way, path_need};
use crate::text;

use super::matcher::{Expression, Glob, Name, Shared, any_matches};
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight, avoids, fits, is_named};
use super::words::{files_in_words, text_in_words};

/// A file that was changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wrote {
    /// Globs, any of which matches the path; empty: any path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Glob>,
    /// Globs that the path must not match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<Glob>,
    /// Words, any of which is a part of the path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Expression on the lines that were added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<Expression>,
    /// Expression that the added lines must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_added: Option<Expression>,
    /// Expression on the lines that were removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Expression>,
    /// Expression that the removed lines must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_removed: Option<Expression>,
    /// Expression on what stands there after the change: the added lines and those around them that the change names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<Expression>,
    /// Expression that what stands there after the change must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_around: Option<Expression>,
    /// Only files written as a whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// Only changes of files that were there before: not a new file, not a whole one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// Only files that were not there before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub new: bool,
    /// Expression for the whole file name, without its directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<Name>,
    /// Expression that the whole file name must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_named: Option<Name>,
    /// Only by the shell, not by an editing tool.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_shell: bool,
    /// Only files moved from a path that matches this glob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<Glob>,
    /// Only deletions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

/// Most paths that are spelled out.
const MOST_NAMED: usize = 3;

impl Wrote {
    /// A change of files of these globs.
    pub fn paths<T: Into<String>>(globs: impl IntoIterator<Item = T>) -> Self {
        Self { paths: super::globs(globs), ..Self::default() }
    }

    /// Whether it is about a change of certain files, whatever changes in them.
    pub(crate) fn is_any_change(&self) -> bool {
        let Self { paths, except, deleted, .. } = self.clone();
        !paths.is_empty() && *self == Self { paths, except, deleted, ..Self::default() }
    }

    fn quote(&self, written: &Written) -> Option<String> {
        if !(self.is_kind(written) && self.is_place(written) && self.is_text(written)) {
            return None;
        }
        let found = match (&self.added, &self.removed) {
            (Some(pattern), _) => pattern.find(&written.added).map(|found| (&written.added, found)),
            (None, Some(pattern)) => pattern.find(&written.removed).map(|found| (&written.removed, found)),
            (None, None) => None,
        };
        Some(match found {
            Some((text, found)) => text::window(text, found.start(), found.end(), QUOTE_CHARS / 2).to_owned(),
            None => written.path.clone(),
        })
    }

    fn is_kind(&self, written: &Written) -> bool {
        (!self.whole || written.whole)
            && (!self.edited || !(written.whole || written.deleted || written.moved_from.is_some()))
            && (!self.new || written.new)
            && (!self.by_shell || written.by == WrittenBy::Shell)
            && self.deleted == written.deleted
    }

    fn is_place(&self, written: &Written) -> bool {
        let name = written.path.rsplit('/').next().unwrap_or(&written.path);
        (self.paths.is_empty() || any_matches(&self.paths, &written.path))
            && !any_matches(&self.except, &written.path)
            && is_named(self.named.as_ref(), self.not_named.as_ref(), Some(name))
            && (self.words.is_empty() || has_word(&written.path, &self.words))
            && self
                .moved_from
                .as_ref()
                .is_none_or(|glob| written.moved_from.as_deref().is_some_and(|from| glob.is_match(from)))
    }

    fn is_text(&self, written: &Written) -> bool {
        fits(self.added.as_ref(), &written.added)
            && avoids(self.not_added.as_ref(), &written.added)
            && fits(self.removed.as_ref(), &written.removed)
            && avoids(self.not_removed.as_ref(), &written.removed)
            && fits(self.around.as_ref(), written.after())
            && avoids(self.not_around.as_ref(), written.after())
    }
}

impl Sight for Wrote {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (at, act) in scene.acts() {
            if let ActKind::Wrote(written) = &act.kind
                && !act.failed
                && let Some(quote) = self.quote(written)
            {
                hits.push(Hit { event: act.event, at, quote });
            }
        }
        hits
    }

    fn need(&self) -> Need {
        let mut all = vec![
            Need::any_of(Trace::Wrote),
            Need::expression(Field::Added, self.added.as_ref()),
            Need::expression(Field::Removed, self.removed.as_ref()),
            Need::expression(Field::Deed, self.named.as_ref()),
        ];
        if !self.paths.is_empty() {
            all.push(Need::Any(
                self.paths.iter().map(|glob| path_need(glob.as_str(), Way::Written)).collect(),
            ));
        }
        if !self.words.is_empty() {
            all.push(Need::Any(self.words.iter().map(|word| Need::stem(Field::Deed, word)).collect()));
        }
        if self.deleted {
            all.push(Need::any_of(Trace::Deleted));
        }
        if self.moved_from.is_some() {
            all.push(Need::any_of(Trace::Moved));
        }
        Need::All(all)
    }

    fn in_words(&self) -> String {
        let change = if self.deleted {
            "the deletion"
        } else if self.new {
            "a new file"
        } else {
            "a change"
        };
        let place = match self.paths.len() {
            0 => "files".to_owned(),
            1..=MOST_NAMED => files_in_words(&self.paths),
            _ => "code".to_owned(),
        };
        let text = |expression: &Option<Expression>| expression.as_ref().map(text_in_words);
        match (text(&self.added), text(&self.removed)) {
            _ if !self.words.is_empty() => format!("{change} of {place} named {}", self.words.join(", ")),
            (Some(Some(added)), _) => format!("{added} in {place}"),
            (None, Some(Some(removed))) => format!("{removed} taken out of {place}"),
            (Some(None), _) => format!("what the line speaks of in {place}"),
            (None, Some(None)) => format!("what the line speaks of taken out of {place}"),
            (None, None) => format!("{change} of {place}"),
        }
    }

    fn problem(&self) -> Option<String> {
        if self.edited && (self.whole || self.new || self.deleted || self.moved_from.is_some()) {
            return Some("`edited` is a change of a file that stays; leave out one of the two".into());
        }
        if self.deleted && self.added.is_some() {
            return Some("nothing is added to a file that is deleted; leave out `added` or `deleted`".into());
        }
        None
    }

    fn share(&self, shared: &mut Shared) {
        self.paths.iter().chain(&self.except).chain(&self.moved_from).for_each(|glob| glob.share(shared));
        self.named.iter().chain(&self.not_named).for_each(|name| name.share(shared));
        let added = self.added.iter().chain(&self.not_added).chain(&self.around).chain(&self.not_around);
        added.chain(&self.removed).chain(&self.not_removed).for_each(|text| text.share(shared));
    }
}

/// Whether one of these words is part of the path of a changed file.
fn has_word(path: &str, words: &[String]) -> bool {
    let stems: Vec<String> = text::parts(path).iter().map(|part| text::stem(part)).collect();
    words.iter().any(|word| stems.contains(word))
}
