//! From conditions to a verdict on each line.

use std::cell::OnceCell;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use subcortex_model::{EventId, Turn};

use crate::facts::{ActKind, Facts, Simple};
use crate::language::{Hit, Read, Scene, Sight, shows_files};
use crate::signal::{Opening, Remark, Signal, Stance, Words};

use super::board::Board;
use super::outcome::{LineVerdict, by_check};
use super::past::Past;
use super::ready::Ready;
use super::reproach::{Reproach, keeps_form};

/// What a turn says about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Bearing {
    /// The occasion arose, and the line was followed.
    Strengthening,
    /// The occasion arose, and the line was not followed, or had to be corrected.
    Weakening,
    /// Touched, but nobody can tell.
    Neutral,
}

/// Whether the line took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// It was acted on.
    Activated,
    /// It should have been and was not.
    Missed,
    /// No real occasion.
    Waiting,
}

/// Why a line failed, where the turn itself shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootCause {
    /// The dossier existed, was needed, and was not opened.
    RecallMiss,
    /// The line itself is wrong: a person contradicts it.
    DirectionWrong,
}

/// What one turn says about one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The line, by the number under which its check was handed over.
    pub line: usize,
    /// What the turn says about it.
    pub trajectory: Bearing,
    /// Whether it took effect.
    pub activation: Activation,
    /// Why it failed, where the turn shows it.
    pub root_cause: Option<RootCause>,
    /// Whom a person's remark sides with, when it was the remark that decided; `None` when the check alone did.
    pub stance: Option<Stance>,
    /// Whether it is only as good as the check: the check alone decided, or it says what a person's words are about.
    pub rests_on_check: bool,
    /// Verbatim from the event.
    pub quote: String,
    /// The event that the quote stands in.
    pub event_id: EventId,
    /// How the verdict came about.
    pub why: String,
}

/// Holds all checks against one turn of which nothing earlier is known but the turn before it in the same session: a correction
/// speaks of that one.
pub fn judge(turn: &Turn, before: Option<&Turn>, board: &Board) -> Vec<Verdict> {
    judge_after(turn, before, &Past::unknown(), board)
}

/// Holds all checks against one turn, with what the session did before it.
pub fn judge_after(turn: &Turn, before: Option<&Turn>, past: &Past, board: &Board) -> Vec<Verdict> {
    judged(&Met::of(turn), before.map(Met::of).as_ref(), past, board).verdicts
}

/// Holds all checks against the next turn of a session, and remembers what it did.
pub fn judge_next(turn: &Turn, before: Option<&Turn>, past: &mut Past, board: &Board) -> Vec<Verdict> {
    let now = Met::of(turn);
    let judged = judged(&now, before.map(Met::of).as_ref(), past, board);
    past.add_facts(now.facts);
    judged.verdicts
}

/// What a turn shows about the lines of a board, and what its opening message says.
#[derive(Debug)]
pub struct Judged {
    /// About the lines.
    pub verdicts: Vec<Verdict>,
    /// Whether a person's message opens the turn …
    pub is_opened_by_person: bool,
    /// … and what [`hear`](crate::hear) says of it.
    pub opening: Option<Signal>,
}

/// As [`judge_next`], for whoever wants to know also what the opening message says. What the turn did is remembered only if a check
/// looks back, and what was found in it until the next one is judged, which must be by the same board.
pub fn judge_and_hear(turn: &Turn, before: Option<&Turn>, past: &mut Past, board: &Board) -> Judged {
    let now = Met::of(turn);
    let before = before.map(|before| match past.take_newest(before) {
        Some((facts, places)) => Met { turn: before, facts, places: OnceCell::from(places) },
        None => Met::of(before),
    });
    let judged = judged(&now, before.as_ref(), past, board);
    if board.looks_back() {
        past.add_facts(now.facts.clone());
    }
    past.keep_newest(turn, now.facts, now.places.into_inner().unwrap_or_default());
    judged
}

/// What a turn shows.
fn judged(now: &Met<'_>, before: Option<&Met<'_>>, past: &Past, board: &Board) -> Judged {
    let judging = Judging::new(now, before, past, board);
    let verdicts = judging.verdicts(&judging.places());
    let (is_opened_by_person, opening) = (judging.is_opened_by_person, judging.signal);
    Judged { verdicts, is_opened_by_person, opening }
}

/// A turn, and what is found in it.
struct Met<'t> {
    turn: &'t Turn,
    facts: Facts<'t>,
    /// The places of the checks that it may concern, once somebody asked.
    places: OnceCell<Vec<usize>>,
}

