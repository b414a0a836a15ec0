//! The end of a task, in an order that survives a crash at any point.
//!
//! An ack has five steps, each durable before the next begins:
//!
//! 1. the terminal result, in the run record ([`crate::Effect::RecordTask`]),
//! 2. the intent, in the saved state of the scheduler ([`crate::Effect::SaveState`]),
//! 3. `task.done` on the spine,
//! 4. exactly this file removed from the inbox,
//! 5. the inbox directory synced; only then is the intent forgotten ([`crate::Event::TaskAcked`]).
//!
//! After a restart the records of runs that were under way are asked for results that have no intent yet
//! ([`crate::saved::PartitionMemory::learn_results`]), and then every intent is looked into
//! ([`crate::Effect::RecoverAck`]). What is found on the disk decides, and nothing else:
//!
//! | file in the inbox | result in a run record | `task.done` on the spine | what happened                | recovery                      |
//! |-------------------|------------------------|--------------------------|------------------------------|-------------------------------|
//! | this one          | no                     | no                       | the record was deleted since | stays: a run takes it again   |
//! | this one          | yes                    | no                       | crash before step 3          | `task.done`, then remove      |
//! | this one          | yes                    | yes                      | crash before step 4          | remove                        |
//! | this one          | no                     | yes                      | the record was deleted since | remove: 3 never precedes 1    |
//! | none              | no                     | no                       | removed by hand, unfinished  | forget                        |
//! | none              | yes                    | no                       | removed by hand, finished    | `task.done`                   |
//! | none              | yes                    | yes                      | crash before step 5          | nothing                       |
//! | none              | no                     | yes                      | the record was deleted since | nothing                       |
//! | another           | no                     | no                       | replaced, unfinished         | forget; the new file is a task|
//! | another           | yes                    | no                       | replaced, finished           | `task.done`; the new one stays|
//! | another           | yes                    | yes                      | dropped again after the ack  | nothing; the new one stays    |
//! | another           | no                     | yes                      | the same, record deleted     | nothing; the new one stays    |
//!
//! "This one" is the file with the stamp that the run took; a file of the same name and content that was
//! dropped again is another one. A task without an intent is simply pending.
//!
//! Not promised: an engine may be started twice for one task (crash after its work and before step 1). Its
//! effects carry the task's key, so that they are not doubled.

/// What the inbox holds under the task's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileFound {
    /// The file that the run took.
    ThisOne,
    /// Nothing.
    None,
    /// A file with another content or another stamp.
    Another,
}

/// What the disk says about a task whose ack had begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Found {
    /// What the inbox holds.
    pub file: FileFound,
    /// Whether a run record holds a terminal result of this task.
    pub result_recorded: bool,
    /// Whether the spine holds its `task.done`.
    pub done_on_spine: bool,
}

/// How an interrupted ack is brought to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Recovery {
    /// Leave the file: the result was never durable, so a run takes the task again.
    RunAgain,
    /// Append `task.done`, then remove the file and sync the directory.
    RecordDoneThenRemove,
    /// Remove the file and sync the directory.
    Remove,
    /// Append `task.done`; there is no file of this task.
    RecordDone,
    /// Everything is done already.
    Nothing,
    /// The task went away unfinished; whatever is in the inbox now is another one.
    Forget,
}

impl Recovery {
    /// Whether the task counts as acked afterwards: report [`crate::Event::TaskAcked`], else
    /// [`crate::Event::AckUndone`].
    pub fn is_acked(self) -> bool {
        match self {
            Recovery::RecordDoneThenRemove | Recovery::Remove | Recovery::RecordDone | Recovery::Nothing => {
                true
            }
            Recovery::RunAgain | Recovery::Forget => false,
        }
    }
}

/// The table of the header.
pub fn recover(found: Found) -> Recovery {
    let Found { file, result_recorded, done_on_spine } = found;
    match (file, result_recorded, done_on_spine) {
        (FileFound::ThisOne, false, false) => Recovery::RunAgain,
        (FileFound::ThisOne, true, false) => Recovery::RecordDoneThenRemove,
        (FileFound::ThisOne, _, true) => Recovery::Remove,
        (FileFound::None | FileFound::Another, false, false) => Recovery::Forget,
        (FileFound::None | FileFound::Another, true, false) => Recovery::RecordDone,
        (FileFound::None | FileFound::Another, _, true) => Recovery::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Found> {
        let files = [FileFound::ThisOne, FileFound::None, FileFound::Another];
        let flags = [(false, false), (true, false), (true, true), (false, true)];
        let row = |file, (result_recorded, done_on_spine)| Found { file, result_recorded, done_on_spine };
        files.into_iter().flat_map(|file| flags.map(|flags| row(file, flags))).collect()
    }

    /// Carries a recovery out on the three facts.
    fn carry_out(found: Found, recovery: Recovery) -> Found {
        let removed = if found.file == FileFound::ThisOne { FileFound::None } else { found.file };
        match recovery {
            Recovery::RecordDoneThenRemove => Found { file: removed, done_on_spine: true, ..found },
            Recovery::Remove => Found { file: removed, ..found },
            Recovery::RecordDone => Found { done_on_spine: true, ..found },
            Recovery::RunAgain | Recovery::Nothing | Recovery::Forget => found,
        }
    }

    #[test]
    fn the_table_of_the_header_is_what_the_code_does() {
        let rows: Vec<[String; 3]> = include_str!("ack.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("//! | "))
            .map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>())
            .filter(|cells| cells.len() > 4 && matches!(cells[0].as_str(), "this one" | "none" | "another"))
            .map(|cells| [cells[0].clone(), format!("{} {}", cells[1], cells[2]), cells[4].clone()])
            .collect();
        assert_eq!(rows.len(), 12);
        for (found, [file, flags, recovery]) in all().into_iter().zip(rows) {
            let name = match found.file {
                FileFound::ThisOne => "this one",
                FileFound::None => "none",
                FileFound::Another => "another",
            };
            let yes_no = |flag| if flag { "yes" } else { "no" };
            assert_eq!(
                (name, format!("{} {}", yes_no(found.result_recorded), yes_no(found.done_on_spine))),
                (file.as_str(), flags)
            );
            let begins = match recover(found) {
                Recovery::RunAgain => "stays: a run takes it again",
                Recovery::RecordDoneThenRemove => "`task.done`, then remove",
                Recovery::Remove => "remove",
                Recovery::RecordDone => "`task.done`",
                Recovery::Nothing => "nothing",
                Recovery::Forget => "forget",
            };
            assert!(recovery.starts_with(begins), "{found:?}: {recovery}");
        }
    }

    #[test]
    fn no_recovery_removes_a_task_without_a_durable_result() {
        for found in all() {
            let removes = matches!(recover(found), Recovery::Remove | Recovery::RecordDoneThenRemove);
            assert!(!removes || found.result_recorded || found.done_on_spine, "{found:?}");
            assert!(!removes || found.file == FileFound::ThisOne, "another file is never removed: {found:?}");
        }
    }

    #[test]
    fn a_recovery_that_is_cut_short_or_done_twice_comes_to_the_same_end() {
        for found in all() {
            let once = carry_out(found, recover(found));
            assert_eq!(carry_out(once, recover(once)), once, "{found:?}");
            if recover(found) == Recovery::RecordDoneThenRemove {
                let halfway = Found { done_on_spine: true, ..found };
                assert_eq!(carry_out(halfway, recover(halfway)), once);
            }
            if recover(found).is_acked() {
                assert!(once.done_on_spine && once.file != FileFound::ThisOne, "{found:?}");
            }
        }
    }
}
