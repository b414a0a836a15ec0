//! The command line of `codex exec`.
//!
//! Features are switched off with `-c features.…=false` and not with `--disable`: a version that does not know one of them
//! notes that and goes on.

use serde_json::Value;

use crate::headless::argument::option;
use crate::headless::tool::Tool;
use crate::headless::{CommandLine, PermissionMode, Request, Subagent};

/// What holds for every run. `--ephemeral` leaves no rollout behind; the login and the user's choice of a model stay.
const ALWAYS: [&str; 6] =
    ["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules", "--color=never"];

/// Settings that hold for every run, against what the user's own file says.
const SETTINGS: [&str; 8] = [
    "approval_policy=\"never\"",
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    "notify=[]",
    "check_for_update_on_startup=false",
    "sandbox_workspace_write.network_access=false",
    // Otherwise everything below /tmp may be written, which is where other runs may work.
    "sandbox_workspace_write.exclude_slash_tmp=true",
    "sandbox_workspace_write.exclude_tmpdir_env_var=true",
];

/// Features that are off for every run. Apps and plugins make it wait for a network, hooks are the user's.
const FEATURES_OFF: [&str; 11] = [
    "apps",
    "plugins",
    "remote_plugin",
    "daemon_auto_start",
    "hooks",
    "multi_agent",
    "goals",
    "memories",
    "image_generation",
    "skill_search",
    "tool_suggest",
];
/// Features that are off where the order has no tools. Should a model bring another one, the sandbox lets it only read.
const TOOLS_OFF: [&str; 3] = ["shell_tool", "unified_exec", "view_image"];

/// How an order is put.
pub(crate) fn command_line(request: &Request<'_>) -> Result<CommandLine, String> {
    let Request { order, rules, subagents, environment } = request;
    let tools = Tool::parse_all(&order.tools)?;
    let mut args: Vec<String> = ALWAYS.map(str::to_owned).into();
    args.push(format!("--sandbox={}", sandbox(order.mode, tools.iter().any(Tool::writes))));
    if let Some(model) = &order.model {
        args.push(option("--model", model, "the name of the model")?);
    }
    args.extend(SETTINGS.map(|setting| format!("--config={setting}")));
    let changeable: Vec<String> =
        order.changeable.iter().map(|dir| toml_string(&dir.to_string_lossy())).collect();
    args.push(format!("--config=sandbox_workspace_write.writable_roots=[{}]", changeable.join(", ")));
    if !tools.iter().any(|tool| tool.name() == "WebSearch") {
        args.push("--config=web_search=\"disabled\"".into());
    }
    if let Some(tokens) = order.max_output_tokens {
        args.extend(
            token_budget(tokens).map(|setting| format!("--config=features.rollout_budget.{setting}")),
        );
    }
    let off = if tools.is_empty() { &TOOLS_OFF[..] } else { &[] };
    args.extend(FEATURES_OFF.iter().chain(off).map(|name| format!("--config=features.{name}=false")));
    args.extend(
        super::servers::names(environment)
            .iter()
            .map(|name| format!("--config=mcp_servers.{name}.enabled=false")),
    );
    if let Some(rules) = rules {
        let setting = format!("developer_instructions={}", toml_string(rules));
        args.push(option("--config", &setting, "the text of the rules")?);
    }
    args.push("-".into());
    let stdin = in_words(&order.prompt, subagents, order.schema.as_ref());
    Ok(CommandLine { args, environment: Vec::new(), stdin })
}

/// The budget that Codex keeps for a whole run. What it reads costs nothing of it; at its limit it is used up.
fn token_budget(tokens: u64) -> [String; 6] {
    [
        "enabled=true".into(),
        "enforce_limit=true".into(),
        format!("limit_tokens={}", tokens.saturating_add(1)),
        "sampling_token_weight=1.0".into(),
        "prefill_token_weight=0.0".into(),
        "reminder_at_remaining_tokens=[]".into(),
    ]
}

/// Codex knows no modes: its sandbox is what comes nearest.
fn sandbox(mode: PermissionMode, may_write: bool) -> &'static str {
    match mode {
        PermissionMode::Plan => "read-only",
        PermissionMode::BypassPermissions => "danger-full-access",
        PermissionMode::DontAsk | PermissionMode::Auto | PermissionMode::AcceptEdits if may_write => {
            "workspace-write"
        }
        PermissionMode::DontAsk | PermissionMode::Auto | PermissionMode::AcceptEdits => "read-only",
    }
}

