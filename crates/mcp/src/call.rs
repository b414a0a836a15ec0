//! Everything that can be asked. The comments are what an agent reads.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A call, with its arguments.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // each is described where its arguments are
pub enum Call {
    Recall(Recall),
    Why(Why),
    Check(Check),
    Remember(Remember),
    DropTask(DropTask),
    Inbox(Inbox),
    Status(Status),
    Whoami(Whoami),
    UpdateScratchpad(UpdateScratchpad),
    BlackboardAppend(BlackboardAppend),
    BlackboardRead(BlackboardRead),
}

/// Searches what is remembered.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recall {
    /// What to look for, in words
    pub query: String,
    /// How many answers, at most 100; 10 when left out
    #[serde(default)]
    pub limit: Option<u16>,
}

/// Explains a line, or what rests on an event or a session.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// A line such as `L12`, an event (`evt_…`), or a session
    pub what: String,
}

/// How lines are understood as tests.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Only this line, such as `L12`
    #[serde(default)]
    pub line: Option<String>,
}

/// Hands over a rule that a person asked for.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// The rule as one plain sentence of at most 200 characters
    pub rule: String,
    /// The person's own words in this session that ask for it, verbatim
    pub quote: String,
    /// The session in which they were said; this one when left out
    #[serde(default)]
    pub session: Option<String>,
}

/// Hands a task to a partition.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DropTask {
    /// The partition, such as `memory-weaver`
    pub partition: String,
    /// What is to be done
    pub body: String,
    /// The task's name; one is made up when left out
    #[serde(default)]
    pub name: Option<String>,
}

/// The tasks that wait.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inbox {
    /// Only this partition
    #[serde(default)]
    pub partition: Option<String>,
}

/// What is going on.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {}

/// Who a worker is.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Whoami {
    /// The partition; inside a run the worker itself when left out
    #[serde(default)]
    pub worker: Option<String>,
}

/// Replaces the text of the worker's own scratchpad.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateScratchpad {
    /// The new text, at most 10,000 characters; an empty one clears it
    pub scratchpad: String,
    /// The partition; the worker itself when left out
    #[serde(default)]
    pub worker: Option<String>,
}

/// Says something on a blackboard.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlackboardAppend {
    /// The thread
    pub thread: String,
    /// The entry: `kind` (such as `VERIFIED`) and its fields
    pub entry: Map<String, Value>,
    /// supervisor, worker or user; inside a run its token says it
    #[serde(default)]
    pub role: Option<String>,
    /// Who says it; inside a run its token says it
    #[serde(default, rename = "as")]
    pub id: Option<String>,
}

/// What was said on a blackboard.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlackboardRead {
    /// The thread
    pub thread: String,
}

/// A call that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownCall {
    /// There is no such tool.
    #[error("there is no tool `{0}`")]
    Tool(String),
    /// Its arguments are not what it takes.
    #[error("the arguments of `{tool}` cannot be used: {why}")]
    Arguments {
        /// Which tool.
        tool: String,
        /// What is wrong.
        why: String,
    },
}

impl Call {
    /// The call of a tool with these arguments.
    pub fn parse(tool: &str, arguments: Map<String, Value>) -> Result<Self, UnknownCall> {
        fn read<T: for<'de> Deserialize<'de>>(
            tool: &str,
            arguments: Map<String, Value>,
        ) -> Result<T, UnknownCall> {
            serde_json::from_value(Value::Object(arguments))
                .map_err(|error| UnknownCall::Arguments { tool: tool.to_owned(), why: error.to_string() })
        }
        Ok(match tool {
            "recall" => Self::Recall(read(tool, arguments)?),
            "why" => Self::Why(read(tool, arguments)?),
            "check" => Self::Check(read(tool, arguments)?),
            "remember" => Self::Remember(read(tool, arguments)?),
            "drop_task" => Self::DropTask(read(tool, arguments)?),
            "inbox" => Self::Inbox(read(tool, arguments)?),
            "status" => Self::Status(read(tool, arguments)?),
            "whoami" => Self::Whoami(read(tool, arguments)?),
            "update_scratchpad" => Self::UpdateScratchpad(read(tool, arguments)?),
            "blackboard_append" => Self::BlackboardAppend(read(tool, arguments)?),
            "blackboard_read" => Self::BlackboardRead(read(tool, arguments)?),
            _ => return Err(UnknownCall::Tool(tool.to_owned())),
        })
    }
}
