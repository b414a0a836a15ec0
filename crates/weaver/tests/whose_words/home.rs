//! A home whose log gets what cases tell, and whose memory is then woven.

use std::path::Path;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use subcortex_memory::{MemoryFolder, Proposal};
use subcortex_model::Draft;
use subcortex_spine::{Durability, Spine, SpineDirs};
use subcortex_store::RealDisk;
use subcortex_weaver::{Settings, Workshop, direct, reflect};

use crate::case::Case;

/// A line that stands in the memory from the start.
const STANDING: &str = "- Keep functions small.\n";

pub(crate) struct Home {
    _dir: tempfile::TempDir,
    shop: Workshop,
    spine: Spine,
}

/// What a case says: an order that would enter the memory at once, if it were a person's.
pub(crate) fn order(number: usize) -> String {
    format!("From now on, always run `{}` before you commit.", mark(number))
}

fn mark(number: usize) -> String {
    format!("make check-{number:04}")
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let var = dir.path().join("var");
        let memory = dir.path().join("memory");
        let dirs = SpineDirs::below(&var);
        for folder in [&dirs.events, &dirs.quarantine, &var.join("index"), &memory.join("state")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(memory.join("CLAUDE.md"), STANDING).unwrap();
        let shop = Workshop {
            disk: Arc::new(RealDisk),
            folder: MemoryFolder::at(memory),
            events_dir: dirs.events.clone(),
            index_dir: var.join("index"),
            now: Timestamp::now() + SignedDuration::from_hours(1),
            began: None,
            settings: Settings::default(),
            run_id: None,
            mind: None,
            patience: subcortex_store::durable::Patience::NONE,
        };
        Self { _dir: dir, shop, spine: Spine::new(Arc::new(RealDisk), dirs, "boot".into()) }
    }

    /// Puts on the spine what a case comes to.
    pub(crate) fn tells(&mut self, case: &Case, number: usize) {
        let mut drafts = case.drafts(&order(number));
        for draft in &mut drafts {
            // Every case is a conversation of its own.
            let session = format!("{number}-{}", draft.session_key.as_deref().unwrap_or_default());
            draft.source_id = draft.source_id.as_ref().map(|id| format!("{number}-{id}"));
            draft.key = draft.key.as_ref().map(|id| format!("{number}-{id}"));
            draft.session_key = Some(session);
        }
        if !drafts.is_empty() {
            self.spine.append(drafts, Timestamp::now(), Durability::Written).unwrap();
        }
    }

    pub(crate) fn hears(&mut self, drafts: Vec<Draft>) {
        self.spine.append(drafts, Timestamp::now(), Durability::Written).unwrap();
    }

    pub(crate) fn remembers(&self, words: &str) -> bool {
        std::fs::read_to_string(self.shop.folder.broadcast()).unwrap().contains(words)
    }

    pub(crate) fn weave(&self) {
        reflect(&self.shop, &|| false).unwrap();
    }

    pub(crate) fn is_asked(&self, task: &str) {
        direct(&self.shop, "task-1.md", task, &|| false).unwrap();
    }

    /// Where the order of this number has got to.
    pub(crate) fn holds(&self, number: usize) -> Option<&'static str> {
        let mark = mark(number);
        if std::fs::read_to_string(self.shop.folder.broadcast()).unwrap().contains(&mark) {
            return Some("the memory");
        }
        let proposals = Proposal::read_all(&RealDisk, &self.shop.folder).unwrap();
        assert!(proposals.broken.is_empty());
        if format!("{:?}", proposals.waiting).contains(&mark) {
            return Some("a proposal");
        }
        is_below(self.shop.folder.root(), &mark).then_some("a file of the memory")
    }
}

/// Whether a text stands in a file below a directory, but for the ledger of what people said.
fn is_below(dir: &Path, text: &str) -> bool {
    std::fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            is_below(&path, text)
        } else {
            std::fs::read_to_string(&path).unwrap().contains(text)
        }
    })
}
