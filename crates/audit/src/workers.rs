//! Many jobs on a few threads, their results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often whoever waits is told how far it is.
const PAUSE: Duration = Duration::from_millis(100);

/// Does the jobs `0..jobs` on at most `threads` threads, of which the calling one is one: each thread has memory of its own for the
/// expressions that it looks for. `work` calls what it is handed every now and then; `done` gets the results in the order of the jobs, in
/// the calling thread; `waited` is called there about every [`PAUSE`].
pub(crate) fn in_order<T: Send>(
    jobs: usize,
    threads: usize,
    work: impl Fn(usize, &mut dyn FnMut()) -> T + Sync,
    mut done: impl FnMut(usize, T),
    mut waited: impl FnMut(),
) {
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|job| *job < jobs);
    let mut early: BTreeMap<usize, T> = BTreeMap::new();
    let mut wanted = 0;
    let mut add = |job: usize, result: T| {
        early.insert(job, result);
        while let Some(result) = early.remove(&wanted) {
            done(wanted, result);
            wanted += 1;
        }
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 1..threads.min(jobs) {
            let (sender, take, work) = (sender.clone(), &take, &work);
            scope.spawn(move || {
                while let Some(job) = take() {
                    if sender.send((job, work(job, &mut || {}))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut told_at = Instant::now();
        while let Some(job) = take() {
            let result = work(job, &mut || {
                if told_at.elapsed() >= PAUSE {
                    waited();
                    told_at = Instant::now();
                }
            });
            add(job, result);
            receiver.try_iter().for_each(|(job, result)| add(job, result));
        }
        loop {
            match receiver.recv_timeout(PAUSE) {
                Ok((job, result)) => add(job, result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            waited();
        }
    });
    waited();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_and_results_come_in_order() {
        for (jobs, threads) in [(0, 4), (1, 4), (500, 4), (20, 0)] {
            let mut results = Vec::new();
            in_order(jobs, threads, |job, _| job * 2, |job, result| results.push((job, result)), || {});
            let expect: Vec<(usize, usize)> = (0..jobs).map(|job| (job, job * 2)).collect();
            assert_eq!(results, expect, "{jobs} jobs on {threads} threads");
        }
    }
}
