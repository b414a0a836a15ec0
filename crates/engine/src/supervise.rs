//! From the start of a program to the death of its whole tree.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};

use crate::net::{Killed, Net};
use crate::pipes::Pipes;
use crate::registry::reap_adopted;
use crate::spawner::Started;
use crate::spec::LEFTOVER_GRACE_MS;
use crate::{
    CancelOrder, Cancellation, Captured, Containment, Finished, Limits, Listener, ProcessEnding, StartError,
};

/// How often the processes of a run without a cgroup are looked at, so that they are known when they hide.
const LOOK_EVERY_MS: u64 = 250;
/// The first and the longest pause between two checks whether everything has ended during the grace.
const GRACE_POLL_MS: std::ops::RangeInclusive<u64> = 2..=64;

/// The longest grace that is honoured: a day. Beyond it, arithmetic with time could overflow.
const GRACE_MAX_MS: u64 = 24 * 60 * 60 * 1_000;

/// Why the end began.
enum Cause {
    Exit,
    Deadline,
    Order(CancelOrder),
}

/// Sees one started program through to its end.
pub(crate) async fn supervise(
    started: Started,
    stdin: Vec<u8>,
    limits: Limits,
    mut cancellation: Cancellation,
    listener: Option<Listener>,
) -> Result<Finished, StartError> {
    let Started { mut tree, mut exit } = started;
    let root = tree.root().ok_or_else(|| std::io::Error::other("already gone"));
    let pipes = root.and_then(|root| Pipes::attach(root, stdin, &limits, listener)).map_err(|source| {
        StartError::CannotSupervise { what: "the pipes of the program cannot be used", source }
    })?;
    let net = Arc::clone(tree.net());

    let cause = wait_for_cause(&mut exit, &net, limits.max_duration_ms, &mut cancellation).await;
    let grace_ms = match &cause {
        Cause::Exit => LEFTOVER_GRACE_MS,
        Cause::Deadline => limits.deadline_grace_ms,
        Cause::Order(order) => order.grace_ms,
    };
    end_politely(&net, grace_ms, &mut cancellation).await;
    let killed = draw_in(&net).await;
    let status = tree.settle();
    let (stdout, stderr) = pipes.finish().await;
    off_thread(move || drop(tree)).await;
    Ok(report(cause, status, killed, stdout, stderr, &net))
}

async fn wait_for_cause(
    exit: &mut oneshot::Receiver<()>,
    net: &Arc<Net>,
    max_duration_ms: u64,
    cancellation: &mut Cancellation,
) -> Cause {
    let mut deadline = std::pin::pin!(sleep(Duration::from_millis(max_duration_ms)));
    let mut looks = interval(Duration::from_millis(LOOK_EVERY_MS));
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut child_signals = signal(SignalKind::child()).ok();
    loop {
        tokio::select! {
            biased;
            _ = &mut *exit => return Cause::Exit,
            order = cancellation.ordered() => return Cause::Order(order),
            () = &mut deadline => return Cause::Deadline,
            () = next(&mut child_signals) => off_thread(reap_adopted).await.unwrap_or_default(),
            _ = looks.tick(), if !net.has_group() => {
                let net = Arc::clone(net);
                off_thread(move || net.remember()).await.unwrap_or_default();
            }
        }
    }
}

async fn next(child_signals: &mut Option<Signal>) {
    let received = match child_signals {
        Some(signals) => signals.recv().await,
        None => None,
    };
    if received.is_none() {
        std::future::pending::<()>().await;
    }
}

/// Asks for the end and waits until all obeyed or the grace is over. A cancellation can shorten it.
async fn end_politely(net: &Arc<Net>, grace_ms: u64, cancellation: &mut Cancellation) {
    if is_empty(net).await {
        return;
    }
    let asking = Arc::clone(net);
    off_thread(move || asking.ask_to_end()).await.unwrap_or_default();
    let from_now = |grace_ms: u64| Instant::now() + Duration::from_millis(grace_ms.min(GRACE_MAX_MS));
    let mut until = from_now(grace_ms);
    let mut pause_ms = *GRACE_POLL_MS.start();
    while !is_empty(net).await {
        tokio::select! {
            biased;
            () = sleep_until(until) => return,
            order = cancellation.sharpened() => {
                until = until.min(from_now(order.grace_ms));
            }
            () = sleep(Duration::from_millis(pause_ms)) => pause_ms = (pause_ms * 2).min(*GRACE_POLL_MS.end()),
        }
    }
}

async fn is_empty(net: &Arc<Net>) -> bool {
    let net = Arc::clone(net);
    off_thread(move || net.is_empty()).await.unwrap_or(false)
}

async fn draw_in(net: &Arc<Net>) -> Killed {
    let drawing = Arc::clone(net);
    // Without a thread for it (the runtime is going down) it is done right here.
    match off_thread(move || drawing.kill()).await {
        Some(killed) => killed,
        None => net.kill(),
    }
}

/// Runs blocking work where it does not hold up the streams of this and other runs.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

fn report(
    cause: Cause,
    status: Option<ExitStatus>,
    killed: Killed,
    stdout: Captured,
    stderr: Captured,
    net: &Net,
) -> Finished {
    let signal = status.and_then(|status| status.signal()).unwrap_or_default();
    let ending = match (cause, status.and_then(|status| status.code())) {
        (Cause::Exit, Some(code)) => ProcessEnding::Exited { code },
        (Cause::Exit, None) => ProcessEnding::Signalled { signal },
        (Cause::Deadline, _) => ProcessEnding::DeadlineReached,
        (Cause::Order(order), _) => ProcessEnding::Cancelled { reason: order.reason },
    };
    let containment = if net.has_group() { Containment::Cgroup } else { Containment::Sweep };
    Finished {
        ending,
        stdout,
        stderr,
        survivors_killed: killed.survivors,
        still_alive: killed.still_alive,
        containment,
    }
}
