//! What becomes of the tasks of a run, and what the run as a whole came to.
//!
//! | the work on a task ended with                  | outcome          | the task | counts as an attempt |
//! |------------------------------------------------|------------------|----------|----------------------|
//! | one of the four terminal words                 | `terminal`       | ack      |                      |
//! | `PARTIAL_UPDATE:`                              | `partial`        | keep     | yes                  |
//! | no or another last line                        | `invalid_output` | keep     | yes                  |
//! | an exit code, a signal, an error               | `error`          | keep     | yes                  |
//! | the deadline                                   | `timeout`        | keep     | yes                  |
//! | the kill switch, or the end of its surroundings | `paused`        | keep     | no                   |
//! | an engine that is missing or may not spend     | `refused`        | keep     | no                   |
//!
//! The third attempt that fails holds the task: it stays in the inbox until its file changes or a person
//! asks for it again. A task during which the daemon itself ended, again and again, is held as well.

use serde::{Deserialize, Serialize};

use crate::result::{self, Status, TaskResult};
use crate::{PartitionId, RunId, TaskKey, Tick, UnixMs};

/// The number of failed attempts with which a task is held.
pub const ATTEMPTS_BEFORE_HOLD: u32 = 3;
/// The number of times that the daemon may end during a task before it is held. More than the attempts,
/// since most often the task is not to blame.
pub const INTERRUPTIONS_BEFORE_HOLD: u32 = 10;

/// What a run, or the work on one task, came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Finished.
    Terminal,
    /// Some of it was done.
    Partial,
    /// The engine ended well, but its output holds no result.
    InvalidOutput,
    /// The engine failed.
    Error,
    /// The deadline ended it.
    Timeout,
    /// The kill switch or the end of the daemon ended it.
    Paused,
    /// The engine could not be used.
    Refused,
}

impl Outcome {
    /// All there are.
    pub const ALL: [Outcome; 7] = [
        Outcome::Terminal,
        Outcome::Partial,
        Outcome::InvalidOutput,
        Outcome::Error,
        Outcome::Timeout,
        Outcome::Paused,
        Outcome::Refused,
    ];

    /// The word in records and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Terminal => "terminal",
            Outcome::Partial => "partial",
            Outcome::InvalidOutput => "invalid_output",
            Outcome::Error => "error",
            Outcome::Timeout => "timeout",
            Outcome::Paused => "paused",
            Outcome::Refused => "refused",
        }
    }
}

/// How an engine's work ended. Texts come redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself, exit code 0, no error flag: its output counts.
    Well,
    /// Its program ended with another exit code.
    ExitCode(i32),
    /// A signal ended its program.
    Signal(i32),
    /// It reported an error.
    Failed(String),
    /// The deadline ended it.
    TimedOut,
    /// The kill switch ended it.
    Paused,
    /// It ended because the daemon does.
    Stopped,
    /// It ended because its partition was removed.
    PartitionGone,
    /// The engine is missing, or may not spend any more; nothing was started.
    Refused(String),
    /// The kill switch or a lock was found at the last moment: there was no run at all.
    NotStarted(String),
}

/// What is known of an engine's work when it has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// How it ended.
    pub ending: Ending,
    /// The output, redacted, or a tail of it that holds the last non-empty line.
    pub output: Vec<u8>,
    /// Whether any file changed; `None` where nobody can tell.
    pub changed_files: Option<bool>,
    /// Whether the engine left work for its next run, such as events beyond its range.
    pub more_to_do: bool,
    /// When the engine has something to do that it may not do yet, such as an edit that waits for its interval.
    pub wake_at: Option<UnixMs>,
}

impl Work {
    /// Work that ended by itself with this output.
    pub fn well(output: impl Into<Vec<u8>>) -> Work {
        Work { output: output.into(), ..Work::ended(Ending::Well) }
    }

    /// Work that ended in some way, without output.
    pub fn ended(ending: Ending) -> Work {
        Work { ending, output: Vec::new(), changed_files: None, more_to_do: false, wake_at: None }
    }
}

/// The work, judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// What it came to.
    pub outcome: Outcome,
    /// The result, if the output holds one.
    pub result: Option<TaskResult>,
    /// Why it is not finished, or what a person should know although it is.
    pub reason: Option<String>,
}

