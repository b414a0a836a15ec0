//! Things with a name in a person's words: code terms in backticks, commands and files.

use std::collections::BTreeSet;

/// The longest name of a thing, in bytes.
const MAX_THING_BYTES: usize = 80;
/// How many things one quote can name.
const MAX_THINGS: usize = 8;

/// The things that a text names, without duplicates, in the order of their names.
pub(crate) fn things_in(text: &str) -> BTreeSet<String> {
    let in_backticks = text.split('`').skip(1).step_by(2);
    let files =
        text.split(|c: char| c.is_whitespace() || "`\"'()[]{}<>,;".contains(c)).filter(|word| is_file(word));
    let found = in_backticks.chain(files).map(tidied).filter(|thing| is_thing(thing));
    found.take(MAX_THINGS).collect()
}

fn tidied(thing: &str) -> String {
    let thing = thing.trim().trim_end_matches(['.', ',', ':', ';', '!', '?']);
    thing.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name has letters, is not a sentence, and cannot be mistaken for markup.
fn is_thing(thing: &str) -> bool {
    (2..=MAX_THING_BYTES).contains(&thing.len())
        && thing.chars().any(char::is_alphabetic)
        && thing.split(' ').count() <= 4
        && !thing.chars().any(|c| c.is_control() || "<>|".contains(c))
}

/// `src/main.rs`, `Cargo.toml`; not `e.g.`, `1.5`, `and/or` or an address.
pub(crate) fn is_file(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let name = word.rsplit('/').next().unwrap_or(word);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    !word.contains("://")
        && !word.contains('@')
        && stem.chars().filter(|c| c.is_alphanumeric()).count() >= 2
        && (1..=5).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_lowercase())
        && extension.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        assert_eq!(things_in(text).iter().map(String::as_str).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn terms_in_backticks_and_files_are_things_and_prose_is_none() {
        check("run `pnpm  test` before you touch src/main.rs.", &["pnpm test", "src/main.rs"]);
        check("e.g. 1.5 and/or https://example.org/a.html, mail a@b.org", &[]);
        check("an open `backtick", &["backtick"]);
        check("`` `<!-- x -->` `a\nb c d e f g`", &[]);
    }
}
