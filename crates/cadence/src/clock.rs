//! Counts ticks.
//!
//! While the daemon runs, ticks are counted with the clock that only goes forward and also counts the time
//! the machine slept: setting the wall clock changes nothing. The time that passed while no daemon ran can
//! only be read off the wall clock; if that went back meanwhile, no tick is counted, and the next one comes
//! after one interval.

use crate::{BootMs, Now, Tick, UnixMs};

/// A difference between the clocks that is more than the correction of a time server.
pub(crate) const CLOCK_JUMP_MS: i64 = 2_000;

/// The beat.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    pub(crate) tick: Tick,
    /// When the last tick was, by the wall clock as it goes now.
    pub(crate) last_tick_at: Option<UnixMs>,
    /// When the next one is.
    pub(crate) next_tick: BootMs,
    last: Now,
}

/// What the passing of time brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Passed {
    /// How many ticks.
    pub(crate) ticks: u64,
    /// How late the last of them was noticed.
    pub(crate) late_ms: u64,
    /// By how much the wall clock was set, if it was.
    pub(crate) jumped_ms: Option<i64>,
    /// Whether the clocks went differently at all, so that moments by the wall clock come sooner or later than
    /// foreseen.
    pub(crate) drifted: bool,
}

impl Clock {
    /// The clock of a daemon that has not started yet.
    pub(crate) fn saved(tick: Tick, last_tick_at: Option<UnixMs>) -> Clock {
        Clock { tick, last_tick_at, next_tick: BootMs(u64::MAX), last: Now::default() }
    }

    /// The daemon starts: counts the ticks that passed since the last one. The very first start is tick 1.
    pub(crate) fn start(&mut self, now: Now, interval_ms: u64) -> Passed {
        self.last = now;
        let down_ms = self.last_tick_at.map(|last| u64::try_from(now.wall.since_ms(last)));
        let (ticks, late_ms) = match down_ms {
            None => (1, 0),
            Some(Ok(down_ms)) => (down_ms / interval_ms, down_ms % interval_ms),
            // The wall clock was set back, and nobody knows by how much.
            Some(Err(_)) => (0, 0),
        };
        self.beat(now, ticks, late_ms, interval_ms);
        Passed { ticks, late_ms, ..Passed::default() }
    }

    /// Time passes.
    pub(crate) fn advance(&mut self, now: Now, interval_ms: u64) -> Passed {
        let elapsed_ms = now.boot.since_ms(self.last.boot);
        let shown_ms = now.wall.since_ms(self.last.wall);
        let drift_ms = shown_ms.saturating_sub_unsigned(elapsed_ms);
        let drifted = drift_ms != 0;
        let jumped_ms = (drift_ms.saturating_abs() >= CLOCK_JUMP_MS).then_some(drift_ms);
        if let Some(jumped_ms) = jumped_ms {
            self.last_tick_at = self.last_tick_at.map(|at| at.plus_ms(jumped_ms));
        }
        self.last = Now { wall: now.wall, boot: now.boot.max(self.last.boot) };
        if now.boot < self.next_tick {
            return Passed { jumped_ms, drifted, ..Passed::default() };
        }
        let overdue_ms = now.boot.since_ms(self.next_tick);
        let (ticks, late_ms) = (overdue_ms / interval_ms + 1, overdue_ms % interval_ms);
        self.beat(now, ticks, late_ms, interval_ms);
        Passed { ticks, late_ms, jumped_ms, drifted }
    }

    /// A tick out of turn. The rhythm stays.
    pub(crate) fn beat_once(&mut self) {
        self.tick = self.tick.plus(1);
    }

    /// The interval was changed.
    pub(crate) fn set_interval(&mut self, interval_ms: u64) {
        self.next_tick = self.next_tick.min(self.last.boot.plus_ms(interval_ms));
    }

