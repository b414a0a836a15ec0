//! A toy, for tests: how little a new engine takes.

use subcortex_cadence::definition::Engine as Named;
use subcortex_cadence::settle::{Outcome, Work, judge};

use super::{Engine, Working};
use crate::testing::run;
use crate::{Details, Run, Task};

#[derive(Debug)]
pub(super) struct Toy;

impl Engine for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn work<'a>(&'a self, run: &'a Run<'a>, _task: Task<'a>) -> Working<'a> {
        Box::pin(async move {
            let said = format!("UPDATED: {} played", run.start.partition);
            (Work::well(said.clone()), Details { output: said, ..Details::default() }).into()
        })
    }
}

#[tokio::test]
async fn a_definition_that_names_the_toy_runs_on_it() {
    let (work, details) = run("notes", Named::named("toy")).await;
    assert_eq!(details.output, "UPDATED: notes played");
    assert_eq!(judge(&work).outcome, Outcome::Terminal);
}
