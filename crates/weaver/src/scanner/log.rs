//! Reading the spine: positions of events, and one turn again from where it stands.

use std::ops::ControlFlow;

use subcortex_memory::SessionPosition;
use subcortex_model::{Event, Gate, Turn};
use subcortex_spine::{Cursor, DayFile, Item, Reader};

use crate::{WeaveError, Workshop};

/// How much of the log is read again to find one turn, in bytes. Beyond it the turn is given up.
const MAX_RELOAD_BYTES: u64 = 64 * 1024 * 1024;

/// Where an event stands.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) before: Cursor,
    pub(super) behind: Cursor,
}

impl Place {
    pub(super) fn of(file: &DayFile, offset: u64, line: &[u8], event: &Event) -> Self {
        let file = file.day.file_name();
        let end = offset + line.len() as u64 + 1;
        Self {
            before: Cursor { file: file.clone(), offset, last_id: None },
            behind: Cursor { file, offset: end, last_id: Some(event.id.as_str().to_owned()) },
        }
    }
}

/// Opens the log behind a position. A home without events has an empty log.
pub(super) fn open(shop: &Workshop, from: Option<Cursor>) -> Result<Reader, WeaveError> {
    Ok(Reader::open(shop.disk.clone(), &shop.events_dir, from)?)
}

/// Reads the events of one turn again; `None` when they cannot be found within the limit.
pub(super) fn load_turn(
    shop: &Workshop,
    session_key: &str,
    position: &SessionPosition,
) -> Result<Option<Turn>, WeaveError> {
    let mut turn = Turn { session_key: session_key.to_owned(), events: Vec::new() };
    let mut bytes = 0;
    let mut given_up = false;
    let end = (position.to.file.as_str(), position.to.offset);
    open(shop, position.from.clone())?.read(|file, item| {
        let Item::Record { envelope, offset, line } = item else { return ControlFlow::Continue(()) };
        if (file.day.file_name().as_str(), offset) >= end {
            return ControlFlow::Break(());
        }
        bytes += line.len() as u64;
        if bytes > MAX_RELOAD_BYTES {
            given_up = true;
            return ControlFlow::Break(());
        }
        let same = envelope.session_key.as_deref().unwrap_or("") == session_key;
        if same
            && envelope.gate() == Gate::External
            && turn.events.len() < Turn::MAX_EVENTS
            && let Ok(event) = envelope.to_event()
        {
            turn.events.push(event);
        }
        ControlFlow::Continue(())
    })?;
    Ok((!given_up && !turn.events.is_empty()).then_some(turn))
}
