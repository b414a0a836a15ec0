//! How a run of a loop ended, and what that makes of its state and its log. Pure.

use serde::{Deserialize, Serialize};
use subcortex_cadence::result::Status;
use subcortex_cadence::settle::Outcome;

use crate::escalation::Escalation;
use crate::report::{EngineReport, words};
use crate::run_log::DEFERRED;
use crate::state::{ESCALATED, Item, LoopState, SectionName};

/// What an item begins with that says why the last run came to nothing. The next run takes it out.
const STOPPED: &str = "RUN STOPPED";
/// How much of a reason an item repeats, in characters.
const MAX_REASON_CHARS: usize = 300;

/// What keeps a result from being offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// The globs of `scope:`.
    Scope,
    /// The command of `verify:`.
    Verify,
    /// The command of `guard:`.
    Guard,
    /// `budget_tokens:`.
    Budget,
}

impl Gate {
    /// Its key, which is also its word in the log.
    pub fn word(self) -> &'static str {
        match self {
            Gate::Scope => "scope",
            Gate::Verify => "verify",
            Gate::Guard => "guard",
            Gate::Budget => "budget",
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoopEnd {
    /// There was nothing to do.
    Quiet,
    /// It said what it found.
    Done,
    /// Its change is on a branch, for somebody to land.
    Offered {
        /// Which branch.
        branch: String,
    },
    /// Some of it was done.
    Partial,
    /// A gate stopped it: nothing is offered.
    Stopped {
        /// Which.
        gate: Gate,
        /// Why.
        why: String,
    },
    /// It did what only a person may do: nothing is offered.
    Escalated(Vec<(Escalation, String)>),
    /// Somebody holds what it needs, or the repository is in the middle of something: it waits for its next cadence.
    Deferred {
        /// Why.
        why: String,
    },
    /// The engine failed.
    Failed {
        /// How.
        why: String,
    },
    /// Its last line is no report.
    Invalid {
        /// Why.
        why: String,
    },
    /// The deadline ended it.
    TimedOut,
    /// A kill switch ended it, or kept it from starting.
    Paused {
        /// Which.
        why: String,
    },
    /// The daemon ended in the middle of it.
    Interrupted,
    /// It must not start like this.
    Refused {
        /// Why.
        why: String,
    },
}

/// What whoever asked for a run is told of its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Its result stands.
    Stands,
    /// It is not finished, or waits.
    Unfinished,
    /// A kill switch ended it.
    Paused,
    /// It must not start like this.
    Refused,
    /// Its result does not stand.
    Stopped,
}

impl LoopEnd {
    /// What whoever asked for the run is told.
    pub fn standing(&self) -> Standing {
        match self {
            LoopEnd::Quiet | LoopEnd::Done | LoopEnd::Offered { .. } => Standing::Stands,
            LoopEnd::Partial | LoopEnd::Deferred { .. } | LoopEnd::Interrupted => Standing::Unfinished,
            LoopEnd::Paused { .. } => Standing::Paused,
            LoopEnd::Refused { .. } => Standing::Refused,
            LoopEnd::Stopped { .. }
            | LoopEnd::Escalated(_)
            | LoopEnd::Failed { .. }
            | LoopEnd::Invalid { .. }
            | LoopEnd::TimedOut => Standing::Stopped,
        }
    }

    /// The word in the log.
    pub fn word(&self) -> &'static str {
        match self {
            LoopEnd::Quiet => "quiet",
            LoopEnd::Done => "done",
            LoopEnd::Offered { .. } => "offered",
            LoopEnd::Partial => "partial",
            LoopEnd::Stopped { gate, .. } => gate.word(),
            LoopEnd::Escalated(_) => "escalated",
            LoopEnd::Deferred { .. } => DEFERRED,
            LoopEnd::Failed { .. } => "failed",
            LoopEnd::Invalid { .. } => "invalid",
            LoopEnd::TimedOut => "timeout",
            LoopEnd::Paused { .. } => "paused",
            LoopEnd::Interrupted => "interrupted",
            LoopEnd::Refused { .. } => "refused",
        }
    }

    /// Whether the result stands.
    pub fn stands(&self) -> bool {
        matches!(self, LoopEnd::Quiet | LoopEnd::Done | LoopEnd::Offered { .. } | LoopEnd::Partial)
    }

    /// The branch that a change is on.
    pub fn branch(&self) -> Option<&str> {
        if let LoopEnd::Offered { branch } = self { Some(branch) } else { None }
    }

