//! What words in a config say about it.

/// Words by which a goal says what is *not* to be done.
const LIMITS: [&str; 16] = [
    "not",
    "never",
    "no",
    "don't",
    "don’t",
    "doesn't",
    "without",
    "only",
    "except",
    "avoid",
    "nothing",
    "none",
    "cannot",
    "unless",
    "refrain",
    "forbidden",
];
/// Words by which a config says that a loop is shut in.
const ISOLATION: [&str; 16] = [
    "isolated",
    "isolation",
    "container",
    "containers",
    "sandbox",
    "sandboxed",
    "docker",
    "podman",
    "vm",
    "microvm",
    "firecracker",
    "bwrap",
    "bubblewrap",
    "nspawn",
    "chroot",
    "devcontainer",
];

/// Whether a goal says what not to do.
pub(super) fn says_what_not_to_do(goal: &str) -> bool {
    has_word(goal, &LIMITS)
}

/// Whether a text speaks of isolation.
pub fn speaks_of_isolation(text: &str) -> bool {
    has_word(text, &ISOLATION)
}

fn has_word(text: &str, known: &[&str]) -> bool {
    let is_inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’');
    let text = text.to_lowercase();
    text.split(|letter| !is_inside(letter)).any(|word| known.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_count_and_parts_of_words_do_not() {
        assert!(says_what_not_to_do("Bump patch versions. Never bump a major one."));
        assert!(says_what_not_to_do("Don’t touch CI"));
        assert!(!says_what_not_to_do("Note everything that nobody noticed"));
        assert!(speaks_of_isolation("runs in a Docker container"));
        assert!(!speaks_of_isolation("containerd updates"));
    }
}
