//! Lines that end in a sign which is not theirs: the right side of a box, the `$` of `cat -A`.

use std::ops::Range;

use super::view::View;
use super::work;

/// What is put behind every line.
const SIGNS: &[&str] = &["$", "│", "┃", "║"];
/// Fewer lines than this may end so by themselves.
const LINES_MIN: usize = 2;

/// The blocks of lines that end in the same sign, without it; the left side of a box is a margin like others.
pub(super) fn without(bytes: &[u8]) -> Vec<View> {
    SIGNS.iter().flat_map(|sign| blocks(bytes, sign.as_bytes())).map(|lines| view_of(bytes, &lines)).collect()
}

/// A line with its line end, and where its sign begins.
struct FramedLine {
    whole: Range<usize>,
    text_end: usize,
}

fn blocks(bytes: &[u8], sign: &[u8]) -> Vec<Vec<FramedLine>> {
    let mut blocks: Vec<Vec<FramedLine>> = Vec::new();
    let ending = [sign, b"\n"].concat();
    let mut last_end = 0;
    for at in memchr::memmem::find_iter(bytes, &ending) {
        let end = at + ending.len();
        let start =
            memchr::memrchr(b'\n', &bytes[last_end..at]).map_or(last_end, |offset| last_end + offset + 1);
        work::note(end - last_end);
        let blanks = bytes[start..at].iter().rev().take_while(|byte| **byte == b' ').count();
        let line = FramedLine { whole: start..end, text_end: at - blanks };
        match blocks.last_mut().filter(|_| start == last_end) {
            Some(block) => block.push(line),
            None => blocks.push(vec![line]),
        }
        last_end = end;
    }
    // The last line of a text may have no end.
    let text_end = bytes.trim_ascii_end().len().max(last_end);
    if let Some(block) = blocks.last_mut()
        && let Some(last) = bytes[last_end..text_end].strip_suffix(sign)
        && !last.contains(&b'\n')
    {
        let inner = last.len() - last.iter().rev().take_while(|byte| **byte == b' ').count();
        block.push(FramedLine { whole: last_end..text_end, text_end: last_end + inner });
    }
    blocks.retain(|block| block.len() >= LINES_MIN);
    blocks
}

fn view_of(bytes: &[u8], lines: &[FramedLine]) -> View {
    let mut view = View::default();
    for line in lines {
        view.keep(bytes, line.whole.start..line.text_end);
        view.put(b"\n", line.text_end..line.whole.end);
    }
    view
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_sign_behind_several_lines_is_left_out() {
        let shown = |text: &str| -> Vec<String> {
            without(text.as_bytes())
                .iter()
                .map(|view| String::from_utf8_lossy(view.bytes()).into_owned())
                .collect()
        };
        assert_eq!(shown("a\nbc$\nd$\ne"), ["bc\nd\n"]);
        assert_eq!(shown("│ a   │\n│ bc  │\n└─────┘\n"), ["│ a\n│ bc\n"]);
        assert_eq!(shown("│ a   │\n│ bc  │"), ["│ a\n│ bc\n"]);
        assert!(shown("cost: 5$\nand\nmore$\n").is_empty());
        assert!(shown("cost: 5$\nand\nmore$").is_empty());
    }
}