impl<'t> Met<'t> {
    fn of(turn: &'t Turn) -> Self {
        Self { turn, facts: Facts::of(turn), places: OnceCell::new() }
    }

    fn places(&self, board: &Board) -> &[usize] {
        self.places.get_or_init(|| board.index().meeting(&self.facts, board.roles()))
    }
}

/// One turn, and all that its lines are judged by.
struct Judging<'a> {
    now: &'a Met<'a>,
    before: Option<&'a Met<'a>>,
    past: &'a Past,
    board: &'a Board,
    /// What a person says about single lines.
    remarks: Vec<Remark>,
    /// Whether a person's message opens the turn, and what it says.
    is_opened_by_person: bool,
    signal: Option<Signal>,
    /// The message that answers the turn before.
    opening: Option<Opening<'a>>,
    /// How much its words weigh, by line.
    weights: HashMap<usize, f64>,
}

impl<'a> Judging<'a> {
    fn new(now: &'a Met<'a>, before: Option<&'a Met<'a>>, past: &'a Past, board: &'a Board) -> Self {
        let Words { remarks, opening, signal } = Words::of(&now.facts, before.map(|met| met.turn), board);
        let is_opened_by_person = opening.is_some();
        let has_acted = before.is_some_and(|before| !before.facts.acts.is_empty());
        let opening = opening.filter(|_| has_acted).map(Opening::of);
        let weights = opening.as_ref().map(|opening| opening.weights(board.for_words())).unwrap_or_default();
        Self { now, before, past, board, remarks, is_opened_by_person, signal, opening, weights }
    }

    /// The places of the checks that the turn, or what is said in it, can concern.
    fn places(&self) -> Vec<usize> {
        let mut places = self.now.places(self.board).to_vec();
        if let (Some(before), Some(_)) = (self.before, &self.opening) {
            places.extend(before.places(self.board));
        }
        if !self.remarks.is_empty() || !self.weights.is_empty() {
            let concerned = |line: usize| {
                self.weights.contains_key(&line)
                    || self.remarks.iter().any(|remark| remark.line == Some(line))
            };
            let lines = self.board.lines().iter().enumerate();
            places.extend(lines.filter(|(_, (line, _))| concerned(*line)).map(|(at, _)| at));
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Holds the checks at these places against the turn.
    fn verdicts(&self, places: &[usize]) -> Vec<Verdict> {
        let reproach = self.before.zip(self.opening.as_ref());
        let most = self.weights.values().copied().fold(0.0, f64::max);
        let reproach =
            reproach.map(|(before, opening)| Reproach::new(&self.now.facts, &before.facts, opening, most));
        let lines = places.iter().filter_map(|at| self.board.lines().get(*at));
        let held = lines.filter(|(_, ready)| in_project(ready, self.now.turn));
        held.filter_map(|(line, ready)| self.verdict(*line, ready, reproach.as_ref())).collect()
    }

    fn verdict(&self, line: usize, ready: &Ready, reproach: Option<&Reproach<'_>>) -> Option<Verdict> {
        let scene = scene(&self.now.facts, self.past, self.board, ready);
        let by_check = if ready.check.testable { by_check(&scene, ready) } else { None };
        let asks_for_work =
            reproach.is_some_and(|reproach| reproach.asks_for_work(&scene, ready, by_check.as_ref()));
        let said = self.remarks.iter().find(|remark| remark.line == Some(line)).filter(|_| !asks_for_work);
        // What has no test is broken by deeds; who objects to what was only said speaks of that.
        let counts = |remark: &&Remark| {
            !remark.only_objects || remark.meanwhile || ready.check.testable || self.has_worked_before()
        };
        let said = said.filter(counts).cloned();
        let is_plain_remark = said.is_some();
        let remark = said.or_else(|| self.reproach(line, ready, &scene, by_check.as_ref(), reproach?));
        let weight = self.weights.get(&line).copied().unwrap_or(0.0);
        let asked_for = |now: &LineVerdict| {
            now.reworked || reproach.is_some_and(|reproach| reproach.asked_for(&scene, ready, now, weight))
        };
        let rests_on_check = ready.check.testable && !is_plain_remark;
        let meanwhile = remark.as_ref().is_none_or(|remark| remark.meanwhile);
        let mut outcome = match remark {
            Some(remark) => LineVerdict::by_remark(remark, by_check),
            None => {
                let now = by_check?;
                if asked_for(&now) { now.asked_for() } else { now }
            }
        };
        let before = self.before.map(|before| &before.facts);
        if outcome.is_plain_failure() && not_recalled(ready, &scene, before, meanwhile) {
            outcome.root_cause = Some(RootCause::RecallMiss);
        }
        let verdict = outcome.into_verdict(line, &self.now.facts)?;
        Some(Verdict { rests_on_check, ..verdict })
    }

    /// Whether the turn before did more than read and talk.
    fn has_worked_before(&self) -> bool {
        self.before.is_some_and(|before| {
            before.facts.acts.iter().any(|act| match &act.kind {
                ActKind::Ran(simple) => !only_looks(simple),
                ActKind::Wrote(_) | ActKind::Committed(_) | ActKind::Pushed(_) | ActKind::Branched(_) => true,
                ActKind::Used(_) | ActKind::Read(_) => false,
            })
        })
    }

    /// What the opening message says about a line, by what was done before it and after it.
    fn reproach(
        &self,
        line: usize,
        ready: &Ready,
        scene: &Scene<'_>,
        now: Option<&LineVerdict>,
        reproach: &Reproach<'_>,
    ) -> Option<Remark> {
        // The turn itself is the better proof; what opened it may be about anything.
        if now.is_some_and(|now| now.trajectory == Bearing::Weakening) {
            return None;
        }
        let opening = self.opening.as_ref().filter(|opening| !opening.questions(ready))?;
        let weight = self.weights.get(&line).copied().unwrap_or(0.0);
        let by_deeds = if ready.check.testable { reproach.of(scene, ready, now, weight) } else { None };
        let why = by_deeds.or_else(|| reproach.of_untested(ready, weight).filter(|_| now.is_none()))?;
        Some(Remark {
            line: Some(line),
            event: opening.event,
            quote: opening.sentence_about(&ready.check).to_owned(),
            stance: Stance::With,
            why,
            meanwhile: false,
            only_objects: false,
        })
    }
}

/// Whether a command only shows what is there.
fn only_looks(simple: &Simple) -> bool {
    const LOOKS: &[&str] =
        &["ls", "find", "fd", "tree", "wc", "pwd", "cd", "echo", "which", "stat", "file", "du"];
    let mut words = simple.words.iter().map(String::as_str);
    let looks = match words.next() {
        Some("git") => matches!(words.next(), Some("log" | "status" | "diff" | "show" | "blame" | "branch")),
        Some(program) => LOOKS.contains(&program) || shows_files(simple),
        None => true,
    };
    looks && simple.redirects.is_empty()
}

fn scene<'a>(facts: &'a Facts<'a>, past: &'a Past, board: &'a Board, ready: &'a Ready) -> Scene<'a> {
    Scene { facts, roles: board.roles(), past, skipped: 0, code: &ready.code, tried: false }
}

