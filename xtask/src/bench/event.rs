//! Lines of a spine as months of work with agents leave them.
//!
//! A few sessions go on side by side; each turn is a person's message, pairs of tool use and tool result,
//! and an answer; in between stands what the daemon says of itself. The lengths of lines follow what was
//! measured on transcripts (see [`LENGTHS`]).

use jiff::civil::Date;
use subcortex_testkit::Random;

use super::text::{Style, Text};

/// Quantiles of the length of a line, in bytes; between two of them the logarithm grows evenly.
const LENGTHS: [(f64, f64); 7] = [
    (0.0, 300.0),
    (SHORT, 750.0),
    (0.5, 1_190.0),
    (0.9, 3_800.0),
    (0.99, 13_600.0),
    (0.999, 30_000.0),
    (1.0, 75_000.0),
];

/// The quantile below which a line is short: all that people and the daemon write, and some of the rest.
const SHORT: f64 = 0.3;
/// The share of lines that the daemon writes about itself.
const INTERNAL_SHARE: f64 = 0.12;
/// The share of lines of tools and agents that are short, chosen so that [`LENGTHS`] holds over all lines.
const SHORT_AGENT_SHARE: f64 = (SHORT - INTERNAL_SHARE - 0.03) / (1.0 - INTERNAL_SHARE - 0.03);
/// How many conversations go on at once.
const LIVE_SESSIONS: usize = 4;
/// Pairs of tool use and result in a turn: 0 to this, so that about 3 % of all lines are messages.
const MAX_TOOL_PAIRS: usize = 27;
const MS_PER_DAY: u64 = 86_400_000;
/// The most that passes between two events; a file of a day holds about 125,000.
const MAX_STEP_MS: usize = 1_200;
/// 2026-01-01T00:00:00Z.
const FIRST_DAY_UNIX_MS: u64 = 1_767_225_600_000;

/// Makes one line after another, the same ones for the same seed.
#[derive(Debug)]
pub(crate) struct Events {
    random: Random,
    text: Text,
    sessions: Vec<Session>,
    day: u64,
    date: String,
    ms_of_day: u64,
    seq: u64,
}

#[derive(Debug)]
struct Session {
    key: String,
    turn: usize,
    project: usize,
    /// What is still to come in this turn: pairs of tool use and result, then the answer.
    steps_left: usize,
    tool: &'static str,
}

const TOOLS: [&str; 5] = ["Bash", "Edit", "Write", "Read", "Grep"];
const INTERNAL_TYPES: [(&str, &str); 5] = [
    ("run.started", "cadence"),
    ("run.ended", "cadence"),
    ("task.done", "cadence"),
    ("daemon.started", "system"),
    ("broadcast.changed", "runner"),
];

impl Events {
    pub(crate) fn seeded(seed: u64) -> Self {
        let mut random = Random::seeded(seed);
        let text = Text::new(&mut random);
        let mut events =
            Self { random, text, sessions: Vec::new(), day: 0, date: day_name(0), ms_of_day: 0, seq: 0 };
        events.sessions = (0..LIVE_SESSIONS).map(|_| events.new_session()).collect();
        events
    }

    /// Goes on with the first event of a day, counted from 2026-01-01.
    pub(crate) fn begin_day(&mut self, day: u64) {
        (self.day, self.date, self.ms_of_day, self.seq) = (day, day_name(day), 0, 0);
    }

    /// Appends the next line with its newline.
    pub(crate) fn next_line(&mut self, into: &mut String) {
        let start = into.len();
        self.seq += 1;
        self.ms_of_day = (self.ms_of_day + self.random.below(MAX_STEP_MS) as u64).min(MS_PER_DAY - 1);
        if self.random.chance(INTERNAL_SHARE) {
            self.internal_event(into);
        } else {
            self.session_event(into);
        }
        into.push_str(&format!(",\"seq\":{}", self.seq));
        let crc = crc32fast::hash(&into.as_bytes()[start..]);
        into.push_str(&format!(",\"crc\":\"{crc:08x}\"}}\n"));
    }

    fn internal_event(&mut self, into: &mut String) {
        let end = into.len() + self.short_length();
        let (event_type, kind) = INTERNAL_TYPES[self.random.below(INTERNAL_TYPES.len())];
        self.begin(into, event_type, &format!("{{\"kind\":\"{kind}\"}}"));
        into.push_str(",\"payload\":{\"partition\":\"memory-weaver\",\"text\":\"");
        self.fill_to(into, Style::Prose, end);
        into.push_str("\"}");
    }

