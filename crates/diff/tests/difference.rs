//! Two texts in, kept, removed and added lines out.
#![allow(missing_docs)]

use proptest::prelude::*;
use subcortex_diff::{Change, MAX_EDITS, Stretch, between};

/// A text of one-letter lines.
fn text(letters: &str) -> String {
    letters.chars().map(|letter| format!("{letter}\n")).collect()
}

/// The difference in one word: ` a` kept, `-a` removed, `+a` added.
fn shown(before: &str, after: &str) -> String {
    let (before, after) = (text(before), text(after));
    let difference = between(&before, &after);
    let mut shown = String::new();
    for stretch in &difference.stretches {
        let (mark, lines) = match stretch.change {
            Change::Kept => ('=', &difference.before[stretch.before.clone()]),
            Change::Removed => ('-', &difference.before[stretch.before.clone()]),
            Change::Added => ('+', &difference.after[stretch.after.clone()]),
        };
        shown.push(mark);
        shown.extend(lines.iter().map(|line| line.trim_end()));
    }
    shown
}

#[test]
fn lines_are_kept_removed_or_added() {
    assert_eq!(shown("", ""), "");
    assert_eq!(shown("abc", "abc"), "=abc");
    assert_eq!(shown("", "ab"), "+ab");
    assert_eq!(shown("ab", ""), "-ab");
    assert_eq!(shown("abc", "axc"), "=a-b+x=c");
    assert_eq!(shown("abcd", "bcde"), "-a=bcd+e");
    assert_eq!(shown("ab", "xaby"), "+x=ab+y");
}

#[test]
fn what_was_replaced_stands_together_removal_first() {
    assert_eq!(shown("abcdef", "axyzef"), "=a-bcd+xyz=ef");
}

#[test]
fn a_line_that_only_moved_is_removed_and_added() {
    assert_eq!(shown("abcdef", "bcdefa"), "-a=bcdef+a");
}

#[test]
fn ranges_say_where_a_change_was_made() {
    let difference = between("a\nb\n", "a\nx\nb\n");
    assert_eq!(
        difference.stretches,
        [
            Stretch { change: Change::Kept, before: 0..1, after: 0..1 },
            Stretch { change: Change::Added, before: 1..1, after: 1..2 },
            Stretch { change: Change::Kept, before: 1..2, after: 2..3 },
        ]
    );
    assert_eq!(difference.added().collect::<Vec<_>>(), ["x\n"]);
    assert_eq!(difference.removed().count(), 0);
}

#[test]
fn a_line_end_is_part_of_its_line() {
    let difference = between("a\nb", "a\nb\n");
    assert_eq!(difference.removed().collect::<Vec<_>>(), ["b"]);
    assert_eq!(difference.added().collect::<Vec<_>>(), ["b\n"]);
}

#[test]
fn the_unified_form_is_the_one_of_diff() {
    let before: String = (1..=20).map(|line| format!("{line}\n")).collect();
    let after = before.replace("\n4\n", "\nfour\n").replace("\n12\n", "\n").replace("\n20\n", "\n20");
    assert_eq!(
        between(&before, &after).unified("old", "new", 2),
        "--- old\n+++ new\n\
         @@ -2,5 +2,5 @@\n 2\n 3\n-4\n+four\n 5\n 6\n\
         @@ -10,5 +10,4 @@\n 10\n 11\n-12\n 13\n 14\n\
         @@ -18,3 +17,3 @@\n 18\n 19\n-20\n+20\n\\ No newline at end of file\n"
    );
    assert_eq!(between("", "a\n").unified("/dev/null", "a", 2), "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+a\n");
    assert_eq!(between("a\n", "a\n").unified("a", "a", 2), "");
}

#[test]
fn changes_near_each_other_share_a_hunk() {
    let unified = between("a\nb\nc\nd\n", "x\nb\nc\ny\n").unified("old", "new", 1);
    assert_eq!(unified, "--- old\n+++ new\n@@ -1,4 +1,4 @@\n-a\n+x\n b\n c\n-d\n+y\n");
}

#[test]
fn long_texts_with_the_same_lines_in_quite_another_order_are_replaced_as_a_whole() {
    let lines: Vec<String> = (0..20_000).map(|line| format!("{line}\n")).collect();
    let (before, after): (String, String) =
        (lines.concat(), lines.iter().rev().map(String::as_str).collect());
    assert!(lines.len() > MAX_EDITS);
    assert_eq!(between(&before, &after).stretches.len(), 2);
}

/// The number of lines that a longest common subsequence has, by the textbook's table.
fn longest_common(before: &[&str], after: &[&str]) -> usize {
    let mut row = vec![0; after.len() + 1];
    for one in before {
        let mut diagonal = 0;
        for (index, other) in after.iter().enumerate() {
            let above = row[index + 1];
            row[index + 1] = if one == other { diagonal + 1 } else { above.max(row[index]) };
            diagonal = above;
        }
    }
    row[after.len()]
}

proptest! {
    #[test]
    fn the_stretches_cover_both_texts_in_order_and_keep_as_much_as_can_be_kept(
        before in "[a-d]{0,40}", after in "[a-d]{0,40}"
    ) {
        let (before, after) = (text(&before), text(&after));
        let difference = between(&before, &after);
        let (mut left, mut right, mut kept) = (0, 0, 0);
        for stretch in &difference.stretches {
            prop_assert_eq!((stretch.before.start, stretch.after.start), (left, right));
            (left, right) = (stretch.before.end, stretch.after.end);
            match stretch.change {
                Change::Kept => {
                    kept += stretch.before.len();
                    prop_assert_eq!(
                        &difference.before[stretch.before.clone()], &difference.after[stretch.after.clone()]
                    );
                }
                Change::Removed => prop_assert!(stretch.after.is_empty() && !stretch.before.is_empty()),
                Change::Added => prop_assert!(stretch.before.is_empty() && !stretch.after.is_empty()),
            }
        }
        prop_assert_eq!((left, right), (difference.before.len(), difference.after.len()));
        prop_assert_eq!(kept, longest_common(&difference.before, &difference.after));
    }
}
