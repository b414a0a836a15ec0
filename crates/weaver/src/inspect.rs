//! The memory's own check: what can be seen to be wrong without a model and without evidence.
//!
//! | finding | what is wrong |
//! |---|---|
//! | `broken-pointer` | a line or a dossier points to a dossier that does not exist |
//! | `orphan` | nothing points to a dossier that a person wrote, or to a pattern |
//! | `dossier-size` | a dossier is longer than anybody reads |
//! | `line-size` | a line is longer than a rule should be |
//! | `untestable` | nobody can tell whether a line is followed |
//! | `ledger` | the ledger speaks of other lines than the broadcast |
//! | `not-folded` | there are fragments that the ledger does not know |
//! | `fragment-changed` | a fragment was changed after it was counted |
//!
//! It only reads, and little: names, times, the broadcast, the ledger, and dossiers that are not too long and not as code made them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use subcortex_memory::notice_words::FOR_INFORMATION;
use subcortex_memory::{Broadcast, LineCheck, MemoryFolder};
use subcortex_store::durable;
use subcortex_store::{Disk, EntryKind};

use crate::crystallizer::{Ledger, Pages, SectionState, is_as_made};
use crate::{CompiledBroadcast, WeaveError, Workshop, patterns};

/// The longest line, in characters.
const MAX_LINE_CHARS: usize = 200;
/// The longest dossier, in bytes.
const MAX_DOSSIER_BYTES: u64 = 32 * 1024;
/// How many dossiers are read.
const MAX_DOSSIERS: usize = 2_000;
/// How many fragments are looked at, the newest first.
const MAX_FRAGMENTS: usize = 1_000;
/// How much later than the last fold a fragment has to be written to count as changed, in nanoseconds.
const SLACK_NS: i128 = 2_000_000_000;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is, and which one: the same each time it is found.
    pub key: String,
    /// The marker of the task about it.
    pub marker: String,
    /// What is wrong and what is wanted: the prose of the task.
    pub prose: String,
}

impl Finding {
    fn new(kind: &str, which: &str, prose: String) -> Self {
        let hash = blake3::hash(which.as_bytes()).to_hex();
        Self {
            key: format!("{kind}-{}", hash.get(..12).unwrap_or_default()),
            marker: format!("memory:{kind}"),
            prose,
        }
    }

    /// Whether anybody has to do something about it: the rest is for whoever looks, and `check` and the page show it.
    pub fn asks_for_work(&self) -> bool {
        !self.prose.contains(FOR_INFORMATION)
    }

    /// The task about it.
    pub fn task(&self) -> String {
        format!("[{}] {}\n", self.marker, self.prose)
    }
}

/// Looks the memory over.
pub fn inspect(shop: &Workshop) -> Result<Vec<Finding>, WeaveError> {
    let (disk, folder) = (&*shop.disk, &shop.folder);
    let compiled = CompiledBroadcast::by_rules(Broadcast::read(disk, folder)?);
    let broadcast = &compiled.broadcast;
    let dossiers = dossiers(shop)?;
    let mut findings = Vec::new();
    pointers(disk, folder, broadcast, &dossiers, &mut findings);
    pages(folder, broadcast, &dossiers, &mut findings);
    lines(&compiled, &mut findings);
    ledger(shop, broadcast, &mut findings)?;
    fragments(shop, &mut findings)?;
    findings.sort_by(|one, other| one.key.cmp(&other.key));
    findings.dedup_by(|one, other| one.key == other.key);
    Ok(findings)
}

struct Page {
    path: PathBuf,
    len_bytes: u64,
    /// Whether it is as code made it.
    is_as_made: bool,
    /// The pages that it points to; of one as code made it only their hashes.
    pointers: Vec<String>,
}

