//! One entry: its kind and its fields, as JSON.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::{
    MAX_ENTRY_BYTES, MAX_TEXT_BYTES, MAX_VALUE_BYTES, Malformed, check_list, check_name, check_text, shown,
};
use crate::{Assigned, Role, WebAddress};

/// What somebody says on a blackboard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields)]
pub enum Entry {
    /// The plan.
    Strategy(Strategy),
    /// A worker claims a field of an entity.
    Pending {
        /// What it is about.
        entity: String,
        /// What is to be found out.
        field: String,
        /// The worker itself.
        assigned_to: String,
        /// The turn of its run.
        turn: u64,
    },
    /// A fact with its source.
    Verified {
        /// What it is about.
        entity: String,
        /// What was to be found out.
        field: String,
        /// What was found out.
        value: String,
        /// Where.
        source_url: String,
        /// The worker itself.
        retrieved_by: String,
    },
    /// No source could be found.
    Unverified {
        /// What it is about.
        entity: String,
        /// What was to be found out.
        field: String,
        /// What is believed; null where nothing is.
        #[serde(deserialize_with = "Option::deserialize")]
        claimed_value: Option<String>,
        /// Why there is no source.
        reason: String,
    },
    /// A page that cannot be had.
    FailedUrl {
        /// Which.
        url: String,
        /// What happened.
        failure_reason: String,
        /// The worker itself.
        tried_by: String,
    },
    /// A page that nobody tries again.
    Tombstone {
        /// Which.
        url: String,
        /// What happened.
        failure_reason: String,
        /// The turn of the supervisor's run.
        turn: u64,
    },
    /// A person steps in.
    UserDirective {
        /// What it wants.
        text: String,
    },
    /// The result.
    Synthesis {
        /// What it says.
        text: String,
        /// The exact source URLs of VERIFIED entries.
        citations: Vec<String>,
    },
}

