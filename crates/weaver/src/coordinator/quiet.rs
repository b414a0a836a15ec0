//! The broadcast, read once nobody writes to it.

use std::time::Duration;

use subcortex_memory::Broadcast;
use subcortex_store::durable::Patience;

use crate::{WeaveError, Workshop};

/// How long is waited at a stretch before anybody looks whether the run is to end.
const STRETCH: Duration = Duration::from_millis(200);

/// Reads the broadcast when it is quiet. Whoever cancels the run does not wait for somebody who saves slowly.
pub(super) fn read(shop: &Workshop, cancelled: &dyn Fn() -> bool) -> Result<Broadcast, WeaveError> {
    let mut left = shop.patience.at_most;
    loop {
        let at_most = left.min(STRETCH);
        left -= at_most;
        match Broadcast::read_when_quiet(&*shop.disk, &shop.folder, Patience { at_most, ..shop.patience }) {
            Err(trouble) if trouble.is_busy() && !left.is_zero() => {}
            read => return Ok(read?),
        }
        if cancelled() {
            return Err(WeaveError::Cancelled);
        }
    }
}
