//! Where runs of loops are recorded: `var/runs`, and the spine.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use subcortex_home::Home;
use subcortex_model::{Draft, Source};
use subcortex_runs::RunRecord;
use subcortex_spine::{Durability, Spine};
use subcortex_store::Disk;
use tracing::error;

/// Writes records. A record that cannot be written is no reason to lose what a run did: it is said in the log.
#[derive(Debug)]
pub struct Journal {
    home: Home,
    disk: Arc<dyn Disk>,
    spine: Spine,
}

impl Journal {
    /// The journal of a home.
    pub fn new(home: Home, disk: Arc<dyn Disk>, boot_id: String) -> Journal {
        let spine = Spine::new(Arc::clone(&disk), home.spine(), boot_id);
        Journal { home, disk, spine }
    }

    /// Writes the record of a run, its line in the log of all runs, and its event on the spine.
    pub(crate) fn write(&mut self, record: &RunRecord) {
        let runs = self.home.runs();
        let written = subcortex_runs::write(&*self.disk, &runs, record)
            .and_then(|()| subcortex_runs::append_log(&*self.disk, &runs, record));
        if let Err(error) = written {
            error!(run = record.run_id, %error, "run not recorded");
        }
        let payload = json!({
            "run_id": record.run_id,
            "partition": record.partition,
            "outcome": record.outcome.as_str(),
            "result": record.result,
            "loop": record.other.get("loop"),
        });
        self.say("run.ended", payload, Some(format!("run.ended/{}", record.run_id)));
    }

    /// Tells the spine something about the daemon's own work: always of an internal kind.
    pub(crate) fn say(&mut self, what: &str, payload: Value, source_id: Option<String>) {
        let payload = payload.as_object().cloned().unwrap_or_default();
        let draft = Draft { source_id, ..Draft::new(what, Source::of("runner"), payload) };
        if let Err(error) = self.spine.append(vec![draft], Timestamp::now(), Durability::Synced) {
            error!(what, %error, "not on the spine");
        }
    }
}
