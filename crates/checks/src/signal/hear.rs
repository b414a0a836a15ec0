//! Hears what a message says about the agent's way of working.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use subcortex_model::Turn;

use crate::clash::{agree, clash, swaps_programs};
use crate::facts::{Facts, Voice};
use crate::judge::{Board, Ready};
use crate::language::Check;
use crate::reading::compile;
use crate::rule::restate_as_rule;
use crate::text;

use super::echo::Earlier;
use super::side::Sides;
use super::{markers, message, tie};

/// What kind of signal a message carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What the agent did or claimed is wrong, or has to be done another way.
    Correction,
    /// How the person likes something to be.
    Preference,
    /// An order meant to hold beyond this turn.
    StandingInstruction,
}

/// Whether the person sides with the line that the remark concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// The line is right and was not followed.
    With,
    /// The line is wrong.
    Against,
}

/// A signal in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// What kind it is.
    pub kind: Kind,
    /// Whether it would still be worth knowing in another session.
    pub durable: bool,
    /// The sentence that carries it, verbatim.
    pub quote: String,
    /// The line that it repeats or contradicts.
    pub line: Option<usize>,
    /// Whom the evidence sides with, when a line is concerned.
    pub stance: Option<Stance>,
    /// How it was recognised.
    pub why: String,
}

/// A remark of a person about a line, within a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remark {
    pub(crate) line: Option<usize>,
    pub(crate) event: usize,
    pub(crate) quote: String,
    pub(crate) stance: Stance,
    pub(crate) why: String,
    /// Whether it was said while the agent worked.
    pub(crate) meanwhile: bool,
    /// Whether it only objects: then what it objects to may have been said, and not done.
    pub(crate) only_objects: bool,
}

/// What one sentence says.
#[derive(Debug, Clone)]
struct Heard<'t> {
    sentence: &'t str,
    objection: bool,
    /// It objects by nothing but a "no" in front.
    only_no: bool,
    /// The fault is in what was built, not in how.
    bug: bool,
    /// It only says which thing was meant.
    clarifies: bool,
    lasting: bool,
    preference: bool,
    order: bool,
    reminder: bool,
    moment: bool,
    question: bool,
    /// Said before: "again?", "I told you".
    repeated: bool,
}

fn listen(sentence: &str) -> Heard<'_> {
    let lower = sentence.to_lowercase().replace('’', "'");
    let bare = lower.get(markers::LEAD_IN.find(&lower).map_or(0, |found| found.end())..).unwrap_or(&lower);
    let question = lower.trim_end().ends_with('?')
        || (markers::TASK_QUESTION.is_match(bare) && !bare.starts_with("any "));
    if markers::NO_RULE.is_match(&lower) {
        return Heard::nothing(sentence);
    }
    let bug = markers::BUG.is_match(&lower);
    let foreign = foreign(&lower, question);
    let always = markers::ALWAYS.is_match(&lower) && !bug && !question && is_order(bare, &lower);
    let memory = markers::MEMORY.is_match(&lower) && !lower.starts_with("do you remember");
    let reminder = markers::REMINDER.is_match(&lower);
    let convention = markers::CONVENTION.is_match(&lower)
        && !question
        && !markers::SUPPOSED.is_match(&lower)
        && !markers::COUNTED.is_match(&lower);
    let hedged = markers::HEDGE.is_match(&lower);
    let product = markers::PRODUCT.is_match(&lower) && !markers::REASON.is_match(&lower);
    let repeated =
        (markers::REPEATED.is_match(&lower) && !markers::ASKED_FOR.is_match(&lower)) || foreign.repeated;
    let ruled_out = markers::RULED_OUT.is_match(&lower) && !question;
    let general = markers::GENERAL_SUBJECT.is_match(&lower) && !question && !product;
    let capability = markers::CAPABILITY.is_match(&lower) && !question;
    let lasting_word = markers::LASTING.is_match(&lower)
        && (!question || lower.contains("can we") || lower.contains("can you"))
        && !hedged
        && is_order(bare, &lower)
        || opens_lasting(&lower, question, hedged)
        || opens_lasting(bare, question, hedged)
        || foreign.lasting;
    let preference = markers::PREFERENCE.is_match(&lower) && !lower.starts_with("would you");
    let broken = markers::BROKEN.is_match(&lower);
    let about_it = markers::DEICTIC.is_match(bare);
    let ruled_out = ruled_out && !about_it && !product;
    let habit = markers::HABIT.is_match(&lower);
    let behind_no = bare.get(markers::NO.find(bare).map_or(0, |found| found.end())..).unwrap_or(bare);
    let objects_in_words = broken
        || markers::OBJECTION.is_match(behind_no)
        || markers::FAULT.is_match(&lower)
        || markers::WHY_AGENT.is_match(&lower)
        || markers::DID_WRONG.is_match(&lower)
        || repeated;
    let wonders = question && lower.contains("i thought");
    let objection = (objects_in_words
        || [bare, &*lower].iter().any(|words| markers::OBJECTION.is_match(words)))
        && !wonders;
    // Said against what the agent did, a plain statement of how things are is a rule.
    let refuses =
        lower.len() > bare.len() && lower.starts_with(['n', 'w']) && markers::OBJECTION.is_match(&lower);
    let contrast = refuses && markers::CONTRAST.is_match(bare) && !about_it && !broken;
    let order =
        lasting_word || always || memory || ruled_out || general || reminder && is_order(bare, &lower);
    Heard {
        sentence,
        objection,
        only_no: objection && !objects_in_words,
        bug: broken,
        lasting: lasting_word
            || always
            || memory
            || convention
            || repeated
            || ruled_out
            || general
            || capability
            || reminder
            || contrast
            || habit,
        clarifies: markers::CLARIFIES.is_match(&lower),
        preference,
        order,
        reminder,
        moment: markers::MOMENT.is_match(&lower),
        question,
        repeated,
    }
}