/// Judges an engine's work.
pub fn judge(work: &Work) -> Judgement {
    let not_finished = |outcome, reason: String| Judgement { outcome, result: None, reason: Some(reason) };
    match &work.ending {
        Ending::Well => judge_output(work),
        Ending::ExitCode(code) => not_finished(Outcome::Error, format!("exit code {code}")),
        Ending::Signal(signal) => not_finished(Outcome::Error, format!("ended by signal {signal}")),
        Ending::Failed(error) => not_finished(Outcome::Error, result::reason(error)),
        Ending::TimedOut => not_finished(Outcome::Timeout, "not finished at the deadline".into()),
        Ending::Paused => not_finished(Outcome::Paused, "ended by the kill switch".into()),
        Ending::Stopped => not_finished(Outcome::Paused, "the daemon was stopped".into()),
        Ending::PartitionGone => not_finished(Outcome::Paused, "its partition was removed".into()),
        Ending::Refused(why) => not_finished(Outcome::Refused, result::reason(why)),
        Ending::NotStarted(why) => {
            not_finished(Outcome::Paused, format!("not started: {}", result::reason(why)))
        }
    }
}

fn judge_output(work: &Work) -> Judgement {
    match result::parse(&work.output) {
        Err(reason) => {
            Judgement { outcome: Outcome::InvalidOutput, result: None, reason: Some(reason.to_string()) }
        }
        Ok(result) if !result.status.is_terminal() => {
            Judgement { outcome: Outcome::Partial, reason: Some(result.line.clone()), result: Some(result) }
        }
        Ok(mut result) => {
            let nothing_changed = result.status == Status::Updated && work.changed_files == Some(false);
            if nothing_changed {
                result.status = Status::NoOp;
            }
            let reason = nothing_changed.then(|| "it says UPDATED, but no file changed".to_owned());
            Judgement { outcome: Outcome::Terminal, result: Some(result), reason }
        }
    }
}

/// What happens to a task's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AckDecision {
    /// The task is finished.
    Ack,
    /// It stays, and a later run takes it.
    Keep,
    /// It stays, and no run takes it until a person or a new content asks for it.
    Hold,
}

/// What is remembered of a task between runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskMemory {
    /// Attempts that failed.
    #[serde(default)]
    pub attempts: u32,
    /// How often the daemon ended during the work on it.
    #[serde(default)]
    pub interruptions: u32,
    /// Whether it is held.
    #[serde(default)]
    pub held: bool,
    /// Why it is still there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl TaskMemory {
    /// Takes a judgement into account, and says what happens to the task.
    pub fn settle(&mut self, judgement: &Judgement) -> AckDecision {
        match judgement.outcome {
            Outcome::Terminal => return AckDecision::Ack,
            Outcome::Paused | Outcome::Refused => {}
            Outcome::Partial | Outcome::InvalidOutput | Outcome::Error | Outcome::Timeout => {
                self.attempts = self.attempts.saturating_add(1);
                self.interruptions = 0;
            }
        }
        self.keep_or_hold(judgement.reason.clone())
    }

    /// Whether anything went wrong with the task before.
    pub fn has_failed(&self) -> bool {
        self.attempts > 0 || self.interruptions > 0
    }

    /// What another machine knew of a task that is here now.
    pub(crate) fn tried_elsewhere(mut self) -> Self {
        let tried = format!("tried on other machines: {} attempts failed", self.attempts);
        self.keep_or_hold(Some(tried));
        self
    }

    /// The daemon ended during the work on the task.
    pub fn interrupt(&mut self) -> AckDecision {
        self.interruptions = self.interruptions.saturating_add(1);
        self.keep_or_hold(Some("the daemon ended during the work on it".into()))
    }

    fn keep_or_hold(&mut self, reason: Option<String>) -> AckDecision {
        self.reason = reason;
        self.held = self.attempts >= ATTEMPTS_BEFORE_HOLD || self.interruptions >= INTERRUPTIONS_BEFORE_HOLD;
        if self.held { AckDecision::Hold } else { AckDecision::Keep }
    }
}

