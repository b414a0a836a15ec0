//! Who is at work, by the token of its run, and what a worker can do for itself meanwhile.
//!
//! Tokens are kept as hashes: nothing that looks at the daemon's memory or log finds one, and comparing hashes tells
//! nobody how much of a guess was right.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use serde_json::{Map, Value};
use subcortex_agent::{Identity, complete, take_up, update_own, whoami};
use subcortex_blackboard::Record;
use subcortex_guard::escape_for_display;
use subcortex_scratchpad::{Cycle, KeepError, State, UPDATED};
use subcortex_store::{Disk, locked};
use subcortex_web::{Refusal, Workers};

use crate::seat::{Claims, Seat, SeatError};

/// The place of one worker while it runs: who it is, and its scratchpad.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) identity: Identity,
    disk: Arc<dyn Disk>,
    /// Its place on a blackboard, if it has one.
    pub(crate) seat: Option<Arc<Seat>>,
    /// Nothing when the scratchpad cannot be kept, and after the run.
    cycle: Mutex<Option<Cycle>>,
}

impl Desk {
    pub(crate) fn new(identity: Identity, disk: Arc<dyn Disk>, cycle: Option<Cycle>) -> Self {
        Self { identity, disk, seat: None, cycle: Mutex::new(cycle) }
    }

    /// With a place on a blackboard.
    pub(crate) fn seated(self, seat: Option<Arc<Seat>>) -> Self {
        Self { seat, ..self }
    }

    /// The state as it is now.
    pub(crate) fn state(&self) -> State {
        locked(&self.cycle).as_ref().map_or_else(State::default, |cycle| cycle.state().clone())
    }

    /// Takes over what a worker made of a state that [`Self::state`] gave. What it set over HTTP meanwhile stands.
    pub(crate) fn put_state(&self, mut state: State, given: &State) {
        if let Some(cycle) = locked(&self.cycle).as_mut() {
            let now = cycle.state();
            if now.scratchpad != given.scratchpad {
                state.scratchpad.clone_from(&now.scratchpad);
            }
            if now.goals != given.goals {
                state.goals.clone_from(&now.goals);
            }
            if now.pending_actions != given.pending_actions {
                state.pending_actions.clone_from(&now.pending_actions);
            }
            if now.current_task != given.current_task {
                state.current_task.clone_from(&now.current_task);
            }
            *cycle.state_mut() = state;
        }
    }

    /// A task is worked on from now on.
    pub(crate) fn take_up(&self, task: &str) {
        if let Some(cycle) = locked(&self.cycle).as_mut() {
            take_up(cycle.state_mut(), task);
        }
    }

    /// A task is finished, with this result. A worker in the loop has said so itself.
    pub(crate) fn complete(&self, task: &str, result: &str) {
        if let Some(cycle) = locked(&self.cycle).as_mut()
            && cycle.state().current_task == escape_for_display(task).as_ref()
        {
            complete(cycle.state_mut(), result);
        }
    }

    /// A piece of work ended, and what it made of the state stays.
    pub(crate) fn keep_so_far(&self) {
        if let Some(cycle) = locked(&self.cycle).as_mut() {
            cycle.keep_so_far();
        }
    }

    /// A piece of work ended, and what it made of the state goes.
    pub(crate) fn go_back(&self) {
        if let Some(cycle) = locked(&self.cycle).as_mut() {
            cycle.go_back();
        }
    }

    /// What the worker answered at its exit; says whether it was taken.
    pub(crate) fn remember(&self, answer: Option<&str>) -> bool {
        locked(&self.cycle).as_mut().is_some_and(|cycle| cycle.remember(answer))
    }

    /// Ends its stay: the cycle is to be ended.
    pub(crate) fn take_cycle(&self) -> Option<Cycle> {
        locked(&self.cycle).take()
    }

    fn update(&self, wanted: &Map<String, Value>) -> Result<&'static str, Refusal> {
        let mut cycle = locked(&self.cycle);
        let cycle = cycle.as_mut().ok_or(Refusal::Unauthorized)?;
        let change = |state: &mut State| update_own(state, wanted);
        let kept = cycle.keep_change(&*self.disk, Timestamp::now(), change);
        kept.map(|()| UPDATED).map_err(|error| match error {
            KeepError::Unfit(why) => Refusal::Unfit(why),
            KeepError::NotWritten(why) => Refusal::NotKept(why.to_string()),
        })
    }
}

