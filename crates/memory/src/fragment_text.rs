//! A fragment as Markdown.
//!
//! ```text
//! ---
//! source_event_id: evt_…
//! source_ts: 2026-01-02T03:04:05.678Z
//! source_kind: claude
//! session_key: 8a1f…                     left out where there is none
//! event_type: channel.message
//! project: /home/x/web                   left out where nobody knows
//! signal: correction
//! claude_md_ref: memory/CLAUDE.md:L3     or `none`
//! source_line: 3                         left out for a new signal
//! source_line_hash: 0123456789abcdef     left out for a new signal
//! trajectory: WEAKENING
//! activation: missed
//! root_cause: direction-wrong            only where the turn shows it
//! origin: person
//! judged_by: model                       or `person`; left out where the check itself decided
//! rule: Use pnpm, not npm.               only where a model made a rule of a person's wish
//! ---
//! # Fragment
//!
//! Evidence:
//! > the words, verbatim
//!
//! Effectiveness note:
//! how they were understood
//!
//! Pointers:
//! - [[topic-x]]
//! ```

use std::fmt::Write as _;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use subcortex_checks::{Activation, RootCause};
use subcortex_model::EventId;
use subcortex_yaml::frontmatter;

use crate::fragment::{Broken, Fragment, JudgedBy, LineRef};
use crate::{LineHash, MemoryFolder};

const EVIDENCE: &str = "Evidence:";
const NOTE: &str = "Effectiveness note:";
const POINTERS: &str = "Pointers:";
const TITLE: &str = "# Fragment";
const MODEL: &str = "model";
const PERSON: &str = "person";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fields {
    source_event_id: Option<String>,
    source_ts: Option<String>,
    source_kind: Option<String>,
    session_key: Option<String>,
    event_type: Option<String>,
    project: Option<String>,
    signal: Option<String>,
    claude_md_ref: Option<String>,
    source_line: Option<String>,
    source_line_hash: Option<String>,
    trajectory: Option<String>,
    activation: Option<String>,
    root_cause: Option<String>,
    origin: Option<String>,
    judged_by: Option<String>,
    rule: Option<String>,
}

impl Fragment {
    /// The fragment as it stands in its file.
    pub fn to_text(&self) -> String {
        let mut text = String::from("---\n");
        let mut field = |name: &str, value: &str| {
            // Writing to a String cannot fail.
            let _ok = writeln!(text, "{name}: {}", scalar(value));
        };
        field("source_event_id", self.source_event_id.as_str());
        field("source_ts", &format!("{:.3}", self.source_ts));
        field("source_kind", &self.source_kind);
        if let Some(session_key) = &self.session_key {
            field("session_key", session_key);
        }
        field("event_type", &self.event_type);
        if let Some(project) = &self.project {
            field("project", project);
        }
        field("signal", self.signal.as_str());
        match &self.line {
            Some(line) => {
                field("claude_md_ref", &format!("{}:L{}", MemoryFolder::BROADCAST_REF, line.number));
                field("source_line", &line.number.to_string());
                field("source_line_hash", line.hash.as_str());
            }
            None => field("claude_md_ref", "none"),
        }
        field("trajectory", self.trajectory.as_str());
        field("activation", activation_word(self.activation));
        if let Some(root_cause) = self.root_cause {
            field("root_cause", root_cause_word(root_cause));
        }
        field("origin", self.origin.as_str());
        match self.judged_by {
            JudgedBy::Check => {}
            JudgedBy::Model => field("judged_by", MODEL),
            JudgedBy::Person => field("judged_by", PERSON),
        }
        if let Some(rule) = &self.rule {
            field("rule", rule);
        }
        let _ok = write!(text, "---\n{TITLE}\n\n{EVIDENCE}\n");
        for line in self.quote.split('\n') {
            let _ok = writeln!(text, "> {line}");
        }
        let _ok = write!(text, "\n{NOTE}\n{}\n", one_line(&self.note));
        if !self.pointers.is_empty() {
            let _ok = write!(text, "\n{POINTERS}\n");
            for pointer in &self.pointers {
                let _ok = writeln!(text, "- [[{pointer}]]");
            }
        }
        text
    }

