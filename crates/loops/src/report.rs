//! What an engine says at the end of a run: its last line.
//!
//! Either a status line as for partitions (`UPDATED: what was done`), or one JSON object:
//!
//! ```json
//! {"status": "UPDATED", "action": "fix", "item": "the parser test", "outcome": "fixed",
//!  "priority": ["[P1] next"], "watch": [], "noise": [], "tokens": 1234}
//! ```
//!
//! Only `status` must be there. A list that is there replaces its section of `STATE.md`; one that is not leaves it alone.
//! `tokens` are output tokens, for programs that ask a model by themselves.

use serde::Deserialize;
use subcortex_cadence::result::{self, Status};

/// The longest word of `action` and `outcome` that is kept, in characters.
const MAX_WORD_CHARS: usize = 40;
/// The longest item in the log, in characters.
const MAX_ITEM_CHARS: usize = 200;
/// What a model puts around an object although it was not asked to.
const FENCE: &str = "```";

/// What an engine said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineReport {
    /// How it ended.
    pub status: Status,
    /// The line by which it is remembered.
    pub line: String,
    /// What was done, in a word.
    pub action: Option<String>,
    /// What it was done to.
    pub item: Option<String>,
    /// What came of it, in a word.
    pub outcome: Option<String>,
    /// The new Priority section.
    pub priority: Option<Vec<String>>,
    /// The new Watch section.
    pub watch: Option<Vec<String>>,
    /// The new Noise section.
    pub noise: Option<Vec<String>>,
    /// Output tokens that it used by itself.
    pub tokens: Option<u64>,
}

/// The object as it is written. What a later version adds is no mistake.
#[derive(Debug, Deserialize)]
struct Written {
    status: String,
    action: Option<String>,
    item: Option<String>,
    outcome: Option<String>,
    priority: Option<Vec<String>>,
    watch: Option<Vec<String>>,
    noise: Option<Vec<String>>,
    tokens: Option<u64>,
}

impl EngineReport {
    /// Reads the last line of an output, or says why it is no report.
    pub fn read(output: &str) -> Result<EngineReport, String> {
        let last = output.lines().rev().map(str::trim_end).find(|line| !line.is_empty() && *line != FENCE);
        let last = last.unwrap_or_default();
        if last.trim_start().starts_with('{') {
            return of_object(last);
        }
        let found = result::parse(last.as_bytes()).map_err(|why| why.to_string())?;
        Ok(EngineReport {
            status: found.status,
            line: found.line,
            action: None,
            item: None,
            outcome: None,
            priority: None,
            watch: None,
            noise: None,
            tokens: None,
        })
    }

    /// Whether it says anything about the sections.
    pub fn has_lists(&self) -> bool {
        self.priority.is_some() || self.watch.is_some() || self.noise.is_some()
    }

    /// Whether there was nothing to do.
    pub fn is_quiet(&self) -> bool {
        match self.status {
            Status::NoOp | Status::NoNewGradient => true,
            Status::Updated | Status::Bootstrapped | Status::PartialUpdate => false,
        }
    }
}

fn of_object(line: &str) -> Result<EngineReport, String> {
    let written: Written = serde_json::from_str(line)
        .map_err(|error| format!("the last line is no report that can be read: {error}"))?;
    // `UPDATED` and `UPDATED: words` are both fine.
    let as_line = match written.status.contains(':') {
        true => written.status.clone(),
        false => format!("{}:", written.status),
    };
    let found = result::parse(as_line.as_bytes())
        .map_err(|why| format!("`status` of the last line is not known: {why}"))?;
    let item = written.item.as_deref().and_then(|item| words(item, MAX_ITEM_CHARS));
    let line = match (as_line == found.line && as_line.ends_with(':'), &item) {
        (true, Some(item)) => format!("{as_line} {item}"),
        (true, None) | (false, _) => found.line,
    };
    Ok(EngineReport {
        status: found.status,
        line,
        action: written.action.as_deref().and_then(word),
        item,
        outcome: written.outcome.as_deref().and_then(word),
        priority: written.priority,
        watch: written.watch,
        noise: written.noise,
        tokens: written.tokens,
    })
}

/// One word for the log: what could be taken for another field is left out.
fn word(text: &str) -> Option<String> {
    let fit = |letter: &char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':' | '/');
    let word: String =
        text.trim().chars().map(|letter| if letter == ' ' { '-' } else { letter }).filter(fit).collect();
    Some(word.chars().take(MAX_WORD_CHARS).collect()).filter(|word: &String| !word.is_empty())
}

/// Words on one line.
pub(crate) fn words(text: &str, max_chars: usize) -> Option<String> {
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line.chars().take(max_chars).collect()).filter(|line: &String| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_line_and_an_object_are_reports() {
        let report = EngineReport::read("working…\nUPDATED: two links\n\n").unwrap();
        assert_eq!((report.status, &*report.line), (Status::Updated, "UPDATED: two links"));
        let report = EngineReport::read(
            "x\n```\n{\"status\":\"NO-OP\",\"action\":\"looked at it\",\"item\":\"a\\nb\",\"watch\":[\"w\"],\"tokens\":7,\"new\":1}\n```\n",
        )
        .unwrap();
        assert_eq!((report.status, &*report.line), (Status::NoOp, "NO-OP: a b"));
        assert_eq!(report.action.as_deref(), Some("looked-at-it"));
        assert_eq!((report.watch, report.priority, report.tokens), (Some(vec!["w".into()]), None, Some(7)));
        assert!(
            EngineReport::read("{\"status\": \"UPDATED: words\"}")
                .is_ok_and(|it| it.line == "UPDATED: words")
        );
    }

    #[test]
    fn what_is_neither_is_refused_with_the_reason() {
        for (output, part) in [
            ("", "empty output"),
            ("all done", "no status word"),
            ("{\"status\": \"GREAT\"}", "`status`"),
            ("{\"status\": \"UPDATED\", \"priority\": \"x\"}", "no report"),
            ("{\"action\": \"x\"}", "no report"),
            ("{\"status\": ", "no report"),
        ] {
            let why = EngineReport::read(output).unwrap_err();
            assert!(why.contains(part), "{output}: {why}");
        }
    }

    #[test]
    fn a_word_of_an_engine_is_no_field_of_the_log() {
        assert_eq!(word("x  outcome=done\n"), Some("x--outcomedone".into()));
        assert_eq!(word("=\u{1b}"), None);
    }
}
