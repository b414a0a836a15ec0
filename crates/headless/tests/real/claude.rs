//! Claude Code, when its model answers.

use serde_json::{Value, json};
use subcortex_fake_model::Turn;
use subcortex_known_agents::headless::Order;
use subcortex_mind::{FailureKind, Usage};

use crate::stage::{Stage, failed, went_well};

fn says_hello(_request: &Value, _answered: usize) -> Turn {
    Turn::Say("Hello.")
}

#[tokio::test]
async fn an_answer_comes_with_what_it_took() {
    let Some(stage) = Stage::claude("an_answer_comes_with_what_it_took", says_hello) else { return };
    let outcome = stage.run(stage.order(&[])).await;
    went_well(&outcome);
    assert_eq!((outcome.text.as_str(), outcome.turns), ("Hello.", 1));
    assert_eq!(outcome.usage, Usage { input: 10, output: 25, cache_read: 4, cache_write: 3 });
    assert!(outcome.cost_usd.is_some_and(|usd| usd > 0.0), "{outcome:?}");
    assert_eq!(outcome.model.as_deref(), Some("claude-sonnet-4-5"));
    assert!(outcome.denied.is_empty() && outcome.subagents.is_empty(), "{outcome:?}");
    let request: Value = serde_json::from_str(&stage.model.requests()[0]).unwrap();
    assert_eq!(request["tools"].as_array().map_or(0, Vec::len), 0, "it has no tools");
}

/// Writes where it may, and in every place where it may not; reads, and runs a command.
fn tries_everything(request: &Value, answered: usize) -> Turn {
    let prompt = request["messages"].to_string();
    let root = prompt.split("ROOT=").nth(1).unwrap().split("=END").next().unwrap().to_owned();
    let write =
        |path: &str| Turn::Call("", "Write", json!({"file_path": format!("{root}/{path}"), "content": "x"}));
    let read = |path: &str| Turn::Call("", "Read", json!({"file_path": format!("{root}/{path}")}));
    match answered {
        0 => write("work/notes.txt"),
        1 => write("elsewhere/a.txt"),
        2 => write("work/../elsewhere/b.txt"),
        3 => write("work/link/c.txt"),
        4 => write("readable/d.txt"),
        5 => write("work/.claude/settings.json"),
        6 => read("readable/known.txt"),
        7 => read("elsewhere/secret.txt"),
        8 => Turn::Call("", "Bash", json!({"command": "touch run.txt", "description": "write"})),
        _ => Turn::Say("Done."),
    }
}

#[tokio::test]
async fn nothing_outside_the_allowed_tools_happens() {
    let test = "nothing_outside_the_allowed_tools_happens";
    let Some(stage) = Stage::claude(test, tries_everything) else { return };
    stage.write("readable/known.txt", "KNOWN_TO_IT");
    stage.write("elsewhere/secret.txt", "UNKNOWN_TO_IT");
    std::os::unix::fs::symlink(stage.path("elsewhere"), stage.path("work/link")).unwrap();
    let root = stage.path("");
    let order = Order { prompt: format!("ROOT={}=END", root.display()), ..stage.order(&["Read", "Write"]) };
    let outcome = stage.run(order).await;
    went_well(&outcome);
    assert_eq!(outcome.denied, ["Write", "Read", "Bash"]);
    let mut written: Vec<String> = ["work", "elsewhere", "readable", "work/.claude"]
        .iter()
        .filter_map(|folder| Some((folder, std::fs::read_dir(stage.path(folder)).ok()?)))
        .flat_map(|(folder, entries)| {
            entries.flatten().map(move |entry| format!("{folder}/{}", entry.file_name().to_string_lossy()))
        })
        .collect();
    written.sort();
    assert_eq!(written, ["elsewhere/secret.txt", "readable/known.txt", "work/link", "work/notes.txt"]);
    let last = stage.model.requests().pop().unwrap();
    assert!(last.contains("KNOWN_TO_IT") && !last.contains("UNKNOWN_TO_IT"));
}

