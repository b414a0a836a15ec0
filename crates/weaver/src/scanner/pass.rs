//! One pass over the log: events become turns, turns are judged, and what a person said is heard.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use subcortex_checks::{Tried, stood_in};
use subcortex_counsel::Consulted;
use subcortex_memory::{Forgotten, Fragment, MadeHere, Trajectory};
use subcortex_model::Gate;
use subcortex_spine::{Cursor, Item, Reader};

use super::doubt::Doubt;
use super::evidence::Judge;
use super::listener::Listener;
use super::log;
use super::pasts::Pasts;
use super::recurring::Recurring;
use super::report::ScanReport;
use super::scan::{MAX_BYTES_A_SCAN, MAX_EVENTS_A_SCAN, SILENCE};
use super::sessions::Sessions;
use crate::projects::Projects;
use crate::{WeaveError, Workshop};

/// How many fragments are collected before they are written.
const MAX_WAITING_FRAGMENTS: usize = 1_024;

/// One pass over the log.
pub(super) struct Pass<'a> {
    pub(super) shop: &'a Workshop,
    pub(super) judge: Judge<'a>,
    pub(super) doubt: Doubt<'a>,
    pub(super) listener: Listener<'a>,
    pub(super) recurring: Recurring,
    pub(super) sessions: Sessions,
    pub(super) pasts: Pasts,
    pub(super) waiting: Vec<Fragment>,
    /// What each check said, by line.
    pub(super) tried: BTreeMap<usize, Tried>,
    /// Where agents worked: known to the next scan.
    pub(super) projects: &'a mut Projects,
    pub(super) report: &'a mut ScanReport,
}

/// What a pass came to.
pub(super) struct Seen {
    /// Where it stopped.
    pub(super) end: Option<Cursor>,
    pub(super) sessions: Sessions,
    pub(super) recurring: Recurring,
    pub(super) forgotten: Forgotten,
    /// What each check said, by line.
    pub(super) tried: BTreeMap<usize, Tried>,
    /// What a model was asked about turns, and about what people said.
    pub(super) consulted: [Consulted; 2],
}

