//! Names of tasks in the saved state. One that holds a secret is written without it; its hash, which covers the name and the body,
//! says which file of the inbox it is, and there the next start finds the real name again: files are looked for, and acked, by that.
//!
//! A state of an earlier version holds names as they are. It is read like any other, and the next save hides them.

use std::collections::HashMap;
use std::path::Path;

use subcortex_cadence::{ContentHash, PartitionId, Saved, TaskKey, TaskName};
use subcortex_guard::Redactor;
use subcortex_home::Home;
use subcortex_inbox::survey;
use subcortex_store::Disk;
use tracing::warn;

/// How many tasks of an inbox are looked through for those whose names are hidden; the oldest.
const MAX_LOOKED_THROUGH: usize = 100_000;

/// What the redactor leaves in the place of a secret begins like this.
const MARK: &str = "[REDACTED:";

/// Takes secrets out of all names.
pub(crate) fn hide(saved: &mut Saved) {
    saved.rename_tasks(|_, task| hidden(task.name.as_str()).map(TaskName::new));
}

/// Gives tasks whose files are still there their real names back. Of others nobody needs it: no file is looked for under a name
/// that was never one.
pub(crate) fn find_again(saved: &mut Saved, disk: &dyn Disk, home: &Home) {
    let mut inboxes: HashMap<PartitionId, HashMap<ContentHash, TaskName>> = HashMap::new();
    saved.rename_tasks(|partition, TaskKey { name, hash }| {
        if !name.as_str().contains(MARK) {
            return None;
        }
        let inbox = inboxes
            .entry(partition.clone())
            .or_insert_with(|| names_that_are_hidden(disk, &home.inbox(partition.as_str())));
        inbox.get(hash).cloned()
    });
}

fn names_that_are_hidden(disk: &dyn Disk, inbox: &Path) -> HashMap<ContentHash, TaskName> {
    let is_hidden = |name: &str| hidden(name).is_some();
    match survey(disk, inbox, MAX_LOOKED_THROUGH, &is_hidden) {
        Ok(listing) => listing.tasks.into_iter().map(|task| (task.key.hash, task.key.name)).collect(),
        Err(error) => {
            warn!(%error, "inbox not looked through: tasks whose names are secrets count as new");
            HashMap::new()
        }
    }
}

fn hidden(name: &str) -> Option<String> {
    Some(Redactor::new().text(name).into_owned()).filter(|clean| clean != name)
}