    /// Why it does not, in words.
    pub fn why(&self) -> Option<String> {
        match self {
            LoopEnd::Quiet | LoopEnd::Done | LoopEnd::Offered { .. } | LoopEnd::Partial => None,
            LoopEnd::Stopped { gate, why } => Some(format!("{}: {why}", gate.word())),
            LoopEnd::Escalated(what) => Some(
                what.iter().map(|(kind, place)| format!("{kind} ({place})")).collect::<Vec<_>>().join("; "),
            ),
            LoopEnd::Deferred { why }
            | LoopEnd::Failed { why }
            | LoopEnd::Invalid { why }
            | LoopEnd::Paused { why }
            | LoopEnd::Refused { why } => Some(why.clone()),
            LoopEnd::TimedOut => Some("not finished at the deadline".into()),
            LoopEnd::Interrupted => Some("the daemon ended in the middle of it".into()),
        }
    }

    /// The same among the outcomes of all runs.
    pub fn outcome(&self) -> Outcome {
        match self {
            LoopEnd::Quiet | LoopEnd::Done | LoopEnd::Offered { .. } => Outcome::Terminal,
            LoopEnd::Partial => Outcome::Partial,
            LoopEnd::Stopped { .. } | LoopEnd::Escalated(_) | LoopEnd::Failed { .. } => Outcome::Error,
            LoopEnd::Invalid { .. } => Outcome::InvalidOutput,
            LoopEnd::TimedOut => Outcome::Timeout,
            LoopEnd::Paused { .. } | LoopEnd::Interrupted => Outcome::Paused,
            LoopEnd::Deferred { .. } | LoopEnd::Refused { .. } => Outcome::Refused,
        }
    }

    /// What `action=` and `outcome=` of the log say. An engine's own words count where its result stands.
    pub fn logged(&self, report: Option<&EngineReport>) -> (String, String) {
        let usual = match self {
            LoopEnd::Quiet | LoopEnd::Deferred { .. } | LoopEnd::Refused { .. } | LoopEnd::Paused { .. } => {
                "none"
            }
            LoopEnd::Done => "report",
            LoopEnd::Offered { .. } => "change",
            LoopEnd::Partial
            | LoopEnd::Stopped { .. }
            | LoopEnd::Escalated(_)
            | LoopEnd::Failed { .. }
            | LoopEnd::Invalid { .. }
            | LoopEnd::TimedOut
            | LoopEnd::Interrupted => "work",
        };
        let said = report.filter(|_| *self != LoopEnd::Quiet);
        let action = said.and_then(|said| said.action.clone()).unwrap_or_else(|| usual.into());
        let outcome = said.filter(|_| self.stands()).and_then(|said| said.outcome.clone());
        (action, outcome.unwrap_or_else(|| self.word().into()))
    }
}

/// What a run makes of the state that it read.
pub fn next_state(
    read: &LoopState,
    worked: Option<&Item>,
    report: Option<&EngineReport>,
    end: &LoopEnd,
) -> LoopState {
    let mut next = read.clone();
    let kept = |item: &&Item| !item.text.starts_with(STOPPED);
    let watch: Vec<Item> = read.items(SectionName::Watch).filter(kept).cloned().collect();
    next.set(SectionName::Watch, watch);
    if let (true, Some(report)) = (end.stands(), report) {
        take_over(&mut next, read, worked, report);
    }
    match end {
        LoopEnd::Escalated(what) => {
            if let Some(item) = worked {
                next.put_last(SectionName::Watch, item.clone());
            }
            for (kind, place) in what.iter().rev() {
                let line = format!("[P1] {ESCALATED} {kind}: {place}");
                next.put_on_top(SectionName::Priority, Item::new(&line));
            }
        }
        LoopEnd::Stopped { .. }
        | LoopEnd::Failed { .. }
        | LoopEnd::Invalid { .. }
        | LoopEnd::TimedOut
        | LoopEnd::Interrupted
        | LoopEnd::Refused { .. } => {
            let why = end.why().and_then(|why| words(&why, MAX_REASON_CHARS)).unwrap_or_default();
            next.put_on_top(SectionName::Watch, Item::new(&format!("{STOPPED} by {why}")));
        }
        LoopEnd::Quiet
        | LoopEnd::Done
        | LoopEnd::Offered { .. }
        | LoopEnd::Partial
        | LoopEnd::Deferred { .. }
        | LoopEnd::Paused { .. } => {}
    }
    next
}