impl<'t> Heard<'t> {
    fn nothing(sentence: &'t str) -> Self {
        Self {
            sentence,
            objection: false,
            only_no: false,
            bug: false,
            clarifies: false,
            lasting: false,
            preference: false,
            order: false,
            reminder: false,
            moment: false,
            question: false,
            repeated: false,
        }
    }
}

/// What a sentence in another language than English says, as far as a few words carry it.
struct Foreign {
    lasting: bool,
    repeated: bool,
}

fn foreign(lower: &str, question: bool) -> Foreign {
    let always = markers::FOREIGN_ALWAYS.is_match(lower) && markers::FOREIGN_ORDER.is_match(lower);
    let lasting = markers::FOREIGN_LASTING.is_match(lower) || always || markers::FOREIGN_WAY.is_match(lower);
    Foreign {
        lasting: lasting && !question,
        repeated: markers::FOREIGN_REPEATED.is_match(lower) && !question,
    }
}

/// "From now on …", "as a rule: …": what follows is meant to last, however it is worded.
fn opens_lasting(bare: &str, question: bool, hedged: bool) -> bool {
    !question && !hedged && markers::OPENS_LASTING.is_match(bare)
}

/// Whether a sentence asks for something rather than reports it.
fn is_order(bare: &str, lower: &str) -> bool {
    let first = text::words(bare).first().cloned().unwrap_or_default();
    crate::orders::is_order_word(&first)
        || markers::ALWAYS_DO
            .captures(lower)
            .and_then(|found| found.get(1))
            .is_some_and(|verb| crate::orders::is_order_word(verb.as_str()))
        || markers::ORDERS.is_match(lower)
}

/// Hears a message that was typed in a directory. `board` gives the lines that it may concern; `before` is what the agent did in the turn
/// before.
pub fn hear(message: &str, cwd: Option<&str>, before: Option<&Turn>, board: &Board) -> Option<Signal> {
    hear_after(&Listened::to(message), cwd, before, has_acted(before), board.for_words())
}

/// Whether the agent did anything in a turn.
fn has_acted(turn: Option<&Turn>) -> bool {
    turn.is_some_and(|turn| turn.events.len() > 1)
}

/// A message, and what its sentences say by themselves.
#[derive(Debug)]
pub(crate) struct Listened<'t> {
    message: &'t str,
    sentences: Vec<&'t str>,
    heard: Vec<Heard<'t>>,
}

impl<'t> Listened<'t> {
    fn to(message: &'t str) -> Self {
        let sentences = message::speech(message);
        let heard = sentences.iter().map(|sentence| listen(sentence)).collect();
        Self { message, sentences, heard }
    }
}

