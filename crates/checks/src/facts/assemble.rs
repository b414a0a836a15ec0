//! Reads the events of a turn into facts.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use serde_json::Value;
use subcortex_model::{Event, Standing, Turn, Via, command, event_type};

use super::files::{self, Written};
use super::git::{self, Branched, Commit, Push};
use super::line::{CommandLine, Done, Work};
use super::outcome;
use super::shell::{self, Simple};
use super::shell_writes::Base;
use crate::language::CommandEnd;
use crate::text;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// The person, to begin the turn.
    Person,
    /// The person, while the agent was working.
    PersonMeanwhile,
    /// Somebody in a person's place: a script, an option that the agent worded.
    Program,
    /// The agent.
    Agent,
}

/// Something that was said.
#[derive(Debug, Clone)]
pub struct Utterance<'t> {
    /// Index of the event in the turn.
    pub event: usize,
    /// Who spoke.
    pub voice: Voice,
    /// The words.
    pub text: Cow<'t, str>,
    /// Whether they were typed to refuse a tool.
    pub refuses: bool,
    /// The words in lower case, once somebody asked.
    pub(super) lower: OnceLock<String>,
}

impl Utterance<'_> {
    /// Whether the words may hold at least so many of these stems: a quick look that never misses, before the slow one.
    pub(crate) fn may_hold(&self, stems: &[String], least: usize) -> bool {
        let lower = self.lower.get_or_init(|| self.text.to_lowercase());
        stems
            .iter()
            .filter(|stem| lower.contains(text::sure_start(stem)))
            .nth(least.saturating_sub(1))
            .is_some()
    }
}

/// One thing the agent did.
#[derive(Debug, Clone)]
pub struct Act<'t> {
    /// Index of the event in the turn.
    pub event: usize,
    /// Index of the event that answered it.
    pub answer: Option<usize>,
    /// Whether it failed.
    pub failed: bool,
    /// Whether a person refused it: then it was not done.
    pub refused: bool,
    /// How it ended, by its exit and by what its answer says.
    pub outcome: CommandEnd,
    /// What it was.
    pub kind: ActKind<'t>,
}

/// The kinds of things an agent does.
#[derive(Debug, Clone)]
pub enum ActKind<'t> {
    /// One simple command of a shell line.
    Ran(Simple),
    /// A file was changed.
    Wrote(Written),
    /// A file was opened.
    Read(String),
    /// A tool was used; all tool uses appear under this kind too.
    Used(ToolUse<'t>),
    /// A commit was tried.
    Committed(Commit),
    /// A push was tried.
    Pushed(Push),
    /// A branch was created.
    Branched(Branched),
}

/// A tool that was used.
#[derive(Debug, Clone)]
pub struct ToolUse<'t> {
    /// Its name; that of a slash command begins with a slash.
    pub tool: Cow<'t, str>,
    pub(super) input: Option<&'t Value>,
}

impl<'t> ToolUse<'t> {
    /// The tool that an event used.
    pub(super) fn of(event: &'t Event) -> Self {
        Self { tool: Cow::Borrowed(tool_of(event)), input: Some(input_of(event)) }
    }

