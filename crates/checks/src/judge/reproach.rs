//! A person's words about a line, told by what was done before them and after them.
//!
//! People rarely say "that breaks the rule". They ask for what it wants, report what is missing, or have taken out again what was just
//! put in. So the message that opens a turn is held against what the check says of the turn before, and of the turn itself.

use std::collections::HashSet;

use crate::facts::{ActKind, Facts};
use crate::language::{Check, Condition, Scene};
use crate::signal::Opening;

use super::Bearing;
use super::outcome::{LineVerdict, by_check};
use super::ready::Ready;

/// Words of so much weight are about the line: two that few other lines have, or its own name.
const ABOUT_THE_LINE: f64 = 1.0;
/// The name of a code term in several parts weighs so much.
const OWN_NAME: f64 = 1.2;
/// Words of so much weight may be about it: what was done has to speak for it, too.
const PERHAPS_ABOUT_IT: f64 = 0.5;
/// Words of so much weight can hardly be about anything else: two that no other line has. One alone was right 8 times of 17.
const OF_THE_LINE_ALONE: f64 = 1.4;
/// One name, however telling, is spoken of for many reasons: of four such verdicts two were wrong.
const LEAST_OWN_WORDS: usize = 2;
/// In a message of so few words each one counts.
const SHORT_MESSAGE_WORDS: usize = 10;
/// A shorter line of a quote stands everywhere.
const LEAST_QUOTE_CHARS: usize = 4;

/// The turn before, and the message that answers it.
#[derive(Debug)]
pub(super) struct Reproach<'a> {
    before: &'a Facts<'a>,
    opening: &'a Opening<'a>,
    /// What the turn took out of files.
    removed: String,
    /// Whether it changes a file that the turn before changed.
    reworks: bool,
    /// Whether it takes out lines that the turn before put in.
    takes_out: bool,
    /// What the words of the message weigh most, of all lines.
    most: f64,
}

impl<'a> Reproach<'a> {
    pub(super) fn new(facts: &Facts<'_>, before: &'a Facts<'a>, opening: &'a Opening<'a>, most: f64) -> Self {
        let known: HashSet<&str> = before.writes().map(|(_, written)| written.path.as_str()).collect();
        let reworks = facts.writes().any(|(_, written)| known.contains(written.path.as_str()));
        let removed: Vec<&str> = facts.writes().map(|(_, written)| written.removed.as_str()).collect();
        let put_in: HashSet<&str> =
            before.writes().flat_map(|(_, written)| telling_lines(&written.added)).collect();
        let takes_out = removed.iter().flat_map(|text| telling_lines(text)).any(|line| put_in.contains(line));
        Self { before, opening, removed: removed.join("\n"), reworks, takes_out, most }
    }

    /// Why the message is about a line that has no test, if it is: its words are the line's own, and what the turn before put in is
    /// taken out again.
    pub(super) fn of_untested(&self, ready: &Ready, weight: f64) -> Option<String> {
        let words = self.opening.shared(&ready.check);
        let about = weight >= OF_THE_LINE_ALONE && words.len() >= LEAST_OWN_WORDS;
        (about && self.takes_out).then(|| {
            let words = words.join("\", \"");
            format!("the person speaks of it (\"{words}\"), and what was just written was changed again")
        })
    }

