//! What is left when the daemon is killed, and that the next one ends it.
#![allow(clippy::unwrap_used, reason = "tests write files and stop at the first surprise")]

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;

use subcortex_engine::GroupPrefix;
use support::{ADVERSARY, Stage, cgroup_launcher, children_of, fresh_tag, groups_of, is_alive};

/// Less than the life of an adversary that nobody ends.
const PATIENCE: Duration = Duration::from_secs(20);

async fn check(net: &str, way: &str) {
    let (stage, tag) = (Stage::new(), fresh_tag());
    let mut daemon = Command::new(ADVERSARY)
        .arg("daemon")
        .arg(stage.path())
        .arg(format!("{tag}:{net}:{way}"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    stage.ready().await;
    let direct = children_of(daemon.id());
    assert_eq!(direct.len(), 1, "{direct:?}");
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let kernel_ends_direct_child = async {
        while is_alive(&direct[0], None) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(PATIENCE, kernel_ends_direct_child).await.unwrap();
    assert_ne!(stage.survivors(), Vec::<String>::new(), "{way} leaves something behind");

    let successor = Command::new(ADVERSARY).arg("sweep-stale").arg(stage.path()).arg(&tag).output().unwrap();
    let groups = if net == "cgroup" { 1 } else { 0 };
    assert_eq!(String::from_utf8_lossy(&successor.stdout), format!("{groups} groups, 0 still alive\n"));
    assert_eq!(stage.survivors(), Vec::<String>::new(), "{net} {way}");
    assert_eq!(groups_of(&GroupPrefix::for_home(&tag).unwrap()), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn the_successor_of_a_killed_daemon_ends_what_was_left_in_its_cgroups() {
    let name = "the_successor_of_a_killed_daemon_ends_what_was_left_in_its_cgroups";
    if cgroup_launcher(name, GroupPrefix::for_home(&fresh_tag()).unwrap()).is_none() {
        return;
    }
    for way in ["own-session", "double-fork", "ignores-term", "no-marks", "stopped", "storm", "everything"] {
        check("cgroup", way).await;
    }
}

#[tokio::test]
async fn the_successor_of_a_killed_daemon_ends_what_carries_its_marks() {
    for way in
        ["own-session", "double-fork", "ignores-term", "no-environment", "nohup", "storm", "everything"]
    {
        check("sweep", way).await;
    }
}
