//! Which lines stand in something that Markdown itself sets apart: code, quotes with the lines that lazily go on with them, tables,
//! footnotes. (Elements end elsewhere than Markdown has it: see [`super::enclosed`].)

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Marks the lines that are set apart.
pub(super) fn mark(lines: &[&str], pasted: &mut [bool]) {
    let text = lines.join("\n");
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mut behind = 0;
    for (event, range) in Parser::new_ext(&text, options).into_offset_iter() {
        // What is nested is marked already.
        if !is_set_apart(&event) || range.end <= behind {
            continue;
        }
        behind = range.end;
        let first = starts.partition_point(|start| *start <= range.start).saturating_sub(1);
        let covered =
            starts.iter().zip(&mut *pasted).skip(first).take_while(|(start, _)| **start < range.end);
        covered.for_each(|(_, pasted)| *pasted = true);
    }
}

fn is_set_apart(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Start(
            Tag::BlockQuote(_)
                | Tag::CodeBlock(_)
                | Tag::Table(_)
                | Tag::FootnoteDefinition(_)
                | Tag::MetadataBlock(_)
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::speech::marked;

    #[track_caller]
    fn check(text: &str, expect: &[usize]) {
        assert_eq!(marked(text, mark), expect, "{text}");
    }

    #[test]
    fn what_markdown_sets_apart_is_marked_line_by_line() {
        check("look\n> the readme:\nalways use npm\n\nwhy", &[1, 2]);
        check("look\n- ```\n  always use npm\n  ```\nwhy", &[1, 2, 3]);
        check("a | b\n--- | ---\nalways use npm | no\n\nwhy", &[0, 1, 2]);
        check("- use tabs\n- never use npm\n\n1. one\n2. two", &[]);
    }
}