    /// Reads a fragment and holds it against the contract.
    pub fn parse(text: &str) -> Result<Self, Broken> {
        let unreadable = |why: String| Broken::Unreadable(why);
        let (fields, body) =
            frontmatter::parse::<Fields>(text).map_err(|problem| unreadable(problem.to_string()))?;
        let fields = fields.ok_or_else(|| unreadable("it has no frontmatter between `---` lines".into()))?;
        let need = |value: &Option<String>, name| {
            value.clone().filter(|value| !value.is_empty()).ok_or(Broken::Missing(name))
        };
        let source_ts = need(&fields.source_ts, "source_ts")?;
        let source_ts: Timestamp =
            source_ts.parse().map_err(|_| Broken::Value { field: "source_ts", value: source_ts })?;
        let line = line_of(&fields)?;
        let sections = Sections::of(body)?;
        let fragment = Self {
            source_event_id: EventId::from_log(need(&fields.source_event_id, "source_event_id")?),
            source_ts,
            source_kind: need(&fields.source_kind, "source_kind")?,
            session_key: fields.session_key.clone().filter(|key| !key.is_empty()),
            event_type: need(&fields.event_type, "event_type")?,
            project: fields.project.clone().filter(|project| !project.is_empty()),
            signal: word("signal", &need(&fields.signal, "signal")?)?,
            line,
            trajectory: word("trajectory", &need(&fields.trajectory, "trajectory")?)?,
            activation: word("activation", &need(&fields.activation, "activation")?)?,
            root_cause: fields.root_cause.as_deref().map(|cause| word("root_cause", cause)).transpose()?,
            origin: word("origin", &need(&fields.origin, "origin")?)?,
            judged_by: match fields.judged_by.as_deref() {
                None => JudgedBy::Check,
                Some(MODEL) => JudgedBy::Model,
                Some(PERSON) => JudgedBy::Person,
                Some(other) => return Err(Broken::Value { field: "judged_by", value: other.to_owned() }),
            },
            rule: fields.rule.clone().filter(|rule| !rule.is_empty()),
            quote: sections.evidence,
            note: sections.note,
            pointers: sections.pointers,
        };
        if !fragment.trajectory.allows(fragment.activation) {
            let value = activation_word(fragment.activation).to_owned();
            return Err(Broken::Value { field: "activation", value });
        }
        fragment.validate()?;
        Ok(fragment)
    }
}

fn line_of(fields: &Fields) -> Result<Option<LineRef>, Broken> {
    let reference = fields.claude_md_ref.as_deref().ok_or(Broken::Missing("claude_md_ref"))?;
    if reference == "none" {
        return match fields.source_line {
            None => Ok(None),
            Some(_) => Err(Broken::Contradiction("`claude_md_ref: none` and a `source_line`")),
        };
    }
    let wrong = || Broken::Value { field: "claude_md_ref", value: reference.to_owned() };
    let number = reference
        .strip_prefix(MemoryFolder::BROADCAST_REF)
        .and_then(|rest| rest.strip_prefix(":L"))
        .and_then(|digits| digits.parse::<usize>().ok())
        .ok_or_else(wrong)?;
    let source_line = fields.source_line.as_deref().ok_or(Broken::Missing("source_line"))?;
    if source_line.parse() != Ok(number) {
        return Err(Broken::Contradiction("`source_line` is not the line that `claude_md_ref` names"));
    }
    let hash = fields.source_line_hash.clone().filter(|hash| !hash.is_empty());
    let hash = LineHash::from_file(hash.ok_or(Broken::Missing("source_line_hash"))?);
    Ok(Some(LineRef { number, hash }))
}

fn word<T: DeserializeOwned>(field: &'static str, value: &str) -> Result<T, Broken> {
    serde_json::from_value(serde_json::Value::String(value.to_owned()))
        .map_err(|_| Broken::Value { field, value: value.to_owned() })
}

