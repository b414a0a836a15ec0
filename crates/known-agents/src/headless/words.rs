//! Words from outside, made fit to be shown.

use subcortex_guard::{Redactor, escape_for_display};

/// The longest text of an agent that becomes part of a message, in characters.
const MAX_WORDS_CHARS: usize = 600;
/// The longest name of a model, tool or subagent, in characters.
const MAX_NAME_CHARS: usize = 100;
/// How many names are kept of one kind.
const MAX_NAMES: usize = 100;
/// How much is kept of the end of standard error, in bytes.
const MAX_STDERR_BYTES: usize = 16 * 1024;

/// A text for a message: one line, without secrets, not too long.
pub fn shown(text: &str) -> String {
    let safe = escape_for_display(&Redactor::new().front(text.trim(), 4 * MAX_WORDS_CHARS + 1)).into_owned();
    if safe.chars().count() <= MAX_WORDS_CHARS {
        return safe;
    }
    safe.chars().take(MAX_WORDS_CHARS).chain(['…']).collect()
}

/// A name.
pub fn name(text: &str) -> String {
    escape_for_display(text).chars().take(MAX_NAME_CHARS).collect()
}

/// Names, each once, in their order.
pub fn names<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut all = Vec::new();
    for name in texts.into_iter().map(name) {
        if !name.is_empty() && !all.contains(&name) && all.len() < MAX_NAMES {
            all.push(name);
        }
    }
    all
}

/// The end of what was written to standard error, with its lines, without secrets.
pub fn stderr(text: &str) -> String {
    Redactor::new().tail(text, MAX_STDERR_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_safe_line_without_secrets() {
        assert_eq!(shown(" a\u{1b}[2J\nPASSWORD=hunter2 "), "a\\u{1b}[2J\\nPASSWORD=[REDACTED:password]");
        assert_eq!(shown(&"é".repeat(10_000_000)).chars().count(), MAX_WORDS_CHARS + 1);
    }

    #[test]
    fn names_are_kept_once_and_bounded() {
        assert_eq!(names(["Bash", "Write", "Bash", "", "a\nb"]), ["Bash", "Write", "a\\nb"]);
        let many: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
        assert_eq!(names(many.iter().map(String::as_str)).len(), MAX_NAMES);
    }

    #[test]
    fn the_end_of_a_long_error_output_is_kept() {
        let text = format!("{}\nTOKEN=abcd1234efgh\nthe end", "é".repeat(20_000));
        let kept = stderr(&text);
        assert!(kept.ends_with("\nthe end") && kept.len() <= MAX_STDERR_BYTES + 64, "{}", kept.len());
        assert!(!kept.contains("abcd1234efgh"));
    }

    #[test]
    fn a_secret_across_the_cut_is_hidden() {
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        for shift in 0..token.len() {
            let text = format!("{token} {}", " x".repeat((MAX_STDERR_BYTES - shift) / 2));
            assert!(!stderr(&text).contains("6789"), "{shift}");
            let text = format!("{}{token}", " ".repeat(4 * MAX_WORDS_CHARS - shift) + "x ");
            assert!(!shown(&format!("x{text}")).contains("0123"), "{shift}");
        }
    }
}
