//! The definition of a partition: the frontmatter of its `CLAUDE.md`, typed and checked.
//!
//! ```yaml
//! schedule: { enabled: true, cooldown_ticks: 5, max_duration_ms: 1800000, wake_on: [inbox, events], max_tasks_per_run: 20 }
//! engine: builtin            # builtin | command | api | claude | codex
//! command: [./work.sh]       # for engine command
//! model: inherit             # for engines that have one
//! consumes: ["memory:*"]     # markers of tasks that it takes from the shared inbox
//! inbox: local               # or fleet: shared with other machines, see `fleet` in the settings
//! budget: { tokens_per_run: 50000, usd_per_day: 1.00 }
//! agent: { max_iterations: 5, max_turns: 20, tools: [Read, Glob, Grep], shell: [git], roots: [/srv/notes], reads: [var/events] }
//! ```
//!
//! - Every key may be missing, and so may the whole frontmatter: the defaults are the constants below.
//! - `cron: "30 2 * * *"`, with `tz: Europe/Berlin` or the local zone, may stand instead of `cooldown_ticks`.
//!   Such a partition wakes at those times; unless `wake_on` says otherwise it then runs with or without tasks.
//! - `wake_on` lists `inbox`, `events`, `tick` and `changed: <glob>` (files below the home).
//! - `blackboard: { role: worker, thread: research-1 }` gives it a place in a supervised run: `supervisor` or `worker`.
//! - `agent` is for engines with a model: `max_iterations` and `shell` (programs that its tool of that name may start) for
//!   `api`, `max_turns` and `tools` for `claude` and `codex`, `roots` (folders that it may write to besides its own
//!   `files/`; absolute, or below the home) and `reads` (folders that it may read besides the memory) for all of them.
//! - Unknown keys and values that cannot be meant are refused, with their position and what to write instead.

use std::sync::Arc;

use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde::Deserialize;
use subcortex_yaml::{Problem, frontmatter};

use subcortex_blackboard::{Role, ThreadId};

use crate::Cron;

mod written;

/// How many ticks a partition rests after a run, if its definition does not say.
pub const DEFAULT_COOLDOWN_TICKS: u64 = 1;
/// How long a run may take, if its definition does not say.
pub const DEFAULT_MAX_DURATION_MS: u64 = 60_000;
/// The longest time that a definition may give a run: 7 days.
pub const MAX_DURATION_MS: u64 = 7 * 24 * 60 * 60 * 1000;
/// How many tasks a run takes, if its definition does not say.
pub const DEFAULT_TASKS_PER_RUN: usize = 20;
/// How many steps an agent loop takes, if its definition does not say.
pub const DEFAULT_MAX_ITERATIONS: u32 = 5;
/// The most steps that a definition may give an agent loop.
pub const MAX_ITERATIONS: u32 = 100;
/// How many turns an agent's own program takes, if its definition does not say.
pub const DEFAULT_MAX_TURNS: u32 = 20;
/// The most turns that a definition may give an agent's own program.
pub const MAX_TURNS: u32 = 500;
/// The most tasks that a definition may give a run.
pub const MAX_TASKS_PER_RUN: usize = 1_000;

/// What a partition is, as its person wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// When it runs.
    pub schedule: Schedule,
    /// What does its thinking.
    pub engine: Engine,
    /// The model, for engines that have one; `inherit` leaves the choice to the engine's own settings.
    pub model: String,
    /// Markers of tasks that it takes from the shared inbox, such as `memory:*`.
    pub consumes: Vec<String>,
    /// Where its tasks come from.
    pub inbox: InboxPlace,
    /// What it may spend.
    pub budget: Budget,
    /// Its place on a blackboard, if it has one.
    pub blackboard: Option<Seat>,
    /// What a model may do in it.
    pub agent: AgentLimits,
}

/// Where the tasks of a partition come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InboxPlace {
    /// From this home alone.
    #[default]
    Local,
    /// From all machines of the fleet, whoever takes one first.
    Fleet,
}

/// What a model may do in a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLimits {
    /// Steps of the agent loop.
    pub max_iterations: u32,
    /// Turns of an agent's own program.
    pub max_turns: u32,
    /// Tools of an agent's own program.
    pub tools: Vec<String>,
    /// Programs that the agent loop may start, by name.
    pub shell: Vec<String>,
    /// Folders that it may write to besides its own: absolute, or below the home.
    pub roots: Vec<String>,
    /// Folders that it may read besides the memory and its own: absolute, or below the home.
    pub reads: Vec<String>,
}

