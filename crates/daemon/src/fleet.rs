//! The daemon's part in a fleet: what its partitions want from it, and what follows from its news.

use serde_json::json;
use subcortex_cadence::definition::{InboxPlace, Rest};
use subcortex_cadence::{Definition, Now, Partition, PartitionId, Readiness, State, TaskState};
use subcortex_config::Config;
use subcortex_fleet::{FleetError, FleetSettings, FleetView, News, Want};
use tracing::warn;

use crate::clock;
use crate::commit::Saying;
use crate::edge::{Edge, EdgeError};
use crate::setup::{ServeError, Setup};
use crate::watch::Look;

/// What the settings say about the fleet; nothing without one.
pub(crate) fn settings(config: &Config) -> Option<FleetSettings> {
    let redis = config.fleet.redis.clone()?;
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let name = config.fleet.name.clone().unwrap_or(host);
    Some(FleetSettings { redis, lease_ms: config.fleet.lease_s * 1000, name })
}

/// The fleet as the server shows it, for when no daemon runs here.
pub fn look_at_fleet(setup: &Setup) -> Result<Option<Box<FleetView>>, ServeError> {
    let Some(settings) = settings(&setup.read_config()?) else { return Ok(None) };
    let partitions = setup.eyes().partitions().unwrap_or_default();
    let shared = partitions.into_iter().filter(|seen| seen.definition.as_ref().is_ok_and(is_shared));
    let shared: Vec<PartitionId> = shared.map(|seen| seen.id).collect();
    Ok(Some(Box::new(FleetView::look(&settings, &shared))))
}

pub(crate) fn is_shared(definition: &Definition) -> bool {
    definition.inbox == InboxPlace::Fleet
}

/// The partitions that share their inboxes.
fn shared(state: &State) -> impl Iterator<Item = (&Partition, &Definition)> {
    let usable = state.partitions().iter().filter_map(|found| Some((found, found.definition.as_ref().ok()?)));
    usable.filter(|(_, definition)| is_shared(definition))
}

/// What a partition wants. Whoever will not work soon leaves the tasks to others.
fn want(state: &State, partition: &Partition, definition: &Definition, now: Now) -> Want {
    let per_run = definition.schedule.max_tasks_per_run;
    let rests = definition.schedule.rest != Rest::Ticks(0);
    let (room, keep) = match state.readiness(partition, now) {
        Readiness::Due
        | Readiness::NothingToDo
        | Readiness::WaitingForSlot
        | Readiness::CatchingUp { .. }
        | Readiness::Scheduled { .. } => (per_run, true),
        // What comes now would wait for the end of its rest.
        Readiness::Running if rests => (0, true),
        Readiness::Running => (2 * per_run, true),
        Readiness::Unusable
        | Readiness::Stopping
        | Readiness::Disabled
        | Readiness::Paused
        | Readiness::BackingOff { .. }
        | Readiness::Cooling { .. } => (0, false),
    };
    Want { partition: partition.id.clone(), room, keep }
}

impl Edge {
    /// Tells the fleet what is wanted now, and how its tasks fare here.
    pub(crate) fn tend_fleet(&mut self) -> Result<(), EdgeError> {
        let Some(courier) = &mut self.hands.courier else { return Ok(()) };
        let (state, now) = (&self.order.state, clock::now());
        let tickets = &self.hands.worker.fleet.tickets;
        let mut wants = Vec::new();
        for (partition, definition) in shared(state) {
            if partition.memory.running.is_none() {
                tickets.rest(&partition.id);
                let tasks = partition.tasks();
                let fared = tasks.map(|task| (task.key, task.attempts, task.state == TaskState::Held));
                tickets.note(&partition.id, fared)?;
            }
            wants.push(want(state, partition, definition, now));
        }
        courier.want(wants);
        Ok(())
    }

    /// Something happened in the fleet.
    pub(crate) fn hear(&mut self, news: News) -> Result<(), EdgeError> {
        let (what, payload) = match news {
            News::Look(partition) => {
                // The end of a run looks at its inbox anyway.
                return if self.is_running(&partition) { Ok(()) } else { self.look(&Look::Inbox(partition)) };
            }
            News::Lost { partition, task } => ("task.lost", json!({ "partition": partition, "task": task })),
            News::Late { partition, task } => (
                "task.refused",
                json!({ "partition": partition, "task": task, "why": "another machine has taken it over" }),
            ),
            News::Unreadable { partition, entry, why } => {
                ("task.set_aside", json!({ "partition": partition, "entry": entry, "why": why }))
            }
        };
        self.order.say_next(Saying::new(what, payload));
        self.tell_all(Vec::new())
    }

    /// The fleet as this machine sees it.
    pub(crate) fn fleet_view(&self) -> Option<Box<FleetView>> {
        if let Some(courier) = &self.hands.courier {
            return Some(Box::new(courier.view()));
        }
        let (partition, _) = shared(&self.order.state).next()?;
        let why = FleetError::NoServer { partition: partition.id.to_string() };
        Some(Box::new(FleetView { trouble: Some(why.to_string()), ..FleetView::default() }))
    }

    /// The daemon ends: others may have what it did not finish.
    pub(crate) fn leave_fleet(&mut self) {
        if let Some(courier) = self.hands.courier.take() {
            courier.stop();
        }
    }
}

/// What could not be noted is noted again with the next ack, or found out by the server.
pub(crate) fn not_noted(error: &FleetError) {
    warn!(%error, "the fleet is not told that a task is done");
}
