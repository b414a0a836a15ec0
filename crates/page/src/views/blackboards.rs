//! The blackboards of supervised runs.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use subcortex_blackboard::ThreadId;
use subcortex_boards::document;

use crate::{Page, PageError};

/// How many threads are shown: those with the newest entries.
const MAX_THREADS: usize = 200;

#[derive(Debug, Serialize)]
pub(crate) struct Threads {
    threads: Vec<InShort>,
}

#[derive(Debug, Serialize)]
struct InShort {
    thread: String,
    entries: usize,
    last_at: Option<Timestamp>,
    goal: Option<String>,
    /// What stands between it and its synthesis.
    obstacles: usize,
    is_done: bool,
    /// Why it cannot be read.
    problem: Option<String>,
}

pub(crate) fn blackboards(page: &Page) -> Result<Threads, PageError> {
    let mut threads: Vec<InShort> =
        page.helm.boards().threads()?.iter().map(|thread| in_short(page, thread)).collect();
    // One that has expired has no entries.
    threads.retain(|thread| thread.entries > 0 || thread.problem.is_some());
    threads.sort_by_key(|thread| std::cmp::Reverse(thread.last_at));
    threads.truncate(MAX_THREADS);
    Ok(Threads { threads })
}

fn in_short(page: &Page, id: &ThreadId) -> InShort {
    let read = page.helm.boards().read(id, Timestamp::now());
    let problem = read.as_ref().err().map(ToString::to_string);
    let thread = read.unwrap_or_default();
    let board = thread.board();
    InShort {
        thread: id.to_string(),
        entries: thread.records().len(),
        last_at: thread.last().map(|record| record.ts),
        goal: board.strategy().map(|strategy| strategy.goal.clone()),
        obstacles: board.obstacles().len(),
        is_done: board.synthesis().is_some(),
        problem,
    }
}

pub(crate) fn blackboard(page: &Page, thread: &str) -> Result<Value, PageError> {
    let id = ThreadId::new(thread).map_err(|why| PageError::Unfit(why.to_string()))?;
    let thread = page.helm.boards().read(&id, Timestamp::now())?;
    Ok(document(&id, &thread))
}
