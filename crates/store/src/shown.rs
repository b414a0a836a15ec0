//! Paths and other foreign text in messages: a file name can hold anything but `/` and NUL, so it is
//! escaped before a person sees it.

use std::fmt::{self, Write};
use std::path::Path;

/// Shows a path between backticks, with control and direction-changing characters escaped.
pub(crate) struct Shown<'a>(pub(crate) &'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", ShownText(&self.0.to_string_lossy()))
    }
}

/// Shows a text with the same characters escaped.
pub(crate) struct ShownText<'a>(pub(crate) &'a str);

impl fmt::Display for ShownText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            if is_disguise(character) {
                write!(f, "{}", character.escape_unicode())?;
            } else {
                f.write_char(character)?;
            }
        }
        Ok(())
    }
}

/// Characters that could forge a line or reorder what is read.
fn is_disguise(character: char) -> bool {
    character.is_control()
        || matches!(character, '`' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expect: &str) {
        assert_eq!(Shown(Path::new(path)).to_string(), expect);
    }

    #[test]
    fn a_path_cannot_forge_a_line_or_reorder_the_text_around_it() {
        check("/home/you/naïve file.md", "`/home/you/naïve file.md`");
        check("/x/a\nERROR all is lost", "`/x/a\\u{a}ERROR all is lost`");
        check("/x/a\u{202e}dm.`", "`/x/a\\u{202e}dm.\\u{60}`");
    }
}
