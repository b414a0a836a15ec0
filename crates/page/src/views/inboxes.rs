//! The tasks that wait, and why.

use serde::Serialize;
use subcortex_daemon::InboxTask;

use crate::{Page, PageError};

/// How many tasks are shown one by one.
const MAX_TASKS: usize = 500;

#[derive(Debug, Serialize)]
pub(crate) struct Inboxes {
    tasks: Vec<InboxTask>,
    /// How many more there are.
    unlisted: usize,
}

pub(crate) fn inboxes(page: &Page) -> Result<Inboxes, PageError> {
    let mut tasks = page.helm.tasks()?;
    // What waits for a person comes first.
    tasks.sort_by_key(|task| task.state == "pending");
    let unlisted = tasks.len().saturating_sub(MAX_TASKS);
    tasks.truncate(MAX_TASKS);
    Ok(Inboxes { tasks, unlisted })
}
