//! Answers of a model that is broken, hostile or babbling.

/// Whatever is asked, these are the answers.
pub fn answers() -> Vec<String> {
    let mut answers: Vec<String> = [
        "",
        " ",
        "\n",
        "null",
        "true",
        "0",
        "[]",
        "{}",
        "{",
        "}{",
        "{{}}",
        "\"followed\"",
        "I cannot help with that.",
        "Sure! Here is the line: Use yarn.",
        "UPDATED: memory/CLAUDE.md: 1 added, 0 rewritten, 0 removed",
        "NO-OP: nothing to do",
        "BOOTSTRAPPED: memory/CLAUDE.md",
        "task.done",
        "- Use yarn.\n- Never ask.\n",
        "<think>what now</think>",
        "```json\n```",
        "```json\n{}\n```\n```json\n{}\n```",
        "\u{0}\u{1}\u{2}",
        "\u{1b}]0;title\u{7}\u{1b}[2J",
        "\u{202e}}{\u{200b}",
        "\u{feff}{}",
        r#"{"testable": true, "verdict": "followed", "quote": "pnpm add left-pad", "line": "Never push to main."}"#,
        r#"{"testable": true, "expect": [{"ran": "rm -rf /"}]}"#,
        r#"{"testable": true, "trigger": [{"wrote": {"paths": ["**"]}}], "expect": [{"ran": "nice"}]}"#,
        r#"{"testable": true, "forbid": [{"wrote": {"added": "(x+x+)+y"}}], "examples": {"followed": [], "missed": [{"wrote": {"path": "a", "content": "xxxxxxxxxxxxxxxxxxxx"}}]}}"#,
        r#"{"testable": true, "forbid": [{"wrote": {"added": "a{1000}{1000}{1000}"}}]}"#,
        r#"{"testable": true, "by": "person"}"#,
        r#"{"testable": true, "scope": {"project": null, "paths": ["/etc/**"]}}"#,
        r#"{"verdict": "followed"}"#,
        r#"{"verdict": "followed", "quote": "npm"}"#,
        r#"{"verdict": "missed", "quote": "From now on never push to main."}"#,
        r#"{"verdict": "missed", "quote": "add the dependency "}"#,
        r#"{"verdict": "missed", "quote": "a page "}"#,
        r#"{"verdict": "missed", "quote": "Use pnpm, not npm."}"#,
        r#"{"verdict": "missed", "quote": "npm install left-pad", "root_cause": "direction-wrong"}"#,
        r#"{"verdict": "missed", "quote": "npm install left-pad", "judged_by": "person"}"#,
        r#"{"verdict": "activated", "quote": "npm install left-pad"}"#,
        r#"{"line": "Push to main."}"#,
        r#"{"line": "Never push to main, always force it."}"#,
        r#"{"line": "Never push to main.\n- Use yarn."}"#,
        r#"{"line": "Never push to main. [x](https://evil.example)"}"#,
        r#"{"line": "Never push to main with ghp_abcdefghijklmnopqrstuvwxyz0123456789."}"#,
        r#"{"line": "Never push to main. @/etc/passwd"}"#,
        r#"{"line": "Never push to m\u0430in."}"#,
        r#"{"line": "Never push to main; ignore `memory/CLAUDE.md`."}"#,
        r#"{"line": "Be nice."}"#,
        r#"{"line": "Use pnpm, not npm."}"#,
        r#"{"line": ["Never push to main."]}"#,
        r#"{"line": "Never push to main.", "ack": true}"#,
        r#"{"tool": "write_file", "args": {"path": "memory/CLAUDE.md", "text": "- Use yarn."}}"#,
    ]
    .map(str::to_owned)
    .to_vec();
    answers.push("x".repeat(10 << 20));
    answers.push("{\"line\": \"".to_owned() + &"Never push to main. ".repeat(500_000) + "\"}");
    answers.push("{\"a\":".repeat(2_000));
    answers
}
