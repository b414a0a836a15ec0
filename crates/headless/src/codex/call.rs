//! The command line of `codex exec`.
//!
//! Features are switched off with `-c features.…=false` and not with `--disable`: a version that does not know one of them
//! notes that and goes on.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::Order;
use crate::argument::option;
use crate::headless::Call;
use crate::prompt;
use crate::subagents::Subagent;
use crate::tool::Tool;

/// What holds for every run. `--ephemeral` leaves no rollout behind; the login and the user's choice of a model stay.
const ALWAYS: [&str; 6] =
    ["exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-rules", "--color=never"];

/// Settings that hold for every run, against what the user's own file says.
const SETTINGS: [&str; 9] = [
    "approval_policy=\"never\"",
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    "notify=[]",
    "check_for_update_on_startup=false",
    "sandbox_workspace_write.network_access=false",
    "sandbox_workspace_write.writable_roots=[]",
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
pub(crate) fn call(
    order: &Order,
    rules: Option<&str>,
    subagents: &[Subagent],
    environment: &BTreeMap<OsString, OsString>,
) -> Result<Call, String> {
    let tools = Tool::parse_all(&order.tools)?;
    let mut args: Vec<String> = ALWAYS.map(str::to_owned).into();
    let may_write = tools.iter().any(Tool::writes);
    args.push(format!("--sandbox={}", if may_write { "workspace-write" } else { "read-only" }));
    if let Some(model) = &order.model {
        args.push(option("--model", model, "the name of the model")?);
    }
    args.extend(SETTINGS.map(|setting| format!("--config={setting}")));
    if !tools.iter().any(|tool| tool.name() == "WebSearch") {
        args.push("--config=web_search=\"disabled\"".into());
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
    let stdin = prompt::for_codex(&order.prompt, subagents, order.schema.as_ref());
    Ok(Call { args, environment: Vec::new(), stdin })
}

/// A text as TOML writes it. JSON's way is TOML's too, but for one character.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use subcortex_engine::Limits;

    use super::*;

    fn args(tools: &[&str], rules: Option<&str>) -> Vec<String> {
        let order = Order {
            run_id: "r1".into(),
            cwd: "/work".into(),
            prompt: "Say hello.".into(),
            model: Some("some-model".into()),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            max_turns: 4,
            max_usd: None,
            schema: None,
            subagents: None,
            readable: Vec::new(),
            limits: Limits::within_ms(60_000),
        };
        let call = call(&order, rules, &[], &BTreeMap::new()).unwrap();
        assert_eq!(call.stdin, "Say hello.");
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
    fn rules_are_written_as_toml() {
        let args = args(&[], Some("a \"b\"\n\u{7f}\u{1}é"));
        let rules = "--config=developer_instructions=\"a \\\"b\\\"\\n\\u007f\\u0001é\"";
        assert!(args.iter().any(|arg| arg == rules), "{args:?}");
    }
}
