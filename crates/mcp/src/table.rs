//! The tools as an agent is shown them.

use rmcp::model::{self, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::call;

/// One tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// What it is called.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// Whether it changes nothing.
    pub reads_only: bool,
    arguments: fn() -> Schema,
}

/// Every tool.
pub const TOOLS: &[Tool] = &[
    tool::<call::Recall>(
        "recall",
        "Search what is remembered of earlier work: rules, evidence, dossiers and past turns with people. Use it before you ask a person something that they may have said before. Each answer says where it stands.",
        Reads,
    ),
    tool::<call::Why>(
        "why",
        "Show the evidence for a line of the memory (how often it was followed and missed, with quotes) and the edits that made it; or everything that rests on one event or session.",
        Reads,
    ),
    tool::<call::Check>("check", "Show how the lines of the memory are understood as tests.", Reads),
    tool::<call::Remember>(
        "remember",
        "Hand over a rule that the person asked for in this session and that should last: with their own words, verbatim. The words are looked up; what nobody said is refused. A plain lasting order becomes a line, anything else is proposed to the person.",
        Changes,
    ),
    tool::<call::DropTask>(
        "drop_task",
        "Hand a task to a background worker (a partition). It answers in its own time; see `inbox`.",
        Changes,
    ),
    tool::<call::Inbox>("inbox", "List the tasks that wait for background workers, and why.", Reads),
    tool::<call::Status>(
        "status",
        "Show what the background daemon is doing: partitions, next runs, what is held, what it spent.",
        Reads,
    ),
    tool::<call::Whoami>(
        "whoami",
        "Show a background worker as it is shown to itself: who it is, what it may do, its scratchpad.",
        Reads,
    ),
    tool::<call::UpdateScratchpad>(
        "update_scratchpad",
        "Replace the text of your own scratchpad. Only a background worker inside its run has one.",
        Changes,
    ),
    tool::<call::BlackboardAppend>(
        "blackboard_append",
        "Say something on the blackboard of a supervised run. A move that the rules forbid is refused with the reason.",
        Changes,
    ),
    tool::<call::BlackboardRead>(
        "blackboard_read",
        "Show what was said on a blackboard, and what it comes to.",
        Reads,
    ),
];

use Effect::{Changes, Reads};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    Changes,
}

const fn tool<T: JsonSchema>(name: &'static str, about: &'static str, effect: Effect) -> Tool {
    Tool { name, about, reads_only: matches!(effect, Reads), arguments: schema_of::<T> }
}

fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>()
}

impl Tool {
    /// The tool in the words of the protocol.
    pub(crate) fn described(self) -> model::Tool {
        let mut schema = Value::from((self.arguments)()).as_object().cloned().unwrap_or_default();
        // What the type is called and is for stands in the tool itself.
        schema.remove("title");
        schema.remove("description");
        // Some clients insist on it, also where there are no arguments.
        schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        let hints = ToolAnnotations::new().read_only(self.reads_only).destructive(false).open_world(false);
        model::Tool::new(self.name, self.about, schema).with_annotations(hints)
    }
}
