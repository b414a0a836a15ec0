//! What an engine's output says about its task.
//!
//! The result is the last non-empty line of the output of an engine that ended well: one of five words in
//! upper case at the very beginning of the line, and a colon. Everything else is not a result, whatever
//! it looks like to a person: a wrong ack loses work, and a missed one only repeats it.
//!
//! | last non-empty line      | result                     | finishes its task |
//! |--------------------------|----------------------------|-------------------|
//! | `UPDATED: …`             | [`Status::Updated`]        | yes               |
//! | `NO-OP: …`               | [`Status::NoOp`]           | yes               |
//! | `NO_NEW_GRADIENT: …`     | [`Status::NoNewGradient`]  | yes               |
//! | `BOOTSTRAPPED: …`        | [`Status::Bootstrapped`]   | yes               |
//! | `PARTIAL_UPDATE: …`      | [`Status::PartialUpdate`]  | never             |
//! | anything else, or none   | [`NoResult`], in words     | no                |
//!
//! Lines end with a line feed; white space at a line's end does not count, at its beginning it does.
//! Bytes that are not UTF-8 are shown as `U+FFFD`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest result line that is kept, in characters.
pub const MAX_RESULT_LINE_CHARS: usize = 1_000;
/// The longest piece of an output that a reason repeats, in characters.
const MAX_QUOTED_CHARS: usize = 80;
/// How much of an engine's own reason is kept, in characters.
const MAX_REASON_CHARS: usize = 1_000;

/// The words that an engine may end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Status {
    /// Something was changed.
    #[serde(rename = "UPDATED")]
    Updated,
    /// There was nothing to change.
    #[serde(rename = "NO-OP")]
    NoOp,
    /// There was no new evidence.
    #[serde(rename = "NO_NEW_GRADIENT")]
    NoNewGradient,
    /// The broadcast was created.
    #[serde(rename = "BOOTSTRAPPED")]
    Bootstrapped,
    /// Some of it was done; the task is not finished.
    #[serde(rename = "PARTIAL_UPDATE")]
    PartialUpdate,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 5] =
        [Status::Updated, Status::NoOp, Status::NoNewGradient, Status::Bootstrapped, Status::PartialUpdate];

    /// The word as an engine writes it.
    pub fn word(self) -> &'static str {
        match self {
            Status::Updated => "UPDATED",
            Status::NoOp => "NO-OP",
            Status::NoNewGradient => "NO_NEW_GRADIENT",
            Status::Bootstrapped => "BOOTSTRAPPED",
            Status::PartialUpdate => "PARTIAL_UPDATE",
        }
    }

    /// Whether it finishes a task.
    pub fn is_terminal(self) -> bool {
        match self {
            Status::Updated | Status::NoOp | Status::NoNewGradient | Status::Bootstrapped => true,
            Status::PartialUpdate => false,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// A result: the status and the line it stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskResult {
    /// The word.
    pub status: Status,
    /// The whole line, cut at [`MAX_RESULT_LINE_CHARS`].
    pub line: String,
}

/// Why an output holds no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoResult {
    /// Nothing but white space.
    Empty,
    /// The last line does not begin with one of the words and a colon.
    NoStatusWord {
        /// The line, shortened and escaped for a message.
        line: String,
    },
}

impl fmt::Display for NoResult {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoResult::Empty => out.write_str("empty output"),
            NoResult::NoStatusWord { line } => write!(out, "no status word in the last line: \"{line}\""),
        }
    }
}

/// Reads the result off an output. Only the end matters, so a bounded tail of it will do.
pub fn parse(output: &[u8]) -> Result<TaskResult, NoResult> {
    let Some(line) = last_non_empty_line(output) else { return Err(NoResult::Empty) };
    match Status::ALL.into_iter().find(|status| begins_with_word(&line, *status)) {
        Some(status) => Ok(TaskResult { status, line: cut(&line, MAX_RESULT_LINE_CHARS) }),
        None => Err(NoResult::NoStatusWord { line: quotable(&line) }),
    }
}

fn begins_with_word(line: &str, status: Status) -> bool {
    line.strip_prefix(status.word()).is_some_and(|rest| rest.starts_with(':'))
}

fn last_non_empty_line(output: &[u8]) -> Option<String> {
    let mut from_the_end = output.rsplit(|byte| *byte == b'\n');
    from_the_end.find_map(|line| {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        (!line.is_empty()).then(|| line.to_owned())
    })
}

