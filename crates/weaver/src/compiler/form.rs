//! The form in which a model says how a line is tested, and what of it is taken.
//!
//! A small part of what a check can say: things that were done, named by texts that stand in the line. Expressions,
//! scope, cues, and what it means when nothing happened are not the model's to say.

use serde::Deserialize;
use serde_json::{Value, json};
use subcortex_checks::{
    Check, Committed, Condition, Expect, Expression, Glob, Grounds, Order, Pushed, Ran, Read, Unmet, Wrote,
    expression_for, in_words,
};

/// How many conditions a list holds at most.
const MAX_CONDITIONS: usize = 4;
/// How many paths a condition holds at most.
const MAX_PATHS: usize = 4;
/// The longest text in a condition, in characters.
const MAX_LITERAL_CHARS: usize = 120;
/// The shortest text that is looked for in files and messages, in characters: less stands everywhere.
const MIN_LITERAL_CHARS: usize = 3;

/// What a model says about a line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reading {
    pub(super) testable: bool,
    #[serde(default)]
    trigger: Vec<Deed>,
    #[serde(default)]
    expect: Vec<Deed>,
    #[serde(default)]
    forbid: Vec<Deed>,
    #[serde(default)]
    order: Order,
    #[serde(default)]
    pub(super) examples: Examples,
}

/// Something that an agent did.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Deed {
    /// A command that holds these words in this order.
    Ran(String),
    /// A file that was changed.
    Wrote {
        #[serde(default)]
        paths: Vec<String>,
        /// A text that was added to it.
        #[serde(default)]
        added: Option<String>,
        /// Only a file that is new.
        #[serde(default)]
        new: bool,
    },
    /// A file that was opened.
    Read(String),
    /// A commit, perhaps with this text in its message.
    Committed {
        #[serde(default)]
        message: Option<String>,
    },
    /// A push, perhaps to this branch.
    Pushed {
        #[serde(default)]
        branch: Option<String>,
    },
}

/// Two short turns that show what is meant.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Examples {
    pub(super) followed: Vec<Step>,
    pub(super) missed: Vec<Step>,
}

/// One step of an example.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Step {
    Ran(String),
    Wrote {
        path: String,
        #[serde(default)]
        content: String,
    },
    Read(String),
}

/// The check that a reading comes to, for a line that the rules understood as `known`; or why it is none.
pub(super) fn check_of(reading: &Reading, grounds: &Grounds, known: &Check) -> Result<Check, &'static str> {
    let lists = [&reading.trigger, &reading.expect, &reading.forbid];
    if lists.iter().any(|list| list.len() > MAX_CONDITIONS) {
        return Err("it holds too many conditions");
    }
    if reading.forbid.is_empty() && (reading.trigger.is_empty() || reading.expect.is_empty()) {
        return Err("nothing could ever show that the line was not followed");
    }
    let conditions =
        |deeds: &[Deed]| deeds.iter().map(|deed| deed.condition(grounds)).collect::<Result<Vec<_>, _>>();
    let (trigger, expect, forbid) =
        (conditions(&reading.trigger)?, conditions(&reading.expect)?, conditions(&reading.forbid)?);
    if reading.expect.iter().flat_map(Deed::names).any(|name| !grounds.can_ask_for(name)) {
        return Err("it expects what the line is against");
    }
    if reading.forbid.iter().any(|deed| !deed.names().any(|name| grounds.can_forbid(name))) {
        return Err("it forbids what the line is not against");
    }
    if expect.iter().any(|expected| forbid.contains(expected)) {
        return Err("it forbids what it expects");
    }
    let unmet = match (expect.is_empty(), trigger.is_empty()) {
        (_, true) => Unmet::Open,
        (true, false) => Unmet::Followed,
        (false, false) => Unmet::Missed,
    };
    let expect =
        expect.into_iter().map(|condition| Expect { order: reading.order, ..Expect::one(condition) });
    let mut check = Check {
        testable: true,
        family: "model".into(),
        trigger,
        expect: expect.collect(),
        forbid,
        unmet,
        scope: known.scope.clone(),
        cues: known.cues.clone(),
        reword: known.reword.clone(),
        ..Check::default()
    };
    check.why = format!("as a model reads it: {}", in_words(&check));
    Ok(check)
}

