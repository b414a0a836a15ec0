//! A throw-away spine, and a way to look at what is in it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;
use subcortex_model::{Draft, Event, Source};
use subcortex_spine::{Appended, Durability, Item, Reader, Spine, SpineDirs, Verification, verify};
use subcortex_store::{Disk, RealDisk};
use subcortex_testkit::{FakeHome, skip};

pub(crate) struct Home {
    pub(crate) dir: FakeHome,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { dir: FakeHome::new() }
    }

    /// A home on a file system in memory where there is one: for thousands of trials, whose syncs cost nothing.
    pub(crate) fn in_memory() -> Self {
        Self { dir: FakeHome::in_memory() }
    }

    pub(crate) fn dirs(&self) -> SpineDirs {
        SpineDirs::below(self.dir.root())
    }

    pub(crate) fn spine(&self) -> Spine {
        self.spine_on(Arc::new(RealDisk))
    }

    pub(crate) fn spine_on(&self, disk: Arc<dyn Disk>) -> Spine {
        Spine::new(disk, self.dirs(), "this-boot".into())
    }

    pub(crate) fn day_file(&self) -> PathBuf {
        self.dirs().events.join("2026-03-01.jsonl")
    }

    pub(crate) fn append(&self, text: &str) {
        let added = self.spine().append(vec![message(text)], now(), Durability::Written).unwrap();
        assert!(matches!(&*added, [Appended::New(_)]));
    }

    /// The texts of all external records, and `!` with the reason for each damage.
    pub(crate) fn texts(&self) -> Vec<String> {
        texts(&self.dirs().events)
    }

    pub(crate) fn verify(&self) -> Verification {
        verify(&RealDisk, &self.dirs().events).unwrap()
    }

    pub(crate) fn write_day(&self, bytes: &[u8]) {
        std::fs::create_dir_all(self.dirs().events).unwrap();
        std::fs::write(self.day_file(), bytes).unwrap();
    }
}

pub(crate) fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

pub(crate) fn message(text: &str) -> Draft {
    let payload = json!({ "text": text }).as_object().cloned().unwrap();
    let mut draft = Draft::new("channel.message", Source::of("claude"), payload);
    draft.session_key = Some("s1".into());
    draft
}

pub(crate) fn keyed(text: &str, source_id: &str) -> Draft {
    Draft { source_id: Some(source_id.into()), ..message(text) }
}

pub(crate) fn texts(events_dir: &Path) -> Vec<String> {
    let mut seen = Vec::new();
    read_all(events_dir, |item| match item {
        Item::Record { envelope, .. } => {
            let event: Event = envelope.to_event().unwrap();
            if let Some(text) = event.text() {
                seen.push(text.to_owned());
            }
        }
        Item::Damaged { damage, .. } => seen.push(format!("!{damage}")),
    });
    seen
}

pub(crate) fn read_all(events_dir: &Path, mut visit: impl FnMut(Item<'_>)) {
    let mut reader = Reader::open(Arc::new(RealDisk), events_dir, None).unwrap();
    reader
        .read(|_, item| {
            visit(item);
            ControlFlow::Continue(())
        })
        .unwrap();
}

/// A file system of 256 KiB, where one can be mounted.
pub(crate) struct SmallFileSystem {
    dir: tempfile::TempDir,
}

impl SmallFileSystem {
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for SmallFileSystem {
    fn drop(&mut self) {
        drop(std::process::Command::new("umount").arg(self.dir.path()).status());
    }
}

/// Mounts one; without the right to, the test is reported as skipped.
pub(crate) fn small_file_system() -> Option<SmallFileSystem> {
    let dir = tempfile::tempdir().unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(dir.path())
        .output();
    if mounted.is_ok_and(|output| output.status.success()) {
        return Some(SmallFileSystem { dir });
    }
    skip("full disk", "a small file system cannot be mounted here; it needs root");
    None
}
