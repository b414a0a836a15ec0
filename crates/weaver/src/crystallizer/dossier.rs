//! A dossier: the page of one thing or subject.
//!
//! ```text
//! ---
//! kind: topic                      or `entity`
//! slug: use-pnpm-0123456789ab
//! about: 0123456789abcdef…         what it is about; another one means that the name is taken
//! made: 0123456789abcdef…          of the page as it was written; another one means that a person changed it
//! sources:
//! - memory/fragments/2026-01-02/….md
//! ---
//! # Use pnpm, not npm.
//!
//! ## What it is now
//! ## Stance
//! ## Open variables
//! ## Trend
//! ## Sources
//! ## Pointers
//! ```
//!
//! The name of a dossier follows from what it is about alone, so that it stays when more is known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::Deserialize;
use subcortex_memory::{LineHash, MemoryFolder};
use subcortex_yaml::frontmatter;

use super::escape;
use crate::patterns;

pub(super) const DIGEST_DIGITS: usize = 32;
/// How much of the identity stands in the name.
const SLUG_DIGITS: usize = 12;
/// How many characters of words stand in the name.
const MAX_SLUG_WORDS: usize = 40;
/// How many months a trend shows: the latest.
const MAX_MONTHS: usize = 12;
const MADE: &str = "made: ";

/// Which folder a dossier belongs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Entity,
    Topic,
}

impl Kind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Topic => "topic",
        }
    }

    pub(super) fn dir(self, folder: &MemoryFolder) -> PathBuf {
        match self {
            Self::Entity => folder.entities(),
            Self::Topic => folder.topics(),
        }
    }
}

/// A dossier as it should be.
#[derive(Debug, Clone)]
pub(super) struct Dossier {
    pub(super) kind: Kind,
    pub(super) slug: String,
    /// What it is about, in words that no other dossier has.
    pub(super) identity: String,
    /// Already escaped, as all of the following.
    pub(super) title: String,
    pub(super) now: Vec<String>,
    pub(super) stance: Vec<String>,
    pub(super) open: Vec<String>,
    pub(super) trend: Vec<String>,
    /// Fragments, as references.
    pub(super) sources: BTreeSet<String>,
    pub(super) pointers: Vec<String>,
}

/// What a file says of itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Front {
    pub(super) about: String,
    made: String,
    pub(super) sources: Vec<String>,
}

impl Dossier {
    pub(super) fn about(&self) -> String {
        digest(&self.identity)
    }

    /// What the dossier of a line is about.
    pub(super) fn identity_of_line(hash: &LineHash) -> String {
        format!("line {hash}")
    }

    pub(super) fn render(&self) -> String {
        let front = format!(
            "---\nkind: {}\nslug: {}\nabout: {}\n",
            self.kind.as_str(),
            scalar(&self.slug),
            self.about()
        );
        let mut rest = String::from("sources:\n");
        // Writing to a String cannot fail.
        for source in &self.sources {
            let _ok = writeln!(rest, "- {}", scalar(source));
        }
        let _ok = write!(rest, "---\n# {}\n", self.title);
        let sources: Vec<String> = self.sources.iter().map(|source| escape::path(source)).collect();
        let sections = [
            ("What it is now", &self.now),
            ("Stance", &self.stance),
            ("Open variables", &self.open),
            ("Trend", &self.trend),
            ("Sources", &sources),
            ("Pointers", &self.pointers),
        ];
        for (name, items) in sections {
            let _ok = write!(rest, "\n## {name}\n\n");
            for item in items {
                let _ok = writeln!(rest, "- {item}");
            }
            if items.is_empty() {
                rest.push_str("- none\n");
            }
        }
        format!("{front}{MADE}{}\n{rest}", digest(&format!("{front}{rest}")))
    }
}

impl Front {
    /// What a file says of itself, if we made it.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (front, _) = frontmatter::parse::<Self>(text).ok()?;
        front.filter(|front| !front.made.is_empty() && !front.about.is_empty())
    }

    /// Whether the file is as we made it.
    pub(super) fn is_unedited(&self, text: &str) -> bool {
        digest(&text.replacen(&format!("{MADE}{}\n", self.made), "", 1)) == self.made
    }
}

/// Whether a dossier is as code made it: no person has changed it, and it can be made anew.
pub fn is_as_made(text: &str) -> bool {
    Front::of(text).is_some_and(|front| front.is_unedited(text))
}

/// A name that is safe, short, and of this identity alone.
pub(super) fn slug(words: &str, identity: &str) -> String {
    let mut slug = String::new();
    for character in words.chars().flat_map(char::to_lowercase) {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= MAX_SLUG_WORDS {
            break;
        }
    }
    let words = slug.trim_end_matches('-');
    let digits = digest(identity);
    let digits = digits.get(..SLUG_DIGITS).unwrap_or_default();
    match words {
        "" => format!("about-{digits}"),
        taken if is_reserved(&format!("{taken}-")) => format!("about-{taken}-{digits}"),
        words => format!("{words}-{digits}"),
    }
}

/// Whether files of this name belong to somebody else.
pub(super) fn is_reserved(slug: &str) -> bool {
    patterns::is_page(slug) || slug.starts_with('.')
}

/// First, last, and how many in each month.
pub(super) fn trend(times: impl Iterator<Item = Timestamp>) -> Vec<String> {
    let times: BTreeSet<(Timestamp, usize)> = times.enumerate().map(|(at, ts)| (ts, at)).collect();
    let (Some((first, _)), Some((last, _))) = (times.first(), times.last()) else { return Vec::new() };
    let day = |ts: &Timestamp| ts.strftime("%Y-%m-%d").to_string();
    let mut months: BTreeMap<String, usize> = BTreeMap::new();
    for (ts, _) in &times {
        *months.entry(ts.strftime("%Y-%m").to_string()).or_default() += 1;
    }
    let skipped = months.len().saturating_sub(MAX_MONTHS);
    let months: Vec<String> =
        months.iter().skip(skipped).map(|(month, count)| format!("{month}: {count}")).collect();
    vec![format!("first {}, last {}", day(first), day(last)), format!("by month: {}", months.join(", "))]
}

pub(super) fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().get(..DIGEST_DIGITS).unwrap_or_default().to_owned()
}

/// A YAML scalar: plain where nothing can be misread, else as JSON, which YAML understands.
fn scalar(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.len() > 5; // Not `null`, `true`, `no`.
    if plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