/// Calls the subagents `scanner` and one that is built in.
fn sends_a_subagent(request: &Value, answered: usize) -> Turn {
    let send = |name: &str| json!({"description": "scan", "prompt": "Report.", "subagent_type": name, "run_in_background": false});
    if request["system"].to_string().contains("SCANNER_RULES") {
        return Turn::Say("Three findings.");
    }
    match answered {
        0 => Turn::Call("", "Agent", send("general-purpose")),
        1 => Turn::Call("", "Agent", send("scanner")),
        _ => Turn::Say("All done."),
    }
}

#[tokio::test]
async fn a_subagent_of_the_folder_really_runs() {
    let Some(stage) = Stage::claude("a_subagent_of_the_folder_really_runs", sends_a_subagent) else { return };
    let text = "---\nname: scanner\ndescription: scans\ntools: Read\n---\nSCANNER_RULES\n";
    stage.write("work/.claude/agents/scanner.md", text);
    let order = Order { subagents: Some(stage.path("work/.claude/agents")), ..stage.order(&["Read"]) };
    let outcome = stage.run(order).await;
    went_well(&outcome);
    assert_eq!(
        (outcome.text.as_str(), outcome.subagents.as_slice()),
        ("All done.", &["scanner".to_owned()][..])
    );
    assert!(stage.model.requests().iter().any(|body| body.contains("Three findings.")));
    assert_eq!(outcome.usage.input, 4 * 10, "what the subagent took is counted");
}

fn answers_by_schema(_request: &Value, _answered: usize) -> Turn {
    Turn::Call("", "StructuredOutput", json!({"name": "n"}))
}

#[tokio::test]
async fn an_answer_fits_its_schema() {
    let Some(stage) = Stage::claude("an_answer_fits_its_schema", answers_by_schema) else { return };
    let outcome = stage.run(Order { schema: Some(schema()), ..stage.order(&[]) }).await;
    went_well(&outcome);
    assert_eq!(outcome.structured, Some(json!({"name": "n"})));
}

#[tokio::test]
async fn success_without_the_answer_that_was_asked_for_is_a_failure() {
    let test = "success_without_the_answer_that_was_asked_for_is_a_failure";
    let Some(stage) = Stage::claude(test, says_hello) else { return };
    let outcome = stage.run(Order { schema: Some(schema()), ..stage.order(&[]) }).await;
    assert!(failed(&outcome, FailureKind::Garbage).contains("structured_output"), "{outcome:?}");
    assert!(outcome.usage.output > 0, "it is counted");
}

pub(crate) fn schema() -> Value {
    json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": false})
}

#[tokio::test]
async fn a_prompt_of_one_mebibyte_arrives_whole() {
    let Some(stage) = Stage::claude("a_prompt_of_one_mebibyte_arrives_whole", says_hello) else { return };
    let prompt = format!("BEGIN {} END_OF_IT", "lorem ipsum ".repeat(87_400));
    assert!(prompt.len() > 1024 * 1024);
    went_well(&stage.run(Order { prompt: prompt.clone(), ..stage.order(&[]) }).await);
    assert!(stage.model.requests()[0].contains(&prompt));
}

#[tokio::test]
async fn a_hostile_prompt_is_a_text_like_any_other() {
    let Some(stage) = Stage::claude("a_hostile_prompt_is_a_text_like_any_other", says_hello) else { return };
    stage.write("elsewhere/secret.txt", "UNKNOWN_TO_IT");
    stage.write("work/near.txt", "UNKNOWN_TO_IT");
    let mention = format!("@{} and @near.txt", stage.path("elsewhere/secret.txt").display());
    for prompt in [
        "/help",
        "/cost\n",
        "!touch ran",
        "# remember",
        "\u{1b}[2J\u{7}\u{9b}\u{202e}\r a\0b \u{fffe}",
        &mention,
    ] {
        let before = stage.model.requests().len();
        went_well(&stage.run(Order { prompt: prompt.into(), ..stage.order(&[]) }).await);
        let asked = stage.model.requests();
        assert_eq!(asked.len(), before + 1, "{prompt:?} reaches the model");
        let request: Value = serde_json::from_str(&asked[before]).unwrap();
        let content = request["messages"][0]["content"].as_array().unwrap();
        let text = content.last().unwrap()["text"].as_str().unwrap();
        assert!(text.trim_end().ends_with(prompt.trim_end()), "{prompt:?} became {text:?}");
        assert!(!asked[before].contains("UNKNOWN_TO_IT"), "{prompt:?}");
    }
    assert!(!stage.path("work/ran").exists());
}

