//! A gigabyte of output. Alone in its process, because it looks at the memory of all of it.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests write files and stop at the first surprise"
)]

mod support;

use subcortex_engine::{ProcessEnding, ProcessLauncher};
use support::{fresh_prefix, run_shell};

const GIGABYTE: u64 = 1 << 30;
/// What a run may cost in memory, whatever it writes.
const GROWTH_MAX_KIB: u64 = 8 * 1024;

fn memory_kib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_gigabyte_without_a_newline_neither_stalls_nor_grows_the_daemon() {
    let launcher = ProcessLauncher::new(fresh_prefix()).unwrap();
    run_shell(&launcher, "true", Vec::new()).await;
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before_kib = memory_kib("VmRSS:");
    let finished = run_shell(&launcher, &format!("head -c {GIGABYTE} /dev/zero"), Vec::new()).await;
    assert_eq!(finished.ending, ProcessEnding::Exited { code: 0 });
    assert_eq!(finished.stdout.total_bytes(), GIGABYTE);
    let grown_kib = memory_kib("VmHWM:").saturating_sub(before_kib);
    assert!(grown_kib <= GROWTH_MAX_KIB, "{grown_kib} KiB");
}
