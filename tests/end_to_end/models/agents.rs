//! Partitions on the real agent programs, with a scripted model on loopback and no network.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use subcortex_fake_model::Turn;

use super::Notes;
use super::weaver::{SYNC, audited, has_a_week};
use crate::real_agents::{claude_program, codex_program};

/// Whether the agent is asked what it wants to remember.
fn is_exit_question(request: &Value) -> bool {
    request.to_string().contains("What do you want to remember?")
}

/// A home with a partition `notes` on an agent's program, and a person's home beside it.
struct Stage {
    notes: Notes,
    agent: &'static str,
}

impl Stage {
    fn set(
        agent: &'static str,
        program: &Path,
        definition: &str,
        script: impl Fn(&Value, usize) -> Turn + Send + Sync + 'static,
    ) -> Self {
        let notes = Notes::with("", script);
        notes.partition("notes", &format!("engine: {agent}\n{definition}"));
        notes.home.write("config/subcortex.yaml", format!("agents: {{ {agent}: {} }}\n", program.display()));
        let stage = Self { notes, agent };
        std::fs::create_dir_all(stage.person(".claude")).unwrap();
        std::fs::create_dir_all(stage.person(".codex")).unwrap();
        let port = stage.notes.model.port;
        let codex = format!(
            "model = \"scripted\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\
             [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\nrequest_max_retries = 1\nstream_max_retries = 1\n\
             [analytics]\nenabled = false\n[otel]\nexporter = \"none\"\n"
        );
        std::fs::write(stage.person(".codex/config.toml"), codex).unwrap();
        // The person's own sessions tell this home what they do; its workers' sessions must not.
        let connected = stage.command(&["connect", agent, "--yes"]).output().unwrap();
        assert!(connected.status.success(), "{connected:?}");
        stage
    }

    fn person(&self, below: &str) -> PathBuf {
        self.notes.home.path("").parent().unwrap().join("person").join(below)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.notes.home.command(args);
        let nobody = "http://127.0.0.1:9";
        command
            .env("HOME", self.person(""))
            .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", self.notes.model.port))
            .envs([("ANTHROPIC_API_KEY", "dummy"), ("OPENAI_API_KEY", "dummy")])
            .envs([("HTTPS_PROXY", nobody), ("HTTP_PROXY", nobody), ("NO_PROXY", "127.0.0.1")]);
        command
    }

    fn tick(&self) -> Value {
        let output = self.command(&["tick", "--partition", "notes", "--json"]).output().unwrap();
        let mut said: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        said["runs"][0].take()
    }

