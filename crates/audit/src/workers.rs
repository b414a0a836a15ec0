//! Many jobs on a few threads, their results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How often whoever waits is told how far it is.
const PAUSE: Duration = Duration::from_millis(100);

/// Does the jobs `0..jobs` on at most `threads` threads. `done` gets the results in the order of the jobs, in the calling
/// thread; `waited` is called there every now and then.
pub(crate) fn in_order<T: Send>(
    jobs: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, T),
    mut waited: impl FnMut(),
) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(threads.max(1));
        for _ in 0..threads.clamp(1, jobs.max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs || sender.send((job, work(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut early: BTreeMap<usize, T> = BTreeMap::new();
        let mut wanted = 0;
        loop {
            match receiver.recv_timeout(PAUSE) {
                Ok((job, result)) => drop(early.insert(job, result)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(result) = early.remove(&wanted) {
                done(wanted, result);
                wanted += 1;
            }
            waited();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_and_results_come_in_order() {
        for (jobs, threads) in [(0, 4), (1, 4), (500, 4), (20, 0)] {
            let mut results = Vec::new();
            in_order(jobs, threads, |job| job * 2, |job, result| results.push((job, result)), || {});
            let expect: Vec<(usize, usize)> = (0..jobs).map(|job| (job, job * 2)).collect();
            assert_eq!(results, expect, "{jobs} jobs on {threads} threads");
        }
    }
}
