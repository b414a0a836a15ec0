//! All tasks of the fleet on this machine: `var/fleet/tickets.json`, replaced whole.
//!
//! ```json
//! { "version": 1, "machine": "0f3c…", "tickets": [{"partition": "research", "name": "a.md", "hash": "…", "entry": "1794-0",
//!   "holder": "17:0f3c…:a.md", "epoch": "…", "state": "delivered", "before": {"attempts": 0, "takeovers": 1}, "held": false}] }
//! ```
//!
//! Shared by the event loop, which ends tasks, by runs, which begin them, and by the courier.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use serde::{Deserialize, Serialize};
use subcortex_cadence::{BootMs, PartitionId, TaskKey};
use subcortex_home::Home;
use subcortex_store::durable::{self, ReadError};
use subcortex_store::{Disk, locked};
use uuid::Uuid;

use crate::{Before, FleetError, Lease, Ticket, TicketState};

/// The longest file of tickets that is read, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The version that this code writes.
const VERSION: u32 = 1;
/// How many tasks are remembered that were lost to others while they were worked on.
const MAX_LOST: usize = 10_000;

/// The tickets of a home.
pub struct Tickets {
    disk: Arc<dyn Disk>,
    root: PathBuf,
    path: PathBuf,
    /// What the clock shows that only goes forward.
    clock: fn() -> BootMs,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    machine: String,
    tickets: Vec<Ticket>,
    /// Tasks that others have taken over: results that come for them are late.
    lost: HashSet<(PartitionId, TaskKey)>,
    /// Why leases are not renewed.
    trouble: Option<String>,
    /// Why the file cannot be used.
    broken: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    machine: String,
    tickets: Vec<Ticket>,
}

