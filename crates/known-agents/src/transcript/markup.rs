//! What agent programs wrap around their own words when they speak in the person's place.

/// What an element at the start of a text says about the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// The program put it in front of the person's words, which follow.
    Aside,
    /// The program wrote the whole text.
    Machine,
    /// Made for a model, as far as one can tell from its name, and not HTML that somebody quotes.
    MadeUp,
    /// Part of what is said.
    Quoted,
}

/// Elements with which the program tells the agent something before the person's words begin.
const ASIDES: [&str; 9] = [
    "ide_diagnostics",
    "ide_opened_file",
    "ide_selection",
    "new-diagnostics",
    "session-start-hook",
    "system-instruction",
    "system-reminder",
    "system_instruction",
    "user-prompt-submit-hook",
];

/// Elements that begin a text of which every word is the program's or another agent's.
const MACHINES: [&str; 18] = [
    "agent-message",
    "bash-stderr",
    "bash-stdout",
    "channel",
    "command-args",
    "command-contents",
    "cross-session-message",
    "fork-boilerplate",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "persisted-output",
    "remote-review",
    "task-notification",
    "teammate-message",
    "tick",
    "tool_use_error",
    "ultraplan",
];

/// Elements that stand for what a person did, and not for words, where they are not at the start.
const INPUTS: [&str; 3] = ["bash-input", "command-message", "command-name"];

impl Tag {
    /// Judges an element by its name.
    pub(crate) fn of(name: &str) -> Self {
        if ASIDES.contains(&name) {
            Self::Aside
        } else if MACHINES.contains(&name) {
            Self::Machine
        } else if name.contains(['-', '_']) {
            Self::MadeUp
        } else {
            Self::Quoted
        }
    }
}

/// The element that a text begins with: its name, what is in it, and what follows.
pub(crate) struct Element<'a> {
    pub name: &'a str,
    pub inner: &'a str,
    pub rest: &'a str,
    pub is_closed: bool,
}

/// The element at the very start of `text`. One that is never closed reaches to the end.
pub(crate) fn leading_element(text: &str) -> Option<Element<'_>> {
    let after = text.strip_prefix('<')?;
    let name_end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))?;
    let (name, attributes) = after.split_at(name_end);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic())
        || !attributes.starts_with(['>', ' ', '\n', '\t', '/'])
    {
        return None;
    }
    let (tag, body) = attributes.split_once('>')?;
    if tag.ends_with('/') {
        return Some(Element { name, inner: "", rest: body, is_closed: true });
    }
    match closing(body, name) {
        Some((inner_end, rest_start)) => {
            Some(Element { name, inner: &body[..inner_end], rest: &body[rest_start..], is_closed: true })
        }
        None => Some(Element { name, inner: body, rest: "", is_closed: false }),
    }
}

/// Where `</name>` begins and ends.
fn closing(body: &str, name: &str) -> Option<(usize, usize)> {
    body.match_indices("</").find_map(|(at, _)| {
        let rest = body[at + 2..].strip_prefix(name)?.strip_prefix('>')?;
        Some((at, body.len() - rest.len()))
    })
}

/// The content of the first `<name>` element anywhere in the text.
pub(crate) fn element_named<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let start = text
        .match_indices('<')
        .find_map(|(at, _)| text[at + 1..].strip_prefix(name)?.starts_with('>').then_some(at))?;
    leading_element(&text[start..]).map(|element| element.inner.trim())
}

/// From how many blanks on the beginning of a line shows that it was pasted.
const CODE_INDENT: usize = 4;

/// A text without the space around it. A first line that is indented like code stays so: that shows that it was pasted.
pub(crate) fn unpadded(text: &str) -> &str {
    let text = text.trim_end();
    let bare = text.trim_start();
    let first_line = text[..text.len() - bare.len()].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[first_line..text.len() - bare.len()];
    if indent.len() >= CODE_INDENT || indent.contains('\t') { &text[first_line..] } else { bare }
}

/// Whether a text begins with an aside of the program.
fn begins_with_aside(text: &str) -> bool {
    text.trim_start().strip_prefix('<').is_some_and(names_aside)
}

/// The words behind the asides that a text begins with. An aside may hold a mark of its own end, and so may what a person pastes behind it:
/// where one more mark follows, nobody knows where the words begin, and there are none.
pub(crate) fn behind_asides(text: &str) -> &str {
    let mut rest = text;
    while begins_with_aside(rest) {
        match leading_element(rest.trim_start()).filter(|aside| aside.is_closed) {
            Some(aside) => rest = aside.rest,
            None => return "",
        }
    }
    let has_another = || rest.len() < text.len() && before_asides(rest).len() < rest.len();
    if has_another() { "" } else { rest }
}

/// The blocks up to one that opens an aside and does not close it: where that ends nobody knows, so that behind it nothing is
/// anybody's words.
pub(crate) fn up_to_an_open_aside(blocks: &[String]) -> &[String] {
    let open = blocks.iter().position(|block| leaves_aside_open(block));
    &blocks[..open.map_or(blocks.len(), |at| at + 1)]
}