/// All who are at work.
#[derive(Debug, Default)]
pub struct AtWork {
    desks: Mutex<HashMap<blake3::Hash, Arc<Desk>>>,
    /// Whose scratchpads are in use, from before their cycles begin until after they have ended.
    in_use: Mutex<HashSet<String>>,
}

/// A worker's scratchpad is in use for as long as this lasts.
#[derive(Debug)]
pub(crate) struct InUse {
    at_work: Arc<AtWork>,
    worker: String,
}

impl Drop for InUse {
    fn drop(&mut self) {
        locked(&self.at_work.in_use).remove(&self.worker);
    }
}

/// Why a run could not say something on a blackboard.
#[derive(Debug, thiserror::Error)]
pub enum BlackboardRefusal {
    /// No run has this token.
    #[error("403 Unauthorized: $SUBCORTEX_TOKEN is not that of a run that is going on")]
    Unauthorized,
    /// It has no place there.
    #[error(
        "the partition {worker} has no place on a blackboard: add `blackboard: {{ role: worker, thread: … }}` to its frontmatter"
    )]
    NoSeat {
        /// Which partition.
        worker: String,
    },
    /// The entry was not taken.
    #[error(transparent)]
    Seat(#[from] SeatError),
}

/// A worker's right to its desk; it ends with the run.
#[derive(Debug)]
pub(crate) struct Pass {
    at_work: Arc<AtWork>,
    hash: blake3::Hash,
}

impl AtWork {
    /// Reserves this worker's scratchpad for its run. A partition never has two runs at once, so there is no waiting.
    pub(crate) fn use_scratchpad(self: &Arc<Self>, worker: &str) -> InUse {
        locked(&self.in_use).insert(worker.to_owned());
        InUse { at_work: Arc::clone(self), worker: worker.to_owned() }
    }

    /// Does something to the scratchpad of a worker that does not run; `None` when it runs. No run begins meanwhile.
    pub fn while_idle<T>(&self, worker: &str, work: impl FnOnce() -> T) -> Option<T> {
        let in_use = locked(&self.in_use);
        if in_use.contains(worker) { None } else { Some(work()) }
    }

    /// Lets a worker in with its token.
    pub(crate) fn admit(self: &Arc<Self>, token: &str, desk: Arc<Desk>) -> Pass {
        let hash = blake3::hash(token.as_bytes());
        locked(&self.desks).insert(hash, desk);
        Pass { at_work: Arc::clone(self), hash }
    }

    fn desk(&self, token: &str) -> Option<Arc<Desk>> {
        locked(&self.desks).get(&blake3::hash(token.as_bytes())).map(Arc::clone)
    }

    /// Says something on the blackboard in the name of the run whose token this is.
    pub fn say_on_blackboard(
        &self,
        token: &str,
        claims: Claims<'_>,
        entry: &str,
    ) -> Result<Record, BlackboardRefusal> {
        let desk = self.desk(token).ok_or(BlackboardRefusal::Unauthorized)?;
        let worker = || desk.identity.worker.clone();
        let seat = desk.seat.as_ref().ok_or_else(|| BlackboardRefusal::NoSeat { worker: worker() })?;
        Ok(seat.say(entry, claims)?)
    }

    /// The same as over HTTP, for a command that names the worker: the token must be that worker's own.
    pub fn set_scratchpad(&self, worker: &str, token: &str, text: &str) -> Result<&'static str, Refusal> {
        let desk = self.desk(token).filter(|desk| desk.identity.worker == worker);
        let wanted = Map::from_iter([("scratchpad".to_owned(), Value::from(text))]);
        desk.ok_or(Refusal::Unauthorized)?.update(&wanted)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        locked(&self.at_work.desks).remove(&self.hash);
    }
}

impl Workers for AtWork {
    fn whoami(&self, token: &str) -> Option<String> {
        let desk = self.desk(token)?;
        Some(whoami(&desk.identity, &desk.state()))
    }

    fn hold(&self, peer: SocketAddr, here: SocketAddr) -> bool {
        subcortex_engine::is_held_below_me(peer, here)
    }

    fn update_scratchpad(&self, token: &str, wanted: Map<String, Value>) -> Result<&'static str, Refusal> {
        self.desk(token).ok_or(Refusal::Unauthorized)?.update(&wanted)
    }
}

#[cfg(test)]
mod tests {
    use subcortex_store::RealDisk;

