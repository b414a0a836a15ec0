//! The ledger, `memory/effectiveness/CLAUDE-md-effectiveness.md`: how each line of the broadcast fares.
//!
//! ```text
//! ---
//! kind: claude-md-effectiveness
//! source: scanner-fragments
//! version: 1
//! ---
//! # How each line of memory/CLAUDE.md fares
//!
//! ## Contradicted by a person                                 only where there are such lines
//!
//! - L3, in 2 sessions: "no, use npm here"
//!
//! ## Line memory/CLAUDE.md:L3
//!
//! - Text: "- Use pnpm, not npm."
//! - Hash: 0123456789abcdef
//! - Trajectory: STRENGTHENING
//! - Counts: 12 strengthening, 1 weakening, 0 neutral         and, of the weakening ones: `, 1 contradicted by a person`
//! - Guidance: followed 12 of 13: keep
//! - Evidence:
//!   - memory/fragments/2026-01-02/030405-strengthening-….md (STRENGTHENING): "pnpm test"
//!
//! ## Line memory/CLAUDE.md:L7 (retired by edit edit_…)       or (no longer in the broadcast)
//! …
//! ## Lines that are not trusted
//!
//! - memory/CLAUDE.md:L5: why; set aside: 40 verdicts; its check: memory/checks/0123456789abcdef.yaml
//!
//! ## Lines without evidence
//!
//! - never triggered: L1, L4-L9
//! - cannot be tested: L2, L10
//!
//! ## New Signal Candidates
//!
//! ### Candidate 0123456789abcdef
//! …
//! ```
//!
//! The trajectory of a line: WEAKENING if a person contradicts it or it was missed more often than followed; else
//! STRENGTHENING if it was ever followed; else NEUTRAL.
//!
//! Nothing in here says when it was written: the same fragments, broadcast and journal give the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use subcortex_memory::{
    Broadcast, ChangeKind, Edit, Journal, Line, LineCheck, LineHash, MemoryFolder, Trajectory,
};

use super::candidates::{Group, MIN_SESSIONS};
use super::escape;
use super::guidance::{for_group, for_line};
use crate::{CompiledBroadcast, Doubts, LineTally, Sample, Tally};

/// The kind in the frontmatter.
pub(super) const KIND: &str = "claude-md-effectiveness";
/// The version of this format.
pub(super) const VERSION: u32 = 1;
pub(super) const LINE_HEADING: &str = "## Line ";
pub(super) const RETIRED: &str = "retired by edit ";
pub(super) const GONE: &str = "no longer in the broadcast";
/// How many groups of new signals are shown: those of the most sessions.
const MAX_SHOWN_GROUPS: usize = 100;
/// How many pieces of evidence a group shows: the newest.
const MAX_SHOWN_MEMBERS: usize = 3;

/// What dominates in the evidence about a line.
pub(super) fn trajectory(tally: &LineTally) -> Trajectory {
    if tally.against > 0 || tally.weakening > tally.strengthening {
        Trajectory::Weakening
    } else if tally.strengthening > 0 {
        Trajectory::Strengthening
    } else {
        Trajectory::Neutral
    }
}

/// The edits that took lines out of the broadcast, and the words that these had.
pub(super) struct Retired<'a>(BTreeMap<&'a LineHash, (&'a Edit, &'a str)>);

impl<'a> Retired<'a> {
    pub(super) fn of(journal: &'a Journal) -> Self {
        let reverted: BTreeSet<&str> =
            journal.edits.iter().filter_map(|edit| edit.reverts.as_deref()).collect();
        let mut retired = BTreeMap::new();
        for edit in journal.edits.iter().filter(|edit| !reverted.contains(edit.id.as_str())) {
            for change in &edit.changes {
                let leaves = matches!(change.kind, ChangeKind::Remove | ChangeKind::Rewrite);
                if let (true, Some(hash), Some(before)) = (leaves, &change.hash_before, &change.before) {
                    retired.insert(hash, (edit, before.as_str()));
                }
            }
        }
        Self(retired)
    }

    /// The last edit that took this line out.
    pub(super) fn by(&self, hash: &LineHash) -> Option<(&'a Edit, &'a str)> {
        self.0.get(hash).copied()
    }
}

/// What the ledger is made of.
pub(super) struct Page<'a> {
    /// What all fragments say.
    pub(super) all: &'a Tally,
    /// What of it counts.
    pub(super) counted: &'a Tally,
    pub(super) compiled: &'a CompiledBroadcast,
    pub(super) journal: &'a Journal,
    pub(super) doubts: &'a Doubts,
}