/// The dossiers. Of those that the crystallizer left as it made them nothing is read: there may be very many.
fn dossiers(shop: &Workshop) -> Result<Vec<Page>, WeaveError> {
    let (disk, folder) = (&*shop.disk, &shop.folder);
    let ours = Pages::read(shop);
    let mut found = Vec::new();
    for path in folder.dossiers(disk)? {
        let Ok(stat) = disk.stat(&path) else { continue };
        if stat.kind != EntryKind::File || found.len() >= MAX_DOSSIERS {
            continue;
        }
        let len_bytes = stat.len;
        if let Some(pointers) = ours.pointers_of_ours(&path, &stat) {
            let pointers = pointers.to_vec();
            found.push(Page { path, len_bytes, is_as_made: true, pointers });
            continue;
        }
        let is_short = len_bytes <= MAX_DOSSIER_BYTES;
        let text = if is_short { durable::read_text(disk, &path, MAX_DOSSIER_BYTES).ok() } else { None };
        let text = text.unwrap_or_default();
        let is_as_made = is_as_made(&text);
        let mut pointers = subcortex_memory::pointers_of(&text);
        if is_as_made {
            pointers = pointers.iter().map(|pointer| Pages::hash_of(pointer)).collect();
        }
        found.push(Page { path, len_bytes, is_as_made, pointers });
    }
    Ok(found)
}

fn list(disk: &dyn Disk, dir: &Path) -> Result<Vec<String>, WeaveError> {
    match disk.list(dir) {
        Ok(names) => {
            let names = names.into_iter().filter_map(|name| name.into_string().ok());
            Ok(names.filter(|name| !name.starts_with('.')).collect())
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(source) => Err(subcortex_memory::Trouble::List { path: dir.to_owned(), source }.into()),
    }
}

fn pointers(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    broadcast: &Broadcast,
    dossiers: &[Page],
    findings: &mut Vec<Finding>,
) {
    let mut from: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in &broadcast.lines {
        for pointer in &line.pointers {
            from.entry(pointer.clone()).or_default().push(line.reference());
        }
    }
    for page in dossiers.iter().filter(|page| !page.is_as_made) {
        for pointer in &page.pointers {
            from.entry(pointer.clone()).or_default().push(folder.reference(&page.path));
        }
    }
    for (pointer, places) in from {
        if folder.dossier(disk, &pointer).is_none() {
            let prose = format!(
                "{} points to [[{pointer}]], and there is no such dossier.\n\nWanted: the missing dossier, or the pointer taken out of its line.",
                places.join(", ")
            );
            findings.push(Finding::new("broken-pointer", &pointer, prose));
        }
    }
}

fn pages(folder: &MemoryFolder, broadcast: &Broadcast, dossiers: &[Page], findings: &mut Vec<Finding>) {
    let of_lines = broadcast.lines.iter().flat_map(|line| &line.pointers);
    let (made, written): (Vec<&Page>, Vec<&Page>) = dossiers.iter().partition(|page| page.is_as_made);
    let of_people = written.iter().flat_map(|page| &page.pointers);
    let by_name: BTreeSet<&String> = of_lines.chain(of_people).collect();
    let by_hash: BTreeSet<&String> = made.iter().flat_map(|page| &page.pointers).collect();
    let is_pointed_to = |name: &String| by_name.contains(name) || by_hash.contains(&Pages::hash_of(name));
    for page in dossiers {
        let reference = folder.reference(&page.path);
        if page.len_bytes > MAX_DOSSIER_BYTES {
            let prose = format!(
                "{reference} has {} bytes, and nobody reads more than {MAX_DOSSIER_BYTES}. {FOR_INFORMATION}its person may shorten it.",
                page.len_bytes
            );
            findings.push(Finding::new("dossier-size", &reference, prose));
            continue;
        }
        // Pages that code made are found through the ledger, and go with their evidence.
        let slug = page.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let names = [slug.clone(), format!("topic-{slug}"), format!("entity-{slug}")];
        if !page.is_as_made && !names.iter().any(is_pointed_to) {
            let prose = format!(
                "No line and no dossier points to {reference}, so no agent finds it. {FOR_INFORMATION}a line may point to it with [[{}]].",
                names.get(1).filter(|_| !patterns::is_page(&slug)).unwrap_or(&slug)
            );
            findings.push(Finding::new("orphan", &reference, prose));
        }
    }
}

fn lines(compiled: &CompiledBroadcast, findings: &mut Vec<Finding>) {
    for (line, LineCheck { check, .. }) in compiled.lines() {
        let (place, chars) = (line.reference(), line.text.chars().count());
        if chars > MAX_LINE_CHARS {
            let prose = format!(
                "{place} has {chars} characters, and a rule should have at most {MAX_LINE_CHARS}. {FOR_INFORMATION}its person may shorten it."
            );
            findings.push(Finding::new("line-size", line.hash.as_str(), prose));
        }
        if !check.testable {
            let prose = format!(
                "{place} cannot be tested: {}. {FOR_INFORMATION}`subcortex check L{}` shows how it is understood.",
                without_terms(&check.why),
                line.number
            );
            findings.push(Finding::new("untestable", line.hash.as_str(), prose));
        }
    }
}

/// A reason without what it quotes of a line: a task is kept in the record of its run, where `forget` does not find the words of a line.
fn without_terms(why: &str) -> String {
    let parts = why.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { "`…`" } else { part }).collect()
}

