//! A person with a home, a working directory, and an agent that talks to a scripted model.

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use subcortex_engine::{Cancellation, GroupPrefix, ProcessLauncher};
use subcortex_fake_model::{Model, Script};
use subcortex_headless::{AgentEnding, AgentOutcome, Headless};
use subcortex_known_agents::headless::{Order, PermissionMode};
use subcortex_known_agents::{Agent, CLAUDE, CODEX};
use subcortex_mind::FailureKind;
use subcortex_testkit::skip;

/// How long an agent may take on a busy machine, in milliseconds.
const PATIENCE_MS: u64 = 300_000;

/// One agent on its stage.
pub(crate) struct Stage {
    dir: tempfile::TempDir,
    pub(crate) model: Model,
    pub(crate) headless: Arc<Headless>,
}

impl Stage {
    /// A stage for Claude Code; `None`, and a skipped test, where it is not installed.
    pub(crate) fn claude(test: &str, script: Script) -> Option<Self> {
        let below =
            ["@anthropic-ai/claude-code-linux-x64/claude", "@anthropic-ai/claude-code-linux-arm64/claude"];
        let program = program(test, "@anthropic-ai/claude-code", &below)?;
        Some(Self::new(&CLAUDE, program, script))
    }

    /// A stage for Codex.
    pub(crate) fn codex(test: &str, script: Script) -> Option<Self> {
        let below = [
            "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
            "@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex",
        ];
        let program = program(test, "@openai/codex", &below)?;
        let stage = Self::new(&CODEX, program, script);
        stage.write(
            "home/.codex/config.toml",
            &format!(
                "model = \"scripted\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\nname = \"scripted\"\n\
                 base_url = \"http://127.0.0.1:{}/v1\"\nwire_api = \"responses\"\nenv_key = \"MODEL_KEY\"\n\
                 request_max_retries = 1\nstream_max_retries = 1\n[analytics]\nenabled = false\n[otel]\nexporter = \"none\"\n",
                stage.model.port
            ),
        );
        Some(stage)
    }

    fn new(agent: &'static Agent, program: PathBuf, script: Script) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let model = Model::start(script);
        for below in ["home/.claude", "home/.codex", "work", "readable", "elsewhere"] {
            std::fs::create_dir_all(dir.path().join(below)).unwrap();
        }
        let text = |text: &str| text.to_owned();
        let environment: BTreeMap<_, _> = [
            ("PATH", text("/usr/bin:/bin")),
            ("HOME", dir.path().join("home").to_str().unwrap().to_owned()),
            ("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", model.port)),
            ("ANTHROPIC_API_KEY", text("dummy")),
            ("MODEL_KEY", text("dummy")),
            ("HTTPS_PROXY", text("http://127.0.0.1:9")),
            ("HTTP_PROXY", text("http://127.0.0.1:9")),
            ("NO_PROXY", text("127.0.0.1")),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        let headless = Arc::new(Headless { agent, program, environment, launcher: launcher() });
        Self { dir, model, headless }
    }

    /// Codex as it is for a user who trusts the hooks that are set up.
    pub(crate) fn trust_hooks(&mut self) {
        let program = self.headless.program.display();
        let script =
            format!("#!/bin/sh\nshift\nexec {program} exec --dangerously-bypass-hook-trust \"$@\"\n");
        self.write("trusting", &script);
        let path = self.path("trusting");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Arc::get_mut(&mut self.headless).unwrap().program = path;
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    pub(crate) fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn append(&self, below: &str, text: &str) {
        let mut file = std::fs::OpenOptions::new().append(true).open(self.path(below)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// An order with these tools, and no other wishes.
    pub(crate) fn order(&self, tools: &[&str]) -> Order {
        Order {
            run_id: "r1".into(),
            cwd: self.path("work"),
            prompt: "Do what the script says.".into(),
            model: (self.headless.agent == &CLAUDE).then(|| "claude-sonnet-4-5".into()),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            max_turns: 20,
            max_usd: Some(5.0),
            max_output_tokens: None,
            gatekeeper: None,
            schema: None,
            subagents: None,
            readable: vec![self.path("readable")],
            changeable: Vec::new(),
            mode: PermissionMode::default(),
            writable: None,
            max_duration_ms: PATIENCE_MS,
        }
    }

    pub(crate) async fn run(&self, order: Order) -> AgentOutcome {
        let outcome = self.headless.run(order, Cancellation::never()).await.unwrap();
        assert_eq!(self.processes(), Vec::<String>::new(), "nobody is left");
        outcome
    }

    /// The processes that still work in the working directory.
    pub(crate) fn processes(&self) -> Vec<String> {
        let work = self.path("work");
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == work))
            .map(|process| process.file_name().to_string_lossy().into_owned())
            .collect()
    }

    /// Files below the home with this ending.
    pub(crate) fn files_ending(&self, ending: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.path("home")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(path),
                    false if path.to_string_lossy().ends_with(ending) => found.push(path),
                    false => {}
                }
            }
        }
        found
    }
}

/// A launcher of its own for each stage.
pub(crate) fn launcher() -> Arc<ProcessLauncher> {
    static TAGS: AtomicU32 = AtomicU32::new(0);
    let tag = format!("h{}x{}", std::process::id(), TAGS.fetch_add(1, Ordering::Relaxed));
    Arc::new(ProcessLauncher::new(GroupPrefix::for_home(&tag).unwrap()).unwrap())
}

#[track_caller]
pub(crate) fn failed(outcome: &AgentOutcome, expect: FailureKind) -> &str {
    match &outcome.ending {
        AgentEnding::Failed { kind, why } => {
            assert_eq!(*kind, expect, "{outcome:#?}");
            why
        }
        AgentEnding::Well | AgentEnding::Process(_) => panic!("{outcome:#?}"),
    }
}

#[track_caller]
pub(crate) fn went_well(outcome: &AgentOutcome) {
    assert_eq!(outcome.ending, AgentEnding::Well, "{outcome:#?}");
}

/// Where a program of an npm package is, by the folder of its platform.
fn program(test: &str, package: &str, below: &[&str]) -> Option<PathBuf> {
    let named = std::env::var_os("SUBCORTEX_TEST_AGENTS").map(PathBuf::from);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let modules = named.unwrap_or_else(|| target.join("agents")).join("node_modules");
    let found = below.iter().map(|path| modules.join(path)).find(|path| path.is_file());
    if found.is_none() {
        let place = modules.display();
        skip(
            test,
            &format!("the npm package {package} is not below {place}; `cargo xtask test` installs it"),
        );
    }
    found
}
