//! What commands read that only look: with ten thousand workers, every definition that is read is time.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use subcortex_daemon::shared_inbox;
use subcortex_home::{Home, init};
use subcortex_store::{FaultyDisk, RealDisk};

#[test]
fn without_a_task_in_the_shared_inbox_nobody_asks_who_would_take_it() {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("home"));
    init(&RealDisk, &home).unwrap();
    common::worker(&home, "worker", "echo NO-OP: nothing");
    let read = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&read);
    let disk = FaultyDisk::asking(RealDisk, move |call, path| {
        let is_definition = call == "open Read" && path.ends_with("CLAUDE.md");
        counted.fetch_add(usize::from(is_definition), Ordering::Relaxed);
        Ok(())
    });
    let setup = common::setup(&home, disk);
    assert!(shared_inbox(&setup).is_empty());
    assert_eq!(read.load(Ordering::Relaxed), 0);
    std::fs::write(home.shared_inbox().join("task.md"), "[memory:scan] look").unwrap();
    assert_eq!(shared_inbox(&setup).len(), 1);
    assert!(read.load(Ordering::Relaxed) > 0, "now it has to be known");
}
