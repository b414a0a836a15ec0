//! The fleet as people see it. The names of the fields are relied upon by scripts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use subcortex_cadence::PartitionId;

use crate::{FleetError, FleetSettings, Stream};

/// How many tasks of a machine are named one by one; all are counted.
const MAX_NAMED: usize = 20;

/// Who is there, and what each holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FleetView {
    /// Host and port of the server.
    pub server: String,
    /// Why it is not asked, or does not answer; what stands below is from before.
    pub trouble: Option<String>,
    /// All machines that were heard in the last day.
    pub machines: Vec<Machine>,
    /// The inboxes that they share.
    pub inboxes: Vec<InboxView>,
}

/// One machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Machine {
    /// By which the server knows it.
    #[serde(default)]
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The process of its daemon.
    pub pid: u32,
    /// How long it may be silent, in milliseconds.
    pub lease_ms: u64,
    /// How long ago it was heard, in milliseconds.
    #[serde(default)]
    pub heard_ms_ago: u64,
    /// Whether that is less than it may be silent.
    #[serde(default)]
    pub here: bool,
    /// How many tasks it has.
    #[serde(default)]
    pub tasks: usize,
    /// Some of them.
    #[serde(default)]
    pub holds: Vec<Held>,
}

/// A task that a machine has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Whose task.
    pub partition: String,
    /// Its name.
    pub task: String,
    /// How often it failed.
    pub attempts: u32,
}

/// One shared inbox.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InboxView {
    /// Whose.
    pub partition: String,
    /// Tasks that nobody has.
    pub waiting: usize,
    /// Tasks that somebody has.
    pub taken: usize,
    /// Entries that nobody can read, and why.
    pub aside: BTreeMap<String, String>,
    #[serde(skip)]
    held: Vec<(String, Held)>,
}

impl Machine {
    pub(crate) fn heard(self, ago_ms: u64) -> Self {
        Self { here: ago_ms <= self.lease_ms, heard_ms_ago: ago_ms, ..self }
    }
}

impl InboxView {
    pub(crate) fn new(
        partition: &PartitionId,
        len: usize,
        holders: &BTreeMap<String, String>,
        attempts: &BTreeMap<String, u32>,
        aside: BTreeMap<String, String>,
    ) -> Self {
        let held = holders.iter().filter_map(|(entry, holder)| {
            let mut parts = holder.splitn(3, ':').skip(1);
            let (machine, task) = (parts.next()?.to_owned(), parts.next()?.to_owned());
            let attempts = attempts.get(entry).copied().unwrap_or(0);
            Some((machine, Held { partition: partition.to_string(), task, attempts }))
        });
        Self {
            partition: partition.to_string(),
            waiting: len.saturating_sub(holders.len() + aside.len()),
            taken: holders.len(),
            held: held.collect(),
            aside,
        }
    }
}

impl FleetView {
    /// Asks the server, as a machine that says that it is there or as somebody who only looks.
    pub(crate) fn ask(
        stream: &Stream,
        this: Option<(&str, &Machine)>,
        partitions: &[PartitionId],
    ) -> Result<Self, FleetError> {
        let mut machines = stream.sign_of_life(this)?;
        let mut inboxes = Vec::new();
        for partition in partitions {
            let mut inbox = stream.inbox(partition)?;
            for (id, held) in std::mem::take(&mut inbox.held) {
                let machine = machines.entry(id).or_default();
                machine.tasks += 1;
                if machine.holds.len() < MAX_NAMED {
                    machine.holds.push(held);
                }
            }
            inboxes.push(inbox);
        }
        let machines = machines.into_iter().map(|(id, machine)| Machine { id, ..machine }).collect();
        Ok(Self { server: stream.shown().to_owned(), trouble: None, machines, inboxes })
    }

    /// What somebody sees who is no part of it.
    pub fn look(settings: &FleetSettings, partitions: &[PartitionId]) -> Self {
        let looked = Stream::new(settings).and_then(|stream| {
            Self::ask(&stream, None, partitions)
                .or_else(|error| Ok(Self::troubled(stream.shown(), error.to_string())))
        });
        looked.unwrap_or_else(|error| Self::troubled("?", error.to_string()))
    }

    pub(crate) fn troubled(server: &str, trouble: String) -> Self {
        Self { server: server.to_owned(), trouble: Some(trouble), ..Self::default() }
    }
}
