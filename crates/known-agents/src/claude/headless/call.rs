//! The command line and the environment of `claude`.
//!
//! `stream-json` and not `json`, because a run that is ended early has told its usage until then, and because it shows
//! the tools that were called. Its last line is the same `result` object.

use std::path::Path;

use serde_json::{Value, json};

use crate::headless::argument::option;
use crate::headless::tool::{EDITS_ITS_OWN, Tool};
use crate::headless::{CommandLine, Order, Request, Subagent, to_json};

/// What holds for every run. `--setting-sources` keeps hooks, memory files, plugins and subagents of user and project
/// out and leaves the login alone, which `--bare` would not.
const ALWAYS: [&str; 7] = [
    "-p",
    "--output-format=stream-json",
    "--verbose",
    "--setting-sources=",
    "--strict-mcp-config",
    "--no-session-persistence",
    "--disable-slash-commands",
];

/// Variables that are always as we need them.
const FIXED: [(&str, Option<&str>); 14] = [
    // Without it `@/some/file` in a prompt puts that file before the model, wherever it is and whatever the tools are.
    ("CLAUDE_CODE_DISABLE_ATTACHMENTS", Some("1")),
    ("CLAUDE_CODE_DISABLE_FILE_MENTIONS", Some("1")),
    ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", Some("1")),
    ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", Some("1")),
    ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", Some("1")),
    ("CLAUDE_CODE_DISABLE_CRON", Some("1")),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", Some("1")),
    ("DISABLE_AUTOUPDATER", Some("1")),
    ("DISABLE_TELEMETRY", Some("1")),
    ("DISABLE_ERROR_REPORTING", Some("1")),
    // A daemon that was started from within a session of Claude Code is none itself.
    ("CLAUDECODE", None),
    ("CLAUDE_CODE_ENTRYPOINT", None),
    ("CLAUDE_CODE_SIMPLE", None),
    ("IS_SANDBOX", None),
];

/// How often a request is repeated. By default 10 times, also after a wrong key, which takes longer than most runs may.
const MAX_RETRIES: u32 = 2;
/// The longest time for one request, in milliseconds; less where the whole run has less.
const REQUEST_MS: u64 = 600_000;

/// How long the question before a command may take, in seconds.
const GATEKEEPER_S: u32 = 60;

/// Subagents that are built in. They would come with tools and words of their own.
const BUILT_IN_SUBAGENTS: [&str; 5] = ["claude", "general-purpose", "Explore", "Plan", "statusline-setup"];

/// How an order is put.
pub(crate) fn command_line(request: &Request<'_>) -> Result<CommandLine, String> {
    let Request { order, rules, subagents, .. } = request;
    let mut args: Vec<String> = ALWAYS.map(str::to_owned).into();
    args.push(format!("--permission-mode={}", order.mode.word()));
    args.push(format!("--max-turns={}", order.max_turns.max(1)));
    if let Some(usd) = order.max_usd {
        args.push(format!("--max-budget-usd={}", budget(usd)?));
    }
    if order.max_output_tokens.is_some() {
        args.push("--include-partial-messages".into()); // other lines do not say what a message took
    }
    if let Some(line) = &order.gatekeeper {
        args.push(option("--settings", &gatekeeper(line).to_string(), "the question before a command")?);
    }
    if let Some(model) = &order.model {
        args.push(option("--model", model, "the name of the model")?);
    }
    if let Some(rules) = rules {
        args.push(option("--system-prompt", rules, "the text of the rules")?);
    }
    if let Some(schema) = &order.schema {
        args.push(option("--json-schema", &schema.to_string(), "the schema of the answer")?);
    }
    for dir in order.readable.iter().chain(&order.changeable) {
        args.push(option("--add-dir", in_utf8(dir)?, "the path of a directory")?);
    }
    args.extend(tools(order, subagents)?);
    Ok(CommandLine { args, environment: environment(order), stdin: as_words(&order.prompt) })
}

/// A hook that is asked before each command. Only the exit code 2 denies one, and what cannot be asked must not pass.
fn gatekeeper(line: &str) -> Value {
    let hook =
        json!({"type": "command", "command": format!("{{ {line}; }} || exit 2"), "timeout": GATEKEEPER_S});
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}})
}

/// A prompt that is only words. A text that begins with `/` would be taken for one of its commands, and no model would see it.
fn as_words(prompt: &str) -> String {
    if prompt.trim_start().starts_with('/') { format!("The request:\n{prompt}") } else { prompt.to_owned() }
}

fn budget(usd: f64) -> Result<f64, String> {
    if usd.is_finite() && usd > 0.0 {
        return Ok(usd);
    }
    Err(format!("the budget of {usd} US dollars leaves nothing to spend: raise it, or leave it out"))
}

fn tools(order: &Order, subagents: &[Subagent]) -> Result<Vec<String>, String> {
    let tools = Tool::parse_all(&order.tools)?;
    let mut names: Vec<&str> = Vec::new();
    let mut rules: Vec<String> = Vec::new();
    for tool in &tools {
        if !names.contains(&tool.name()) {
            names.push(tool.name());
        }
        rules.extend(tool.rule().filter(|rule| !rules.contains(rule)));
    }
    if rules.iter().any(|rule| rule == EDITS_ITS_OWN) {
        for dir in &order.changeable {
            // Two slashes: one would mean the folder of the settings that the rule stands in.
            rules.push(format!("Edit(/{}/**)", in_utf8(dir)?.trim_end_matches('/')));
        }
    }
    let mut args = Vec::new();
    if !subagents.is_empty() {
        let definitions = to_json(subagents).to_string();
        args.push(option("--agents", &definitions, "the text of the subagents")?);
        args.extend(BUILT_IN_SUBAGENTS.map(|name| format!("--disallowedTools=Agent({name})")));
        if !names.contains(&"Agent") {
            names.push("Agent");
            rules.extend(subagents.iter().map(|subagent| format!("Agent({})", subagent.name)));
        }
    }
    args.push(option("--tools", &names.join(","), "the list of tools")?);
    for rule in &rules {
        args.push(option("--allowedTools", rule, "the rule of a tool")?);
    }
    Ok(args)
}

