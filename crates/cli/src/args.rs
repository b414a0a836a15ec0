//! The command line: how all commands are called stands here, what each takes in the file of its group.

mod events;
mod looking;
mod loops;
mod memory;
mod setup;
mod workers;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub(crate) use events::{
    AgentName, Connect, Event, EventAdd, EventCommand, EventContent, Filter, Hook, Import, ImportFrom, Spine,
    SpineCommand, Tail,
};
pub(crate) use looking::{Log, Open, Runs, RunsCommand, Status};
pub(crate) use loops::{Loop, LoopCheck, LoopCommand, LoopEstimate, LoopList, LoopScaffold, LoopTarget};
pub(crate) use memory::{
    Audit, Check, Forget, Recall, Remember, Revert, Review, ReviewCommand, Rule, RuleCommand, Why,
};
pub(crate) use setup::{Adopt, Complete, Completions, Demo, Init, Man, Service, ServiceCommand, ServiceKind};
pub(crate) use workers::{
    Blackboard, BlackboardCommand, Drop, Inbox, InboxCommand, Pause, Resume, Scratchpad, ScratchpadCommand,
    Tick, Whoami,
};

/// The words that are our own.
const WORDS: &str = "\
Words:
  home     the folder that everything lives in; `subcortex init` makes it
  memory   memory/CLAUDE.md, the rules that agents are shown (files and code call it the broadcast)
  spine    the event log: what agents and people did, in var/events/
  worker   a folder below subconscious/ with instructions, a schedule and an inbox (also: partition)
  inbox    a worker's queue of tasks
  tick     the daemon's beat, once a minute, at which it looks for work; cooldowns count ticks
  held     a task that failed three times: it waits until you run `subcortex inbox retry`

First steps: subcortex demo · subcortex init · subcortex run";

/// Background memory for coding agents: reads what agents and people really did, tests every line of the
/// memory file against it, and lets each line earn its place.
#[derive(Debug, Parser)]
#[command(name = "subcortex", version, max_term_width = 100, after_help = WORDS)]
pub(crate) struct Args {
    /// The folder that subcortex lives in [default: $SUBCORTEX_HOME, else ~/.subcortex]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) home: Option<PathBuf>,
    /// What to do [default: this help; where --home or $SUBCORTEX_HOME names a home: run]
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the daemon in the foreground
    Run,
    /// Create a home, or add what is missing in one; existing files are not changed
    Init(Init),
    /// Copy the rules of a project's CLAUDE.md or AGENTS.md into the memory
    Adopt(Adopt),
    /// Show what is running, what is stuck, and how to fix it
    Status(Status),
    /// Open the daemon's page in a browser, and print its link
    Open(Open),
    /// Show the daemon's log
    Log(Log),
    /// Run every worker that has work now, ignoring cooldowns
    Tick(Tick),
    /// List past runs and their results
    Runs(Runs),
    /// Give a task to a worker
    Drop(Drop),
    /// List waiting tasks and why they wait; retry one that is held
    Inbox(Inbox),
    /// Stop all work at once, until `resume`
    Pause(Pause),
    /// Resume work after `pause`
    Resume(Resume),
    /// Show what a worker is told about itself: its identity, its permissions, its scratchpad
    Whoami(Whoami),
    /// Show or reset a worker's scratchpad; only the worker itself can set it
    Scratchpad(Scratchpad),
    /// Read the blackboard of a supervised run, or append to it
    Blackboard(Blackboard),
    /// Add an event to the event log
    Event(Event),
    /// Import an agent's past sessions into the event log; duplicates are skipped
    Import(Import),
    /// Connect an agent: its hooks report to this home, and it is shown the memory
    Connect(Connect),
    /// Undo what `connect` changed in an agent's settings
    Disconnect(Connect),
    /// Receive a hook call from an agent; `connect` puts this command into the agent's settings
    Hook(Hook),
    /// Inspect the event log
    Spine(Spine),
    /// Check your CLAUDE.md, AGENTS.md or .cursorrules against your agents' past sessions; needs no home and changes nothing
    Audit(Audit),
    /// See in a minute what this is for: a made-up week in a temporary home
    Demo(Demo),
    /// Show how each rule of the memory is understood as a test
    Check(Check),
    /// Show the evidence for a line or an edit, or what rests on an event or a session
    Why(Why),
    /// Search the memory, its evidence, its dossiers and past turns
    Recall(Recall),
    /// Add, change, remove or list rules by hand
    Rule(Rule),
    /// Review proposed edits of the memory, and accept or reject each
    Review(Review),
    /// List every edit of the memory
    History(Json),
    /// Undo an edit of the memory
    Revert(Revert),
    /// Remove everything from the memory that came from one event or session
    Forget(Forget),
    /// Add a rule that a person asked for, with their words as proof; used by agents
    Remember(Remember),
    /// Print metrics in the Prometheus text format
    Metrics,
    /// Serve agents over MCP on standard input and output
    Mcp,
    /// Create, check, run and estimate loops: scheduled work in a repository, defined in `.loops/`
    Loop(Loop),
    /// Check the home for problems and say how to fix them
    Doctor(Json),
    /// Install, print or remove a systemd service
    Service(Service),
    /// Print shell completions, which also complete workers, edits, runs and proposals
    Completions(Completions),
    /// What a shell may complete; called by the scripts that `completions` prints
    #[command(name = "complete", hide = true)]
    Complete(Complete),
    /// Print the manual page: `subcortex man | man -l -`
    Man(Man),
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Json {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
