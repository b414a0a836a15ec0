//! What a person typed when refusing a tool call. The program reports it inside the tool's answer.

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
/// Stands in the person's place when they want to talk about the questions first.
const CLARIFY: &str = "The user wants to clarify these questions";
/// How the partial answers behind it are marked.
const PARTIAL: [&str; 2] = ["Answer: ", "User notes: "];

/// Whether this is the answer of a call that a person refused.
pub(super) fn is_refusal(answer: &str) -> bool {
    OPENINGS.iter().any(|opening| answer.starts_with(opening))
}

/// The words in the answer of a refused call.
pub(super) fn words(answer: &str) -> Option<String> {
    let answer = answer.trim_start();
    if !is_refusal(answer) {
        return None;
    }
    let (_, said) = SAID.iter().find_map(|marker| answer.split_once(marker))?;
    clean(said)
}

/// Takes off what the program put around the words.
pub(super) fn clean(said: &str) -> Option<String> {
    let said = said.rsplit_once(NOTE).map_or(said, |(said, _)| said).trim();
    if said.starts_with(CLARIFY) {
        return partial_answers(said);
    }
    (!said.is_empty()).then(|| said.to_owned())
}

fn partial_answers(said: &str) -> Option<String> {
    let answers: Vec<&str> = said
        .lines()
        .filter_map(|line| PARTIAL.iter().find_map(|mark| line.strip_prefix("  ")?.strip_prefix(mark)))
        .collect();
    (!answers.is_empty()).then(|| answers.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(answer: &str, expect: Option<&str>) {
        assert_eq!(words(answer).as_deref(), expect, "{answer}");
    }

    #[test]
    fn only_the_persons_words_are_kept() {
        let opening = OPENINGS[0];
        check(
            &format!("{opening} It was rejected. To tell you how to proceed, the user said:\nuse pnpm here"),
            Some("use pnpm here"),
        );
        check(
            &format!("{opening} the user said:\nuse pnpm\n\n{NOTE} Pay close attention."),
            Some("use pnpm"),
        );
        check("Permission for this tool use was denied. The user said:\nnot on main", Some("not on main"));
        check(&format!("{opening} STOP and wait."), None);
        check("grep found: the user said:\nsomething else", None);
    }

    #[test]
    fn of_a_wish_to_clarify_only_the_partial_answers_are_words() {
        let asked = format!(
            "{} the user said:\n{CLARIFY}.\n    Start by asking.\n\n    Questions asked:\n- \"Which one?\"",
            OPENINGS[0]
        );
        check(&format!("{asked}\n  (No answer provided)"), None);
        check(
            &format!("{asked}\n  Answer: the small one\n  User notes: for now"),
            Some("the small one\nfor now"),
        );
    }
}
