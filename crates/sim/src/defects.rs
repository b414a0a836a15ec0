//! Whether the simulator notices: each mistake in the order of things is put in on purpose, and must be found.

use subcortex_edge::Defect;

use crate::live_in;
use crate::world::World;

/// Within how many lives a mistake must show.
const SEEDS: u64 = 2_000;

/// The first life in which a mistake shows, and what is wrong there.
fn first_found(defect: Defect) -> Option<(u64, String)> {
    (0..SEEDS).find_map(|seed| {
        let mut world = World::new(seed);
        world.defect = Some(defect);
        live_in(&mut world).err().map(|what| (seed, what))
    })
}

fn is_found(defect: Defect, what_is_wrong: &str) {
    let (seed, what) =
        first_found(defect).unwrap_or_else(|| panic!("{defect:?} does not show in {SEEDS} lives"));
    println!("{defect:?} shows in seed {seed}: {what}");
    assert!(what.contains(what_is_wrong), "{defect:?} shows in seed {seed} as something else: {what}");
}

#[test]
fn a_run_that_starts_before_the_state_is_saved_is_found() {
    is_found(Defect::SaveLast, "before the state was saved");
}

#[test]
fn a_result_that_was_recorded_before_the_state_was_saved_and_is_not_read_is_found() {
    is_found(Defect::RecordsUnread, "whose result is recorded");
}

#[test]
fn a_task_that_is_done_before_its_result_is_recorded_is_found() {
    is_found(Defect::DoneBeforeRecord, "without a durable result");
}

#[test]
fn a_file_that_goes_before_its_task_is_done_is_found() {
    is_found(Defect::RemoveBeforeDone, "nobody knows that it is done");
}

#[test]
fn an_ack_without_a_look_at_the_kill_switches_is_found() {
    is_found(Defect::AckUnlooked, "under a kill switch");
}

#[test]
fn a_stale_list_that_brings_back_what_is_done_is_found() {
    is_found(Defect::StaleLists, "which is done");
}

#[test]
fn an_ack_that_begins_anew_after_a_full_disk_is_found() {
    is_found(Defect::RemovalAnew, "which is done");
}
