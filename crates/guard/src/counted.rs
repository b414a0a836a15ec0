//! Numbers of things, as people read them.

use std::fmt::Display;

/// A number and what it counts: `1 task`, `3 tasks`.
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    let word = if number == N::from(1) { one } else { many };
    format!("{number} {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_one() {
        let replies = [0_usize, 1, 2].map(|number| counted(number, "reply", "replies"));
        assert_eq!(replies, ["0 replies", "1 reply", "2 replies"]);
    }
}
