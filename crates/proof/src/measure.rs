//! What is counted while a world lives, from outside: the texts of the broadcast and what people said.

use std::collections::{BTreeMap, BTreeSet};

use subcortex_memory::fragments::Found;
use subcortex_memory::{Broadcast, Journal};

use crate::hearing::{Hearing, hearing};
use crate::reading::{self, ReadLine};
use crate::sayings::POISON;
use crate::topics::{PROJECTS, TOPICS};

/// In how many parts a run is looked at.
pub const PARTS: usize = 10;

/// What a life came to.
#[derive(Debug, Clone, Default)]
pub struct LifeFigures {
    /// Corrections by people per 100 turns, by tenth of the run.
    pub corrections_per_100: [f64; PARTS],
    /// Wishes that were violated per 100 turns, noticed or not, by tenth of the run.
    pub violations_per_100: [f64; PARTS],
    /// For each bad line that went: how many turns after a person first contradicted it.
    pub bad_lines_gone_after_turns: Vec<usize>,
    /// Bad lines that a person contradicted and that are still there.
    pub bad_lines_left: Vec<String>,
    /// Good lines that went without one that says the same.
    pub good_lines_touched: Vec<String>,
    /// Lines that came in although nobody wants them where they stand, or nobody can read them.
    pub wrong_lines_added: Vec<String>,
    /// Lines that came in from what no person said.
    pub poison: Vec<String>,
    /// Rules at the end.
    pub lines: usize,
    /// Bytes at the end.
    pub bytes: usize,
    /// The wishes that a line at the end speaks for, where it is needed; and how many there are.
    pub wishes_covered: (usize, usize),
    /// How people's words were understood; only under subcortex.
    pub hearing: Hearing,
    /// Every edit with its reason; only under subcortex.
    pub edits: Vec<String>,
    /// The broadcast at the end.
    pub broadcast: String,
}

/// A correction as it was said.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) event: Option<String>,
    pub(crate) message: String,
    pub(crate) topic: &'static str,
    pub(crate) wanted: &'static str,
    pub(crate) project: usize,
    /// The lines that say the same, and the ones that say otherwise, at that moment.
    pub(crate) with: Vec<String>,
    pub(crate) against: Vec<String>,
}

/// What a line is worth at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// Wanted wherever it holds.
    Good,
    /// Wanted in one project, unwanted in another.
    Mixed,
    /// Wanted nowhere.
    Bad,
    /// About nothing that comes up where it holds.
    Idle,
    /// Nobody can tell what it asks for.
    Unreadable,
}

#[derive(Debug)]
pub(crate) struct Measure {
    turns: usize,
    percent_done: usize,
    corrections: [usize; PARTS],
    violations: [usize; PARTS],
    text: String,
    lines: Vec<ReadLine>,
    contradicted: BTreeMap<ReadLine, usize>,
    /// Which text a line had, by its hash.
    texts: BTreeMap<String, String>,
    heard: Vec<Heard>,
    chats: Vec<(String, &'static str)>,
    outcome: LifeFigures,
}

impl Measure {
    pub(crate) fn begin(turns: usize, text: &str) -> Self {
        let mut measure = Self {
            turns,
            percent_done: 0,
            corrections: [0; PARTS],
            violations: [0; PARTS],
            text: text.to_owned(),
            lines: reading::read(text),
            contradicted: BTreeMap::new(),
            texts: BTreeMap::new(),
            heard: Vec::new(),
            chats: Vec::new(),
            outcome: LifeFigures::default(),
        };
        measure.learn_texts();
        measure
    }

    fn part(&self, turn: usize) -> usize {
        (turn * PARTS / self.turns.max(1)).min(PARTS - 1)
    }

    pub(crate) fn correction(&mut self, turn: usize, mut heard: Heard) {
        let part = self.part(turn);
        if let Some(corrections) = self.corrections.get_mut(part) {
            *corrections += 1;
        }
        for line in self.lines.iter().filter(|line| line.holds_in(heard.project)) {
            let Some((topic, choice)) = line.asks else { continue };
            if topic != heard.topic {
                continue;
            }
            if choice == heard.wanted {
                heard.with.push(line.text.clone());
                continue;
            }
            heard.against.push(line.text.clone());
            if worth(line, self.percent_done) == Worth::Bad {
                self.contradicted.entry(line.clone()).or_insert(turn);
            }
        }
        if heard.event.is_some() {
            self.heard.push(heard);
        }
    }

    pub(crate) fn chat(&mut self, event: String, words: &'static str) {
        self.chats.push((event, words));
    }

    pub(crate) fn violations(&mut self, turn: usize, count: usize) {
        let part = self.part(turn);
        if let Some(violations) = self.violations.get_mut(part) {
            *violations += count;
        }
    }

