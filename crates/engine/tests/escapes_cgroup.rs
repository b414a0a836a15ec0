//! No process escapes from a run in a cgroup.
#![allow(clippy::unwrap_used, reason = "tests write files and stop at the first surprise")]

mod support;

use subcortex_engine::{Containment, become_subreaper};
use support::{WAYS, cgroup_launcher, escape_runs, fresh_prefix, groups_of, own_children, play_all};

#[tokio::test]
async fn nobody_survives_all_ways_of_escaping_in_a_cgroup() {
    let prefix = fresh_prefix();
    let name = "nobody_survives_all_ways_of_escaping_in_a_cgroup";
    let Some(launcher) = cgroup_launcher(name, prefix.clone()) else { return };
    // First without adopting orphans, to see that the cgroup holds on its own. Only one way needs more: a
    // process that root moves to another cgroup by hand.
    let held: Vec<&str> = WAYS.into_iter().filter(|way| *way != "leaves-cgroup").collect();
    assert_eq!(play_all(&launcher, &held, 50, Containment::Cgroup).await, Vec::<String>::new());
    become_subreaper().unwrap();
    assert_eq!(play_all(&launcher, &WAYS, escape_runs(), Containment::Cgroup).await, Vec::<String>::new());
    assert_eq!(own_children(), Vec::<String>::new(), "neither orphans nor zombies");
    assert_eq!(groups_of(&prefix), Vec::<std::path::PathBuf>::new());
}
