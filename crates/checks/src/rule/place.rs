//! Where a person's words hold.

use crate::text::pattern;

pattern!(
    OF_ONE_PROJECT,
    r"(?i)\b(?:this|our) (?:[\w-]+ )?(?:repo|repository|monorepo|project|code ?base|package|app|application|service|site|website|library|crate|module|workspace|tree|code)\b|\b(?:for|in|on|with) this one\b|\b(?:in|over|around|down) here\b|\bhere\b"
);
// "Here is the log", "from here on".
pattern!(NO_PLACE, r"(?i)\bhere(?:'s|’s| is| are| you| we go| it)\b|\bfrom here\b");

/// Whether words say that they are about the project in which they are said: "we use pnpm here", "in this repo".
pub fn is_of_one_project(words: &str) -> bool {
    OF_ONE_PROJECT.is_match(&NO_PLACE.replace_all(words, ""))
}

#[cfg(test)]
mod tests {
    use super::is_of_one_project;

    #[test]
    fn words_about_the_project_at_hand_are_told_from_words_about_all() {
        for words in [
            "we use pnpm here",
            "in this repo, always squash",
            "our API service logs with tracing",
            "no pull requests for this one",
            "This project has no changelog.",
            "only tabs in here please",
        ] {
            assert!(is_of_one_project(words), "{words}");
        }
        for words in [
            "always squash before merging",
            "here's the log: never mind",
            "from here on use pnpm, not npm",
            "never use sudo on this machine",
            "Never add a dependency without asking.",
            "I want this in every repository: no force pushes.",
        ] {
            assert!(!is_of_one_project(words), "{words}");
        }
    }
}
