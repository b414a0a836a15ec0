//! One way in which a power cut can end.

use super::state::{Body, Edit, State, apply, safe_names};

/// A small random number generator (SplitMix64): the same seed gives the same cut on every machine.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap_or(0)
    }

    fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }
}

/// The state after a cut: what is safe, and of the rest what the dice say.
pub(super) fn cut(before: &State, seed: u64) -> State {
    let mut dice = Dice(seed);
    let mut after = before.clone();
    for pending in std::mem::take(&mut after.changes) {
        if pending.unsynced.is_empty() || dice.coin() {
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
fn survivor(edit: Edit, dice: &mut Dice) -> Option<Edit> {
    let (offset, mut bytes) = match edit {
        Edit::Truncate { .. } => return dice.coin().then_some(edit),
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
            bytes[start..end].fill_with(|| dice.next().to_le_bytes()[0]);
        }
    }
    Some(Edit::Write { offset, bytes })
}