/// Most sentences of a message that is about one thing.
const SENTENCES_ABOUT_ONE_THING: usize = 3;
/// How many sentences of a message are read as rules, the strongest: who says more than that hands over a list.
const MAX_TELLING_SENTENCES: usize = 12;

fn hear_after(
    listened: &Listened<'_>,
    cwd: Option<&str>,
    before: Option<&Turn>,
    agent_acted: bool,
    board: &Board,
) -> Option<Signal> {
    let Listened { message, sentences, heard } = listened;
    if heard.iter().all(|heard| rank(heard) == 0) {
        return None;
    }
    let others = Earlier::than(message, before);
    let mut heard = heard.clone();
    heard.retain(|heard| rank(heard) == 0 || !others.hold(heard.sentence));
    let strongest = heard.iter().max_by_key(|heard| rank(heard)).filter(|heard| rank(heard) > 0)?;
    let moment = heard.iter().any(|heard| heard.moment);
    let speech = sentences.join("\n");
    // "Why npm again? It's a pnpm repo.": in a short message all sentences are about the same, but for a task with a taste beside it
    // ("add an option. I prefer long ones").
    let is_aside = strongest.preference && !strongest.lasting;
    let is_short = sentences.len() <= SENTENCES_ABOUT_ONE_THING && !is_aside;
    let telling = if is_short { heard.iter().collect() } else { telling(&heard) };
    let about = if is_short { speech.clone() } else { joined(&telling) };
    let wishes = wishes(&telling);
    let cwd = cwd.or_else(|| before.and_then(Turn::cwd));
    let by_test = by_test(&wishes, board, cwd);
    let by_side = tie::sided(&about, board, cwd);
    let decided = decided(by_test, by_side);
    let tied = decided.map(|(line, _)| line).or_else(|| tie::best(&about, board, cwd).map(|tie| tie.line));
    let corrects = heard.iter().any(|heard| heard.objection && !heard.reminder) && agent_acted;

    let lasting = heard.iter().any(|heard| heard.lasting || heard.preference && !heard.question);
    let objected = heard.iter().any(|heard| heard.objection);
    let only_bugs =
        objected && heard.iter().filter(|heard| heard.objection).all(|heard| heard.bug || heard.clarifies);
    // A fault in what was built says nothing about a rule of working.
    let again = heard.iter().any(|heard| heard.repeated);
    // "Again?!" names nothing; the one rule that the turn before broke is meant.
    let names_nothing = || !Sides::of(&speech).names_a_thing();
    let meant = || {
        let broke = before.filter(|_| again && corrects && names_nothing());
        broke.and_then(|turn| crate::judge::only_broken(turn, board))
    };
    let line = tied.or_else(meant).filter(|_| !only_bugs);
    let choice = wishes.iter().any(swaps_programs);
    let durable = !moment && (lasting || (corrects && !only_bugs && (line.is_some() || choice)));
    // "No. From now on, …": what no line says yet is a new order, and the "no" says no more than that.
    let objects_in_words = heard.iter().any(|heard| heard.objection && !heard.only_no && !heard.reminder);
    let is_new = line.is_none() && !objects_in_words;
    let kind = if heard.iter().any(|heard| heard.order && heard.lasting) && (!corrects || is_new) {
        Kind::StandingInstruction
    } else if corrects {
        Kind::Correction
    } else if heard.iter().any(|heard| heard.preference) {
        Kind::Preference
    } else {
        Kind::StandingInstruction
    };
    if kind == Kind::StandingInstruction && !lasting {
        return None;
    }
    let stance = match decided {
        // Where the tests and the words do not agree, nobody can tell.
        Some((known, side)) if line == Some(known) => {
            Some(side).filter(|side| agrees_in_words(&speech, board, known, *side))
        }
        _ => line.and_then(|line| stance(&speech, board, line)),
    };
    // Who only asks contradicts nothing yet.
    let asks = telling.iter().all(|heard| heard.question || rank(heard) == 0);
    let stance = stance.filter(|stance| *stance == Stance::With || !asks);
    // Words that may be meant either way say nothing about a line, nor do those that are for another command.
    let is_another =
        |line: usize| stance == Some(Stance::With) && names_something_else(&telling, board, line);
    let line = line.filter(|line| stance.is_some() && !is_another(*line));
    let stance = stance.filter(|_| line.is_some());
    Some(Signal {
        kind,
        durable,
        quote: strongest.sentence.to_owned(),
        line,
        stance,
        why: reason(strongest).to_owned(),
    })
}

