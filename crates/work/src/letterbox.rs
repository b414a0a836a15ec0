//! The shared inbox, as a run with a model reaches it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use subcortex_agent::Letterbox;
use subcortex_guard::Redactor;
use subcortex_home::Home;
use subcortex_inbox::{addressee, drop_task};
use subcortex_store::Disk;

use crate::Peers;

/// How many tasks one piece of work may leave for others.
const MAX_TASKS_LEFT: usize = 5;
/// The longest task that a model may leave, in characters.
const MAX_TASK_CHARS: usize = 10_000;

/// Where one piece of work leaves tasks for other partitions.
#[derive(Debug)]
pub(crate) struct SharedInbox {
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) peers: Arc<dyn Peers>,
    /// Who works.
    pub(crate) partition: String,
    /// How many tasks it left so far.
    pub(crate) left: AtomicUsize,
}

impl Letterbox for SharedInbox {
    fn drop_task(&self, body: &str) -> Result<String, String> {
        let chars = body.chars().count();
        if chars > MAX_TASK_CHARS {
            return Err(format!(
                "the task has {chars} characters, and at most {MAX_TASK_CHARS} are taken; put the text into a file and name it"
            ));
        }
        let consumers = self.peers.consumers().map_err(|error| error.to_string())?;
        let to = addressee(body, &consumers).map_err(|why| why.to_string())?;
        if to == self.partition {
            return Err("this task would come back to you; do it now, or note it as a pending action".into());
        }
        if self.left.fetch_add(1, Ordering::Relaxed) >= MAX_TASKS_LEFT {
            return Err(format!(
                "you have left {MAX_TASKS_LEFT} tasks already, and that is all you may in one go"
            ));
        }
        let body = Redactor::new().text(body).into_owned();
        // The name is made of the words: the same task, left again after a crash, is one task.
        let hash = blake3::hash(body.as_bytes()).to_hex();
        let name = format!("from-{}-{}.md", self.partition, hash.get(..12).unwrap_or_default());
        match drop_task(&*self.disk, &self.home.shared_inbox(), &name, body.as_bytes()) {
            Ok(name) => Ok(format!("left as {name}; it goes to {to}")),
            Err(error) if error.is_taken() => Ok(format!("{name} lies there already; it goes to {to}")),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use subcortex_inbox::Consumer;
    use subcortex_store::{RealDisk, durable};

    use super::*;

    #[derive(Debug)]
    struct Two;

    impl Peers for Two {
        fn consumers(&self) -> std::io::Result<Vec<Consumer>> {
            let consumer = |partition: &str, marker: &str| Consumer {
                partition: partition.into(),
                consumes: vec![marker.into()],
            };
            Ok(vec![consumer("memory-weaver", "memory:*"), consumer("notes", "note")])
        }
    }

    #[test]
    fn a_few_tasks_for_others_are_taken_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        durable::make_dirs(&RealDisk, home.root(), "subconscious/inbox".as_ref()).unwrap();
        let (disk, peers) = (Arc::new(RealDisk), Arc::new(Two));
        let left = AtomicUsize::new(0);
        let letterbox = SharedInbox { home: home.clone(), disk, peers, partition: "notes".into(), left };
        for refused in ["no marker", "[nobody:x] do it", "[note] for myself"] {
            letterbox.drop_task(refused).expect_err(refused);
        }
        let said = letterbox.drop_task("[memory:scan] Look at today.").unwrap();
        assert!(said.ends_with("it goes to memory-weaver"), "{said}");
        letterbox.drop_task("[memory:scan] Look at today.").unwrap();
        assert_eq!(std::fs::read_dir(home.shared_inbox()).unwrap().count(), 1);
        let dropped = (0..10).filter(|n| letterbox.drop_task(&format!("[memory:scan] {n}")).is_ok()).count();
        assert_eq!(dropped, MAX_TASKS_LEFT - 2);
    }
}
