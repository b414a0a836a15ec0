//! A difference as `diff -u` writes it.

use std::fmt::{self, Write};
use std::ops::Range;

use crate::{Change, Difference, Stretch};

impl Difference<'_> {
    /// The difference in the unified format, with so many kept lines around each change. Empty if nothing
    /// was changed.
    pub fn unified(&self, before_name: &str, after_name: &str, context_lines: usize) -> String {
        let hunks = self.hunks(context_lines);
        let mut text = String::new();
        if !hunks.is_empty() {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "--- {before_name}\n+++ {after_name}\n");
            for hunk in &hunks {
                let _ = self.write_hunk(&mut text, hunk);
            }
        }
        text
    }

    /// Changes with the kept lines around them; two that share their surroundings stand together.
    fn hunks(&self, context_lines: usize) -> Vec<Vec<Stretch>> {
        let mut hunks = Vec::new();
        let mut hunk = Vec::new();
        for (index, stretch) in self.stretches.iter().enumerate() {
            let (is_first, is_last) = (index == 0, index + 1 == self.stretches.len());
            let lines = stretch.before.len();
            let between_two = !is_first && !is_last && lines <= 2 * context_lines;
            if stretch.change != Change::Kept || between_two {
                hunk.push(stretch.clone());
            } else {
                if !is_first {
                    hunk.push(part(stretch, 0..lines.min(context_lines)));
                    hunks.push(std::mem::take(&mut hunk));
                }
                if !is_last {
                    hunk.push(part(stretch, lines.saturating_sub(context_lines)..lines));
                }
            }
        }
        if !hunk.is_empty() {
            hunks.push(hunk);
        }
        hunks
    }

    fn write_hunk(&self, text: &mut String, hunk: &[Stretch]) -> fmt::Result {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return Ok(()) };
        let before = position(first.before.start..last.before.end);
        let after = position(first.after.start..last.after.end);
        writeln!(text, "@@ -{before} +{after} @@")?;
        for stretch in hunk {
            let (mark, lines) = match stretch.change {
                Change::Kept => (' ', &self.before[stretch.before.clone()]),
                Change::Removed => ('-', &self.before[stretch.before.clone()]),
                Change::Added => ('+', &self.after[stretch.after.clone()]),
            };
            for line in lines {
                write!(text, "{mark}{line}")?;
                if !line.ends_with('\n') {
                    text.push_str("\n\\ No newline at end of file\n");
                }
            }
        }
        Ok(())
    }
}

/// Some of the lines of a kept stretch.
fn part(stretch: &Stretch, lines: Range<usize>) -> Stretch {
    let shifted = |whole: &Range<usize>| whole.start + lines.start..whole.start + lines.end;
    Stretch { change: stretch.change, before: shifted(&stretch.before), after: shifted(&stretch.after) }
}

/// Where a hunk is: its first line counted from 1 and its length, which is left out if it is 1. A stretch
/// without lines is named by the line before it.
fn position(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        len => format!("{},{len}", lines.start + 1),
    }
}
