//! Which loops run now: by their cadence, their priority, and what others hold. Pure.
//!
//! A loop is due when its cadence has passed since its last line in `run-log.md`; one that never ran is due at once, and
//! one that was away for long has one run, not many. Of those that are due, the higher priority goes first. Who needs a
//! worktree or branch that another holds is *deferred*: it waits for its next cadence. Who only finds no room among the
//! runs at once stays due.

use std::collections::BTreeSet;

use subcortex_cadence::UnixMs;

use crate::cadence::LoopCadence;

/// A loop that could run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name among all loops.
    pub key: String,
    /// Its place in the order of patterns: the lowest goes first.
    pub rank: usize,
    /// The worktree and the branches that it would hold, in any words that are the same for the same thing.
    pub needs: BTreeSet<String>,
}

/// A run that goes on, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Whose.
    pub key: String,
    /// What.
    pub holds: BTreeSet<String>,
}

/// What becomes of a loop that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// It runs.
    Start {
        /// Which loop.
        key: String,
    },
    /// Somebody holds what it needs: it waits for its next cadence.
    Defer {
        /// Which loop.
        key: String,
        /// Who holds it.
        by: String,
        /// What.
        what: String,
    },
}

/// When a loop is due next; `None` when its calendar has ended.
pub fn next_due(cadence: &LoopCadence, last: Option<UnixMs>, now: UnixMs) -> Option<UnixMs> {
    match last {
        None => Some(now),
        Some(last) => cadence.next_after(last),
    }
}

/// Whether a loop has been silent for twice its cadence.
pub fn is_down(cadence: &LoopCadence, last: Option<UnixMs>, now: UnixMs) -> bool {
    let second = last.and_then(|last| cadence.next_after(cadence.next_after(last)?));
    second.is_some_and(|second| second < now)
}

/// Gives turns to loops that are due. `room` is how many more may run at once.
pub fn turns(due: &[Candidate], running: &[Holder], room: usize) -> Vec<Turn> {
    let mut order: Vec<&Candidate> =
        due.iter().filter(|one| !running.iter().any(|run| run.key == one.key)).collect();
    order.sort_by(|one, other| (one.rank, &one.key).cmp(&(other.rank, &other.key)));
    let mut holders: Vec<Holder> = running.to_vec();
    let mut turns = Vec::new();
    let mut room = room;
    for candidate in order {
        if let Some((by, what)) = contention(candidate, &holders) {
            turns.push(Turn::Defer { key: candidate.key.clone(), by, what });
        } else if room > 0 {
            room -= 1;
            holders.push(Holder { key: candidate.key.clone(), holds: candidate.needs.clone() });
            turns.push(Turn::Start { key: candidate.key.clone() });
        }
    }
    turns
}

