//! Calls of tools, brought into the form that all agents share.

use serde_json::{Map, Value};

use super::patch;
use super::record::Item;
use crate::transcript::raw;

/// The tool with which files are changed.
const PATCH_TOOL: &str = "apply_patch";
/// Shells that run their last argument as a script.
const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "fish", "pwsh", "powershell"];
/// The switches that say so.
const SCRIPT_SWITCHES: [&str; 4] = ["-c", "-lc", "-Command", "-command"];

/// A call: its tool, and one input for each event that it gives.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub tool_name: String,
    pub inputs: Vec<Value>,
}

/// Whether an item of this kind is a call.
pub(super) fn is_call(kind: &str) -> bool {
    ["function_call", "custom_tool_call", "local_shell_call", "web_search_call"].contains(&kind)
}

/// Reads a call; `None` if the item is not one.
pub(super) fn read(item: &Item<'_>, cwd: Option<&str>) -> Option<Call> {
    let name = raw::text(item.name).unwrap_or_default().into_owned();
    match &*raw::text(item.kind)? {
        "function_call" => {
            let arguments = raw::text(item.arguments);
            let input = match &arguments {
                Some(json) => serde_json::from_str(json).unwrap_or_else(|_| wrapped("arguments", json)),
                None => raw::value(item.arguments),
            };
            Some(shaped(name, input, cwd))
        }
        "custom_tool_call" => {
            let input = raw::text(item.input).unwrap_or_default();
            Some(shaped(name, wrapped("input", &input), cwd))
        }
        "local_shell_call" => Some(shaped("local_shell".to_owned(), raw::value(item.action), cwd)),
        "web_search_call" => {
            Some(Call { tool_name: "web_search".to_owned(), inputs: vec![raw::value(item.action)] })
        }
        _ => None,
    }
}

fn wrapped(key: &str, text: &str) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), text.into())]))
}

/// Gives a shell its `command` as one line, and a patch one input a file.
fn shaped(tool_name: String, mut input: Value, cwd: Option<&str>) -> Call {
    if let Some(fields) = input.as_object_mut() {
        if let Some(argv) = fields.get("command").and_then(Value::as_array) {
            let line = shell_line(argv);
            fields.insert("command".to_owned(), line.into());
        } else if !fields.contains_key("command")
            && let Some(line) = fields.remove("cmd")
        {
            fields.insert("command".to_owned(), line);
        }
    }
    if let Some(text) = patch_of(&tool_name, &input) {
        let workdir = input.get("workdir").and_then(Value::as_str).or(cwd);
        let inputs: Vec<Value> = patch::changes(text)
            .into_iter()
            .map(|change| Value::Object(change.into_input(workdir)))
            .collect();
        if !inputs.is_empty() {
            return Call { tool_name: PATCH_TOOL.to_owned(), inputs };
        }
    }
    Call { tool_name, inputs: vec![input] }
}

/// The text with a patch in it: the tool's own input, or a shell line that runs the tool.
fn patch_of<'a>(tool_name: &str, input: &'a Value) -> Option<&'a str> {
    if tool_name == PATCH_TOOL {
        return ["input", "patch", "arguments", "command"].iter().find_map(|key| input.get(key)?.as_str());
    }
    let line = input.get("command")?.as_str()?;
    let runs_tool = |part: &str| part.trim_start().starts_with(PATCH_TOOL);
    let is_patch = runs_tool(line)
        || line
            .split_once("&&")
            .is_some_and(|(cd, rest)| cd.trim_start().starts_with("cd ") && runs_tool(rest));
    is_patch.then_some(line)
}

/// The arguments of a program as the line that one would type.
fn shell_line(argv: &[Value]) -> String {
    let words: Vec<&str> = argv.iter().filter_map(Value::as_str).collect();
    if let [program, switches @ .., script] = words.as_slice() {
        let program = program.rsplit(['/', '\\']).next().unwrap_or_default();
        let program = program.strip_suffix(".exe").unwrap_or(program);
        let is_script = switches.last().is_some_and(|switch| SCRIPT_SWITCHES.contains(switch));
        if SHELLS.contains(&program) && is_script {
            return (*script).to_owned();
        }
        if program == PATCH_TOOL {
            return format!("{PATCH_TOOL} {script}");
        }
    }
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::json::Json;
    use serde_json::json;

    #[track_caller]
    fn check(item: &Value, expect: &Value) {
        let json = item.to_string();
        let parsed = Json::parse(&json).unwrap();
        let item: Item<'_> = parsed.root().object().unwrap();
        let call = read(&item, Some("/p")).unwrap();
        assert_eq!(json!({"tool": call.tool_name, "inputs": call.inputs}), *expect, "{json}");
    }

    #[test]
    fn a_shell_gets_its_command_as_one_line() {
        let call = |name: &str, arguments: Value| json!({"type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": "c"});
        check(
            &call("shell", json!({"command": ["bash", "-lc", "cargo test"], "workdir": "/p"})),
            &json!({"tool": "shell", "inputs": [{"command": "cargo test", "workdir": "/p"}]}),
        );
        check(
            &call("shell", json!({"command": ["git", "commit", "-m", "it's done"]})),
            &json!({"tool": "shell", "inputs": [{"command": r"git commit -m 'it'\''s done'"}]}),
        );
        check(
            &call("exec_command", json!({"cmd": "ls"})),
            &json!({"tool": "exec_command", "inputs": [{"command": "ls"}]}),
        );
        check(
            &json!({"type": "local_shell_call", "action": {"type": "exec", "command": ["ls", "-l"]}}),
            &json!({"tool": "local_shell", "inputs": [{"type": "exec", "command": "ls -l"}]}),
        );
    }

    #[test]
    fn a_patch_is_found_in_the_tool_and_in_the_shell() {
        let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
        let expect = json!({"tool": "apply_patch", "inputs": [{"operation": "delete", "file_path": "/p/a"}]});
        check(&json!({"type": "custom_tool_call", "name": "apply_patch", "input": patch}), &expect);
        let shell = |command: Value| json!({"type": "function_call", "name": "shell", "arguments": json!({"command": command}).to_string()});
        check(&shell(json!(["apply_patch", patch])), &expect);
        check(&shell(json!(["bash", "-lc", format!("cd x && apply_patch <<'EOF'\n{patch}\nEOF")])), &expect);
        check(
            &shell(json!(["echo", patch])),
            &json!({"tool": "shell", "inputs": [{"command": format!("echo '{patch}'")}]}),
        );
    }

    #[test]
    fn arguments_that_are_not_json_are_kept_as_text() {
        check(
            &json!({"type": "function_call", "name": "x", "arguments": "{broken"}),
            &json!({"tool": "x", "inputs": [{"arguments": "{broken"}]}),
        );
    }
}
