//! What a person typed when refusing a tool call.
//!
//! Newer versions have a field for it, and say who refused. Older ones have it inside the tool's answer only, where a
//! tool could have written it itself.

use super::record::Record;
use crate::transcript::raw;

/// Who refused, where a person did.
const BY_PERSON: &str = "user-rejected";
/// How the answer of a refused call begins.
const OPENINGS: [&str; 3] = [
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "Permission for this tool use was denied.",
];
/// What stands in front of the person's words.
const SAID: [&str; 2] = ["the user said:", "The user said:"];
/// What newer versions append for the model.
const NOTE: &str = "Note: The user's next message may contain a correction or preference.";
/// How the program words, in the person's place, that they want to talk about the questions first, or to end them.
const WORDED_BY_PROGRAM: [&str; 2] =
    ["The user wants to clarify these questions", "The user has indicated they have provided enough answers"];
/// The result of a call that a person refused and said nothing about.
const REFUSED_WITHOUT_WORDS: &str = "User rejected tool use";
/// How the result of a refused call begins where it is a text: the answer follows.
const FAILED: &str = "Error: ";
/// The agent's own tools whose failures cannot begin like a refusal: what they say begins with words of the program.
const OWN_TOOLS: [&str; 11] = [
    "Bash",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "Write",
];

/// Whether a record says that a call was refused, by whomever.
pub(super) fn is_refused(record: &Record<'_>, tool_name: Option<&str>, answer: &str) -> bool {
    let result = raw::text(record.tool_use_result);
    record.tool_denial_kind.is_some()
        || result.as_deref() == Some(REFUSED_WITHOUT_WORDS)
        || is_told(record, tool_name, answer)
}

/// What the person typed, as a field of the record says.
pub(super) fn typed(record: &Record<'_>) -> Option<String> {
    let is_persons = raw::text(record.tool_denial_kind).as_deref() == Some(BY_PERSON)
        && !raw::flag(record.tool_denial_from_host);
    raw::filled(record.user_feedback).filter(|_| is_persons).and_then(|said| clean(&said))
}

/// What the person typed, as the text of the answer says.
pub(super) fn told(record: &Record<'_>, tool_name: Option<&str>, answer: &str) -> Option<String> {
    if record.tool_denial_kind.is_some() || !is_told(record, tool_name, answer) {
        return None;
    }
    let (_, said) = SAID.iter().find_map(|marker| answer.split_once(marker))?;
    clean(said)
}

/// Whether the answer of one of the agent's own tools is a refusal, and the record's result says the same.
fn is_told(record: &Record<'_>, tool_name: Option<&str>, answer: &str) -> bool {
    let is_own = tool_name.is_some_and(|name| OWN_TOOLS.contains(&name));
    if !is_own || !OPENINGS.iter().any(|opening| answer.starts_with(opening)) {
        return false;
    }
    let result = raw::text(record.tool_use_result).unwrap_or_default();
    // What is appended for the model stands in one of the two at times.
    let same = |told: &str| without_note(told) == without_note(answer);
    result == REFUSED_WITHOUT_WORDS || result.strip_prefix(FAILED).is_some_and(same)
}

fn without_note(text: &str) -> &str {
    text.rsplit_once(NOTE).map_or(text, |(front, _)| front).trim_end()
}

/// Takes off what the program put around the words.
fn clean(said: &str) -> Option<String> {
    let said = said.rsplit_once(NOTE).map_or(said, |(said, _)| said).trim();
    (!said.is_empty() && !WORDED_BY_PROGRAM.iter().any(|opening| said.starts_with(opening)))
        .then(|| said.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::json::Json;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(tool: &str, answer: &str, result: Value, expect: Option<&str>) {
        let json = json!({"toolUseResult": result}).to_string();
        let parsed = Json::parse(&json).unwrap();
        let record: Record<'_> = parsed.root().object().unwrap();
        assert_eq!(told(&record, Some(tool), answer).as_deref(), expect, "{tool}: {answer}");
    }

    #[test]
    fn only_the_persons_words_are_kept() {
        let opening = OPENINGS[0];
        let same = |tool: &str, answer: &str, expect| {
            check(tool, answer, json!(format!("Error: {answer}")), expect);
        };
        let said = format!("{opening} To tell you how to proceed, the user said:\nuse pnpm here");
        same("Bash", &said, Some("use pnpm here"));
        same("Write", &format!("{said}\n\n{NOTE} Pay close attention."), Some("use pnpm here"));
        for (answer, result) in [
            (format!("{said}\n\n{NOTE} Pay attention."), said.clone()),
            (said.clone(), format!("{said}\n\n{NOTE}")),
        ] {
            check("Edit", &answer, json!(format!("Error: {result}")), Some("use pnpm here"));
        }
        same("ExitPlanMode", &said, Some("use pnpm here"));
        same("Bash", &format!("{opening} STOP and wait."), None);
        same("Bash", "grep found: the user said:\nsomething else", None);
        for worded in WORDED_BY_PROGRAM {
            same("Bash", &format!("{opening} the user said:\n{worded}.\n  Answer: the small one"), None);
        }
    }

    #[test]
    fn a_tool_that_may_begin_so_itself_tells_no_refusal() {
        let said = format!("{} the user said:\nuse pnpm here", OPENINGS[0]);
        for tool in ["mcp__web__fetch", "WebFetch", "Task", "AskUserQuestion", ""] {
            check(tool, &said, json!(format!("Error: {said}")), None);
        }
        check("Bash", &said, json!({"stdout": said}), None);
        check("Bash", &said, json!("Error: Exit code 1"), None);
        check("Bash", &said, Value::Null, None);
    }

    #[track_caller]
    fn check_typed(fields: Value, expect: Option<&str>) {
        let json = fields.to_string();
        let parsed = Json::parse(&json).unwrap();
        let record: Record<'_> = parsed.root().object().unwrap();
        assert_eq!(typed(&record).as_deref(), expect, "{json}");
    }

    #[test]
    fn the_field_counts_only_where_a_person_refused() {
        check_typed(json!({"toolDenialKind": "user-rejected", "userFeedback": "use pnpm"}), Some("use pnpm"));
        check_typed(json!({"toolDenialKind": "permission-rule", "userFeedback": "use pnpm"}), None);
        check_typed(json!({"userFeedback": "use pnpm"}), None);
        check_typed(
            json!({"toolDenialKind": "user-rejected", "toolDenialFromHost": true, "userFeedback": "use pnpm"}),
            None,
        );
        check_typed(
            json!({"toolDenialKind": "user-rejected", "userFeedback": format!("{}.\n  Answer: x", WORDED_BY_PROGRAM[0])}),
            None,
        );
    }
}
