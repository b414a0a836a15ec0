//! Values that somebody still has to fill in.

/// How `scaffold` marks what it cannot know; it may stand anywhere in a value.
pub(crate) const MARK: &str = "<fill in";
/// Words that are a placeholder when they are all there is.
const WHOLE: [&str; 8] = ["todo", "tbd", "fixme", "changeme", "xxx", "...", "…", "placeholder"];
/// What a placeholder may be put between.
const BRACKETS: [(&str, &str); 3] = [("<", ">"), ("{{", "}}"), ("${", "}")];

/// Whether a value only holds the place of one.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let value = value.trim().to_lowercase();
    let is_bracketed = |(open, close): (&str, &str)| {
        let inside = value.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        inside.is_some_and(|inside| !inside.contains(close))
    };
    value.contains(MARK)
        || value.starts_with("todo:")
        || WHOLE.contains(&value.as_str())
        || BRACKETS.into_iter().any(is_bracketed)
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn a_value_in_brackets_or_a_word_for_later_is_a_placeholder() {
        for value in
            ["TODO", "todo: the goal", "<your goal>", "{{goal}}", "...", "Fix <fill in: what>.", " TBD "]
        {
            assert!(is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn brackets_with_a_meaning_are_not() {
        for value in
            ["test -f a < b > c", "Find uses of Vec<String>", "list open TODOs", "docker ps -f {{.ID}} x"]
        {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
