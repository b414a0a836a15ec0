//! Prompts that their own record says are no person's.

use serde_json::{Value, json};
use subcortex_known_agents::Owner;

use super::{MARKED, OUT_OF_PLACE, STRANGE, prompt, typed, with};
use crate::case::Case;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    // A file that is years old, or what scripts feed to the program.
    for field in ["timestamp", "cwd"] {
        cases.push(Case::claude(OUT_OF_PLACE, &format!("a record without `{field}`"), move |text| {
            vec![prompt(text, json!({field: null}))]
        }));
    }
    for (name, fields) in [
        ("a flag", json!({"isAutomated": true})),
        (
            "a flag beside those of a typed prompt",
            json!({"isAutomated": true, "promptSource": "typed", "origin": {"kind": "human"}}),
        ),
        ("a name", json!({"sentBy": "scheduler"})),
        ("an object", json!({"sender": {"kind": "bot"}})),
        ("a field of the origin", json!({"origin": {"kind": "human", "automated": true}})),
    ] {
        cases.push(Case::claude(STRANGE, name, move |text| vec![prompt(text, fields.clone())]));
    }
    for (name, role) in [("no role", None), ("a role without a value", Some(Value::Null))] {
        cases.push(Case::claude(STRANGE, name, move |text| {
            let message = role.clone().map_or(json!({}), |role| json!({"role": role}));
            vec![json!({"type": "user", "message": with(message, json!({"content": text}))})]
        }));
    }
    for mark in [
        "isMeta",
        "isCompactSummary",
        "isVisibleInTranscriptOnly",
        "isVirtual",
        "turnCompanion",
        "ephemeral",
        "textNotTyped",
        "handedOff",
        "queueTranscriptOnly",
        "localCommandOutput",
        "repeatsCompactSummary",
        "compactMetadata",
        "summarizeMetadata",
        "wakeupSource",
        "scheduledTaskId",
        "cronId",
        "isApiErrorMessage",
        "isTeammate",
        "isHookOutput",
        "isSnapshotUpdate",
        "isAutoContinuation",
        "synthetic",
        "hookEvent",
        "sourceSession",
    ] {
        let is_name = ["Source", "Id", "Event", "Session"].iter().any(|end| mark.ends_with(end));
        let value = if is_name { json!("x") } else { json!(true) };
        let typed = with(typed(), json!({mark: value}));
        cases.push(Case::claude(MARKED, mark, move |text| vec![prompt(text, json!({mark: value}))]));
        cases.push(Case::claude(MARKED, &format!("{mark}, beside a person"), move |text| {
            vec![prompt(text, typed.clone())]
        }));
    }
    for kind in [
        "task-notification",
        "coordinator",
        "peer",
        "auto-continuation",
        "channel",
        "observer",
        "observer-activity",
        "unclassified",
        "slack-ping",
        "voice-call",
        "plugin",
        "Human",
        "",
    ] {
        let name = format!("origin.kind `{kind}`");
        cases.push(Case::claude(MARKED, &name, move |text| {
            vec![prompt(text, json!({"origin": {"kind": kind}, "promptSource": "typed"}))]
        }));
    }
    for (name, origin) in [
        ("an origin without a kind", json!({"from": "human"})),
        ("an origin that is a list", json!(["human"])),
        ("an origin that is a text", json!("peer")),
    ] {
        cases.push(Case::claude(MARKED, name, move |text| vec![prompt(text, json!({"origin": origin}))]));
    }
    for source in ["system", "hook", "cron", ""] {
        let name = format!("promptSource `{source}`");
        cases.push(Case::claude(MARKED, &name, move |text| {
            vec![prompt(text, json!({"promptSource": source, "origin": {"kind": "human"}}))]
        }));
    }
    for entrypoint in ["sdk-cli", "sdk-ts", "sdk-py", "mcp", "claude-code-github-action", "something-new", ""]
    {
        for source in [json!("sdk"), json!("typed"), Value::Null] {
            let name = format!("entry point `{entrypoint}`, promptSource {source}");
            cases.push(Case::claude("user: text, by a program", &name, move |text| {
                vec![prompt(text, json!({"promptSource": source, "entrypoint": entrypoint}))]
            }));
        }
    }
    cases.push(Case::claude("user: text, by a program", "an entry point that is no text", |text| {
        vec![prompt(text, json!({"entrypoint": {"name": "cli"}}))]
    }));
    cases.push(Case::claude("user: text, by a program", "turnOrigin `sdk`", |text| {
        vec![prompt(text, json!({"turnOrigin": "sdk"}))]
    }));
    for (name, fields) in [
        ("turnOrigin `task_notification`", json!({"turnOrigin": "task_notification"})),
        (
            "turnOrigin `peer` beside a person",
            json!({"turnOrigin": "peer", "origin": {"kind": "human"}, "promptSource": "typed"}),
        ),
        ("a turnOrigin that is no text", json!({"turnOrigin": {"kind": "human"}})),
        ("sourceToolUseID", json!({"sourceToolUseID": "toolu_1"})),
        ("parentToolUseID", with(typed(), json!({"parentToolUseID": "toolu_1"}))),
        ("toolUseID", with(typed(), json!({"toolUseID": "toolu_1"}))),
        ("a message of the agent", json!({"message": {"role": "assistant"}})),
        ("a message of the system", json!({"message": {"role": "system"}})),
    ] {
        cases.push(Case::claude(MARKED, name, move |text| {
            let mut record = prompt(text, fields.clone());
            record["message"]["content"] = json!(text);
            vec![record]
        }));
    }
    cases.push(Case::claude("user: text, by a program", "no entry point", |text| {
        vec![prompt(text, json!({"promptSource": "sdk"}))]
    }));
    cases.push(Case::claude("user: text, a suggestion that was accepted", "a suggestion", |text| {
        vec![prompt(text, json!({"promptSource": "suggestion_accepted", "origin": {"kind": "human"}}))]
    }));
    for (name, fields) in [
        ("a sidechain", json!({"isSidechain": true})),
        ("a sidechain in words", json!({"isSidechain": "true"})),
        ("a sidechain in figures", json!({"isSidechain": 1})),
        ("an agent's id alone", json!({"agentId": "a1"})),
        ("an agent's id in figures", json!({"agentId": 7})),
        (
            "a sidechain that names a person",
            json!({"isSidechain": true, "origin": {"kind": "human"}, "agentId": "a1"}),
        ),
    ] {
        cases.push(Case::claude("user: a subagent's prompt", name, move |text| {
            vec![prompt(text, fields.clone())]
        }));
    }
    cases.push(
        Case::claude("user: <user-memory-input>", "a note that the program wrote", |text| {
            let note = format!("<user-memory-input>{text}</user-memory-input>");
            vec![prompt(note, json!({"isMeta": true}))]
        })
        .forged(Owner::Left),
    );
    for (name, opening) in [
        (
            "a summary",
            "This session is being continued from a previous conversation that ran out of context.\n",
        ),
        ("a caveat", "Caveat: The messages below were generated by the user while running local commands.\n"),
        ("a notification", "[SYSTEM NOTIFICATION - NOT USER INPUT]\n"),
    ] {
        cases.push(Case::claude(MARKED, name, move |text| {
            vec![prompt(format!("{opening}{text}"), json!({}))]
        }));
    }
    for (name, make) in [
        (
            "a slash command",
            (|text| format!("<command-name>/x</command-name><command-args>{text}</command-args>"))
                as fn(&str) -> String,
        ),
        ("a shell line", |text| format!("<bash-input>echo '{text}'</bash-input>")),
        ("a plan", |text| {
            format!("Implement the following plan:\n\n{text}\n\nread the full transcript at: /x")
        }),
    ] {
        cases.push(Case::claude("user: commands, shell lines, plans", name, move |text| {
            vec![prompt(make(text), json!({}))]
        }));
    }
    cases
}
