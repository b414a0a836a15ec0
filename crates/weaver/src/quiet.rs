//! The broadcast, read once nobody writes to it.

use std::time::Duration;

use subcortex_memory::Broadcast;
use subcortex_store::durable::Patience;

use crate::stood::{Stood, refuse_vanished};
use crate::{WeaveError, Workshop};

/// How long is waited at a stretch before anybody looks whether the run is to end.
const STRETCH: Duration = Duration::from_millis(200);

/// Reads the broadcast when it is quiet, and there if it was. Whoever cancels the run does not wait for somebody who saves slowly.
pub(crate) fn read(shop: &Workshop, cancelled: &dyn Fn() -> bool) -> Result<Broadcast, WeaveError> {
    let mut left = shop.patience.at_most;
    loop {
        let at_most = left.min(STRETCH);
        left -= at_most;
        match read_within(shop, at_most) {
            Err(error) if error.is_busy() && !left.is_zero() => {
                if matches!(error, WeaveError::Vanished { .. } | WeaveError::MovedAway { .. }) {
                    std::thread::sleep(at_most); // nobody waited for what is not there
                }
            }
            read => return read,
        }
        if cancelled() {
            return Err(WeaveError::Cancelled);
        }
    }
}

/// Waits for a broadcast that is on its way; for whoever is about to write one beside the weaver.
pub fn expect_broadcast(shop: &Workshop) -> Result<(), WeaveError> {
    read(shop, &|| false).map(drop)
}

/// Says that the broadcast is away, without waiting for it; for whoever only looks.
pub fn miss_broadcast(shop: &Workshop) -> Result<(), WeaveError> {
    refuse_vanished(shop, &Broadcast::read(&*shop.disk, &shop.folder)?)
}

/// Notes what stands in the broadcast, when somebody else has just written it.
pub fn note_broadcast(shop: &Workshop) -> Result<(), WeaveError> {
    let broadcast = Broadcast::read(&*shop.disk, &shop.folder)?;
    Stood::note_text(shop, broadcast.text.as_deref().unwrap_or_default())
}

fn read_within(shop: &Workshop, at_most: Duration) -> Result<Broadcast, WeaveError> {
    let patience = Patience { at_most, ..shop.patience };
    let broadcast = Broadcast::read_when_quiet(&*shop.disk, &shop.folder, patience)?;
    refuse_vanished(shop, &broadcast)?;
    Ok(broadcast)
}
