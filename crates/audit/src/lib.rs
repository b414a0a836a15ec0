//! A rules file held against the sessions of its project: which rules are contradicted, followed, missed, unclear, waiting, not testable.
//!
//! [`Project`] says which sessions count, [`Found`] looks for their files, [`audit`] reads and judges them, and
//! [`Report`] can be shown as a table ([`table`]), as a page ([`page`]) or as JSON. Nothing here writes or prints.
//!
//! - Files are read on several threads, each one session file at a time and streaming: of a session the running turn and
//!   the one before it are in memory.
//! - A session belongs to the project if the first directory that it names does.
//! - A verdict counts once for a turn and a rule, also when a session was copied into another file: it is recognised by
//!   its record.
//! - Quotes are verbatim, with secrets replaced.

mod compiled;
mod find;
mod ink;
mod page;
mod project;
mod quote;
mod report;
mod rules;
mod session;
mod table;
mod tally;
mod turns;
mod words;
mod workers;
mod worktrees;
mod wrap;

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use subcortex_checks::Roles;
use subcortex_import::Progress;
use subcortex_known_agents::Agent;
use subcortex_model::Turn;
use subcortex_store::Disk;

pub use compiled::{Asking, Kept};
pub use find::{Candidate, Found, Place};
pub use ink::Ink;
pub use page::{GENERATOR, STYLE, page};
pub use project::Project;
pub use report::{Finding, LookedAt, Quote, Report, RuleReport, RuleTest, Said, Standing, TurnCounts};
pub use rules::{Rule, Rules};
pub use table::{Style, table};
pub use wrap::{cut, folded, wrapped};

use session::Setting;
use tally::Tally;

/// How many files are looked into to know what a project is like: the last ones …
const MAX_SAMPLED_FILES: usize = 10;
/// … and how many turns of them.
pub const MAX_SAMPLED_TURNS: usize = 200;

/// What an audit is told about its surroundings.
#[derive(Debug)]
pub struct Options<'a> {
    /// Where the files are.
    pub disk: &'a dyn Disk,
    /// Whose files they may be, where the place does not say so.
    pub agents: &'a [&'static Agent],
    /// Directories of subcortex itself: what agents did below them is its own work.
    pub own_dirs: Vec<PathBuf>,
    /// Only turns of so many days before now.
    pub since_days: Option<u32>,
    /// The time.
    pub now: Timestamp,
    /// How many files are read at once.
    pub threads: usize,
    /// What commands are for, where the project says more than everybody knows.
    pub roles: Option<Roles>,
}

/// The turns of the last sessions, so that it is known what their project is like. At most [`MAX_SAMPLED_TURNS`].
pub fn sample(found: &Found, options: &Options<'_>) -> Vec<Turn> {
    let mut turns = Vec::new();
    for candidate in found.candidates.iter().rev().take(MAX_SAMPLED_FILES) {
        session::sample(options, candidate, &mut turns);
        if turns.len() >= MAX_SAMPLED_TURNS {
            break;
        }
    }
    turns
}

/// Holds the rules against the sessions in the files. `watch` hears how far it is.
pub fn audit(rules: Rules, found: Found, options: &Options<'_>, watch: &mut dyn FnMut(Progress)) -> Report {
    let board = rules.board();
    let board = match &options.roles {
        Some(roles) => board.with_roles(roles.clone()),
        None => board,
    };
    let setting = Setting {
        disk: options.disk,
        agents: options.agents,
        board: &board,
        own_dirs: &options.own_dirs,
        since: options.since_days.map(|days| session::days_before(options.now, days)),
        now: options.now,
    };
    let candidates = found.candidates;
    let mut tally = Tally::new(&rules);
    for problem in found.problems {
        tally.summary().add_problem(problem);
    }
    let read_bytes = AtomicU64::new(0);
    let files_done = Cell::new(0);
    let (files_total, bytes_total) =
        (candidates.len() as u64, candidates.iter().map(|candidate| candidate.file.len_bytes).sum());
    let work = |job: usize, pause: &mut dyn FnMut()| {
        let candidate = candidates.get(job)?;
        let mut told_bytes = 0;
        let mut told = |bytes: u64| {
            read_bytes.fetch_add(bytes.saturating_sub(told_bytes), Ordering::Relaxed);
            told_bytes = bytes;
            pause();
        };
        let findings = session::read(&setting, candidate, &mut told);
        // A file that was not read to its end is done all the same.
        told(candidate.file.len_bytes);
        Some((findings, candidate.file.len_bytes))
    };
    let done = |_, result| {
        if let Some((findings, bytes)) = result {
            tally.add(findings, bytes);
        }
        files_done.set(files_done.get() + 1);
    };
    let waited = || {
        let bytes_done = read_bytes.load(Ordering::Relaxed);
        watch(Progress { files_done: files_done.get(), files_total, bytes_done, bytes_total });
    };
    workers::in_order(candidates.len(), options.threads, work, done, waited);
    tally.report(rules)
}
