//! Which dossiers there should be, from evidence alone.
//!
//! | about | made when |
//! |---|---|
//! | a pointer | a line of the broadcast points to a page that nobody wrote, and there is evidence about the line |
//! | a line | people contradict it in two sessions, or with a standing instruction: its words survive it |
//! | a rule | people say it, and no line does, in two sessions or as a standing instruction |
//! | a thing | people name it in two sessions |
//!
//! Words in a dossier are those of people: what a tool or an agent said is counted in the ledger and quoted nowhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use subcortex_checks::restate_as_rule;
use subcortex_guard::check_basename;
use subcortex_memory::{Journal, Line, LineCheck, LineHash, MemoryFolder};

use super::candidates::{Group, MIN_SESSIONS};
use super::dossier::{DIGEST_DIGITS, Dossier, Kind, digest, is_reserved, slug, trend};
use super::escape;
use super::fold::{Mention, session_of};
use super::guidance::{for_line, times};
use super::ledger::Retired;
use crate::{CompiledBroadcast, LineTally, Sample, Tally};

/// How many quotes a page shows: the newest.
const MAX_QUOTES: usize = 5;

/// Everything that dossiers are made of.
pub(super) struct Material<'a> {
    pub(super) tally: &'a Tally,
    pub(super) mentions: &'a BTreeSet<Mention>,
    pub(super) compiled: &'a CompiledBroadcast,
    pub(super) journal: &'a Journal,
    pub(super) groups: &'a [Group<'a>],
}

/// A dossier that there should be: where, of what, and how it is made.
pub(super) struct Wanted<'a> {
    pub(super) kind: Kind,
    pub(super) slug: String,
    /// What it is made of, as a hash: the same stuff gives the same page.
    pub(super) made_of: String,
    making: Box<dyn Fn() -> Dossier + 'a>,
}

impl Wanted<'_> {
    fn made(dossier: Dossier) -> Self {
        let (kind, slug, made_of) = (dossier.kind, dossier.slug.clone(), digest(&dossier.render()));
        Self { kind, slug, made_of, making: Box::new(move || dossier.clone()) }
    }

    pub(super) fn path(&self, folder: &MemoryFolder) -> PathBuf {
        self.kind.dir(folder).join(format!("{}.md", self.slug))
    }

    pub(super) fn make(&self) -> Dossier {
        (self.making)()
    }
}