/// The ledger names lines by number and hash: both must fit what is there.
fn ledger(shop: &Workshop, broadcast: &Broadcast, findings: &mut Vec<Finding>) -> Result<(), WeaveError> {
    let Some(Ok(ledger)) = Ledger::read(&*shop.disk, &shop.folder)? else { return Ok(()) };
    let is_stale = ledger.sections.iter().any(|section| match section.state {
        SectionState::Current => {
            broadcast.by_hash(&section.hash).is_none_or(|line| line.number != section.number)
        }
        SectionState::Retired(_) | SectionState::Gone => broadcast.by_hash(&section.hash).is_some(),
    });
    if is_stale {
        let prose = "The ledger speaks of lines that are no longer where it says.\n\nWanted: ledger and dossiers brought up to date.";
        findings.push(Finding::new("ledger", "stale", prose.into()));
    }
    Ok(())
}

/// Fragments that were written, or changed, after the last fold.
fn fragments(shop: &Workshop, findings: &mut Vec<Finding>) -> Result<(), WeaveError> {
    let (disk, index) = (&*shop.disk, shop.index_dir.join("fragments"));
    let folded_at = [index.join("totals.json"), shop.folder.ledger()]
        .iter()
        .filter_map(|path| disk.stat(path).ok())
        .map(|stat| stat.mtime_ns)
        .max();
    let Some(folded_at) = folded_at else { return Ok(()) };
    let mut left = MAX_FRAGMENTS;
    let mut not_folded = 0_usize;
    let mut days = list(disk, &shop.folder.fragments())?;
    days.sort_unstable();
    for day in days.iter().rev() {
        let dir = shop.folder.fragments().join(day);
        let mut known: Option<BTreeSet<String>> = None;
        let names = list(disk, &dir)?;
        let looked_at = names.len().min(left);
        left -= looked_at;
        for name in names.into_iter().take(looked_at) {
            let path = dir.join(&name);
            let Ok(stat) = disk.stat(&path) else { continue };
            if stat.mtime_ns <= folded_at + SLACK_NS {
                continue;
            }
            let names = known.get_or_insert_with(|| folded_names(disk, &index, day));
            if names.contains(&name) {
                let reference = shop.folder.reference(&path);
                let prose = format!(
                    "{reference} was changed after it was counted, and fragments are written once.\n\nWanted: all fragments folded anew into ledger and dossiers."
                );
                let which = format!("{reference} {} {}", stat.mtime_ns, stat.len);
                findings.push(Finding::new("fragment-changed", &which, prose));
            } else {
                not_folded += 1;
            }
        }
        if left == 0 {
            break;
        }
    }
    if not_folded > 0 {
        let prose = "There are fragments that the ledger does not know.\n\nWanted: ledger and dossiers brought up to date.";
        findings.push(Finding::new("not-folded", "some", prose.into()));
    }
    Ok(())
}

fn folded_names(disk: &dyn Disk, index: &Path, day: &str) -> BTreeSet<String> {
    const MAX_BYTES: u64 = 16 * 1024 * 1024;
    let text = durable::read_text(disk, &index.join(format!("{day}.names")), MAX_BYTES).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}
