//! One session file, from its lines to verdicts.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use subcortex_checks::{
    Activation, Bearing, Board, Judged as JudgedTurn, Kind, Past, Signal, Stance, Tried, Verdict, hear,
    is_worth_asking, judge_and_hear,
};
use subcortex_import::{FileOptions, Summary, read_file};
use subcortex_known_agents::Agent;
use subcortex_known_agents::transcript::Rest;
use subcortex_model::{Draft, Event, Turn, Via};
use subcortex_store::Disk;

use crate::find::Candidate;
use crate::project::Project;
use crate::quote::safe_quote;
use crate::report::{Finding, Quote, Said};
use crate::turns::{Ended, TurnCollector};

/// What all files are read with.
pub(crate) struct Setting<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) agents: &'a [&'static Agent],
    pub(crate) board: &'a Board,
    pub(crate) own_dirs: &'a [PathBuf],
    pub(crate) since: Option<Timestamp>,
    pub(crate) now: Timestamp,
}

/// What one file says.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) summary: Summary,
    /// Agent and session.
    pub(crate) sessions: BTreeSet<(String, String)>,
    pub(crate) turns: u64,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    pub(crate) left_out: u64,
    pub(crate) verdicts: Vec<Judged>,
    pub(crate) said: Vec<(u64, Said)>,
    /// Lasting instructions that came through the interface for programs, by their keys.
    pub(crate) headless: Vec<u64>,
    /// What the sessions of the file did before the turn that is being judged.
    pub(crate) pasts: HashMap<String, Past>,
}

/// A verdict that may be told a second time by the copy of a session.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) line: usize,
    /// The same for the same verdict on the same record, whatever session it was copied to.
    pub(crate) key: u64,
    pub(crate) quote: Quote,
    /// Whether the check decided, and nothing stands there that the rule names.
    pub(crate) unnamed: bool,
}

/// Reads and judges one file; `told` hears how many bytes were read. A file of another project says nothing.
pub(crate) fn read(setting: &Setting<'_>, candidate: &Candidate, told: &mut dyn FnMut(u64)) -> Findings {
    let is_old = setting.since.is_some_and(|since| changed_at(candidate) < since);
    // Whoever names the files may have copied them, and then their times say nothing.
    if is_old && candidate.agent.is_some() {
        return Findings::default();
    }
    let agents = candidate.agent.as_ref().map_or(setting.agents, std::slice::from_ref);
    let options =
        FileOptions { agents, own_dirs: setting.own_dirs.to_vec(), now: setting.now, rest: Rest::Left };
    let mut findings = Findings::default();
    let mut summary = Summary::default();
    let mut turns = TurnCollector::new(changed_at(candidate));
    let mut is_ours = false;
    let mut take = |drafts: &mut Vec<Draft>| {
        for draft in drafts.drain(..) {
            belongs(&draft, candidate, &mut is_ours)?;
            turns.push(draft, &mut |ended| findings.judge(setting, ended));
        }
        ControlFlow::Continue(())
    };
    let end = read_file(setting.disk, &candidate.file, &options, &mut summary, &mut take, told);
    // Where the folder does not tell the project, nobody knows whose a session without a directory is.
    let tells_nothing = |agent: &Agent| agent.sessions.may_hold.is_none();
    let is_nobodys =
        !is_ours && candidate.agent.is_some_and(tells_nothing) && candidate.project != Project::Everywhere;
    if end.is_break() || is_nobodys {
        return Findings::default();
    }
    turns.finish(&mut |ended| findings.judge(setting, ended));
    findings.left_out = turns.left_out;
    findings.pasts = HashMap::new(); // the findings may wait for those of other files
    findings.summary = summary;
    findings
}