impl Default for AgentLimits {
    fn default() -> Self {
        AgentLimits {
            max_iterations: DEFAULT_MAX_ITERATIONS,
            max_turns: DEFAULT_MAX_TURNS,
            tools: ["Read", "Glob", "Grep"].map(String::from).into(),
            shell: Vec::new(),
            roots: Vec::new(),
            reads: Vec::new(),
        }
    }
}

/// A partition's place on a blackboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// What it is there.
    pub role: Role,
    /// On which one.
    pub thread: ThreadId,
}

/// When a partition runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// Whether it runs by itself at all.
    pub enabled: bool,
    /// What must pass between two runs.
    pub rest: Rest,
    /// The hard deadline of a run.
    pub max_duration_ms: u64,
    /// What gives it something to do.
    pub wake_on: WakeOn,
    /// How many tasks a run takes at most.
    pub max_tasks_per_run: usize,
}

/// What must pass between two runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Rest {
    /// A number of ticks after the tick in which the last run ended; 0 is no rest.
    Ticks(u64),
    /// The next time of a pattern.
    Cron(Arc<Cron>),
}

/// What gives a partition something to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WakeOn {
    /// A task that is neither held nor refused.
    pub inbox: bool,
    /// External events that it has not seen.
    pub events: bool,
    /// Every tick.
    pub tick: bool,
    /// Changes of files below the home that match one of these.
    pub changed: Vec<String>,
}

/// What thinks in a run: a name, and for a program of the user's how it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engine {
    name: &'static str,
    argv: Vec<String>,
}

impl Engine {
    /// The workers that ship.
    pub const BUILTIN: Engine = Engine::named("builtin");

    /// The engine of this name.
    pub const fn named(name: &'static str) -> Engine {
        Engine { name, argv: Vec::new() }
    }

    /// A program of the user's and its arguments; never empty.
    pub fn command(argv: Vec<String>) -> Engine {
        Engine { name: "command", argv }
    }

    /// Its name in definitions and records.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The program and its arguments; empty for all engines but `command`.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }
}

/// What a partition may spend; `None` is no limit of its own.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Tokens in one run.
    pub tokens_per_run: Option<u64>,
    /// Money in one day.
    #[serde(deserialize_with = "written::money")]
    pub usd_per_day: Option<f64>,
}

/// Where time zones come from. The edge of the program hands them in, so that nothing here looks around.
#[derive(Debug, Clone)]
pub struct Zones {
    /// Finds a zone by its name.
    pub database: TimeZoneDatabase,
    /// The zone of a pattern that names none.
    pub local: TimeZone,
}

impl Default for Definition {
    fn default() -> Self {
        Definition {
            schedule: Schedule {
                enabled: true,
                rest: Rest::Ticks(DEFAULT_COOLDOWN_TICKS),
                max_duration_ms: DEFAULT_MAX_DURATION_MS,
                wake_on: WakeOn { inbox: true, ..WakeOn::default() },
                max_tasks_per_run: DEFAULT_TASKS_PER_RUN,
            },
            engine: Engine::BUILTIN,
            model: "inherit".into(),
            consumes: Vec::new(),
            inbox: InboxPlace::Local,
            budget: Budget::default(),
            blackboard: None,
            agent: AgentLimits::default(),
        }
    }
}

impl Definition {
    /// The longest file with one that is read, in bytes.
    pub const MAX_BYTES: u64 = 1024 * 1024;

