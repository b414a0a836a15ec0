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
    let folder = MemoryFolder::at(home.memory());
    let bare = Workshop::new(Arc::clone(disk), folder, &home.var(), Timestamp::now());
    Workshop { patience: Patience::USUAL, settings, run_id, ..bare }
}