    fn beat(&mut self, now: Now, ticks: u64, late_ms: u64, interval_ms: u64) {
        self.tick = self.tick.plus(ticks);
        self.last_tick_at = Some(now.wall.plus_ms(-i64::try_from(late_ms).unwrap_or(i64::MAX)));
        self.next_tick = now.boot.plus_ms(interval_ms - late_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_MS: u64 = 60_000;
    const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1000;

    fn at(wall_ms: i64, boot_ms: u64) -> Now {
        Now { wall: UnixMs(wall_ms), boot: BootMs(boot_ms) }
    }

    fn started() -> Clock {
        let mut clock = Clock::saved(Tick(0), None);
        assert_eq!(clock.start(at(1_000_000, 500), MINUTE_MS).ticks, 1);
        clock
    }

    #[test]
    fn the_first_start_is_tick_one_and_then_one_an_interval() {
        let mut clock = started();
        assert_eq!(clock.advance(at(1_059_999, 60_499), MINUTE_MS).ticks, 0);
        let passed = clock.advance(at(1_060_004, 60_504), MINUTE_MS);
        assert_eq!(passed, Passed { ticks: 1, late_ms: 4, ..Passed::default() });
        assert_eq!(clock.tick, Tick(2));
        assert_eq!(clock.next_tick, BootMs(120_500), "a late tick does not move the rhythm");
    }

    #[test]
    fn a_machine_that_slept_missed_ticks_and_they_are_counted_at_once() {
        let mut clock = started();
        let eight_hours = 8 * 60 * MINUTE_MS;
        let passed = clock.advance(at(1_000_000 + eight_hours as i64, 500 + eight_hours), MINUTE_MS);
        assert_eq!((passed.ticks, passed.jumped_ms), (480, None));
    }

    #[test]
    fn setting_the_wall_clock_counts_no_tick_and_stops_none() {
        for jump_ms in
            [3_000, -3_000, YEAR_MS, -YEAR_MS, 10 * YEAR_MS, -1_000_000, i64::from(i32::MAX) * 1000]
        {
            let mut clock = started();
            let passed = clock.advance(at(1_001_000 + jump_ms, 1_500), MINUTE_MS);
            assert_eq!((passed.ticks, passed.jumped_ms, passed.drifted), (0, Some(jump_ms), true));
            let passed = clock.advance(at(1_060_000 + jump_ms, 60_500), MINUTE_MS);
            assert_eq!((passed.ticks, passed.jumped_ms), (1, None));
            assert_eq!(clock.last_tick_at, Some(UnixMs(1_060_000 + jump_ms)));
        }
    }

    #[test]
    fn a_restart_counts_the_ticks_that_passed_and_keeps_the_rhythm() {
        let mut clock = Clock::saved(Tick(7), Some(UnixMs(1_000_000)));
        let passed = clock.start(at(1_000_000 + 330_000, 90), MINUTE_MS);
        assert_eq!((passed.ticks, clock.tick, clock.next_tick), (5, Tick(12), BootMs(90 + 30_000)));
        let mut clock = Clock::saved(Tick(7), Some(UnixMs(1_000_000)));
        let passed = clock.start(at(1_010_000, 90), MINUTE_MS);
        assert_eq!((passed.ticks, clock.tick, clock.next_tick), (0, Tick(7), BootMs(90 + 50_000)));
    }

    #[test]
    fn a_restart_with_a_clock_that_was_set_back_goes_on_counting() {
        let mut clock = Clock::saved(Tick(7), Some(UnixMs(10 * YEAR_MS)));
        let passed = clock.start(at(0, 90), MINUTE_MS);
        assert_eq!((passed.ticks, clock.tick, clock.next_tick), (0, Tick(7), BootMs(90 + MINUTE_MS)));
    }

    #[test]
    fn extreme_clocks_neither_panic_nor_count_backwards() {
        for wall in [i64::MIN, -1, 0, i64::MAX] {
            for saved in [i64::MIN, 0, i64::MAX] {
                let mut clock = Clock::saved(Tick(u64::MAX - 3), Some(UnixMs(saved)));
                clock.start(at(wall, u64::MAX), 1_000);
                clock.advance(at(i64::MAX - wall.max(0), 0), 1_000);
                clock.advance(at(wall, u64::MAX), 1_000);
                assert!(clock.tick >= Tick(u64::MAX - 3));
            }
        }
    }
}
