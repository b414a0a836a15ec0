//! The clocks, and a timer that also runs while the machine sleeps.

use std::os::fd::OwnedFd;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use subcortex_cadence::BootMs;
use tokio::io::unix::AsyncFd;

pub(crate) use subcortex_work::now;

/// Wakes at a moment of the clock that counts the time asleep. A timer of the runtime would not: after a
/// night with the lid shut it would be late by the whole night.
#[derive(Debug)]
pub(crate) struct BootTimer {
    timer: AsyncFd<OwnedFd>,
}

impl BootTimer {
    #[allow(deprecated)] // its successor is unsafe to call; an owned descriptor keeps the promise that it asks for
    pub(crate) fn new() -> std::io::Result<Self> {
        let timer = timerfd_create(TimerfdClockId::Boottime, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        Ok(Self { timer: AsyncFd::new(timer)? })
    }

    /// Waits until a moment, which may have passed already.
    pub(crate) async fn wait_until(&self, moment: BootMs) -> std::io::Result<()> {
        // A time of zero would switch the timer off.
        let ms = i64::try_from(moment.0).unwrap_or(i64::MAX).max(1);
        let it_value = Timespec { tv_sec: ms / 1000, tv_nsec: (ms % 1000) * 1_000_000 };
        let setting = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value };
        timerfd_settime(self.timer.get_ref(), TimerfdTimerFlags::ABSTIME, &setting)?;
        self.timer.readable().await?.clear_ready();
        Ok(())
    }
}
