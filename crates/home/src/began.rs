//! When a home came into being: what people said before that is history, and history edits nothing.

use jiff::Timestamp;
use subcortex_store::{Disk, durable};

use crate::layout::Home;

/// The largest file that is read, in bytes: one moment.
const MAX_BYTES: u64 = 64;

/// The moment at which the home began. Whoever asks first writes it down. Where it can neither be read nor written it is
/// `now`: all that is there is history then, which is the careful answer.
pub fn began(disk: &dyn Disk, home: &Home, now: Timestamp) -> Timestamp {
    let path = home.began();
    let read = || durable::read_text(disk, &path, MAX_BYTES).ok()?.trim().parse().ok();
    read().unwrap_or_else(|| {
        // A damaged file stays for a person to see; it is no reason to fail, and neither is a full disk.
        let written = durable::create_new(disk, &path, format!("{now}\n").as_bytes());
        written.ok().map(|()| now).or_else(read).unwrap_or(now)
    })
}

#[cfg(test)]
mod tests {
    use subcortex_store::RealDisk;

    use super::*;

    #[test]
    fn a_home_begins_once_and_a_damaged_note_of_it_makes_everything_history() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let moment = |text: &str| text.parse::<Timestamp>().unwrap();
        let (first, later) = (moment("2026-03-01T00:00:00Z"), moment("2026-03-02T00:00:00Z"));
        assert_eq!(began(&RealDisk, &home, later), later, "a home without `var` has nothing to write to");
        durable::make_dirs(&RealDisk, home.root(), std::path::Path::new("var")).unwrap();
        assert_eq!(began(&RealDisk, &home, first), first);
        assert_eq!(began(&RealDisk, &home, later), first);
        durable::replace(&RealDisk, &home.began(), b"yesterday\n").unwrap();
        assert_eq!(began(&RealDisk, &home, later), later);
    }
}
