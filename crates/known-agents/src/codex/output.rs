//! What tools answered, in the forms of several versions.

use serde_json::Value;

use super::record::texts;
use crate::transcript::raw::{self, Raw};

/// Openings of answers that say that the call failed, where no exit code does.
const FAILURES: [&str; 8] = [
    "apply_patch verification failed",
    "command timed out",
    "err:",
    "error:",
    "exec_command failed",
    "execution error",
    "failed to parse function arguments",
    "unsupported call",
];
/// Stands in answers of calls that a person refused.
const REFUSED: &str = "rejected by user";
/// Stands in answers of calls that a person stopped.
const STOPPED: &str = "aborted by user";
/// Only this much of an answer is searched for these words: behind it is the program's output.
const VERDICT_BYTES: usize = 200;

/// An answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Output {
    pub text: String,
    pub exit_code: Option<i64>,
    pub is_error: bool,
    pub is_refused: bool,
    pub is_interrupted: bool,
}

/// Reads the `output` of an item: a text, blocks, or an object with the text in `content`.
pub(super) fn read(output: Raw<'_>) -> Output {
    let object = output.filter(|raw| raw.get().starts_with('{')).map(|_| raw::value(output));
    let whole = match &object {
        Some(object) => object.get("content").and_then(Value::as_str).unwrap_or_default().to_owned(),
        None => texts(output).join("\n"),
    };
    let failed = object.as_ref().and_then(|object| object.get("success")?.as_bool()) == Some(false);
    let (text, exit_code) = unwrapped(&whole);
    let start = text[..text.floor_char_boundary(VERDICT_BYTES)].to_ascii_lowercase();
    let is_refused = exit_code.is_none() && start.contains(REFUSED);
    let is_interrupted = exit_code.is_none() && start.contains(STOPPED);
    let says_so = exit_code.is_none() && FAILURES.iter().any(|opening| start.starts_with(opening));
    let is_error =
        failed || exit_code.is_some_and(|code| code != 0) || is_refused || is_interrupted || says_so;
    Output { text, exit_code, is_error, is_refused, is_interrupted }
}

/// Takes the program's output and exit code out of what is around them.
fn unwrapped(whole: &str) -> (String, Option<i64>) {
    if whole.starts_with('{')
        && let Ok(value) = serde_json::from_str::<Value>(whole)
        && let Some(text) = value.get("output").and_then(Value::as_str)
    {
        return (text.to_owned(), value.pointer("/metadata/exit_code").and_then(Value::as_i64));
    }
    let Some((head, text)) = whole.split_once("Output:\n") else { return (whole.to_owned(), None) };
    let code = head.lines().find_map(|line| {
        let code =
            line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "))?;
        code.trim().parse().ok()
    });
    match code {
        Some(code) => (text.to_owned(), Some(code)),
        // A head of another kind may belong to the output itself.
        None => (whole.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::json::Json;
    use serde_json::json;

    #[track_caller]
    fn check(output: &Value, text: &str, exit_code: Option<i64>, is_error: bool) {
        let json = output.to_string();
        let parsed = Json::parse(&json).unwrap();
        let found = read(Some(parsed.root()));
        assert_eq!(
            (found.text.as_str(), found.exit_code, found.is_error),
            (text, exit_code, is_error),
            "{json}"
        );
    }

    #[test]
    fn the_exit_code_is_found_in_every_form() {
        check(
            &json!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nno such file"),
            "no such file",
            Some(2),
            true,
        );
        check(&json!("Exit code: 0\nWall time: 1 seconds\nOutput:\nfine"), "fine", Some(0), false);
        check(&json!(json!({"output": "x", "metadata": {"exit_code": 1}}).to_string()), "x", Some(1), true);
        check(
            &json!([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]),
            "a\nb",
            None,
            false,
        );
        check(&json!({"content": "no", "success": false}), "no", None, true);
    }

    #[test]
    fn an_answer_without_a_code_is_judged_by_its_opening() {
        check(&json!("exec command rejected by user"), "exec command rejected by user", None, true);
        check(&json!("aborted by user after 3.1s"), "aborted by user after 3.1s", None, true);
        check(
            &json!("apply_patch verification failed: no"),
            "apply_patch verification failed: no",
            None,
            true,
        );
        check(&json!("Plan updated"), "Plan updated", None, false);
        check(&json!("the log says\nOutput:\nx"), "the log says\nOutput:\nx", None, false);
    }
}
