//! No process escapes from a run without a cgroup, when the daemon adopts orphans.
#![allow(clippy::unwrap_used, reason = "tests write files and stop at the first surprise")]

mod support;

use subcortex_engine::{Containment, ProcessLauncher, become_subreaper};
use support::{WAYS, escape_runs, fresh_prefix, own_children, play_all};

#[tokio::test]
async fn nobody_survives_all_ways_of_escaping_under_the_sweep() {
    become_subreaper().unwrap();
    let launcher = ProcessLauncher::sweep_only(fresh_prefix()).unwrap();
    let survivors = play_all(&launcher, &WAYS, escape_runs(), Containment::Sweep).await;
    assert_eq!(survivors, Vec::<String>::new());
    assert_eq!(own_children(), Vec::<String>::new(), "neither orphans nor zombies");
}
