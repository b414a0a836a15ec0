//! Session files of coding agents, put on the spine.
//!
//! [`Sources::find`] looks for the files, [`import`] reads them, oldest first, and appends what they say. [`Tail`]
//! follows files that are still being written.
//!
//! [`read_file`] reads one file for whoever wants its drafts elsewhere.
//!
//! - Files are read line by line and never held in memory; `.zst` is unpacked on the way. A line beyond the
//!   limit of the transcript readers is passed over and counted.
//! - Reading and appending happen side by side, in two threads with a short queue between them.
//! - Nothing is stored twice: each draft has an id that depends on the file's content alone, and the spine
//!   recognises it. So an import that was interrupted is simply started again.
//! - A file is read up to the length that it had when it was opened, so one that grows does not hold the import up.
//!   While it may still grow, a half-written last line and words that wait for their delivery are left to the
//!   next import.
//! - A file that disappears, shrinks or cannot be read is counted with its reason; the others are read.
//! - What the summary reports is durable when [`import`] returns.

mod beside;
mod file;
mod find;
mod lines;
mod of_project;
mod outbox;
mod progress;
mod summary;
mod tail;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;

use jiff::Timestamp;
use subcortex_known_agents::Agent;
use subcortex_known_agents::transcript::Rest;
use subcortex_model::Draft;
use subcortex_spine::{AppendError, Spine};
use subcortex_store::Disk;

pub use file::{FileOptions, QUIET_SECS, Taker, read_file};
pub use find::{Problem, SourceFile, Sources, is_session_name};
pub use of_project::Holds;
pub use progress::Progress;
pub use summary::{Summary, skipped};
pub use tail::{Look, News, Root, Tail};

use of_project::Gate;
use outbox::{Appender, Batches};

/// How many batches wait between reading and appending.
const QUEUED_BATCHES: usize = 1;

/// What an import is told about its surroundings.
pub struct Options<'a> {
    /// Whose session files they are.
    pub agent: &'static Agent,
    /// Directories of subcortex itself: sessions below them are its own work and are left out.
    pub own_dirs: Vec<PathBuf>,
    /// Only sessions in directories for which this holds.
    pub only: Option<&'a Holds<'a>>,
    /// The time. It is asked for again and again, since an import may last beyond midnight.
    pub clock: &'a (dyn Fn() -> Timestamp + Sync),
}

/// Puts on the spine what the files say. `watch` hears how far it is.
///
/// On an error the spine has what was appended before it; starting again goes on from there.
pub fn import(
    spine: &mut Spine,
    disk: &dyn Disk,
    sources: Sources,
    options: &Options<'_>,
    watch: &mut dyn FnMut(Progress),
) -> Result<Summary, AppendError> {
    let mut summary = Summary::default();
    let mut progress = Progress::of(&sources);
    for problem in sources.problems {
        summary.add_problem(problem);
    }
    let appended = std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(QUEUED_BATCHES);
        let clock = options.clock;
        let appender = scope.spawn(move || Appender::new(spine, clock).run(receiver));
        let mut batches = Batches::new(move |batch| match sender.send(batch) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        });
        for source in &sources.files {
            watch(progress);
            let file_options = FileOptions {
                agents: &[options.agent],
                own_dirs: options.own_dirs.clone(),
                now: (options.clock)(),
                rest: Rest::Orders,
            };
            let mut gate = Gate::new(options.only);
            let mut is_stopped = false;
            let mut take = |drafts: &mut Vec<Draft>| {
                gate.admit(drafts)?;
                let taken = batches.take(drafts);
                is_stopped = taken.is_break();
                taken
            };
            let mut told = |read_bytes| watch(progress.within_file(read_bytes));
            let mut of_file = Summary::default();
            let _end = read_file(disk, source, &file_options, &mut of_file, &mut take, &mut told);
            if is_stopped {
                break; // the appender says why
            }
            if gate.is_ours() || !of_file.problems.is_empty() {
                summary.add(of_file);
            } else {
                summary.skip(skipped::OTHER_PROJECT, 1);
            }
            progress = progress.after_file(source);
        }
        let _stopped = batches.flush();
        drop(batches);
        appender.join()
    });
    let appended = match appended {
        Ok(appended) => appended?,
        Err(panic) => std::panic::resume_unwind(panic),
    };
    summary.add_appended(appended);
    watch(progress);
    Ok(summary)
}
