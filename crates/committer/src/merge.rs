//! Two people's changes of one text, brought together line by line.
//!
//! A line that one side changed is changed; a line that one side removed and the other left alone is gone; what was added
//! on either side is there. A line that both sides changed stands in both versions, one below the other, and is named
//! in [`Merged::both_changed`], so that a person can decide. A change wins over a removal.

use std::collections::{BTreeMap, HashMap};

use subcortex_diff::{Change, between};

/// The text that came of both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// All of it.
    pub text: String,
    /// Lines that both sides changed: ours, and theirs.
    pub both_changed: Vec<(String, String)>,
}

/// What one side did, by the lines of the text that both began with.
#[derive(Debug, Default)]
struct Side<'a> {
    /// What each line became; `None`: it was removed. A line that is not here is as it was.
    changed: BTreeMap<usize, Option<&'a str>>,
    /// What was put in before each line.
    added: BTreeMap<usize, Vec<&'a str>>,
}

impl<'a> Side<'a> {
    fn of(base: &'a str, text: &'a str) -> Self {
        let difference = between(base, text);
        let mut side = Self::default();
        let mut removed = 0..0;
        for stretch in &difference.stretches {
            match stretch.change {
                Change::Kept => removed = 0..0,
                Change::Removed => {
                    side.changed.extend(stretch.before.clone().map(|line| (line, None)));
                    removed = stretch.before.clone();
                }
                Change::Added => {
                    // What was put where something was removed are those lines, changed, as far as they go.
                    let mut lines = difference.after[stretch.after.clone()].iter().copied();
                    for (line, new) in removed.clone().zip(lines.by_ref()) {
                        side.changed.insert(line, Some(new));
                    }
                    side.added.entry(stretch.before.start).or_default().extend(lines);
                    removed = 0..0;
                }
            }
        }
        side
    }
}

/// Brings two texts together that began as the same one.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Merged {
    let lines: Vec<&str> = base.split_inclusive('\n').collect();
    let (our_side, their_side) = (Side::of(base, ours), Side::of(base, theirs));
    let mut merged = Pieces::default();
    for at in 0..=lines.len() {
        let our_added = our_side.added.get(&at).map(Vec::as_slice).unwrap_or_default();
        let their_added = their_side.added.get(&at).map(Vec::as_slice).unwrap_or_default();
        our_added.iter().for_each(|line| merged.push(line));
        let is_new = |line: &&&str| line.trim().is_empty() || !our_added.iter().any(|ours| same(ours, line));
        // Blank lines beside what both put in would only pile up.
        let theirs_new = their_added.iter().filter(is_new);
        theirs_new
            .filter(|line| our_added.is_empty() || !line.trim().is_empty())
            .for_each(|line| merged.push(line));
        let Some(line) = lines.get(at) else { break };
        match (our_side.changed.get(&at), their_side.changed.get(&at)) {
            (None, None) => merged.push(line),
            (Some(new), None) | (None, Some(new)) => new.iter().for_each(|new| merged.push(new)),
            (Some(None), Some(new)) | (Some(new), Some(None)) => new.iter().for_each(|new| merged.push(new)),
            (Some(Some(ours)), Some(Some(theirs))) => {
                merged.push(ours);
                if !same(ours, theirs) {
                    merged.push(theirs);
                    merged.both_changed.push((ours.trim_end().to_owned(), theirs.trim_end().to_owned()));
                }
            }
        }
    }
    let text = without_doubles(&merged.text, ours, theirs);
    Merged { text, both_changed: merged.both_changed }
}

#[derive(Debug, Default)]
struct Pieces {
    text: String,
    both_changed: Vec<(String, String)>,
}

impl Pieces {
    /// The last line of a file may lack its end.
    fn push(&mut self, line: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }
}

fn same(one: &str, other: &str) -> bool {
    one.trim_end() == other.trim_end()
}

