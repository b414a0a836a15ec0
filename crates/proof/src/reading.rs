//! How an agent reads its memory: which way of which topic a line asks for.
//!
//! This is the world's own understanding of English and shares nothing with the code under test. A line that it cannot
//! read does nothing.

use crate::topics::{PROJECTS, TOPICS, Topic};

/// A line of the broadcast as the agent understands it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ReadLine {
    /// The project that its section names; `None`: everywhere.
    pub(crate) project: Option<usize>,
    pub(crate) text: String,
    /// Topic and choice.
    pub(crate) asks: Option<(&'static str, &'static str)>,
}

impl ReadLine {
    pub(crate) fn holds_in(&self, project: usize) -> bool {
        self.project.is_none_or(|own| own == project)
    }
}

/// Reads a broadcast. A section for a project that nobody has heard of is not read.
pub(crate) fn read(text: &str) -> Vec<ReadLine> {
    let mut project = Some(None);
    let mut lines = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(heading) = line.strip_prefix('#') {
            let named = heading.trim_start_matches('#').trim().strip_prefix("Project:").map(str::trim);
            project = match named {
                None => Some(None),
                Some(name) => PROJECTS.iter().position(|known| name.ends_with(known)).map(Some),
            };
        } else if let Some(project) = project
            && !line.is_empty()
        {
            lines.push(ReadLine { project, text: line.to_owned(), asks: asks(line) });
        }
    }
    lines
}

/// What a sentence asks for, if it is about one of the topics.
pub(crate) fn asks(sentence: &str) -> Option<(&'static str, &'static str)> {
    TOPICS.iter().find_map(|topic| Some((topic.name, asks_of(topic, sentence)?)))
}

fn asks_of(topic: &Topic, sentence: &str) -> Option<&'static str> {
    let said = Said::of(sentence);
    match topic.name {
        "packages" => said.one_of(&[("npm", "npm"), ("pnpm", "pnpm"), ("bun", "bun")]),
        "python" => said.one_of(&[("pip", "pip"), ("uv", "uv")]),
        "search" => said.one_of(&[("grep", "grep"), ("rg", "rg"), ("ripgrep", "rg")]),
        "comments" => match said.wants(&["comments", "comment"])? {
            true => Some("many"),
            false => Some("none"),
        },
        "tests first" => {
            let both = said.has("tests") && (said.has("commit") || said.has("committing"));
            both.then_some(if said.words.contains(&"skip".to_owned()) { "without" } else { "before" })
        }
        "branch" => {
            if said.wants(&["branch", "branches"]) == Some(true) {
                return Some("feature");
            }
            match said.wants(&["main"]) {
                Some(true) => Some("main"),
                Some(false) => Some("feature"),
                None => said.wants(&["branch", "branches"]).map(|_| "main"),
            }
        }
        "trailer" => {
            let about = ["co-authored-by", "co-author"];
            said.wants(&about).map(|wanted| if wanted { "co-author" } else { "none" })
        }
        "message" => {
            let about = ["conventional", "feat"];
            match said.wants(&about) {
                Some(true) => Some("conventional"),
                Some(false) => Some("plain"),
                None => (said.has("plain") && said.has("commit")).then_some("plain"),
            }
        }
        "deletion" => said.one_of(&[("rm", "rm"), ("trash", "trash")]),
        "summaries" => {
            let about = ["summary.md", "summary", "summaries"];
            said.wants(&about).map(|wanted| if wanted { "written" } else { "none" })
        }
        "logging" => said.one_of(&[("print", "print"), ("logging", "logging"), ("structlog", "structlog")]),
        "unwrap" => match said.wants(&["unwrap", "unwraps"]) {
            Some(true) => Some("unwrap"),
            Some(false) => Some("question mark"),
            None => {
                (said.has("?") || said.has("propagate") || said.has("question")).then_some("question mark")
            }
        },
        "compose" => said.one_of(&[("docker-compose", "script"), ("docker compose", "plugin")]),
        "runner" => said.one_of(&[("jest", "jest"), ("vitest", "vitest")]),
        "any" => said.wants(&["any"]).and_then(|wanted| (!wanted).then_some("typed")),
        _ => None,
    }
}