/// The plan of a supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// What the run is for.
    pub goal: String,
    /// What it is about: each needs a VERIFIED fact in the end.
    pub entities: Vec<String>,
    /// How facts are found out, step by step.
    pub tool_chain: Vec<String>,
    /// Who does what.
    pub assigned: Assigned,
    /// What to look for instead, for a claim that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// The kinds of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The plan.
    Strategy,
    /// A claim.
    Pending,
    /// A fact.
    Verified,
    /// A claim without a source.
    Unverified,
    /// A page that cannot be had.
    FailedUrl,
    /// A page that nobody tries again.
    Tombstone,
    /// A person's word.
    UserDirective,
    /// The result.
    Synthesis,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 8] = [
        Kind::Strategy,
        Kind::Pending,
        Kind::Verified,
        Kind::Unverified,
        Kind::FailedUrl,
        Kind::Tombstone,
        Kind::UserDirective,
        Kind::Synthesis,
    ];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Strategy => "STRATEGY",
            Kind::Pending => "PENDING",
            Kind::Verified => "VERIFIED",
            Kind::Unverified => "UNVERIFIED",
            Kind::FailedUrl => "FAILED_URL",
            Kind::Tombstone => "TOMBSTONE",
            Kind::UserDirective => "USER_DIRECTIVE",
            Kind::Synthesis => "SYNTHESIS",
        }
    }

    /// Its fields.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Kind::Strategy => &["goal", "entities", "tool_chain", "assigned", "query (optional)"],
            Kind::Pending => &["entity", "field", "assigned_to", "turn"],
            Kind::Verified => &["entity", "field", "value", "source_url", "retrieved_by"],
            Kind::Unverified => &["entity", "field", "claimed_value", "reason"],
            Kind::FailedUrl => &["url", "failure_reason", "tried_by"],
            Kind::Tombstone => &["url", "failure_reason", "turn"],
            Kind::UserDirective => &["text"],
            Kind::Synthesis => &["text", "citations"],
        }
    }

    /// Who may append it.
    pub fn role(self) -> Role {
        match self {
            Kind::Strategy | Kind::Tombstone | Kind::Synthesis => Role::Supervisor,
            Kind::Pending | Kind::Verified | Kind::Unverified | Kind::FailedUrl => Role::Worker,
            Kind::UserDirective => Role::User,
        }
    }

    /// Words with commas.
    pub(crate) fn list(kinds: &[Kind]) -> String {
        kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Entry {
    /// Reads an entry from outside: its length, its kind, its fields, and what stands in them.
    pub fn parse(json: &str) -> Result<Self, Malformed> {
        if json.len() > MAX_ENTRY_BYTES {
            return Err(Malformed::TooLong {
                field: "entry",
                len_bytes: json.len(),
                max_bytes: MAX_ENTRY_BYTES,
            });
        }
        let entry = serde_json::from_str(json).map_err(|error| explain(json, &error))?;
        Entry::checked(entry)
    }

    /// Lets an entry through whose texts can be kept and shown.
    pub fn checked(self) -> Result<Self, Malformed> {
        self.check()?;
        Ok(self)
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Entry::Strategy(_) => Kind::Strategy,
            Entry::Pending { .. } => Kind::Pending,
            Entry::Verified { .. } => Kind::Verified,
            Entry::Unverified { .. } => Kind::Unverified,
            Entry::FailedUrl { .. } => Kind::FailedUrl,
            Entry::Tombstone { .. } => Kind::Tombstone,
            Entry::UserDirective { .. } => Kind::UserDirective,
            Entry::Synthesis { .. } => Kind::Synthesis,
        }
    }

    fn check(&self) -> Result<(), Malformed> {
        match self {
            Entry::Strategy(strategy) => strategy.check(),
            Entry::Pending { entity, field, assigned_to, turn: _ } => {
                check_fact(entity, field)?;
                check_name("assigned_to", assigned_to)
            }
            Entry::Verified { entity, field, value, source_url, retrieved_by } => {
                check_fact(entity, field)?;
                check_text("value", value, MAX_VALUE_BYTES)?;
                WebAddress::parse("source_url", source_url)?;
                check_name("retrieved_by", retrieved_by)
            }
            Entry::Unverified { entity, field, claimed_value, reason } => {
                check_fact(entity, field)?;
                if let Some(value) = claimed_value.as_ref().filter(|value| !value.is_empty()) {
                    check_text("claimed_value", value, MAX_VALUE_BYTES)?;
                }
                check_text("reason", reason, MAX_VALUE_BYTES)
            }
            Entry::FailedUrl { url, failure_reason, tried_by } => {
                WebAddress::parse("url", url)?;
                check_text("failure_reason", failure_reason, MAX_VALUE_BYTES)?;
                check_name("tried_by", tried_by)
            }
            Entry::Tombstone { url, failure_reason, turn: _ } => {
                WebAddress::parse("url", url)?;
                check_text("failure_reason", failure_reason, MAX_VALUE_BYTES)
            }
            Entry::UserDirective { text } => check_text("text", text, MAX_TEXT_BYTES),
            Entry::Synthesis { text, citations } => {
                check_text("text", text, MAX_TEXT_BYTES)?;
                citations.iter().try_for_each(|url| WebAddress::parse("citations", url).map(drop))
            }
        }
    }
}

impl Strategy {
    fn check(&self) -> Result<(), Malformed> {
        check_text("goal", &self.goal, MAX_TEXT_BYTES)?;
        if self.entities.is_empty() {
            return Err(Malformed::Empty { field: "entities" });
        }
        check_list("entities", &self.entities)?;
        self.tool_chain.iter().try_for_each(|step| check_text("tool_chain", step, MAX_VALUE_BYTES))?;
        self.assigned.check()?;
        self.query.iter().try_for_each(|query| check_text("query", query, MAX_VALUE_BYTES))
    }
}

fn check_fact(entity: &str, field: &str) -> Result<(), Malformed> {
    check_name("entity", entity)?;
    check_name("field", field)
}

