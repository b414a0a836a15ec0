//! The identity of a line across edits of its surroundings.

/// How many hexadecimal digits a hash has: enough for any memory file, short enough for a file name.
const HASH_DIGITS: usize = 16;

/// The hash of a line's normalised text: list marks, surrounding and repeated blanks do not count.
pub fn line_hash(text: &str) -> String {
    let text = text.trim();
    let text = ["- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
    let normal = text.split_whitespace().collect::<Vec<_>>().join(" ");
    blake3::hash(normal.as_bytes()).to_hex().get(..HASH_DIGITS).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_blanks_do_not_count_and_words_do() {
        let hash = line_hash("Use pnpm, not npm.");
        assert_eq!(hash.len(), HASH_DIGITS);
        assert_eq!(line_hash("  -  Use   pnpm, not npm. "), hash);
        assert_ne!(line_hash("Use pnpm, not yarn."), hash);
    }
}
