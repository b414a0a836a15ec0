//! This machine's part in a fleet, or in none.

use std::sync::Arc;

use subcortex_cadence::PartitionId;

use crate::{Finished, FleetError, FleetSettings, Posted, Stream, Tickets};

/// What a home has of its fleet: the tasks that came from it, and the server if one is named.
#[derive(Debug, Clone)]
pub struct Membership {
    /// The tasks that this machine has from the fleet. Without a fleet there are none.
    pub tickets: Arc<Tickets>,
    pub(crate) server: Option<(FleetSettings, Arc<Stream>)>,
}

impl Membership {
    /// Joins the fleet of these settings; nothing is connected yet.
    pub fn new(tickets: Tickets, settings: Option<FleetSettings>) -> Result<Self, FleetError> {
        let server = match settings {
            Some(settings) => {
                let stream = Arc::new(Stream::new(&settings)?);
                Some((settings, stream))
            }
            None => None,
        };
        Ok(Self { tickets: Arc::new(tickets), server })
    }

    /// Hands a task to whoever of the fleet takes it first.
    pub fn post(&self, partition: &PartitionId, name: &str, body: &[u8]) -> Result<Posted, FleetError> {
        let Some((settings, stream)) = &self.server else {
            return Err(FleetError::NoServer { partition: partition.to_string() });
        };
        stream.post(partition, name, body, &settings.name)
    }

    /// What became of a task that was handed over.
    pub fn finished(&self, partition: &PartitionId, posted: &Posted) -> Result<Finished, FleetError> {
        match &self.server {
            Some((_, stream)) => stream.finished(partition, &posted.entry),
            None => Err(FleetError::NoServer { partition: partition.to_string() }),
        }
    }
}