/// One task of a run, as it stands in the run record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledTask {
    /// Which one.
    pub task: TaskKey,
    /// What the work on it came to.
    pub outcome: Outcome,
    /// The result, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<TaskResult>,
    /// What happens to its file.
    pub decision: AckDecision,
    /// Why it is kept, or what a person should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Failed attempts, this one included.
    pub attempts: u32,
}

/// Whether a run has tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Tasks say what to do.
    Directed,
    /// Without a task.
    Reflective,
}

impl Mode {
    /// Both.
    pub const ALL: [Mode; 2] = [Mode::Directed, Mode::Reflective];

    /// The word in records.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Directed => "directed",
            Mode::Reflective => "reflective",
        }
    }
}

/// A run that has ended: the scheduler's part of its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledRun {
    /// Its name.
    pub run: RunId,
    /// Whose run it was.
    pub partition: PartitionId,
    /// Whether it had tasks.
    pub mode: Mode,
    /// The tick in which it started.
    pub tick: Tick,
    /// When it started.
    pub started_at: UnixMs,
    /// When it ended.
    pub ended_at: UnixMs,
    /// How long it took, by the clock that nobody sets; `None` when that is not known after a crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// What it came to.
    pub outcome: Outcome,
    /// The line that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<TaskResult>,
    /// Why it is not terminal, or what a person should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The tasks it worked on.
    pub tasks: Vec<SettledTask>,
}

impl SettledRun {
    /// How many tasks were finished.
    pub fn acked(&self) -> usize {
        self.tasks.iter().filter(|task| task.decision == AckDecision::Ack).count()
    }
}

