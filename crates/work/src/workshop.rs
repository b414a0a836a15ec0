//! What the weaver works with in a home.

use std::sync::Arc;

use jiff::Timestamp;
use subcortex_home::Home;
use subcortex_memory::MemoryFolder;
use subcortex_store::Disk;
use subcortex_store::durable::Patience;
use subcortex_weaver::{Settings, Workshop};

/// The workshop of a home.
pub fn workshop(home: &Home, disk: &Arc<dyn Disk>, settings: Settings, run_id: Option<String>) -> Workshop {
    Workshop {
        disk: Arc::clone(disk),
        folder: MemoryFolder::at(home.memory()),
        events_dir: home.spine().events,
        index_dir: home.var().join("index"),
        patience: Patience::USUAL,
        now: Timestamp::now(),
        settings,
        run_id,
        began: None,
        mind: None,
    }
}
