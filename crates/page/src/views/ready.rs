//! Whether the daemon can append to its log.

use std::sync::Arc;

use rustix::fs::{Access, access, statvfs};

use crate::Page;

/// Whether the event loop answers, waits for nothing, and the folder of the log can be written to.
pub(crate) async fn is_ready(page: &Arc<Page>) -> bool {
    let Ok(schedule) = page.schedule().await else { return false };
    if schedule.trouble.is_some() {
        return false;
    }
    let events = page.helm.home().spine().events;
    let looked = tokio::task::spawn_blocking(move || {
        access(&events, Access::WRITE_OK).is_ok() && statvfs(&events).is_ok_and(|system| system.f_bavail > 0)
    });
    looked.await.unwrap_or(false)
}
