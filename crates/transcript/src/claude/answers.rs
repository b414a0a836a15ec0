//! A person's answers to questions that the agent asked with its question tool.

use serde_json::Value;

/// The tool that asks.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";
/// What stands for an answer that was not given.
const NO_ANSWER: [&str; 2] = ["(no option selected)", "(No answer provided)"];
/// How the tool's answer begins and ends when only its text is there.
const OPENINGS: [&str; 2] = ["User has answered your questions: ", "The user answered: "];

/// One question and what the person said to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub question: String,
    pub text: String,
    /// The person picked what the agent had offered and added no words of their own.
    pub is_choice: bool,
}

/// Reads the structured result of the question tool.
pub(super) fn from_result(result: &Value) -> Vec<Answer> {
    let (Some(questions), Some(answers)) =
        (result.get("questions").and_then(Value::as_array), result.get("answers").and_then(Value::as_object))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (question, answer) in answers {
        let asked =
            questions.iter().find(|asked| asked.get("question").and_then(Value::as_str) == Some(question));
        let notes = result.pointer("/annotations").and_then(|all| all.get(question)?.get("notes")?.as_str());
        found.extend(join(question, &answer_text(answer), notes.unwrap_or_default().trim(), asked));
    }
    found
}

/// An answer is a text, or a list of texts where several could be picked.
fn answer_text(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

fn join(question: &str, answer: &str, notes: &str, asked: Option<&Value>) -> Option<Answer> {
    let answer = if NO_ANSWER.contains(&answer) { "" } else { answer };
    let is_choice = is_offered(answer, asked) && (notes.is_empty() || notes == answer);
    let text = match (answer.is_empty(), notes.is_empty() || notes == answer.trim()) {
        (true, true) => return None,
        (true, false) => notes.to_owned(),
        (false, true) => answer.to_owned(),
        (false, false) => format!("{answer}\n{notes}"),
    };
    Some(Answer { question: question.to_owned(), text, is_choice })
}

/// Whether every part of the answer is the label of an option.
fn is_offered(answer: &str, asked: Option<&Value>) -> bool {
    let options = asked.and_then(|asked| asked.get("options")?.as_array());
    let is_label = |part: &str| {
        options.is_some_and(|all| {
            all.iter().any(|option| option.get("label").and_then(Value::as_str).map(str::trim) == Some(part))
        })
    };
    is_label(answer) || answer.split(", ").all(is_label)
}

/// Reads the tool's answer where only its text is there: `"question"="answer"` pairs in one sentence.
pub(super) fn from_text(text: &str) -> Vec<Answer> {
    let Some(pairs) = OPENINGS.iter().find_map(|opening| text.strip_prefix(opening)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut pieces = pairs.split("\"=\"");
    let mut question = pieces.next().unwrap_or_default().trim_start_matches('"').to_owned();
    for piece in pieces {
        // The next question, if any, is the last quoted thing in this piece.
        let (answer, next) = match piece.rsplit_once(", \"") {
            Some((before, next)) if piece.matches('"').count() >= 2 => (before, next),
            _ => (piece, ""),
        };
        let answer = answer.split_once('"').map_or(answer, |(answer, _)| answer).trim();
        found.extend(join(&question, answer, "", None));
        question = next.to_owned();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(result: &Value, expect: &[(&str, bool)]) {
        let found = from_result(result);
        let found: Vec<(&str, bool)> =
            found.iter().map(|answer| (answer.text.as_str(), answer.is_choice)).collect();
        assert_eq!(found, expect, "{result}");
    }

    #[test]
    fn a_picked_option_is_told_from_words_of_ones_own() {
        let questions =
            json!([{"question": "Which port?", "options": [{"label": "8080"}, {"label": "9090"}]}]);
        check(&json!({"questions": questions, "answers": {"Which port?": "8080"}}), &[("8080", true)]);
        check(
            &json!({"questions": questions, "answers": {"Which port?": "8080, 9090"}}),
            &[("8080, 9090", true)],
        );
        check(
            &json!({"questions": questions, "answers": {"Which port?": "never a fixed one"}}),
            &[("never a fixed one", false)],
        );
    }

    #[test]
    fn notes_are_added_once() {
        let notes = |answer: &str, notes: &str| {
            json!({"questions": [{"question": "Q", "options": [{"label": "A"}]}],
                "answers": {"Q": answer}, "annotations": {"Q": {"notes": notes}}})
        };
        check(&notes("A", "but only here"), &[("A\nbut only here", false)]);
        check(&notes("own words", "own words"), &[("own words", false)]);
        check(&notes("(no option selected)", "neither"), &[("neither", false)]);
        check(&notes("", ""), &[]);
    }

    #[test]
    fn answers_are_read_from_the_sentence_when_nothing_else_is_there() {
        let text = "User has answered your questions: \"Port?\"=\"8080\", \"Host?\"=\"the small one\". You can now go on.";
        let found: Vec<_> =
            from_text(text).into_iter().map(|answer| (answer.question, answer.text)).collect();
        assert_eq!(found, [("Port?".into(), "8080".into()), ("Host?".into(), "the small one".into())]);
        assert!(from_text("something else \"a\"=\"b\"").is_empty());
    }
}