/// A line that both sides put in, in different places, stands once; unless one of them has it twice.
fn without_doubles(text: &str, ours: &str, theirs: &str) -> String {
    let is_item = |line: &str| line.trim_start().starts_with(['-', '*', '+', '{']) || line.starts_with('#');
    let (in_ours, in_theirs) = (times(ours), times(theirs));
    let most = |line: &str| {
        [&in_ours, &in_theirs].map(|times| times.get(line).copied().unwrap_or(0)).into_iter().max()
    };
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        let words = line.trim_end();
        let count = seen.entry(words).or_default();
        *count += 1;
        if !is_item(words) || *count == 1 || Some(*count) <= most(words) {
            kept.push_str(line);
        }
    }
    kept
}

/// How often each line stands in a text.
fn times(text: &str) -> HashMap<&str, usize> {
    let mut times = HashMap::new();
    text.lines().for_each(|line| *times.entry(line.trim_end()).or_default() += 1);
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts are written on one line here: `a b c` are three lines.
    #[track_caller]
    fn check(base: &str, ours: &str, theirs: &str, expect: &str, both: usize) {
        let lines =
            |text: &str| text.split_whitespace().map(|word| format!("- {word}\n")).collect::<String>();
        let merged = merge(&lines(base), &lines(ours), &lines(theirs));
        assert_eq!(merged.text, lines(expect), "{base} | {ours} | {theirs}");
        assert_eq!(merged.both_changed.len(), both, "{merged:?}");
    }

    #[test]
    fn changes_of_either_side_meet_line_by_line() {
        check("a b c", "a b c", "a b c", "a b c", 0);
        check("a b c", "A b c", "a B c", "A B c", 0);
        check("a b c", "a c", "a b c d", "a c d", 0);
        check("a b c", "x a b c", "a b c y", "x a b c y", 0);
        check("a b", "a b x", "a b y", "a b x y", 0);
        check("a b", "a b x y", "a b x z", "a b x y z", 0);
        check("", "x", "y", "x y", 0);
        check("a b c", "", "a b c", "", 0);
        check("a b c d", "b c d a", "a b c d e", "b c d a e", 0);
    }

    #[test]
    fn a_line_that_both_changed_stands_in_both_versions_and_a_change_wins_over_a_removal() {
        check("a b c", "a X c", "a Y c", "a X Y c", 1);
        check("a b c", "a X c", "a X c", "a X c", 0);
        check("a b c", "a c", "a Y c", "a Y c", 0);
        check("a b c", "a X c", "a c", "a X c", 0);
        check("a b c", "X Y Z", "a Q c", "X Y Q Z", 1);
    }

    #[test]
    fn a_rule_that_both_sides_move_stands_once() {
        check("a b c d e", "b c d a e", "b c d e a", "b c d a e", 0);
    }

    #[test]
    fn a_last_line_without_its_end_gets_one_when_something_follows() {
        let merged = merge("- a", "- a\n- x\n", "- a\n- y");
        assert_eq!(merged.text, "- a\n- x\n- y");
    }

    /// Whatever two sides do: no line that one of them wrote, and the other did not know, is lost.
    #[test]
    fn no_line_that_anybody_added_is_ever_lost() {
        let mut random = subcortex_testkit::Random::seeded(7);
        for round in 0..2_000 {
            let base: Vec<String> = (0..random.below(8)).map(|at| format!("- base {at}")).collect();
            let mut new = Vec::new();
            let mut side = |name: &str| -> String {
                let mut lines = base.clone();
                for at in 0..random.below(5) {
                    let place = random.below(lines.len() + 1);
                    let line = format!("- {name} {at}");
                    match random.below(3) {
                        0 if place < lines.len() => drop(lines.remove(place)),
                        1 if place < lines.len() => {
                            new.retain(|known| *known != lines[place]);
                            new.push(line.clone());
                            lines[place] = line;
                        }
                        _ => {
                            new.push(line.clone());
                            lines.insert(place, line);
                        }
                    }
                    new.retain(|known: &String| {
                        !known.starts_with(&format!("- {name}")) || lines.contains(known)
                    });
                }
                lines.iter().map(|line| format!("{line}\n")).collect()
            };
            let (ours, theirs) = (side("ours"), side("theirs"));
            let text: String = base.iter().map(|line| format!("{line}\n")).collect();
            let merged = merge(&text, &ours, &theirs);
            for line in &new {
                assert!(
                    merged.text.lines().any(|found| found == line),
                    "round {round}: {line} in\n{}",
                    merged.text
                );
            }
        }
    }
}
