//! A person's answers to questions that the agent asked with its question tool.

use serde_json::Value;
use subcortex_model::Via;

use crate::transcript::choice;

/// The tool that asks.
pub(super) const QUESTION_TOOL: &str = "AskUserQuestion";
/// What stands for an answer that was not given.
const NO_ANSWER: [&str; 2] = ["(no option selected)", "(No answer provided)"];

/// What a person answered to one question: picked, or in their own words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub question: String,
    pub text: String,
    pub via: Via,
}

/// Reads the structured result of the question tool. What its text says is not asked: a question may hold anything. `called`
/// is what the agent wrote into the call, which the result need not repeat.
pub(super) fn from_result(result: &Value, called: &Value) -> Vec<Answer> {
    let (Some(questions), Some(answers)) =
        (result.get("questions").and_then(Value::as_array), result.get("answers").and_then(Value::as_object))
    else {
        return Vec::new();
    };
    let wrote: Vec<&Value> = questions.iter().chain([called]).collect();
    let mut found = Vec::new();
    for (question, answer) in answers {
        let is_it = |asked: &&Value| asked.get("question").and_then(Value::as_str) == Some(question);
        // An answer to nothing that was asked is nobody's.
        let Some(asked) = questions.iter().find(is_it) else { continue };
        let notes = result.pointer("/annotations").and_then(|all| all.get(question)?.get("notes")?.as_str());
        let notes = notes.unwrap_or_default().trim();
        let answer = answer_text(answer);
        let told = |text: &str, via| Answer { question: question.clone(), text: text.to_owned(), via };
        if !answer.is_empty() && !NO_ANSWER.contains(&&*answer) {
            let choice = choice::split(&answer, &choice::offered(asked, &wrote));
            found.extend(choice.picked.map(|picked| told(&picked, Via::Picked)));
            found.extend(choice.typed.map(|typed| told(&typed, Via::Answer)));
        }
        if !notes.is_empty() && notes != answer {
            let choice = choice::split(notes, &choice::offered(asked, &wrote));
            found.extend(choice.picked.map(|picked| told(&picked, Via::Picked)));
            found.extend(choice.typed.map(|typed| told(&typed, Via::Answer)));
        }
    }
    found
}

/// An answer is a text, or a list of texts where several could be picked.
fn answer_text(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(parts) => {
            parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(choice::SEPARATOR)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(result: &Value, expect: &[(&str, Via)]) {
        let found = from_result(result, &Value::Null);
        let found: Vec<(&str, Via)> = found.iter().map(|answer| (answer.text.as_str(), answer.via)).collect();
        assert_eq!(found, expect, "{result}");
    }

    #[test]
    fn a_picked_option_is_told_from_words_of_ones_own() {
        let questions =
            json!([{"question": "Which port?", "options": [{"label": "8080"}, {"label": "9090"}]}]);
        let answered = |answer: &str| json!({"questions": questions, "answers": {"Which port?": answer}});
        check(&answered("8080"), &[("8080", Via::Picked)]);
        check(&answered("8080, 9090"), &[("8080, 9090", Via::Picked)]);
        check(&answered("never a fixed one"), &[("never a fixed one", Via::Answer)]);
        check(
            &answered("8080, but never on main"),
            &[("8080", Via::Picked), ("but never on main", Via::Answer)],
        );
        check(&json!({"questions": questions, "answers": {"Another one?": "use npm"}}), &[]);
        check(&json!({"questions": "x", "answers": {"Which port?": "use npm"}}), &[]);
    }

    #[test]
    fn notes_are_words_of_their_own_and_come_once() {
        let notes = |answer: &str, notes: &str| {
            json!({"questions": [{"question": "Q", "options": [{"label": "A"}]}],
                "answers": {"Q": answer}, "annotations": {"Q": {"notes": notes}}})
        };
        check(&notes("A", "but only here"), &[("A", Via::Picked), ("but only here", Via::Answer)]);
        check(&notes("own words", "own words"), &[("own words", Via::Answer)]);
        check(&notes("(no option selected)", "neither"), &[("neither", Via::Answer)]);
        check(&notes("", ""), &[]);
    }
}