/// Takes the turns of a file, until there are enough of them.
pub(crate) fn sample(options: &crate::Options<'_>, candidate: &Candidate, into: &mut Vec<Turn>) {
    let agents = candidate.agent.as_ref().map_or(options.agents, std::slice::from_ref);
    let file_options =
        FileOptions { agents, own_dirs: options.own_dirs.clone(), now: options.now, rest: Rest::Left };
    let mut turns = TurnCollector::new(changed_at(candidate));
    let mut is_ours = false;
    let mut found = Vec::new();
    let mut take = |drafts: &mut Vec<Draft>| {
        for draft in drafts.drain(..) {
            belongs(&draft, candidate, &mut is_ours)?;
            turns.push(draft, &mut |ended| found.push(ended.turn.clone()));
            if found.len() >= crate::MAX_SAMPLED_TURNS {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    };
    let mut summary = Summary::default();
    let _end = read_file(options.disk, &candidate.file, &file_options, &mut summary, &mut take, &mut |_| {});
    turns.finish(&mut |ended| found.push(ended.turn.clone()));
    if is_ours || candidate.project == Project::Everywhere {
        into.extend(found);
    }
}

/// Goes on unless the first directory that a file names is of another project.
fn belongs(draft: &Draft, candidate: &Candidate, is_ours: &mut bool) -> ControlFlow<()> {
    if let Some(cwd) = draft.cwd.as_ref().filter(|_| !*is_ours) {
        if !candidate.project.holds(cwd) {
            return ControlFlow::Break(());
        }
        *is_ours = true;
    }
    ControlFlow::Continue(())
}

fn changed_at(candidate: &Candidate) -> Timestamp {
    Timestamp::from_nanosecond(candidate.file.mtime_ns).unwrap_or_default()
}

impl Findings {
    fn judge(&mut self, setting: &Setting<'_>, ended: Ended<'_>) {
        let Ended { turn, before } = ended;
        let Some(first) = turn.events.first() else { return };
        if setting.since.is_some_and(|since| first.ts < since) {
            if setting.board.looks_back() {
                self.pasts.entry(turn.session_key.clone()).or_insert_with(Past::start).add(turn);
            }
            return;
        }
        self.turns += 1;
        self.first = Some(self.first.map_or(first.ts, |ts| ts.min(first.ts)));
        self.last = Some(self.last.map_or(first.ts, |ts| ts.max(first.ts)));
        let agent = first.source.kind.as_str().to_owned();
        self.sessions.insert((agent, turn.session_key.clone()));
        let session: Arc<str> = turn.session_key.as_str().into();
        let past = self.pasts.entry(turn.session_key.clone()).or_insert_with(Past::start);
        let JudgedTurn { verdicts, is_opened_by_person, mut opening } =
            judge_and_hear(turn, before, past, setting.board);
        for verdict in verdicts {
            let mut tried = Tried::default();
            let check = setting.board.lines().iter().find(|(line, _)| *line == verdict.line);
            if let (Some((_, ready)), None) = (check, verdict.stance) {
                tried.add(ready.check(), verdict.trajectory, &verdict.quote);
            }
            self.verdicts.extend(judged(verdict, turn, &session, tried.unnamed > 0));
        }
        for (at, event) in turn.events.iter().enumerate() {
            let is_headless = Via::of(&event.payload) == Via::Sdk;
            if !is_headless && !event.standing().is_a_persons() {
                continue;
            }
            let signal = match at {
                0 if is_opened_by_person => opening.take(),
                0 => event.text().and_then(|text| hear(text, event.cwd.as_deref(), before, setting.board)),
                // What is said later in a turn speaks of what the agent did in it.
                _ => {
                    event.text().and_then(|text| hear(text, event.cwd.as_deref(), Some(turn), setting.board))
                }
            };
            match signal.and_then(|signal| said(signal, event, &session, setting.board)) {
                Some((key, _)) if is_headless => self.headless.push(key),
                heard => self.said.extend(heard),
            }
        }
    }
}

fn judged(verdict: Verdict, turn: &Turn, session: &Arc<str>, unnamed: bool) -> Option<Judged> {
    let event = turn.events.iter().find(|event| event.id == verdict.event_id)?;
    let Verdict { line, trajectory, activation, quote, event_id, why, stance, rests_on_check, .. } = verdict;
    let quote = Quote {
        verdict: match (trajectory, stance) {
            (_, Some(Stance::Against)) => Finding::Contradicted,
            (Bearing::Strengthening, _) => Finding::Followed,
            (Bearing::Weakening, _) => Finding::Missed,
            (Bearing::Neutral, _) => Finding::Unclear,
        },
        trajectory,
        quote: safe_quote(event, &quote),
        session: Arc::clone(session),
        ts: event.ts,
        event: event_id.as_str().to_owned(),
        why,
        by_person: !rests_on_check,
        waiting: trajectory == Bearing::Neutral && activation == Activation::Waiting,
    };
    Some(Judged { line, key: key(&quote.event, quote.ts, line, Some(trajectory)), quote, unnamed })
}

/// What this message says to last, unless a rule covers it or nobody would be asked about it.
fn said(signal: Signal, event: &Event, session: &Arc<str>, board: &Board) -> Option<(u64, Said)> {
    let corrects = signal.kind == Kind::Correction;
    if !signal.durable || signal.line.is_some() || !is_worth_asking(&signal.quote, corrects) {
        return None;
    }
    let said = Said {
        quote: safe_quote(event, &signal.quote),
        times: 1,
        session: Arc::clone(session),
        ts: event.ts,
        event: event.id.as_str().to_owned(),
        near: board.line_near(&signal.quote, event.cwd.as_deref()),
        why: signal.why,
    };
    Some((key(&said.event, said.ts, 0, None), said))
}

/// Copies of a record keep its id and its time. The id alone would not do: some services number their calls anew in each session.
fn key(event: &str, ts: Timestamp, line: usize, trajectory: Option<Bearing>) -> u64 {
    let record = event.split_once('/').map_or(event, |(_, record)| record);
    let mut hasher = DefaultHasher::new();
    (record, ts, line, trajectory).hash(&mut hasher);
    hasher.finish()
}

/// The time so many days ago.
pub(crate) fn days_before(now: Timestamp, days: u32) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(24 * i64::from(days))).unwrap_or(Timestamp::MIN)
}