/// Who holds something that a loop needs.
fn contention(candidate: &Candidate, holders: &[Holder]) -> Option<(String, String)> {
    holders.iter().find_map(|holder| {
        let what = holder.holds.intersection(&candidate.needs).next()?;
        Some((holder.key.clone(), what.clone()))
    })
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    const MINUTE_MS: i64 = 60_000;

    fn candidate(key: &str, rank: usize, needs: &[&str]) -> Candidate {
        Candidate { key: key.into(), rank, needs: needs.iter().map(|need| (*need).to_owned()).collect() }
    }

    fn shown(turns: &[Turn]) -> Vec<String> {
        let show = |turn: &Turn| match turn {
            Turn::Start { key } => format!("start {key}"),
            Turn::Defer { key, by, what } => format!("defer {key}: {by} holds {what}"),
        };
        turns.iter().map(show).collect()
    }

    #[test]
    fn the_higher_priority_goes_first_and_contention_defers_the_lower() {
        let due =
            [candidate("scan", 5, &["wt"]), candidate("ci", 0, &["wt"]), candidate("bump", 2, &["own"])];
        assert_eq!(shown(&turns(&due, &[], 8)), ["start ci", "start bump", "defer scan: ci holds wt"]);
        assert_eq!(shown(&turns(&due, &[], 1)), ["start ci", "defer scan: ci holds wt"]);
        let running = [Holder { key: "other".into(), holds: BTreeSet::from(["own".into()]) }];
        assert_eq!(
            shown(&turns(&due, &running, 0)),
            ["defer bump: other holds own"],
            "without room nobody holds anything new"
        );
    }

    #[test]
    fn a_loop_never_overlaps_itself() {
        let running = [Holder { key: "ci".into(), holds: BTreeSet::new() }];
        assert_eq!(turns(&[candidate("ci", 0, &[])], &running, 8), []);
    }

    #[test]
    fn a_loop_is_due_a_cadence_after_its_last_run_and_at_once_without_one() {
        let cadence = LoopCadence::Every(600_000);
        let now = UnixMs(1_000_000);
        assert_eq!(next_due(&cadence, Some(UnixMs(900_000)), now), Some(UnixMs(1_500_000)));
        assert_eq!(next_due(&cadence, None, now), Some(now));
    }

    #[test]
    fn silence_for_twice_the_cadence_is_down_by_duration_and_by_calendar() {
        let every = LoopCadence::Every(600_000);
        assert!(!is_down(&every, Some(UnixMs(0)), UnixMs(1_200_000)));
        assert!(is_down(&every, Some(UnixMs(0)), UnixMs(1_200_001)));
        assert!(!is_down(&every, None, UnixMs(9_999_999)), "it never ran, so it is not silent");
        let daily = LoopCadence::parse("0 9 * * *", &TimeZone::UTC).unwrap();
        let at = |hour: i64| UnixMs(hour * 60 * MINUTE_MS);
        assert!(!is_down(&daily, Some(at(9)), at(56)));
        assert!(is_down(&daily, Some(at(9)), at(58)));
    }

    /// Two loops on one worktree, with runs of all lengths, some of which never end by themselves before the next cadence.
    #[test]
    fn two_loops_on_one_worktree_never_hold_it_at_once_in_a_thousand_days() {
        struct Sim {
            cadence: LoopCadence,
            last: Option<UnixMs>,
            ends: Option<UnixMs>,
            runs: u64,
            deferred: u64,
        }
        let sim = |minutes: u64| Sim {
            cadence: LoopCadence::Every(minutes * 60_000),
            last: None,
            ends: None,
            runs: 0,
            deferred: 0,
        };
        let mut loops = [("ci", 0, sim(10)), ("scan", 5, sim(45))];
        let mut random = subcortex_testkit::Random::seeded(7);
        for minute in 0..1000 * 24 * 60_i64 {
            let now = UnixMs(minute * MINUTE_MS);
            for (_, _, one) in &mut loops {
                if one.ends.is_some_and(|end| end <= now) {
                    (one.ends, one.last) = (None, Some(now));
                }
            }
            let due: Vec<Candidate> = loops
                .iter()
                .filter(|(_, _, one)| next_due(&one.cadence, one.last, now).is_some_and(|at| at <= now))
                .map(|(key, rank, _)| candidate(key, *rank, &["worktree"]))
                .collect();
            let running: Vec<Holder> = loops
                .iter()
                .filter(|(_, _, one)| one.ends.is_some())
                .map(|(key, ..)| Holder { key: (*key).into(), holds: BTreeSet::from(["worktree".into()]) })
                .collect();
            for turn in turns(&due, &running, 2) {
                let (Turn::Start { key } | Turn::Defer { key, .. }) = &turn;
                let Some((_, _, one)) = loops.iter_mut().find(|(name, ..)| name == key) else { continue };
                match turn {
                    Turn::Start { .. } => {
                        one.ends = Some(UnixMs(now.0 + random.below(30) as i64 * MINUTE_MS + 1));
                        one.runs += 1;
                    }
                    Turn::Defer { .. } => (one.last, one.deferred) = (Some(now), one.deferred + 1),
                }
            }
            let holding = loops.iter().filter(|(_, _, one)| one.ends.is_some()).count();
            assert!(holding <= 1, "minute {minute}");
        }
        for (key, _, one) in &loops {
            assert!(
                one.runs > 5_000 && one.deferred > 0,
                "{key}: {} runs, {} deferred",
                one.runs,
                one.deferred
            );
        }
    }
}