/// Whether a document of the line exists and was not opened where it was needed: in the turn that a correction speaks of, or in this one.
fn not_recalled(ready: &Ready, scene: &Scene<'_>, before: Option<&Facts<'_>>, meanwhile: bool) -> bool {
    if ready.documents.is_empty() {
        return false;
    }
    let read = Read { paths: ready.documents.clone() };
    let opened = |facts: &Facts<'_>| !read.find(&Scene { facts, ..*scene }).is_empty();
    let now = meanwhile && opened(scene.facts);
    !before.is_some_and(opened) && !now
}

/// Whether words for a line only order the work that it gives a form to: the turn before them could not have broken it. Then the turn
/// that they open says how the line fared, and not they.
pub fn orders_work(line: usize, before: Option<&Turn>, board: &Board) -> bool {
    let forms = |(number, ready): &&(usize, Ready)| {
        *number == line && ready.check.testable && keeps_form(&ready.check)
    };
    let Some((_, ready)) = board.lines().iter().find(forms) else { return false };
    let past = Past::unknown();
    before.is_none_or(|turn| {
        let facts = Facts::of(turn);
        by_check(&scene(&facts, &past, board, ready), ready).is_none()
    })
}

/// The one line that a turn broke, by its check alone; nothing when it broke none or several.
pub(crate) fn only_broken(turn: &Turn, board: &Board) -> Option<usize> {
    let (facts, past) = (Facts::of(turn), Past::unknown());
    let places = board.index().meeting(&facts, board.roles());
    let mut broken = places.iter().filter_map(|at| board.lines().get(*at)).filter(|(_, ready)| {
        let outcome = by_check(&scene(&facts, &past, board, ready), ready);
        in_project(ready, turn) && outcome.is_some_and(|outcome| outcome.trajectory == Bearing::Weakening)
    });
    let first = broken.next()?.0;
    broken.next().is_none().then_some(first)
}

