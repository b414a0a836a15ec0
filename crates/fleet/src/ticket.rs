//! One task of the fleet on this machine.

use serde::{Deserialize, Serialize};
use subcortex_cadence::{BootMs, PartitionId, TaskKey};

/// A task that this machine took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// Whose inbox.
    pub partition: PartitionId,
    /// Its name and the hash of its content.
    #[serde(flatten)]
    pub key: TaskKey,
    /// The entry of the stream.
    pub entry: String,
    /// `<token>:<machine>:<name>`: what the server compares.
    pub holder: String,
    /// Which data of the server it is from.
    pub epoch: String,
    /// How far it has come.
    pub state: TicketState,
    /// How it fared before and since, as the server is told.
    #[serde(default)]
    pub before: Before,
    /// Whether it waits for a person.
    #[serde(default)]
    pub held: bool,
    /// What it came to, once it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Until when it is nobody else's, as far as this process knows.
    #[serde(skip)]
    pub(crate) leased_until: BootMs,
    /// Whether a run has begun it.
    #[serde(skip)]
    pub(crate) busy: bool,
    /// Whether it is about to be given back.
    #[serde(skip)]
    pub(crate) leaving: bool,
}

/// How far a ticket has come: see the table of the crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TicketState {
    /// This machine has it.
    Taken,
    /// Its file is in the inbox.
    Delivered,
    /// Its result is durable here.
    Done,
}

/// How a task fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Before {
    /// How often it failed, on all machines.
    pub attempts: u32,
    /// How often its machine was lost.
    pub takeovers: u32,
}

/// Whether a task may be begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lease {
    /// It is this machine's own file.
    Local,
    /// It is this machine's for now.
    Held(Before),
    /// It may be somebody else's by now; why.
    Lapsed(String),
}

impl Ticket {
    /// The fencing token: it grows with each taking of a task.
    pub fn token(&self) -> &str {
        self.holder.split_once(':').map_or(self.holder.as_str(), |(token, _)| token)
    }

    /// Whether this machine will work on it.
    pub(crate) fn is_ahead(&self) -> bool {
        self.state != TicketState::Done && !self.held && !self.leaving
    }
}