/// Whether what is said and a line name commands or other code, and none in common: then it is another rule, however alike the words are.
fn names_something_else(telling: &[&Heard<'_>], board: &Board, line: usize) -> bool {
    let Some((_, ready)) = board.lines().iter().find(|(number, _)| *number == line) else { return false };
    let known = &ready.check().cues.code;
    let said = telling.iter().filter(|heard| rank(heard) > 0);
    let named: Vec<String> = said.flat_map(|heard| compile(heard.sentence, &[]).cues.code).collect();
    // "The `--dev-key` flag" is what a line calls `--dev-key <hex>`.
    let is_same =
        |one: &String, other: &String| one.starts_with(other.as_str()) || other.starts_with(one.as_str());
    let is_known = |code: &String| known.iter().any(|known| is_same(code, known));
    !named.is_empty() && !known.is_empty() && !named.iter().any(is_known)
}

/// The sentences that say something: the strongest of them, in the order in which they were said.
fn telling<'h, 't>(heard: &'h [Heard<'t>]) -> Vec<&'h Heard<'t>> {
    let mut telling: Vec<(usize, &Heard<'_>)> =
        heard.iter().enumerate().filter(|(_, heard)| rank(heard) > 0).collect();
    telling.sort_by_key(|(_, heard)| Reverse(rank(heard)));
    telling.truncate(MAX_TELLING_SENTENCES);
    telling.sort_by_key(|(at, _)| *at);
    telling.into_iter().map(|(_, heard)| heard).collect()
}

fn joined(telling: &[&Heard<'_>]) -> String {
    telling.iter().map(|heard| heard.sentence).collect::<Vec<_>>().join("\n")
}

/// What sentences ask for, as tests.
fn wishes(telling: &[&Heard<'_>]) -> Vec<Check> {
    let said = telling.iter().filter(|heard| !heard.question);
    let rules = said.filter_map(|heard| restate_as_rule(heard.sentence));
    rules.map(|rule| compile(&rule, &[])).filter(|check| check.testable).collect()
}

/// The line that cannot be followed together with a wish, or else one that asks for the same: decided by the tests.
fn by_test(wishes: &[Check], board: &Board, cwd: Option<&str>) -> Option<(usize, Stance)> {
    let first = |fits: fn(&Check, &Check) -> bool| board.first_line(wishes, cwd, fits);
    let against = first(clash).map(|line| (line, Stance::Against));
    against.or_else(|| first(agree).map(|line| (line, Stance::With)))
}

/// What the tests say, or else the words; a line that is contradicted goes before one that is agreed with.
fn decided(by_test: Option<(usize, Stance)>, by_side: Option<(usize, Stance)>) -> Option<(usize, Stance)> {
    match (by_test, by_side) {
        (Some((_, Stance::With)), Some((line, Stance::Against))) => Some((line, Stance::Against)),
        (Some(tested), _) => Some(tested),
        (None, by_side) => by_side,
    }
}

/// The line that a wish is about, and on whose side it is, if anybody can tell: by tests, and by the words.
pub fn line_meant(wish: &str, cwd: Option<&str>, board: &Board) -> Option<(usize, Stance)> {
    let board = board.for_words();
    let heard: Vec<Heard<'_>> = text::sentences(wish).into_iter().map(listen).collect();
    let telling: Vec<&Heard<'_>> = heard.iter().collect();
    let by_test = by_test(&wishes(&telling), board, cwd);
    let (line, side) = decided(by_test, tie::sided(wish, board, cwd))?;
    let is_another = side == Stance::With && names_something_else(&telling, board, line);
    (!is_another && agrees_in_words(wish, board, line, side)).then_some((line, side))
}

/// Whether the words do not say otherwise than the tests, and not both.
fn agrees_in_words(speech: &str, board: &Board, line: usize, side: Stance) -> bool {
    let own =
        board.lines().iter().find(|(number, _)| *number == line).and_then(|(_, ready)| ready.sides.as_ref());
    let mixed = own.is_some_and(|own| own.is_mixed_with(&Sides::of(speech)));
    !mixed && stance(speech, board, line).is_none_or(|by_words| by_words == side)
}

fn rank(heard: &Heard<'_>) -> u8 {
    u8::from(heard.lasting && heard.order) * 8
        + u8::from(heard.lasting) * 4
        + u8::from(heard.preference) * 3
        + u8::from(heard.objection) * 2
}

fn reason(heard: &Heard<'_>) -> &'static str {
    if heard.lasting {
        "worded to last"
    } else if heard.preference {
        "states a preference"
    } else {
        OBJECTS
    }
}

/// Why a message is a signal that neither lasts nor states a preference.
const OBJECTS: &str = "objects to what the agent did";

/// Whom the remark sides with; `None` when it rules something out and nobody can tell whether that is what the line asks for.
fn stance(speech: &str, board: &Board, line: usize) -> Option<Stance> {
    let (_, ready) = board.lines().iter().find(|(number, _)| *number == line)?;
    let lower = speech.to_lowercase();
    let negated = markers::RULED_OUT.is_match(&lower)
        || ["won't work", "wont work", "does not make", "doesn't make", "why would you", "rather than"]
            .iter()
            .any(|phrase| lower.contains(phrase));
    match &ready.sides {
        Some(sides) => {
            match questions(speech, ready, sides) {
                Questioned::Surely => return Some(Stance::Against),
                Questioned::Perhaps => {
                    return sides.taken_by(&Sides::of(speech)).filter(|side| *side == Stance::Against);
                }
                Questioned::Not => {}
            }
            let said = Sides::of(speech);
            sides.taken_by(&said).or((!said.rules_out() && !sides.meets(&said)).then_some(Stance::With))
        }
        None => {
            let cues = &ready.check().cues;
            let line_forbids =
                !cues.against.is_empty() && ready.check().forbid.len() > ready.check().expect.len();
            Some(if negated && !line_forbids && cues.against.is_empty() {
                Stance::Against
            } else {
                Stance::With
            })
        }
    }
}

/// Whether somebody asks why the agent did what a line asks for: that never speaks for the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Questioned {
    /// The line's own name is asked about, or two things that it wants.
    Surely,
    /// One of its things is.
    Perhaps,
    /// Nothing of it is.
    Not,
}

/// Whether a line is asked about in "why would you …".
fn questions(speech: &str, ready: &Ready, sides: &Sides) -> Questioned {
    const SURELY: usize = 2;
    let mut found = Questioned::Not;
    for thing in Sides::questioned(speech) {
        let (wanted, ruled_out) = sides.named_in(thing);
        let names = tie::names(thing, ready.check());
        if ruled_out > 0 || wanted + names == 0 {
            continue;
        }
        if names > 0 || wanted >= SURELY {
            return Questioned::Surely;
        }
        found = Questioned::Perhaps;
    }
    found
}

/// The message that opens a turn, taken apart once.
#[derive(Debug)]
pub(crate) struct Opening<'t> {
    /// Index of its event.
    pub(crate) event: usize,
    speech: Vec<&'t str>,
    objects: bool,
    is_signal: bool,
    words: tie::Words,
}

impl<'t> Opening<'t> {
    /// What was listened to, and the index of its event.
    pub(crate) fn of((event, listened): (usize, Listened<'t>)) -> Self {
        let Listened { sentences: speech, heard, .. } = listened;
        let objects = heard.iter().any(|heard| heard.objection);
        let is_signal = heard.iter().any(|heard| rank(heard) > 0);
        Self { event, objects, is_signal, words: tie::Words::plain(&speech.join("\n")), speech }
    }

    /// How many words it has.
    pub(crate) fn words(&self) -> usize {
        self.speech.iter().map(|sentence| sentence.split_whitespace().count()).sum()
    }

    /// Whether it asks why the agent did what a line asks for.
    pub(crate) fn questions(&self, ready: &Ready) -> bool {
        let asked = |sides: &Sides| questions(&self.speech.join("\n"), ready, sides) != Questioned::Not;
        ready.sides.as_ref().is_some_and(asked)
    }

    /// Whether it objects to something.
    pub(crate) fn objects(&self) -> bool {
        self.objects
    }

    /// The lines that it shares words with, and how much these weigh.
    pub(crate) fn weights(&self, board: &Board) -> std::collections::HashMap<usize, f64> {
        tie::weights(&self.words, board)
    }

    /// Whether it is about a line, and does not merely share a word with it.
    pub(crate) fn is_about(&self, check: &Check) -> bool {
        self.words.are_about(check)
    }

    /// The telling words of a line that it holds.
    pub(crate) fn shared<'c>(&self, check: &'c Check) -> Vec<&'c str> {
        self.words.shared(check)
    }

    /// Whether it says anything about the agent's way of working.
    pub(crate) fn is_signal(&self) -> bool {
        self.is_signal
    }

    /// Whether it asks after something that should have been done: "did you run the tests?", "tests?".
    pub(crate) fn asks_after(&self) -> bool {
        self.speech.iter().any(|sentence| {
            let sentence = sentence.to_lowercase();
            sentence.trim_end().ends_with('?') && markers::ASKS_AFTER.is_match(&sentence)
        })
    }

    /// The sentence that shares the most words with a line, or the first one.
    pub(crate) fn sentence_about(&self, check: &Check) -> &'t str {
        let shared = |sentence: &&&str| {
            let stems = text::content_stems(sentence);
            check.cues.stems.iter().filter(|stem| stems.contains(stem)).count()
        };
        // Of equals the first: `max_by_key` takes the last.
        self.speech.iter().rev().max_by_key(shared).copied().unwrap_or("")
    }
}

