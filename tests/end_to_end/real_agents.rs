//! The real agent programs, with hooks that `connect` installed, a scripted model on loopback and no network.
//!
//! The programs are npm packages that `cargo xtask test` puts below `target/agents`; without them these tests are
//! skipped. Whatever they might want to reach besides the model goes to a port where nobody listens.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use subcortex_fake_model::{Model, Script, Turn};

use crate::support::{TestHome, bundle, skip};

/// How long an agent may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often it is looked whether something has happened.
const LOOK_PAUSE: Duration = Duration::from_millis(50);

/// Where a program of an npm package is, by the folder of its platform.
fn program(test: &str, package: &str, below: &[&str]) -> Option<PathBuf> {
    let modules = bundle("agents", "SUBCORTEX_TEST_AGENTS").join("node_modules");
    let found = below.iter().map(|path| modules.join(path)).find(|path| path.is_file());
    if found.is_none() {
        skip(
            test,
            &format!(
                "the npm package {package} is not below {}; `cargo xtask test` installs it",
                modules.display()
            ),
        );
    }
    found
}

pub(crate) fn claude_program(test: &str) -> Option<PathBuf> {
    let below =
        ["@anthropic-ai/claude-code-linux-x64/claude", "@anthropic-ai/claude-code-linux-arm64/claude"];
    program(test, "@anthropic-ai/claude-code", &below)
}

pub(crate) fn codex_program(test: &str) -> Option<PathBuf> {
    let below = [
        "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
        "@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex",
    ];
    program(test, "@openai/codex", &below)
}

/// A person with a home, a project and an agent that is connected.
struct Person {
    home: TestHome,
    model: Model,
    agent: &'static str,
}

impl Person {
    fn connected(agent: &'static str, script: Script) -> Self {
        let home = TestHome::new();
        home.write("memory/CLAUDE.md", "- use tabs, said the broadcast\n");
        let person = Self { home, model: Model::start(script), agent };
        std::fs::create_dir_all(person.path("project/.claude/agents")).unwrap();
        std::fs::create_dir_all(person.path(".claude")).unwrap();
        std::fs::create_dir_all(person.path(".codex")).unwrap();
        person
    }

    fn connect(&self) {
        let said = self.subcortex(&["connect", self.agent, "--yes"]);
        assert!(said.status.success(), "{said:?}");
    }

    fn path(&self, below: &str) -> PathBuf {
        self.home.path("").parent().unwrap().join("user").join(below)
    }

    fn write(&self, below: &str, text: &str) {
        std::fs::write(self.path(below), text).unwrap();
    }

    fn read(&self, below: &str) -> Option<String> {
        std::fs::read_to_string(self.path(below)).ok()
    }

    fn subcortex(&self, args: &[&str]) -> Output {
        self.home.command(args).env("HOME", self.path("")).output().unwrap()
    }

