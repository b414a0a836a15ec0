//! What an append found broken and put right: who caused it to be looked at is told.

use subcortex_spine::Spine;

use crate::output::note;

/// Tells what the log mended since it was asked last.
pub(crate) fn tell(spine: &mut Spine) {
    for aside in spine.take_set_aside() {
        note(&format!(
            "note: {} was not a usable index and has been moved to {}; a new one has been made ({})",
            aside.path.display(),
            aside.kept.display(),
            aside.reason
        ));
    }
    for repair in spine.take_repairs() {
        note(&format!(
            "note: the end of {} was torn and has been repaired: {}",
            repair.file.display(),
            repair.reason
        ));
    }
}
