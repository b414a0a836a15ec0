//! One line on the terminal that says how far something is.

use std::io::{IsTerminal, Write as _, stderr};
use std::time::{Duration, Instant};

use subcortex_import::Progress;

/// How often the progress is shown.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);
const BAR_CELLS: usize = 30;
const BYTES_PER_MIB: u64 = 1024 * 1024;

/// A bar on standard error; nothing where nobody watches.
pub(crate) struct Bar {
    is_watched: bool,
    shown_at: Option<Instant>,
}

impl Bar {
    pub(crate) fn new() -> Self {
        Self { is_watched: stderr().is_terminal(), shown_at: None }
    }

    pub(crate) fn show(&mut self, progress: Progress) {
        if !self.is_watched || self.shown_at.is_some_and(|at| at.elapsed() < PROGRESS_PAUSE) {
            return;
        }
        self.shown_at = Some(Instant::now());
        // Nothing can be done when the terminal is gone.
        drop(write!(stderr().lock(), "\r{}\x1b[K", bar(progress)));
    }

    pub(crate) fn clear(&self) {
        if self.shown_at.is_some() {
            drop(write!(stderr().lock(), "\r\x1b[K"));
        }
    }
}

fn bar(progress: Progress) -> String {
    let Progress { files_done, files_total, bytes_done, bytes_total } = progress;
    let done = bytes_done.min(bytes_total) as usize;
    let cells = (done * BAR_CELLS).checked_div(bytes_total as usize).unwrap_or(BAR_CELLS);
    format!(
        "[{:<BAR_CELLS$}] {}/{} MiB, {files_done}/{files_total} files",
        "#".repeat(cells),
        bytes_done / BYTES_PER_MIB,
        bytes_total / BYTES_PER_MIB,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_with_the_bytes_and_never_overflows() {
        let at = |bytes_done| {
            bar(Progress { files_done: 1, files_total: 3, bytes_done, bytes_total: 4 * BYTES_PER_MIB })
        };
        assert_eq!(at(0), "[                              ] 0/4 MiB, 1/3 files");
        assert_eq!(at(2 * BYTES_PER_MIB), "[###############               ] 2/4 MiB, 1/3 files");
        assert_eq!(at(9 * BYTES_PER_MIB), "[##############################] 9/4 MiB, 1/3 files");
        assert_eq!(bar(Progress::default()), "[##############################] 0/0 MiB, 0/0 files");
    }
}