/// The reader's words, with what the kind should have.
fn explain(json: &str, error: &serde_json::Error) -> Malformed {
    let example = "write an object such as {\"kind\": \"USER_DIRECTIVE\", \"text\": \"…\"}";
    let Ok(Value::Object(object)) = serde_json::from_str(json) else {
        return Malformed::Unreadable { why: format!("{} ({example})", shown(&error.to_string())) };
    };
    let word = match object.get("kind") {
        Some(Value::String(word)) => word,
        Some(_) => return Malformed::Unreadable { why: format!("`kind` must be a text ({example})") },
        None => return Malformed::Unreadable { why: format!("`kind` is missing ({example})") },
    };
    match Kind::ALL.into_iter().find(|kind| kind.as_str() == word) {
        Some(kind) => Malformed::Fields { kind, why: shown(&error.to_string()) },
        None => Malformed::UnknownKind { shown: shown(word) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuses(json: &str, expect: &str) {
        let why = Entry::parse(json).unwrap_err().to_string();
        assert!(why.contains(expect), "{json}: {why}");
    }

    #[test]
    fn entries_are_read_and_written_alike() {
        for json in [
            r#"{"kind":"STRATEGY","goal":"g","entities":["A"],"tool_chain":["search"],"assigned":{"A":"w1"}}"#,
            r#"{"kind":"STRATEGY","goal":"g","entities":["A"],"tool_chain":[],"assigned":["w1"],"query":"q"}"#,
            r#"{"kind":"PENDING","entity":"A","field":"ceo","assigned_to":"w1","turn":1}"#,
            r#"{"kind":"VERIFIED","entity":"A","field":"ceo","value":"Ann","source_url":"https://a.example/","retrieved_by":"w1"}"#,
            r#"{"kind":"UNVERIFIED","entity":"A","field":"ceo","claimed_value":null,"reason":"nothing found"}"#,
            r#"{"kind":"FAILED_URL","url":"https://a.example/","failure_reason":"404","tried_by":"w1"}"#,
            r#"{"kind":"TOMBSTONE","url":"https://a.example/","failure_reason":"404","turn":2}"#,
            r#"{"kind":"USER_DIRECTIVE","text":"two\nlines"}"#,
            r#"{"kind":"SYNTHESIS","text":"t","citations":["https://a.example/"]}"#,
        ] {
            assert_eq!(serde_json::to_string(&Entry::parse(json).unwrap()).unwrap(), json);
        }
    }

    #[test]
    fn what_is_no_entry_is_refused_with_what_one_has() {
        refuses("", "cannot be read");
        refuses("[]", "USER_DIRECTIVE");
        refuses("{}", "`kind` is missing");
        refuses(r#"{"kind":7}"#, "`kind` must be a text");
        refuses(r#"{"kind":"GUESS"}"#, "`GUESS` is no kind of entry; the kinds are STRATEGY, PENDING");
        refuses(r#"{"kind":"pending"}"#, "`pending` is no kind");
        refuses(
            r#"{"kind":"USER_DIRECTIVE"}"#,
            "a USER_DIRECTIVE entry has the fields text; missing field `text`",
        );
        refuses(r#"{"kind":"USER_DIRECTIVE","text":"t","role":"user"}"#, "unknown field `role`");
        refuses(r#"{"kind":"USER_DIRECTIVE","text":"t","text":"u"}"#, "duplicate field");
        refuses(r#"{"kind":"PENDING","entity":"A","field":"f","assigned_to":"w","turn":-1}"#, "turn");
        refuses(
            r#"{"kind":"UNVERIFIED","entity":"A","field":"f","reason":"r"}"#,
            "missing field `claimed_value`",
        );
        refuses(
            r#"{"kind":"STRATEGY","goal":"g","entities":["A"],"tool_chain":[]}"#,
            "missing field `assigned`",
        );
    }

    #[test]
    fn texts_that_cannot_be_kept_are_refused() {
        let pending = |entity: &str| {
            serde_json::json!({"kind": "PENDING", "entity": entity, "field": "f", "assigned_to": "w", "turn": 1}).to_string()
        };
        refuses(&pending(""), "`entity` is empty");
        refuses(&pending(" \t"), "`entity` is empty");
        refuses(&pending("a\u{1b}[2J"), "control character (U+001B)");
        refuses(&pending("a\nb"), "control character (U+000A)");
        refuses(&pending(&"x".repeat(257)), "257 bytes");
        let verified = |value: &str, url: &str| {
            serde_json::json!({"kind": "VERIFIED", "entity": "A", "field": "f", "value": value, "source_url": url, "retrieved_by": "w"}).to_string()
        };
        refuses(&verified(&"x".repeat(1 << 20), "https://a.example/"), "`entry` has 1048");
        refuses(&verified(&"x".repeat(17 * 1024), "https://a.example/"), "`value` has 17408 bytes");
        refuses(&verified("v\0", "https://a.example/"), "U+0000");
        refuses(&verified("v", "not a url"), "`source_url` is no address of a page: `not a url`");
        let strategy = |entities: &[&str]| {
            serde_json::json!({"kind": "STRATEGY", "goal": "g", "entities": entities, "tool_chain": [], "assigned": []}).to_string()
        };
        refuses(&strategy(&[]), "`entities` is empty");
        refuses(&strategy(&[""]), "`entities` is empty");
        refuses(&strategy(&["A", "A"]), "names `A` twice");
    }
}