fn cut(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// A piece of foreign text for a message: on one line, short, and unable to forge a log line.
pub(crate) fn quotable(text: &str) -> String {
    on_one_line(text, MAX_QUOTED_CHARS)
}

/// Why an engine failed, in its own words: with what to do, which stands at the end, after a `; ` where a line ended.
pub(crate) fn reason(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    on_one_line(&lines.join("; "), MAX_REASON_CHARS)
}

fn on_one_line(text: &str, max_chars: usize) -> String {
    let mut shown = String::new();
    for letter in cut(text.trim(), max_chars).chars() {
        if letter.is_control()
            || matches!(letter, '"' | '\\' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}')
        {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use subcortex_testkit::Random;

    #[track_caller]
    fn check(output: impl AsRef<[u8]>, expect: &str) {
        let said = match parse(output.as_ref()) {
            Ok(result) => {
                format!("{}, {}", result.line, if result.status.is_terminal() { "terminal" } else { "kept" })
            }
            Err(reason) => reason.to_string(),
        };
        assert_eq!(said, expect);
    }

    #[test]
    fn the_last_non_empty_line_decides() {
        check("UPDATED: 3 lines", "UPDATED: 3 lines, terminal");
        check("thinking\nNO-OP: nothing to do\n\n  \n", "NO-OP: nothing to do, terminal");
        check("NO_NEW_GRADIENT: none.\r\n", "NO_NEW_GRADIENT: none., terminal");
        check("BOOTSTRAPPED:", "BOOTSTRAPPED:, terminal");
        check("UPDATED: a\nPARTIAL_UPDATE: b", "PARTIAL_UPDATE: b, kept");
        check("PARTIAL_UPDATE: a\nUPDATED: b", "UPDATED: b, terminal");
        check("UPDATED: a\ngoodbye", "no status word in the last line: \"goodbye\"");
    }

    #[test]
    fn nothing_but_the_exact_word_and_a_colon_counts() {
        check("", "empty output");
        check(" \n\t\r\n", "empty output");
        for line in [
            "updated: x",
            "Updated: x",
            "UPDATED x",
            "UPDATED",
            "UPDATED : x",
            "UPDATEDX: x",
            "XUPDATED: x",
            " UPDATED: x",
            "**UPDATED:** x",
            "- UPDATED: x",
            "NO_OP: x",
            "NO-NEW-GRADIENT: x",
            "NOOP: x",
            "PARTIAL: x",
            "`UPDATED: x`",
            "UPDATED\u{ff1a} x",
            "\u{feff}UPDATED: x",
            "DONE: UPDATED: x",
            "ＵＰＤＡＴＥＤ: x",
        ] {
            let reason = parse(line.as_bytes()).expect_err(line).to_string();
            assert!(reason.starts_with("no status word in the last line"), "{line}: {reason}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        check(b"\xff\xfe\nUPDATED: \xc3(", "UPDATED: \u{fffd}(, terminal");
        check(b"UPDATED: x\n\xff", "no status word in the last line: \"\u{fffd}\"");
        check(b"\xffUPDATED: x", "no status word in the last line: \"\u{fffd}UPDATED: x\"");
        check("UPDATED: x\u{2028}not a line of its own", "UPDATED: x\u{2028}not a line of its own, terminal");
    }

    #[test]
    fn a_reason_cannot_forge_a_log_line_and_stays_short() {
        check("a\"b\u{1b}[31m\rc", r#"no status word in the last line: "a\"b\u{1b}[31m\rc""#);
        let long = parse("x".repeat(5_000).as_bytes()).expect_err("no word").to_string();
        assert!(long.len() < 200, "{}", long.len());
        let result = parse(format!("UPDATED: {}", "ä".repeat(5_000)).as_bytes()).expect("a word");
        assert_eq!(result.line.chars().count(), MAX_RESULT_LINE_CHARS + 1);
    }

    /// What is terminal, worked out a second way: letter by letter from the front.
    fn finishes_by_hand(output: &[u8]) -> bool {
        let text: Vec<char> = String::from_utf8_lossy(output).chars().collect();
        let mut last: Vec<char> = Vec::new();
        for line in text.split(|letter| *letter == '\n') {
            if line.iter().any(|letter| !letter.is_whitespace()) {
                last = line.to_vec();
            }
        }
        let word: String = last.iter().take_while(|letter| **letter != ':').collect();
        last.contains(&':')
            && ["UPDATED", "NO-OP", "NO_NEW_GRADIENT", "BOOTSTRAPPED"].contains(&word.as_str())
    }

    #[test]
    fn no_generated_output_is_acked_wrongly() {
        const PIECES: [&[u8]; 22] = [
            b"UPDATED",
            b"NO-OP",
            b"NO_NEW_GRADIENT",
            b"BOOTSTRAPPED",
            b"PARTIAL_UPDATE",
            b"updated",
            b":",
            b":",
            b": ",
            b"\n",
            b"\n",
            b"\r\n",
            b" ",
            b"\t",
            b"\xff",
            b"\xc3",
            b"\0",
            "\u{2028}".as_bytes(),
            b"done",
            b"**",
            b"-",
            "\u{a0}".as_bytes(),
        ];
        let mut random = Random::seeded(7);
        let (mut terminal, outputs) = (0, 100_000);
        for _ in 0..outputs {
            let output: Vec<u8> = (0..random.below(7)).flat_map(|_| random.pick(&PIECES)).copied().collect();
            let finishes = parse(&output).is_ok_and(|result| result.status.is_terminal());
            assert_eq!(finishes, finishes_by_hand(&output), "{:?}", String::from_utf8_lossy(&output));
            terminal += u32::from(finishes);
        }
        println!("{outputs} outputs, {terminal} terminal, 0 wrong");
        assert!(terminal > 1_000, "the generator hits the interesting cases: {terminal}");
    }
}
