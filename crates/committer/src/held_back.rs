//! Which changed files are not committed yet, and why.

use std::collections::{BTreeSet, HashSet};

use subcortex_guard::Redactor;
use subcortex_inbox::notices::Notice;
use subcortex_memory::notice_words::GOES_AWAY;
use subcortex_memory::{Broadcast, EvidenceRef, Fragment, Journal, LineHash, MemoryFolder, Origin, WEAVER};
use subcortex_store::{Disk, durable};

use crate::CommitError;
use crate::gates::{Known, is_a_persons, refusal};

/// How many lines a task names.
const MAX_NAMED: usize = 20;
/// The longest file that is looked into, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A file that stays as it is in the newest commit, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldBack {
    /// The file, below `memory/`.
    pub path: String,
    /// Why, a line each.
    pub reasons: Vec<String>,
}

impl HeldBack {
    /// The task about it.
    pub(crate) fn notice(&self) -> Notice {
        let named: String = self.reasons.iter().take(MAX_NAMED).map(|why| format!("- {why}\n")).collect();
        let more = match self.reasons.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!("- and {more} more\n"),
        };
        let path = &self.path;
        let body = format!(
            "[memory:held-back] memory/{path} is not committed to git, because of this:\n\n{named}{more}\n\
             Wanted: the line reworded or taken out, by whoever wrote it. {GOES_AWAY} when nothing is held back.\n"
        );
        let hash = blake3::hash(format!("{path}\n{}", self.reasons.join("\n")).as_bytes()).to_hex();
        Notice {
            key: format!("held-back-{}", hash.get(..12).unwrap_or_default()),
            inbox: WEAVER.into(),
            body,
        }
    }
}

/// What the gates say of a changed file.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// What keeps it from being committed.
    pub(crate) held_back: Option<HeldBack>,
    /// What they say of lines that are a person's.
    pub(crate) notes: Vec<String>,
}

/// Looks at one changed file; `before` is what the newest commit holds.
pub(crate) fn judge(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    path: &str,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    journal: &Journal,
) -> Result<Judged, CommitError> {
    let (mut reasons, notes) = match path {
        "CLAUDE.md" => broadcast(disk, folder, [before, after], journal),
        _ if path.starts_with("fragments/") => (fragment(disk, folder, path)?, Vec::new()),
        _ => Default::default(),
    };
    reasons.extend(secrets(path, before.unwrap_or_default(), after.unwrap_or_default()));
    let held_back = (!reasons.is_empty()).then(|| HeldBack { path: path.to_owned(), reasons });
    Ok(Judged { held_back, notes })
}

/// New lines that hold what looks like a secret. A person may keep one in a file of theirs; but what was committed once stays
/// in the history, and goes wherever that is pushed.
fn secrets(path: &str, before: &[u8], after: &[u8]) -> Vec<String> {
    // What code writes down was redacted before.
    if !path.ends_with(".md") {
        return Vec::new();
    }
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let clean = Redactor::new().text(&after);
    if clean == after {
        return Vec::new();
    }
    let mut known: HashSet<&str> = before.lines().collect();
    known.extend(clean.lines());
    let is_new = |(_, line): &(usize, &str)| !known.contains(line);
    let new = after.lines().enumerate().filter(is_new);
    new.map(|(at, _)| format!("memory/{path}:L{}: it holds what looks like a secret", at + 1)).collect()
}

fn broadcast(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    versions: [Option<&[u8]>; 2],
    journal: &Journal,
) -> (Vec<String>, Vec<String>) {
    let [before, now] =
        versions.map(|bytes| Broadcast::parse(String::from_utf8_lossy(bytes.unwrap_or_default())));
    let committed: BTreeSet<&LineHash> = before.lines.iter().map(|line| &line.hash).collect();
    let has_dossier = |name: &str| folder.dossier(disk, name).is_some();
    let quote = |evidence: &EvidenceRef| {
        let text = durable::read_text(disk, &folder.resolve(&evidence.fragment)?, MAX_BYTES).ok()?;
        let fragment = Fragment::parse(&text).ok()?;
        (fragment.origin == Origin::Person).then_some(fragment.quote)
    };
    let known = Known { journal, has_dossier: &has_dossier, quote: &quote };
    let (mut reasons, mut notes) = (Vec::new(), Vec::new());
    for line in now.lines.iter().filter(|line| !committed.contains(&line.hash)) {
        let Some(why) = refusal(line, &known) else { continue };
        let list = if is_a_persons(line, &known) { &mut notes } else { &mut reasons };
        list.push(format!("{}: {why}", line.reference()));
    }
    (reasons, notes)
}

fn fragment(disk: &dyn Disk, folder: &MemoryFolder, path: &str) -> Result<Vec<String>, CommitError> {
    let text = match durable::read_text(disk, &folder.root().join(path), MAX_BYTES) {
        Ok(text) => text,
        Err(durable::ReadError::Missing { .. }) => return Ok(Vec::new()), // it was taken back
        Err(error) => return Err(error.into()),
    };
    Ok(Fragment::parse(&text).err().map(|broken| format!("memory/{path}: {broken}")).into_iter().collect())
}