/// What a report says about the sections.
fn take_over(next: &mut LoopState, read: &LoopState, worked: Option<&Item>, report: &EngineReport) {
    let items = |list: &Option<Vec<String>>| {
        list.as_ref().map(|list| list.iter().map(|words| Item::new(words)).collect::<Vec<_>>())
    };
    // Noise is what this run dismissed.
    next.set(SectionName::Noise, items(&report.noise).unwrap_or_default());
    if let Some(watch) = items(&report.watch) {
        next.set(SectionName::Watch, watch);
    }
    match items(&report.priority) {
        Some(priority) => {
            // What waits for a person is not the engine's to dismiss.
            let waiting = read.items(SectionName::Priority).filter(|item| item.is_escalated()).cloned();
            let own = priority.into_iter().filter(|item| !item.is_escalated());
            next.set(SectionName::Priority, waiting.chain(own).collect());
        }
        None => {
            if let Some(item) =
                worked.filter(|_| report.status != Status::PartialUpdate && !report.is_quiet())
            {
                next.put_last(SectionName::Noise, item.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> LoopState {
        LoopState::parse(
            "## Priority\n- [P1] ESCALATED force push: x\n- one\n- two\n## Watch\n- w\n## Noise\n- old\n",
        )
    }

    fn shown(state: &LoopState) -> String {
        let of = |section| state.items(section).map(|item| item.text.clone()).collect::<Vec<_>>().join(",");
        SectionName::ALL.map(of).join(" | ")
    }

    fn after(report: &str, end: &LoopEnd) -> String {
        let (read, report) = (state(), EngineReport::read(report).ok());
        shown(&next_state(&read, read.next_item(), report.as_ref(), end))
    }

    #[test]
    fn an_item_that_is_done_is_dismissed_and_one_that_is_not_stays() {
        assert_eq!(after("UPDATED: x", &LoopEnd::Done), "ESCALATED force push: x,two | w | one");
        assert_eq!(after("PARTIAL_UPDATE: x", &LoopEnd::Partial), "ESCALATED force push: x,one,two | w | ");
        assert_eq!(after("NO-OP: x", &LoopEnd::Quiet), "ESCALATED force push: x,one,two | w | ");
    }

    #[test]
    fn lists_of_a_report_replace_sections_but_never_dismiss_what_waits_for_a_person() {
        let report = r#"{"status":"UPDATED","priority":["two"],"watch":["one"],"noise":["n","n"]}"#;
        assert_eq!(after(report, &LoopEnd::Done), "ESCALATED force push: x,two | one | n");
        let forged = r#"{"status":"UPDATED","priority":["ESCALATED by nobody"]}"#;
        assert_eq!(after(forged, &LoopEnd::Done), "ESCALATED force push: x | w | ");
    }

    #[test]
    fn what_was_stopped_is_said_and_its_item_is_tried_again() {
        let end = LoopEnd::Stopped { gate: Gate::Verify, why: "exit code 1".into() };
        let text = after(r#"{"status":"UPDATED","priority":[]}"#, &end);
        assert_eq!(text, "ESCALATED force push: x,one,two | RUN STOPPED by verify: exit code 1,w | old");
        let read = LoopState::parse("## Watch\n- RUN STOPPED by verify: exit code 1\n- w\n");
        let report = EngineReport::read("NO-OP:").ok();
        assert_eq!(shown(&next_state(&read, None, report.as_ref(), &LoopEnd::Quiet)), " | w | ");
    }

    #[test]
    fn an_escalation_stands_on_top_and_its_item_waits() {
        let end = LoopEnd::Escalated(vec![(Escalation::MassDelete, "12 of 20 files are removed".into())]);
        let text = after("UPDATED: x", &end);
        assert!(text.starts_with("ESCALATED mass delete: 12 of 20 files are removed,"), "{text}");
        assert!(text.contains(",two | w,one | "), "{text}");
    }

    #[test]
    fn a_quiet_run_is_logged_as_one_whatever_words_it_used() {
        let report = EngineReport::read(r#"{"status":"NO-OP","action":"scan","outcome":"fine"}"#).unwrap();
        assert_eq!(LoopEnd::Quiet.logged(Some(&report)), ("none".into(), "quiet".into()));
        assert_eq!(LoopEnd::Done.logged(Some(&report)), ("scan".into(), "fine".into()));
        let stopped = LoopEnd::Stopped { gate: Gate::Guard, why: String::new() };
        assert_eq!(stopped.logged(Some(&report)), ("scan".into(), "guard".into()));
    }
}
