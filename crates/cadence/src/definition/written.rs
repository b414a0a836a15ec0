//! The frontmatter as it is written: each value checked for itself, then one against another.

use std::sync::Arc;

use serde::Deserialize;
use subcortex_blackboard::{Malformed, Role, ThreadId};
use subcortex_yaml::{Problem, Refusal};

use super::{
    AgentLimits, Budget, DEFAULT_COOLDOWN_TICKS, DEFAULT_MAX_DURATION_MS, DEFAULT_MAX_ITERATIONS,
    DEFAULT_MAX_TURNS, DEFAULT_TASKS_PER_RUN, Definition, Engine, InboxPlace, MAX_DURATION_MS,
    MAX_ITERATIONS, MAX_TASKS_PER_RUN, MAX_TURNS, Rest, Schedule, Seat, WakeOn, Zones,
};
use crate::Cron;

/// The longest glob, marker or model name, in bytes.
const MAX_WORD_BYTES: usize = 256;

/// All keys, each of which may be missing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    schedule: WrittenSchedule,
    engine: Word,
    command: Option<Vec<String>>,
    model: Word,
    consumes: Vec<Word>,
    inbox: InboxPlace,
    budget: Budget,
    blackboard: Option<WrittenSeat>,
    agent: WrittenAgent,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSeat {
    role: SeatRole,
    thread: SeatThread,
}

/// A person has no partition, so it is no role of one.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum SeatRole {
    Supervisor,
    Worker,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct SeatThread(ThreadId);