    /// Reads a partition's `CLAUDE.md`: the definition, which may name these engines, and the prompt below it.
    pub fn parse<'a>(
        text: &'a str,
        engines: &[&'static str],
        zones: &Zones,
    ) -> Result<(Definition, &'a str), Problem> {
        let (front, prompt) = frontmatter::split(text)?;
        let Some(front) = front else { return Ok((Definition::default(), prompt)) };
        match subcortex_yaml::from_str(front.yaml)
            .and_then(|written| written::assemble(front.yaml, written, engines, zones))
        {
            Ok(definition) => Ok((definition, prompt)),
            Err(mut problem) => {
                problem.line = problem.line.map(|line| line + front.first_line - 1);
                Err(problem)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGINES: [&str; 3] = ["builtin", "command", "steam"];

    fn zones() -> Zones {
        Zones { database: TimeZoneDatabase::bundled(), local: TimeZone::UTC }
    }

    fn parse(yaml: &str) -> Result<Definition, Problem> {
        let text = format!("---\n{yaml}\n---\nDo the work.\n");
        Definition::parse(&text, &ENGINES, &zones()).map(|(definition, prompt)| {
            assert_eq!(prompt, "Do the work.\n");
            definition
        })
    }

    #[track_caller]
    fn refuses(yaml: &str, expect: &str) {
        let said = parse(yaml).expect_err(yaml).at("CLAUDE.md");
        assert!(said.starts_with(expect), "{said}");
    }

    #[test]
    fn the_example_of_the_header_is_read() {
        let yaml = "schedule: { enabled: true, cooldown_ticks: 5, max_duration_ms: 1800000, wake_on: [inbox, events], max_tasks_per_run: 20 }\n\
                    engine: command\ncommand: [./work.sh, -v]\nmodel: inherit\nconsumes: [\"memory:*\"]\n\
                    budget: { tokens_per_run: 50000, usd_per_day: 1.00 }";
        let definition = parse(yaml).expect("good");
        assert_eq!(definition.schedule.rest, Rest::Ticks(5));
        assert_eq!(definition.schedule.max_duration_ms, 1_800_000);
        assert_eq!(definition.schedule.wake_on, WakeOn { inbox: true, events: true, ..WakeOn::default() });
        assert_eq!(definition.engine, Engine::command(vec!["./work.sh".into(), "-v".into()]));
        assert_eq!(definition.consumes, ["memory:*"]);
        assert_eq!(definition.budget, Budget { tokens_per_run: Some(50_000), usd_per_day: Some(1.0) });
    }

    #[test]
    fn a_prompt_without_frontmatter_or_with_an_empty_one_has_the_defaults() {
        let (definition, prompt) = Definition::parse("Just a prompt.\n", &ENGINES, &zones()).expect("good");
        assert_eq!((definition, prompt), (Definition::default(), "Just a prompt.\n"));
        assert_eq!(parse("").expect("good"), Definition::default());
        assert_eq!(parse("schedule:").expect("good"), Definition::default());
    }

    #[test]
    fn an_inbox_is_local_or_the_fleet_s() {
        assert_eq!(parse("inbox: fleet").expect("good").inbox, InboxPlace::Fleet);
        assert_eq!(parse("inbox: local").expect("good").inbox, InboxPlace::Local);
        refuses("inbox: redis", "inbox is `redis` at CLAUDE.md:2:8, but it must be one of local, fleet");
    }

    #[test]
    fn globs_and_zero_rest_are_taken() {
        let definition =
            parse("schedule:\n  cooldown_ticks: 0\n  wake_on: [tick, changed: \"memory/**\"]").expect("good");
        assert_eq!(definition.schedule.rest, Rest::Ticks(0));
        assert_eq!(definition.schedule.wake_on.changed, ["memory/**"]);
        assert!(definition.schedule.wake_on.tick && !definition.schedule.wake_on.inbox);
    }

    #[test]
    fn a_cron_pattern_stands_instead_of_the_cooldown() {
        let definition = parse("schedule: { cron: \"30 2 * * *\", tz: Europe/Berlin }").expect("good");
        assert!(matches!(definition.schedule.rest, Rest::Cron(_)));
        assert!(definition.schedule.wake_on.tick, "without `wake_on` it runs with or without tasks");
        let definition = parse("schedule: { cron: \"30 2 * * *\", wake_on: [inbox] }").expect("good");
        assert!(!definition.schedule.wake_on.tick);
    }

    #[test]
    fn a_number_that_cannot_be_meant_is_refused_where_it_stands() {
        refuses(
            "schedule:\n  cooldown_ticks: -1",
            "schedule.cooldown_ticks is -1 at CLAUDE.md:3:19, but it must be",
        );
        refuses(
            "schedule:\n  max_duration_ms: 0",
            "schedule.max_duration_ms is 0 at CLAUDE.md:3:20, but a run needs some time",
        );
        refuses(
            "schedule:\n  max_duration_ms: 99999999999",
            "schedule.max_duration_ms is 99999999999 at CLAUDE.md:3:20, but it must be at most 604800000",
        );
        refuses(
            "schedule:\n  max_tasks_per_run: 0",
            "schedule.max_tasks_per_run is 0 at CLAUDE.md:3:22, but it must be from 1 to 1000",
        );
        refuses(
            "budget:\n  usd_per_day: -1",
            "budget.usd_per_day is -1 at CLAUDE.md:3:16, but it must be 0 or more",
        );
        refuses("budget:\n  usd_per_day: .nan", "budget.usd_per_day is `.nan` at CLAUDE.md:3:16");
    }

    #[test]
    fn an_unknown_word_is_refused_with_its_position() {
        refuses("schedule:\n  cooldown: 5", "unknown key `cooldown` at CLAUDE.md:3:3");
        refuses("engines: builtin", "unknown key `engines` at CLAUDE.md:2:1");
        refuses(
            "engine: gpt",
            "engine is `gpt` at CLAUDE.md:2:9, but it must be one of builtin, command, steam",
        );
        let meant = parse("engine: staem").expect_err("refused").at("CLAUDE.md");
        assert!(meant.ends_with("hint: did you mean `steam`?"), "{meant}");
        assert_eq!(parse("engine: steam").map(|definition| definition.engine), Ok(Engine::named("steam")));
        refuses("schedule: { wake_on: [inbx] }", "schedule.wake_on[0] is `inbx` at CLAUDE.md:2:23");
    }

    #[test]
    fn an_engine_and_its_command_go_together() {
        refuses(
            "engine: command",
            "engine is `command` at CLAUDE.md:2:9, but there is no `command` that says what to start\nhint: write",
        );
        refuses(
            "engine: command\ncommand: []",
            "command is a list at CLAUDE.md:3:10, but it names no program",
        );
        refuses(
            "engine: command\ncommand: [\"\"]",
            "command is a list at CLAUDE.md:3:10, but a program has a name",
        );
        refuses(
            "command: [./work.sh]",
            "command is a list at CLAUDE.md:2:10, but only engine `command` starts one",
        );
    }

    #[test]
    fn a_schedule_that_contradicts_itself_is_refused() {
        refuses(
            "schedule: { cron: \"30 2 * * *\", cooldown_ticks: 5 }",
            "schedule.cron is `\"30 2 * * *\"` at CLAUDE.md:2:19, but `cron` stands instead of `cooldown_ticks`",
        );
        refuses(
            "schedule: { tz: Europe/Berlin }",
            "schedule.tz is `Europe/Berlin` at CLAUDE.md:2:17, but a zone is for",
        );
        refuses(
            "schedule: { cron: \"30 2 * *\" }",
            "schedule.cron is `\"30 2 * *\"` at CLAUDE.md:2:19, but a pattern has five fields",
        );
        refuses(
            "schedule: { cron: \"30 25 * * *\" }",
            "schedule.cron is `\"30 25 * * *\"` at CLAUDE.md:2:19, but its hour `25` cannot be read",
        );
        refuses(
            "schedule: { cron: \"30 2 * * *\", tz: Mars/Olympus }",
            "schedule.tz is `Mars/Olympus` at CLAUDE.md:2:37, but no zone has that name",
        );
        refuses(
            "schedule: { wake_on: [] }",
            "schedule.wake_on is a list at CLAUDE.md:2:22, but nothing would ever",
        );
    }

    #[test]
    fn what_a_model_may_do_is_read_and_bounded() {
        let yaml = "agent: { max_iterations: 3, max_turns: 7, tools: [Read], shell: [git, ls], roots: [/srv/notes, memory/x] }";
        let agent = parse(yaml).expect("good").agent;
        assert_eq!((agent.max_iterations, agent.max_turns), (3, 7));
        assert_eq!((agent.tools, agent.shell), (vec!["Read".into()], vec!["git".into(), "ls".into()]));
        assert_eq!(agent.roots, ["/srv/notes", "memory/x"]);
        refuses(
            "agent: { max_iterations: 0 }",
            "agent.max_iterations is 0 at CLAUDE.md:2:26, but it must be from 1 to 100",
        );
        refuses(
            "agent: { max_turns: 501 }",
            "agent.max_turns is 501 at CLAUDE.md:2:21, but it must be from 1 to 500",
        );
        for program in ["/bin/sh", "../x", "-c"] {
            refuses(&format!("agent: {{ shell: [{program}] }}"), "agent.shell[0] is");
        }
        for root in ["/", "..", "a/../..", ".", "/srv/.."] {
            refuses(&format!("agent: {{ roots: [{root}] }}"), "agent.roots[0] is");
        }
    }

    #[test]
    fn a_place_on_a_blackboard_has_a_role_and_a_thread() {
        let seat = parse("blackboard: { role: supervisor, thread: research-1 }").expect("good").blackboard;
        let seat = seat.expect("there");
        assert_eq!((seat.role, seat.thread.as_str()), (Role::Supervisor, "research-1"));
        assert_eq!(parse("engine: builtin").expect("good").blackboard, None);
        refuses("blackboard: { role: user, thread: t }", "blackboard.role");
        refuses("blackboard: { role: worker }", "the key `thread` is missing below blackboard");
        for thread in ["../x", "a/b", "a..b"] {
            refuses(&format!("blackboard: {{ role: worker, thread: {thread} }}"), "blackboard.thread is");
        }
    }

    #[test]
    fn a_glob_stays_below_the_home() {
        for glob in ["../x", "/etc/passwd", "memory/../../x", ".."] {
            let yaml = format!("schedule: {{ wake_on: [changed: {glob}] }}");
            let place =
                format!("schedule.wake_on[0].changed is `{glob}` at CLAUDE.md:2:32, but it must stay below");
            refuses(&yaml, &place);
        }
    }
}