/// Runs a command, so that hooks around tools would have their turn.
fn runs_a_command(_request: &Value, answered: usize) -> Turn {
    match answered {
        0 => Turn::Call("", "Bash", json!({"command": "echo hello", "description": "say hello"})),
        _ => Turn::Say("Done."),
    }
}

#[tokio::test]
async fn the_users_own_set_up_takes_no_part_and_no_transcript_is_left() {
    let test = "the_users_own_set_up_takes_no_part_and_no_transcript_is_left";
    let Some(stage) = Stage::claude(test, runs_a_command) else { return };
    let mark = stage.path("hooked");
    let hook = json!([{"hooks": [{"type": "command", "command": format!("touch {}", mark.display())}]}]);
    let settings =
        json!({"hooks": {"SessionStart": hook, "UserPromptSubmit": hook, "PreToolUse": hook, "Stop": hook}});
    for place in
        ["home/.claude/settings.json", "work/.claude/settings.json", "work/.claude/settings.local.json"]
    {
        stage.write(place, &settings.to_string());
    }
    for place in ["home/.claude/CLAUDE.md", "work/CLAUDE.md", "work/AGENTS.md"] {
        stage.write(place, "WORDS_OF_THE_USER");
    }
    let server = json!({"mcpServers": {"probe": {"command": "touch", "args": [mark]}}});
    stage.write("work/.mcp.json", &server.to_string());
    stage.write("home/.claude.json", &server.to_string());
    let outcome = stage.run(stage.order(&["Bash(echo:*)"])).await;
    went_well(&outcome);
    assert!(outcome.denied.is_empty(), "{outcome:?}");
    assert!(!mark.exists(), "a hook or a server was started");
    let requests = stage.model.requests();
    assert!(requests.iter().all(|body| !body.contains("WORDS_OF_THE_USER")));
    assert!(requests.last().unwrap().contains("hello"), "the command ran");
    assert_eq!(stage.files_ending(".jsonl"), Vec::<std::path::PathBuf>::new());
}

/// Never comes to an end.
fn reads_for_ever(_request: &Value, _answered: usize) -> Turn {
    Turn::Call("", "Bash", json!({"command": "echo again", "description": "again"}))
}

#[tokio::test]
async fn turns_and_money_are_limited() {
    let Some(stage) = Stage::claude("turns_and_money_are_limited", reads_for_ever) else { return };
    let few = stage.run(Order { max_turns: 2, ..stage.order(&["Bash(echo:*)"]) }).await;
    assert!(failed(&few, FailureKind::OverBudget).contains("2 turns"), "{few:?}");
    let poor = stage.run(Order { max_usd: Some(0.000_5), ..stage.order(&["Bash(echo:*)"]) }).await;
    assert!(failed(&poor, FailureKind::OverBudget).contains("0.0005 US dollars"), "{poor:?}");
    assert!(poor.usage.input > 0 && poor.cost_usd.is_some(), "{poor:?}");
}

#[tokio::test]
async fn a_gatekeeper_that_says_no_or_cannot_be_asked_denies_a_command() {
    let name = "a_gatekeeper_that_says_no_or_cannot_be_asked_denies_a_command";
    for (gatekeeper, is_denied) in [("grep -q tool_input", false), ("false", true), ("/nowhere/at/all", true)]
    {
        let Some(stage) = Stage::claude(name, |_, answers| match answers {
            0 => Turn::Call("running", "Bash", json!({"command": "touch ran", "description": "try"})),
            _ => Turn::Say("done"),
        }) else {
            return;
        };
        let order = Order { gatekeeper: Some(gatekeeper.into()), ..stage.order(&["Bash(touch:*)"]) };
        let outcome = stage.run(order).await;
        went_well(&outcome);
        assert_eq!(stage.path("work/ran").exists(), !is_denied, "{gatekeeper}: {outcome:#?}");
        assert_eq!(
            outcome.denied,
            if is_denied { vec!["Bash".to_owned()] } else { Vec::new() },
            "{gatekeeper}"
        );
    }
}