/// What a person says in a turn.
#[derive(Debug, Default)]
pub(crate) struct Words<'t> {
    /// About lines: in the opening message, and while the agent worked.
    pub(crate) remarks: Vec<Remark>,
    /// The opening message and the index of its event, if a person spoke.
    pub(crate) opening: Option<(usize, Listened<'t>)>,
    /// What the opening message says, as [`hear`] tells it.
    pub(crate) signal: Option<Signal>,
}

impl<'t> Words<'t> {
    /// Listens to what a person says in a turn.
    pub(crate) fn of(facts: &'t Facts<'_>, before: Option<&Turn>, board: &Board) -> Self {
        let mut words = Self::default();
        for said in &facts.said {
            let opens = match said.voice {
                Voice::Person => true,
                Voice::PersonMeanwhile => false,
                Voice::Program | Voice::Agent => continue,
            };
            let listened = Listened::to(&said.text);
            let acted = !opens || has_acted(before);
            let cwd = facts.events.get(said.event).and_then(|event| event.cwd.as_deref());
            let signal = hear_after(&listened, cwd, before.filter(|_| opens), acted, board.for_words());
            words.remarks.extend(signal.as_ref().and_then(|signal| signal.remark(said.event, !opens)));
            if opens {
                words.signal = signal;
                words.opening = Some((said.event, listened));
            }
        }
        words
    }
}

impl Signal {
    /// What it says about a line.
    fn remark(&self, event: usize, meanwhile: bool) -> Option<Remark> {
        // What is said to last about a line is evidence against it already; the deed that follows does not make up for it.
        let counts = (self.kind == Kind::Correction || self.durable) && self.line.is_some();
        counts.then(|| Remark {
            meanwhile,
            only_objects: self.why == OBJECTS,
            line: self.line,
            event,
            quote: self.quote.clone(),
            stance: self.stance.unwrap_or(Stance::With),
            why: match self.stance {
                Some(Stance::Against) => format!("the person contradicts it: {}", self.why),
                Some(Stance::With) | None => format!("the person had to ask for it: {}", self.why),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_list_only_the_strongest_sentences_are_read_as_rules() {
        let list: Vec<String> = (0..200).map(|number| format!("I prefer tabs{number}.")).collect();
        let mut heard: Vec<Heard<'_>> = list.iter().map(|sentence| listen(sentence)).collect();
        heard.push(listen("From now on, always run the tests."));
        let telling = telling(&heard);
        assert_eq!(telling.len(), MAX_TELLING_SENTENCES);
        assert_eq!(telling.last().map(|heard| heard.sentence), Some("From now on, always run the tests."));
    }
}
