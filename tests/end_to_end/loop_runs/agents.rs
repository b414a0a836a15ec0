//! Loops whose engine has a model: the real `claude` program, and the agent loop, with a scripted model on loopback.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use subcortex_fake_model::{Model, Turn};

use super::{COMMON, L1, L2, Scene};
use crate::real_agents::{claude_program, codex_program};

const CLAUDE: &str = "engine: claude\nmodel: claude-sonnet-4-5";
const API: &str = "api: {base_url: \"http://127.0.0.1:PORT\", model: scripted, max_retries: 0}\n";

struct Stage {
    scene: Scene,
    model: Model,
}

impl Stage {
    fn set(
        tier: &str,
        engine: &str,
        settings: &str,
        script: impl Fn(&Value, usize) -> Turn + Send + Sync + 'static,
    ) -> Self {
        let (scene, model) = (Scene::new(), Model::start(script));
        scene.config("fix", &format!("{tier}{}", COMMON.replace("engine: command", engine)));
        scene.home.write("config/subcortex.yaml", settings.replace("PORT", &model.port.to_string()));
        std::fs::create_dir_all(scene.path("../person/.claude")).unwrap();
        Self { scene, model }
    }

    fn run(&self) -> Output {
        let nobody = "http://127.0.0.1:9";
        let mut command = self.scene.command(&["loop", "run", "fix", "--json"]);
        command
            .env("HOME", self.scene.path("../person"))
            .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", self.model.port))
            .envs([("ANTHROPIC_API_KEY", "dummy"), ("OPENAI_API_KEY", "dummy")])
            .envs([("HTTPS_PROXY", nobody), ("HTTP_PROXY", nobody)])
            .env("NO_PROXY", "127.0.0.1");
        command.output().unwrap()
    }

    #[track_caller]
    fn ends(&self, code: i32, word: &str) -> Value {
        let output = self.run();
        let ran: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        assert_eq!(
            (output.status.code(), ran["outcome"].as_str()),
            (Some(code), Some(word)),
            "{ran} {output:?}"
        );
        ran
    }
}

impl Stage {
    /// Puts other words into the config.
    fn change(&self, from: &str, to: &str) {
        let config = self.scene.read(".loops/fix/loop.config.yaml");
        assert!(config.contains(from), "{config}");
        self.scene.write(".loops/fix/loop.config.yaml", &config.replace(from, to));
    }