fn activation_word(activation: Activation) -> &'static str {
    match activation {
        Activation::Activated => "activated",
        Activation::Missed => "missed",
        Activation::Waiting => "waiting",
    }
}

fn root_cause_word(cause: RootCause) -> &'static str {
    match cause {
        RootCause::RecallMiss => "recall-miss",
        RootCause::DirectionWrong => "direction-wrong",
    }
}

#[derive(Debug, Default)]
struct Sections {
    evidence: String,
    note: String,
    pointers: Vec<String>,
}

impl Sections {
    fn of(body: &str) -> Result<Self, Broken> {
        let mut lines = body.lines().map(|line| line.strip_suffix('\r').unwrap_or(line));
        if lines.by_ref().find(|line| !line.trim().is_empty()) != Some(TITLE) {
            return Err(Broken::Missing(TITLE));
        }
        let (mut evidence, mut note, mut pointers): (Option<Vec<&str>>, Option<Vec<&str>>, Vec<String>) =
            (None, None, Vec::new());
        let mut section = "";
        for line in lines {
            match line {
                EVIDENCE => (section, evidence) = (EVIDENCE, Some(Vec::new())),
                NOTE => (section, note) = (NOTE, Some(Vec::new())),
                POINTERS => section = POINTERS,
                _ => match section {
                    // Quoted lines only: the words themselves can neither end the section nor begin another.
                    EVIDENCE => {
                        let quoted = line.strip_prefix("> ").or_else(|| (line == ">").then_some(""));
                        if let (Some(quoted), Some(evidence)) = (quoted, &mut evidence) {
                            evidence.push(quoted);
                        }
                    }
                    NOTE if !line.trim().is_empty() => {
                        if let Some(note) = &mut note {
                            note.push(line.trim());
                        }
                    }
                    POINTERS => {
                        let pointer =
                            line.trim().strip_prefix("- [[").and_then(|rest| rest.strip_suffix("]]"));
                        pointers.extend(pointer.map(str::to_owned));
                    }
                    _ => {}
                },
            }
        }
        Ok(Self {
            evidence: evidence.ok_or(Broken::Missing(EVIDENCE))?.join("\n"),
            note: note.ok_or(Broken::Missing(NOTE))?.join(" "),
            pointers,
        })
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A YAML scalar: plain where nothing can be misread, else quoted.
fn scalar(value: &str) -> String {
    let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "_./:+-~#".contains(c))
        && value.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/')
        && !value.ends_with(':');
    if plain { value.to_owned() } else { quoted(value) }
}

/// A double-quoted YAML scalar. Whatever is no letter is escaped: YAML has its own idea of what may stand in a file.
fn quoted(value: &str) -> String {
    let mut text = String::from('"');
    for c in value.chars() {
        // Writing to a String cannot fail.
        let _ok = match c {
            '"' | '\\' => write!(text, "\\{c}"),
            ' '..='~' => write!(text, "{c}"),
            _ if c.is_alphanumeric() => write!(text, "{c}"),
            _ => write!(text, "\\U{:08X}", u32::from(c)),
        };
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fragment::{Origin, SignalKind, Trajectory};

    fn sample() -> Fragment {
        Fragment {
            source_event_id: EventId::from_log("evt_1"),
            source_ts: "2026-01-02T03:04:05.678Z".parse().unwrap(),
            source_kind: "claude".into(),
            session_key: Some("s: 1".into()),
            event_type: "channel.message".into(),
            project: Some("/home/x/web".into()),
            signal: SignalKind::Correction,
            line: Some(LineRef { number: 3, hash: LineHash::from_file("0123456789abcdef") }),
            trajectory: Trajectory::Weakening,
            activation: Activation::Missed,
            root_cause: Some(RootCause::DirectionWrong),
            origin: Origin::Person,
            judged_by: JudgedBy::Check,
            rule: None,
            quote: "no, not npm\n\nEffectiveness note:\n---".into(),
            note: "the person contradicts the line".into(),
            pointers: vec!["topic-x".into()],
        }
    }

    #[test]
    fn what_is_written_is_what_is_read_whatever_the_words_are() {
        let mut fragment = sample();
        assert!(!fragment.to_text().contains("judged_by"));
        assert_eq!(Fragment::parse(&fragment.to_text()), Ok(fragment.clone()));
        fragment.judged_by = JudgedBy::Model;
        fragment.rule = Some("Use `pnpm`: never npm.".into());
        assert!(fragment.to_text().contains("judged_by: model\n"));
        assert_eq!(Fragment::parse(&fragment.to_text()), Ok(fragment));
    }

    #[test]
    fn the_same_evidence_has_the_same_name_and_other_evidence_another() {
        let (one, mut other) = (sample(), sample());
        other.note = "said otherwise".into();
        assert_eq!(one.file(), other.file());
        assert!(one.file().starts_with("2026-01-02/030405-weakening-"), "{}", one.file());
        other.signal = SignalKind::LineFailed;
        assert_ne!(one.file(), other.file());
    }

    #[test]
    fn each_wish_that_a_model_hears_in_one_message_has_a_name_of_its_own() {
        let heard = |quote: &str, judged_by| {
            let (line, trajectory) = (None, Trajectory::NewSignal);
            Fragment { line, trajectory, judged_by, quote: quote.into(), ..sample() }.file()
        };
        assert_ne!(heard("use tabs", JudgedBy::Model), heard("run make", JudgedBy::Model));
        assert_eq!(heard("use tabs", JudgedBy::Check), heard("run make", JudgedBy::Check));
    }

    #[track_caller]
    fn check_broken(change: impl Fn(&str) -> String, expect: &str) {
        let broken = Fragment::parse(&change(&sample().to_text())).unwrap_err();
        assert_eq!(broken.to_string(), expect);
    }

    #[test]
    fn what_breaks_the_contract_is_refused_with_the_reason() {
        let without = |name: &'static str| {
            move |text: &str| {
                text.lines().filter(|line| !line.starts_with(name)).map(|line| format!("{line}\n")).collect()
            }
        };
        check_broken(without("source_event_id"), "`source_event_id` is missing");
        check_broken(without("claude_md_ref"), "`claude_md_ref` is missing");
        check_broken(without("source_line:"), "`source_line` is missing");
        check_broken(without("source_line_hash"), "`source_line_hash` is missing");
        check_broken(without("origin"), "`origin` is missing");
        check_broken(without("> "), "`Evidence:` is missing");
        check_broken(
            |text| text.replace("WEAKENING", "NEW_SIGNAL").replace("missed", "waiting"),
            "a NEW_SIGNAL has `claude_md_ref: none` and no `source_line`",
        );
        check_broken(
            |text| text.replace("WEAKENING", "NEUTRAL").replace("missed", "waiting"),
            "`root_cause` belongs to WEAKENING only",
        );
        check_broken(
            |text| text.replace("activation: missed", "activation: waiting"),
            "`activation` is `waiting`, which is none of its values",
        );
        check_broken(
            |text| text.replace("CLAUDE.md:L3", "CLAUDE.md:L4"),
            "`source_line` is not the line that `claude_md_ref` names",
        );
        check_broken(
            |text| text.replace("2026-01-02T", "yesterday"),
            "`source_ts` is `yesterday03:04:05.678Z`, which is none of its values",
        );
        check_broken(
            |text| text.replace("origin: person", "origin: person\njudged_by: me"),
            "`judged_by` is `me`, which is none of its values",
        );
        check_broken(|_| "just text".into(), "it has no frontmatter between `---` lines");
    }

    proptest::proptest! {
        #[test]
        fn any_quote_and_any_session_survive(quote in "[^\r]{1,80}", session in "[^\r]{1,20}") {
            let mut fragment = sample();
            fragment.quote = quote;
            fragment.session_key = Some(session);
            if fragment.validate().is_ok() {
                proptest::prop_assert_eq!(Fragment::parse(&fragment.to_text()), Ok(fragment));
            }
        }
    }
}