/// Whether the last mark of some aside opens it.
fn leaves_aside_open(block: &str) -> bool {
    let mut open = [false; ASIDES.len()];
    for at in memchr::memchr_iter(b'<', block.as_bytes()) {
        let tag = &block[at + 1..];
        let name = tag.strip_prefix('/').unwrap_or(tag);
        if let Some(which) = ASIDES.iter().position(|aside| is_named(name, aside)) {
            open[which] = name.len() == tag.len();
        }
    }
    open.contains(&true)
}

/// What stands in front of the first aside that the program put behind the words. Where an aside ends is not asked: it may
/// hold a text with the same mark.
pub(crate) fn before_asides(text: &str) -> &str {
    let end = memchr::memchr_iter(b'<', text.as_bytes()).find(|at| is_mark_of_aside(&text[at + 1..]));
    &text[..end.unwrap_or(text.len())]
}

/// What stands in front of the first element of a program, be it one of these. Names that are plain words count at the
/// beginning of a line only: people write them too.
pub(crate) fn before_machines<'t>(text: &'t str, more: &[&str]) -> &'t str {
    let is_machines = |at: &usize| {
        let names = MACHINES.iter().chain(&INPUTS).chain(more);
        let begins_line = || text[..*at].trim_end_matches([' ', '\t']).ends_with(['\n', '\r']) || *at == 0;
        names
            .into_iter()
            .any(|name| is_named(&text[at + 1..], name) && (name.contains(['-', '_']) || begins_line()))
    };
    let end = memchr::memchr_iter(b'<', text.as_bytes()).find(is_machines);
    &text[..end.unwrap_or(text.len())]
}

/// Whether a tag, behind its `<`, opens or closes an aside.
fn is_mark_of_aside(tag: &str) -> bool {
    names_aside(tag.strip_prefix('/').unwrap_or(tag))
}

/// Whether a tag, behind its `<` or `</`, is that of an aside.
fn names_aside(tag: &str) -> bool {
    ASIDES.iter().any(|name| is_named(tag, name))
}

/// Whether a tag, behind its `<` or `</`, has this name.
fn is_named(tag: &str, name: &str) -> bool {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_');
    tag.strip_prefix(name).is_some_and(|rest| rest.starts_with(is_end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(before_asides(text).trim(), expect, "{text}");
    }

    #[test]
    fn an_indented_first_line_stays_indented() {
        for (text, expect) in [
            ("\n\n    always use npm\n", "    always use npm"),
            ("\talways use npm", "\talways use npm"),
            ("\n  use tabs \n", "use tabs"),
            ("  \n ", ""),
        ] {
            assert_eq!(unpadded(text), expect, "{text:?}");
        }
    }

    #[test]
    fn words_end_where_the_first_aside_begins() {
        check("before <system-reminder>not mine</system-reminder> after", "before");
        check("use tabs\n<system-reminder>never closed", "use tabs");
        check("use tabs\n</system-reminder> whoever says this", "use tabs");
        check("<system-reminder>a</system-reminder>\n\nuse tabs", "");
        check("<div class=\"a\">this</div> is not centred", "<div class=\"a\">this</div> is not centred");
        check("a < b and <3", "a < b and <3");
    }

    #[test]
    fn words_end_where_a_programs_element_begins() {
        for (text, expect) in [
            ("fix it\n<task-notification>use npm</task-notification>", "fix it"),
            ("fix it <bash-stdout>use npm", "fix it"),
            ("fix it\n  <skill>\nuse npm", "fix it"),
            ("the <skill> element is odd", "the <skill> element is odd"),
            ("<ticket>a</ticket> is done", "<ticket>a</ticket> is done"),
        ] {
            assert_eq!(before_machines(text, &["skill"]).trim(), expect, "{text}");
        }
    }

    #[test]
    fn behind_an_aside_another_mark_leaves_no_words() {
        for (text, expect) in [
            ("<ide_selection>y</ide_selection>\nrename it", "rename it"),
            (
                "<ide_opened_file>a</ide_opened_file>\n<ide_selection>y</ide_selection>\nrename it",
                "rename it",
            ),
            ("<ide_selection>y</ide_selection>\nuse npm</ide_selection>\nrename it", ""),
            ("<ide_selection>y</ide_selection>\nwhy?\n```\n</system-reminder>\nuse npm\n```", ""),
            ("<ide_selection>y</ide_selection>\nwhy?\n> </system-reminder> use npm", ""),
            ("<ide_selection>y</ide_selection>\nuse npm<ide_selection>", ""),
            ("<ide_opened_file>a</ide_opened_file>\nuse npm\n<system-reminder>x</system-reminder>", ""),
            (" <system-reminder>x", ""),
            ("<div>x</div> y", "<div>x</div> y"),
        ] {
            assert_eq!(behind_asides(text).trim(), expect, "{text}");
        }
    }

    #[test]
    fn an_element_is_found_by_its_whole_name() {
        let text = "<command-message>x</command-message>\n<command-name>/plan</command-name>";
        assert_eq!(element_named(text, "command-name"), Some("/plan"));
        assert_eq!(element_named(text, "command"), None);
        assert_eq!(element_named("<a>open", "a"), Some("open"));
    }
}
