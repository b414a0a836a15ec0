//! An agent of which nobody knew anything: with its module and its line in the list, everything that walks the list works.
#![allow(missing_docs, clippy::unwrap_used, clippy::disallowed_methods)]

mod toy;

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use subcortex_audit::{Found, Place, Project, Rules, audit};
use subcortex_connect::{Link, apply, is_connected, plan_connect, plan_disconnect};
use subcortex_engine::{Cancellation, GroupPrefix, ProcessLauncher};
use subcortex_headless::{AgentEnding, Headless};
use subcortex_home::{Home, init};
use subcortex_import::{Look, Options, Root, Sources, Tail, import};
use subcortex_known_agents::headless::Order;
use subcortex_known_agents::hooks::{Call, drafts};
use subcortex_known_agents::{AGENTS, Agent};
use subcortex_spine::Spine;
use subcortex_store::RealDisk;

use toy::TOY;

const TALK: &str = "{\"toy\": \"1\", \"by\": \"person\", \"text\": \"install left-pad\"}\n\
                    {\"toy\": \"2\", \"by\": \"shell\", \"text\": \"npm install left-pad\"}\n";

/// The line.
fn agents() -> Vec<&'static Agent> {
    AGENTS.iter().copied().chain([&TOY]).collect()
}

struct Scene {
    dir: tempfile::TempDir,
    home: Home,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().canonicalize().unwrap().join("home"));
        init(&RealDisk, &home).unwrap();
        let scene = Self { dir, home };
        for folder in TOY.session_folders(&scene.config_dir()) {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("s.jsonl"), TALK).unwrap();
        }
        scene
    }

    fn config_dir(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(TOY.config_dir.usual)
    }

    fn spine(&self) -> Spine {
        Spine::new(Arc::new(RealDisk), self.home.spine(), "this-boot".into())
    }

    fn audited(&self, found: Found) -> (u64, u64) {
        let agents = agents();
        let options = subcortex_audit::Options {
            disk: &RealDisk,
            agents: &agents,
            roles: None,
            own_dirs: Vec::new(),
            since_days: None,
            now: Timestamp::now() + SignedDuration::from_hours(2),
            threads: 1,
        };
        let report = audit(Rules::parse("- Use pnpm, not npm.\n"), found, &options, &mut |_| {});
        (report.looked_at.turns, report.rules[0].turns.missed)
    }
}

#[test]
fn its_sessions_are_imported_followed_and_told_once() {
    let scene = Scene::new();
    let options = Options { agent: &TOY, own_dirs: Vec::new(), only: None, clock: &Timestamp::now };
    let folders = TOY.session_folders(&scene.config_dir());
    let sources = Sources::find(&RealDisk, &[&TOY], &folders);
    let summary = import(&mut scene.spine(), &RealDisk, sources, &options, &mut |_| {}).unwrap();
    assert_eq!((summary.files, summary.events), (1, 2));

    let more = format!("{TALK}{{\"toy\": \"3\", \"by\": \"person\", \"text\": \"thanks\"}}\n");
    std::fs::write(folders[0].join("s.jsonl"), more).unwrap();
    let places = scene.home.var().join("index/tail.json");
    let (mut tail, problem) = Tail::open(Arc::new(RealDisk), places, Vec::new());
    assert_eq!(problem, None);
    let roots = [Root { agent: &TOY, path: folders[0].clone() }];
    let news = tail.look(&mut scene.spine(), &roots, Look::Everything, &Timestamp::now, &|| true).unwrap();
    assert_eq!((news.events, news.duplicates), (1, 2));
}

#[test]
fn its_sessions_are_audited_where_it_keeps_them_and_recognised_elsewhere() {
    let scene = Scene::new();
    let places = [Place { agent: &TOY, config_dir: scene.config_dir() }];
    let project = Project::Folders(vec!["/p".into()]);
    assert_eq!(scene.audited(Found::of_project(&RealDisk, &places, &project)), (1, 1));
    let other = Project::Folders(vec!["/other".into()]);
    assert_eq!(scene.audited(Found::of_project(&RealDisk, &places, &other)), (0, 0));
    assert_eq!(scene.audited(Found::below(&RealDisk, &[&TOY], &scene.config_dir())), (1, 1));
}

#[test]
fn its_hooks_tell_what_its_sessions_tell_under_the_same_name() {
    let agents = agents();
    let call = Call {
        event: "Said",
        agents: &agents,
        input: br#"{"toy": "1", "session_id": "s", "text": "install left-pad"}"#,
        entrypoint: None,
        own_dirs: Vec::new(),
    };
    let told = drafts(&RealDisk, &call).unwrap();
    let mut reader = TOY.reader(subcortex_known_agents::Options::default());
    let mut read = Vec::new();
    reader.line(TALK.lines().next().unwrap().as_bytes(), &mut read);
    assert_eq!((told[0].source_id.as_ref(), told.len()), (read[0].source_id.as_ref(), 1));
}

#[test]
fn it_is_connected_and_disconnected_without_a_trace() {
    let scene = Scene::new();
    let link = Link {
        agent: &TOY,
        settings: TOY.settings().unwrap(),
        config_dir: scene.config_dir(),
        binary: "/bin/sh".into(),
        home: scene.home.clone(),
    };
    let file = scene.config_dir().join("toy.json");
    std::fs::write(&file, "{\n  // mine\n}\n").unwrap();
    apply(&RealDisk, &link, &plan_connect(&RealDisk, &link).unwrap()).unwrap();
    assert!(is_connected(&RealDisk, &scene.home, &TOY));
    assert!(std::fs::read_to_string(&file).unwrap().contains("hook Said --agent toy"));
    assert!(std::fs::read_to_string(scene.config_dir().join("TOY.md")).unwrap().starts_with('@'));
    apply(&RealDisk, &link, &plan_disconnect(&RealDisk, &link).unwrap()).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{\n  // mine\n}\n");
}

#[tokio::test]
async fn its_program_does_what_it_is_told_without_a_terminal() {
    let scene = Scene::new();
    let program = scene.dir.path().join("toy");
    std::fs::write(&program, "#!/bin/sh\nread -r said\necho \"{\\\"text\\\": \\\"heard: $said\\\"}\"\n")
        .unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let prefix = GroupPrefix::for_home(&format!("toy{}", std::process::id())).unwrap();
    let headless = Headless {
        agent: &TOY,
        program,
        environment: [("PATH".into(), "/usr/bin:/bin".into())].into(),
        launcher: Arc::new(ProcessLauncher::new(prefix).unwrap()),
    };
    let order = Order {
        run_id: "r1".into(),
        cwd: scene.dir.path().into(),
        prompt: "hello\n".into(),
        model: None,
        tools: Vec::new(),
        max_turns: 1,
        max_usd: None,
        max_output_tokens: None,
        gatekeeper: None,
        schema: None,
        subagents: None,
        readable: Vec::new(),
        changeable: Vec::new(),
        mode: subcortex_known_agents::headless::PermissionMode::default(),
        writable: None,
        max_duration_ms: 60_000,
    };
    let outcome = headless.run(order, Cancellation::never()).await.unwrap();
    assert_eq!((outcome.ending, outcome.text.as_str()), (AgentEnding::Well, "heard: hello"));
}
