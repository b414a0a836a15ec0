//! Records with fields or blocks that only tools and the program have.

use serde_json::json;
use subcortex_known_agents::Owner;

use super::{BESIDE, MARKED, call, prompt, with};
use crate::case::Case;

/// A text beside blocks that no person sends, and in a message that nobody sent.
fn sent_by_nobody() -> Vec<Case> {
    const WAY: &str = "user: text, in a message with a block or a field that no person sends";
    let persons = || json!({"promptSource": "typed", "origin": {"kind": "human"}, "entrypoint": "cli"});
    let mut cases = Vec::new();
    for (name, block) in [
        ("a call", json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {}})),
        ("a server's call", json!({"type": "server_tool_use"})),
        ("a thought", json!({"type": "thinking", "thinking": "x"})),
        ("a hidden thought", json!({"type": "redacted_thinking", "data": "x"})),
        ("a hit on the web", json!({"type": "web_search_result", "title": "x", "url": "https://x"})),
        ("a hit", json!({"type": "search_result", "source": "https://x", "title": "x", "content": []})),
        ("a tool that is named", json!({"type": "tool_reference", "tool_name": "x"})),
        ("a resource", json!({"type": "mcp_resource_link", "uri": "x://y"})),
        ("an upload", json!({"type": "container_upload", "file_id": "f"})),
        ("a block of tomorrow", json!({"type": "invented_tomorrow"})),
        ("a block without a type", json!({"source": {}})),
        ("a block that is no object", json!("loose")),
        ("a picture with a field of tomorrow", json!({"type": "image", "source": {}, "brought_by": "x"})),
        ("a text with a field of tomorrow", json!({"type": "text", "text": "x", "brought_by": "x"})),
    ] {
        for (place, is_first) in [("behind", true), ("in front of", false)] {
            let block = block.clone();
            cases.push(Case::claude(WAY, &format!("a text {place} {name}"), move |text| {
                let words = json!({"type": "text", "text": text});
                let block = block.clone();
                let blocks = if is_first { json!([block, words]) } else { json!([words, block]) };
                vec![prompt(blocks, persons())]
            }));
        }
    }
    let cited = |text: &str| json!([{"type": "text", "text": text, "citations": [{"url": "https://x", "cited_text": "y"}]}]);
    cases.push(Case::claude(WAY, "a text with sources", move |text| vec![prompt(cited(text), persons())]));
    for field in ["id", "model", "usage", "stop_reason", "invented_tomorrow"] {
        cases.push(Case::claude(WAY, &format!("a message with `{field}`"), move |text| {
            let mut record = prompt(text, persons());
            record["message"][field] = json!("x");
            vec![record]
        }));
    }
    cases.push(Case::claude("attachment: queued_command of anybody else", "with sources", move |text| {
        let queued = json!({"type": "queued_command", "prompt": cited(text), "commandMode": "prompt", "origin": {"kind": "human"}});
        vec![json!({"type": "attachment", "attachment": queued})]
    }));
    cases.push(Case::claude("queue-operation: of the program, of tasks", "with sources", move |text| {
        let step = json!({"type": "queue-operation", "operation": "enqueue", "content": cited(text)});
        vec![with(step, json!({"origin": {"kind": "human"}}))]
    }));
    for (name, block) in [
        ("a hit", json!({"type": "search_result", "source": "https://x"})),
        ("a block of tomorrow", json!({"type": "invented_tomorrow"})),
    ] {
        cases.push(
            Case::claude(BESIDE, &format!("and {name}"), move |text| {
                let answer = json!({"type": "tool_result", "tool_use_id": "t1", "content": "ok"});
                let blocks = json!([answer, block, {"type": "text", "text": text}]);
                vec![call("Bash", json!({})), prompt(blocks, json!({"holdsPersonsWords": true}))]
            })
            .forged(Owner::Left),
        );
    }
    cases
}

/// A record that carries `toolUseResult` but no `tool_result` block was once taken for a person's; so would be others of its kind.
pub(crate) fn cases() -> Vec<Case> {
    const WAY: &str = "user: text, in a record with fields or blocks of a tool's answer";
    let persons = json!({"promptSource": "typed", "origin": {"kind": "human"}, "entrypoint": "cli"});
    let mut cases = sent_by_nobody();
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
    for kind in ["mcp_tool_result", "web_search_tool_result", "advisor_tool_result"] {
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
