//! What a new home gets: the files of `bootstrap/`, embedded in the binary.

/// One file that ships with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Where it goes, below the home.
    pub path: &'static str,
    /// What is in it.
    pub content: &'static str,
}

macro_rules! shipped {
    ($path:literal) => {
        Shipped { path: $path, content: include_str!(concat!("../../../bootstrap/", $path)) }
    };
}

impl Shipped {
    /// Whether the daemon rewrites it all the time: then what ships is only how it begins.
    pub fn is_only_a_beginning(&self) -> bool {
        self.path == "subconscious/playlist.md"
    }
}

/// All files that ship with the program.
pub fn shipped_files() -> &'static [Shipped] {
    &[
        Shipped { path: subcortex_config::FILE, content: subcortex_config::TEMPLATE },
        shipped!("subconscious/cadence-executor/CLAUDE.md"),
        shipped!("subconscious/memory-committer/CLAUDE.md"),
        shipped!("subconscious/memory-weaver/CLAUDE.md"),
        shipped!("subconscious/memory-weaver/.claude/agents/spine-scanner.md"),
        shipped!("subconscious/memory-weaver/.claude/agents/entity-crystallizer.md"),
        shipped!("subconscious/memory-weaver/.claude/agents/intuition-updater.md"),
        shipped!("subconscious/pattern-tracker/CLAUDE.md"),
        shipped!("subconscious/playlist.md"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_bootstrap_is_embedded() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bootstrap");
        let mut found: Vec<String> = walkdir::WalkDir::new(root)
            .into_iter()
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned())
            .filter(|path| path != "README.md")
            .collect();
        found.sort();
        let mut embedded: Vec<&str> = shipped_files().iter().map(|file| file.path).collect();
        embedded.sort_unstable();
        assert_eq!(found, embedded);
    }
}