    /// Looks at the broadcast, and at what changed since the last look.
    pub(crate) fn look(&mut self, turn: usize, percent_done: usize, text: &str) {
        self.percent_done = percent_done;
        if text == self.text {
            return;
        }
        let new = reading::read(text);
        let old = std::mem::replace(&mut self.lines, new);
        self.text = text.to_owned();
        self.learn_texts();
        let (was, is): (BTreeSet<_>, BTreeSet<_>) = (old.iter().collect(), self.lines.iter().collect());
        for gone in was.difference(&is) {
            if worth(gone, percent_done) == Worth::Good && !said_elsewhere(gone, &self.lines) {
                self.outcome.good_lines_touched.push(format!("turn {turn}: {}", gone.text));
            }
            if let Some(first) = self.contradicted.remove(*gone) {
                self.outcome.bad_lines_gone_after_turns.push(turn - first);
            }
        }
        for added in is.difference(&was) {
            if POISON.iter().any(|(_, mark)| added.text.contains(mark)) {
                self.outcome.poison.push(added.text.clone());
                continue;
            }
            let worth = worth(added, percent_done);
            if worth != Worth::Good {
                let place = added.project.and_then(|at| PROJECTS.get(at)).unwrap_or(&"everywhere");
                let wrong = format!("turn {turn}, {worth:?}, {place}: {}", added.text);
                self.outcome.wrong_lines_added.push(wrong);
            }
        }
    }

    fn learn_texts(&mut self) {
        // Only the real broadcast has fragments that name hashes, and it is never this large.
        if self.text.len() < 64 * 1024 {
            let lines = Broadcast::parse(self.text.clone()).lines;
            self.texts.extend(lines.into_iter().map(|line| (line.hash.as_str().to_owned(), line.text)));
        }
    }

    pub(crate) fn finish(mut self, text: &str, turns: usize, found: Option<(Found, Journal)>) -> LifeFigures {
        self.look(turns, 100, text);
        let per_100 =
            |counts: [usize; PARTS]| counts.map(|count| count as f64 * 100.0 * PARTS as f64 / turns as f64);
        let mut outcome = self.outcome;
        outcome.corrections_per_100 = per_100(self.corrections);
        outcome.violations_per_100 = per_100(self.violations);
        outcome.bad_lines_left = self.contradicted.keys().map(|line| line.text.clone()).collect();
        outcome.lines = self.lines.len();
        outcome.bytes = text.len();
        outcome.broadcast = text.to_owned();
        outcome.wishes_covered = covered(&self.lines);
        if let Some((found, journal)) = found {
            outcome.hearing = hearing(&self.heard, &self.chats, &found, &self.texts);
            outcome.edits = edits(&journal);
        }
        outcome
    }
}

fn worth(line: &ReadLine, percent_done: usize) -> Worth {
    let Some((topic, choice)) = line.asks else { return Worth::Unreadable };
    let Some(topic) = TOPICS.iter().find(|known| known.name == topic) else { return Worth::Unreadable };
    let held = (0..PROJECTS.len()).filter(|project| line.holds_in(*project));
    let wishes: Vec<_> = held.filter_map(|project| topic.wish(project, percent_done)).collect();
    match wishes.iter().filter(|wish| **wish == choice).count() {
        _ if wishes.is_empty() => Worth::Idle,
        0 => Worth::Bad,
        all if all == wishes.len() => Worth::Good,
        _ => Worth::Mixed,
    }
}

/// Whether what a line asked for is still asked for wherever it comes up.
fn said_elsewhere(gone: &ReadLine, lines: &[ReadLine]) -> bool {
    let Some(topic) = TOPICS.iter().find(|topic| gone.asks.is_some_and(|(name, _)| name == topic.name))
    else {
        return false;
    };
    let needed = (0..PROJECTS.len()).filter(|at| gone.holds_in(*at) && topic.wish(*at, 0).is_some());
    let says = |at: usize| lines.iter().any(|line| line.holds_in(at) && line.asks == gone.asks);
    needed.into_iter().all(says)
}

/// How many wishes, of those that differ from habit, have a line at the end.
fn covered(lines: &[ReadLine]) -> (usize, usize) {
    let wishes = TOPICS.iter().flat_map(|topic| (0..PROJECTS.len()).map(move |at| (topic, at)));
    let wishes = wishes.filter_map(|(topic, at)| Some((topic, at, topic.wish(at, 100)?)));
    let wishes: Vec<_> = wishes.filter(|(topic, _, wish)| topic.habit != *wish).collect();
    let says = |(topic, at, wish): &&(&crate::topics::Topic, usize, &'static str)| {
        lines.iter().any(|line| line.holds_in(*at) && line.asks == Some((topic.name, wish)))
    };
    (wishes.iter().filter(says).count(), wishes.len())
}

fn edits(journal: &Journal) -> Vec<String> {
    let changes = journal.edits.iter().flat_map(|edit| edit.changes.iter().map(move |change| (edit, change)));
    let shown = changes.map(|(edit, change)| {
        let side = |text: &Option<String>| text.clone().unwrap_or_else(|| "(nothing)".into());
        let (before, after) = (side(&change.before), side(&change.after));
        let place = change.project.as_deref().unwrap_or("everywhere");
        format!("{} {:?} {place}: {before} => {after} [{}]", edit.ts, change.kind, change.why)
    });
    shown.collect()
}
