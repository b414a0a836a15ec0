//! No process escapes from a run in a cgroup.
#![allow(clippy::unwrap_used, reason = "tests write files and stop at the first surprise")]

mod support;

use std::sync::Arc;

use subcortex_engine::{Containment, become_subreaper};
use support::{Series, WAYS, cgroup_launcher, escape_runs, fresh_prefix, groups_of, own_children, play_all};

#[tokio::test]
async fn nobody_survives_all_ways_of_escaping_in_a_cgroup() {
    let prefix = fresh_prefix();
    let name = "nobody_survives_all_ways_of_escaping_in_a_cgroup";
    let Some(launcher) = cgroup_launcher(name, prefix.clone()) else { return };
    let launcher = Arc::new(launcher);
    let series = Series { runs: 50, at_once: 4, expect: Containment::Cgroup };
    // First without adopting orphans, to see that the cgroup holds on its own. Only one way needs more: a
    // process that root moves to another cgroup by hand.
    let held: Vec<&str> = WAYS.into_iter().filter(|way| *way != "leaves-cgroup").collect();
    assert_eq!(play_all(&launcher, &held, series).await, Vec::<String>::new());
    become_subreaper().unwrap();
    let series = Series { runs: escape_runs(), ..series };
    assert_eq!(play_all(&launcher, &WAYS, series).await, Vec::<String>::new());
    assert_eq!(own_children(), Vec::<String>::new(), "neither orphans nor zombies");
    assert_eq!(groups_of(&prefix), Vec::<std::path::PathBuf>::new());
}
