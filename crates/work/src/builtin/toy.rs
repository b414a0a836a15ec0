//! A toy, for tests: how little a new built-in partition takes.

use subcortex_cadence::definition::Engine;
use subcortex_cadence::settle::Work;

use super::{Call, Done, Worker};
use crate::Details;
use crate::testing::run;

#[derive(Debug)]
pub(super) struct Toy;

impl Worker for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn work(&self, call: Call) -> Done {
        let said = format!("UPDATED: played in {}", call.run_id);
        (Work::well(said.clone()), Details { output: said, ..Details::default() })
    }
}

#[tokio::test]
async fn a_partition_of_this_name_is_worked_on_by_the_toy() {
    let (work, details) = run("toy", Engine::BUILTIN).await;
    assert!(details.output.starts_with("UPDATED: played in "), "{details:?}");
    assert_eq!(work, Work::well(details.output));
}
