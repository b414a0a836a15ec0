//! A check: how one line of the memory is understood, as a test of a turn.
//!
//! It is stored as YAML, shown to people, and people may correct it by hand; so it is a small language that reads well:
//!
//! ```yaml
//! testable: true
//! family: run-after
//! trigger:                       # any of these is an occasion
//!   - wrote: { paths: ["apps/api/**"], words: [controller, dto] }
//! expect:                        # each of these shows that the line was followed
//!   - any: [{ ran: { command: "pnpm api:generate" } }]
//!     order: after_trigger
//! near: []                       # almost, but not quite: leaves the verdict open
//! forbid: []                     # any of these shows that it was not
//! maybe: []                      # where it may hold: doing it counts, not doing it does not
//! unmet: missed                  # an occasion where nothing expected happened: missed | followed | open
//! mixed: open                    # followed in one place, broken in another: missed | open
//! scope: { project: null, paths: [] }
//! why: "after a change below apps/api, `pnpm api:generate` is expected"
//! ```

use serde::{Deserialize, Serialize};

/// How one line of the memory is understood.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Check {
    /// Whether anybody could tell from a turn that the line was followed or not.
    pub testable: bool,
    /// The kind of rule that the line was taken for.
    pub family: String,
    /// When the line has an occasion: any of these.
    pub trigger: Vec<Condition>,
    /// When it may have one: doing it counts, not doing it does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub maybe: Vec<Condition>,
    /// What shows that it was followed: each of these.
    pub expect: Vec<Expect>,
    /// What comes near without being it.
    pub near: Vec<Condition>,
    /// What shows that it was broken: any of these.
    pub forbid: Vec<Condition>,
    /// What excuses a breach: any of these leaves it open.
    pub unless: Vec<Condition>,
    /// What an occasion means on which neither was seen.
    pub unmet: Unmet,
    /// What a turn means in which both were seen.
    pub mixed: Mixed,
    /// Where the line holds.
    pub scope: Scope,
    /// Words by which a person's remark is recognised as being about this line.
    pub cues: Cues,
    /// How the line was understood, in a sentence.
    pub why: String,
    /// How to word the line so that it can be tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reword: Option<String>,
}

/// One thing that is expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Any of these will do.
    pub any: Vec<Condition>,
    /// When it has to happen.
    #[serde(default)]
    pub order: Order,
}

impl Expect {
    /// Expects one condition at any time.
    pub fn one(condition: Condition) -> Self {
        Self { any: vec![condition], order: Order::Anytime }
    }
}

/// When something expected has to happen, seen from the trigger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// At any time in the turn.
    #[default]
    Anytime,
    /// After the first occasion.
    AfterTrigger,
    /// Before the last occasion.
    BeforeTrigger,
}

/// What an occasion means on which neither the expected nor the forbidden was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unmet {
    /// The line should have taken effect and did not.
    Missed,
    /// Not doing the forbidden thing on its natural occasion is following the line.
    Followed,
    /// Nobody can tell.
    #[default]
    Open,
}

/// What a turn means in which the line was both followed and broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mixed {
    /// Once broken is broken.
    Missed,
    /// Neither.
    #[default]
    Open,
}

/// Where a line holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scope {
    /// The project (path or glob) that the line's section names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The paths that the line is about; empty means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// Words by which a remark is tied to a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cues {
    /// Stems of the line's content words.
    pub stems: Vec<String>,
    /// Its code terms, as written.
    pub code: Vec<String>,
    /// Stems of what the line forbids.
    pub against: Vec<String>,
    /// Documents that the line points to: globs of their paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<String>,
}

/// Something that can be seen in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// A command was run.
    Ran(Ran),
    /// A file was changed.
    Wrote(Wrote),
    /// A file was opened, or shown by a command.
    Read {
        /// Globs of its path.
        paths: Vec<String>,
    },
    /// A tool was used.
    Used {
        /// Glob of its name; `*` at the ends for a part of it.
        tool: String,
    },
    /// A commit was made.
    Committed(Committed),
    /// A branch was pushed.
    Pushed {
        /// Expression for the whole branch name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// Expression that the branch name must not match.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        not_branch: Option<String>,
    },
    /// A branch was created.
    Branched(BranchedAs),
    /// Something was said.
    Said(Said),
    /// The turn's work is about something: commit message, pull request title, name of a written file, added text.
    About {
        /// All of these stems within one sentence or name.
        words: Vec<String>,
    },
    /// The agent says in its own words that it did what the line asks for.
    Echoed {
        /// Stems of the line.
        words: Vec<String>,
        /// How many of them one sentence has to hold.
        least: usize,
    },
    /// A tool's answer refused or failed with this text.
    Refused {
        /// Expression on the answer.
        text: String,
    },
}

/// A command that was run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ran {
    /// The words that it holds in this order, program first; a last word `x*` matches by its start. Empty: any command.
    pub command: String,
    /// Expression that its text must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Expression that its text must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// Program names that do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Whether the command must stand at the very start, without a wrapper in front of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bare: bool,
    /// Only commands that do not read another one's output.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_only: bool,
    /// How it has to have ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

impl Ran {
    /// A command by its words.
    pub fn words(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nothing failed.
    Passed,
    /// It failed, or its output reports failures.
    Failed,
}

/// A file that was changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wrote {
    /// Globs, any of which matches the path; empty: any path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Globs that the path must not match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Words, any of which is a part of the path or of what was added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Expression on what was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
    /// Expression that what was added must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_added: Option<String>,
    /// Only files written as a whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// Only changes of files that were there before: not a new file, not a whole one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// Expression for the whole file name, without its directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
    /// Expression that the whole file name must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_named: Option<String>,
    /// Only by the shell, not by an editing tool.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_shell: bool,
    /// Only files moved from a path that matches this glob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// Only deletions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

/// A commit that was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Committed {
    /// Expression for the whole branch name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Expression that the branch name must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_branch: Option<String>,
    /// Expression on the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Expression that the message must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_message: Option<String>,
    /// Expression on the command's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Expression that the command's text must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
}

/// A branch that was created.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BranchedAs {
    /// Expression for the whole name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Expression that the name must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_name: Option<String>,
    /// Expression for the branch that it starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Expression that the start must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_from: Option<String>,
    /// Whether the start was (or was not) brought up to date first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<bool>,
}

/// Something that was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Said {
    /// Who said it.
    pub by: By,
    /// All of these stems within one sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Expression on the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// In how many sentences of one message at least; 0 means 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub least: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Whose words are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The agent.
    #[default]
    Agent,
    /// The agent, at the end of the turn.
    AgentAtEnd,
    /// The person.
    Person,
    /// Either of them.
    Anyone,
}
