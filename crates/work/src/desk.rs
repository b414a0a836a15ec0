//! Who is at work, by the token of its run, and what a worker can do for itself meanwhile.
//!
//! Tokens are kept as hashes: nothing that looks at the daemon's memory or log finds one, and comparing hashes tells
//! nobody how much of a guess was right.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use subcortex_agent::{Identity, whoami};
use subcortex_blackboard::Record;
use subcortex_scratchpad::{Cycle, KeepError, State};
use subcortex_store::Disk;
use subcortex_web::{Refusal, Workers};

use crate::held;
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
        held(&self.cycle).as_ref().map_or_else(State::default, |cycle| cycle.state().clone())
    }

    /// Takes over what a worker made of a state that [`Self::state`] gave. A text that it set over HTTP meanwhile stands.
    pub(crate) fn put_state(&self, mut state: State, text_before: &str) {
        if let Some(cycle) = held(&self.cycle).as_mut() {
            if cycle.state().scratchpad != text_before {
                state.scratchpad.clone_from(&cycle.state().scratchpad);
            }
            *cycle.state_mut() = state;
        }
    }

    /// What the worker answered at its exit; says whether it was taken.
    pub(crate) fn remember(&self, answer: Option<&str>) -> bool {
        held(&self.cycle).as_mut().is_some_and(|cycle| cycle.remember(answer))
    }

    /// Ends its stay: the cycle is to be ended.
    pub(crate) fn take_cycle(&self) -> Option<Cycle> {
        held(&self.cycle).take()
    }

    fn update(&self, text: &str) -> Result<&'static str, Refusal> {
        let mut cycle = held(&self.cycle);
        let cycle = cycle.as_mut().ok_or(Refusal::Unauthorized)?;
        cycle.keep_text(&*self.disk, text, Timestamp::now()).map_err(|error| match error {
            KeepError::TooLong(why) => Refusal::Unfit(why.to_string()),
            KeepError::NotWritten(why) => Refusal::NotKept(why.to_string()),
        })
    }
}

/// All who are at work.
#[derive(Debug, Default)]
pub struct AtWork {
    desks: Mutex<HashMap<blake3::Hash, Arc<Desk>>>,
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
    /// Lets a worker in with its token.
    pub(crate) fn admit(self: &Arc<Self>, token: &str, desk: Arc<Desk>) -> Pass {
        let hash = blake3::hash(token.as_bytes());
        held(&self.desks).insert(hash, desk);
        Pass { at_work: Arc::clone(self), hash }
    }

    fn desk(&self, token: &str) -> Option<Arc<Desk>> {
        held(&self.desks).get(&blake3::hash(token.as_bytes())).map(Arc::clone)
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
        desk.ok_or(Refusal::Unauthorized)?.update(text)
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        held(&self.at_work.desks).remove(&self.hash);
    }
}

impl Workers for AtWork {
    fn whoami(&self, token: &str) -> Option<String> {
        let desk = self.desk(token)?;
        Some(whoami(&desk.identity, &desk.state()))
    }

    fn update_scratchpad(&self, token: &str, text: &str) -> Result<&'static str, Refusal> {
        self.desk(token).ok_or(Refusal::Unauthorized)?.update(text)
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
        assert_eq!(at_work.update_scratchpad("", "nobody's"), Err(Refusal::Unauthorized));
        assert_eq!((ann.state().scratchpad.as_str(), ben.state().scratchpad.as_str()), ("mine", ""));
        let on_disk = std::fs::read_to_string(dir.path().join("ann/scratchpad/active.yaml")).unwrap();
        assert!(on_disk.contains("scratchpad: mine"), "kept at once: {on_disk}");
        let too_long = "Scratchpad content exceeds maximum length of 10000 characters";
        let refused = at_work.update_scratchpad("token-a", &"x".repeat(10_001));
        assert_eq!(refused, Err(Refusal::Unfit(too_long.into())));
        drop(pass);
        assert_eq!(at_work.update_scratchpad("token-a", "late"), Err(Refusal::Unauthorized));
        assert_eq!(ann.state().scratchpad, "mine");
    }

    #[test]
    fn a_text_that_was_set_over_http_outlasts_the_state_of_the_loop_and_a_failure() {
        let dir = tempfile::tempdir().unwrap();
        let at_work = Arc::new(AtWork::default());
        let ann = desk(&dir, "ann");
        let _pass = at_work.admit("t", Arc::clone(&ann));
        let mut state = ann.state();
        let before = state.scratchpad.clone();
        state.notes = "[TOOL] echo: x".into();
        at_work.update_scratchpad("t", "over http").unwrap();
        ann.put_state(state, &before);
        assert_eq!(
            (ann.state().notes.as_str(), ann.state().scratchpad.as_str()),
            ("[TOOL] echo: x", "over http")
        );
        let cycle = ann.take_cycle().unwrap();
        cycle.fail(&RealDisk, "it broke", Timestamp::now()).unwrap();
        let on_disk = std::fs::read_to_string(dir.path().join("ann/scratchpad/active.yaml")).unwrap();
        assert!(on_disk.contains("scratchpad: over http") && on_disk.contains("it broke"), "{on_disk}");
        assert!(!on_disk.contains("[TOOL]"), "a failed cycle keeps what was read: {on_disk}");
    }
}
