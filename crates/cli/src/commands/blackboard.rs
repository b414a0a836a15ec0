//! `subcortex blackboard`: the shared state of a supervised run.

mod shown;

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use subcortex_blackboard::{Author, Entry, MAX_ENTRY_BYTES, Malformed, Record, Role, ThreadId};
use subcortex_boards::{BoardError, Boards, Thread};
use subcortex_daemon::{WorkerAnswer, WorkerRequest, ask_as_worker};

use super::World;
use crate::args::{Blackboard, BlackboardCommand};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print, print_json};

/// How long `watch` waits for a wake-up before it looks again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

impl From<Malformed> for Failure {
    fn from(error: Malformed) -> Self {
        Self::refused(error.to_string())
    }
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Self {
        if error.is_refused_input() {
            Self::refused(error.to_string())
        } else {
            Self::storage(error.to_string())
        }
    }
}

pub(crate) fn run(world: &World<'_>, args: &Blackboard) -> Result<ExitCode, Failure> {
    match &args.command {
        BlackboardCommand::Append { thread, role, id, entry_json } => {
            let entry = if entry_json == "-" { read_stdin()? } else { entry_json.clone() };
            let said = Said { thread: ThreadId::new(thread)?, role: role.clone(), id: id.clone(), entry };
            let seq = append(world, said)?;
            print(&format!("{seq}\n"))?;
            Ok(ExitCode::Done)
        }
        BlackboardCommand::Read { thread, json } => read(world, &ThreadId::new(thread)?, *json),
        BlackboardCommand::Watch { thread } => watch(world, &ThreadId::new(thread)?),
    }
}

/// What is to be said, and by whom as far as that is said.
pub(crate) struct Said {
    pub(crate) thread: ThreadId,
    pub(crate) role: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) entry: String,
}

/// Appends an entry and says which one it is.
pub(crate) fn append(world: &World<'_>, said: Said) -> Result<String, Failure> {
    world.expect_home()?;
    match world.surroundings.variables.text("SUBCORTEX_TOKEN") {
        Some(token) => append_as_run(world, token, said),
        None if world.surroundings.is_own_run => {
            Err(Failure::refused("inside a run $SUBCORTEX_TOKEN says who you are, and it is not set"))
        }
        None => append_as_person(world, said),
    }
}

/// Outside of a run whoever types says who it is.
fn append_as_person(world: &World<'_>, said: Said) -> Result<String, Failure> {
    let missing =
        |what| Failure::refused(format!("{what} is missing: outside a run you have to say who you are"));
    let word = said.role.ok_or_else(|| missing("--role"))?;
    let role = Role::ALL.into_iter().find(|role| role.as_str() == word);
    let role = role.ok_or_else(|| {
        Failure::refused(format!("there is no role `{word}`: write supervisor, worker or user"))
    })?;
    if role == Role::User {
        world.expect_a_person(
            "speaks as the user",
            "a person runs `subcortex blackboard append` in a terminal of their own",
        )?;
    }
    let author = Author::new(role, &said.id.ok_or_else(|| missing("--as"))?)?;
    let entry = Entry::parse(&said.entry)?;
    let record = boards(world)?.append(&said.thread, &author, entry, Timestamp::now())?;
    Ok(record.seq.to_string())
}

/// Inside a run the daemon knows who it is, by its token.
fn append_as_run(world: &World<'_>, token: String, said: Said) -> Result<String, Failure> {
    let thread = said.thread.to_string();
    let request =
        WorkerRequest::AppendEntry { token, thread, role: said.role, id: said.id, entry: said.entry };
    let answer = ask_as_worker(&world.home.worker_socket(), &request)
        .map_err(|error| Failure::failed(format!("the daemon of this worker does not answer: {error}")))?;
    match answer {
        Some(WorkerAnswer::Done { said }) => Ok(said),
        // Nobody runs: then no token is valid.
        Some(WorkerAnswer::Unauthorized) | None => Err(Failure::refused(
            "403 Unauthorized: $SUBCORTEX_TOKEN is not that of a run that is going on; outside of runs unset it",
        )),
        Some(WorkerAnswer::Unfit { why }) => Err(Failure::refused(why)),
        Some(WorkerAnswer::NotKept { why }) => Err(Failure::storage(why)),
    }
}

/// What `read --json` prints.
pub(crate) fn document(world: &World<'_>, id: &ThreadId) -> Result<serde_json::Value, Failure> {
    world.expect_home()?;
    let thread = boards(world)?.read(id, Timestamp::now())?;
    Ok(subcortex_boards::document(id, &thread))
}

fn read(world: &World<'_>, id: &ThreadId, json: bool) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    let thread = boards(world)?.read(id, Timestamp::now())?;
    if json {
        print_json(&subcortex_boards::document(id, &thread))?;
        return Ok(ExitCode::Done);
    }
    if thread.records().is_empty() {
        note(&format!("the thread {id} has no entries: it has not begun, or it has expired"));
    }
    let lines: String = thread.records().iter().map(shown::line).collect();
    print(&format!("{lines}{}", shown::summary(&thread)))?;
    Ok(ExitCode::Done)
}

/// Goes on until it is interrupted, or nobody reads any more.
fn watch(world: &World<'_>, id: &ThreadId) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    let boards = boards(world)?;
    let mut changes = boards.watch(id)?;
    let mut last: Option<String> = None;
    loop {
        match boards.read(id, Timestamp::now()) {
            Ok(thread) => {
                let new = after(&thread, last.as_deref());
                if !new.is_empty() && !shown::follow(new)? {
                    return Ok(ExitCode::Done);
                }
                last = thread.last().map(|record| record.id.clone());
            }
            Err(error @ BoardError::Away { .. }) => note(&format!("waiting: {error}")),
            Err(error) => return Err(error.into()),
        }
        changes.wait(LOOK_AGAIN)?;
    }
}

/// What came after a record; all of it when the thread began anew.
fn after<'a>(thread: &'a Thread, last: Option<&str>) -> &'a [Record] {
    let records = thread.records();
    let place = last.and_then(|last| records.iter().rposition(|record| record.id == last));
    place.map_or(records, |place| records.get(place + 1..).unwrap_or_default())
}

fn boards(world: &World<'_>) -> Result<Arc<dyn Boards>, Failure> {
    let setup = world.setup();
    let config = setup.read_config()?;
    Ok(setup.boards(&config)?)
}

fn read_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let limit = MAX_ENTRY_BYTES as u64 + 1;
    std::io::stdin().take(limit).read_to_string(&mut text).map_err(|error| {
        Failure::refused(format!("the entry cannot be read from standard input: {error}"))
    })?;
    Ok(text)
}
