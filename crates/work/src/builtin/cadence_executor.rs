//! The worker that hands on what lies in the shared inbox.

use std::io;

use subcortex_cadence::settle::{Ending, Work};
use subcortex_guard::escape_for_display;
use subcortex_inbox::notices::Settled;
use subcortex_inbox::{Consumer, InboxError, Task, addressee, hand_over, list, read_body};
use subcortex_store::locked;

use super::{Around, Call, Done, Worker, memory_check};
use crate::Details;

/// How many tasks of the shared inbox one run looks at.
const MAX_LOOKED_AT: usize = 1_000;
/// How many names a report gives; the rest is counted.
const MAX_NAMED: usize = 20;

#[derive(Debug)]
pub(super) struct CadenceExecutor;

impl Worker for CadenceExecutor {
    fn name(&self) -> &'static str {
        "cadence-executor"
    }

    fn has_work(&self, around: &Around<'_>) -> bool {
        let shared = around.home.shared_inbox();
        let Ok(listing) = list(&**around.disk, &shared, MAX_LOOKED_AT) else { return true };
        let Ok(consumers) = around.peers.consumers() else { return true };
        let is_deliverable = |task: &Task| {
            read_body(&**around.disk, &shared, &task.key.name)
                .is_ok_and(|body| addressee(&body.text, &consumers).is_ok())
        };
        listing.tasks.iter().any(is_deliverable) || memory_check::has_news(around, &consumers)
    }

    fn work(&self, call: Call) -> Done {
        match pass(&call) {
            Ok(passed) => passed.report(),
            Err(why) => (Work::ended(Ending::Failed(why)), Details::default()),
        }
    }
}

/// What one look at the shared inbox came to.
#[derive(Debug, Default)]
struct Passed {
    handed_over: Vec<String>,
    stays: Vec<String>,
    checked: Settled,
    more_to_do: bool,
}

fn pass(call: &Call) -> Result<Passed, String> {
    let consumers = call.peers.consumers().map_err(|error: io::Error| {
        format!(
            "the partitions cannot be looked at ({error}): check that subconscious/ is a folder you may read"
        )
    })?;
    let shared = call.home.shared_inbox();
    let listing = list(&*call.disk, &shared, MAX_LOOKED_AT).map_err(|error| error.to_string())?;
    let mut passed = Passed { more_to_do: listing.total > listing.tasks.len(), ..Passed::default() };
    passed.stays.extend(listing.refused.iter().map(|it| format!("{}: {}", it.shown_name, it.reason)));
    for task in listing.tasks {
        if call.cancellation.order().is_some() {
            passed.more_to_do = true;
            break;
        }
        let name = escape_for_display(task.key.name.as_str()).into_owned();
        match hand_on(call, &consumers, &task.key.name) {
            Ok(Some(there)) => passed.handed_over.push(format!("{name} to {there}")),
            Ok(None) => passed.more_to_do = true,
            Err(why) => passed.stays.push(format!("{name}: {why}")),
        }
    }
    let _alone = locked(&call.memory); // what a run of the weaver is about to mend is no finding
    passed.checked = memory_check::settle(call, &consumers)?;
    Ok(passed)
}

/// Where a task went; nothing when it changed meanwhile; or why it stays.
fn hand_on(
    call: &Call,
    consumers: &[Consumer],
    name: &subcortex_cadence::TaskName,
) -> Result<Option<String>, String> {
    let in_words = |error: InboxError| error.to_string();
    let shared = call.home.shared_inbox();
    let task = read_body(&*call.disk, &shared, name).map_err(in_words)?;
    let partition = addressee(&task.text, consumers).map_err(|why| why.to_string())?;
    let moved = hand_over(&*call.disk, &shared, &task, &call.home.inbox(partition)).map_err(in_words)?;
    Ok(moved.map(|name| format!("subconscious/{partition}/inbox/{}", escape_for_display(name.as_str()))))
}

impl Passed {
    fn report(self) -> Done {
        let mut lines: Vec<String> =
            self.handed_over.iter().take(MAX_NAMED).map(|moved| format!("handed over: {moved}")).collect();
        lines.extend(self.checked.posted.iter().take(MAX_NAMED).map(|task| format!("posted: {task}")));
        lines.extend(self.checked.withdrawn.iter().take(MAX_NAMED).map(|task| format!("taken back: {task}")));
        lines.extend(self.stays.iter().take(MAX_NAMED).map(|stays| format!("stays: {stays}")));
        let stay = match self.stays.len() {
            0 => String::new(),
            count => format!("; {count} stay, see `subcortex inbox`"),
        };
        let (posted, withdrawn) = (self.checked.posted.len(), self.checked.withdrawn.len());
        let check = match posted + withdrawn {
            0 => String::new(),
            _ => format!("; the memory check posted {posted} and took {withdrawn} back"),
        };
        lines.push(match self.handed_over.len() {
            0 if check.is_empty() => format!("NO-OP: nothing to hand over{stay}"),
            count => format!("UPDATED: {count} handed over{stay}{check}"),
        });
        let output = lines.join("\n");
        let work = Work {
            more_to_do: self.more_to_do,
            changed_files: Some(!self.handed_over.is_empty() || posted + withdrawn > 0),
            ..Work::well(output.clone())
        };
        (work, Details { output, ..Details::default() })
    }
}
