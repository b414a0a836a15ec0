//! What stands between two marks: fences, elements, comments, documents in documents, quotes, rulers.
//!
//! One pass notes which lines may close something, a second one goes from each opening line to its end. Both are linear.

use std::collections::HashMap;

use super::{lines, quotes};
use crate::text::pattern;

/// The shortest fence of a code block.
const MIN_FENCE_CHARS: usize = 3;
/// Longest line that can be a mark, in bytes.
const MAX_MARK_BYTES: usize = 200;
/// Quotes of several lines, as programs write them.
const TRIPLES: [&str; 2] = ["\"\"\"", "'''"];
/// Elements without an end.
const VOID: [&str; 6] = ["br", "hr", "img", "input", "meta", "link"];

pattern!(TAG, r"<(/?)([A-Za-z][\w.-]*)[^<>]*>");
pattern!(HEREDOC, r"<<[-~]?\s*\\?['\x22]?([A-Za-z_]\w*)");
pattern!(BRACKET, r"(?i)^\[(/?)(quote|code|spoiler|log)[^\]]*\]");
pattern!(BEGIN, r"(?i)^[^\w\s]+\s*\+?begin\b");
pattern!(END, r"(?i)^[^\w\s]+\s*\+?end\b");
pattern!(
    RULER,
    r"^(?:(-{3,}|={3,}|_{4,}|\*{4,}|~{4,}|\.{4,}|\+{4,}|#{7,}|:{3,}|-{2,}8<-*|[—─━═]{2,})(?:\s*[^\s].{0,60})?|\{(?:code|noformat|quote)[^}]*\})\s*$"
);

/// Up to which line something reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// To the next closing line; without one to the end.
    NextOrEnd,
    /// To the next closing line, if there is one.
    NextIfAny,
    /// To the last closing line: what is pasted may hold a mark of the end. Without one to the end.
    LastOrEnd,
    /// To the last closing line, if there is one.
    LastIfAny,
}

/// What a line opens: the name of the mark that closes it, and where that is.
type Opening = (String, Reach);

/// Marks the lines that are enclosed, with the lines of the marks.
pub(super) fn mark(lines: &[&str], pasted: &mut [bool]) {
    let mut closing: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for name in closings(line) {
            closing.entry(name).or_default().push(at);
        }
    }
    let mut at = 0;
    while at < lines.len() {
        let end = fence_end(lines, at).or_else(|| {
            let (name, reach) = opening(lines[at])?;
            end_of(at, lines.len(), closing.get(&name).map_or(&[], Vec::as_slice), reach)
        });
        if let Some(end) = end {
            pasted[at..=end].fill(true);
        }
        at = end.unwrap_or(at) + 1;
    }
}

/// The last line of what is opened in a line.
fn end_of(at: usize, count: usize, closing: &[usize], reach: Reach) -> Option<usize> {
    let next = closing.get(closing.partition_point(|line| *line <= at)).copied();
    let last = closing.last().copied().filter(|line| *line > at);
    match reach {
        Reach::NextOrEnd => next.or(Some(count - 1)),
        Reach::NextIfAny => next,
        Reach::LastOrEnd => last.or(Some(count - 1)),
        Reach::LastIfAny => last,
    }
}

/// The last line of the code block that a line opens. A fence within, as long as the first and with the name of a language, has an end
/// of its own.
fn fence_end(lines: &[&str], at: usize) -> Option<usize> {
    let (mark, length, _) = fence_of(lines[at])?;
    let mut depth = 1;
    for (number, line) in lines.iter().enumerate().skip(at + 1) {
        let Some((other, long, info)) = fence_of(line) else { continue };
        if other != mark || long < length {
            continue;
        }
        if info.is_empty() {
            depth -= 1;
        } else if info.chars().all(|c| c.is_alphanumeric() || matches!(c, '+' | '-' | '#')) {
            depth += 1;
        }
        if depth == 0 {
            return Some(number);
        }
    }
    Some(lines.len() - 1)
}

/// The fence that a line begins with, also as a point of a list: its character, its length, and what follows.
fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let (line, _) = lines::behind_list_marks(line);
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    (length >= MIN_FENCE_CHARS && !rest.contains(mark)).then_some((mark, length, rest.trim()))
}

/// What a line opens and does not close itself.
fn opening(line: &str) -> Option<Opening> {
    let bare = line.trim();
    let (point, _) = lines::behind_list_marks(line);
    let named = |name: &str, reach| Some((name.to_owned(), reach));
    if let Some(triple) = TRIPLES.into_iter().find(|triple| !bare.matches(triple).count().is_multiple_of(2)) {
        return named(triple, Reach::NextOrEnd);
    }
    if bare.starts_with("/*") && !bare.contains("*/") {
        return named("*/", Reach::NextOrEnd);
    }
    if bare.rsplit_once("<!--").is_some_and(|(_, rest)| !rest.contains("-->")) {
        return named("-->", Reach::NextOrEnd);
    }
    if bare.starts_with("<<<<<<<") {
        return named(">>>>>>>", Reach::NextOrEnd);
    }
    if let Some(found) = HEREDOC.captures(bare) {
        return Some((format!("<<{}", found.get(1)?.as_str()), Reach::NextIfAny));
    }
    if let Some(found) =
        BRACKET.captures(bare).filter(|found| found.get(1).is_some_and(|slash| slash.is_empty()))
    {
        return Some((format!("[/{}", found.get(2)?.as_str().to_lowercase()), Reach::LastOrEnd));
    }
    if bare.len() <= MAX_MARK_BYTES && BEGIN.is_match(bare) {
        return named("end", Reach::NextOrEnd);
    }
    tag_opening(point)
        .or_else(|| Some((ruler(bare)?, Reach::NextIfAny)))
        .or_else(|| Some((quotes::left_open(line)?.to_string(), Reach::NextIfAny)))
        .or_else(|| (bare.ends_with('`') && is_odd(bare)).then(|| ("`".to_owned(), Reach::NextIfAny)))
}