/// The prompt with what stands on no command line: Codex knows neither subagents of this kind nor a schema without a file.
fn in_words(prompt: &str, subagents: &[Subagent], schema: Option<&Value>) -> String {
    let mut text = prompt.to_owned();
    if !subagents.is_empty() {
        text.push_str(
            "\n\n# Subagents\n\nThere are no subagents here. Where one is called for, do its part yourself, as it says below.\n",
        );
        for subagent in subagents {
            text.push_str(&format!("\n## {}\n\n{}\n", subagent.name, subagent.prompt));
        }
    }
    if let Some(schema) = schema {
        text.push_str(&format!(
            "\n\nYour last message must be one JSON object and nothing else. It must fit this JSON schema:\n{schema}\n"
        ));
    }
    text
}

/// A text as TOML writes it. JSON's way is TOML's too, but for one character.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::headless::Order;

    fn args(tools: &[&str], rules: Option<&str>) -> Vec<String> {
        let order = Order {
            run_id: "r1".into(),
            cwd: "/work".into(),
            prompt: "Say hello.".into(),
            model: Some("some-model".into()),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            max_turns: 4,
            max_usd: None,
            max_output_tokens: None,
            gatekeeper: None,
            schema: None,
            subagents: None,
            readable: Vec::new(),
            changeable: Vec::new(),
            mode: PermissionMode::default(),
            writable: None,
            max_duration_ms: 60_000,
        };
        let order = Order { changeable: vec!["/srv/a \"b\"".into()], ..order };
        let request = Request { order: &order, rules, subagents: &[], environment: &BTreeMap::new() };
        let call = command_line(&request).unwrap();
        assert_eq!(call.stdin, "Say hello.");
        let roots = r#"--config=sandbox_workspace_write.writable_roots=["/srv/a \"b\""]"#;
        assert!(call.args.iter().any(|arg| arg == roots), "{:?}", call.args);
        call.args
    }

    #[track_caller]
    fn check(tools: &[&str], sandbox: &str, has_shell: bool) {
        let args = args(tools, None);
        assert!(args.contains(&format!("--sandbox={sandbox}")), "{args:?}");
        assert_eq!(!args.contains(&"--config=features.shell_tool=false".to_owned()), has_shell, "{args:?}");
        assert!(args.contains(&"--config=features.hooks=false".to_owned()), "{args:?}");
        assert_eq!(args.last().map(String::as_str), Some("-"), "the prompt is no argument");
    }

    #[test]
    fn the_sandbox_follows_the_tools() {
        check(&[], "read-only", false);
        check(&["Read", "Grep"], "read-only", true);
        check(&["Read", "Write"], "workspace-write", true);
        check(&["Bash(git log:*)"], "workspace-write", true);
    }

    #[test]
    fn a_mode_narrows_or_opens_the_sandbox() {
        assert_eq!(sandbox(PermissionMode::Plan, true), "read-only");
        assert_eq!(sandbox(PermissionMode::AcceptEdits, true), "workspace-write");
        assert_eq!(sandbox(PermissionMode::BypassPermissions, false), "danger-full-access");
    }

    #[test]
    fn a_budget_is_used_up_by_the_first_token_beyond_it() {
        assert!(token_budget(700).contains(&"limit_tokens=701".to_owned()));
        assert!(!args(&[], None).iter().any(|arg| arg.contains("rollout_budget")));
    }

    #[test]
    fn rules_are_written_as_toml() {
        let args = args(&[], Some("a \"b\"\n\u{7f}\u{1}é"));
        let rules = "--config=developer_instructions=\"a \\\"b\\\"\\n\\u007f\\u0001é\"";
        assert!(args.iter().any(|arg| arg == rules), "{args:?}");
    }

    #[test]
    fn codex_is_told_the_schema_in_words() {
        let text = in_words("Judge.", &[], Some(&json!({"type": "object"})));
        assert!(text.starts_with("Judge.\n") && text.contains(r#"{"type":"object"}"#), "{text}");
        assert_eq!(in_words("Judge.", &[], None), "Judge.");
    }
}