fn in_project(ready: &Ready, turn: &Turn) -> bool {
    let (Some(project), Some(glob)) = (&ready.check.scope.project, &ready.project) else { return true };
    turn.cwd().is_some_and(|cwd| {
        let project = project.trim_end_matches('/');
        cwd == project || cwd.rsplit('/').next() == Some(project) || glob.is_match(cwd)
    })
}

impl LineVerdict {
    /// What a person's words decide, whatever the check says.
    fn by_remark(remark: Remark, by_check: Option<Self>) -> Self {
        let against = remark.stance == Stance::Against;
        Self {
            trajectory: Bearing::Weakening,
            // A line that a person contradicts was acted on; it misled.
            activation: if against { Activation::Activated } else { Activation::Missed },
            root_cause: against.then_some(RootCause::DirectionWrong),
            stance: Some(remark.stance),
            hit: match by_check {
                // Said while the agent worked: what was done is the better evidence.
                Some(seen) if remark.meanwhile => seen.hit,
                _ => Hit { event: remark.event, at: 0, quote: remark.quote },
            },
            why: remark.why,
            reworked: false,
        }
    }

    /// What comes into a file only when it is written again, or in answer to a complaint, came more often than not because a person had
    /// asked for it: it does not show that the line was followed.
    fn asked_for(self) -> Self {
        if self.trajectory != Bearing::Strengthening {
            return self;
        }
        let why = format!("{}; it may have come only because the person asked for it", self.why);
        Self { trajectory: Bearing::Neutral, why, ..self }
    }

    /// Whether the line failed, and nothing says that the line itself is wrong.
    fn is_plain_failure(&self) -> bool {
        self.trajectory == Bearing::Weakening
            && self.root_cause.is_none()
            && self.stance != Some(Stance::Against)
    }

    fn into_verdict(self, line: usize, facts: &Facts<'_>) -> Option<Verdict> {
        let event = facts.events.get(self.hit.event)?;
        Some(Verdict {
            line,
            trajectory: self.trajectory,
            activation: self.activation,
            root_cause: self.root_cause,
            stance: self.stance,
            rests_on_check: self.stance.is_none(),
            quote: super::quote::verbatim(event, &self.hit.quote),
            event_id: event.id.clone(),
            why: self.why,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::Random;

    const ROUNDS: u64 = 25;
    const TURNS_A_BOARD: usize = 20;

    /// Asks every check in turn.
    fn judge_plainly(turn: &Turn, before: Option<&Turn>, board: &Board) -> Vec<Verdict> {
        let (now, before, past) = (Met::of(turn), before.map(Met::of), Past::unknown());
        let judging = Judging::new(&now, before.as_ref(), &past, board);
        judging.verdicts(&(0..board.lines().len()).collect::<Vec<_>>())
    }

    #[test]
    fn what_was_found_in_the_turn_before_is_as_good_as_found_again() {
        for seed in 0..ROUNDS {
            let mut random = Random::new(seed);
            let board = random.board();
            let (mut past, mut plain_past) = (Past::start(), Past::start());
            let mut before: Option<Turn> = None;
            for nth in 0..TURNS_A_BOARD {
                let turn = random.turn();
                let plain = judge_next(&turn, before.as_ref(), &mut plain_past, &board);
                let found = judge_and_hear(&turn, before.as_ref(), &mut past, &board).verdicts;
                assert_eq!(found, plain, "seed {seed}: {turn:?}");
                // Now and then another turn comes before the next one than the one that was judged.
                before = Some(if nth % 5 == 4 { random.turn() } else { turn });
            }
        }
    }

    #[test]
    fn the_index_leaves_out_no_check_that_has_something_to_say() {
        let (mut asked, mut held, mut verdicts) = (0, 0, 0);
        for seed in 0..ROUNDS {
            let mut random = Random::new(seed);
            let board = random.board();
            let mut before: Option<Turn> = None;
            for _ in 0..TURNS_A_BOARD {
                let turn = random.turn();
                let plain = judge_plainly(&turn, before.as_ref(), &board);
                assert_eq!(judge(&turn, before.as_ref(), &board), plain, "seed {seed}: {turn:?}");
                asked += board.index().meeting(&Facts::of(&turn), board.roles()).len();
                held += board.lines().len();
                verdicts += plain.len();
                before = Some(turn);
            }
        }
        assert!(verdicts > held / 20, "{verdicts} of {held}: turns that concern nothing prove nothing");
        assert!(asked < held / 2, "{asked} of {held} checks were asked");
    }
}
