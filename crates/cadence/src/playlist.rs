//! `subconscious/playlist.md`: the order of turns and the last runs, for people to read and to edit.
//!
//! ```markdown
//! # Playlist
//!
//! Partitions have their turns in this order. Move a line to change it.
//!
//! 1. memory-weaver: terminal in tick 412 (2026-11-14T08:37:00Z)
//! 2. pattern-tracker: no run yet (next)
//! ```
//!
//! Only the names at the beginning of list items count when it is read, and only their order. Everything
//! else is rewritten. Whatever else stands in the file, reading it cannot fail: what is no name of
//! a partition is passed over, and a partition that is not listed follows after those that are.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use jiff::Timestamp;

use crate::partition::Partition;
use crate::{PartitionId, State};

/// How much of a playlist is read, in bytes. 10,000 partitions need less.
const MAX_READ_BYTES: usize = 2 * 1024 * 1024;

/// Writes the playlist.
pub fn render(state: &State) -> String {
    let mut text = String::from(
        "# Playlist\n\nPartitions have their turns in this order. Move a line to change it.\n\n",
    );
    let next = state.next_turn().map(|partition| &partition.id);
    for (number, partition) in state.partitions().iter().enumerate() {
        let mark = if Some(&partition.id) == next { " (next)" } else { "" };
        let last_run = last_run(partition);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}. {}: {last_run}{mark}", number + 1, partition.id);
    }
    text
}

fn last_run(partition: &Partition) -> String {
    let Some(last) = &partition.memory.last_run else { return "no run yet".into() };
    match Timestamp::from_millisecond(last.ended_at.0) {
        Ok(ended) => format!("{} in tick {} ({ended:.0})", last.outcome.as_str(), last.tick),
        Err(_) => format!("{} in tick {}", last.outcome.as_str(), last.tick),
    }
}

/// Reads the order off a playlist: each name once, the first time it stands there.
pub fn parse(text: &str) -> Vec<PartitionId> {
    let mut known = BTreeSet::new();
    let end = text.floor_char_boundary(MAX_READ_BYTES);
    let items = text.get(..end).unwrap_or_default().lines().filter_map(item);
    items.filter(|id| known.insert(id.clone())).collect()
}

/// The name at the beginning of a list item: `1. name`, `2) name`, `- name`, `* name`, also in backticks.
fn item(line: &str) -> Option<PartitionId> {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let rest = if numbered.len() < line.len() {
        numbered.strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*'])?
    };
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start().trim_start_matches(['`', '*', '[']);
    let end = rest.find(|letter| !PartitionId::allows(letter)).unwrap_or(rest.len());
    PartitionId::new(rest.get(..end)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let names: Vec<String> = parse(text).iter().map(ToString::to_string).collect();
        assert_eq!(names.join(" "), expect);
    }

    #[test]
    fn the_order_of_list_items_counts_and_nothing_else() {
        check("# Playlist\n\nText.\n\n1. b: terminal in tick 3\n2. a: no run yet (next)\n", "b a");
        check("- b\n* a\n3) c\n  4. `d`: x\n5. **e**", "b a c d e");
        check("1. a\n2. b\n3. a\n", "a b");
        check("", "");
        check("a\nb: c\n", "");
    }

    #[test]
    fn hostile_lines_are_passed_over() {
        check("1. ../../etc/passwd\n2. ok\n3. .hidden\n4. inbox\n5.\n6. \n7. a\u{202e}b\n", "ok a");
        check(&format!("1. {}\n2. ok", "x".repeat(100)), "ok");
        check("\0\u{feff}1. a\n- b\r\n-c\n", "b");
        check(&"- é\n1. \u{1F600}\n".repeat(10_000), "");
        check(&format!("- a\n{}- b", "é".repeat(MAX_READ_BYTES)), "a");
    }
}