impl std::fmt::Debug for Tickets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tickets").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Tickets {
    /// Reads what an earlier process left. One that cannot be read is no reason to stop: no task of the fleet is begun then.
    pub fn load(disk: Arc<dyn Disk>, home: &Home, clock: fn() -> BootMs) -> Self {
        let path = home.fleet_tickets();
        let known = match read(&*disk, &path) {
            Ok(Some(Document { machine, tickets, .. })) => Known { machine, tickets, ..Known::default() },
            Ok(None) => Known { machine: Uuid::now_v7().simple().to_string(), ..Known::default() },
            Err(error) => Known { broken: Some(error.to_string()), ..Known::default() },
        };
        Self { disk, root: home.root().to_owned(), path, clock, known: Mutex::new(known) }
    }

    /// By which the server knows this machine.
    pub fn machine(&self) -> String {
        self.known().machine.clone()
    }

    /// Makes sure that the next process is known by the same id.
    pub(crate) fn remember_machine(&self) -> Result<(), FleetError> {
        let known = self.known();
        if self.disk.stat(&self.path).is_ok() { Ok(()) } else { self.write(&known) }
    }

    /// Why the file cannot be used, if it cannot.
    pub fn broken(&self) -> Option<String> {
        self.known().broken.clone()
    }

    /// Whether a task may be begun. `is_fleet`: whether its partition shares its inbox.
    pub fn lease(&self, partition: &PartitionId, name: &str, is_fleet: bool) -> Lease {
        let known = self.known();
        if let Some(why) = known.broken.as_ref().filter(|_| is_fleet) {
            return Lease::Lapsed(why.clone());
        }
        let Some(ticket) = known.of(partition, name) else { return Lease::Local };
        self.lease_of(&known, ticket)
    }

    fn lease_of(&self, known: &Known, ticket: &Ticket) -> Lease {
        if ticket.leaving {
            return Lease::Lapsed("it is being given back to the fleet".into());
        }
        if ticket.leased_until > (self.clock)() || ticket.state == TicketState::Done {
            return Lease::Held(ticket.before);
        }
        let why = known.trouble.as_deref().unwrap_or("the Redis server was not asked yet");
        Lease::Lapsed(format!("its lease may have lapsed: {why}"))
    }

    /// A run begins a task, if it may; gives the fencing token of one that is the fleet's.
    pub fn begin(&self, partition: &PartitionId, key: &TaskKey) -> Result<Option<String>, String> {
        let mut known = self.known();
        if !known.lost.is_empty() && known.lost.contains(&(partition.clone(), key.clone())) {
            return Err("another machine has taken it over".into());
        }
        let Some(place) = known.place(partition, key) else { return Ok(None) };
        let lease = known.tickets.get(place).map(|ticket| self.lease_of(&known, ticket));
        if let Some(Lease::Lapsed(why)) = lease {
            return Err(why);
        }
        let Some(ticket) = known.tickets.get_mut(place) else { return Ok(None) };
        ticket.busy = true;
        Ok(Some(ticket.token().to_owned()))
    }

    /// The fencing token of a task, if it is the fleet's.
    pub fn fence(&self, partition: &PartitionId, key: &TaskKey) -> Option<String> {
        let known = self.known();
        let ticket = known.tickets.get(known.place(partition, key)?)?;
        Some(ticket.token().to_owned())
    }

    /// No run of a partition is under way.
    pub fn rest(&self, partition: &PartitionId) {
        let mut known = self.known();
        known
            .tickets
            .iter_mut()
            .filter(|ticket| ticket.partition == *partition)
            .for_each(|ticket| ticket.busy = false);
    }

    /// Whether another machine has taken this task over.
    pub fn is_lost(&self, partition: &PartitionId, key: &TaskKey) -> bool {
        let known = self.known();
        !known.lost.is_empty() && known.lost.contains(&(partition.clone(), key.clone()))
    }

    /// The results of these tasks are durable: the server may be told. Says whether any of them is the fleet's.
    pub fn finish<'a>(
        &self,
        tasks: impl IntoIterator<Item = (&'a PartitionId, &'a TaskKey, Option<String>)>,
    ) -> Result<bool, FleetError> {
        let mut known = self.known();
        let mut changed = false;
        for (partition, key, result) in tasks {
            let Some(place) = known.place(partition, key) else { continue };
            if let Some(ticket) =
                known.tickets.get_mut(place).filter(|ticket| ticket.state != TicketState::Done)
            {
                ticket.state = TicketState::Done;
                ticket.result = result;
                changed = true;
            }
        }
        if changed {
            self.write(&known)?;
        }
        Ok(changed)
    }

    /// How tasks of a partition fare here: name, failed attempts, and whether it waits for a person.
    pub fn note<'a>(
        &self,
        partition: &PartitionId,
        tasks: impl IntoIterator<Item = (&'a TaskKey, u32, bool)>,
    ) -> Result<(), FleetError> {
        let mut known = self.known();
        if !known.tickets.iter().any(|ticket| ticket.partition == *partition) {
            return Ok(());
        }
        let mut changed = false;
        for (key, attempts, held) in tasks {
            let Some(place) = known.place(partition, key) else { continue };
            if let Some(ticket) = known.tickets.get_mut(place)
                && (ticket.before.attempts != attempts || ticket.held != held)
            {
                ticket.before.attempts = attempts;
                ticket.held = held;
                changed = true;
            }
        }
        if changed { self.write(&known) } else { Ok(()) }
    }

    /// A person wants a task to be tried again: what went before does not count.
    pub fn forgive(&self, partition: &PartitionId, name: &str) -> Result<(), FleetError> {
        let mut known = self.known();
        let mut tickets = known.tickets.iter_mut();
        let Some(ticket) =
            tickets.find(|ticket| ticket.partition == *partition && ticket.key.name.as_str() == name)
        else {
            return Ok(());
        };
        (ticket.before, ticket.held) = (Before::default(), false);
        self.write(&known)
    }

    /// All tickets of a partition.
    pub(crate) fn of(&self, partition: &PartitionId) -> Vec<Ticket> {
        self.known().tickets.iter().filter(|ticket| ticket.partition == *partition).cloned().collect()
    }

    /// The partitions that have tickets.
    pub(crate) fn partitions(&self) -> Vec<PartitionId> {
        let mut all: Vec<_> = self.known().tickets.iter().map(|ticket| ticket.partition.clone()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Adds tickets for tasks that were just taken.
    pub(crate) fn add(&self, tickets: Vec<Ticket>) -> Result<(), FleetError> {
        let mut known = self.known();
        for ticket in tickets {
            known.lost.remove(&(ticket.partition.clone(), ticket.key.clone()));
            known.tickets.retain(|old| old.entry != ticket.entry);
            known.tickets.push(ticket);
        }
        self.write(&known)
    }

    /// The files of these entries are in the inbox.
    pub(crate) fn delivered(&self, entries: &[String]) -> Result<(), FleetError> {
        let mut known = self.known();
        for ticket in known.tickets.iter_mut().filter(|ticket| entries.contains(&ticket.entry)) {
            if ticket.state == TicketState::Taken {
                ticket.state = TicketState::Delivered;
            }
        }
        self.write(&known)
    }

    /// Forgets entries that are settled.
    pub(crate) fn remove(&self, entries: &[String]) -> Result<(), FleetError> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut known = self.known();
        known.tickets.retain(|ticket| !entries.contains(&ticket.entry));
        self.write(&known)
    }

    /// Forgets a task that another machine has, unless its result is here: then that has to be refused first.
    pub(crate) fn lose(&self, entry: &str) -> Result<(), FleetError> {
        let mut known = self.known();
        let Some(place) = known.tickets.iter().position(|ticket| ticket.entry == entry) else {
            return Ok(());
        };
        if known.tickets.get(place).is_some_and(|ticket| ticket.state == TicketState::Done) {
            return Ok(());
        }
        let ticket = known.tickets.remove(place);
        if known.lost.len() >= MAX_LOST {
            known.lost.clear();
        }
        known.lost.insert((ticket.partition, ticket.key));
        self.write(&known)
    }

    /// These entries are this machine's until then; says whether one of them was not before.
    pub(crate) fn leased(&self, entries: &[&str], until: BootMs) -> bool {
        let now = (self.clock)();
        let mut known = self.known();
        let mut news = false;
        for ticket in known.tickets.iter_mut().filter(|ticket| entries.contains(&ticket.entry.as_str())) {
            news |= ticket.leased_until <= now;
            ticket.leased_until = until;
        }
        news
    }

    /// Marks what no run has begun as leaving, and gives it.
    pub(crate) fn leave(&self, partition: &PartitionId, also_held: bool) -> Vec<Ticket> {
        let mut known = self.known();
        let leaving = known.tickets.iter_mut().filter(|ticket| {
            ticket.partition == *partition
                && ticket.state != TicketState::Done
                && !ticket.busy
                && (also_held || !ticket.held)
        });
        leaving
            .map(|ticket| {
                ticket.leaving = true;
                ticket.clone()
            })
            .collect()
    }

    /// What was leaving stays after all.
    pub(crate) fn stay(&self, partition: &PartitionId) {
        let mut known = self.known();
        known
            .tickets
            .iter_mut()
            .filter(|ticket| ticket.partition == *partition)
            .for_each(|ticket| ticket.leaving = false);
    }

    /// Why leases are not renewed; nothing when they are.
    pub(crate) fn trouble(&self, why: Option<String>) {
        self.known().trouble = why;
    }

    pub(crate) fn now(&self) -> BootMs {
        (self.clock)()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        locked(&self.known)
    }

    fn write(&self, known: &Known) -> Result<(), FleetError> {
        if let Some(why) = &known.broken {
            return Err(FleetError::Tickets { why: why.clone() });
        }
        let document =
            Document { version: VERSION, machine: known.machine.clone(), tickets: known.tickets.clone() };
        let json =
            serde_json::to_vec(&document).map_err(|error| FleetError::Tickets { why: error.to_string() })?;
        durable::make_dirs(&*self.disk, &self.root, Path::new("var/fleet"))?;
        Ok(durable::replace(&*self.disk, &self.path, &json)?)
    }
}

impl Known {
    fn of(&self, partition: &PartitionId, name: &str) -> Option<&Ticket> {
        self.tickets.iter().find(|ticket| ticket.partition == *partition && ticket.key.name.as_str() == name)
    }

    fn place(&self, partition: &PartitionId, key: &TaskKey) -> Option<usize> {
        self.tickets.iter().position(|ticket| ticket.partition == *partition && ticket.key == *key)
    }
}

fn read(disk: &dyn Disk, path: &Path) -> Result<Option<Document>, FleetError> {
    let json = match durable::read(disk, path, MAX_BYTES) {
        Ok(json) => json,
        Err(ReadError::Missing { .. }) => return Ok(None),
        Err(error) => return Err(FleetError::Tickets { why: error.to_string() }),
    };
    let document: Document =
        serde_json::from_slice(&json).map_err(|error| FleetError::Tickets { why: error.to_string() })?;
    if document.version > VERSION {
        let why = format!("it has version {}, and this program knows {VERSION}", document.version);
        return Err(FleetError::Tickets { why });
    }
    Ok(Some(document))
}
