//! No process escapes from a run without a cgroup, when the daemon adopts orphans.
#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod support;

use std::sync::Arc;

use subcortex_engine::{Containment, ProcessLauncher, become_subreaper};
use support::{Series, WAYS, escape_runs, fresh_prefix, own_children, play_all};

#[tokio::test]
async fn nobody_survives_all_ways_of_escaping_under_the_sweep() {
    become_subreaper().unwrap();
    let launcher = Arc::new(ProcessLauncher::sweep_only(fresh_prefix()).unwrap());
    let alone = Series { runs: escape_runs() / 2, at_once: 1, expect: Containment::Sweep };
    assert_eq!(play_all(&launcher, &WAYS, alone).await, Vec::<String>::new());
    // Who removed all marks can be told apart only when there is one run at a time.
    let marked: Vec<&str> = WAYS.into_iter().filter(|way| *way != "no-marks").collect();
    let together = Series { at_once: 4, ..alone };
    assert_eq!(play_all(&launcher, &marked, together).await, Vec::<String>::new());
    assert_eq!(own_children(), Vec::<String>::new(), "neither orphans nor zombies");
}
