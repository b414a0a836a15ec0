//! The worker that keeps the memory.

use subcortex_cadence::UnixMs;
use subcortex_cadence::settle::{Ending, Work};
use subcortex_runs::Evidence;
use subcortex_store::locked;
use subcortex_weaver::{self as weaver, Directed, Workshop, Woven};

use super::{Call, Done, Worker, failed};
use crate::details::{Details, EditMade};
use crate::workshop::workshop;

#[derive(Debug)]
pub(super) struct MemoryWeaver;

impl Worker for MemoryWeaver {
    fn name(&self) -> &'static str {
        subcortex_memory::WEAVER
    }

    fn keeps_its_code(&self) -> bool {
        true
    }

    fn work(&self, call: Call) -> Done {
        let usual = workshop(&call.home, &call.disk, call.settings, Some(call.run_id));
        let began = subcortex_home::began(&*call.disk, &call.home, usual.now);
        let shop = Workshop { mind: call.mind, began: Some(began), ..usual };
        // Only one hand at a time in the memory: a person's decision waits, and so does this.
        let _alone = locked(&call.memory);
        let cancelled = || call.cancellation.order().is_some();
        let woven = match &call.task {
            None => weaver::reflect(&shop, &cancelled).map(|woven| Directed::Done(Box::new(woven))),
            Some((name, body)) => weaver::direct(&shop, name, body, &cancelled),
        };
        match woven {
            Ok(Directed::Done(woven)) => report_of(*woven),
            // The task stays, with this as the reason.
            Ok(Directed::Unclear(why)) => {
                (Work::ended(Ending::Failed(format!("unclear task: {why}"))), Details::default())
            }
            Ok(Directed::Waits(why)) => (Work::ended(Ending::Failed(why)), Details::default()),
            Err(error) => failed(&error, &call.cancellation),
        }
    }
}

fn report_of(woven: Woven) -> Done {
    let mut work = Work::well(woven.report.clone());
    work.more_to_do = woven.more_to_do;
    work.wake_at = woven.wake_at.map(|at| UnixMs(at.as_millisecond()));
    work.changed_files = Some(!woven.changed.is_empty());
    let evidence = woven.evidence.into_iter().map(|evidence| Evidence {
        line: evidence.line,
        new: evidence.new,
        prior: evidence.prior,
        total: evidence.new + evidence.prior,
    });
    let details = Details {
        output: woven.report,
        changed: woven.changed,
        subagents: woven.subagents.into_iter().map(str::to_owned).collect(),
        evidence: evidence.collect(),
        scan: woven.scan,
        edits: woven
            .edit
            .iter()
            .map(|edit| EditMade { id: edit.id.clone(), changes: edit.changes.len() })
            .collect(),
        ..Details::default()
    };
    (work, details)
}