impl Page<'_> {
    /// The ledger as it stands in its file.
    pub(super) fn render(&self, groups: &[Group<'_>]) -> String {
        let mut text = lines(self.counted, self.compiled, self.journal);
        self.not_trusted(&mut text);
        without_evidence(&mut text, self.compiled, self.counted, self.doubts);
        candidates(&mut text, groups);
        text
    }

    /// The lines whose checks are not trusted: why, how much was set aside, and what to do.
    fn not_trusted(&self, text: &mut String) {
        let mut doubted = self
            .compiled
            .broadcast
            .lines
            .iter()
            .filter_map(|line| Some((line, self.doubts.in_short(&line.hash)?)))
            .peekable();
        if doubted.peek().is_none() {
            return;
        }
        let _ok = write!(
            text,
            "\n## Lines that are not trusted\n\nWhat their checks say is set aside: it is in no count, and changes nothing.\n\n"
        );
        for (line, why) in doubted {
            let aside = self.all.lines.get(&line.hash).map_or(0, |tally| tally.by_check.total());
            let aside = if aside == 0 { "nothing".to_owned() } else { format!("{aside} verdicts") };
            let _ok = writeln!(
                text,
                "- {}: {}; set aside: {aside}; its check: memory/checks/{}.yaml",
                line.reference(),
                why,
                escape::title(line.hash.as_str()),
            );
        }
    }
}

/// The sections of the lines, and of those that are gone.
fn lines(tally: &Tally, compiled: &CompiledBroadcast, journal: &Journal) -> String {
    let mut text = format!("---\nkind: {KIND}\nsource: scanner-fragments\nversion: {VERSION}\n---\n");
    let _ok = writeln!(text, "# How each line of {} fares", MemoryFolder::BROADCAST_REF);
    contradicted(&mut text, &compiled.broadcast, tally);
    let mut present = BTreeSet::new();
    for (line, LineCheck { check, .. }) in compiled.lines() {
        present.insert(&line.hash);
        if let Some(tally) = tally.lines.get(&line.hash) {
            let heading = line.reference();
            section(&mut text, &heading, Some(&line.text), &line.hash, tally, &for_line(check, tally));
        }
    }
    let mut gone: Vec<_> = tally.lines.iter().filter(|(hash, _)| !present.contains(hash)).collect();
    gone.sort_by_key(|(hash, tally)| (tally.last_number, *hash));
    let edits = Retired::of(journal);
    for (hash, tally) in gone {
        let retired = edits.by(hash);
        let state =
            retired.map_or(GONE.to_owned(), |(edit, _)| format!("{RETIRED}{}", escape::title(&edit.id)));
        let heading = format!("{}:L{} ({state})", MemoryFolder::BROADCAST_REF, tally.last_number);
        let words = retired.map(|(_, before)| before);
        section(&mut text, &heading, words, hash, tally, &format!("{state}: kept for its evidence"));
    }
    text
}

/// What matters most comes first: lines that a person said are wrong.
fn contradicted(text: &mut String, broadcast: &Broadcast, tally: &Tally) {
    let tallied = |line: &Line| tally.lines.get(&line.hash).filter(|tally| tally.against > 0);
    let mut first = true;
    for line in &broadcast.lines {
        let Some(tally) = tallied(line) else { continue };
        if std::mem::take(&mut first) {
            let _ok = write!(text, "\n## Contradicted by a person\n\n");
        }
        let sessions = match tally.against_sessions.len() {
            1 => "1 session".to_owned(),
            n => format!("{n} sessions"),
        };
        let last = tally.against_samples.last();
        let said = last.map_or_else(String::new, |sample| format!(": {}", escape::quote(&sample.quote)));
        let _ok = writeln!(text, "- L{}, in {sessions}{said}", line.number);
    }
}