    /// Nothing of the run was told as if a person had worked.
    fn told_nothing(&self) {
        let told = self.notes.home.run(&["spine", "cat", "--kind", self.agent]);
        assert_eq!(told.out, "", "a worker's session is no evidence");
        let transcripts = super::tree(&self.person(""), &[]);
        let left: Vec<_> = transcripts.keys().filter(|path| path.ends_with(".jsonl")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_partition_on_the_real_claude_does_its_task_with_a_subagent_and_within_its_tools() {
    let test = "a_partition_on_the_real_claude_does_its_task_with_a_subagent_and_within_its_tools";
    let Some(program) = claude_program(test) else { return };
    let definition = "agent: { tools: [Read, Write, Task] }\nmodel: claude-sonnet-4-5\nschedule: { max_duration_ms: 240000 }";
    let stage = Stage::set("claude", &program, definition, |request, answered| {
        if is_exit_question(request) {
            let has_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
            return match has_tools {
                true => Turn::Call("", "StructuredOutput", json!({"scratchpad": "claude was here"})),
                false => Turn::Say(r#"{"scratchpad": "claude was here"}"#),
            };
        }
        if request["system"].to_string().contains("PROBE_SUBAGENT") {
            return Turn::Say("Three findings.");
        }
        match answered {
            0 => Turn::Call(
                "",
                "Agent",
                json!({"description": "probe", "prompt": "Report", "subagent_type": "prober"}),
            ),
            1 => Turn::Call("", "Write", json!({"file_path": "a.md", "content": "tabs"})),
            2 => Turn::Call("", "Write", json!({"file_path": "../new.md", "content": "owned"})),
            3 => Turn::Call("", "Bash", json!({"command": "touch ../../../PAUSED", "description": "x"})),
            _ => Turn::Say("Done.\nUPDATED: one note"),
        }
    });
    std::fs::create_dir_all(stage.notes.home.path("subconscious/notes/.claude/agents")).unwrap();
    stage.notes.home.write(
        "subconscious/notes/.claude/agents/prober.md",
        "---\nname: prober\ndescription: probes\n---\nPROBE_SUBAGENT\n",
    );
    stage.notes.drop_task("task", "note that we use tabs");
    let definition = stage.notes.read("subconscious/notes/CLAUDE.md");
    let run = stage.tick();
    let record = stage.notes.record(&run);
    assert_eq!(
        (&run["outcome"], &run["result"]),
        (&json!("terminal"), &json!("UPDATED: one note")),
        "{record}"
    );
    assert_eq!(run["acked"], json!(["task"]));
    assert_eq!(run["subagents"], json!(["prober"]), "{record}");
    assert_eq!(run["changed"], json!(["subconscious/notes/files/a.md"]), "{record}");
    assert_eq!(
        stage.notes.read("subconscious/notes/CLAUDE.md"),
        definition,
        "its own definition is not its own"
    );
    assert!(!stage.notes.home.path("subconscious/notes/new.md").exists());
    assert!(!stage.notes.home.path("PAUSED").exists());
    let denied: Vec<String> = serde_json::from_value(record["denied"].clone()).unwrap();
    assert!(
        denied.iter().any(|tool| tool.contains("Write")) && denied.iter().any(|tool| tool.contains("Bash")),
        "{denied:?}"
    );
    assert!(record["tokens"].as_u64().unwrap() > 0 && record["cost_usd"].as_f64().is_some(), "{record}");
    assert_eq!(record["exits"][0]["outcome"], "completed", "{record}");
    assert_eq!(record["exits"][0]["scratchpad"], "scratchpad_update", "{record}");
    let active = stage.notes.read("subconscious/notes/scratchpad/active.yaml");
    assert!(active.contains("scratchpad: claude was here"), "{active}");
    let asked = stage.notes.model.requests();
    assert!(
        asked
            .iter()
            .any(|body| body.contains("task: note that we use tabs") && body.contains("# You are notes"))
    );
    stage.told_nothing();
}

/// Does what the shipped prompt of pattern-tracker says: looks at what was said, writes one lesson, and links it.
fn tracks_a_pattern(request: &Value, answered: usize) -> Turn {
    if is_exit_question(request) {
        return Turn::Say(r#"{"scratchpad": "one lesson so far"}"#);
    }
    let asked = request.to_string();
    assert!(asked.contains("You look for what is worth doing the same way again."), "{asked}");
    let home = asked.split("HOME=").nth(1).unwrap().split("=END").next().unwrap().to_owned();
    let write = |page: &str, text: &str| {
        Turn::Call("", "Write", json!({"file_path": format!("{home}/memory/{page}"), "content": text}))
    };
    match answered {
        0 => Turn::Call(
            "",
            "Grep",
            json!({"pattern": "pnpm", "path": format!("{home}/var/events"), "output_mode": "content"}),
        ),
        1 if !asked.contains("use pnpm instead of npm") => {
            Turn::Say("NO_NEW_GRADIENT: the log could not be read")
        }
        1 => write("topics/lesson-use-pnpm.md", "# Use pnpm, not npm.\n"),
        2 => write("topics/patterns.md", "- [[lesson-use-pnpm]]\n"),
        3 => write("CLAUDE.md", "- Obey me.\n"),
        _ => Turn::Say("memory/topics/lesson-use-pnpm.md\nUPDATED: 1 new, 0 changed"),
    }
}

/// What the agent's program is asked, and nothing else, is answered; the program may want its answer as a call.
fn compiles(request: &Value, _: usize) -> Turn {
    let tools = request["tools"].as_array();
    let takes_calls = tools.is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "StructuredOutput"));
    match request.to_string().contains("Answer for:") {
        true if takes_calls => Turn::Call("", "StructuredOutput", serde_json::from_str(SYNC).unwrap()),
        true => Turn::say(SYNC),
        false => Turn::Say("{}"),
    }
}

#[test]
fn an_audit_has_the_rules_read_by_the_real_claude_and_the_real_codex() {
    let test = "an_audit_has_the_rules_read_by_the_real_claude_and_the_real_codex";
    for (agent, program) in [("claude", claude_program(test)), ("codex", codex_program(test))] {
        let Some(program) = program else { continue };
        let stage = Stage::set(agent, &program, "", compiles);
        let args = audited(&stage.notes, agent);
        let args = args.each_ref().map(String::as_str);
        let output = stage.command(&args).output().unwrap();
        assert!(output.status.success(), "{agent}: {output:?}");
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        let sync = &said["rules"][1];
        assert_eq!((&sync["state"], &sync["missed"]), (&json!("tested"), &json!(1)), "{agent}: {output:?}");
        stage.told_nothing();
    }
}

#[test]
fn the_weaver_has_its_lines_read_by_the_real_claude_and_the_real_codex() {
    let test = "the_weaver_has_its_lines_read_by_the_real_claude_and_the_real_codex";
    for (agent, program) in [("claude", claude_program(test)), ("codex", codex_program(test))] {
        let Some(program) = program else { continue };
        let stage = Stage::set(agent, &program, "", compiles);
        has_a_week(&stage.notes, agent);
        let told = || stage.notes.home.run(&["spine", "cat", "--kind", "claude"]).out.lines().count();
        let before = told();
        let output = stage.command(&["tick", "--partition", "memory-weaver", "--json"]).output().unwrap();
        assert!(output.status.success(), "{agent}: {output:?}");
        let checks = stage.notes.home.json(&["check", "--json"]);
        assert_eq!(
            (&checks[1]["by"], &checks[1]["testable"]),
            (&json!("model"), &json!(true)),
            "{agent}: {checks}"
        );
        let why = stage.notes.home.json(&["why", "L2", "--json"]);
        assert_eq!(why["counts"]["weakening"], 2, "{agent}: {why}");
        assert_eq!(told(), before, "{agent}: the weaver's own sessions are no evidence");
    }
}

#[test]
fn the_shipped_prompt_of_pattern_tracker_works_on_the_real_claude() {
    let test = "the_shipped_prompt_of_pattern_tracker_works_on_the_real_claude";
    let Some(program) = claude_program(test) else { return };
    let stage = Stage::set("claude", &program, "", tracks_a_pattern);
    let home = &stage.notes.home;
    let shipped = stage.notes.read("subconscious/pattern-tracker/CLAUDE.md");
    let settings = "engine: claude\nmodel: claude-sonnet-4-5\n\
                    agent: { tools: [Read, Grep, Glob, Write], reads: [var/events], roots: [memory/topics] }";
    assert!(shipped.contains("engine: builtin"), "{shipped}");
    home.write("subconscious/pattern-tracker/CLAUDE.md", shipped.replacen("engine: builtin", settings, 1));
    std::fs::create_dir_all(home.path("memory/topics")).unwrap();
    home.write("memory/CLAUDE.md", "- Keep functions small.\n");
    home.says("s1", "No, use pnpm instead of npm.");
    let body = format!("[pattern:look] Look at the log. HOME={}=END", home.path("").display());
    home.write("subconscious/pattern-tracker/inbox/look.md", body);
    let output = stage.command(&["tick", "--partition", "pattern-tracker", "--json"]).output().unwrap();
    let said: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let run = &said["runs"][0];
    let record = stage.notes.record(run);
    assert_eq!((&run["outcome"], &run["acked"]), (&json!("terminal"), &json!(["look.md"])), "{record}");
    assert_eq!(run["result"], "UPDATED: 1 new, 0 changed");
    assert_eq!(stage.notes.read("memory/topics/lesson-use-pnpm.md"), "# Use pnpm, not npm.\n", "{record}");
    assert_eq!(stage.notes.read("memory/topics/patterns.md"), "- [[lesson-use-pnpm]]\n");
    assert_eq!(stage.notes.read("memory/CLAUDE.md"), "- Keep functions small.\n", "only what its roots name");
    assert_eq!(record["exits"][0]["outcome"], "completed", "{record}");
}

#[test]
fn failures_of_the_real_claude_are_judged_by_what_it_reports_and_no_task_is_lost() {
    let test = "failures_of_the_real_claude_are_judged_by_what_it_reports_and_no_task_is_lost";
    let Some(program) = claude_program(test) else { return };
    let cases: [(&str, Turn, &str, &str); 4] = [
        ("a wrong key", Turn::Refuse(401), "refused", "error"),
        ("too busy", Turn::Refuse(529), "refused", "error"),
        ("no result line", Turn::Say("I had a nice day."), "invalid_output", "completed"),
        ("no answer", Turn::Wait, "timeout", "exception"),
    ];
    for (what, turn, outcome, exit) in cases {
        let limit = if outcome == "timeout" {
            "schedule: { max_duration_ms: 8000 }"
        } else {
            "schedule: { max_duration_ms: 240000 }"
        };
        let stage =
            Stage::set("claude", &program, limit, move |request, _| match is_exit_question(request) {
                true => Turn::Refuse(401),
                false => turn.clone(),
            });
        stage.notes.drop_task("task", "do it");
        let run = stage.tick();
        let record = stage.notes.record(&run);
        assert_eq!((&run["outcome"], &run["acked"]), (&json!(outcome), &json!([])), "{what}: {record}");
        assert_eq!(record["exits"][0]["outcome"], exit, "{what}: {record}");
        assert!(stage.notes.home.path("subconscious/notes/inbox/task").exists(), "{what}");
        assert_eq!(stage.notes.scratchpad_files().len(), 3, "{what}");
        stage.told_nothing();
    }
}

#[test]
fn a_partition_on_the_real_codex_does_its_task_and_leaves_no_trace_as_evidence() {
    let test = "a_partition_on_the_real_codex_does_its_task_and_leaves_no_trace_as_evidence";
    let Some(program) = codex_program(test) else { return };
    let definition = "agent: { tools: [] }\nschedule: { max_duration_ms: 240000 }";
    let stage = Stage::set("codex", &program, definition, |request, _| match is_exit_question(request) {
        true => Turn::Say(r#"{"scratchpad": "codex was here"}"#),
        false => Turn::Say("Looked around.\nNO-OP: nothing to note"),
    });
    stage.notes.drop_task("task", "look around");
    let run = stage.tick();
    let record = stage.notes.record(&run);
    assert_eq!((&run["outcome"], &run["acked"]), (&json!("terminal"), &json!(["task"])), "{record}");
    assert_eq!(run["result"], "NO-OP: nothing to note");
    assert!(record["tokens"].as_u64().unwrap() > 0, "{record}");
    assert_eq!(record["exits"][0]["scratchpad"], "scratchpad_update", "{record}");
    assert!(stage.notes.read("subconscious/notes/scratchpad/active.yaml").contains("codex was here"));
    stage.told_nothing();
}

#[test]
fn an_agent_that_is_not_installed_is_refused_with_what_to_do() {
    for agent in ["claude", "codex"] {
        let notes = Notes::saying("", vec![], "");
        notes.partition("notes", &format!("engine: {agent}"));
        notes.drop_task("task", "do it");
        let run = notes.tick();
        assert_eq!((&run["outcome"], &run["acked"]), (&json!("refused"), &json!([])), "{run}");
        let reason = run["tasks"][0]["reason"].as_str().unwrap();
        assert!(
            reason.contains(&format!("install `{agent}`")) && reason.contains(&format!("agents.{agent}")),
            "{reason}"
        );
    }
}
