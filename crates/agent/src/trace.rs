//! The story of a run, step by step, for whoever wants to know why it went as it did.

use subcortex_scratchpad::MAX_TRACE_BYTES;

use crate::text::{last_lines, many_lines};

/// How much of one answer or result is told, in bytes.
const MAX_PART_BYTES: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Trace(String);

impl Trace {
    /// A line of ours, and below it, indented, what somebody else wrote. So no foreign line looks like one of ours.
    pub(crate) fn tell(&mut self, ours: &str, theirs: &str) {
        self.0.push_str(ours);
        self.0.push('\n');
        for line in many_lines(theirs, MAX_PART_BYTES).lines() {
            self.0.push_str("    ");
            self.0.push_str(line);
            self.0.push('\n');
        }
        // Twice as much, so that a long story is not copied with each of its lines.
        if self.0.len() > 2 * MAX_TRACE_BYTES {
            self.0 = last_lines(&self.0, MAX_TRACE_BYTES).to_owned();
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}
