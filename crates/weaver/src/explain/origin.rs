//! The names by which people speak of where something came from: sessions and events.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use subcortex_memory::{Forgotten, Journal, fragments};
use subcortex_spine::{Item, Reader};

use crate::{WeaveError, Workshop};

/// Sessions and events that the memory has something of: evidence, edits, or that they are forgotten.
pub fn remembered_origins(shop: &Workshop) -> Result<BTreeSet<String>, WeaveError> {
    let mut names = BTreeSet::new();
    for stored in fragments::read_all(&*shop.disk, &shop.folder)?.fragments {
        names.insert(stored.fragment.source_event_id.as_str().to_owned());
        names.extend(stored.fragment.session_key);
    }
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    for evidence in journal.edits.into_iter().flat_map(|edit| edit.changes).flat_map(|change| change.evidence)
    {
        names.insert(evidence.event_id);
        names.extend(evidence.session_key);
    }
    let forgotten = Forgotten::read(&*shop.disk, &shop.folder)?;
    names.extend(forgotten.sessions);
    names.extend(forgotten.events);
    Ok(names)
}

/// What the log of events knows by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoggedOrigins {
    /// All sessions.
    pub sessions: BTreeSet<String>,
    /// The events whose names begin as asked.
    pub events: BTreeSet<String>,
}

/// Reads the whole log for its sessions, and for the events whose names begin like this.
pub fn logged_origins(shop: &Workshop, beginning: &str) -> Result<LoggedOrigins, WeaveError> {
    let mut found = LoggedOrigins::default();
    let mut reader = Reader::open(Arc::clone(&shop.disk), &shop.events_dir, None)?;
    reader.read(|_, item| {
        if let Item::Record { envelope, .. } = item {
            if let Some(session) = envelope.session_key.as_deref()
                && !found.sessions.contains(session)
            {
                found.sessions.insert(session.to_owned());
            }
            if !beginning.is_empty() && envelope.id.starts_with(beginning) {
                found.events.insert(envelope.id.clone().into_owned());
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}
