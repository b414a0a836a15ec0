//! Words that the table and the page share.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::report::Report;

/// How much of a session's name is shown: enough to find it.
const SESSION_CHARS: usize = 8;

pub(crate) use subcortex_guard::counted as n_of;

/// The day, in UTC: the same wherever the report is read.
pub(crate) fn day(ts: Timestamp) -> String {
    ts.to_zoned(TimeZone::UTC).date().to_string()
}

/// The beginning of a session's name.
pub(crate) fn short(session: &str) -> &str {
    session.char_indices().nth(SESSION_CHARS).map_or(session, |(at, _)| &session[..at])
}

/// What was looked at: `20 sessions (claude), 133 turns, 2026-02-11 to 2026-02-22`.
pub(crate) fn looked_at(report: &Report) -> String {
    let looked_at = &report.looked_at;
    let agents: Vec<&str> = looked_at.sessions.keys().map(String::as_str).collect();
    let mut words = n_of(report.sessions(), "session", "sessions");
    if !agents.is_empty() {
        words.push_str(&format!(" ({})", agents.join(", ")));
    }
    words.push_str(&format!(", {}", n_of(looked_at.turns, "turn", "turns")));
    match (looked_at.first.map(day), looked_at.last.map(day)) {
        (Some(first), Some(last)) if first == last => words.push_str(&format!(", {first}")),
        (Some(first), Some(last)) => words.push_str(&format!(", {first} to {last}")),
        _ => {}
    }
    words
}

/// What is not listed among what people said, if there is such a thing.
pub(crate) fn left_out_headless(report: &Report) -> Option<String> {
    let n = report.looked_at.headless;
    let instructions = n_of(n, "lasting instruction", "lasting instructions");
    (n > 0).then(|| {
        format!("left out: {instructions} of headless sessions (sdk); a program may have written what stands there")
    })
}

/// The rule without the mark of its list.
pub(crate) fn without_mark(text: &str) -> &str {
    let text = text.trim();
    ["- ", "* ", "+ ", "• "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text).trim_start()
}

/// Line numbers as people write them: `L3, L5 to L9`.
pub(crate) fn ranges(lines: &[usize], rules_between: impl Fn(usize, usize) -> bool) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, last)) if rules_between(*last, *line) => *last = *line,
            _ => ranges.push((*line, *line)),
        }
    }
    let word = |(first, last): &(usize, usize)| match first == last {
        true => format!("L{first}"),
        false => format!("L{first} to L{last}"),
    };
    ranges.iter().map(word).collect::<Vec<_>>().join(", ")
}
