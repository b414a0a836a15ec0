//! Paths in messages.

use std::fmt;
use std::path::Path;

use subcortex_guard::shown_path;

/// Shows a path between backticks.
pub(crate) struct Shown<'a>(pub(crate) &'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", shown_path(self.0))
    }
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
        check("/x/a\nERROR all is lost", "`/x/a\\nERROR all is lost`");
        check("/x/a\u{202e}dm.`", "`/x/a\\u{202e}dm.\\u{60}`");
    }
}
