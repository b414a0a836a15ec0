//! Commits.

use serde::{Deserialize, Serialize};

use crate::facts::{ActKind, Commit};
use crate::judge::{Field, Need, Trace};
use crate::text;

use super::matcher::{Expression, Glob, Name, Shared, any_matches};
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight, avoids, fits, is_named};

/// A commit that was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Committed {
    /// Expression for the whole branch name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Name>,
    /// Expression that the branch name must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_branch: Option<Name>,
    /// Expression on the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Expression>,
    /// Expression that the message must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_message: Option<Expression>,
    /// Expression on the command's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<Expression>,
    /// Expression that the command's text must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<Expression>,
    /// Globs, one of which matches a file of the commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Glob>,
    /// Globs that match no file of the commit. Says nothing of a commit whose files nobody knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_files: Vec<Glob>,
    /// Glob of the directory of the repository, where the command names another one than the session's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Glob>,
}

impl Committed {
    fn quote(&self, commit: &Commit) -> Option<String> {
        let said = commit.message.as_deref();
        let about_message = self.message.is_some() || self.not_message.is_some();
        let holds = is_named(self.branch.as_ref(), self.not_branch.as_ref(), commit.branch.as_deref())
            && (!about_message || said.is_some())
            && fits(self.message.as_ref(), said.unwrap_or(""))
            && avoids(self.not_message.as_ref(), said.unwrap_or(""))
            && fits(self.with.as_ref(), &commit.text)
            && avoids(self.without.as_ref(), &commit.text)
            && (self.files.is_empty() || commit.files.iter().any(|path| any_matches(&self.files, path)))
            && (self.not_files.is_empty()
                || !commit.files.is_empty()
                    && !commit.files.iter().any(|path| any_matches(&self.not_files, path)))
            && self
                .repository
                .as_ref()
                .is_none_or(|glob| commit.repository.as_deref().is_some_and(|place| glob.is_match(place)));
        if !holds {
            return None;
        }
        let matched = self.message.as_ref().zip(said).and_then(|(pattern, said)| {
            let found = pattern.find(said)?;
            Some(text::window(said, found.start(), found.end(), QUOTE_CHARS / 2))
        });
        let whole = said.filter(|_| about_message).unwrap_or(&commit.text);
        Some(matched.unwrap_or_else(|| text::excerpt(whole, QUOTE_CHARS)).to_owned())
    }
}

impl Sight for Committed {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (at, act) in scene.acts() {
            let ActKind::Committed(commit) = &act.kind else { continue };
            if act.failed {
                continue;
            }
            hits.extend(self.quote(commit).map(|quote| Hit { event: act.event, at, quote }));
        }
        hits
    }

    fn need(&self) -> Need {
        Need::All(vec![
            Need::any_of(Trace::Committed),
            Need::expression(Field::Deed, self.message.as_ref()),
            Need::expression(Field::Command, self.with.as_ref()),
        ])
    }

    fn in_words(&self) -> String {
        let words = if self.not_files.is_empty() { "a commit" } else { "commit of other files alone" };
        words.into()
    }

    fn problem(&self) -> Option<String> {
        None
    }

    fn share(&self, shared: &mut Shared) {
        self.branch.iter().chain(&self.not_branch).for_each(|name| name.share(shared));
        let texts = self.message.iter().chain(&self.not_message).chain(&self.with).chain(&self.without);
        texts.for_each(|text| text.share(shared));
        self.files.iter().chain(&self.not_files).chain(&self.repository).for_each(|glob| glob.share(shared));
    }
}