impl<'a> Material<'a> {
    /// The dossiers that there should be; the most urgent first.
    pub(super) fn wanted(&'a self) -> Vec<Wanted<'a>> {
        let made = self.pointers().into_iter().chain(self.contradicted_lines()).map(Wanted::made);
        let rules = self.groups.iter().filter(|group| group.is_promoted()).map(wanted_rule);
        made.chain(rules).chain(self.things()).collect()
    }

    fn pointers(&self) -> Vec<Dossier> {
        let mut pointing: BTreeMap<&str, Vec<Pointing<'_>>> = BTreeMap::new();
        for (line, known) in self.compiled.lines() {
            let Some(tally) = self.tally.lines.get(&line.hash) else { continue };
            for pointer in &line.pointers {
                pointing.entry(pointer).or_default().push(Pointing { line, known, tally });
            }
        }
        pointing.iter().filter_map(|(pointer, lines)| pointed(pointer, lines)).collect()
    }

    fn contradicted_lines(&self) -> Vec<Dossier> {
        let by_hash: BTreeMap<&LineHash, &Line> =
            self.compiled.broadcast.lines.iter().map(|line| (&line.hash, line)).collect();
        let edits = Retired::of(self.journal);
        let mut found = Vec::new();
        for (hash, tally) in &self.tally.lines {
            if tally.against_standing == 0 && tally.against_sessions.len() < MIN_SESSIONS {
                continue;
            }
            let line = by_hash.get(hash).copied();
            let retired = if line.is_none() { edits.by(hash) } else { None };
            // Without its words there is nothing to keep.
            let Some(words) = line.map(|line| line.text.as_str()).or(retired.map(|(_, words)| words)) else {
                continue;
            };
            let state = match (line, retired) {
                (Some(line), _) => format!("it is {}", line.reference()),
                (None, Some((edit, _))) => format!("retired by edit {}", escape::title(&edit.id)),
                (None, None) => continue,
            };
            found.push(contradicted(hash, words, state, tally));
        }
        found
    }

    fn things(&'a self) -> Vec<Wanted<'a>> {
        let mut things: BTreeMap<&str, Vec<&Mention>> = BTreeMap::new();
        for mention in self.mentions {
            things.entry(&mention.thing).or_default().push(mention);
        }
        let numbers: BTreeMap<&str, usize> =
            self.compiled.broadcast.lines.iter().map(|line| (line.hash.as_str(), line.number)).collect();
        let mut found = Vec::new();
        for (thing, mentions) in things {
            let sessions: BTreeSet<&str> = mentions.iter().map(|mention| mention.session.as_str()).collect();
            if sessions.len() < MIN_SESSIONS {
                continue;
            }
            let mut stuff = Stuff::default();
            for mention in &mentions {
                stuff.add(&mention.path);
                stuff.add(&mention.ts.as_nanosecond().to_string());
                stuff.add(&mention.session);
                stuff.add(mention.signal.as_str());
                stuff.add(mention.project.as_deref().unwrap_or_default());
                let number = mention.line.as_deref().and_then(|hash| numbers.get(hash));
                stuff.add(&number.map(ToString::to_string).unwrap_or_default());
                stuff.add(&mention.quote);
            }
            let (kind, slug) = (Kind::Entity, slug(thing, &identity_of_thing(thing)));
            let sessions = sessions.len();
            let making = Box::new(move || self.thing(thing, &mentions, sessions));
            found.push(Wanted { kind, slug, made_of: stuff.digest(), making });
        }
        found
    }

    fn thing(&self, thing: &str, mentions: &[&Mention], sessions: usize) -> Dossier {
        let identity = identity_of_thing(thing);
        let of_lines: BTreeSet<&str> =
            mentions.iter().filter_map(|mention| mention.line.as_deref()).collect();
        let lines = self.compiled.broadcast.lines.iter().filter(|line| of_lines.contains(line.hash.as_str()));
        let projects = mentions.iter().map(|mention| mention.project.as_deref());
        let quotes = mentions.iter().rev().map(|mention| (mention.signal.as_str(), mention.quote.as_str()));
        Dossier {
            kind: Kind::Entity,
            slug: slug(thing, &identity),
            title: escape::title(thing),
            now: vec![format!("people name it: {} in {sessions} sessions", times(mentions.len()))],
            stance: stance(quotes),
            open: open_projects(projects),
            trend: trend(mentions.iter().map(|mention| mention.ts)),
            sources: mentions.iter().map(|mention| mention.path.clone()).collect(),
            pointers: lines.map(Line::reference).collect(),
            identity,
        }
    }
}

/// A line that points to a page, how it is understood, and its evidence.
struct Pointing<'a> {
    line: &'a Line,
    known: &'a LineCheck,
    tally: &'a LineTally,
}

/// A page that a line points to and nobody wrote.
fn pointed(pointer: &str, lines: &[Pointing<'_>]) -> Option<Dossier> {
    let (kind, slug) = match pointer.strip_prefix("topic-") {
        Some(slug) => (Kind::Topic, slug),
        None => (Kind::Entity, pointer.strip_prefix("entity-")?),
    };
    if check_basename(&format!("{slug}.md")).is_err() || slug.is_empty() || is_reserved(slug) {
        return None;
    }
    let samples = || lines.iter().flat_map(|one| one.tally.samples.values().flatten());
    Some(Dossier {
        kind,
        slug: slug.to_owned(),
        identity: format!("pointer {pointer}"),
        title: escape::title(slug),
        now: lines
            .iter()
            .map(|one| format!("a line points here: {}", escape::line(&one.line.text)))
            .collect(),
        stance: lines
            .iter()
            .map(|one| format!("{}: {}", one.line.reference(), for_line(&one.known.check, one.tally)))
            .collect(),
        open: vec!["what there is to know about it: write it here, and this page is yours".to_owned()],
        trend: trend(samples().map(|sample| sample.ts)),
        sources: sources(samples()),
        pointers: lines.iter().map(|one| one.line.reference()).collect(),
    })
}

/// What people say against a line.
fn contradicted(hash: &LineHash, words: &str, state: String, tally: &LineTally) -> Dossier {
    let identity = Dossier::identity_of_line(hash);
    let samples = &tally.against_samples;
    let sessions = tally.against_sessions.len();
    let quotes = samples.iter().rev().map(|sample| (sample.signal.as_str(), sample.quote.as_str()));
    Dossier {
        kind: Kind::Topic,
        slug: slug(words, &identity),
        title: escape::title(words),
        now: vec![
            format!("a line that people contradict: {}", escape::line(words)),
            format!("contradicted {} in {sessions} sessions", times(tally.against)),
        ],
        stance: stance(quotes),
        open: vec!["what of the line is worth keeping".to_owned()],
        trend: trend(samples.iter().map(|sample| sample.ts)),
        sources: sources(samples.iter()),
        pointers: vec![state],
        identity,
    }
}

fn identity_of_thing(thing: &str) -> String {
    format!("thing {thing}")
}

/// What goes into a page.
#[derive(Default)]
struct Stuff(blake3::Hasher);

impl Stuff {
    fn add(&mut self, text: &str) {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    fn digest(&self) -> String {
        self.0.finalize().to_hex().get(..DIGEST_DIGITS).unwrap_or_default().to_owned()
    }
}

fn wanted_rule<'a>(group: &'a Group<'a>) -> Wanted<'a> {
    let mut stuff = Stuff::default();
    for sample in group.by_people().map(|member| &member.sample) {
        stuff.add(&sample.path);
        stuff.add(&sample.ts.as_nanosecond().to_string());
        stuff.add(session_of(sample));
        stuff.add(sample.signal.as_str());
        stuff.add(sample.project.as_deref().unwrap_or_default());
        stuff.add(&sample.quote);
    }
    stuff.add(&group.said_by.map(Line::reference).unwrap_or_default());
    let (kind, slug) = (Kind::Topic, slug(words_of(group), &identity_of_rule(group)));
    Wanted { kind, slug, made_of: stuff.digest(), making: Box::new(move || rule(group)) }
}

fn identity_of_rule(group: &Group<'_>) -> String {
    format!("rule {}", group.key)
}

/// The words of a rule that its page is named by.
fn words_of<'a>(group: &'a Group<'_>) -> &'a str {
    group.key.split_once(':').map_or("", |(sort, words)| match sort {
        "words" | "not" => words,
        _ => "rule",
    })
}

/// What people say and no line does.
fn rule(group: &Group<'_>) -> Dossier {
    let identity = identity_of_rule(group);
    let people: Vec<&Sample> = group.by_people().map(|member| &member.sample).collect();
    let latest = people.last().map_or("", |sample| sample.quote.as_str());
    let restated = restate_as_rule(latest);
    let title = restated.as_deref().unwrap_or(latest);
    let quotes = people.iter().rev().map(|sample| (sample.signal.as_str(), sample.quote.as_str()));
    let mut open = open_projects(people.iter().map(|sample| sample.project.as_deref()));
    if group.said_by.is_none() {
        open.push("no line of the broadcast says it".to_owned());
    }
    Dossier {
        kind: Kind::Topic,
        slug: slug(words_of(group), &identity),
        title: escape::title(title.trim_start_matches(['-', '*', '+', ' '])),
        now: vec![
            format!("what people want: {}", escape::quote(latest)),
            format!("said {} in {} sessions", times(people.len()), group.sessions().len()),
        ],
        stance: stance(quotes),
        open,
        trend: trend(people.iter().map(|sample| sample.ts)),
        sources: sources(people.into_iter()),
        pointers: group.said_by.map(Line::reference).into_iter().collect(),
        identity,
    }
}

fn stance<'a>(quotes: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    quotes
        .take(MAX_QUOTES)
        .map(|(signal, words)| format!("{}: {}", signal.replace('_', " "), escape::quote(words)))
        .collect()
}

fn open_projects<'a>(projects: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let projects: BTreeSet<&str> = projects.flatten().collect();
    match (projects.first(), projects.len()) {
        (Some(project), 1) => {
            vec![format!("seen in {} only: whether it holds elsewhere", escape::quote(project))]
        }
        _ => Vec::new(),
    }
}

fn sources<'a>(samples: impl Iterator<Item = &'a Sample>) -> BTreeSet<String> {
    samples.map(|sample| sample.path.clone()).collect()
}
