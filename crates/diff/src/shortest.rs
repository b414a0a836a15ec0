//! The longest common lines of two texts: Myers' algorithm ("An O(ND) Difference Algorithm and Its
//! Variations", 1986), in the form that needs no more memory than the texts.

use std::collections::HashSet;
use std::ops::ControlFlow;

/// How many removals and additions are looked for between two lines that are surely kept. Beyond that all
/// lines between the two count as replaced: exact, but no longer the shortest list. It bounds the work at
/// some ten million steps, however unlike two long texts are.
pub const MAX_EDITS: usize = 4_000;

/// Lines that stand in both texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) len: usize,
}

/// The runs of lines that both have, in order. Neither touches the next in both texts.
pub(crate) fn kept(before: &[usize], after: &[usize]) -> Vec<Kept> {
    // A line that only one of them has is never kept, and would only make the search longer.
    let (shared_before, shared_after) = (Shared::of(before, after), Shared::of(after, before));
    let part = Part { before: &shared_before.numbers, after: &shared_after.numbers, at: (0, 0) };
    let mut found = Vec::new();
    compare(part, &mut found);
    let mut runs = Vec::new();
    for Kept { before, after, len } in found {
        let places = shared_before.places[before..].iter().zip(&shared_after.places[after..]);
        places.take(len).for_each(|(before, after)| note(&mut runs, (*before, *after), 1));
    }
    runs
}

/// The lines of one text that the other has too, somewhere.
struct Shared {
    numbers: Vec<usize>,
    /// Where each stands in the whole text.
    places: Vec<usize>,
}

impl Shared {
    fn of(text: &[usize], other: &[usize]) -> Shared {
        let others: HashSet<usize> = other.iter().copied().collect();
        let lines = text.iter().enumerate().filter(|(_, number)| others.contains(number));
        let (places, numbers) = lines.unzip();
        Shared { numbers, places }
    }
}

/// A stretch of both texts that is still to be compared.
#[derive(Clone, Copy)]
struct Part<'a> {
    before: &'a [usize],
    after: &'a [usize],
    /// Where it begins in the whole texts.
    at: (usize, usize),
}

impl<'a> Part<'a> {
    fn slice(self, from: (usize, usize), to: (usize, usize)) -> Part<'a> {
        Part {
            before: &self.before[from.0..to.0],
            after: &self.after[from.1..to.1],
            at: (self.at.0 + from.0, self.at.1 + from.1),
        }
    }

    fn len(self) -> (usize, usize) {
        (self.before.len(), self.after.len())
    }
}

fn compare(part: Part<'_>, runs: &mut Vec<Kept>) {
    let pairs = || part.before.iter().zip(part.after);
    let front = pairs().take_while(|(one, other)| one == other).count();
    note(runs, part.at, front);
    let rest = part.slice((front, front), part.len());
    let (before_len, after_len) = rest.len();
    let pairs = rest.before.iter().rev().zip(rest.after.iter().rev());
    let back = pairs.take_while(|(one, other)| one == other).count();
    let middle = rest.slice((0, 0), (before_len - back, after_len - back));
    if let Some(meeting) = meeting(middle) {
        compare(middle.slice((0, 0), meeting), runs);
        compare(middle.slice(meeting, middle.len()), runs);
    }
    note(runs, (rest.at.0 + before_len - back, rest.at.1 + after_len - back), back);
}

/// Adds a run, as a part of the last one if it follows it directly.
fn note(runs: &mut Vec<Kept>, at: (usize, usize), len: usize) {
    if len == 0 {
        return;
    }
    match runs.last_mut() {
        Some(last) if (last.before + last.len, last.after + last.len) == at => last.len += len,
        Some(_) | None => runs.push(Kept { before: at.0, after: at.1, len }),
    }
}

/// A point that a shortest list of edits passes, neither the beginning nor the end; `None` if nothing is
/// kept, or if it is too far away.
fn meeting(part: Part<'_>) -> Option<(usize, usize)> {
    let (before_len, after_len) = part.len();
    if before_len == 0 || after_len == 0 {
        return None;
    }
    let most_edits = (MAX_EDITS / 2).min((before_len + after_len).div_ceil(2)) as isize;
    let mut search = Search::new(part, most_edits);
    for edits in 0..=most_edits {
        for from_the_end in [false, true] {
            if let ControlFlow::Break(point) = search.advance(edits, from_the_end) {
                let at_an_end = point == (0, 0) || point == (before_len, after_len);
                return (!at_an_end).then_some(point);
            }
        }
    }
    None
}

/// Two searches, from the beginning and from the end, that walk towards each other. On a diagonal
/// (lines of `before` less lines of `after`) each keeps how many lines of `before` it has passed.
struct Search<'a> {
    part: Part<'a>,
    reached: [Vec<usize>; 2],
    /// Where the diagonal 0 is kept.
    middle: isize,
}

impl<'a> Search<'a> {
    fn new(part: Part<'a>, most_edits: isize) -> Search<'a> {
        // One more at each side is looked at.
        let middle = most_edits + 1;
        let diagonals = vec![0; 2 * middle as usize + 1];
        Search { part, reached: [diagonals.clone(), diagonals], middle }
    }

    /// One more edit for one of the two; breaks with the point where they meet.
    fn advance(&mut self, edits: isize, from_the_end: bool) -> ControlFlow<(usize, usize)> {
        let (before_len, after_len) = self.part.len();
        let (own, other) = (usize::from(from_the_end), usize::from(!from_the_end));
        let (width, height) = (before_len as isize, after_len as isize);
        let odd = (before_len + after_len) % 2 == 1;
        let lowest = -(edits - 2 * (edits - height).max(0));
        let highest = edits - 2 * (edits - width).max(0);
        // The other search is one edit behind if this one goes first.
        let others_edits = edits - isize::from(!from_the_end);
        for diagonal in (lowest..=highest).step_by(2) {
            let start = self.step(own, diagonal, edits);
            let start_after = start.wrapping_add_signed(-diagonal);
            let run = self.run(start, start_after, from_the_end);
            let end = start + run;
            let slot = self.slot(diagonal);
            self.reached[own][slot] = end;
            let facing = width - height - diagonal;
            if odd != from_the_end
                && facing.abs() <= others_edits
                && end + self.reached[other][self.slot(facing)] >= before_len
            {
                let end_after = start_after + run;
                return ControlFlow::Break(match from_the_end {
                    false => (start, start_after),
                    true => (before_len - end, after_len - end_after),
                });
            }
        }
        ControlFlow::Continue(())
    }

    /// How far the search gets onto a diagonal with one edit from its neighbours.
    fn step(&self, own: usize, diagonal: isize, edits: isize) -> usize {
        let reached = &self.reached[own];
        let (below, above) = (reached[self.slot(diagonal - 1)], reached[self.slot(diagonal + 1)]);
        if diagonal == -edits || (diagonal != edits && below < above) { above } else { below + 1 }
    }

    /// How many equal lines follow.
    fn run(&self, before: usize, after: usize, from_the_end: bool) -> usize {
        let Part { before: one, after: other, .. } = self.part;
        let (Some(left), Some(right)) = (one.len().checked_sub(before), other.len().checked_sub(after))
        else {
            return 0;
        };
        let equal = |(one, other): &(&usize, &usize)| one == other;
        match from_the_end {
            false => one[before..].iter().zip(&other[after..]).take_while(equal).count(),
            true => one[..left].iter().rev().zip(other[..right].iter().rev()).take_while(equal).count(),
        }
    }

    fn slot(&self, diagonal: isize) -> usize {
        (self.middle + diagonal) as usize
    }
}
