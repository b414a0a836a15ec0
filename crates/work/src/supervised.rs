//! What code guarantees about a supervisor's task: it is a directive on the thread, and only a SYNTHESIS ends it.
//!
//! | at the start                                   | then                                                          |
//! |------------------------------------------------|---------------------------------------------------------------|
//! | the thread does not know this task             | it becomes a USER_DIRECTIVE, which a STRATEGY has to answer   |
//! | the thread knows it and is closed              | the SYNTHESIS stands; the engine is not asked again           |
//! | the thread knows it and is open                | tasks for workers that were not handed out are; the engine goes on where it was |
//!
//! When the engine ends well, the result is the SYNTHESIS; without one the task stays, whatever the engine says.

use jiff::Timestamp;
use subcortex_blackboard::{Author, Entry, Role};
use subcortex_boards::{BoardError, Thread};
use subcortex_cadence::settle::{Ending, Work};
use subcortex_guard::Redactor;

use crate::exit::Worked;
use crate::seat::Seat;

/// How much of a task the directive holds, in characters.
const MAX_DIRECTIVE_CHARS: usize = 16_000;

/// Makes a task known to the thread; gives the result if it is there already.
pub(crate) fn begin(seat: &Seat, task: &str, body: &str) -> Result<Option<Work>, String> {
    let text = |error: BoardError| error.to_string();
    let directive = directive(task, body);
    let thread = seat.now().map_err(text)?;
    let author = Author::new(Role::User, task).map_err(|error| error.to_string())?;
    let is_it = |record: &subcortex_blackboard::Record| record.by == author.id && record.entry == directive;
    if thread.records().iter().any(is_it) {
        let result = result(&thread);
        if result.is_none() {
            seat.hand_out_missing();
        }
        return Ok(result);
    }
    seat.boards.append(seat.thread(), &author, directive, Timestamp::now()).map_err(text)?;
    Ok(None)
}

/// What the work of a supervisor comes to.
pub(crate) fn end(seat: &Seat, mut worked: Worked) -> Worked {
    if worked.work.ending != Ending::Well {
        return worked;
    }
    let output = match seat.now() {
        Ok(thread) => match result(&thread) {
            Some(work) => return Worked { work, ..worked },
            None => format!("PARTIAL_UPDATE: {}", open(&thread)),
        },
        Err(error) => format!("PARTIAL_UPDATE: the blackboard cannot be read: {error}"),
    };
    worked.work.output = output.into_bytes();
    worked
}

/// The task as it stands on the thread: without secrets, so that it is recognised there.
fn directive(task: &str, body: &str) -> Entry {
    let redactor = Redactor::new();
    let (task, body) = (redactor.text(task), redactor.text(body));
    let clean = |letter: &char| !letter.is_control() || matches!(letter, '\n' | '\t');
    let text: String = body.trim().chars().filter(clean).take(MAX_DIRECTIVE_CHARS).collect();
    Entry::UserDirective { text: if text.trim().is_empty() { task.into_owned() } else { text } }
}

fn result(thread: &Thread) -> Option<Work> {
    let text = thread.board().synthesis()?;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Work::well(format!("UPDATED: {line}")))
}

fn open(thread: &Thread) -> String {
    let obstacles: Vec<_> = thread.board().obstacles().iter().map(ToString::to_string).collect();
    match obstacles.is_empty() {
        true => "there is no SYNTHESIS on the blackboard yet".into(),
        false => format!("there is no SYNTHESIS on the blackboard yet: {}", obstacles.join("; ")),
    }
}
