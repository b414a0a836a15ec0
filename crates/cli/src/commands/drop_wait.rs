//! `subcortex drop --wait`: says what it waits for, and has a worker that rests run now.

use std::time::{Duration, Instant};

use subcortex_cadence::TaskKey;
use subcortex_cadence::settle::{ATTEMPTS_BEFORE_HOLD, Outcome};
use subcortex_daemon::control::{Answer, Request, ask};
use subcortex_daemon::{PartitionStatus, SHARED_INBOX, Schedule, shared_inbox};
use subcortex_runs::{Ended, RunRecord, TaskRecord};
use subcortex_store::HomeLock;

use super::trouble::{about_results, lines_of, stderr_of};
use super::{InboxOf, World};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print_foreign};
use crate::words::{self, Clock, count};

/// How often it is looked for a result.
const WAIT_PAUSE: Duration = Duration::from_millis(50);
/// How often the daemon is asked how it stands.
const ASK_PAUSE: Duration = Duration::from_secs(1);
/// How often in a row a worker must seem to have nothing to do, with a task in its queue, before that is believed: it may
/// not have looked yet.
const IDLE_LOOKS: u32 = 3;
/// How many runs are looked through for the task.
const LOOKED_AT: usize = 50;

/// Waits until a run has come to something with this task, or nobody will take it as things stand. What is kept is tried again
/// by later runs; the first answer counts.
pub(crate) fn wait(
    world: &World<'_>,
    inbox: &InboxOf,
    keys: &[TaskKey],
    patience: Option<Duration>,
) -> Result<ExitCode, Failure> {
    let since = Instant::now();
    let mut waiting = Waiting { world, inbox, keys, said: String::new(), idle_looks: 0 };
    let mut asked_at: Option<Instant> = None;
    loop {
        if let Some((run, task)) = waiting.result()? {
            return waiting.tell(&run, &task);
        }
        if let Some(code) = waiting.stays_as_things_are()? {
            return Ok(code);
        }
        if asked_at.is_none_or(|at| at.elapsed() >= ASK_PAUSE) {
            asked_at = Some(Instant::now());
            if let Some(code) = waiting.look() {
                return Ok(code);
            }
        }
        if patience.is_some_and(|patience| since.elapsed() >= patience) {
            note(&format!(
                "no result within {}; the task stays in the queue: `subcortex inbox {}` shows how it stands",
                words::duration(u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)),
                inbox.name()
            ));
            return Ok(ExitCode::NotTerminal);
        }
        std::thread::sleep(WAIT_PAUSE);
    }
}

struct Waiting<'a> {
    world: &'a World<'a>,
    inbox: &'a InboxOf,
    keys: &'a [TaskKey],
    /// What was said last.
    said: String,
    /// Looks in a row at which the worker seemed to have nothing to do.
    idle_looks: u32,
}

