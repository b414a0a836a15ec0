//! The marker at the front of a task's body: `[memory:claude-compress] Shorten the first section.`
//!
//! It says who takes a task from the shared inbox, and nothing about the work.

/// The longest marker, in characters.
pub const MAX_MARKER_CHARS: usize = 64;

/// The marker at the front of a body, without its brackets.
///
/// Letters, digits and `: . _ - /`, at most [`MAX_MARKER_CHARS`]; white space and a byte order mark before the
/// bracket do not count. A checkbox `[ ]` and a link `[text](address)` are no markers.
///
/// ```
/// use subcortex_inbox::marker;
/// assert_eq!(marker("[memory:claude-compress] Shorten it."), Some("memory:claude-compress"));
/// assert_eq!(marker("Shorten it."), None);
/// ```
#[must_use]
pub fn marker(body: &str) -> Option<&str> {
    let front = body.strip_prefix('\u{feff}').unwrap_or(body).trim_start();
    let (marker, rest) = front.strip_prefix('[')?.split_once(']')?;
    let plain = !marker.is_empty()
        && marker.len() <= MAX_MARKER_CHARS
        && marker.chars().all(|letter| letter.is_ascii_alphanumeric() || ":._-/".contains(letter));
    (plain && !rest.starts_with('(')).then_some(marker)
}

/// Whether a pattern of a partition's `consumes` takes a marker. `*` stands for any number of characters, everything
/// else for itself.
///
/// ```
/// use subcortex_inbox::matches;
/// assert!(matches("memory:*", "memory:claude-compress"));
/// assert!(!matches("memory:*", "memories:x"));
/// ```
#[must_use]
pub fn matches(pattern: &str, marker: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = marker.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        // The first place is always good enough: what follows can only get more room.
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expect: Option<&str>) {
        assert_eq!(marker(body), expect, "{body:?}");
    }

    #[test]
    fn a_marker_is_a_plain_word_in_brackets_at_the_very_front() {
        check("[memory:claude-compress] Shorten it.", Some("memory:claude-compress"));
        check("\u{feff}\n  [memory:scan]\nAll of it.", Some("memory:scan"));
        check("[compress]", Some("compress"));
        check("[a/b_c-d.e:f]x", Some("a/b_c-d.e:f"));
        check(&format!("[{}] x", "m".repeat(64)), Some(&"m".repeat(64)));
    }

    #[test]
    fn other_brackets_are_prose() {
        for body in [
            "",
            "[",
            "[]",
            "[] x",
            "[ ] buy milk",
            "[memory:scan",
            "[memory: scan] x",
            "[mem\nory:scan] x",
            "[text](https://example.org)",
            "see [memory:scan]",
            "[[entity-x]] x",
            "[mémoire:scan] x",
            "[memory:\u{202e}scan] x",
        ] {
            check(body, None);
        }
        check(&format!("[{}] x", "m".repeat(65)), None);
    }

    #[track_caller]
    fn check_match(pattern: &str, marker: &str, expect: bool) {
        assert_eq!(matches(pattern, marker), expect, "{pattern} {marker}");
    }

    #[test]
    fn a_star_stands_for_any_number_of_characters() {
        check_match("memory:*", "memory:scan", true);
        check_match("memory:*", "memory:", true);
        check_match("memory:*", "memory", false);
        check_match("memory:*", "xmemory:scan", false);
        check_match("memory:scan", "memory:scan", true);
        check_match("memory:scan", "memory:scans", false);
        check_match("*", "anything", true);
        check_match("*:scan", "memory:scan", true);
        check_match("*:scan", "memory:scan:x", false);
        check_match("a*b*c", "a-b-b-c", true);
        check_match("a*b*c", "a-c-b", false);
        check_match("ab*ba", "aba", false);
        check_match("**", "x", true);
        check_match("", "x", false);
        check_match("memory:?", "memory:x", false);
    }
}
