//! What lies in the shared inbox, and why it is still there.

use subcortex_inbox::{addressee, list, read_body};
use subcortex_work::Peers as _;

use crate::look::Eyes;
use crate::setup::Setup;
use crate::status::InboxTask;

/// What the shared inbox is called where a partition's name could stand.
pub const SHARED_INBOX: &str = "inbox";
/// Who hands its tasks on.
const EXECUTOR: &str = "cadence-executor";
/// How many tasks are shown.
const MAX_SHOWN: usize = 1_000;

/// Every task that lies there: `pending` when it will be handed on, else with the reason why it is not.
pub fn shared_inbox(setup: &Setup) -> Vec<InboxTask> {
    shared_inbox_with(&setup.eyes())
}

pub(crate) fn shared_inbox_with(eyes: &Eyes) -> Vec<InboxTask> {
    let (disk, dir) = (&*eyes.disk, eyes.home.shared_inbox());
    let listing = match list(disk, &dir, MAX_SHOWN) {
        Ok(listing) => listing,
        Err(error) => return vec![entry("*", "refused", Some(error.to_string()))],
    };
    // Who takes what stands in all definitions: most often there is nothing to be taken.
    let consumers = if listing.tasks.is_empty() { Vec::new() } else { eyes.consumers().unwrap_or_default() };
    let is_served = consumers.iter().any(|consumer| consumer.partition == EXECUTOR);
    let why = |name: &subcortex_cadence::TaskName| -> Option<String> {
        let body = match read_body(disk, &dir, name) {
            Ok(body) => body,
            Err(error) => return Some(error.to_string()),
        };
        let unserved = || {
            (!is_served).then(|| format!("there is no partition `{EXECUTOR}` that can be used, which hands tasks on; `subcortex init` makes one"))
        };
        addressee(&body.text, &consumers).map_or_else(|why| Some(why.to_string()), |_| unserved())
    };
    let refused = listing.refused.iter().map(|it| entry(&it.shown_name, "refused", Some(it.reason.clone())));
    let tasks = listing.tasks.iter().map(|task| {
        let reason = why(&task.key.name);
        entry(task.key.name.as_str(), if reason.is_some() { "held" } else { "pending" }, reason)
    });
    tasks.chain(refused).collect()
}

fn entry(name: &str, state: &str, reason: Option<String>) -> InboxTask {
    InboxTask {
        partition: SHARED_INBOX.into(),
        name: name.to_owned(),
        state: state.to_owned(),
        attempts: 0,
        reason,
        running: false,
    }
}