    /// Settings of Codex under which it asks the scripted model.
    fn set_codex(&self) {
        let port = self.model.port;
        std::fs::create_dir_all(self.scene.path("../person/.codex")).unwrap();
        let config = format!(
            "model = \"scripted\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
             [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\nrequest_max_retries = 1\nstream_max_retries = 1\n\
             [analytics]\nenabled = false\n[otel]\nexporter = \"none\"\n"
        );
        std::fs::write(self.scene.path("../person/.codex/config.toml"), config).unwrap();
    }
}

fn at(program: &Path) -> String {
    format!("agents: {{claude: {}}}\n", program.display())
}

/// Writes a file below where the agent was told to work, which only its own words say.
fn write(request: &Value, below: &str) -> Turn {
    let text = request.to_string();
    let (_, rest) = text.split_once("rimary working directory: ").unwrap_or_else(|| panic!("{text}"));
    let folder = PathBuf::from(rest.split(['\\', '"', '\n']).next().unwrap());
    Turn::Call("writing", "Write", json!({"file_path": folder.join(below), "content": "by claude\n"}))
}

#[test]
fn l2_on_the_real_claude_edits_its_worktree_and_its_change_is_offered() {
    let name = "l2_on_the_real_claude_edits_its_worktree_and_its_change_is_offered";
    let Some(program) = claude_program(name) else { return };
    let report = "It is done.\n{\"status\": \"UPDATED\", \"action\": \"add\", \"item\": \"a file\", \"watch\": [\"the rest\"]}";
    let stage = Stage::set(L2, CLAUDE, &at(&program), move |request, answers| match answers {
        0 => write(request, "src/new.txt"),
        _ => Turn::say(report),
    });
    let ran = stage.ends(0, "offered");
    assert_eq!(ran["branch"], "loop/fix/1");
    assert_eq!(stage.scene.git(&["show", "loop/fix/1:src/new.txt"]), "by claude");
    assert!(stage.scene.state("fix").contains("- the rest"), "{}", stage.scene.state("fix"));
    let log = stage.scene.log("fix");
    assert!(log.contains("action=add  a file  outcome=offered") && !log.contains("tokens=0\n"), "{log}");
    stage.scene.is_tidy();
    let asked = stage.model.requests().join("\n");
    assert!(
        asked.contains("Keep it right. Do not touch anything else.") && asked.contains("src/**, tests/**")
    );
}

#[test]
fn l2_on_the_real_claude_is_stopped_where_it_leaves_its_scope() {
    let Some(program) = claude_program("l2_on_the_real_claude_is_stopped_where_it_leaves_its_scope") else {
        return;
    };
    let stage = Stage::set(L2, CLAUDE, &at(&program), |request, answers| match answers {
        0 => write(request, "elsewhere.txt"),
        _ => Turn::Say("UPDATED: wrote it"),
    });
    let ran = stage.ends(1, "scope");
    assert!(ran["why"].as_str().unwrap().contains("elsewhere.txt"), "{ran}");
    assert_eq!(stage.scene.branches(), [""; 0]);
    stage.scene.is_tidy();
}

#[test]
fn l2_on_the_real_claude_is_stopped_by_its_gates_and_by_what_only_a_person_may_do() {
    let name = "l2_on_the_real_claude_is_stopped_by_its_gates_and_by_what_only_a_person_may_do";
    let Some(program) = claude_program(name) else { return };
    let verify = L2.replace("test -f src/a.txt", "test ! -f src/new.txt");
    let guard = L2.replace("-- README.md", "-- src/");
    for (tier, file, word) in [
        (&*verify, "src/new.txt", "verify"),
        (&guard, "src/new.txt", "guard"),
        (L2, "src/migrations/1.sql", "escalated"),
    ] {
        let stage = Stage::set(tier, CLAUDE, &at(&program), move |request, answers| match answers {
            0 => write(request, file),
            _ => Turn::Say("UPDATED: wrote it"),
        });
        stage.ends(1, word);
        assert_eq!(stage.scene.branches(), [""; 0], "{word}");
        assert!(stage.scene.log("fix").contains(&format!("outcome={word}")), "{}", stage.scene.log("fix"));
        stage.scene.is_tidy();
    }
}

#[test]
fn l1_on_the_real_claude_has_no_tool_that_writes() {
    let Some(program) = claude_program("l1_on_the_real_claude_has_no_tool_that_writes") else { return };
    let stage = Stage::set(L1, CLAUDE, &at(&program), |request, answers| match answers {
        0 => write(request, "src/new.txt"),
        _ => Turn::Say("NO-OP: nothing to say"),
    });
    stage.ends(0, "quiet");
    assert!(!stage.scene.path("src/new.txt").exists());
}

#[test]
fn l2_on_the_real_codex_changes_its_worktree_and_its_change_is_offered() {
    let name = "l2_on_the_real_codex_changes_its_worktree_and_its_change_is_offered";
    let Some(program) = codex_program(name) else { return };
    let settings = format!("agents: {{codex: {}}}\n", program.display());
    let stage = Stage::set(L2, "engine: codex", &settings, |_, answers| match answers {
        0 => {
            let command = "echo by codex > src/new.txt; echo x > ../outside; git branch hacked; true";
            Turn::Call("", "exec_command", json!({"cmd": command}))
        }
        _ => Turn::Say("UPDATED: wrote it"),
    });
    stage.set_codex();
    stage.ends(0, "offered");
    assert_eq!(stage.scene.git(&["show", "loop/fix/1:src/new.txt"]), "by codex");
    assert_eq!(stage.scene.git(&["branch", "--list", "hacked"]), "", "its sandbox ends at the worktree");
    stage.scene.is_tidy();
}

/// Each answer of the scripted model has 25 tokens for Claude Code, and 20 for Codex.
const MANY_TURNS: usize = 40;

#[test]
fn the_real_claude_is_ended_while_it_works_once_it_wrote_more_than_its_budget() {
    let name = "the_real_claude_is_ended_while_it_works_once_it_wrote_more_than_its_budget";
    let Some(program) = claude_program(name) else { return };
    let stage = Stage::set(L2, CLAUDE, &at(&program), |request, answers| match answers {
        MANY_TURNS.. => Turn::Say("UPDATED: wrote it"),
        _ => write(request, "src/new.txt"),
    });
    stage.change("budget_tokens: 1000", "budget_tokens: 60");
    let ran = stage.ends(1, "budget");
    assert!(ran["why"].as_str().unwrap().contains("60 are allowed"), "{ran}");
    let asked = stage.model.requests().len();
    assert!((3..MANY_TURNS / 2).contains(&asked), "asked {asked} times");
    let log = stage.scene.log("fix");
    assert!(log.contains("outcome=budget") && !log.contains("tokens=0\n"), "{log}");
    assert_eq!(stage.scene.branches(), [""; 0]);
    stage.scene.is_tidy();
}

#[test]
fn the_real_codex_is_ended_while_it_works_once_it_wrote_more_than_its_budget() {
    let name = "the_real_codex_is_ended_while_it_works_once_it_wrote_more_than_its_budget";
    let Some(program) = codex_program(name) else { return };
    let settings = format!("agents: {{codex: {}}}\n", program.display());
    let stage = Stage::set(L2, "engine: codex", &settings, |_, answers| match answers {
        MANY_TURNS.. => Turn::Say("UPDATED: wrote it"),
        _ => Turn::Call("", "exec_command", json!({"cmd": "echo more >> src/new.txt"})),
    });
    stage.set_codex();
    stage.change("budget_tokens: 1000", "budget_tokens: 50");
    stage.ends(1, "budget");
    let asked = stage.model.requests().len();
    assert!((3..MANY_TURNS / 2).contains(&asked), "asked {asked} times");
    let log = stage.scene.log("fix");
    assert!(log.contains("outcome=budget  tokens=51"), "{log}");
    stage.scene.is_tidy();
}

/// A port that knows whether anybody called.
struct Bell(std::net::TcpListener);

impl Bell {
    fn new() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    /// A command that calls.
    fn ring(&self) -> String {
        format!("bash -c 'echo > /dev/tcp/127.0.0.1/{}'", self.0.local_addr().unwrap().port())
    }

