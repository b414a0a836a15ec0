//! What an agent does in a turn, as the tool calls that a transcript would hold.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::topics::{API, CLI, WEB};

/// How each topic that comes up in the turn is done.
pub(crate) type Decisions = BTreeMap<&'static str, &'static str>;

/// One tool call and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Act {
    pub(crate) tool: &'static str,
    pub(crate) input: Value,
    pub(crate) answer: String,
}

fn bash(command: impl Into<String>, answer: &str) -> Act {
    Act { tool: "Bash", input: json!({ "command": command.into() }), answer: answer.into() }
}

fn write(folder: &str, path: &str, content: String) -> Act {
    let path = format!("{folder}/{path}");
    let answer = format!("File created successfully at: {path}");
    Act { tool: "Write", input: json!({ "file_path": path, "content": content }), answer }
}

/// A look at something that somebody else wrote.
pub(crate) fn look(folder: &str, text: &str, is_page: bool) -> Act {
    if is_page {
        let input = json!({ "url": "https://docs.example.com/guide", "prompt": "What does the guide say?" });
        return Act { tool: "WebFetch", input, answer: text.into() };
    }
    let path = format!("{folder}/vendor/README.md");
    Act { tool: "Read", input: json!({ "file_path": path }), answer: text.into() }
}

/// The calls of a piece of work; `number` makes names differ from turn to turn.
pub(crate) fn acts(work: &str, project: usize, folder: &str, done: &Decisions, number: usize) -> Vec<Act> {
    let way = |topic: &str| done.get(topic).copied().unwrap_or_default();
    match work {
        "install" => vec![install(project, way("packages"), way("python"), number)],
        "search" if way("search") == "rg" => {
            vec![bash(format!("rg -n \"load_config_{number}\" src"), "src/a:12")]
        }
        "search" => vec![bash(format!("grep -rn \"load_config_{number}\" src"), "src/a:12:load_config")],
        "code" => code(project, folder, done, number),
        "commit" => commit(project, done, number),
        "delete" if way("deletion") == "trash" => vec![bash(format!("trash build/old-{number}"), "")],
        "delete" => vec![bash(format!("rm -rf build/old-{number}"), "")],
        "containers" if project == CLI => vec![bash("cargo build", "Finished")],
        "containers" if way("compose") == "plugin" => vec![bash("docker compose up -d", "Started")],
        "containers" => vec![bash("docker-compose up -d", "Started")],
        "test" => vec![tests(project, way("runner"))],
        _ => vec![bash("git status --short", " M src/main")],
    }
}

fn install(project: usize, packages: &str, python: &str, number: usize) -> Act {
    let package = ["zod", "dayjs", "httpx", "pydantic", "anyhow"].get(number % 5).copied().unwrap_or("zod");
    match (project, packages, python) {
        (WEB, "npm", _) => bash(format!("npm install {package}"), "added 1 package"),
        (WEB, tool, _) => bash(format!("{tool} add {package}"), "done"),
        (API, _, "uv") => bash(format!("uv add {package}"), "Resolved 31 packages"),
        (API, ..) => bash(format!("pip install {package}"), "Successfully installed"),
        _ => bash(format!("cargo add {package}"), "Adding to dependencies"),
    }
}

fn tests(project: usize, runner: &str) -> Act {
    match project {
        WEB if runner == "vitest" => bash("npx vitest run", "Tests  48 passed (48)"),
        WEB => bash("npx jest", "Tests: 48 passed, 48 total"),
        API => bash("pytest -q", "112 passed in 3.1s"),
        _ => bash("cargo test", "test result: ok. 37 passed"),
    }
}

fn commit(project: usize, done: &Decisions, number: usize) -> Vec<Act> {
    let way = |topic: &str| done.get(topic).copied().unwrap_or_default();
    let mut acts = Vec::new();
    if way("branch") == "feature" {
        let answer = "Switched to a new branch";
        acts.push(bash(format!("git checkout -b feature/export-{number}"), answer));
    } else {
        acts.push(bash("git checkout main", "Already on 'main'"));
    }
    if way("tests first") == "before" {
        acts.push(tests(project, "vitest"));
    }
    let prefix = if way("message") == "conventional" { "feat: " } else { "" };
    let trailer = match way("trailer") {
        "co-author" => "\n\nCo-Authored-By: Assistant <noreply@example.com>",
        _ => "",
    };
    let command = format!("git add -A && git commit -m \"{prefix}sort the list by date {number}{trailer}\"");
    let branch = if way("branch") == "feature" { "feature/export" } else { "main" };
    acts.push(bash(command, &format!("[{branch} 1a2b3c4] sort the list by date")));
    acts
}

fn code(project: usize, folder: &str, done: &Decisions, number: usize) -> Vec<Act> {
    let way = |topic: &str| done.get(topic).copied().unwrap_or_default();
    let with_comments = way("comments") == "many";
    let (path, content) = match project {
        WEB => {
            let of = if way("any") == "any" { "any" } else { "Row" };
            let comment = if with_comments { "// Sorts the rows by date, newest first.\n" } else { "" };
            let content = format!(
                "{comment}export function sortRows{number}(rows: {of}[]): {of}[] {{\n  return [...rows].sort((a, b) => b.date - a.date);\n}}\n"
            );
            (format!("src/rows{number}.ts"), content)
        }
        API => {
            let comment =
                if with_comments { "    # Load the rows, then tell how many there are\n" } else { "" };
            let (import, call) = match way("logging") {
                "print" => ("", "print(len(rows))"),
                "logging" => {
                    ("import logging\n\n", "logging.getLogger(__name__).info(\"rows %d\", len(rows))")
                }
                _ => ("import structlog\n\n", "structlog.get_logger().info(\"rows\", count=len(rows))"),
            };
            let content = format!("{import}def load_{number}(rows):\n{comment}    {call}\n    return rows\n");
            (format!("orders/load_{number}.py"), content)
        }
        _ => {
            let comment = if with_comments { "    // Parse the header row into columns.\n" } else { "" };
            let parse = if way("unwrap") == "unwrap" { "line.parse().unwrap()" } else { "line.parse()?" };
            let content = format!(
                "pub fn header_{number}(line: &str) -> Result<Header, ParseError> {{\n{comment}    let header = {parse};\n    Ok(header)\n}}\n"
            );
            (format!("src/header_{number}.rs"), content)
        }
    };
    let mut acts = vec![write(folder, &path, content)];
    if way("summaries") == "written" {
        let text = format!("# Summary\n\nThe function is in `{path}`.\n");
        acts.push(write(folder, "SUMMARY.md", text));
    }
    acts
}