/// The words of a sentence, in small letters.
struct Said {
    words: Vec<String>,
}

/// Words that turn what follows in the same clause into what is not wanted.
const NOT: &[&str] = &[
    "not", "never", "don't", "no", "stop", "avoid", "without", "instead", "rather", "over", "remove", "drop",
    "delete", "isn't", "didn't", "unlike", "dropped", "leave",
];
/// How many words a negation reaches.
const REACH: usize = 5;

impl Said {
    fn of(sentence: &str) -> Self {
        let lower = sentence.to_lowercase().replace("docker compose", "docker\u{a0}compose");
        // A mark of its own ends a clause: "no, use pnpm" does not forbid pnpm.
        let mut spaced = String::new();
        let mut chars = lower.chars().peekable();
        while let Some(letter) = chars.next() {
            let ends = chars.peek().is_none_or(|next| next.is_whitespace());
            match letter {
                ',' | ';' | ':' => spaced.push_str(" | "),
                '?' if spaced.ends_with(' ') => spaced.push('?'), // the operator
                '.' | '?' | '!' if ends => spaced.push_str(" | "),
                '`' | '(' | ')' | '"' | '*' => spaced.push(' '),
                _ => spaced.push(letter),
            }
        }
        let words = spaced.split([' ', '\n', '\t']).filter(|word| !word.is_empty());
        Self { words: words.map(|word| word.replace('\u{a0}', " ")).collect() }
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    /// Whether something is wanted or not; `None` when it is not spoken of.
    fn wants(&self, about: &[&str]) -> Option<bool> {
        let mut wanted = None;
        for (at, word) in self.words.iter().enumerate() {
            if !about.contains(&word.as_str()) {
                continue;
            }
            let denied = self.denied(at);
            wanted = Some(wanted.unwrap_or(true) && !denied);
        }
        wanted
    }

    fn denied(&self, at: usize) -> bool {
        let from = at.saturating_sub(REACH);
        let before = self.words.get(from..at).unwrap_or_default();
        let begins = |at: &usize| match before.get(*at).map(String::as_str) {
            Some("|") => true,
            // "don't use x, use y": the second one begins something new.
            Some("use") => {
                !before.get(..*at).and_then(<[_]>::last).is_some_and(|word| NOT.contains(&word.as_str()))
            }
            _ => false,
        };
        let clause = (0..before.len()).rfind(begins).map_or(0, |mark| mark + 1);
        before.iter().skip(clause).any(|word| NOT.contains(&word.as_str()))
    }

    /// The one that is wanted; of two ways the other one, if only the unwanted one is named.
    fn one_of(&self, ways: &[(&str, &'static str)]) -> Option<&'static str> {
        // Of several the last one: "npm again? this is a pnpm project".
        let at = |word: &str| self.words.iter().rposition(|own| own == word);
        let wanted = ways.iter().filter(|(word, _)| self.wants(&[word]) == Some(true));
        match wanted.max_by_key(|(word, _)| at(word)) {
            Some((_, way)) => Some(way),
            None => {
                let (_, denied) = ways.iter().find(|(word, _)| self.has(word))?;
                let mut others = ways.iter().map(|(_, way)| *way).filter(|way| way != denied);
                let other = others.next()?;
                others.all(|next| next == other).then_some(other)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sayings::corrections;
    use crate::topics::MEMORY_AT_THE_START;

    #[test]
    fn most_of_what_people_say_is_read_as_they_mean_it() {
        let mut wrong = Vec::new();
        let mut all = 0;
        for topic in TOPICS {
            for wanted in topic.choices {
                for sentence in corrections(topic.name, wanted) {
                    all += 1;
                    let asks = asks(sentence);
                    if asks != Some((topic.name, wanted)) {
                        wrong.push(format!("{sentence} -> {asks:?}, not {:?}", (topic.name, wanted)));
                    }
                }
            }
        }
        assert!(wrong.len() * 5 < all, "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn every_line_at_the_start_is_read() {
        for line in read(MEMORY_AT_THE_START) {
            assert!(line.asks.is_some(), "{line:?}");
        }
    }
}
