//! The command line.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Parser, Subcommand, ValueEnum};
use subcortex_known_agents::{AGENTS, Agent};
use subcortex_loops::check::DEFAULT_MIN_SCORE;
use subcortex_loops::estimate::{DEFAULT_DAYS, MAX_DAYS};
use subcortex_loops::pattern;

/// The words that are our own.
const WORDS: &str = "\
Words:
  home     the folder that everything lives in; `subcortex init` makes it
  memory   memory/CLAUDE.md, the rules that agents are shown (files and code call it the broadcast)
  spine    the event log: what agents and people did, in var/events/
  worker   a folder below subconscious/ with instructions, a schedule and an inbox (also: partition)
  inbox    a worker's queue of tasks
  tick     the beat, once a minute, at which the daemon looks for work; a worker rests a number of ticks between runs
  held     said of a task of which three attempts failed: it is stuck until `subcortex inbox retry`

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
    /// Make a home, or what is missing of one; nothing that is there is changed
    Init(Init),
    /// Take over the rules of a project's CLAUDE.md or AGENTS.md, also of a second project
    Adopt(Adopt),
    /// Say what is going on, what is stuck, and what helps
    Status(Status),
    /// Open the page of the running daemon, and print its link
    Open(Open),
    /// Show the daemon's log
    Log(Log),
    /// Let every worker that has something to do work now
    Tick(Tick),
    /// Show what ran, and what came of it
    Runs(Runs),
    /// Hand a task to a worker
    Drop(Drop),
    /// Show the tasks that wait in the workers' queues, and why; try one again that is held
    Inbox(Inbox),
    /// Stop all work at once, until `resume`
    Pause(Pause),
    /// Let work go on after `pause`
    Resume(Resume),
    /// Show a worker as it is shown to itself: who it is, what it may do, its scratchpad
    Whoami(Whoami),
    /// Show a worker's scratchpad, empty it, or, as that worker, change it
    Scratchpad(Scratchpad),
    /// Say something on the blackboard of a supervised run, or look at it
    Blackboard(Blackboard),
    /// Add an event to the event log
    Event(Event),
    /// Put an agent's old sessions on the spine; what is there already is not stored again
    Import(Import),
    /// Let an agent tell this home what it does, and know the broadcast
    Connect(Connect),
    /// Take back what `connect` changed in an agent's settings
    Disconnect(Connect),
    /// Take what an agent program tells its hook; this is what `connect` puts into the agents' settings
    Hook(Hook),
    /// Look at the event log
    Spine(Spine),
    /// Hold your CLAUDE.md, AGENTS.md or .cursorrules against your agents' sessions; needs no home and changes nothing
    Audit(Audit),
    /// Show in a minute what this is for: a made-up week on a temporary home
    Demo(Demo),
    /// Show how each line of the memory is understood as a test
    Check(Check),
    /// Show the evidence for a line, or what rests on an event or a session
    Why(Why),
    /// Search what is remembered: the broadcast, evidence, dossiers and past turns
    Recall(Recall),
    /// Add, change, remove or list rules of the memory by hand
    Rule(Rule),
    /// Go through the edits of the memory that wait for your yes
    Review(Review),
    /// Show every edit of the memory
    History(Json),
    /// Take an edit of the memory back
    Revert(Revert),
    /// Remove everything from the memory that came from one event or session
    Forget(Forget),
    /// Take over a rule that a person asked for, with their own words: for agents
    Remember(Remember),
    /// Print what can be counted, in the text format of Prometheus
    Metrics,
    /// Serve agents over MCP on standard input and output
    Mcp,
    /// Make, check and estimate loops: scheduled work in a repository, in `.loops/`; needs no home
    Loop(Loop),
    /// Look the home over and say what is wrong and what to do
    Doctor(Json),
    /// Run as a systemd service
    Service(Service),
    /// Print the completions for a shell: also of workers, edits, runs and proposals
    Completions(Completions),
    /// What a shell may complete; called by the scripts that `completions` prints
    #[command(name = "complete", hide = true)]
    Complete(Complete),
    /// Print the manual page: `subcortex man | man -l -`
    Man(Man),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Status {
    /// Print one JSON document
    #[arg(long, conflicts_with = "watch")]
    pub(crate) json: bool,
    /// Show it again every second
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Open {
    /// Only print the link; whoever has it can see and change everything in this home
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// Only this line, such as `L12`
    pub(crate) line: Option<String>,
    /// Look at this rules file instead of the home's memory/CLAUDE.md
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Leave the temporary home there to look around in
    #[arg(long)]
    pub(crate) keep: bool,
    /// Show it on a page, too, also when no terminal is there, until the input ends
    #[arg(long, conflicts_with = "no_open")]
    pub(crate) open: bool,
    /// Only tell it here, without a page
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Why {
    /// A line such as `L12`, or a session or event (`evt_…`), also shortened as `audit` shows it
    pub(crate) what: String,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Remember {
    /// The rule, in one plain sentence
    pub(crate) rule: String,
    /// The session in which the person said it
    #[arg(long)]
    pub(crate) session: String,
    /// Their words, verbatim; what nobody said there is refused
    #[arg(long, value_name = "TEXT")]
    pub(crate) quote: String,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Recall {
    /// What to look for
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How many answers to show
    #[arg(short = 'k', long = "limit", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Review {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<ReviewCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Make the edit
    Accept {
        /// Its name, or enough of its beginning
        proposal: String,
        /// In these words instead of its own
        #[arg(long, value_name = "TEXT")]
        words: Option<String>,
    },
    /// Drop it for good: the same wish does not come back, in whatever words
    Reject {
        /// Its name, or enough of its beginning
        proposal: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Rule {
    #[command(subcommand)]
    pub(crate) command: RuleCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RuleCommand {
    /// Add a rule
    Add {
        /// The rule, in one plain sentence of at most 200 characters
        text: String,
        /// Only for this project [default: everywhere]
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Give a rule other words
    Edit {
        /// Its line, such as `L12`
        line: String,
        /// The new words
        text: String,
        /// Only if it is a rule of this project
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Take a rule out
    Remove {
        /// Its line, such as `L12`
        line: String,
        /// Only if it is a rule of this project
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// List the rules with their lines
    List {
        /// Only those that hold in this project: its own, and those for everywhere
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Revert {
    /// Its name, as `subcortex history` shows it, or enough of its beginning
    pub(crate) edit: String,
    /// Only this change of it, by the number that `subcortex history` shows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) change: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Forget {
    /// The event (`evt_…`) or the session: its whole name, or at least 8 characters of its beginning
    #[arg(long, value_name = "EVENT_OR_SESSION")]
    pub(crate) origin: String,
    /// Only say what would go
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Audit {
    /// The rules file; the sessions are those of its folder, of folders below it, and of its worktrees
    pub(crate) file: PathBuf,
    /// Take all sessions below this folder instead of looking where the agents keep them
    #[arg(long, value_name = "DIR")]
    pub(crate) transcripts: Option<PathBuf>,
    /// Only what happened in the last so many days
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) since: Option<u32>,
    /// Have the rules read by a model first: every rule once, within the budget of the home
    #[arg(long, value_name = "ENGINE", value_parser = ["claude", "codex", "api"])]
    pub(crate) engine: Option<String>,
    /// Write the report as one page that needs nothing else; an older report there is replaced, anything else is not
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Loop {
    #[command(subcommand)]
    pub(crate) command: LoopCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoopCommand {
    /// Make a new loop from a pattern; a folder that holds something is left alone
    Scaffold(LoopScaffold),
    /// Say whether a loop's config is fit to run: 0 ready, 10 not ready, 2 missing or unreadable
    Check(LoopCheck),
    /// Say whether a loop would really run here: its programs, git, its engine, its kill switch, its budget
    Doctor(LoopDoctor),
    /// Run a loop now, whatever its cadence: 0 its result stands, 1 a gate stopped it, 3 it waits or is not finished, 5 paused
    Run(LoopRun),
    /// List the loops of the settings and of the repository around here: tier, readiness, last run, next, held, spend
    List(LoopList),
    /// Say how often a loop runs, what that costs, what would make it cheaper, and what its runs really used
    Estimate(LoopEstimate),
    /// Say whether only a person may do what a command does; an agent's program asks before each (the call as JSON on standard input): 0 no, 2 yes
    #[command(hide = true)]
    Judge,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopScaffold {
    /// The loop's name, for `.loops/NAME` of the repository around here, or its folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: PathBuf,
    /// What kind of loop [default: the one that is called like the loop, else custom]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(pattern::names()))]
    pub(crate) pattern: Option<String>,
    /// Only show what would be made
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopRun {
    /// The loop's name, in the repository around here, or its folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopList {
    /// Another repository, or a loop by its name or folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopDoctor {
    /// The loop's name, in the repository around here, or its folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopEstimate {
    /// The loop's name, in the repository around here, or its folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: PathBuf,
    /// Over how many days from now
    #[arg(long, default_value_t = DEFAULT_DAYS, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DAYS)))]
    pub(crate) days: u32,
    /// What a run reads [default: assumed to be 40000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) input_tokens: Option<u64>,
    /// What a run writes [default: its `budget_tokens`]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) output_tokens: Option<u64>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopCheck {
    /// The loop's name, in the repository around here, or its folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: PathBuf,
    /// Count warnings like errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// The score from which on it is ready
    #[arg(long, value_name = "SCORE", default_value_t = DEFAULT_MIN_SCORE, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) min: u32,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    /// Go on showing lines as they come
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// How many lines to show first
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(crate) lines: usize,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Tick {
    /// Only this worker, and now, however long it would have rested
    #[arg(long, value_name = "WORKER")]
    pub(crate) partition: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Runs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// How many runs to show, newest first
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(crate) lines: usize,
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Show everything about one run
    Show {
        /// Its id, or enough of its beginning
        id: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Drop {
    /// Whose task it is; `inbox` is the shared queue, where the marker in front of the task decides
    #[arg(value_name = "WORKER")]
    pub(crate) partition: String,
    /// The file with the task; `-` reads it from standard input
    pub(crate) file: PathBuf,
    /// The task's name [default: the file's name, or one that is made up]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Wait for the result and print it; a worker that rests is asked to run now
    #[arg(long)]
    pub(crate) wait: bool,
    /// Wait no longer than this; the task stays in the queue
    #[arg(long, value_name = "SECONDS", requires = "wait")]
    pub(crate) timeout: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Inbox {
    /// Only this worker; `inbox` is the shared queue
    #[arg(value_name = "WORKER")]
    pub(crate) partition: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<InboxCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum InboxCommand {
    /// Let a held task be tried again
    Retry {
        /// Whose task it is
        #[arg(value_name = "WORKER")]
        partition: String,
        /// Its name
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Pause {
    /// Only this worker
    #[arg(value_name = "WORKER")]
    pub(crate) partition: Option<String>,
    /// Why; `status` shows it to whoever wonders
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Resume {
    /// Only this worker
    #[arg(value_name = "WORKER")]
    pub(crate) partition: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Whoami {
    /// Its name
    pub(crate) worker: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Scratchpad {
    #[command(subcommand)]
    pub(crate) command: ScratchpadCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ScratchpadCommand {
    /// Print the free text
    Show {
        /// Its name
        worker: String,
    },
    /// Replace the free text; needs the worker's own $SUBCORTEX_TOKEN
    Set {
        /// Its name
        worker: String,
        /// The new text; `-` reads it from standard input
        #[arg(default_value = "-")]
        text: String,
    },
    /// Empty it, as a person; what it held is kept as a snapshot
    Reset {
        /// Its name
        worker: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Blackboard {
    #[command(subcommand)]
    pub(crate) command: BlackboardCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BlackboardCommand {
    /// Append an entry; a refused one leaves no trace and exits with 2
    Append {
        /// The thread
        thread: String,
        /// supervisor, worker or user; inside a run its token says it
        #[arg(long)]
        role: Option<String>,
        /// Your id; inside a run its token says it
        #[arg(long = "as", value_name = "ID")]
        id: Option<String>,
        /// The entry: `kind` and its fields; `-` reads it from standard input
        entry_json: String,
    },
    /// Show what was appended, and what it comes to
    Read {
        /// The thread
        thread: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show a thread as it grows
    Watch {
        /// The thread
        thread: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Service {
    #[command(subcommand)]
    pub(crate) command: ServiceCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Print the unit
    Print(ServiceKind),
    /// Put the unit in its place, and say what to run next
    Install(ServiceKind),
    /// Remove the unit again
    Uninstall(ServiceKind),
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ServiceKind {
    /// For your own user's manager, instead of a template for the whole machine
    #[arg(long)]
    pub(crate) user: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// Take over the rules of this file as the first memory
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Adopt {
    /// The rules file
    pub(crate) file: PathBuf,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Json {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Event {
    #[command(subcommand)]
    pub(crate) command: EventCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventCommand {
    /// Append one event and print its id
    Add(EventAdd),
}

#[derive(Debug, clap::Args)]
pub(crate) struct EventAdd {
    /// Who hands it over, such as `claude`; the kinds that subcortex uses itself are never evidence
    #[arg(long)]
    pub(crate) kind: String,
    /// What happened, such as `channel.message`; a message that is added in an agent's own shell is never a person's words
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) event_type: String,
    /// The sender's own name
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The conversation it belongs to
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The turn within the conversation
    #[arg(long)]
    pub(crate) turn: Option<String>,
    /// The project folder it happened in
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// When it happened, in RFC 3339 [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) ts: Option<jiff::Timestamp>,
    /// Makes a second report of the same thing recognisable
    #[arg(long, value_name = "ID")]
    pub(crate) source_id: Option<String>,
    #[command(flatten)]
    pub(crate) content: EventContent,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct EventContent {
    /// What was said
    #[arg(long)]
    pub(crate) text: Option<String>,
    /// What was said or done, as a JSON object; `-` reads it from standard input
    #[arg(long, value_name = "JSON")]
    pub(crate) payload: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// Whose sessions they are; `auto` takes what there is of every agent
    pub(crate) agent: ImportFrom,
    /// Session files, or folders of them: `.jsonl` and `.jsonl.zst` [default: where the agent keeps them]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only sessions of this project: started in this folder, below it, or in a worktree of it
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// The name of an agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AgentName(pub(crate) &'static Agent);

impl ValueEnum for AgentName {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<AgentName>> =
            LazyLock::new(|| AGENTS.iter().map(|agent| AgentName(agent)).collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let Agent { name, title, config_dir, sessions, .. } = self.0;
        let folder = sessions.folders.first().copied().unwrap_or_default();
        let help = format!("{title}, by default `~/{}/{folder}`", config_dir.usual);
        Some(PossibleValue::new(*name).help(help))
    }
}

/// Whose sessions are imported.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ImportFrom {
    /// Those of every agent that has any.
    Auto,
    /// Those of one.
    Agent(&'static Agent),
}

impl ValueEnum for ImportFrom {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<ImportFrom>> = LazyLock::new(|| {
            let agents = AGENTS.iter().map(|agent| ImportFrom::Agent(agent));
            std::iter::once(ImportFrom::Auto).chain(agents).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Auto => Some(PossibleValue::new("auto").help("every agent whose sessions are found")),
            Self::Agent(agent) => AgentName(agent).to_possible_value(),
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Connect {
    /// Which agent
    pub(crate) agent: AgentName,
    /// Make the changes without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Hook {
    /// What happened, such as `PostToolUse`; the rest comes as JSON on standard input
    pub(crate) event: String,
    /// Whose hook it is [default: what the input looks like]
    #[arg(long)]
    pub(crate) agent: Option<AgentName>,
    /// At the start of a session, answer with the broadcast, so that the agent knows it
    #[arg(long)]
    pub(crate) inject: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Spine {
    #[command(subcommand)]
    pub(crate) command: SpineCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SpineCommand {
    /// Show the newest events
    Tail(Tail),
    /// Print all events as they stand in the log, also those of compressed days
    Cat(Filter),
    /// Check every record of the log
    Verify(Json),
    /// Count what is in the log
    Stats(Json),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Tail {
    #[command(flatten)]
    pub(crate) filter: Filter,
    /// Go on showing events as they come
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// How many events to show first
    #[arg(short = 'n', long, default_value_t = 10)]
    pub(crate) lines: usize,
    /// Print each event as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Filter {
    /// Only events of this source kind
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Only events of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) event_type: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The command whose page it is, such as `spine tail` [default: all of subcortex]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Complete {
    /// The words of the command line so far, the program's name first; the last is the one that is being typed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}
