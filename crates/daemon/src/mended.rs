//! What the event log found broken and put right, told in the daemon's own log.

use subcortex_spine::Spine;
use tracing::warn;

/// Tells what an append mended.
pub(crate) fn tell(spine: &mut Spine) {
    for repair in spine.take_repairs() {
        warn!(
            file = %repair.file.display(),
            offset = repair.offset,
            cut_bytes = repair.cut_bytes,
            reason = %repair.reason,
            "spine repaired"
        );
    }
    for aside in spine.take_set_aside() {
        let (path, kept) = (aside.path.display(), aside.kept.display());
        warn!(%path, %kept, reason = %aside.reason, "no index: set aside, and made anew");
    }
}