    /// Why the message is about a line, if it is; `now` is what the check says of the turn that it opens.
    pub(super) fn of(
        &self,
        scene: &Scene<'_>,
        ready: &Ready,
        now: Option<&LineVerdict>,
        weight: f64,
    ) -> Option<String> {
        let follows = now.is_some_and(|now| now.trajectory == Bearing::Strengthening);
        if weight < PERHAPS_ABOUT_IT && !follows && self.removed.is_empty() {
            return None;
        }
        let earlier = by_check(&Scene { facts: self.before, skipped: 1, ..*scene }, ready);
        let was = earlier.as_ref().map(|earlier| earlier.trajectory);
        match (earlier, was) {
            (Some(earlier), Some(Bearing::Weakening)) => {
                let on_subject = self.opening.is_about(&ready.check);
                let short = self.opening.words() <= SHORT_MESSAGE_WORDS && on_subject;
                // One word that no other line has weighs as much as two.
                let several =
                    self.opening.shared(&ready.check).len() >= LEAST_OWN_WORDS || weight >= OWN_NAME;
                let answers = self.reworks || self.opening.is_signal() || self.opening.asks_after();
                let about = weight >= ABOUT_THE_LINE && (several || on_subject || answers)
                    || weight >= PERHAPS_ABOUT_IT && (follows || short)
                    || follows && self.opening.objects();
                let missed = || format!("the turn before missed it: {}", earlier.why);
                if self.takes_back(&earlier) {
                    return Some(format!("the person has taken out what broke it; {}", missed()));
                }
                about.then(|| format!("the person speaks of it; {}", missed()))
            }
            (_, was) => {
                let kept = was == Some(Bearing::Strengthening);
                let short = self.opening.words() <= SHORT_MESSAGE_WORDS;
                let complains = short || self.opening.objects();
                let in_file = now.is_some_and(|now| now.reworked);
                // A command that is run in answer to a message is run for many reasons.
                let about = if in_file {
                    weight >= ABOUT_THE_LINE || weight >= PERHAPS_ABOUT_IT && !kept
                } else {
                    weight >= OF_THE_LINE_ALONE
                };
                // What stood there was taken out for what the line wants, unless the message is about another line.
                let may_mean_it = weight > 0.0 || self.most < OF_THE_LINE_ALONE;
                let mended = !kept && self.takes_out && in_file && may_mean_it;
                let asked = follows
                    && self.reworks
                    && (about && (complains || self.takes_out) || mended && complains);
                asked.then(|| "the person had to ask for it, and the work was changed again".to_owned())
            }
        }
    }

    /// Whether a deed that the line wants came because the message asks for it: it is about the line, and the turn before had not done it.
    pub(super) fn asked_for(&self, scene: &Scene<'_>, ready: &Ready, now: &LineVerdict, weight: f64) -> bool {
        let asks = self.opening.objects() || self.opening.asks_after();
        // Work is landed when people ask for it, whatever the line says about how.
        let act = scene.facts.acts.get(now.hit.at).filter(|act| act.event == now.hit.event);
        let lands = act.is_some_and(|act| matches!(act.kind, ActKind::Committed(_) | ActKind::Pushed(_)));
        let lands = lands || keeps_form(&ready.check);
        let about = weight >= ABOUT_THE_LINE && !lands || weight >= PERHAPS_ABOUT_IT && asks;
        if now.trajectory != Bearing::Strengthening || !about {
            return false;
        }
        let earlier = by_check(&Scene { facts: self.before, skipped: 1, ..*scene }, ready);
        earlier.is_none_or(|earlier| earlier.trajectory != Bearing::Strengthening)
    }

    /// Whether a line of form is followed in work that a message asked for, and could not have been broken before: the message asks
    /// for the work, not for the form.
    pub(super) fn asks_for_work(&self, scene: &Scene<'_>, ready: &Ready, now: Option<&LineVerdict>) -> bool {
        let follows = now.is_some_and(|now| now.trajectory == Bearing::Strengthening);
        follows
            && keeps_form(&ready.check)
            && by_check(&Scene { facts: self.before, skipped: 1, ..*scene }, ready).is_none()
    }

    /// Whether this turn removes what was quoted as the breach.
    fn takes_back(&self, earlier: &LineVerdict) -> bool {
        let mut lines = earlier.hit.quote.lines().map(str::trim);
        lines.any(|line| line.chars().count() >= LEAST_QUOTE_CHARS && self.removed.contains(line))
    }
}

/// Whether a line says where whole files go and how they are called: that somebody asked for the file says nothing about that.
pub(super) fn keeps_form(check: &Check) -> bool {
    let is_form = |condition: &Condition| matches!(condition, Condition::Wrote(wrote) if wrote.whole && wrote.added.is_none());
    check.expect.iter().flat_map(|expect| &expect.any).any(is_form)
}

/// The lines of a text that do not stand everywhere.
fn telling_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.chars().count() >= LEAST_QUOTE_CHARS)
}
