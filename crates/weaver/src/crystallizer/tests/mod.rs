//! The crystallizer on a real folder, and on disks that fail.

mod again;
mod crash;
mod dossiers;
mod index;
mod ledger;
mod order;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use subcortex_checks::RootCause;
use subcortex_memory::{
    Change, ChangeKind, Edit, Fragment, Journal, JudgedBy, LineHash, LineRef, MemoryFolder, Origin,
    SignalKind, Trajectory, fragments,
};
use subcortex_model::EventId;
use subcortex_store::{Disk, RealDisk, durable};
use subcortex_testkit::FakeHome;

use super::{Crystallized, crystallize};
use crate::{CompiledBroadcast, Workshop};

/// A home with evidence.
pub(super) struct World {
    pub(super) shop: Workshop,
    pub(super) compiled: CompiledBroadcast,
    pub(super) journal: Journal,
    home: PathBuf,
    _home: Option<FakeHome>,
}

impl World {
    pub(super) fn new(broadcast: &str) -> Self {
        let home = FakeHome::new();
        let mut world = Self::on(Arc::new(RealDisk), home.root(), broadcast);
        world._home = Some(home);
        world
    }

    pub(super) fn on(disk: Arc<dyn Disk>, home: &Path, broadcast: &str) -> Self {
        durable::make_dirs(&*disk, home, Path::new("memory")).unwrap();
        durable::make_dirs(&*disk, home, Path::new("var")).unwrap();
        Self {
            shop: shop(disk, home),
            compiled: broadcast.into(),
            journal: Journal::default(),
            home: home.to_owned(),
            _home: None,
        }
    }

    pub(super) fn add(&self, fragments: &[Fragment]) {
        fragments::write(&*self.shop.disk, &self.shop.folder, fragments).unwrap();
    }

    pub(super) fn run(&self) -> Crystallized {
        crystallize(&self.shop, &self.compiled, &self.journal, &|| false).unwrap()
    }

    pub(super) fn ledger(&self) -> String {
        durable::read_text(&*self.shop.disk, &self.shop.folder.ledger(), 1 << 26).unwrap()
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.home.join(below)
    }

    pub(super) fn write(&self, below: &str, text: &str) {
        durable::replace(&*self.shop.disk, &self.path(below), text.as_bytes()).unwrap();
    }

    pub(super) fn line_hash(&self, at: usize) -> LineHash {
        self.compiled.broadcast.lines[at].hash.clone()
    }

    /// Ledger and dossiers, by path.
    pub(super) fn product(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for dir in ["memory/effectiveness", "memory/entities", "memory/topics"] {
            for name in self.shop.disk.list(&self.path(dir)).unwrap_or_default() {
                let path = self.path(dir).join(&name);
                let text = durable::read_text(&*self.shop.disk, &path, 1 << 26).unwrap();
                found.insert(format!("{dir}/{}", name.to_str().unwrap()), text);
            }
        }
        found
    }

    /// The one dossier whose path begins so.
    #[track_caller]
    pub(super) fn dossier(&self, begin: &str) -> String {
        let mut product = self.product();
        product.retain(|path, _| path.starts_with(begin));
        assert_eq!(product.len(), 1, "{:?}", product.keys());
        product.into_values().next().unwrap()
    }
}

pub(super) fn shop(disk: Arc<dyn Disk>, home: &Path) -> Workshop {
    let now = "2099-01-01T00:00:00Z".parse().unwrap();
    Workshop::new(disk, MemoryFolder::at(home.join("memory")), &home.join("var"), now)
}

/// Something that a person said, in the session `s<session>`, which no line says.
pub(super) fn said(event: usize, session: usize, signal: SignalKind, quote: &str) -> Fragment {
    let minute = event % 60;
    let day = 1 + event / 60 % 28;
    Fragment {
        source_event_id: EventId::from_log(format!("evt_{event}")),
        source_ts: format!("2026-01-{day:02}T10:{minute:02}:00Z").parse().unwrap(),
        source_kind: "claude".into(),
        session_key: Some(format!("s{session}")),
        event_type: "channel.message".into(),
        project: Some("/home/x/web".into()),
        signal,
        line: None,
        trajectory: Trajectory::NewSignal,
        activation: Trajectory::NewSignal.usual_activation(),
        root_cause: None,
        origin: Origin::Person,
        judged_by: JudgedBy::Check,
        rule: None,
        quote: quote.into(),
        note: "no line of the broadcast says this".into(),
        pointers: Vec::new(),
    }
}

/// Evidence about a line.
pub(super) fn about(
    event: usize,
    session: usize,
    line: (usize, &LineHash),
    trajectory: Trajectory,
) -> Fragment {
    let signal = match trajectory {
        Trajectory::Strengthening => SignalKind::LineHelped,
        Trajectory::Weakening | Trajectory::NewSignal => SignalKind::LineFailed,
        Trajectory::Neutral => SignalKind::Coverage,
    };
    Fragment {
        line: Some(LineRef { number: line.0, hash: line.1.clone() }),
        trajectory,
        activation: trajectory.usual_activation(),
        origin: Origin::Agent,
        ..said(event, session, signal, "pnpm test")
    }
}

/// A person contradicts a line.
pub(super) fn against(event: usize, session: usize, line: (usize, &LineHash), quote: &str) -> Fragment {
    Fragment {
        signal: SignalKind::Correction,
        root_cause: Some(RootCause::DirectionWrong),
        origin: Origin::Person,
        judged_by: JudgedBy::Check,
        rule: None,
        quote: quote.into(),
        ..about(event, session, line, Trajectory::Weakening)
    }
}

/// An edit that took a line out.
pub(super) fn removal(id: &str, hash: &LineHash, words: &str) -> Edit {
    let change = Change {
        kind: ChangeKind::Remove,
        line_before: Some(1),
        line_after: None,
        hash_before: Some(hash.clone()),
        hash_after: None,
        before: Some(words.into()),
        after: None,
        project: None,
        why: "contradicted".into(),
        evidence: Vec::new(),
        rate_before: None,
        rate_after: None,
    };
    Edit {
        id: id.into(),
        ts: "2026-02-01T00:00:00Z".parse().unwrap(),
        cause: subcortex_memory::Cause::Evidence,
        run_id: None,
        reverts: None,
        bootstrapped: false,
        changes: vec![change],
    }
}