    use super::*;

    #[allow(clippy::disallowed_methods)] // a folder for the test
    fn desk(dir: &tempfile::TempDir, worker: &str) -> Arc<Desk> {
        let identity = Identity { worker: worker.into(), ..Identity::default() };
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let folder = dir.path().join(worker);
        std::fs::create_dir_all(&folder).unwrap();
        let quarantine = dir.path().to_owned();
        let cycle = Cycle::begin(&*disk, &folder.join("scratchpad"), &quarantine, Timestamp::now()).unwrap();
        Arc::new(Desk::new(identity, disk, Some(cycle)))
    }

    fn text(text: &str) -> Map<String, Value> {
        Map::from_iter([("scratchpad".to_owned(), Value::from(text))])
    }

    #[test]
    fn a_scratchpad_that_is_in_use_is_nobody_else_s() {
        let at_work = Arc::new(AtWork::default());
        let in_use = at_work.use_scratchpad("ann");
        assert_eq!(at_work.while_idle("ann", || 1), None);
        assert_eq!(at_work.while_idle("ben", || 1), Some(1));
        drop(in_use);
        assert_eq!(at_work.while_idle("ann", || 1), Some(1));
    }

    #[test]
    fn a_token_opens_one_desk_and_only_while_its_run_lasts() {
        let dir = tempfile::tempdir().unwrap();
        let at_work = Arc::new(AtWork::default());
        let (ann, ben) = (desk(&dir, "ann"), desk(&dir, "ben"));
        let pass = at_work.admit("token-a", Arc::clone(&ann));
        let _pass_b = at_work.admit("token-b", Arc::clone(&ben));
        assert!(at_work.whoami("token-a").unwrap().starts_with("# You are ann"));
        assert_eq!(at_work.whoami("token-c"), None);
        assert_eq!(at_work.set_scratchpad("ann", "token-a", "mine"), Ok("Scratchpad updated successfully."));
        assert_eq!(at_work.set_scratchpad("ben", "token-a", "not mine"), Err(Refusal::Unauthorized));
        assert_eq!(at_work.update_scratchpad("", text("nobody's")), Err(Refusal::Unauthorized));
        assert_eq!((ann.state().scratchpad.as_str(), ben.state().scratchpad.as_str()), ("mine", ""));
        let on_disk = std::fs::read_to_string(dir.path().join("ann/scratchpad/active.yaml")).unwrap();
        assert!(on_disk.contains("scratchpad: mine"), "kept at once: {on_disk}");
        let too_long = "Scratchpad content exceeds maximum length of 10000 characters";
        let refused = at_work.update_scratchpad("token-a", text(&"x".repeat(10_001)));
        assert_eq!(refused, Err(Refusal::Unfit(too_long.into())));
        drop(pass);
        assert_eq!(at_work.update_scratchpad("token-a", text("late")), Err(Refusal::Unauthorized));
        assert_eq!(ann.state().scratchpad, "mine");
    }

    #[test]
    fn a_text_that_was_set_over_http_outlasts_the_state_of_the_loop_and_a_failure() {
        let dir = tempfile::tempdir().unwrap();
        let at_work = Arc::new(AtWork::default());
        let ann = desk(&dir, "ann");
        let _pass = at_work.admit("t", Arc::clone(&ann));
        let given = ann.state();
        let state = State { notes: "[TOOL] echo".into(), ..given.clone() };
        let wanted = serde_json::json!({"content": "over http", "goals": ["g"], "current_task": "t"});
        at_work.update_scratchpad("t", wanted.as_object().cloned().unwrap()).unwrap();
        ann.put_state(state, &given);
        let now = ann.state();
        assert_eq!((now.notes.as_str(), now.scratchpad.as_str()), ("[TOOL] echo", "over http"));
        assert_eq!((now.goals, now.current_task), (vec![Value::from("g")], Value::from("t")));
        let cycle = ann.take_cycle().unwrap();
        cycle.fail(&RealDisk, "it broke", Timestamp::now()).unwrap();
        let on_disk = std::fs::read_to_string(dir.path().join("ann/scratchpad/active.yaml")).unwrap();
        assert!(on_disk.contains("scratchpad: over http") && on_disk.contains("it broke"), "{on_disk}");
        assert!(!on_disk.contains("[TOOL]"), "a failed cycle keeps what was read: {on_disk}");
    }
}