    fn session_event(&mut self, into: &mut String) {
        let which = self.random.below(self.sessions.len());
        let steps_left = self.sessions[which].steps_left;
        let length = if steps_left == 0 || self.random.chance(SHORT_AGENT_SHARE) {
            self.short_length()
        } else {
            self.long_length()
        };
        let end = into.len() + length;
        let event_type = match steps_left {
            0 => "channel.message",
            1 => "agent.result",
            even if even % 2 == 0 => "agent.tool_result",
            _ => "agent.tool_use",
        };
        if steps_left == 0 {
            self.begin_turn(which);
        } else {
            self.sessions[which].steps_left -= 1;
        }
        self.begin(into, event_type, "{\"kind\":\"claude\",\"name\":\"claude-code\"}");
        self.conversation(into, which);
        into.push_str(",\"payload\":{");
        match event_type {
            "agent.tool_use" => self.tool_use(into, which, end),
            "agent.tool_result" => self.tool_result(into, which, end),
            _ => self.text_payload(into, Style::Prose, end),
        }
        into.push('}');
    }

    /// From the opening brace to the source.
    fn begin(&mut self, into: &mut String, event_type: &str, source: &str) {
        let unix_ms = FIRST_DAY_UNIX_MS + self.day * MS_PER_DAY + self.ms_of_day;
        let id = self.uuid_at(unix_ms);
        let (seconds, ms) = (self.ms_of_day / 1_000, self.ms_of_day % 1_000);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        let date = &self.date;
        into.push_str(&format!(
            "{{\"id\":\"evt_{id}\",\"ts\":\"{date}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z\",\
             \"type\":\"{event_type}\",\"source\":{source}"
        ));
    }

    fn conversation(&mut self, into: &mut String, which: usize) {
        let record = self.uuid_at(FIRST_DAY_UNIX_MS + self.ms_of_day);
        let Session { key, turn, project, .. } = &self.sessions[which];
        into.push_str(&format!(
            ",\"session_key\":\"{key}\",\"turn\":\"{turn}\",\"cwd\":\"/home/dev/proj{project}\",\
             \"dedup\":{{\"source_id\":\"{key}/{record}\"}}"
        ));
    }

    fn tool_use(&mut self, into: &mut String, which: usize, end: usize) {
        let tool = TOOLS[self.random.below(TOOLS.len())];
        self.sessions[which].tool = tool;
        let (opening, style, closing) = match tool {
            "Bash" => (
                "\"command\":\"cargo test 2>&1 | tail -n 20\\n",
                Style::Code,
                "\",\"description\":\"Runs the tests\"}",
            ),
            "Edit" => (
                "\"file_path\":\"/home/dev/proj/src/main.rs\",\"new_string\":\"",
                Style::Code,
                "\",\"old_string\":\"}\\n\"}",
            ),
            "Write" => ("\"content\":\"", Style::Code, "\",\"file_path\":\"/home/dev/proj/src/lib.rs\"}"),
            "Read" => ("\"file_path\":\"/home/dev/proj/README.md\",\"note\":\"", Style::Prose, "\"}"),
            _ => ("\"path\":\"/home/dev/proj\",\"pattern\":\"", Style::Output, "\"}"),
        };
        into.push_str("\"input\":{");
        into.push_str(opening);
        self.fill_to(into, style, end.saturating_sub(closing.len()));
        into.push_str(closing);
        into.push_str(&format!(",\"tool_name\":\"{tool}\""));
    }

    fn tool_result(&mut self, into: &mut String, which: usize, end: usize) {
        let is_error = self.random.chance(0.08);
        into.push_str(&format!("\"is_error\":{is_error},"));
        let style = if self.random.chance(0.5) { Style::Output } else { Style::Code };
        self.text_payload(into, style, end);
        into.push_str(&format!(",\"tool_name\":\"{}\"", self.sessions[which].tool));
    }

    fn text_payload(&mut self, into: &mut String, style: Style, end: usize) {
        into.push_str("\"text\":\"");
        self.fill_to(into, style, end);
        into.push('"');
    }

    fn fill_to(&mut self, into: &mut String, style: Style, end: usize) {
        /// What follows the text: closing brackets, sequence number and checksum.
        const AFTER_TEXT_BYTES: usize = 50;
        let length = end.saturating_sub(into.len() + AFTER_TEXT_BYTES).max(1);
        self.text.fill(into, &mut self.random, style, length);
    }

    fn begin_turn(&mut self, which: usize) {
        if self.random.chance(0.1) {
            self.sessions[which] = self.new_session();
        }
        let steps = 2 * self.random.below(MAX_TOOL_PAIRS + 1) + 1;
        let session = &mut self.sessions[which];
        session.turn += 1;
        session.steps_left = steps;
    }

