//! Roles that play the other side: a daemon that is going to be killed, and its successor.

use std::collections::BTreeMap;

use subcortex_engine::{Cancellation, CommandSpec, GroupPrefix, Limits, ProcessLauncher, sweep_stale};

use crate::{Actor, own_path};

/// Supervises a run of the way `<way>`, with a prefix of `<tag>`; `extra` is `<tag>:<net>:<way>`.
pub(crate) fn serve(actor: &Actor, extra: &str) {
    let [tag, net, way] = extra.split(':').collect::<Vec<_>>().try_into().unwrap();
    let prefix = GroupPrefix::for_home(tag).unwrap();
    let launcher = match net {
        "cgroup" => ProcessLauncher::new(prefix),
        _ => ProcessLauncher::sweep_only(prefix),
    };
    let spec = CommandSpec {
        run_id: "run".into(),
        program: own_path(),
        args: vec![way.into(), actor.dir.clone().into(), "stay".into()],
        cwd: actor.dir.clone(),
        env: BTreeMap::new(),
        stdin: Vec::new(),
        limits: Limits::within_ms(60_000),
        writable: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(launcher.unwrap().run(spec, Cancellation::never())).unwrap();
}

/// Ends what an earlier daemon left over, and says what it found.
pub(crate) fn sweep(tag: &str) {
    let found = sweep_stale(&GroupPrefix::for_home(tag).unwrap());
    println!("{} groups, {} still alive", found.groups_removed, found.still_alive);
}
