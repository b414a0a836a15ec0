//! No process escapes from a run without a cgroup, when the daemon adopts orphans.

mod support;

use subcortex_engine::{Containment, ProcessLauncher, become_subreaper};
use support::{WAYS, fresh_prefix, own_children, play_all};

#[tokio::test]
async fn nobody_survives_200_runs_of_all_ways_under_the_sweep() {
    become_subreaper().unwrap();
    let launcher = ProcessLauncher::sweep_only(fresh_prefix()).unwrap();
    let survivors = play_all(&launcher, &WAYS, 200, Containment::Sweep).await;
    assert_eq!(survivors, Vec::<String>::new());
    assert_eq!(own_children(), Vec::<String>::new(), "neither orphans nor zombies");
}
