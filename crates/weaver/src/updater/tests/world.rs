//! A home with people in it.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use subcortex_checks::RootCause;
use subcortex_memory::fragments;
use subcortex_memory::{
    Broadcast, Fragment, Journal, JudgedBy, LineRef, MemoryFolder, Origin, SignalKind, Trajectory,
};
use subcortex_model::{Draft, EventId, Source, event_type};
use subcortex_spine::{Appended, Durability, Spine, SpineDirs};
use subcortex_store::{Disk, RealDisk};
use subcortex_testkit::FakeHome;

use crate::updater::{Request, Updated, update};
use crate::{CompiledBroadcast, Tally, Workshop};

pub(super) struct World {
    home: FakeHome,
    pub(super) shop: Workshop,
    pub(super) spine: Spine,
}

/// What a person says about a line.
#[derive(Clone, Copy)]
pub(super) enum Side {
    With,
    Against,
}

impl World {
    /// A home with this broadcast; none if it is empty.
    pub(super) fn with(broadcast: &str) -> Self {
        let home = FakeHome::with_folders(&["memory/state", "memory/topics", "memory/entities", "var"]);
        if !broadcast.is_empty() {
            home.write("memory/CLAUDE.md", broadcast);
        }
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let (folder, var) = (MemoryFolder::at(home.path("memory")), home.path("var"));
        let now = "2026-03-02T08:00:00Z".parse().unwrap();
        let shop =
            Workshop { run_id: Some("run_1".into()), ..Workshop::new(Arc::clone(&disk), folder, &var, now) };
        Self { home, shop, spine: Spine::new(disk, SpineDirs::below(&var), "boot".into()) }
    }

    pub(super) fn later(&mut self, hours: i64) -> &mut Self {
        self.shop.now = self.shop.now.checked_add(SignedDuration::from_hours(hours)).unwrap();
        self
    }

    /// Puts an event on the spine.
    pub(super) fn event(
        &mut self,
        event_type: &str,
        kind: &str,
        session: &str,
        project: &str,
        text: &str,
    ) -> (EventId, Timestamp) {
        self.shop.now = self.shop.now.checked_add(SignedDuration::from_secs(60)).unwrap();
        let payload = json!({"text": text}).as_object().unwrap().clone();
        let mut draft = Draft::new(event_type, Source::of(kind), payload);
        draft.session_key = Some(session.into());
        draft.cwd = Some(project.into());
        draft.ts = Some(self.shop.now);
        let appended = self.spine.append(vec![draft], self.shop.now, Durability::Written).unwrap().remove(0);
        let Appended::New(id) = appended else { panic!("a duplicate") };
        (id, self.shop.now)
    }

    /// Writes a fragment; where one of that name is there already, as somebody would by hand under another name.
    pub(super) fn fragment(&self, fragment: Fragment) {
        let written =
            fragments::write(&*self.shop.disk, &self.shop.folder, std::slice::from_ref(&fragment)).unwrap();
        if written.is_empty() {
            let path = self.shop.folder.fragments().join(fragment.file());
            let taken = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
            std::fs::write(path.with_extension(format!("{taken}.md")), fragment.to_text()).unwrap();
        }
    }

    pub(super) fn blank(id: &EventId, ts: Timestamp, session: &str, project: &str, quote: &str) -> Fragment {
        Fragment {
            source_event_id: id.clone(),
            source_ts: ts,
            source_kind: "claude".into(),
            session_key: Some(session.into()),
            event_type: event_type::CHANNEL_MESSAGE.into(),
            project: Some(project.into()),
            signal: SignalKind::Correction,
            line: None,
            trajectory: Trajectory::NewSignal,
            activation: Trajectory::NewSignal.usual_activation(),
            root_cause: None,
            origin: Origin::Person,
            judged_by: JudgedBy::Check,
            rule: None,
            quote: quote.into(),
            note: "as the test says".into(),
            pointers: vec![],
        }
    }

