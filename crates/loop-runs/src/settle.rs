//! What a run leaves behind: its state, its line in the log, its record, and the memory of the loop.
//!
//! The order: `STATE.md`, `run-log.md`, the record, then the hold is taken out. Who dies in between, or finds no room for the
//! log, leaves the hold, and the next start or run finishes what is missing ([`crate::recover`]); a line of the log that is
//! there is not written again.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use subcortex_cadence::settle::Mode;
use subcortex_loops::config::LoopConfig;
use subcortex_loops::end::{LoopEnd, next_state};
use subcortex_loops::run_log::{self, LogLine};
use subcortex_loops::state::{LoopState, MAX_STATE_BYTES, Stamp};
use subcortex_runs::{Ended, RunMode, RunRecord};
use subcortex_store::durable::{self, ReadError, WriteError};
use subcortex_store::locked;
use tracing::{error, info, warn};

use crate::memory::LoopMemory;
use crate::run::{About, Told};

/// How often the state is written anew when a person saves it in the same moment.
const MAX_TRIES: u32 = 50;
/// How long is waited before the next try.
const TRY_PAUSE: Duration = Duration::from_millis(200);

impl About<'_> {
    /// Writes everything down; gives the line by which the run is remembered.
    pub(crate) async fn settle(
        &self,
        config: Option<&LoopConfig>,
        told: Told,
        end: &LoopEnd,
    ) -> Option<String> {
        let readiness = config.map(|config| self.check(config).readiness(&told.gates));
        if let Some((bytes, read)) = &told.read
            && !matches!(end, LoopEnd::Paused { .. } | LoopEnd::Deferred { .. })
        {
            let mut next = next_state(read, told.item.as_ref(), told.report.as_ref(), end);
            (next.run, next.readiness) = (self.run, readiness);
            if let Err(error) = self.write_state(config, bytes, read, &next).await {
                error!(r#loop = %self.names.key, run = %self.run_id, %error, "STATE.md not written");
            }
        }
        let line = self.log_line(&told, end);
        let logged = run_log::append(&*self.runner.worker.disk, &self.place.dir, &line);
        if let Err(error) = &logged {
            error!(r#loop = %self.names.key, run = %self.run_id, %error, "run-log.md not written");
        }
        let result = told.report.as_ref().filter(|_| end.stands()).map(|report| report.line.clone());
        self.log(&line, end, readiness);
        self.record(config, told, end, &line, readiness, result.clone());
        // A run that the log does not tell of still holds its branch: whoever runs next finishes this.
        if logged.is_ok() {
            self.remember(end, readiness);
        }
        result
    }

    /// Gives the file its new content; what a person wrote meanwhile is merged, never lost.
    async fn write_state(
        &self,
        config: Option<&LoopConfig>,
        bytes: &[u8],
        read: &LoopState,
        next: &LoopState,
    ) -> Result<(), String> {
        let disk = &*self.runner.worker.disk;
        let path = self.state_file();
        let engine = config.and_then(|config| config.text("engine")).unwrap_or("no engine");
        let source = format!("{engine}, run {}", self.run_id);
        for _ in 0..MAX_TRIES {
            let current = match durable::read(disk, &path, MAX_STATE_BYTES) {
                Ok(current) => Some(current),
                Err(ReadError::Missing { .. }) => None,
                Err(error) => return Err(error.to_string()),
            };
            let state = match &current {
                Some(current) if current != bytes => {
                    info!(r#loop = %self.names.key, run = %self.run_id, "STATE.md was edited meanwhile; both are kept");
                    LoopState::merge(read, next, LoopState::parse(&String::from_utf8_lossy(current)))
                }
                Some(_) | None => next.clone(),
            };
            let text = state.render(&Stamp { name: &self.names.name, at: Timestamp::now(), source: &source });
            match durable::replace_if_unchanged(disk, &path, current.as_deref(), text.as_bytes()) {
                Ok(()) => return Ok(()),
                Err(WriteError::Conflict { .. } | WriteError::Busy { .. }) => {
                    tokio::time::sleep(TRY_PAUSE).await
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        Err("somebody writes it all the time".into())
    }

    fn log_line(&self, told: &Told, end: &LoopEnd) -> LogLine {
        let (action, outcome) = end.logged(told.report.as_ref());
        let said = told.report.as_ref().and_then(|report| report.item.clone());
        let worked = told.item.as_ref().map(|item| item.text.clone());
        let item = said.or(worked).filter(|_| *end != LoopEnd::Quiet);
        LogLine { at: Timestamp::now(), run: self.run, action, item, outcome, tokens: told.tokens }
    }

    fn log(&self, line: &LogLine, end: &LoopEnd, readiness: Option<u32>) {
        let (key, run) = (&self.names.key, &self.run_id);
        let (action, outcome, tokens) = (&line.action, end.word(), line.tokens);
        let readiness = readiness.unwrap_or(0);
        match end.why() {
            None => info!(r#loop = %key, %run, action, outcome, tokens, readiness, "loop run ended"),
            Some(why) => {
                warn!(r#loop = %key, %run, action, outcome, tokens, readiness, why, "loop run ended")
            }
        }
    }

    fn record(
        &self,
        config: Option<&LoopConfig>,
        told: Told,
        end: &LoopEnd,
        line: &LogLine,
        readiness: Option<u32>,
        result: Option<String>,
    ) {
        let ended_at = Timestamp::now();
        let about_loop = json!({
            "dir": self.place.dir, "run": self.run, "action": line.action, "item": line.item, "outcome": end.word(),
            "branch": end.branch(), "readiness": readiness,
        });
        let took_ms = ended_at.as_millisecond().saturating_sub(self.started.as_millisecond());
        let counted = (told.tokens > 0).then_some(told.tokens);
        let mut record = RunRecord {
            run_id: self.run_id.clone(),
            partition: self.names.key.clone(),
            mode: RunMode::As(if told.item.is_some() { Mode::Directed } else { Mode::Reflective }),
            engine: config.and_then(|config| config.text("engine")).unwrap_or_default().to_owned(),
            started_at: Some(self.started),
            ended_at: Some(ended_at),
            took_ms: u64::try_from(took_ms).ok(),
            outcome: Ended::As(end.outcome()),
            result,
            reason: end.why().or(told.note),
            changed: told.changed,
            denied: told.denied,
            tokens: told.spent.map(|spent| spent.tokens).or(counted),
            cost_usd: told.spent.filter(|spent| spent.unpriced == 0).map(|spent| spent.usd),
            survivors_killed: told.survivors_killed,
            ..RunRecord::default()
        };
        record.set_output(&told.output);
        record.set_errors(&told.errors);
        record.other.insert("loop".into(), about_loop);
        locked(&self.runner.journal).write(&record);
    }

    /// Takes the hold out; nothing else has changed.
    pub(crate) fn give_back(&self) {
        self.remember(&LoopEnd::Interrupted, None);
    }

    /// Takes the hold out, and notes whether the loop is less ready than before.
    fn remember(&self, end: &LoopEnd, readiness: Option<u32>) {
        let (disk, home) = (&*self.runner.worker.disk, &self.runner.worker.home);
        let before = LoopMemory::read(disk, home, &self.names);
        let is_known = !matches!(end, LoopEnd::Deferred { .. } | LoopEnd::Paused { .. });
        let readiness = readiness.filter(|_| is_known).or(before.readiness);
        let fell = before.readiness.zip(readiness).filter(|(was, is)| is < was);
        if let Some((was, is)) = fell {
            warn!(r#loop = %self.names.key, was, is, "loop readiness fell");
        }
        let rose = before.readiness_before.zip(readiness).is_some_and(|(was, is)| is >= was);
        let memory = LoopMemory {
            root: self.place.root.clone(),
            dir: self.place.dir.clone(),
            readiness,
            readiness_before: fell.map(|(was, _)| was).or(before.readiness_before).filter(|_| !rose),
            held: None,
        };
        if let Err(error) = memory.write(disk, home, &self.names) {
            error!(r#loop = %self.names.key, %error, "what the loop held is not given back");
        }
    }
}
