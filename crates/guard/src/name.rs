//! Names that come from outside and are about to become part of a path: tasks, partitions, threads.

use std::ffi::OsStr;

use thiserror::Error;

use crate::display::{escape_for_display, is_direction, is_invisible};

/// The longest name of a file that Linux takes, in bytes.
const NAME_MAX_BYTES: usize = 255;
/// How much of a refused name a message shows, in characters.
const SHOWN_MAX_CHARS: usize = 60;

/// Why a name from outside cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameProblem {
    /// There is nothing.
    #[error("the name is empty; give it at least one character")]
    Empty,
    /// It is more than a file system takes.
    #[error("the name `{shown}` has {len_bytes} bytes, a file system takes {NAME_MAX_BYTES}; shorten it")]
    TooLong {
        /// The beginning of the name, safe to show.
        shown: String,
        /// Its length in bytes.
        len_bytes: usize,
    },
    /// It is not text.
    #[error("the name `{shown}` is not valid UTF-8; rename it to plain text")]
    NotUtf8 {
        /// The name with what is not text replaced, safe to show.
        shown: String,
    },
    /// It names a directory by its place.
    #[error("the name `{name}` means a directory by its place, not a file; use another name")]
    Dots {
        /// `.` or `..`
        name: String,
    },
    /// It would lead somewhere else.
    #[error("the name `{shown}` contains `/`, which leads to another directory; use the last part alone")]
    Slash {
        /// The name, safe to show.
        shown: String,
    },
    /// It holds a character that could not be shown or would be obeyed.
    #[error("the name `{shown}` contains {what} (U+{code:04X}); remove it")]
    Character {
        /// The name with that character spelled out.
        shown: String,
        /// What sort of character it is.
        what: &'static str,
        /// Its number.
        code: u32,
    },
}

/// Lets a name through that can stand in a directory: one component, text that can be shown, not too long.
///
/// ```
/// use subcortex_guard::check_basename;
/// assert_eq!(check_basename("prune-stale.md"), Ok("prune-stale.md"));
/// assert!(check_basename("../etc/passwd").is_err());
/// ```
///
/// # Errors
/// The first reason for which the name is refused; its text says what to do.
pub fn check_basename<N: AsRef<OsStr> + ?Sized>(name: &N) -> Result<&str, NameProblem> {
    let name = name.as_ref();
    let Some(name) = name.to_str() else {
        return Err(NameProblem::NotUtf8 { shown: shown(&name.to_string_lossy()) });
    };
    if name.is_empty() {
        return Err(NameProblem::Empty);
    }
    if name == "." || name == ".." {
        return Err(NameProblem::Dots { name: name.to_owned() });
    }
    if let Some((character, what)) = name.chars().find_map(|character| Some((character, refused(character)?)))
    {
        return Err(NameProblem::Character { shown: shown(name), what, code: u32::from(character) });
    }
    if name.contains('/') {
        return Err(NameProblem::Slash { shown: shown(name) });
    }
    if name.len() > NAME_MAX_BYTES {
        return Err(NameProblem::TooLong { shown: shown(name), len_bytes: name.len() });
    }
    Ok(name)
}

/// What sort of character this is, if it may not stand in a name.
fn refused(character: char) -> Option<&'static str> {
    match character {
        '\0' => Some("a NUL character"),
        '\u{2028}' | '\u{2029}' => Some("a line separator"),
        turning if is_direction(turning) => Some("a character that turns the writing around"),
        hidden if is_invisible(hidden) => Some("a character that cannot be seen"),
        control if control.is_control() => Some("a control character"),
        _ => None,
    }
}

fn shown(name: &str) -> String {
    let start: String = name.chars().take(SHOWN_MAX_CHARS).collect();
    let cut = if start.len() < name.len() { "…" } else { "" };
    format!("{}{cut}", escape_for_display(&start))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use proptest::prelude::*;

    use super::*;

    fn check(name: &str, expect: &str) {
        let text = match check_basename(name) {
            Ok(name) => format!("ok {name}"),
            Err(problem) => problem.to_string(),
        };
        assert_eq!(text, expect);
    }

    #[test]
    fn ordinary_names_pass() {
        for name in
            ["a", "prune-stale.md", "Заметка.md", "日本", ".hidden", "a b", "...", "a:b", "-rf", "%2e%2e"]
        {
            check(name, &format!("ok {name}"));
        }
        let longest = "a".repeat(255);
        check(&longest, &format!("ok {longest}"));
    }

    #[test]
    fn refused_names_say_why_and_what_to_do() {
        check("", "the name is empty; give it at least one character");
        check(".", "the name `.` means a directory by its place, not a file; use another name");
        check("..", "the name `..` means a directory by its place, not a file; use another name");
        check(
            "../a",
            "the name `../a` contains `/`, which leads to another directory; use the last part alone",
        );
        check("a\0b", "the name `a\\u{0}b` contains a NUL character (U+0000); remove it");
        check("a\nb", "the name `a\\nb` contains a control character (U+000A); remove it");
        check("a\u{1b}[2J", "the name `a\\u{1b}[2J` contains a control character (U+001B); remove it");
        check(
            "a\u{202e}dm.exe",
            "the name `a\\u{202e}dm.exe` contains a character that turns the writing around (U+202E); remove it",
        );
        check("a\u{2028}b", "the name `a\\u{2028}b` contains a line separator (U+2028); remove it");
        check(
            "a\u{feff}",
            "the name `a\\u{feff}` contains a character that cannot be seen (U+FEFF); remove it",
        );
    }

    #[test]
    fn a_long_name_is_counted_in_bytes_and_shown_cut() {
        let name = "é".repeat(128);
        let problem = check_basename(&name).unwrap_err();
        assert_eq!(problem, NameProblem::TooLong { shown: format!("{}…", "é".repeat(60)), len_bytes: 256 });
    }

    #[test]
    fn a_name_that_is_no_text_is_refused() {
        let problem = check_basename(OsStr::from_bytes(b"a\xffb")).unwrap_err();
        assert_eq!(problem.to_string(), "the name `a\u{fffd}b` is not valid UTF-8; rename it to plain text");
        assert_eq!(check_basename(OsStr::new("a")), Ok("a"));
    }

    proptest! {
        #[test]
        fn a_name_that_passes_is_one_component_and_a_message_is_safe(name in any::<String>()) {
            match check_basename(&name) {
                Ok(name) => {
                    let mut parts = std::path::Path::new(name).components();
                    prop_assert!(matches!(parts.next(), Some(std::path::Component::Normal(part)) if part == name));
                    prop_assert!(parts.next().is_none());
                }
                Err(problem) => {
                    let text = problem.to_string();
                    let escaped = escape_for_display(&text).into_owned();
                    prop_assert_eq!(escaped, text);
                }
            }
        }
    }
}
