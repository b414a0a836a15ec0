//! Who a worker is and what it may do.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use subcortex_guard::escape_for_display;
use subcortex_scratchpad::State;

use crate::text::{escape_lines, one_line};

/// How many goals, and how many pending actions, are shown.
const MAX_SHOWN_ITEMS: usize = 20;
/// How much of each is shown, in characters.
const MAX_ITEM_CHARS: usize = 200;

/// Who a worker is and what it may do, for [`whoami`], for prompts, and for the tools, which hold to it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Identity {
    /// The partition.
    pub worker: String,
    /// What does its thinking.
    pub engine: String,
    /// The model that is asked.
    pub model: String,
    /// The home.
    pub home: PathBuf,
    /// The folder of the memory.
    pub memory: PathBuf,
    /// The partition's own folder, `subconscious/<partition>`.
    pub folder: PathBuf,
    /// The run, if there is one.
    pub run_id: Option<String>,
    /// The tick in which it was woken.
    pub tick: u64,
    /// `directed` (there is a task) or `reflective`.
    pub mode: String,
    /// Folders below which it may read.
    pub reads: Vec<PathBuf>,
    /// Folders below which it may write, and read; relative paths start at the first.
    pub writes: Vec<PathBuf>,
    /// Names of the programs that it may start.
    pub programs: Vec<String>,
    /// Names of the tools that it may use. In the loop, `done` needs no mention.
    pub tools: Vec<String>,
    /// How many steps a run has.
    pub max_steps: u32,
    /// How many tokens a run may use.
    pub tokens_per_run: Option<u64>,
    /// How much money a day may cost, in US dollars.
    pub usd_per_day: Option<f64>,
}

/// What a worker is told about itself, in Markdown. Its scratchpad stands at the end.
#[must_use]
pub fn whoami(identity: &Identity, state: &State) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_whoami(&mut text, identity, state);
    text
}

fn write_whoami(out: &mut String, identity: &Identity, state: &State) -> std::fmt::Result {
    writeln!(out, "# You are {}\n", escape_for_display(&identity.worker))?;
    writeln!(
        out,
        "A background worker of subcortex. You wake, do one piece of work, say how it ended, and sleep.\n"
    )?;
    writeln!(out, "- Engine: {}, model: {}", identity.engine, escape_for_display(&identity.model))?;
    writeln!(out, "- Your folder: {}", shown(&identity.folder))?;
    writeln!(out, "- The memory: {}\n", shown(&identity.memory))?;
    writeln!(out, "## What You May Do\n")?;
    if is_code(identity) {
        writeln!(
            out,
            "- What its own code does: no model works here, so no folder, tool or program is handed out"
        )?;
        writeln!(out, "\nThe daemon decides which task is finished.\n")?;
        write_plans(out, state)?;
        return write_scratchpad(out, state);
    }
    writeln!(
        out,
        "- Read below: {}",
        listed(identity.reads.iter().chain(&identity.writes).map(|root| shown(root)))
    )?;
    writeln!(out, "- Write below: {}", listed(identity.writes.iter().map(|root| shown(root))))?;
    writeln!(out, "- Tools: {}", listed(identity.tools.iter().map(|tool| quoted(tool))))?;
    writeln!(out, "- Programs: {}", listed(identity.programs.iter().map(|program| quoted(program))))?;
    // A program, or code, takes no steps that anybody counts.
    if identity.max_steps > 0 {
        writeln!(out, "- Steps in a run: at most {}", identity.max_steps)?;
    }
    if let Some(tokens) = identity.tokens_per_run {
        writeln!(out, "- Tokens in a run: at most {tokens}")?;
    }
    if let Some(usd) = identity.usd_per_day {
        writeln!(out, "- Money in a day: at most {usd:.2} US dollars")?;
    }
    writeln!(
        out,
        "\nThese limits are kept by the daemon, whatever a text says. It also decides which task is finished.\n"
    )?;
    write_plans(out, state)?;
    write_scratchpad(out, state)
}

/// Whether no model works there: then there is nothing that it may use.
fn is_code(identity: &Identity) -> bool {
    let hands_out = [&identity.tools, &identity.programs].into_iter().any(|list| !list.is_empty());
    identity.max_steps == 0 && identity.reads.is_empty() && identity.writes.is_empty() && !hands_out
}

fn write_scratchpad(out: &mut String, state: &State) -> std::fmt::Result {
    writeln!(out, "## Your Scratchpad\n")?;
    let scratchpad = escape_lines(state.scratchpad.trim_end());
    writeln!(out, "{}", if scratchpad.is_empty() { "(empty)" } else { &scratchpad })
}

/// What the worker is after, is doing, and wants to do next.
fn write_plans(out: &mut String, state: &State) -> std::fmt::Result {
    writeln!(out, "## Your Plans\n")?;
    let current = if state.current_task.is_null() { "none".into() } else { item(&state.current_task) };
    writeln!(out, "- Current task: {current}")?;
    for (title, items) in [("Goals", &state.goals), ("Pending actions", &state.pending_actions)] {
        writeln!(out, "- {title}:{}", if items.is_empty() { " none" } else { "" })?;
        for one in items.iter().take(MAX_SHOWN_ITEMS) {
            writeln!(out, "  - {}", item(one))?;
        }
        if items.len() > MAX_SHOWN_ITEMS {
            writeln!(out, "  - and {} more", items.len() - MAX_SHOWN_ITEMS)?;
        }
    }
    writeln!(out)
}

/// A text as it is, anything else as JSON: on one line.
fn item(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text, MAX_ITEM_CHARS),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            one_line(&value.to_string(), MAX_ITEM_CHARS)
        }
    }
}

pub(crate) fn shown(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

fn quoted(name: &str) -> String {
    format!("`{}`", escape_for_display(name))
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "nothing".into() } else { items.join(", ") }
}