fn in_utf8(dir: &Path) -> Result<&str, String> {
    dir.to_str().ok_or_else(|| "a directory has a name that is not UTF-8: rename it".to_owned())
}

fn environment(order: &Order) -> Vec<(&'static str, Option<String>)> {
    let request_ms = order.max_duration_ms.clamp(1, REQUEST_MS);
    let mut all: Vec<_> = FIXED.iter().map(|(name, value)| (*name, value.map(str::to_owned))).collect();
    all.push(("CLAUDE_CODE_MAX_RETRIES", Some(MAX_RETRIES.to_string())));
    all.push(("API_TIMEOUT_MS", Some(request_ms.to_string())));
    if let Some(tokens) = order.max_output_tokens {
        all.push(("CLAUDE_CODE_MAX_OUTPUT_TOKENS", Some(tokens.to_string()))); // of one message
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn order() -> Order {
        Order { max_usd: None, ..super::super::tests::order() }
    }

    fn call(order: &Order, rules: Option<&str>) -> Result<CommandLine, String> {
        command_line(&Request { order, rules, subagents: &[], environment: &BTreeMap::new() })
    }

    #[track_caller]
    fn has(args: &[String], expect: &[&str]) {
        for argument in expect {
            assert!(args.iter().any(|arg| arg == argument), "{argument} is not in {args:?}");
        }
    }

    #[test]
    fn an_order_without_tools_has_none() {
        let call = call(&order(), None).unwrap();
        has(&call.args, &["--tools=", "--max-turns=4", "--setting-sources=", "--permission-mode=dontAsk"]);
        assert!(!call.args.iter().any(|arg| arg.starts_with("--allowedTools")), "{:?}", call.args);
        assert!(!call.args.iter().any(|arg| arg.contains("Say hello")), "the prompt is no argument");
        assert_eq!(call.stdin, "Say hello.");
        assert!(call.environment.contains(&("IS_SANDBOX", None)));
        assert!(call.environment.contains(&("API_TIMEOUT_MS", Some("60000".into()))));
    }

    #[test]
    fn everything_that_is_ordered_stands_on_the_command_line() {
        let order = Order {
            model: Some("some-model".into()),
            tools: ["Read", "Write", "Edit", "Bash(git log:*)", "Bash(git show:*)"].map(str::to_owned).into(),
            max_usd: Some(0.25),
            schema: Some(json!({"type": "object"})),
            readable: vec!["/memory".into()],
            changeable: vec!["/home/x/memory/topics/".into()],
            ..order()
        };
        let args = call(&order, Some("Be short.")).unwrap().args;
        has(
            &args,
            &[
                "--model=some-model",
                "--max-budget-usd=0.25",
                "--system-prompt=Be short.",
                "--add-dir=/memory",
            ],
        );
        has(&args, &["--tools=Read,Write,Edit,Bash", "--json-schema={\"type\":\"object\"}"]);
        let rules: Vec<_> = args.iter().filter_map(|arg| arg.strip_prefix("--allowedTools=")).collect();
        assert_eq!(
            rules,
            ["Edit(./**)", "Bash(git log:*)", "Bash(git show:*)", "Edit(//home/x/memory/topics/**)"]
        );
    }

    #[test]
    fn a_limit_of_tokens_makes_it_tell_what_it_writes_and_a_gatekeeper_is_asked_before_commands() {
        let line = "'/a b/subcortex' loop judge";
        let order = Order { max_output_tokens: Some(700), gatekeeper: Some(line.into()), ..order() };
        let call = call(&order, None).unwrap();
        has(&call.args, &["--include-partial-messages"]);
        assert!(call.environment.contains(&("CLAUDE_CODE_MAX_OUTPUT_TOKENS", Some("700".into()))));
        let settings = call.args.iter().find_map(|arg| arg.strip_prefix("--settings=")).unwrap();
        let settings: Value = serde_json::from_str(settings).unwrap();
        let hook = &settings["hooks"]["PreToolUse"][0];
        assert_eq!(hook["matcher"], "Bash");
        assert_eq!(hook["hooks"][0]["command"], "{ '/a b/subcortex' loop judge; } || exit 2");
    }

    #[test]
    fn what_cannot_be_ordered_is_refused() {
        let refused = |order: Order| call(&order, None).unwrap_err();
        assert!(refused(Order { max_usd: Some(0.0), ..order() }).contains("budget"));
        assert!(refused(Order { max_usd: Some(f64::NAN), ..order() }).contains("budget"));
        assert!(refused(Order { tools: vec!["default".into()], ..order() }).contains("`default`"));
        assert!(refused(Order { schema: Some(json!("x".repeat(200_000))), ..order() }).contains("schema"));
        assert!(refused(Order { model: Some("a\0".into()), ..order() }).contains("zero byte"));
    }

    #[test]
    fn a_command_of_the_agent_is_a_text_like_any_other() {
        assert_eq!(as_words("/help"), "The request:\n/help");
        assert_eq!(as_words(" \n/help"), "The request:\n \n/help");
        assert_eq!(as_words("see /etc"), "see /etc");
    }
}
