//! The YAML block at the beginning of a Markdown file.
//!
//! ```text
//! ---                      the very first line; a byte order mark before it is fine
//! schedule: { … }          YAML, read as one document
//! ---                      the first line after it that is just `---`
//! The body.                everything else, `---` lines included
//! ```
//!
//! Blanks behind a fence and CRLF line ends are fine. A file whose first line is not `---` has no
//! frontmatter, and all of it is body.

use serde::de::DeserializeOwned;

use crate::{Problem, from_str};

const FENCE: &str = "---";

/// The YAML between the fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frontmatter<'a> {
    /// The text between the fences, without them.
    pub yaml: &'a str,
    /// The line of the file on which `yaml` begins, counted from 1.
    pub first_line: usize,
}

/// Divides a file into its frontmatter (`None` if it has none) and its body.
pub fn split(text: &str) -> Result<(Option<Frontmatter<'_>>, &str), Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let Some(opening) = lines.next().filter(|line| is_fence(line)) else { return Ok((None, text)) };
    let inside = &text[opening.len()..];
    let mut yaml_bytes = 0;
    for line in lines {
        if is_fence(line) {
            let frontmatter = Frontmatter { yaml: &inside[..yaml_bytes], first_line: 2 };
            return Ok((Some(frontmatter), &inside[yaml_bytes + line.len()..]));
        }
        yaml_bytes += line.len();
    }
    Err(Problem::new("the frontmatter that begins with `---`")
        .on(1, 1)
        .because("no second `---` ends it")
        .hinting("put a line `---` between the frontmatter and the text; a text cannot begin with `---`"))
}

/// Reads the frontmatter of a file, if it has one, and gives the body back. Positions are those of the file.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<(Option<T>, &str), Problem> {
    let (frontmatter, body) = split(text)?;
    let Some(Frontmatter { yaml, first_line }) = frontmatter else { return Ok((None, body)) };
    let value = from_str(yaml).map_err(|problem| problem.below(first_line - 1))?;
    Ok((Some(value), body))
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == FENCE
}
