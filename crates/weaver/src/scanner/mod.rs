//! spine-scanner: turns are held against the checks of the broadcast, and what they show becomes fragments.
//!
//! A scan goes on behind the last one (or where a task says), takes a bounded range of the log, and judges each turn
//! that is over: by the next prompt of its session, by the session's end, or by [`SILENCE`]. A person's words are heard
//! at once. The position is written after the fragments are durable, so a scan that dies is simply done again, and
//! what it had written stays as it is.

mod doubt;
mod evidence;
mod listener;
mod log;
mod others;
mod pasts;
mod recurring;
mod report;
mod sessions;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use jiff::SignedDuration;
use subcortex_checks::{Board, Check, Tried, stood_in};
use subcortex_memory::fragments;
use subcortex_memory::{
    Forgotten, Fragment, Journal, LineCheck, MadeBy, MadeHere, MemoryFolder, ScannerState, Trajectory,
};
use subcortex_model::Gate;
use subcortex_spine::{Cursor, Item, Reader};

use crate::projects::Projects;
use crate::{CompiledBroadcast, TrustState, WeaveError, Workshop, compiler};
use doubt::Doubt;
pub use doubt::MAX_QUESTIONS as MAX_TURNS_ASKED;
use listener::Listener;
pub use listener::MAX_QUESTIONS as MAX_BATCHES_HEARD;
use pasts::Pasts;
use recurring::Recurring;
pub use report::{LineCounts, MAX_NAMED, Range, ScanReport};
use sessions::Sessions;
use subcortex_counsel::Counsel;

/// After which silence a turn is over.
pub const SILENCE: SignedDuration = SignedDuration::from_mins(10);
/// How many external events one scan takes; the rest is the next one's.
pub const MAX_EVENTS_A_SCAN: u64 = 500_000;
/// How many bytes of the log one scan takes; the rest is the next one's.
pub const MAX_BYTES_A_SCAN: u64 = 512 * 1024 * 1024;
/// How many fragments are collected before they are written.
const MAX_WAITING_FRAGMENTS: usize = 1_024;
/// What a scan says that found nothing.
pub const NOTHING_FOUND: &str = "NO_NEW_GRADIENT: no external line-referenced evidence found.";

/// What a scan is asked for.
#[derive(Debug, Clone, Default)]
pub struct ScanRequest {
    /// Where to begin, instead of behind the last scan. Such a scan does not move the position back.
    pub from: Option<Cursor>,
    /// Lines for which a task wants to know that there was nothing to see.
    pub coverage: Vec<usize>,
}

/// Whether there is anything to scan: external events behind the last scan, or a turn that silence has ended since.
pub fn has_news(shop: &Workshop) -> Result<bool, WeaveError> {
    let state = ScannerState::read(&*shop.disk, &shop.folder)?;
    let silent = |session: &subcortex_memory::SessionPosition| {
        !session.judged && shop.now.duration_since(session.last_ts) >= SILENCE
    };
    if state.sessions.values().any(silent) {
        return Ok(true);
    }
    let mut found = false;
    let mut reader = log::open(shop, state.cursor)?;
    reader.read(|_, item| match item {
        Item::Record { envelope, .. } if envelope.gate() == Gate::External => {
            found = true;
            ControlFlow::Break(())
        }
        Item::Record { .. } | Item::Damaged { .. } => ControlFlow::Continue(()),
    })?;
    Ok(found)
}