impl Pass<'_> {
    /// Goes over the log from a position. What was found is written when this returns.
    pub(super) fn run(
        mut self,
        begin: Option<Cursor>,
        coverage: &[usize],
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Seen, WeaveError> {
        let end = self.read(begin, cancelled)?;
        if !self.report.more {
            self.judge_silent_turns(cancelled)?;
        }
        self.listen();
        if self.shop.mind.is_some() && cancelled() {
            return Err(WeaveError::Cancelled); // what nobody was asked about would stay open for good
        }
        self.cover(coverage);
        self.write()?;
        let Pass { judge, sessions, doubt, listener, recurring, tried, .. } = self;
        let consulted = [doubt.counsel.consulted, listener.counsel.consulted];
        Ok(Seen { end, sessions, recurring, forgotten: judge.forgotten, tried, consulted })
    }

    /// Reads on from a position; says where it stopped.
    fn read(
        &mut self,
        begin: Option<Cursor>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<Cursor>, WeaveError> {
        let mut reader: Reader = log::open(self.shop, begin.clone())?;
        let mut failed = None;
        reader.read(|file, item| {
            let Item::Record { envelope, offset, line } = item else {
                self.report.damaged += 1;
                return ControlFlow::Continue(());
            };
            self.report.bytes += line.len() as u64;
            match envelope.gate() {
                Gate::External => *self.report.accepted.entry(kind_of(&envelope)).or_default() += 1,
                Gate::Internal | Gate::Unscannable => {
                    *self.report.rejected.entry(kind_of(&envelope)).or_default() += 1;
                    return ControlFlow::Continue(());
                }
            }
            let Ok(event) = envelope.to_event() else {
                self.report.damaged += 1;
                return ControlFlow::Continue(());
            };
            self.report.events += 1;
            self.report.last_event_ts = Some(event.ts);
            if let Some(cwd) = &event.cwd {
                self.projects.meet(cwd, event.ts);
            }
            let at = log::Place::of(file, offset, line, &event);
            if cancelled() {
                failed = Some(WeaveError::Cancelled);
                return ControlFlow::Break(());
            }
            if let Err(error) = self.take(event, at) {
                failed = Some(error);
                return ControlFlow::Break(());
            }
            let full = self.report.events >= MAX_EVENTS_A_SCAN || self.report.bytes >= MAX_BYTES_A_SCAN;
            self.report.more |= full;
            if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        match failed {
            Some(error) => Err(error),
            None => Ok(reader.cursor().cloned().or(begin)),
        }
    }

    /// Takes in one event: it ends a turn, begins one, or goes on with one.
    fn take(&mut self, event: subcortex_model::Event, at: log::Place) -> Result<(), WeaveError> {
        self.judge.forgotten.learn(&event);
        let ended = self.sessions.take(self.shop, event, at)?;
        if let Some((turn, before)) = &ended {
            self.judge_turn(turn, before.as_deref());
        }
        // A person's words are heard at once: what they speak of has happened already.
        let said = self.sessions.just_said();
        if let Some((message, before, others)) = said.filter(|said| !self.judge.forgotten.holds_event(said.0))
        {
            let heard = self.judge.hear(message, before);
            // Who repeats a line of the memory brings nothing into it, wherever else the line may stand.
            let lines = &self.judge.compiled.broadcast.lines;
            let is_line = |quote: &str| lines.iter().any(|line| stood_in(quote, &line.text));
            let heard = heard.filter(|heard| !others.said(&heard.quote, message) || is_line(&heard.quote));
            self.waiting.extend(self.recurring.hear(self.shop, message, others, &self.judge));
            self.waiting.extend(self.listener.take(message, before, others, heard));
        }
        if self.listener.is_full() {
            self.listen();
        }
        if self.waiting.len() >= MAX_WAITING_FRAGMENTS {
            self.write()?;
        }
        Ok(())
    }

    /// Lets a model hear what waits for it.
    fn listen(&mut self) {
        self.waiting.extend(self.listener.hear(&self.judge));
    }

    fn judge_turn(&mut self, turn: &subcortex_model::Turn, before: Option<&subcortex_model::Turn>) {
        // What an agent did for a message that is forgotten goes with it.
        if turn.events.first().is_some_and(|opening| self.judge.forgotten.holds_event(opening)) {
            return;
        }
        self.report.turns += 1;
        let past = self.pasts.of(&turn.session_key, before.is_none());
        let (fragments, refused) = self.judge.judge(turn, before, past, &mut self.tried);
        self.report.refused += refused;
        for fragment in fragments {
            let settled = match fragment.trajectory {
                Trajectory::Neutral => self.doubt.settle(fragment, turn, before, &self.judge),
                Trajectory::Weakening => self.doubt.confirm(fragment, turn, before, &self.judge),
                Trajectory::Strengthening | Trajectory::NewSignal => Some(fragment),
            };
            self.waiting.extend(settled);
        }
    }

    /// Ends the turns that have been silent long enough. Only at the end of the log: further on there might be more of them.
    fn judge_silent_turns(&mut self, cancelled: &dyn Fn() -> bool) -> Result<(), WeaveError> {
        for key in self.sessions.silent_since(self.shop.now, SILENCE) {
            if cancelled() {
                return Err(WeaveError::Cancelled);
            }
            if let Some((turn, before)) = self.sessions.end_for_good(self.shop, &key)? {
                self.judge_turn(&turn, before.as_deref());
            }
            if self.waiting.len() >= MAX_WAITING_FRAGMENTS {
                self.write()?;
            }
        }
        Ok(())
    }

    /// For lines that a task asks about and that nothing spoke of: at most one piece a line and day says so.
    fn cover(&mut self, lines: &[usize]) {
        let spoken: BTreeSet<usize> = self
            .waiting
            .iter()
            .filter_map(|fragment| fragment.line.as_ref().map(|line| line.number))
            .chain(self.report.lines.iter().map(|counts| counts.number))
            .collect();
        let Some(message) = self.sessions.last_message() else { return };
        let silent = lines.iter().filter(|number| !spoken.contains(number));
        self.waiting.extend(silent.filter_map(|number| self.judge.nothing_to_see(*number, message)));
    }

    fn write(&mut self) -> Result<(), WeaveError> {
        let waiting = std::mem::take(&mut self.waiting);
        let new = MadeHere::write(&*self.shop.disk, &self.shop.folder, &waiting)?;
        self.report.count(&self.judge.compiled.broadcast, &new);
        Ok(())
    }
}

fn kind_of(envelope: &subcortex_spine::Envelope<'_>) -> String {
    envelope.kind.as_deref().unwrap_or("(none)").to_owned()
}
