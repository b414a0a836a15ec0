//! One scan: what it goes by is read, a pass goes over the log, and what that came to is written.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use jiff::SignedDuration;
use subcortex_checks::{Board, Check, Tried};
use subcortex_counsel::Counsel;
use subcortex_memory::fragments;
use subcortex_memory::{Forgotten, Journal, LineCheck, MadeBy, MemoryFolder, ScannerState};
use subcortex_model::Gate;
use subcortex_spine::{Cursor, Item};

use super::doubt::{self, Doubt};
use super::evidence::{Births, Judge};
use super::listener::{self, Listener};
use super::log;
use super::pass::{Pass, Seen};
use super::pasts::Pasts;
use super::recurring::Recurring;
use super::report::{Range, ScanReport};
use super::sessions::Sessions;
use crate::projects::Projects;
use crate::{CompiledBroadcast, TrustState, WeaveError, Workshop, compiler};

/// After which silence a turn is over.
pub const SILENCE: SignedDuration = SignedDuration::from_mins(10);
/// How many external events one scan takes; the rest is the next one's.
pub const MAX_EVENTS_A_SCAN: u64 = 500_000;
/// How many bytes of the log one scan takes; the rest is the next one's.
pub const MAX_BYTES_A_SCAN: u64 = 512 * 1024 * 1024;
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

/// How many events of others wait to be read, counted up to `most`.
pub fn unread(shop: &Workshop, most: usize) -> Result<usize, WeaveError> {
    let state = ScannerState::read(&*shop.disk, &shop.folder)?;
    let mut found = 0;
    log::open(shop, state.cursor)?.read(|_, item| {
        if let Item::Record { envelope, .. } = item
            && envelope.gate() == Gate::External
        {
            found += 1;
        }
        if found < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
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
    let mut ground = Ground::prepare(shop, compiled, cancelled)?;
    let compiled = &*compiled;
    let state = &ground.state;
    let begin = request.from.clone().or_else(|| state.cursor.clone());
    let sessions =
        if request.from.is_some() { Sessions::default() } else { Sessions::of(state.sessions.clone()) };
    // Only a scan that goes on behind the last one meets no turn that has been judged before.
    let again = request.from.is_some() || state.cursor.is_none();
    let was_read = again && !fragments::days(&*shop.disk, &shop.folder)?.is_empty();
    let judge = Judge {
        compiled,
        board: &ground.board,
        forgotten: ground.forgotten.clone(),
        born: &ground.born,
        doubted: &ground.doubted,
    };
    // What was read before was heard before: nobody pays for it twice.
    let ears = shop.mind.as_deref().filter(|_| !was_read);
    let pass = Pass {
        shop,
        judge,
        doubt: Doubt {
            shop,
            counsel: Counsel::new(shop.mind.as_deref(), doubt::MAX_QUESTIONS),
            cancelled,
            asked: BTreeMap::new(),
            looks_back: shop.mind.is_some() || was_read,
        },
        listener: Listener::new(Counsel::new(ears, listener::MAX_QUESTIONS), cancelled),
        recurring: Recurring::default(),
        sessions,
        pasts: Pasts::new(state.sessions.keys().cloned().collect()),
        waiting: Vec::new(),
        tried: BTreeMap::new(),
        projects: &mut ground.projects,
        report: &mut ground.report,
    };
    let seen = pass.run(begin.clone(), &request.coverage, cancelled)?;
    ground.finish(shop, compiled, request, Range { from: begin, to: seen.end.clone() }, seen)
}

/// What a scan goes by, and what it adds to.
struct Ground {
    state: ScannerState,
    board: Board,
    born: Births,
    /// Why lines are not trusted, by number.
    doubted: BTreeMap<usize, String>,
    forgotten: Forgotten,
    trust: TrustState,
    trust_before: TrustState,
    projects: Projects,
    report: ScanReport,
}

impl Ground {
    fn prepare(
        shop: &Workshop,
        compiled: &mut CompiledBroadcast,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, WeaveError> {
        let (disk, folder) = (&*shop.disk, &shop.folder);
        let synced = compiled.sync(disk, folder)?;
        let journal = Journal::read(disk, folder)?;
        let mut projects = Projects::read(shop);
        projects.look_again(shop);
        let roles = projects.roles();
        let asked = compiler::compile_lines(shop, compiled, &synced, &projects, cancelled)?;
        let mut report = ScanReport { check_problems: synced.problems, ..ScanReport::default() };
        report.changed.extend(synced.changed);
        report.changed.extend(asked.changed);
        report.model.add(&asked.consulted);
        let compiled = &*compiled;
        let lines = &compiled.broadcast.lines;
        let state = ScannerState::read(disk, folder)?;
        let forgotten = Forgotten::read(disk, folder)?;
        let words = lines.iter().map(|line| (line.number, line.text.as_str()));
        // A line that points to a dossier can fail because nobody opened it.
        let dossiers = folder.dossiers(disk)?;
        let dossiers = dossiers.iter().map(|path| folder.reference(path)).collect::<Vec<_>>();
        let board = board_of(compiled).with_documents(dossiers).with_words(words).with_roles(roles.clone());
        let mut trust = TrustState::read(disk, folder)?;
        let trust_before = trust.clone();
        trust.try_new(shop, compiled, &roles, cancelled)?;
        let doubts = trust.doubts(compiled);
        let doubted = lines.iter().filter_map(|line| Some((line.number, doubts.of(&line.hash)?.to_owned())));
        let doubted: BTreeMap<usize, String> = doubted.collect();
        report.not_trusted = doubted
            .iter()
            .map(|(number, why)| (format!("{}:L{number}", MemoryFolder::BROADCAST_REF), why.clone()))
            .collect();
        let born = Births::of(&journal);
        Ok(Self { state, board, born, doubted, forgotten, trust, trust_before, projects, report })
    }

    /// Writes what was seen; the position last.
    fn finish(
        mut self,
        shop: &Workshop,
        compiled: &CompiledBroadcast,
        request: &ScanRequest,
        range: Range,
        seen: Seen,
    ) -> Result<ScanReport, WeaveError> {
        let (disk, folder) = (&*shop.disk, &shop.folder);
        if seen.forgotten != self.forgotten {
            seen.forgotten.write(disk, folder)?;
        }
        seen.recurring.write(shop)?;
        let mut report = self.report;
        seen.consulted.iter().for_each(|consulted| report.model.add(consulted));
        let turns = report.turns;
        // What was judged before says nothing new of a check.
        let again = request.from.is_some() || self.state.cursor.is_none();
        for line in compiled.broadcast.lines.iter().filter(|_| turns > 0 && !again) {
            let said = seen.tried.get(&line.number).copied().unwrap_or_default();
            self.trust.add(line, &Tried { turns, ..said });
        }
        self.projects.write(shop)?;
        if self.trust != self.trust_before {
            report.changed.push(self.trust.write(shop)?);
        }
        report.range = range;
        if request.from.is_none() {
            let last_event_ts = report.last_event_ts.or(self.state.last_event_ts);
            let next = ScannerState {
                version: self.state.version,
                cursor: seen.end,
                last_event_ts,
                sessions: seen.sessions.into_positions(),
            };
            report.advanced = next != self.state;
            report.open_turns = next.sessions.values().filter(|session| !session.judged).count();
            if report.advanced {
                next.write(disk, folder)?;
            }
        }
        Ok(report)
    }
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
