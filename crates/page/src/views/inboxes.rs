//! The tasks that wait, and why; and what one of them says.

use serde::Serialize;
use subcortex_cadence::TaskName;
use subcortex_daemon::{InboxTask, SHARED_INBOX};
use subcortex_guard::Redactor;
use subcortex_inbox::{InboxError, read_body};
use subcortex_store::durable::ReadError;

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

/// How much of a task is shown, in characters.
const MAX_TEXT_CHARS: usize = 20_000;

#[derive(Debug, Serialize)]
pub(crate) struct TaskText {
    name: String,
    text: String,
    /// Whether there is more than this.
    is_cut: bool,
}

pub(crate) fn task(page: &Page, partition: &str, name: &str) -> Result<TaskText, PageError> {
    let home = page.helm.home();
    let dir = match partition {
        SHARED_INBOX => home.shared_inbox(),
        _ => home.inbox(page.expect_partition(partition)?.as_str()),
    };
    let body = match read_body(&**page.helm.disk(), &dir, &TaskName::new(name)) {
        Ok(body) => body,
        Err(InboxError::Read(ReadError::Missing { .. })) => {
            return Err(PageError::Missing(
                "the task is gone: a run has finished it, or somebody took it away".into(),
            ));
        }
        Err(error) => return Err(error.into()),
    };
    let text = Redactor::new().text(&body.text).into_owned();
    let shown: String = text.chars().take(MAX_TEXT_CHARS).collect();
    Ok(TaskText { name: name.to_owned(), is_cut: shown.len() < text.len(), text: shown })
}
