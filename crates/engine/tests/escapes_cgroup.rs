//! No process escapes from a run in a cgroup.

mod support;

use subcortex_engine::{Containment, become_subreaper};
use support::{WAYS, cgroup_launcher, fresh_prefix, groups_of, own_children, play_all};

#[tokio::test]
async fn nobody_survives_200_runs_of_all_ways_in_a_cgroup() {
    let prefix = fresh_prefix();
    let name = "nobody_survives_200_runs_of_all_ways_in_a_cgroup";
    let Some(launcher) = cgroup_launcher(name, prefix.clone()) else { return };
    // First without adopting orphans, to see that the cgroup holds on its own. Only one way needs more: a
    // process that root moves to another cgroup by hand.
    let held: Vec<&str> = WAYS.into_iter().filter(|way| *way != "leaves-cgroup").collect();
    assert_eq!(play_all(&launcher, &held, 50, Containment::Cgroup).await, Vec::<String>::new());
    become_subreaper().unwrap();
    assert_eq!(play_all(&launcher, &WAYS, 200, Containment::Cgroup).await, Vec::<String>::new());
    assert_eq!(own_children(), Vec::<String>::new(), "neither orphans nor zombies");
    assert_eq!(groups_of(&prefix), Vec::<std::path::PathBuf>::new());
}
