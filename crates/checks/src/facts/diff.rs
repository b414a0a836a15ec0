//! Which lines an edit added and removed.

/// Above this many comparisons lines are matched by their text alone, wherever they stand.
const MAX_COMPARISONS: usize = 4_000_000;

/// The lines that are in the new text and not in the old, and the other way round. A line that was only indented anew is neither.
pub(super) fn lines<'t>(old: &'t str, new: &'t str) -> (Vec<&'t str>, Vec<&'t str>) {
    let (old, new): (Vec<Line<'t>>, Vec<Line<'t>>) = (Line::all(old), Line::all(new));
    let same = |(a, b): &(&Line<'_>, &Line<'_>)| a.bare == b.bare;
    let head = old.iter().zip(&new).take_while(same).count();
    let (old, new) = (old.get(head..).unwrap_or(&[]), new.get(head..).unwrap_or(&[]));
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    if old.len().saturating_mul(new.len()) > MAX_COMPARISONS {
        return (without(new, old), without(old, new));
    }
    apart(old, new)
}

/// A line, and what it is compared by.
struct Line<'t> {
    whole: &'t str,
    bare: &'t str,
}

impl<'t> Line<'t> {
    fn all(text: &'t str) -> Vec<Self> {
        text.lines().map(|whole| Self { whole, bare: whole.trim() }).collect()
    }
}

/// By the longest common sequence.
fn apart<'t>(old: &[Line<'t>], new: &[Line<'t>]) -> (Vec<&'t str>, Vec<&'t str>) {
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    let get = |table: &[u32], a: usize, b: usize| table.get(a * width + b).copied().unwrap_or(0);
    for (a, left) in old.iter().enumerate().rev() {
        for (b, right) in new.iter().enumerate().rev() {
            let length = if left.bare == right.bare {
                get(&longest, a + 1, b + 1) + 1
            } else {
                get(&longest, a + 1, b).max(get(&longest, a, b + 1))
            };
            if let Some(cell) = longest.get_mut(a * width + b) {
                *cell = length;
            }
        }
    }
    let (mut added, mut removed, mut a, mut b) = (Vec::new(), Vec::new(), 0, 0);
    while let (Some(left), Some(right)) = (old.get(a), new.get(b)) {
        if left.bare == right.bare {
            (a, b) = (a + 1, b + 1);
        } else if get(&longest, a + 1, b) >= get(&longest, a, b + 1) {
            removed.push(left.whole);
            a += 1;
        } else {
            added.push(right.whole);
            b += 1;
        }
    }
    removed.extend(old.get(a..).unwrap_or(&[]).iter().map(|line| line.whole));
    added.extend(new.get(b..).unwrap_or(&[]).iter().map(|line| line.whole));
    (added, removed)
}

/// Each line as often as it stands here more often than there.
fn without<'t>(here: &[Line<'t>], there: &[Line<'_>]) -> Vec<&'t str> {
    let mut known: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    there.iter().for_each(|line| *known.entry(line.bare).or_default() += 1);
    let is_more = |line: &&Line<'_>| match known.get_mut(line.bare) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    here.iter().filter(is_more).map(|line| line.whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_stands_elsewhere_too_is_added_all_the_same() {
        let old = "[Fact]\nvoid A() {\n}\n";
        let new = "[Fact]\nvoid A() {\n}\n\n[Fact]\nvoid B() {\n}\n";
        assert_eq!(lines(old, new), (vec!["", "[Fact]", "void B() {", "}"], vec![]));
    }

    #[test]
    fn moved_and_changed_lines_are_seen_and_indentation_is_not() {
        assert_eq!(lines("a\nb\nc", "a\nx\nc"), (vec!["x"], vec!["b"]));
        assert_eq!(lines("a\nb", "if x:\n  a\n  b"), (vec!["if x:"], vec![]));
        assert_eq!(lines("", "a\n\nb"), (vec!["a", "", "b"], vec![]));
        assert_eq!(lines("a", "a"), (vec![], vec![]));
    }

    #[test]
    fn a_huge_edit_is_compared_by_its_lines_alone() {
        let old: String = (0..3_000).map(|n| format!("o{n}\n")).collect();
        let new: String = (0..3_000).map(|n| format!("n{n}\n")).collect();
        let (old, new) = (format!("{old}x\nx\n{old}"), format!("{new}x\n{new}x\nx\n{new}"));
        let (added, removed) = lines(&old, &new);
        assert_eq!((added.len(), removed.len()), (9_001, 6_000));
    }
}
