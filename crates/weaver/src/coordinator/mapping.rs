//! Checks, ledger and dossiers follow the broadcast.

use subcortex_memory::Journal;

use crate::projects::Projects;
use crate::{CompiledBroadcast, Consulted, WeaveError, Workshop, compiler, crystallizer};

/// The broadcast as it is now mapped.
#[derive(Debug)]
pub struct Mapped {
    /// What was read.
    pub compiled: CompiledBroadcast,
    /// The journal that was read with it.
    pub journal: Journal,
    /// Files that were written or removed, as references.
    pub changed: Vec<String>,
    /// What a model was asked about lines that the rules cannot test.
    pub model: Consulted,
}

/// Maps the broadcast again after it was changed. A model is asked only if the workshop has one. `None` when a person is
/// writing to the broadcast, or has it away: what they save wakes the weaver, which maps it then.
pub fn map_again(shop: &Workshop, cancelled: &dyn Fn() -> bool) -> Result<Option<Mapped>, WeaveError> {
    let disk = &*shop.disk;
    let broadcast = match crate::quiet::read(shop, cancelled) {
        Err(error) if error.is_busy() => return Ok(None),
        read => read?,
    };
    let journal = Journal::read(disk, &shop.folder)?;
    let mut compiled = CompiledBroadcast::by_rules(broadcast);
    let synced = compiled.sync(disk, &shop.folder)?;
    let asked = compiler::compile_lines(shop, &mut compiled, &synced, &Projects::read(shop), cancelled)?;
    // To the end: whoever made an edit reports it.
    let crystallized = crystallizer::crystallize(shop, &compiled, &journal, &|| false)?;
    let changed = [synced.changed, asked.changed, crystallized.changed].concat();
    Ok(Some(Mapped { compiled, journal, changed, model: asked.consulted }))
}