    /// A person wishes something that no line says.
    pub(super) fn wish(&mut self, session: &str, project: &str, signal: SignalKind, text: &str) -> EventId {
        let (id, ts) = self.event(event_type::CHANNEL_MESSAGE, "claude", session, project, text);
        self.fragment(Fragment { signal, ..Self::blank(&id, ts, session, project, text) });
        id
    }

    /// A person says something about the rule that begins with these words.
    pub(super) fn about(
        &mut self,
        rule: &str,
        side: Side,
        session: &str,
        project: &str,
        signal: SignalKind,
        text: &str,
    ) -> EventId {
        let (id, ts) = self.event(event_type::CHANNEL_MESSAGE, "claude", session, project, text);
        let line = self.line(rule);
        let root_cause = match side {
            Side::With => None,
            Side::Against => Some(RootCause::DirectionWrong),
        };
        let blank = Self::blank(&id, ts, session, project, text);
        self.fragment(Fragment {
            signal,
            line: Some(line),
            trajectory: Trajectory::Weakening,
            activation: Trajectory::Weakening.usual_activation(),
            root_cause,
            ..blank
        });
        id
    }

    /// Nobody says anything: the line was followed or missed so often.
    pub(super) fn seen(&mut self, rule: &str, project: &str, trajectory: Trajectory, times: usize) {
        for _ in 0..times {
            let (id, ts) = self.event(event_type::AGENT_RESULT, "claude", "seen", project, "done");
            let signal = match trajectory {
                Trajectory::Strengthening => SignalKind::LineHelped,
                Trajectory::Weakening => SignalKind::LineFailed,
                Trajectory::Neutral | Trajectory::NewSignal => SignalKind::Coverage,
            };
            let blank = Self::blank(&id, ts, "seen", project, "done");
            self.fragment(Fragment {
                signal,
                line: Some(self.line(rule)),
                trajectory,
                activation: trajectory.usual_activation(),
                origin: Origin::Agent,
                ..blank
            });
        }
    }

    fn line(&self, rule: &str) -> LineRef {
        let broadcast = self.broadcast();
        let line = broadcast
            .lines
            .iter()
            .find(|line| line.text.trim_start_matches(['-', '*', ' ']).starts_with(rule));
        let line = line.unwrap_or_else(|| panic!("no rule {rule}"));
        LineRef { number: line.number, hash: line.hash.clone() }
    }

    pub(super) fn broadcast(&self) -> Broadcast {
        Broadcast::read(&*self.shop.disk, &self.shop.folder).unwrap()
    }

    pub(super) fn compiled(&self) -> CompiledBroadcast {
        CompiledBroadcast::by_rules(self.broadcast())
    }

    pub(super) fn text(&self) -> String {
        self.broadcast().text.unwrap_or_default()
    }

    pub(super) fn journal(&self) -> Journal {
        Journal::read(&*self.shop.disk, &self.shop.folder).unwrap()
    }

    /// What all fragments say.
    pub(super) fn tally(&self) -> Tally {
        let sound = Workshop { disk: Arc::new(RealDisk), ..self.shop.clone() };
        crate::crystallizer::tally(&sound, &|| false).unwrap().0
    }

    pub(super) fn run(&self) -> Updated {
        self.asked(&Request::Reflective)
    }

    pub(super) fn asked(&self, request: &Request) -> Updated {
        update(&self.shop, &self.compiled(), &self.tally(), &self.journal(), request).unwrap()
    }

    /// Every file below `memory/` but fragments, with its content.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let mut found = self.everything();
        found.retain(|(name, _)| !name.contains("/fragments/"));
        found
    }

    /// Where a file of the home is.
    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.home.path(name)
    }

    /// Every file below `memory/`, with its content.
    pub(super) fn everything(&self) -> Vec<(String, String)> {
        self.home.texts("memory")
    }
}
