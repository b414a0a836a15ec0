//! The clocks.

use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use subcortex_cadence::{BootMs, Now, UnixMs};

/// What both clocks show.
pub fn now() -> Now {
    let boot = clock_gettime(ClockId::Boottime);
    let ms =
        u64::try_from(boot.tv_sec).unwrap_or(0) * 1000 + u64::try_from(boot.tv_nsec).unwrap_or(0) / 1_000_000;
    Now { wall: UnixMs(Timestamp::now().as_millisecond()), boot: BootMs(ms) }
}

/// How long it is until a deadline; 0 when it has passed.
pub(crate) fn remaining_ms(deadline: BootMs) -> u64 {
    deadline.since_ms(now().boot)
}