fn section(
    text: &mut String,
    heading: &str,
    words: Option<&str>,
    hash: &LineHash,
    tally: &LineTally,
    guidance: &str,
) {
    let words = words.map_or_else(|| "unknown: no edit of ours took it out".to_owned(), escape::line);
    let LineTally { strengthening, weakening, neutral, against, .. } = tally;
    let against = if *against > 0 { format!(", {against} contradicted by a person") } else { String::new() };
    // Writing to a String cannot fail.
    let _ok = write!(
        text,
        "\n{LINE_HEADING}{heading}\n\n- Text: {words}\n- Hash: {}\n- Trajectory: {}\n\
         - Counts: {strengthening} strengthening, {weakening} weakening, {neutral} neutral{against}\n- Guidance: {guidance}\n- Evidence:\n",
        escape::title(hash.as_str()),
        trajectory(tally).as_str(),
    );
    for (trajectory, sample) in shown_samples(tally) {
        let _ok = writeln!(
            text,
            "  - {} ({}): {}",
            escape::path(&sample.path),
            trajectory.as_str(),
            escape::quote(&sample.quote)
        );
    }
}

/// The latest of each kind, and the latest contradiction; newest first.
fn shown_samples(tally: &LineTally) -> Vec<(Trajectory, &Sample)> {
    let of_each =
        tally.samples.iter().filter_map(|(trajectory, samples)| Some((*trajectory, samples.last()?)));
    let against = tally.against_samples.last().map(|sample| (Trajectory::Weakening, sample));
    let mut shown: Vec<_> = of_each.chain(against).collect();
    shown.sort_by(|(_, one), (_, other)| other.cmp(one));
    shown.dedup();
    shown
}

fn without_evidence(text: &mut String, compiled: &CompiledBroadcast, tally: &Tally, doubts: &Doubts) {
    let (mut testable, mut untestable): (Vec<&Line>, Vec<&Line>) = Default::default();
    for (line, LineCheck { check, .. }) in compiled.lines() {
        if !tally.lines.contains_key(&line.hash) && doubts.of(&line.hash).is_none() {
            if check.testable { testable.push(line) } else { untestable.push(line) }
        }
    }
    if testable.is_empty() && untestable.is_empty() {
        return;
    }
    let _ok = write!(text, "\n## Lines without evidence\n\n");
    for (what, lines) in [("never triggered", testable), ("cannot be tested", untestable)] {
        if !lines.is_empty() {
            let _ok = writeln!(text, "- {what}: {}", ranges(&lines));
        }
    }
}

/// `L1, L4-L9`: what follows one another without a rule in between is put together.
fn ranges(lines: &[&Line]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line.number => *last = line.number,
            _ => ranges.push((line.number, line.number)),
        }
    }
    let words = ranges.iter().map(|(first, last)| match first == last {
        true => format!("L{first}"),
        false => format!("L{first}-L{last}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn candidates(text: &mut String, groups: &[Group<'_>]) {
    let _ok = write!(text, "\n## New Signal Candidates\n");
    if groups.is_empty() {
        let _ok = write!(text, "\nNone.\n");
        return;
    }
    let mut ordered: Vec<&Group<'_>> = groups.iter().collect();
    ordered.sort_by_cached_key(|group| {
        let latest = group.members.last().map(|member| member.sample.ts);
        let weight = (group.said_by.is_none(), group.is_standing(), group.sessions().len(), latest);
        (std::cmp::Reverse(weight), group.key.clone())
    });
    for group in ordered.iter().take(MAX_SHOWN_GROUPS) {
        candidate(text, group);
    }
    if ordered.len() > MAX_SHOWN_GROUPS {
        let _ok = write!(text, "\nAnd {} more.\n", ordered.len() - MAX_SHOWN_GROUPS);
    }
}

fn candidate(text: &mut String, group: &Group<'_>) {
    let sessions = group.sessions().len();
    let said = group.by_people().next_back().or(group.members.last().copied());
    let origins: BTreeSet<&str> = group.members.iter().map(|member| member.origin.as_str()).collect();
    let origins = origins.into_iter().collect::<Vec<_>>().join(", ");
    let _ok = write!(
        text,
        "\n### Candidate {}\n\n- Said: {}\n- Seen: {}, by people in {sessions} of at least {MIN_SESSIONS} sessions\n\
         - Origin: {origins}\n- Guidance: {}\n- Evidence:\n",
        subcortex_checks::line_hash(&group.key),
        said.map(|said| escape::quote(&said.sample.quote)).unwrap_or_default(),
        super::guidance::times(group.members.len()),
        for_group(group),
    );
    for member in group.members.iter().rev().take(MAX_SHOWN_MEMBERS) {
        let _ok = writeln!(
            text,
            "  - {} ({}, {}): {}",
            escape::path(&member.sample.path),
            member.sample.signal.as_str(),
            member.origin.as_str(),
            escape::quote(&member.sample.quote)
        );
    }
}