impl Waiting<'_> {
    /// The worker, unless it is not known yet who that will be.
    fn worker(&self) -> Option<&str> {
        match self.inbox {
            InboxOf::Partition(id) => Some(id.as_str()),
            InboxOf::Everybody => None,
        }
    }

    /// What a run came to with the task.
    fn result(&self) -> Result<Option<(RunRecord, TaskRecord)>, Failure> {
        let runs = subcortex_runs::list(&*self.world.disk, &self.world.home.runs(), LOOKED_AT)?;
        let is_theirs = |run: &RunRecord| self.worker().is_none_or(|worker| worker == run.partition);
        let found = runs.into_iter().filter(|run| is_theirs(run) && run.ended_at.is_some()).find_map(|run| {
            let task =
                self.keys.iter().find_map(|key| run.task(key.name.as_str(), key.hash.as_str()))?.clone();
            Some((run, task))
        });
        let Some((run, task)) = found else { return Ok(None) };
        // The list has no room for what programs said.
        let whole = subcortex_runs::find(&*self.world.disk, &self.world.home.runs(), &run.run_id)?;
        Ok(Some((whole.unwrap_or(run), task)))
    }

    fn tell(&self, run: &RunRecord, task: &TaskRecord) -> Result<ExitCode, Failure> {
        let line = task.result.as_deref().or(task.reason.as_deref()).unwrap_or(run.outcome.as_str());
        let mut lines = lines_of(line).into_iter();
        print_foreign(&format!("{}\n", lines.next().unwrap_or_default()))?;
        if task.acked {
            return Ok(ExitCode::Done);
        }
        for line in lines.chain(stderr_of(run)).chain(about_results(run).map(str::to_owned)) {
            note(&format!("  {line}"));
        }
        if run.outcome == Ended::As(Outcome::Paused) {
            note(&format!("it was stopped by `pause`; {}", self.what_resume_does()));
            return Ok(ExitCode::Paused);
        }
        note(&format!(
            "the task stays in the queue of {worker}, and after {} it is held: `subcortex inbox {worker}` shows how it \
             stands, `subcortex runs show {}` what happened",
            words::counted(ATTEMPTS_BEFORE_HOLD as usize, "failed attempt", "failed attempts"),
            run.run_id,
            worker = run.partition,
        ));
        Ok(ExitCode::NotTerminal)
    }

    fn what_resume_does(&self) -> String {
        "the task stays in the queue, and is taken after `subcortex resume`".into()
    }

    /// Ends the wait where only a person can change something.
    fn stays_as_things_are(&self) -> Result<Option<ExitCode>, Failure> {
        if let Some(paused) = self.world.paused(self.worker()) {
            note(&format!("{paused}; {}", self.what_resume_does()));
            return Ok(Some(ExitCode::Paused));
        }
        if let Some(why) = self.nobody_takes_it() {
            print_foreign(&format!("{}\n", lines_of(&why).join("\n")))?;
            return Ok(Some(ExitCode::NotTerminal));
        }
        Ok(None)
    }

    /// Why nobody will ever take a task out of the shared inbox as things stand.
    fn nobody_takes_it(&self) -> Option<String> {
        let (InboxOf::Everybody, Some(key)) = (self.inbox, self.keys.first()) else { return None };
        let is_there = || self.world.home.shared_inbox().join(key.name.as_str()).exists();
        if !is_there() {
            return None;
        }
        let all = shared_inbox(&self.world.setup());
        let reason = all.into_iter().find(|task| task.name == key.name.as_str())?.reason;
        reason.filter(|_| is_there()) // else it was handed on while it was looked at
    }

    /// Asks the daemon how it stands, says so if it is new, and has a worker that rests run now. Ends the wait where the
    /// worker takes no task as things stand.
    fn look(&mut self) -> Option<ExitCode> {
        let name = self.inbox.name().to_owned();
        let Some(schedule) = self.schedule() else {
            if self.is_served() {
                self.say("the daemon is busy; waiting for it");
            } else {
                let once = match self.worker() {
                    Some(worker) => format!("subcortex tick --partition {worker}"),
                    None => "subcortex tick".into(),
                };
                self.say(&format!(
                    "no daemon runs, so nobody takes the task: start one with `subcortex run`, or do it once with `{once}`; \
                     waiting for that"
                ));
            }
            return None;
        };
        if let Some(trouble) = &schedule.trouble {
            self.say(&format!("waiting: the daemon cannot write: {trouble}"));
            return None;
        }
        if name == SHARED_INBOX {
            self.say("waiting for the worker that takes the task's marker");
            return None;
        }
        match schedule.partitions.iter().find(|partition| partition.name == name) {
            Some(partition) => self.look_at(partition),
            None => {
                self.say(&format!("waiting: the daemon has not seen {name} yet"));
                None
            }
        }
    }

    fn look_at(&mut self, partition: &PartitionStatus) -> Option<ExitCode> {
        let name = &partition.name;
        let clock = Clock::here();
        let is_idle = partition.state == "nothing_to_do" && partition.inbox.pending > 0;
        self.idle_looks = if is_idle { self.idle_looks + 1 } else { 0 };
        match partition.state.as_str() {
            "unusable" => {
                let problem = partition.problem.as_deref().unwrap_or("its definition cannot be used");
                lines_of(problem).iter().for_each(|line| note(line));
                note(&format!("{name} takes no task before that is corrected; the task stays in its queue"));
                return Some(ExitCode::NotTerminal);
            }
            "disabled" => {
                note(&format!(
                    "{name} is switched off (`enabled: false` in subconscious/{name}/CLAUDE.md), so nobody takes the task; it \
                     stays in the queue, and `subcortex tick --partition {name}` does it once"
                ));
                return Some(ExitCode::NotTerminal);
            }
            "nothing_to_do" if self.idle_looks >= IDLE_LOOKS => {
                note(&format!(
                    "no task wakes {name} (`wake_on` in subconscious/{name}/CLAUDE.md has no `inbox`); the task stays in the \
                     queue, and `subcortex tick --partition {name}` does it once"
                ));
                return Some(ExitCode::NotTerminal);
            }
            "cooling" | "scheduled" | "backing_off" if partition.inbox.pending > 0 => {
                // Best effort: it is asked again at the next look.
                drop(ask(&self.world.home.control_socket(), &Request::Work { partition: name.clone() }));
                let rests = match partition.backoff_until.as_deref().or(partition.next_run_at.as_deref()) {
                    Some(until) => format!("would rest until {}", clock.written(until)),
                    None => "would rest".into(),
                };
                self.say(&format!("waiting for {name}: it {rests}, and is asked to run now"));
            }
            "running" => self.say(&format!("waiting for {name}: it is working")),
            "waiting_for_slot" => self.say(&format!(
                "waiting for {name}: others work, and no more at once may (`cadence.max_parallel` in config/subcortex.yaml)"
            )),
            _ => {
                let ahead = partition.inbox.pending.saturating_sub(1);
                let queue = if ahead > 0 { format!(", {} ahead of it", count(ahead, "task")) } else { String::new() };
                self.say(&format!("waiting for {name}{queue}"));
            }
        }
        None
    }

    fn schedule(&self) -> Option<Schedule> {
        match ask(&self.world.home.control_socket(), &Request::Status) {
            Ok(Some(Answer::Schedule(schedule))) => Some(schedule),
            _ => None,
        }
    }

    fn is_served(&self) -> bool {
        HomeLock::peek(&*self.world.disk, &self.world.home.lock()).is_ok_and(|holder| holder.is_some())
    }

    /// Says something that is new.
    fn say(&mut self, what: &str) {
        if self.said != what {
            let first = self.said.is_empty();
            note(&if first {
                format!("{what} (Ctrl-C stops waiting, the task stays)")
            } else {
                what.to_owned()
            });
            self.said = what.to_owned();
        }
    }
}
