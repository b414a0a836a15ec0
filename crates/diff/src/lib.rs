//! The difference of two texts, line by line.
//!
//! [`between`] gives it as stretches of lines that were kept, removed or added, in the order of the texts;
//! [`Difference::unified`] writes them as `diff -u` does. The list is a shortest one, up to [`MAX_EDITS`].
//! Everything here is plain functions over `&str` and numbers: compiled once, however many use it.

mod shortest;
mod unified;

use std::collections::HashMap;
use std::ops::Range;

pub use shortest::MAX_EDITS;

/// What became of some lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// They stand in both texts.
    Kept,
    /// They stand only in the first one.
    Removed,
    /// They stand only in the second one.
    Added,
}

/// Lines that follow each other and share a fate. Of an addition `before` is empty and says where it was
/// put in; of a removal `after` is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// What became of them.
    pub change: Change,
    /// Which lines of the first text, counted from 0.
    pub before: Range<usize>,
    /// Which lines of the second text, counted from 0.
    pub after: Range<usize>,
}

/// How one text became another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference<'a> {
    /// The lines of the first text, each with its line end.
    pub before: Vec<&'a str>,
    /// The lines of the second text, each with its line end.
    pub after: Vec<&'a str>,
    /// All lines of both, in order; where some were replaced, the removal comes first.
    pub stretches: Vec<Stretch>,
}

/// Compares two texts.
pub fn between<'a>(before: &'a str, after: &'a str) -> Difference<'a> {
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let mut numbers = HashMap::new();
    let kept = shortest::kept(&numbered(&before, &mut numbers), &numbered(&after, &mut numbers));
    let stretches = stretches(&kept, before.len(), after.len());
    Difference { before, after, stretches }
}

impl<'a> Difference<'a> {
    /// The lines that only the first text has.
    pub fn removed(&self) -> impl Iterator<Item = &'a str> {
        self.of(Change::Removed).flat_map(|stretch| self.before[stretch.before.clone()].iter().copied())
    }

    /// The lines that only the second text has.
    pub fn added(&self) -> impl Iterator<Item = &'a str> {
        self.of(Change::Added).flat_map(|stretch| self.after[stretch.after.clone()].iter().copied())
    }

    fn of(&self, change: Change) -> impl Iterator<Item = &Stretch> {
        self.stretches.iter().filter(move |stretch| stretch.change == change)
    }
}

/// Equal lines get equal numbers, which are quicker to compare.
fn numbered<'a>(lines: &[&'a str], numbers: &mut HashMap<&'a str, usize>) -> Vec<usize> {
    let number = |line: &&'a str| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    lines.iter().map(number).collect()
}

/// The kept runs, and what lies between them.
fn stretches(kept: &[shortest::Kept], before_len: usize, after_len: usize) -> Vec<Stretch> {
    let end = shortest::Kept { before: before_len, after: after_len, len: 0 };
    let mut all = Vec::new();
    let (mut left, mut right) = (0, 0);
    let mut push = |change, before: Range<usize>, after: Range<usize>| {
        if !before.is_empty() || !after.is_empty() {
            all.push(Stretch { change, before, after });
        }
    };
    for run in kept.iter().chain([&end]) {
        push(Change::Removed, left..run.before, right..right);
        push(Change::Added, run.before..run.before, right..run.after);
        (left, right) = (run.before + run.len, run.after + run.len);
        push(Change::Kept, run.before..left, run.after..right);
    }
    all
}