/// What a whole run came to, from how it ended and what its tasks came to. The worst task decides; how the run
/// itself was ended decides before that.
pub fn judge_run(work: &Work, mode: Mode, tasks: &[SettledTask]) -> Judgement {
    let own = judge(work);
    if mode == Mode::Reflective || work.ending != Ending::Well {
        return own;
    }
    let Some(worst) = tasks.iter().max_by_key(|task| task.outcome) else {
        if own.outcome == Outcome::Terminal {
            return own; // its tasks were taken back before it came to them
        }
        let reason = Some("the engine ended without a result for any of its tasks".into());
        return Judgement { outcome: Outcome::InvalidOutput, result: None, reason };
    };
    // A coordinator's own last line speaks for the run if it agrees with its tasks; else the worst task does.
    let agrees = own.outcome == worst.outcome;
    let result = own.result.filter(|_| agrees).or_else(|| worst.result.clone());
    Judgement { outcome: worst.outcome, result, reason: worst.reason.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContentHash, TaskName};

    fn work(ending: Ending, output: &str) -> Work {
        Work { output: output.into(), ..Work::ended(ending) }
    }

    #[track_caller]
    fn check(work: Work, expect: &str) {
        let mut memory = TaskMemory::default();
        let judgement = judge(&work);
        let decision = memory.settle(&judgement);
        let said = format!(
            "{} {decision:?}, {} attempts, {}",
            judgement.outcome.as_str(),
            memory.attempts,
            judgement.reason.as_deref().unwrap_or("-")
        );
        assert_eq!(said, expect);
    }

    #[test]
    fn the_table_of_the_header_holds() {
        check(work(Ending::Well, "UPDATED: x"), "terminal Ack, 0 attempts, -");
        check(work(Ending::Well, "PARTIAL_UPDATE: x"), "partial Keep, 1 attempts, PARTIAL_UPDATE: x");
        check(work(Ending::Well, ""), "invalid_output Keep, 1 attempts, empty output");
        check(
            work(Ending::Well, "done"),
            "invalid_output Keep, 1 attempts, no status word in the last line: \"done\"",
        );
        check(work(Ending::ExitCode(3), "UPDATED: x"), "error Keep, 1 attempts, exit code 3");
        check(work(Ending::Signal(9), "UPDATED: x"), "error Keep, 1 attempts, ended by signal 9");
        check(work(Ending::Failed("no\nnet".into()), "UPDATED: x"), "error Keep, 1 attempts, no; net");
        check(work(Ending::TimedOut, "UPDATED: x"), "timeout Keep, 1 attempts, not finished at the deadline");
        check(work(Ending::Paused, "UPDATED: x"), "paused Keep, 0 attempts, ended by the kill switch");
        check(work(Ending::Stopped, "UPDATED: x"), "paused Keep, 0 attempts, the daemon was stopped");
        check(
            work(Ending::Refused("`claude` is not installed".into()), ""),
            "refused Keep, 0 attempts, `claude` is not installed",
        );
    }

    #[test]
    fn updated_without_a_changed_file_is_a_no_op_with_a_warning() {
        let judgement = judge(&Work { changed_files: Some(false), ..Work::well("UPDATED: x") });
        assert_eq!(judgement.outcome, Outcome::Terminal);
        assert_eq!(judgement.result.map(|result| result.status), Some(Status::NoOp));
        assert_eq!(judgement.reason.as_deref(), Some("it says UPDATED, but no file changed"));
    }

    #[test]
    fn the_third_failure_holds_a_task_and_pauses_do_not_count() {
        let mut memory = TaskMemory::default();
        let failed = judge(&Work::ended(Ending::ExitCode(1)));
        let paused = judge(&Work::ended(Ending::Paused));
        let decisions: Vec<AckDecision> = [&failed, &paused, &paused, &failed, &paused, &failed]
            .map(|judgement| memory.settle(judgement))
            .into();
        use AckDecision::{Hold, Keep};
        assert_eq!(decisions, [Keep, Keep, Keep, Keep, Keep, Hold]);
        assert!(memory.held);
        assert_eq!(memory.reason.as_deref(), Some("exit code 1"));
    }

    #[test]
    fn a_task_that_ends_the_daemon_again_and_again_is_held() {
        let mut memory = TaskMemory::default();
        let decisions: Vec<AckDecision> =
            (0..INTERRUPTIONS_BEFORE_HOLD).map(|_| memory.interrupt()).collect();
        assert_eq!(decisions.iter().filter(|decision| **decision == AckDecision::Hold).count(), 1);
        assert_eq!(decisions.last(), Some(&AckDecision::Hold));
    }

    fn settled(outcomes: &[Outcome]) -> Vec<SettledTask> {
        let task = TaskKey { name: TaskName::new("t"), hash: ContentHash::new("h") };
        let settled = |outcome: &Outcome| SettledTask {
            task: task.clone(),
            outcome: *outcome,
            result: None,
            decision: AckDecision::Keep,
            reason: Some(outcome.as_str().into()),
            attempts: 1,
        };
        outcomes.iter().map(settled).collect()
    }

    #[test]
    fn the_worst_task_decides_what_a_run_came_to() {
        use Outcome::{Error, InvalidOutput, Partial, Terminal};
        let check = |tasks: &[Outcome], expect: Outcome| {
            assert_eq!(
                judge_run(&Work::well(""), Mode::Directed, &settled(tasks)).outcome,
                expect,
                "{tasks:?}"
            );
        };
        check(&[Terminal, Terminal], Terminal);
        check(&[Terminal, Partial], Partial);
        check(&[Partial, InvalidOutput, Terminal], InvalidOutput);
        check(&[Error, InvalidOutput, Terminal], Error);
        check(&[], InvalidOutput);
        let taken_back = judge_run(&Work::well("NO-OP: all were taken back"), Mode::Directed, &[]);
        assert_eq!(taken_back.outcome, Terminal, "{taken_back:?}");
    }

    #[test]
    fn how_a_run_was_ended_decides_before_its_tasks() {
        let done = settled(&[Outcome::Terminal]);
        for (ending, expect) in [
            (Ending::TimedOut, Outcome::Timeout),
            (Ending::Paused, Outcome::Paused),
            (Ending::Stopped, Outcome::Paused),
            (Ending::Refused("x".into()), Outcome::Refused),
            (Ending::ExitCode(1), Outcome::Error),
        ] {
            assert_eq!(judge_run(&Work::ended(ending), Mode::Directed, &done).outcome, expect);
        }
    }

    #[test]
    fn a_run_without_tasks_is_judged_by_its_own_last_line() {
        let run = |output: &str| judge_run(&Work::well(output), Mode::Reflective, &[]).outcome;
        assert_eq!(run("NO_NEW_GRADIENT: no external evidence changed memory."), Outcome::Terminal);
        assert_eq!(run("PARTIAL_UPDATE: x"), Outcome::Partial);
        assert_eq!(run("bye"), Outcome::InvalidOutput);
    }
}