    fn new_session(&mut self) -> Session {
        let key = self.uuid_at(FIRST_DAY_UNIX_MS + self.day * MS_PER_DAY + self.ms_of_day);
        Session { key, turn: 0, project: self.random.below(6), steps_left: 0, tool: TOOLS[0] }
    }

    fn uuid_at(&mut self, unix_ms: u64) -> String {
        let (high, low) = (self.random.bits().to_le_bytes(), self.random.bits().to_le_bytes());
        let entropy =
            [high[0], high[1], high[2], high[3], high[4], high[5], high[6], high[7], low[0], low[1]];
        uuid::Builder::from_unix_timestamp_millis(unix_ms, &entropy).into_uuid().to_string()
    }

    fn short_length(&mut self) -> usize {
        length_at(self.random.unit() * SHORT)
    }

    fn long_length(&mut self) -> usize {
        length_at(SHORT + self.random.unit() * (1.0 - SHORT))
    }
}

/// The name of a day, counted from 2026-01-01.
pub(crate) fn day_name(day: u64) -> String {
    let days = i64::try_from(day).unwrap_or(i64::MAX);
    Date::constant(2026, 1, 1)
        .saturating_add(jiff::SignedDuration::from_hours(days.saturating_mul(24)))
        .to_string()
}

/// The length of a line at a quantile.
fn length_at(quantile: f64) -> usize {
    let above = LENGTHS.iter().position(|(at, _)| *at > quantile).unwrap_or(LENGTHS.len() - 1).max(1);
    let ((from, short), (to, long)) = (LENGTHS[above - 1], LENGTHS[above]);
    let part = (quantile - from) / (to - from);
    (short.ln() + part * (long.ln() - short.ln())).exp() as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;
    use crate::bench::measure::quantile;

    fn lines(seed: u64, count: usize) -> Vec<String> {
        let mut events = Events::seeded(seed);
        let next = |_| {
            let mut line = String::new();
            events.next_line(&mut line);
            line
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn every_line_is_json_in_the_order_and_with_the_checksum_of_the_spine() {
        for (number, line) in lines(1, 3_000).iter().enumerate() {
            let event: Value = serde_json::from_str(line).unwrap();
            assert_eq!(event["seq"], number + 1);
            let (covered, rest) = line.rsplit_once(",\"crc\":\"").unwrap();
            assert_eq!(rest, format!("{:08x}\"}}\n", crc32fast::hash(covered.as_bytes())));
            assert!(event["payload"].is_object());

            let keys = [
                "id",
                "ts",
                "type",
                "source",
                "session_key",
                "turn",
                "cwd",
                "dedup",
                "payload",
                "seq",
                "crc",
            ];
            let at = keys.iter().filter_map(|key| line.find(&format!("\"{key}\":"))).collect::<Vec<_>>();
            assert!(at.is_sorted(), "{line}");
        }
    }

    #[test]
    fn lines_are_as_long_as_those_of_real_transcripts() {
        let mut lengths: Vec<f64> = lines(2, 20_000).iter().map(|line| line.len() as f64).collect();
        lengths.sort_by(f64::total_cmp);
        for (at, expect) in [(0.5, 1_200.0), (0.9, 3_800.0), (0.99, 13_600.0)] {
            let found = quantile(&lengths, at);
            assert!((found / expect - 1.0).abs() < 0.1, "quantile {at}: {found} bytes, not about {expect}");
        }
        assert!(lengths.iter().all(|length| *length < 80_000.0));
    }

    #[test]
    fn the_mixture_of_events_is_the_one_described() {
        let mut counts = BTreeMap::<String, f64>::new();
        let all = lines(3, 20_000);
        for line in &all {
            let event: Value = serde_json::from_str(line).unwrap();
            let kind = event["source"]["kind"].as_str().unwrap();
            let class = if kind == "claude" { event["type"].as_str().unwrap() } else { "internal" };
            *counts.entry(class.to_owned()).or_default() += 100.0 / all.len() as f64;
        }
        assert!((11.0..13.0).contains(&counts["internal"]), "{counts:?}");
        assert!((2.5..3.5).contains(&counts["channel.message"]), "{counts:?}");
        assert!((counts["agent.tool_use"] - counts["agent.tool_result"]).abs() < 0.1, "{counts:?}");
    }

    #[test]
    fn the_same_seed_makes_the_same_lines() {
        assert_eq!(lines(4, 100), lines(4, 100));
        assert_ne!(lines(4, 100), lines(5, 100));
    }

    #[test]
    fn days_go_on_into_the_next_month() {
        assert_eq!([day_name(0), day_name(3), day_name(31)], ["2026-01-01", "2026-01-04", "2026-02-01"]);
    }
}