/// The element that a line begins or ends with and does not close.
fn tag_opening(line: &str) -> Option<Opening> {
    let tags = TAG.captures_all(line);
    let whole = |found: &regex::Captures<'_>| found.get(0).map_or(0..0, |tag| tag.range());
    let begins = tags.first().filter(|found| whole(found).start == 0);
    let found = begins.or_else(|| tags.last().filter(|found| whole(found).end == line.trim_end().len()))?;
    let is_end = found.get(1).is_some_and(|slash| !slash.is_empty());
    let name = found.get(2)?.as_str().to_lowercase();
    let tag = found.get(0)?.as_str();
    if is_end || tag.ends_with("/>") || VOID.contains(&name.as_str()) {
        return None;
    }
    let stands_alone = tag.len() == line.trim().len();
    Some((format!("</{name}"), if stands_alone { Reach::LastOrEnd } else { Reach::LastIfAny }))
}

/// What a line may be the end of.
fn closings(line: &str) -> Vec<String> {
    let bare = line.trim();
    let mut found: Vec<String> = TAG
        .captures_all(bare)
        .iter()
        .filter(|tag| tag.get(1).is_some_and(|slash| !slash.is_empty()))
        .filter_map(|tag| Some(format!("</{}", tag.get(2)?.as_str().to_lowercase())))
        .collect();
    found.extend(TRIPLES.into_iter().filter(|triple| bare.contains(triple)).map(str::to_owned));
    found.extend(["*/", "-->"].into_iter().filter(|end| bare.contains(end)).map(str::to_owned));
    found.extend(quotes::closed(line).map(String::from));
    found.extend(is_odd(bare).then(|| "`".to_owned()));
    if bare.starts_with(">>>>>>>") {
        found.push(">>>>>>>".to_owned());
    }
    if bare.len() <= MAX_MARK_BYTES {
        found.extend(
            BRACKET
                .captures(bare)
                .and_then(|mark| Some(format!("[/{}", mark.get(2)?.as_str().to_lowercase()))),
        );
        found.extend(END.is_match(bare).then(|| "end".to_owned()));
        found.extend((!bare.contains(char::is_whitespace)).then(|| format!("<<{bare}")));
        found.extend(ruler(bare));
    }
    found
}

/// The kind of ruler that a line is, with or without a title.
fn ruler(line: &str) -> Option<String> {
    let found = RULER.captures(line)?;
    let kind = found.get(1).map_or("{", |mark| mark.as_str());
    kind.chars().next().map(|mark| format!("ruler {mark}"))
}

fn is_odd(line: &str) -> bool {
    !line.matches('`').count().is_multiple_of(2)
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
    fn fences_end_only_with_their_own_kind() {
        check("a\n```\nx\n```\nb", &[1, 2, 3]);
        check("a\n~~~text\nx\n```\nx\n~~~\nb", &[1, 2, 3, 4, 5]);
        check("a\n````\n```\nx\n```\nx\n````\nb", &[1, 2, 3, 4, 5, 6]);
        check("a\n```\nnever closed", &[1, 2]);
        check("a\n```\n``` not the end\nx\n```\nb", &[1, 2, 3, 4]);
        check("a\n```\nx\n```sh\nmake\n```\nx\n```\nb", &[1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn elements_end_with_their_last_mark() {
        check("<PRE>\nx</pre>\nx\n</pre>\nb", &[0, 1, 2, 3]);
        check("look: <pre>\nx\n\nx\n</pre>\nb", &[0, 1, 2, 3, 4]);
        check("the <pre> element\nb", &[]);
        check("<div> is odd\nb", &[]);
        check("<log>\nx\n\nx", &[0, 1, 2, 3]);
        check("a<br>\nb", &[]);
    }

    #[test]
    fn other_marks_hold_a_paste_together() {
        check("a\nx = \"\"\"\nx\n\"\"\"\nb", &[1, 2, 3]);
        check("a\n-----\nx\n\nx\n-----\nb", &[1, 2, 3, 4, 5]);
        check("a\n---\nb", &[]);
        check("a\n=== README.md ===\nx\n=== end ===\nb", &[1, 2, 3]);
        check("a\n<<<<<<< HEAD\nx\n=======\nx\n>>>>>>> b\nb", &[1, 2, 3, 4, 5]);
        check("a\n*** Begin Patch\n x\n*** End Patch\nb", &[1, 2, 3]);
        check("a\ncat <<'EOF'\nx\nEOF\nb", &[1, 2, 3]);
        check("he said: \"a\n\nx\"\nb", &[0, 1, 2]);
        check("const x = `\nx\n`;\nb", &[0, 1, 2]);
    }
}
