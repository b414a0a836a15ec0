//! The worker that writes down what was learned from doing it.

use subcortex_cadence::settle::Work;
use subcortex_store::locked;
use subcortex_weaver::patterns::{Tracked, track};

use super::{Call, Done, Worker, failed};
use crate::Details;
use crate::workshop::workshop;

#[derive(Debug)]
pub(super) struct PatternTracker;

impl Worker for PatternTracker {
    fn name(&self) -> &'static str {
        "pattern-tracker"
    }

    fn work(&self, call: Call) -> Done {
        let shop = workshop(&call.home, &call.disk, call.settings, Some(call.run_id.clone()));
        let _alone = locked(&call.memory);
        match track(&shop, &|| call.cancellation.order().is_some()) {
            Ok(tracked) => report(tracked),
            Err(error) => failed(&error, &call.cancellation),
        }
    }
}

fn report(tracked: Tracked) -> Done {
    let Tracked { made, changed, unlinked } = tracked;
    let mut lines: Vec<String> = made.iter().map(|path| format!("new: {path}")).collect();
    lines.extend(changed.iter().map(|path| format!("changed: {path}")));
    if unlinked > 0 {
        lines.push(format!("not written: {unlinked}, since nothing could be made to lead to them"));
    }
    lines.push(match (made.len(), changed.len()) {
        (0, 0) => "NO_NEW_GRADIENT: no whole arc and no task that returned and converged".into(),
        (new, more) => {
            let patterns = if new == 1 { "pattern" } else { "patterns" };
            format!("UPDATED: {new} new {patterns}, {more} changed")
        }
    });
    let output = lines.join("\n");
    let changed: Vec<String> = made.into_iter().chain(changed).collect();
    let work = Work { changed_files: Some(!changed.is_empty()), ..Work::well(output.clone()) };
    (work, Details { output, changed, ..Details::default() })
}