/// Scans. `cancelled` is asked before every event; when it says yes, what was found so far is thrown away and the position
/// stays.
pub fn scan(
    shop: &Workshop,
    compiled: &mut CompiledBroadcast,
    request: &ScanRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<ScanReport, WeaveError> {
    let synced = compiled.sync(&*shop.disk, &shop.folder)?;
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    let mut projects = Projects::read(shop);
    projects.look_again(shop);
    let roles = projects.roles();
    let asked = compiler::compile_lines(shop, compiled, &synced, &projects, cancelled)?;
    let mut report = ScanReport { check_problems: synced.problems, ..ScanReport::default() };
    report.changed.extend(synced.changed);
    report.changed.extend(asked.changed);
    report.model.add(&asked.consulted);
    let compiled = &*compiled;
    let broadcast = &compiled.broadcast;
    let state = ScannerState::read(&*shop.disk, &shop.folder)?;
    let forgotten = Forgotten::read(&*shop.disk, &shop.folder)?;
    let forgotten_before = forgotten.clone();
    let words = broadcast.lines.iter().map(|line| (line.number, line.text.as_str()));
    // A line that points to a dossier can fail because nobody opened it.
    let dossiers = shop.folder.dossiers(&*shop.disk)?;
    let dossiers = dossiers.iter().map(|path| shop.folder.reference(path)).collect::<Vec<_>>();
    let board = board_of(compiled).with_documents(dossiers).with_words(words).with_roles(roles.clone());
    let born = evidence::Births::of(&journal);
    let mut trust = TrustState::read(&*shop.disk, &shop.folder)?;
    let before = trust.clone();
    trust.try_new(shop, compiled, &roles, cancelled)?;
    let doubts = trust.doubts(compiled);
    let doubted =
        broadcast.lines.iter().filter_map(|line| Some((line.number, doubts.of(&line.hash)?.to_owned())));
    let doubted: BTreeMap<usize, String> = doubted.collect();
    report.not_trusted = doubted
        .iter()
        .map(|(number, why)| (format!("{}:L{number}", MemoryFolder::BROADCAST_REF), why.clone()))
        .collect();
    let judge = evidence::Judge { compiled, board: &board, forgotten, born: &born, doubted: &doubted };
    let begin = request.from.clone().or_else(|| state.cursor.clone());
    let sessions =
        if request.from.is_some() { Sessions::default() } else { Sessions::of(state.sessions.clone()) };
    // Only a scan that goes on behind the last one meets no turn that has been judged before.
    let again = request.from.is_some() || state.cursor.is_none();
    let was_read = again && !fragments::days(&*shop.disk, &shop.folder)?.is_empty();
    let doubt = Doubt {
        shop,
        counsel: Counsel::new(shop.mind.as_deref(), doubt::MAX_QUESTIONS),
        cancelled,
        asked: BTreeMap::new(),
        looks_back: shop.mind.is_some() || was_read,
    };
    // What was read before was heard before: nobody pays for it twice.
    let ears = shop.mind.as_deref().filter(|_| !was_read);
    let listener = Listener::new(Counsel::new(ears, listener::MAX_QUESTIONS), cancelled);
    let pasts = Pasts::new(state.sessions.keys().cloned().collect());
    let recurring = Recurring::default();
    let mut pass = Pass {
        shop,
        judge,
        doubt,
        listener,
        recurring,
        sessions,
        pasts,
        waiting: Vec::new(),
        tried: BTreeMap::new(),
        projects: &mut projects,
        report: &mut report,
    };
    let end = pass.read(begin.clone(), cancelled)?;
    if !pass.report.more {
        pass.judge_silent_turns(cancelled)?;
    }
    pass.listen();
    if shop.mind.is_some() && cancelled() {
        return Err(WeaveError::Cancelled); // what nobody was asked about would stay open for good
    }
    pass.cover(&request.coverage);
    pass.write()?;
    if pass.judge.forgotten != forgotten_before {
        pass.judge.forgotten.write(&*shop.disk, &shop.folder)?;
    }
    let Pass { sessions, doubt, listener, recurring, tried, .. } = pass;
    recurring.write(shop)?;
    let consulted = [doubt.counsel.consulted, listener.counsel.consulted];
    consulted.iter().for_each(|consulted| report.model.add(consulted));
    let turns = report.turns;
    for line in broadcast.lines.iter().filter(|_| turns > 0 && !again) {
        let said = tried.get(&line.number).copied().unwrap_or_default();
        trust.add(line, &Tried { turns, ..said });
    }
    projects.write(shop)?;
    if trust != before {
        report.changed.push(trust.write(shop)?);
    }
    report.range = Range { from: begin, to: end.clone() };
    if request.from.is_none() {
        let last_event_ts = report.last_event_ts.or(state.last_event_ts);
        let next = ScannerState {
            version: state.version,
            cursor: end,
            last_event_ts,
            sessions: sessions.into_positions(),
        };
        report.advanced = next != state;
        report.open_turns = next.sessions.values().filter(|session| !session.judged).count();
        if report.advanced {
            next.write(&*shop.disk, &shop.folder)?;
        }
    }
    Ok(report)
}

/// The checks of all lines. A model's check tests what agents do; which line a person's words are about it does not decide.
fn board_of(compiled: &CompiledBroadcast) -> Board {
    let board = Board::new(compiled.lines().map(|(line, known)| (line.number, known.check.clone())));
    if compiled.lines().all(|(_, known)| known.by != MadeBy::Model) {
        return board;
    }
    let by_words = |LineCheck { check, by }: &LineCheck| match by {
        MadeBy::Rules | MadeBy::Person => check.clone(),
        MadeBy::Model => Check { cues: check.cues.clone(), scope: check.scope.clone(), ..Check::default() },
    };
    board.heard_by(Board::new(compiled.lines().map(|(line, known)| (line.number, by_words(known)))))
}

/// One pass over the log.
struct Pass<'a> {
    shop: &'a Workshop,
    judge: evidence::Judge<'a>,
    doubt: Doubt<'a>,
    listener: Listener<'a>,
    recurring: Recurring,
    sessions: Sessions,
    pasts: Pasts,
    waiting: Vec<Fragment>,
    /// What each check said, by line.
    tried: BTreeMap<usize, Tried>,
    /// Where agents worked: known to the next scan.
    projects: &'a mut Projects,
    report: &'a mut ScanReport,
}

impl Pass<'_> {
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
