//! Tasks in a prompt: `<basename>: <body>`.

use std::borrow::Cow;

use subcortex_cadence::TaskName;

/// A task's name as a prompt shows it: what stands before the first colon of a task is its name, so a colon in the
/// name itself is written `%3A`. The daemon acks by the real name.
#[must_use]
pub fn shown_in_prompt(name: &TaskName) -> Cow<'_, str> {
    if name.as_str().contains(':') {
        Cow::Owned(name.as_str().replace(':', "%3A"))
    } else {
        Cow::Borrowed(name.as_str())
    }
}

/// Tasks for a prompt, each `<basename>: <body>`, with an empty line between them.
///
/// A body is shown as it is. It can contain what looks like another task; that is text, and acks nothing.
pub fn render<'a>(tasks: impl IntoIterator<Item = (&'a TaskName, &'a str)>) -> String {
    let mut text = String::new();
    for (name, body) in tasks {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&shown_in_prompt(name));
        text.push_str(": ");
        text.push_str(body);
        if !body.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tasks: &[(&str, &str)], expect: &str) {
        let tasks: Vec<(TaskName, &str)> =
            tasks.iter().map(|(name, body)| (TaskName::new(*name), *body)).collect();
        assert_eq!(render(tasks.iter().map(|(name, body)| (name, *body))), expect);
    }

    #[test]
    fn what_stands_before_the_first_colon_is_the_name() {
        check(&[("prune.md", "[memory:prune] Remove it.")], "prune.md: [memory:prune] Remove it.\n");
        check(&[("a:b: c.md", "x: y")], "a%3Ab%3A c.md: x: y\n");
    }

    #[test]
    fn several_tasks_are_kept_apart() {
        check(&[], "");
        check(&[("a", "one\n"), ("b", "two\nlines"), ("c", "")], "a: one\n\nb: two\nlines\n\nc: \n");
    }
}