    fn rang(&self) -> bool {
        self.0.accept().is_ok()
    }
}

#[test]
fn a_command_of_the_real_claude_that_only_a_person_may_give_is_denied_and_ends_the_run() {
    let name = "a_command_of_the_real_claude_that_only_a_person_may_give_is_denied_and_ends_the_run";
    let Some(program) = claude_program(name) else { return };
    for (what, word) in [("", "quiet"), ("git push --force; ", "escalated"), ("rm -rf /; ", "escalated")] {
        let bell = Bell::new();
        let command = format!("{what}{}", bell.ring());
        let stage = Stage::set(L2, CLAUDE, &at(&program), move |_, answers| match answers {
            0..MANY_TURNS if answers == 0 || word == "escalated" => {
                Turn::Call("running", "Bash", json!({"command": command, "description": "try"}))
            }
            _ => Turn::Say("NO-OP: nothing to do"),
        });
        stage.change("permission_mode: acceptEdits", "permission_mode: auto");
        stage.ends(i32::from(word == "escalated"), word);
        assert_eq!(bell.rang(), word == "quiet", "{what}");
        let asked = stage.model.requests().len();
        assert!(asked < MANY_TURNS / 2, "{what}: asked {asked} times");
        let state = stage.scene.state("fix");
        assert_eq!(state.contains("ESCALATED"), word == "escalated", "{state}");
        stage.scene.is_tidy();
    }
}

#[test]
fn a_command_of_the_real_codex_that_only_a_person_may_give_ends_the_run_at_once() {
    let name = "a_command_of_the_real_codex_that_only_a_person_may_give_ends_the_run_at_once";
    let Some(program) = codex_program(name) else { return };
    let settings = format!("agents: {{codex: {}}}\n", program.display());
    let stage = Stage::set(L2, "engine: codex", &settings, |_, answers| match answers {
        MANY_TURNS.. => Turn::Say("UPDATED: pushed it"),
        _ => Turn::Call("", "exec_command", json!({"cmd": "sleep 1; git push --force origin main"})),
    });
    stage.set_codex();
    stage.ends(1, "escalated");
    let asked = stage.model.requests().len();
    assert!(asked < MANY_TURNS / 2, "asked {asked} times");
    assert!(stage.scene.state("fix").contains("ESCALATED force push"), "{}", stage.scene.state("fix"));
    stage.scene.is_tidy();
}

/// A model that writes a file in its first step and then says this.
fn writes_then(summary: &'static str) -> impl Fn(&Value, usize) -> Turn + Send + Sync + 'static {
    let step = AtomicUsize::new(0);
    move |_, _| match step.fetch_add(1, Ordering::SeqCst) {
        0 => Turn::say(
            json!({"tool": "write_file", "args": {"path": "src/new.txt", "content": "by a model\n"}})
                .to_string(),
        ),
        _ => Turn::say(json!({"tool": "done", "args": {"summary": summary}}).to_string()),
    }
}

#[test]
fn l2_on_the_agent_loop_writes_to_its_worktree_and_its_change_is_offered() {
    let stage = Stage::set(L2, "engine: api", API, writes_then("UPDATED: wrote it"));
    stage.ends(0, "offered");
    assert!(stage.scene.git(&["show", "loop/fix/1:src/new.txt"]).starts_with("by a model"));
    stage.scene.is_tidy();
}

#[test]
fn l1_on_the_agent_loop_reads_and_cannot_write() {
    let stage = Stage::set(L1, "engine: api", API, writes_then("NO-OP: only looked"));
    stage.ends(0, "quiet");
    assert!(!stage.scene.path("src/new.txt").exists());
}
