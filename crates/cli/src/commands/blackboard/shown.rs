//! A thread for people, and for programs.

use std::io::{self, Write as _};

use subcortex_blackboard::{Entry, Record};
use subcortex_boards::Thread;
use subcortex_guard::escape_for_display;

use crate::failure::Failure;
use crate::output::ignore_closed_pipe;

/// One line a record; what stands in it came from outside.
pub(super) fn line(record: &Record) -> String {
    let time = record.ts.strftime("%H:%M:%S");
    let who = format!("{} {}", record.role, record.by);
    let text = format!("{time}  {:>4}  {:<14}  {who}: {}", record.seq, record.entry.kind(), words(record));
    let text: String = text.split(['\n', '\t']).collect::<Vec<_>>().join(" ");
    format!("{}\n", escape_for_display(&text))
}

fn words(record: &Record) -> String {
    match &record.entry {
        Entry::Strategy(plan) => {
            let query = plan.query.as_ref().map_or_else(String::new, |query| format!("; look for: {query}"));
            format!("{} ({}){query}", plan.goal, plan.entities.join(", "))
        }
        Entry::Pending { entity, field, .. } => format!("{entity} / {field}"),
        Entry::Verified { entity, field, value, source_url, .. } => {
            let unchecked = if record.checked { "" } else { ", unchecked" };
            format!("{entity} / {field} = {value} ({source_url}{unchecked})")
        }
        Entry::Unverified { entity, field, claimed_value, reason } => {
            let claimed = claimed_value.as_deref().unwrap_or("nothing");
            format!("{entity} / {field}: {claimed}, because {reason}")
        }
        Entry::FailedUrl { url, failure_reason, .. } | Entry::Tombstone { url, failure_reason, .. } => {
            format!("{url} ({failure_reason})")
        }
        Entry::UserDirective { text } => text.clone(),
        Entry::Synthesis { text, citations } => format!("{text} [{}]", citations.join(", ")),
    }
}

/// What is left to do, for people.
pub(super) fn summary(thread: &Thread) -> String {
    let board = thread.board();
    if board.synthesis().is_some() || thread.records().is_empty() {
        return String::new();
    }
    let open: Vec<_> = board
        .obstacles()
        .iter()
        .map(|one| format!("  - {}\n", escape_for_display(&one.to_string())))
        .collect();
    match (board.strategy().is_some(), open.is_empty()) {
        (true, true) => "everything is settled: the supervisor may append a SYNTHESIS\n".into(),
        (true, false) => format!("before a SYNTHESIS:\n{}", open.concat()),
        (false, _) => "waiting for a STRATEGY of the supervisor\n".into(),
    }
}

/// Writes records as they come; says whether anybody still reads.
pub(super) fn follow(records: &[Record]) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    for record in records {
        match out.write_all(line(record).as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(false),
            result => ignore_closed_pipe(result)?,
        }
    }
    Ok(true)
}
