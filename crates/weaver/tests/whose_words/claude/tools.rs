//! Records with fields or blocks that only tools and the program have.

use serde_json::json;

use super::{MARKED, prompt, with};
use crate::case::Case;

/// A record that carries `toolUseResult` but no `tool_result` block was once taken for a person's; so would be others of its kind.
pub(crate) fn cases() -> Vec<Case> {
    const WAY: &str = "user: text, in a record with fields or blocks of a tool's answer";
    let persons = json!({"promptSource": "typed", "origin": {"kind": "human"}, "entrypoint": "cli"});
    let mut cases = Vec::new();
    for (name, fields) in [
        ("toolUseResult, a text", json!({"toolUseResult": "Error: Exit code 1"})),
        (
            "toolUseResult, an object",
            json!({"toolUseResult": {"stdout": "x", "stderr": "", "interrupted": false}}),
        ),
        ("toolUseResult, empty", json!({"toolUseResult": {}})),
        ("toolUseResult, false", json!({"toolUseResult": false})),
        ("toolUseResult of a refusal", json!({"toolUseResult": "User rejected tool use"})),
        ("sourceToolAssistantUUID", json!({"sourceToolAssistantUUID": "a1"})),
        ("sourceToolUseID beside a person", json!({"sourceToolUseID": "toolu_1"})),
        ("mcpMeta", json!({"mcpMeta": {"structuredContent": {}}})),
        ("toolDenialKind", json!({"toolDenialKind": "user-rejected"})),
        ("userFeedback", json!({"userFeedback": "no"})),
    ] {
        for (shape, is_list) in [("a text", false), ("blocks", true)] {
            let fields = with(persons.clone(), fields.clone());
            cases.push(Case::claude(WAY, &format!("{name}, {shape}"), move |text| {
                let blocks = json!([{"type": "text", "text": text}]);
                vec![prompt(if is_list { blocks } else { json!(text) }, fields.clone())]
            }));
        }
    }
    for kind in [
        "mcp_tool_result",
        "web_search_tool_result",
        "advisor_tool_result",
        "tool_use",
        "server_tool_use",
        "thinking",
        "redacted_thinking",
    ] {
        let fields = persons.clone();
        cases.push(Case::claude(WAY, &format!("a text beside `{kind}`"), move |text| {
            let blocks = json!([{"type": kind, "content": "x"}, {"type": "text", "text": text}]);
            vec![prompt(blocks, fields.clone())]
        }));
    }
    cases.push(Case::claude(WAY, "a text with the id of a call", move |text| {
        vec![prompt(json!([{"type": "text", "text": text, "tool_use_id": "t1"}]), persons.clone())]
    }));
    for (name, fields) in [
        ("a user of another type", json!({"userType": "internal"})),
        ("a user that is an agent", json!({"userType": "agent"})),
    ] {
        cases.push(Case::claude("user: a subagent's prompt", name, move |text| {
            vec![prompt(text, fields.clone())]
        }));
    }
    for (name, origin) in [
        ("a person's words that another session passes on", json!({"kind": "human", "from": "peer-session"})),
        ("a person's words, relayed", json!({"kind": "human", "relay": true})),
    ] {
        cases.push(Case::claude(MARKED, name, move |text| {
            vec![prompt(text, json!({"origin": origin, "promptSource": "typed"}))]
        }));
    }
    for (name, command) in [
        (
            "of a server's prompt",
            "<command-message>srv:hello (MCP) is running…</command-message>\n<command-name>/mcp__srv__hello</command-name>",
        ),
        ("of a command", "<command-name>/init</command-name><command-args></command-args>"),
    ] {
        cases.push(Case::claude(MARKED, &format!("the text {name}"), move |text| {
            let blocks = json!([{"type": "text", "text": text}]);
            vec![prompt(command, json!({"uuid": "c1"})), prompt(blocks, json!({"parentUuid": "c1"}))]
        }));
    }
    for (name, before) in [
        ("context of a hook", "UserPromptSubmit hook additional context: "),
        ("success of a hook", "UserPromptSubmit hook success: "),
        ("a hook of a tool", "PostToolUse:Bash hook additional context: "),
        ("a hook of a start", "SessionStart:startup hook success: "),
        ("a hook that stopped", "Operation stopped by hook: "),
        ("a hook that blocked", "UserPromptSubmit operation blocked by hook:\n"),
        ("a memory file", "Contents of /p/CLAUDE.md (project instructions, checked into the codebase):\n\n"),
        ("a skill", "Base directory for this skill: /p/.claude/skills/x\n\n# X\n\n"),
        ("a background agent", "A background agent completed a task:\n\n"),
        ("an unknown command", "Unknown slash command: "),
    ] {
        cases.push(Case::claude(MARKED, &format!("{name}, alone"), move |text| {
            vec![prompt(format!("{before}{text}"), json!({}))]
        }));
        cases.push(Case::claude(MARKED, &format!("{name}, behind words"), move |text| {
            vec![prompt(format!("fix it\n\n{before}{text}"), json!({}))]
        }));
        cases.push(Case::claude(MARKED, &format!("{name}, in a second block"), move |text| {
            let blocks = json!([{"type": "text", "text": "fix it"}, {"type": "text", "text": format!("{before}{text}")}]);
            vec![prompt(blocks, json!({"promptSource": "typed", "origin": {"kind": "human"}}))]
        }));
    }
    for operation in [json!({}), json!({"origin": {"kind": "human"}})] {
        let name = format!("queued with toolUseResult, {operation}");
        cases.push(
            Case::claude("queue-operation: of the program, of tasks", &name, move |text| {
                let queued = json!({"type": "queue-operation", "operation": "enqueue", "content": text, "toolUseResult": "x"});
                vec![with(queued, operation.clone())]
            }),
        );
    }
    cases
}
