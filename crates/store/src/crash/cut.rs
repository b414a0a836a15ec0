//! One way in which a power cut can end.

use subcortex_testkit::Random;

use super::state::{Body, Edit, State, apply, safe_names};

/// The state after a cut: what is safe, and of the rest what the dice say.
pub(super) fn cut(before: &State, seed: u64) -> State {
    let mut dice = Random::seeded(seed);
    let mut after = before.clone();
    for pending in std::mem::take(&mut after.changes) {
        if pending.unsynced.is_empty() || dice.chance(0.5) {
            apply(&mut after.nodes, &pending.change, safe_names);
        }
    }
    for node in &mut after.nodes {
        match &mut node.body {
            Body::Directory { seen, safe } => seen.clone_from(safe),
            Body::File { seen, safe, pending } => {
                for edit in pending.drain(..) {
                    if let Some(edit) = survivor(edit, &mut dice) {
                        edit.apply(safe);
                    }
                }
                seen.clone_from(safe);
            }
        }
    }
    after.forget_locks();
    after
}

/// What is left of an edit that was not synced.
fn survivor(edit: Edit, dice: &mut Random) -> Option<Edit> {
    let (offset, mut bytes) = match edit {
        Edit::Truncate { .. } => return dice.chance(0.5).then_some(edit),
        Edit::Write { offset, bytes } => (offset, bytes),
    };
    if bytes.is_empty() {
        return None;
    }
    match dice.below(6) {
        0 | 1 => {}
        2 => return None,
        3 => bytes.truncate(dice.below(bytes.len())),
        // The length reached the disk, the rest of the content did not.
        4 => {
            let start = dice.below(bytes.len());
            bytes[start..].fill(0);
        }
        _ => {
            let start = dice.below(bytes.len());
            let end = start + 1 + dice.below(bytes.len() - start);
            bytes[start..end].fill_with(|| dice.bits().to_le_bytes()[0]);
        }
    }
    Some(Edit::Write { offset, bytes })
}
