//! What a STRATEGY hands to workers.

use crate::{Board, Record, ThreadId};

/// One worker's share of a STRATEGY.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delegation {
    /// Whose it is.
    pub worker: String,
    /// The name of the task. It is the same for the same record, so that nothing is handed over twice.
    pub task: String,
    /// What the worker is told.
    pub body: String,
}

/// The shares of the newest STRATEGY, which a record holds; entities that are known already are not handed out again.
pub fn delegations(thread: &ThreadId, board: &Board, record: &Record) -> Vec<Delegation> {
    let crate::Entry::Strategy(strategy) = &record.entry else { return Vec::new() };
    let mut shares: Vec<(String, Vec<&str>)> = Vec::new();
    for entity in strategy.entities.iter().filter(|entity| !board.has_verified(entity)) {
        for worker in strategy.assigned.workers_for(entity, &strategy.entities) {
            match shares.iter_mut().find(|(known, _)| known == worker) {
                Some((_, entities)) => entities.push(entity),
                None => shares.push((worker.to_owned(), vec![entity])),
            }
        }
    }
    let share = |(worker, entities): (String, Vec<&str>)| {
        let task = format!("blackboard-{thread}-{:06}-{}", record.seq, &record.id);
        Delegation { body: body(thread, board, &entities), task, worker }
    };
    shares.into_iter().map(share).collect()
}

fn body(thread: &ThreadId, board: &Board, entities: &[&str]) -> String {
    let Some(strategy) = board.strategy() else { return String::new() };
    let mut lines = vec![format!("[blackboard:{thread}] {}", strategy.goal), String::new()];
    lines.push(format!("entities: {}", entities.join(", ")));
    if !strategy.tool_chain.is_empty() {
        lines.push(format!("tool_chain: {}", strategy.tool_chain.join(", ")));
    }
    lines.extend(strategy.query.iter().map(|query| format!("query: {query}")));
    lines.extend(board.tombstones().map(|url| format!("dead: {url}")));
    lines.join("\n") + "\n"
}