impl Deed {
    /// The texts that it names.
    fn names(&self) -> impl Iterator<Item = &str> {
        let (list, one) = match self {
            Self::Ran(command) => (None, Some(command)),
            Self::Read(path) => (None, Some(path)),
            Self::Wrote { paths, added, .. } => (Some(paths), added.as_ref()),
            Self::Committed { message } => (None, message.as_ref()),
            Self::Pushed { branch } => (None, branch.as_ref()),
        };
        // A commit or a push that names nothing is named by what it is.
        let bare = match self {
            Self::Committed { message: None } => Some("commit"),
            Self::Pushed { branch: None } => Some("push"),
            Self::Ran(_)
            | Self::Wrote { .. }
            | Self::Read(_)
            | Self::Committed { .. }
            | Self::Pushed { .. } => None,
        };
        list.into_iter().flatten().map(String::as_str).chain(one.map(String::as_str)).chain(bare)
    }

    /// The condition, if everything that it names stands in the line.
    fn condition(&self, grounds: &Grounds) -> Result<Condition, &'static str> {
        let plain = |text: &str| {
            !text.trim().is_empty()
                && text.chars().count() <= MAX_LITERAL_CHARS
                && !text.chars().any(char::is_control)
        };
        if !self.names().all(plain) {
            return Err("it holds a text that is empty, too long, or not plain");
        }
        let literal = |text: &str| {
            if text.trim().chars().count() < MIN_LITERAL_CHARS {
                return Err("it looks for a text that stands everywhere");
            }
            if grounds.names(text) {
                Ok(Expression::new(expression_for(text.trim())))
            } else {
                Err("it names a text that the line does not")
            }
        };
        let path = |glob: &String| {
            if grounds.names_path(glob) {
                Ok(Glob::new(glob))
            } else {
                Err("it names a path that the line does not")
            }
        };
        Ok(match self {
            Self::Ran(command) => {
                if !command.split_whitespace().all(|word| grounds.names(word)) {
                    return Err("it names a command that the line does not");
                }
                Condition::Ran(Ran::words(command.split_whitespace().collect::<Vec<_>>().join(" ")))
            }
            Self::Wrote { paths, added, new } => {
                if paths.len() > MAX_PATHS {
                    return Err("it names too many paths");
                }
                if paths.is_empty() && added.is_none() {
                    return Err("it would fit every changed file");
                }
                Condition::Wrote(Wrote {
                    paths: paths.iter().map(path).collect::<Result<_, _>>()?,
                    added: added.as_deref().map(literal).transpose()?,
                    whole: *new,
                    ..Wrote::default()
                })
            }
            Self::Read(glob) => Condition::Read(Read { paths: vec![path(glob)?] }),
            Self::Committed { .. } if !grounds.means("commit") => {
                return Err("the line says nothing of commits");
            }
            Self::Committed { message } => Condition::Committed(Committed {
                message: message.as_deref().map(literal).transpose()?,
                ..Committed::default()
            }),
            Self::Pushed { .. } if !grounds.means("push") => return Err("the line says nothing of pushes"),
            Self::Pushed { branch } => Condition::Pushed(Pushed {
                branch: branch.as_deref().map(literal).transpose()?.map(|text| text.as_str().into()),
                ..Pushed::default()
            }),
        })
    }
}

/// The schema of a [`Reading`]. Some endpoints take only schemas in which every field is required, and none with lengths.
pub(super) fn schema() -> Value {
    let object = |properties: Value| {
        let names: Vec<String> =
            properties.as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect();
        json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
    };
    let list = |item: &Value| json!({ "type": "array", "items": item });
    let text = json!({ "type": "string" });
    let perhaps = json!({ "type": ["string", "null"] });
    let is = json!({ "type": "boolean" });
    let deed = json!({ "anyOf": [
        object(json!({ "ran": text })),
        object(json!({ "wrote": object(json!({ "paths": list(&text), "added": perhaps, "new": is })) })),
        object(json!({ "read": text })),
        object(json!({ "committed": object(json!({ "message": perhaps })) })),
        object(json!({ "pushed": object(json!({ "branch": perhaps })) })),
    ]});
    let step = json!({ "anyOf": [
        object(json!({ "ran": text })),
        object(json!({ "wrote": object(json!({ "path": text, "content": text })) })),
        object(json!({ "read": text })),
    ]});
    object(json!({
        "testable": is,
        "trigger": list(&deed),
        "expect": list(&deed),
        "forbid": list(&deed),
        "order": { "type": "string", "enum": ["anytime", "after_trigger", "before_trigger"] },
        "examples": object(json!({ "followed": list(&step), "missed": list(&step) })),
    }))
}