    /// The agent's program in the project, with nothing but loopback to talk to.
    fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        let nobody = "http://127.0.0.1:9";
        command
            .args(args)
            .current_dir(self.path("project"))
            .env_clear()
            .envs([("PATH", "/usr/bin:/bin"), ("HTTPS_PROXY", nobody), ("HTTP_PROXY", nobody)])
            .envs([("NO_PROXY", "127.0.0.1"), ("DISABLE_TELEMETRY", "1"), ("DISABLE_AUTOUPDATER", "1")])
            .envs([("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"), ("DISABLE_ERROR_REPORTING", "1")])
            .envs([("ANTHROPIC_API_KEY", "dummy"), ("MODEL_KEY", "dummy"), ("CLAUDE_CODE_MAX_RETRIES", "1")])
            .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", self.model.port))
            .env("HOME", self.path(""))
            .stdin(Stdio::null());
        command
    }

    fn claude(&self, program: &Path) -> Command {
        let args = [
            "-p",
            "run the probe",
            "--output-format",
            "stream-json",
            "--verbose",
            "--model",
            "claude-sonnet-4-5",
        ];
        self.command(program, &[&args[..], &["--allowedTools", "Bash,Agent"]].concat())
    }

    fn codex(&self, program: &Path) -> Command {
        let port = self.model.port;
        self.write(
            ".codex/config.toml",
            &format!(
                "model = \"scripted\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
                 [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
                 wire_api = \"responses\"\nenv_key = \"MODEL_KEY\"\nrequest_max_retries = 1\nstream_max_retries = 1\n\
                 [analytics]\nenabled = false\n[otel]\nexporter = \"none\"\n"
            ),
        );
        let off = ["--disable", "apps", "--disable", "plugins", "--disable", "daemon_auto_start"];
        let trusted = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"];
        let mut args = vec!["exec", "--json", "--skip-git-repo-check"];
        args.extend(off);
        args.extend(trusted);
        args.push("run the probe");
        self.command(program, &args)
    }

    fn events(&self) -> Vec<Value> {
        let cat = self.subcortex(&["spine", "cat", "--kind", self.agent]);
        let text = String::from_utf8(cat.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What happened, without the memory files that were loaded in any order.
    fn story(&self) -> Vec<String> {
        self.events().iter().filter(|event| event["type"] != "memory.loaded").map(line).collect()
    }

    fn loaded(&self) -> Vec<String> {
        let mut paths: Vec<String> = self
            .events()
            .iter()
            .filter(|event| event["type"] == "memory.loaded" && event["payload"]["agent_id"].is_null())
            .map(|event| {
                event["payload"]["path"].as_str().unwrap().rsplit("/home/").next().unwrap().to_owned()
            })
            .map(|path| path.rsplit("/user/").next().unwrap().to_owned())
            .collect();
        paths.sort();
        paths
    }

    fn import(&self, folder: &str) -> Value {
        let folder = self.path(folder);
        let said = self.subcortex(&["import", self.agent, folder.to_str().unwrap(), "--json"]);
        serde_json::from_slice(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"))
    }

    fn hook_log(&self) -> String {
        std::fs::read_to_string(self.home.path("var/log/hooks.log")).unwrap_or_default()
    }
}

fn line(event: &Value) -> String {
    let payload = &event["payload"];
    let name = payload["tool_name"].as_str().map(|name| format!(" {name}")).unwrap_or_default();
    let failed = if payload["is_error"] == true { " failed" } else { "" };
    let text = payload["text"].as_str().or(payload["reason"].as_str()).unwrap_or("");
    let text = text.lines().next().unwrap_or_default();
    format!("{}{name}{failed}: {text}", event["type"].as_str().unwrap())
}

fn ran_well(output: &Output) {
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A call of a tool, one of a subagent, one that is denied, one that fails, and an end.
fn full_story(request: &Value, answered: usize) -> Turn {
    if request["system"].to_string().contains("PROBE_SUBAGENT") {
        return Turn::Say("Three findings.");
    }
    match answered {
        _ if request["tools"].as_array().is_none_or(Vec::is_empty) => Turn::Say("A title"),
        0 => Turn::Call(
            "I look first.",
            "Bash",
            json!({"command": "echo the tool says hello", "description": "say hello"}),
        ),
        1 => Turn::Call(
            "",
            "Agent",
            json!({"description": "probe", "prompt": "Report", "subagent_type": "prober", "run_in_background": false}),
        ),
        2 => Turn::Call("", "Write", json!({"file_path": "out.txt", "content": "x\n"})),
        3 => Turn::Call("", "Bash", json!({"command": "ls ./missing", "description": "look"})),
        _ => Turn::Say("All done."),
    }
}

/// Texts of the program's own that may be orders are told as well; which they are is a matter of its version.
fn is_of_this_session(line: &str) -> bool {
    !line.starts_with("agent.shown: ") || line.ends_with("be short")
}

#[test]
fn a_session_of_the_real_claude_is_told_by_hooks_and_completed_by_its_transcript() {
    let test = "a_session_of_the_real_claude_is_told_by_hooks_and_completed_by_its_transcript";
    let Some(program) = claude_program(test) else { return };
    let person = Person::connected("claude", full_story);
    let settings = "{\n  \"cleanupPeriodDays\": 7\n}\n".to_owned();
    person.write(".claude/settings.json", &settings);
    person.write(".claude/CLAUDE.md", "be short");
    person.write(
        "project/.claude/agents/prober.md",
        "---\nname: prober\ndescription: probes\n---\nPROBE_SUBAGENT\n",
    );
    person.connect();
    ran_well(&person.claude(&program).output().unwrap());
    assert_eq!(person.hook_log(), "");
    let story = person.story();
    let expect = [
        "channel.message: run the probe",
        "agent.tool_use Bash: ",
        "agent.tool_result Bash: the tool says hello",
        "agent.tool_use Agent: ",
        "agent.tool_result Agent: Three findings.",
        "agent.tool_use Write: ",
        "agent.tool_result Write failed: Claude requested permissions to write to",
        "agent.tool_use Bash: ",
        "agent.tool_result Bash failed: Exit code 2",
        "agent.session_end: other",
    ];
    assert_eq!(story.len(), expect.len(), "{story:#?}");
    for (found, expect) in story.iter().zip(expect) {
        assert!(found.starts_with(expect), "{found} is not {expect}");
    }
    assert_eq!(person.loaded(), [".claude/CLAUDE.md", "memory/CLAUDE.md"]);
    assert!(person.model.requests().iter().any(|body| body.contains("use tabs, said the broadcast")));

    let told = person.events().len();
    let summary = person.import(".claude/projects");
    // Everything but the end of the session stands in the transcript too.
    assert_eq!(summary["duplicates"], json!(told - 1), "{summary}");
    let later: Vec<String> = person
        .events()
        .iter()
        .skip(told)
        .filter(|event| event["payload"]["agent_id"].is_null())
        .map(line)
        .filter(|line| is_of_this_session(line))
        .collect();
    // A prompt by `claude -p` is a program's: the record says so of what the hook told.
    let expect = [
        "agent.prompt_disowned: run the probe",
        "agent.shown: be short",
        "agent.result: I look first.",
        "agent.result: All done.",
    ];
    assert_eq!(later, expect);
    let side: Vec<String> = person
        .events()
        .iter()
        .skip(told)
        .filter(|event| event["payload"]["agent_id"].is_string())
        .filter(|event| event["type"] != "memory.loaded")
        .map(line)
        .filter(|line| is_of_this_session(line))
        .collect();
    assert_eq!(side, ["agent.prompt_disowned: Report", "agent.result: Three findings."]);
    assert_eq!(person.import(".claude/projects")["events"], 0);

    let doctor = String::from_utf8(person.subcortex(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("last heard of at"), "{doctor}");
    assert!(person.subcortex(&["disconnect", "claude", "--yes"]).status.success());
    assert_eq!(person.read(".claude/settings.json").as_deref(), Some(settings.as_str()));
    assert_eq!(person.read(".claude/CLAUDE.md").as_deref(), Some("be short"));
    ran_well(&person.claude(&program).output().unwrap());
    assert_eq!(person.events().len(), told + summary["events"].as_u64().unwrap() as usize, "no hook is left");
}

#[test]
fn the_real_claude_is_told_at_its_start_where_pointers_lead_and_what_to_ask() {
    let test = "the_real_claude_is_told_at_its_start_where_pointers_lead_and_what_to_ask";
    let Some(program) = claude_program(test) else { return };
    let person = Person::connected("claude", |_, _| Turn::Say("All done."));
    person.home.write("config/subcortex.yaml", "broadcast: { mode: propose, ask: session }\n");
    std::fs::create_dir_all(person.home.path("memory/topics")).unwrap();
    person.home.write("memory/topics/deploys.md", "# Deploys\n");
    person.home.write("memory/CLAUDE.md", "- Before a deploy, read [[topic-deploys]].\n");
    let said = ["event", "add", "--kind", "slack", "--type", "channel.message", "--session", "s1"];
    let wish = "From now on, always run `make zebrafish` before you commit.";
    for text in [wish, "thanks"] {
        ran_well(&person.subcortex(&[&said[..], &["--text", text]].concat()));
    }
    ran_well(&person.subcortex(&["tick", "--partition", "memory-weaver"]));
    person.connect();
    ran_well(&person.claude(&program).output().unwrap());
    assert_eq!(person.hook_log(), "");
    let told = person.model.requests().concat();
    for sentence in ["has not said yes yet: ", "make zebrafish", "Where a rule of ", "/memory/topics/x.md"] {
        assert!(told.contains(sentence), "`{sentence}` did not reach the model: {told}");
    }
    // What the hook said is nobody's, also where the transcript repeats it.
    person.import(".claude/projects");
    let heard = person
        .events()
        .iter()
        .filter(|event| event["type"] == "channel.message")
        .map(line)
        .collect::<Vec<_>>();
    assert_eq!(heard, ["channel.message: run the probe"]);
}

/// A call that does not come to an end while the test looks.
fn endless_call(request: &Value, answered: usize) -> Turn {
    match answered {
        _ if request["tools"].as_array().is_none_or(Vec::is_empty) => Turn::Say("A title"),
        0 => Turn::Call("", "Bash", json!({"command": "sleep 20", "description": "wait"})),
        _ => Turn::Say("All done."),
    }
}

/// A process that does not outlive the test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_claude_that_is_killed_leaves_what_it_had_told() {
    let test = "a_claude_that_is_killed_leaves_what_it_had_told";
    let Some(program) = claude_program(test) else { return };
    let person = Person::connected("claude", endless_call);
    person.connect();
    let agent = person.claude(&program).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let agent = Killed(agent);
    let until = Instant::now() + PATIENCE;
    while !person.story().iter().any(|told| told.starts_with("agent.tool_use")) {
        assert!(Instant::now() < until, "the call was never told: {:#?}", person.story());
        std::thread::sleep(LOOK_PAUSE);
    }
    drop(agent);
    let expect = ["channel.message: run the probe", "agent.tool_use Bash: "];
    assert_eq!(person.story(), expect);
    let told = person.events().len();
    person.import(".claude/projects");
    let later: Vec<String> = person.events().iter().skip(told).map(line).collect();
    let only_the_file_knows = |line: &String| {
        ["memory.loaded", "agent.shown", "agent.prompt_disowned"].iter().any(|kind| line.starts_with(kind))
    };
    assert!(later.iter().all(only_the_file_knows), "{later:#?}");
    assert_eq!(person.subcortex(&["spine", "verify"]).status.code(), Some(0));
}

/// Two commands, one of which fails.
fn commands(_request: &Value, answered: usize) -> Turn {
    match answered {
        0 => Turn::Call("", "exec_command", json!({"cmd": "echo the tool says hello"})),
        1 => Turn::Call("", "exec_command", json!({"cmd": "ls ./missing"})),
        _ => Turn::Say("All done."),
    }
}

#[test]
fn a_session_of_the_real_codex_is_told_by_hooks_and_completed_by_its_rollout() {
    let test = "a_session_of_the_real_codex_is_told_by_hooks_and_completed_by_its_rollout";
    let Some(program) = codex_program(test) else { return };
    let person = Person::connected("codex", commands);
    person.connect();
    ran_well(&person.codex(&program).output().unwrap());
    assert_eq!(person.hook_log(), "");
    let told = [
        "channel.message: run the probe",
        "agent.tool_use Bash: ",
        "agent.tool_use Bash: ",
        "agent.session_end: other",
    ];
    assert_eq!(person.story(), told);
    assert_eq!(person.loaded(), ["memory/CLAUDE.md"]);
    assert!(person.model.requests().iter().any(|body| body.contains("use tabs, said the broadcast")));

    let summary = person.import(".codex/sessions");
    assert_eq!(summary["duplicates"], 3, "{summary}");
    let later = [
        "agent.tool_result exec_command: the tool says hello",
        "agent.tool_result exec_command failed: ls:",
        "agent.result: All done.",
    ];
    let story = person.story();
    let completed = story[told.len()..].iter().filter(|told| !told.starts_with("agent.shown"));
    let completed: Vec<&String> = completed.collect();
    assert_eq!(completed.len(), later.len(), "{completed:#?}");
    for (found, expect) in completed.into_iter().zip(later) {
        assert!(found.starts_with(expect), "{found} is not {expect}");
    }
    assert_eq!(person.import(".codex/sessions")["events"], 0);
    assert!(person.subcortex(&["disconnect", "codex", "--yes"]).status.success());
    assert_eq!(person.read(".codex/hooks.json"), None);
}