    /// The texts of what it was given, one a line.
    pub fn input(&self) -> String {
        fn collect(value: &Value, into: &mut String) {
            match value {
                Value::String(text) => {
                    into.push_str(text);
                    into.push('\n');
                }
                Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
                Value::Object(fields) => fields.values().for_each(|item| collect(item, into)),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        let mut texts = String::new();
        self.input.iter().for_each(|input| collect(input, &mut texts));
        texts
    }
}

/// Everything that a turn holds, in order.
#[derive(Debug, Clone)]
pub struct Facts<'t> {
    /// The events, to quote from.
    pub events: &'t [Event],
    /// The project directory.
    pub cwd: Option<Cow<'t, str>>,
    /// What was done, in order.
    pub acts: Vec<Act<'t>>,
    /// Commands that the shell did not know, with the number of acts before each: they were not done.
    pub(crate) unknown: Vec<(usize, Act<'t>)>,
    /// What was said, in order.
    pub said: Vec<Utterance<'t>>,
    /// Whether the branch was brought up to date since a branch was made last; nothing when neither was done.
    pub(crate) fresh: Option<bool>,
    /// Whether the person broke the work off.
    pub interrupted: bool,
    /// Events that refused or failed something, with their text.
    pub failures: Vec<(usize, Cow<'t, str>)>,
}

/// Texts longer than this are read only up to here: nobody words a rule's evidence in the middle of a dump.
const LONGEST_TEXT_BYTES: usize = 256 * 1024;

impl<'t> Facts<'t> {
    /// Extracts the facts of a turn.
    pub fn of(turn: &'t Turn) -> Self {
        let cwd = turn.cwd();
        let answers = answers_by_id(&turn.events);
        let mut facts = Self {
            events: &turn.events,
            cwd: cwd.map(Cow::Borrowed),
            acts: Vec::new(),
            unknown: Vec::new(),
            said: Vec::new(),
            failures: Vec::new(),
            fresh: None,
            interrupted: false,
        };
        let mut work = Work::default();
        for (at, event) in turn.events.iter().enumerate() {
            // What a sub-agent does is the agent's work; what it says is not said to the person.
            let of_subagent = event.payload.get("is_sidechain").and_then(Value::as_bool) == Some(true);
            if of_subagent && !is_deed_of(turn, event) {
                continue;
            }
            match event.event_type.as_str() {
                event_type::CHANNEL_MESSAGE => facts.add_message(at, event),
                event_type::AGENT_RESULT => facts.add_said(at, Voice::Agent, event.text()),
                event_type::AGENT_TOOL_RESULT => facts.add_failure(at, event),
                event_type::CHANNEL_COMMAND => {
                    let kind = event.payload.get(command::FIELD).and_then(Value::as_str);
                    facts.interrupted |= kind == Some(command::INTERRUPT);
                    if kind == Some(command::SHELL) && event.text().is_some_and(pulls) {
                        work.pulled();
                    }
                }
                event_type::AGENT_TOOL_USE => facts.add_tool_use(at, event, cwd, &answers, &mut work),
                _ => {}
            }
        }
        facts.fresh = work.is_fresh();
        facts
    }

    /// The text of the message that opened the turn.
    pub fn message(&self) -> Option<&str> {
        self.said.iter().find(|said| said.event == 0 && said.voice != Voice::Agent).map(|said| &*said.text)
    }

    /// What a tool answered.
    pub fn answer(&self, act: &Act<'_>) -> &'t str {
        act.answer.and_then(|answer| self.events.get(answer)).map_or("", text_of)
    }

    /// About how much text it holds, in bytes.
    pub(crate) fn text_bytes(&self) -> usize {
        const ACT_BYTES: usize = 200;
        let of_act = |act: &Act<'_>| match &act.kind {
            ActKind::Wrote(written) => written.added.len() + written.removed.len() + written.edited.len(),
            ActKind::Ran(simple) => simple.text.len() * 2,
            ActKind::Read(_)
            | ActKind::Used(_)
            | ActKind::Committed(_)
            | ActKind::Pushed(_)
            | ActKind::Branched(_) => 0,
        };
        let acts: usize = self.acts.iter().map(|act| ACT_BYTES + of_act(act)).sum();
        acts + self.said.iter().map(|said| said.text.len()).sum::<usize>()
    }

    /// The last thing that the agent said.
    pub fn final_text(&self) -> Option<&Utterance<'t>> {
        self.said.iter().rev().find(|said| said.voice == Voice::Agent)
    }

    /// The commands, in order.
    pub fn commands(&self) -> impl Iterator<Item = (&Act<'t>, &Simple)> {
        self.acts
            .iter()
            .filter(|act| !act.refused)
            .filter_map(|act| if let ActKind::Ran(simple) = &act.kind { Some((act, simple)) } else { None })
    }

    /// The changed files, in order.
    pub fn writes(&self) -> impl Iterator<Item = (&Act<'t>, &Written)> {
        self.acts.iter().filter(|act| !act.refused).filter_map(|act| {
            if let ActKind::Wrote(written) = &act.kind { Some((act, written)) } else { None }
        })
    }

    fn add_message(&mut self, at: usize, event: &'t Event) {
        let voice = match event.standing() {
            Standing::Words | Standing::Unsigned if at == 0 && event.begins_turn() => Voice::Person,
            Standing::Words | Standing::Unsigned => Voice::PersonMeanwhile,
            Standing::Hearsay | Standing::Nobodys => Voice::Program,
        };
        self.add_said(at, voice, event.text());
        if let Some(said) = self.said.last_mut().filter(|said| said.event == at) {
            said.refuses = matches!(event.via(), Via::Refusal | Via::RefusalText);
        }
    }

    fn add_said(&mut self, event: usize, voice: Voice, text: Option<&'t str>) {
        if let Some(text) = text.map(bounded).filter(|text| !text.trim().is_empty()) {
            self.said.push(Utterance {
                event,
                voice,
                text: Cow::Borrowed(text),
                refuses: false,
                lower: OnceLock::new(),
            });
        }
    }

    fn add_failure(&mut self, at: usize, event: &'t Event) {
        if is_error(event) {
            self.failures.push((at, Cow::Borrowed(text_of(event))));
        }
    }

    fn add_tool_use(
        &mut self,
        at: usize,
        event: &'t Event,
        cwd: Option<&str>,
        answers: &HashMap<&str, usize>,
        work: &mut Work,
    ) {
        let (tool, input) = (tool_of(event), input_of(event));
        let id = event.payload.get("tool_use_id").and_then(Value::as_str).unwrap_or("");
        let answer = answers.get(id).copied();
        let failed = answer.and_then(|answer| self.events.get(answer)).is_some_and(is_error);
        let refused = answer.and_then(|answer| self.events.get(answer)).is_some_and(is_refusal);
        let failed = failed && !refused;
        let answer_text = answer.and_then(|answer| self.events.get(answer)).map_or("", text_of);
        // What a read file or a fetched page says is no outcome.
        let outcome = outcome::of(failed, if is_shell(tool) { answer_text } else { "" });
        let mut add = |kind| self.acts.push(Act { event: at, answer, failed, refused, outcome, kind });
        add(ActKind::Used(ToolUse::of(event)));
        for mut written in
            files::by_tool(tool, input, cwd).into_iter().filter(|written| !files::is_scratch(&written.path))
        {
            written.new = written.whole && !files::was_there(answer_text) && !work.knows(&written.path);
            if !failed && !refused {
                work.wrote(&written.path);
            }
            add(ActKind::Wrote(written));
        }
        if matches!(tool, "Read" | "NotebookRead" | "view" | "read_file")
            && let Some(path) = input.get("file_path").or_else(|| input.get("path")).and_then(Value::as_str)
        {
            let path = files::relative(path, cwd);
            work.opened(&path);
            add(ActKind::Read(path));
        }
        if let Some(command) = input.get("command").and_then(Value::as_str).filter(|_| is_shell(tool)) {
            let base = Base { dir: event.cwd.as_deref(), project: cwd };
            let line = CommandLine { base, failed, answer: answer_text };
            work.enter(event);
            let mut for_nothing;
            let work = if refused {
                for_nothing = work.clone();
                &mut for_nothing
            } else {
                work
            };
            line.read(bounded(command), work, &mut |done, kind| {
                let failed = done != Done::Well;
                let outcome = if failed { CommandEnd::Failed } else { outcome };
                let act = Act { event: at, answer, failed, refused, outcome, kind };
                match done {
                    Done::Well | Done::Badly => self.acts.push(act),
                    Done::Unknown => self.unknown.push((self.acts.len(), act)),
                }
            });
        }
    }
}

/// Whether a command that the person ran themselves brings the branch up to date.
fn pulls(command: &str) -> bool {
    let commands = shell::split(bounded(command));
    commands.iter().filter_map(git::arguments).any(|words| words.first().is_some_and(|word| word == "pull"))
}

fn tool_of(event: &Event) -> &str {
    event.payload.get("tool_name").and_then(Value::as_str).unwrap_or("")
}

fn input_of(event: &Event) -> &Value {
    static NOTHING: Value = Value::Null;
    event.payload.get("input").unwrap_or(&NOTHING)
}

/// What an event says, as far as it is read.
pub(super) fn text_of(event: &Event) -> &str {
    event.text().map_or("", bounded)
}

/// Whether a sub-agent did this within the turn: the record of one that has a file of its own may come late.
fn is_deed_of(turn: &Turn, event: &Event) -> bool {
    let deed =
        matches!(event.event_type.as_str(), event_type::AGENT_TOOL_USE | event_type::AGENT_TOOL_RESULT);
    deed && turn.events.first().is_none_or(|first| event.ts >= first.ts)
}

fn is_shell(tool: &str) -> bool {
    matches!(
        tool,
        "Bash"
            | "bash"
            | "shell"
            | "exec_command"
            | "run_shell_command"
            | "local_shell"
            | "execute_bash"
            | "terminal"
    )
}

fn is_error(event: &Event) -> bool {
    event.payload.get("is_error").and_then(Value::as_bool) == Some(true)
}

/// Whether a person refused the call: then nothing was done.
fn is_refusal(answer: &Event) -> bool {
    answer.payload.get("refused").and_then(Value::as_bool) == Some(true)
        || is_error(answer) && answer.text().is_some_and(|text| REFUSED.is_match(text))
}

text::pattern!(
    REFUSED,
    r"^(?:The user doesn't want to (?:proceed with|take) this (?:tool use|action)|Permission for this tool use was denied|Permission to use \w+ .*has been denied)"
);

fn bounded(text: &str) -> &str {
    if text.len() <= LONGEST_TEXT_BYTES {
        return text;
    }
    let mut end = LONGEST_TEXT_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

fn answers_by_id(events: &[Event]) -> HashMap<&str, usize> {
    let answers =
        events.iter().enumerate().filter(|(_, event)| event.event_type == event_type::AGENT_TOOL_RESULT);
    answers.filter_map(|(at, event)| Some((event.payload.get("tool_use_id")?.as_str()?, at))).collect()
}