impl TryFrom<String> for SeatThread {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        let refuse = |why: Malformed| Refusal::new(why.to_string()).example("research-1");
        ThreadId::new(&text).map(SeatThread).map_err(refuse)
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct WrittenAgent {
    max_iterations: Option<Iterations>,
    max_turns: Option<MaxTurns>,
    tools: Option<Vec<Word>>,
    shell: Vec<Program>,
    roots: Vec<Root>,
    reads: Vec<Root>,
}

impl Default for Written {
    fn default() -> Self {
        Written {
            schedule: WrittenSchedule::default(),
            engine: Word(Engine::BUILTIN.name().into()),
            command: None,
            model: Word("inherit".into()),
            consumes: Vec::new(),
            inbox: InboxPlace::Local,
            budget: Budget::default(),
            blackboard: None,
            agent: WrittenAgent::default(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenSchedule {
    enabled: bool,
    cooldown_ticks: Option<u32>,
    max_duration_ms: DurationMs,
    wake_on: Option<Vec<Wake>>,
    max_tasks_per_run: TaskCount,
    cron: Option<String>,
    tz: Option<String>,
}

impl Default for WrittenSchedule {
    fn default() -> Self {
        WrittenSchedule {
            enabled: true,
            cooldown_ticks: None,
            max_duration_ms: DurationMs(DEFAULT_MAX_DURATION_MS),
            wake_on: None,
            max_tasks_per_run: TaskCount(DEFAULT_TASKS_PER_RUN),
            cron: None,
            tz: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wake {
    Inbox,
    Events,
    Tick,
    Changed(Glob),
}

#[derive(Deserialize)]
#[serde(try_from = "u64")]
struct DurationMs(u64);

impl TryFrom<u64> for DurationMs {
    type Error = Refusal;

    fn try_from(ms: u64) -> Result<Self, Refusal> {
        match ms {
            0 => Err(Refusal::new("a run needs some time").example(DEFAULT_MAX_DURATION_MS)),
            1..=MAX_DURATION_MS => Ok(DurationMs(ms)),
            _ => Err(Refusal::new(format!("it must be at most {MAX_DURATION_MS}, which is 7 days"))
                .example(MAX_DURATION_MS)),
        }
    }
}

#[derive(Deserialize)]
#[serde(try_from = "usize")]
struct TaskCount(usize);

impl TryFrom<usize> for TaskCount {
    type Error = Refusal;

    fn try_from(count: usize) -> Result<Self, Refusal> {
        match count {
            1..=MAX_TASKS_PER_RUN => Ok(TaskCount(count)),
            _ => Err(Refusal::new(format!("it must be from 1 to {MAX_TASKS_PER_RUN}"))
                .example(DEFAULT_TASKS_PER_RUN)),
        }
    }
}

/// A short piece of text that may stand in a log line.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Word(String);

impl TryFrom<String> for Word {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        if text.trim().is_empty() || text.len() > MAX_WORD_BYTES || text.contains(char::is_control) {
            return Err(Refusal::new(format!("it must be one line of 1 to {MAX_WORD_BYTES} bytes")));
        }
        Ok(Word(text))
    }
}

#[derive(Deserialize)]
#[serde(try_from = "u32")]
struct Iterations(u32);

impl TryFrom<u32> for Iterations {
    type Error = Refusal;

    fn try_from(count: u32) -> Result<Self, Refusal> {
        from_one_to(MAX_ITERATIONS, DEFAULT_MAX_ITERATIONS, count).map(Iterations)
    }
}

#[derive(Deserialize)]
#[serde(try_from = "u32")]
struct MaxTurns(u32);

impl TryFrom<u32> for MaxTurns {
    type Error = Refusal;

    fn try_from(count: u32) -> Result<Self, Refusal> {
        from_one_to(MAX_TURNS, DEFAULT_MAX_TURNS, count).map(MaxTurns)
    }
}

fn from_one_to(max: u32, usual: u32, count: u32) -> Result<u32, Refusal> {
    if (1..=max).contains(&count) {
        return Ok(count);
    }
    Err(Refusal::new(format!("it must be from 1 to {max}")).example(usual))
}

/// A program by its name: where it is, `PATH` says.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Program(String);

impl TryFrom<String> for Program {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        let Word(name) = Word::try_from(text)?;
        if name.contains('/') || name.starts_with(['-', '.']) {
            return Err(Refusal::new("it must be the name of a program, without its folder").example("[git]"));
        }
        Ok(Program(name))
    }
}

/// A folder that a worker may write to.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Root(String);

impl TryFrom<String> for Root {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        let Word(path) = Word::try_from(text)?;
        let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
        if parts.peek().is_none() || parts.any(|part| part == ".." || part == ".") {
            let why = "it must name one folder, absolute or below the home, without `.` and `..`";
            return Err(Refusal::new(why).example("[/srv/notes]"));
        }
        Ok(Root(path))
    }
}

/// A pattern for paths below the home.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Glob(String);

impl TryFrom<String> for Glob {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        let Word(glob) = Word::try_from(text)?;
        if glob.starts_with('/') || glob.split('/').any(|part| part == "..") {
            let why = "it must stay below the home: no `/` in front and no `..`";
            return Err(Refusal::new(why).example("memory/**"));
        }
        Ok(Glob(glob))
    }
}

pub(super) fn money<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(reader)? {
        Some(usd) if !usd.is_finite() || usd < 0.0 => {
            Err(serde::de::Error::custom(Refusal::new("it must be 0 or more").example("1.00")))
        }
        usd => Ok(usd),
    }
}

/// The checks that hold one key against another.
pub(super) fn assemble(
    yaml: &str,
    written: Written,
    engines: &[&'static str],
    zones: &Zones,
) -> Result<Definition, Problem> {
    let schedule = written.schedule;
    let rest = rest(yaml, &schedule, zones)?;
    Ok(Definition {
        engine: engine(yaml, &written.engine.0, written.command, engines)?,
        model: written.model.0,
        consumes: written.consumes.into_iter().map(|marker| marker.0).collect(),
        inbox: written.inbox,
        budget: written.budget,
        blackboard: written.blackboard.map(seat),
        agent: agent(written.agent),
        schedule: Schedule {
            enabled: schedule.enabled,
            max_duration_ms: schedule.max_duration_ms.0,
            wake_on: wake_on(yaml, schedule.wake_on, &rest)?,
            max_tasks_per_run: schedule.max_tasks_per_run.0,
            rest,
        },
    })
}

fn seat(written: WrittenSeat) -> Seat {
    let role = match written.role {
        SeatRole::Supervisor => Role::Supervisor,
        SeatRole::Worker => Role::Worker,
    };
    Seat { role, thread: written.thread.0 }
}

fn agent(written: WrittenAgent) -> AgentLimits {
    let defaults = AgentLimits::default();
    AgentLimits {
        max_iterations: written.max_iterations.map_or(defaults.max_iterations, |count| count.0),
        max_turns: written.max_turns.map_or(defaults.max_turns, |count| count.0),
        tools: written.tools.map_or(defaults.tools, |tools| tools.into_iter().map(|tool| tool.0).collect()),
        shell: written.shell.into_iter().map(|program| program.0).collect(),
        roots: written.roots.into_iter().map(|root| root.0).collect(),
        reads: written.reads.into_iter().map(|root| root.0).collect(),
    }
}

fn rest(yaml: &str, schedule: &WrittenSchedule, zones: &Zones) -> Result<Rest, Problem> {
    let Some(pattern) = &schedule.cron else {
        if schedule.tz.is_some() {
            let why = "a zone is for a `cron` pattern, and there is none";
            return Err(Problem::with_key(yaml, "schedule.tz", why)
                .hinting("remove `tz`, or add `cron: \"30 2 * * *\"`"));
        }
        return Ok(Rest::Ticks(schedule.cooldown_ticks.map_or(DEFAULT_COOLDOWN_TICKS, u64::from)));
    };
    if schedule.cooldown_ticks.is_some() {
        let why = "`cron` stands instead of `cooldown_ticks`, and both are there";
        return Err(Problem::with_key(yaml, "schedule.cron", why).hinting("remove one of the two"));
    }
    let zone = match &schedule.tz {
        None => zones.local.clone(),
        Some(name) => zones.database.get(name).map_err(|_| {
            Problem::with_key(yaml, "schedule.tz", "no zone has that name")
                .hinting("write a name such as `tz: Europe/Berlin`, or remove it for the local zone")
        })?,
    };
    let cron = Cron::parse(pattern, zone).map_err(|problem| {
        Problem::with_key(yaml, "schedule.cron", problem.to_string())
            .hinting("for every day at half past two write `cron: \"30 2 * * *\"`")
    })?;
    Ok(Rest::Cron(Arc::new(cron)))
}

fn engine(
    yaml: &str,
    name: &str,
    command: Option<Vec<String>>,
    engines: &[&'static str],
) -> Result<Engine, Problem> {
    let known = engines.iter().copied().find(|known| *known == name);
    let name = known.ok_or_else(|| Problem::with_word(yaml, "engine", name, engines))?;
    let hint = "write `command: [./work.sh]`, a path or a program and its arguments";
    match (name, command) {
        ("command", None) => {
            Err(Problem::with_key(yaml, "engine", "there is no `command` that says what to start")
                .hinting(hint))
        }
        ("command", Some(argv)) => match argv.first() {
            None => Err(Problem::with_key(yaml, "command", "it names no program").hinting(hint)),
            Some(program) if program.is_empty() || argv.iter().any(|part| part.contains('\0')) => {
                Err(Problem::with_key(yaml, "command", "a program has a name, and no part has a NUL in it")
                    .hinting(hint))
            }
            Some(_) => Ok(Engine::command(argv)),
        },
        (_, Some(_)) => Err(Problem::with_key(yaml, "command", "only engine `command` starts one")
            .hinting("write `engine: command`, or remove `command`")),
        (other, None) => Ok(Engine::named(other)),
    }
}

fn wake_on(yaml: &str, written: Option<Vec<Wake>>, rest: &Rest) -> Result<WakeOn, Problem> {
    let Some(wakes) = written else {
        return Ok(WakeOn { inbox: true, tick: matches!(rest, Rest::Cron(_)), ..WakeOn::default() });
    };
    if wakes.is_empty() {
        return Err(Problem::with_key(yaml, "schedule.wake_on", "nothing would ever wake this partition")
            .hinting("write `wake_on: [inbox]`, or switch it off with `enabled: false`"));
    }
    let mut on = WakeOn::default();
    for wake in wakes {
        match wake {
            Wake::Inbox => on.inbox = true,
            Wake::Events => on.events = true,
            Wake::Tick => on.tick = true,
            Wake::Changed(Glob(glob)) => on.changed.push(glob),
        }
    }
    Ok(on)
}
