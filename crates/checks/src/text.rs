//! Words, stems, sentences, globs and patterns: the small text tools that everything here shares.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use regex::{Captures, Match, Regex, RegexBuilder};

/// A pattern. One that is no valid expression is never found.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(Option<Arc<Regex>>); // A clone of a `Regex` alone would begin with empty caches of its own.

impl Pattern {
    pub(crate) fn new(source: &str) -> Self {
        let expression = with_plain_letters(source);
        Self(RegexBuilder::new(&expression).dfa_size_limit(MAX_CACHE_BYTES).build().ok().map(Arc::new))
    }

    /// One that stands in the code: that it is no expression is a mistake of ours.
    pub(crate) fn of_code(source: &str) -> Self {
        let pattern = Self::new(source);
        debug_assert!(pattern.0.is_some(), "no expression: {source}");
        pattern
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }

    pub(crate) fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.0.as_ref().and_then(|pattern| pattern.find(text))
    }

    pub(crate) fn find_at<'t>(&self, text: &'t str, at: usize) -> Option<Match<'t>> {
        self.0.as_ref().and_then(|pattern| pattern.find_at(text, at))
    }

    pub(crate) fn find_all<'t>(&self, text: &'t str) -> Vec<Match<'t>> {
        self.0.as_ref().map_or_else(Vec::new, |pattern| pattern.find_iter(text).collect())
    }

    pub(crate) fn captures_all<'t>(&self, text: &'t str) -> Vec<Captures<'t>> {
        self.0.as_ref().map_or_else(Vec::new, |pattern| pattern.captures_iter(text).collect())
    }

    pub(crate) fn replace_all(&self, text: &str, by: &str) -> String {
        self.0.as_ref().map_or_else(|| text.to_owned(), |pattern| pattern.replace_all(text, by).into_owned())
    }

    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.0.as_ref().and_then(|pattern| pattern.captures(text))
    }
}

/// How much memory an expression may take for what it has learned of texts, in each thread and direction.
const MAX_CACHE_BYTES: usize = 128 * 1024;

/// What is no part of a word, in a few ranges. Unicode's `\w` has 700, which makes expressions three times as large; these say the same of
/// what is written in Latin, Greek, Cyrillic, Chinese, Japanese and Korean letters, of punctuation and of emoji.
const NO_LETTERS: &str = concat!(
    r"\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7",
    r"\u{2000}-\u{200b}\u{200e}-\u{203e}\u{2041}-\u{2053}\u{2055}-\u{2070}\u{209d}-\u{20cf}\u{2116}\u{2122}\u{2190}-\u{24b5}\u{24ea}-\u{2bff}",
    r"\u{3000}-\u{3004}\u{3008}-\u{3020}\u{3030}\u{30fb}\u{e000}-\u{f8ff}\u{ff01}-\u{ff0f}\u{ff1a}-\u{ff20}\u{ff5b}-\u{ff65}\u{fffd}",
    r"\u{1f000}-\u{1f12f}\u{1f18a}-\u{1fbef}",
);

/// An expression whose `\w` and `\W` are those few ranges.
fn with_plain_letters(source: &str) -> String {
    let mut expression = String::with_capacity(source.len());
    let mut letters = source.chars();
    while let Some(letter) = letters.next() {
        match (letter, if letter == '\\' { letters.next() } else { None }) {
            ('\\', Some('w')) => expression.extend(["[^", NO_LETTERS, "]"]),
            ('\\', Some('W')) => expression.extend(["[", NO_LETTERS, "]"]),
            (letter, escaped) => expression.extend([Some(letter), escaped].into_iter().flatten()),
        }
    }
    expression
}

/// Declares a pattern that is compiled on first use.
macro_rules! pattern {
    ($(#[$meta:meta])* $vis:vis $name:ident, $source:expr) => {
        $(#[$meta])* $vis static $name: std::sync::LazyLock<$crate::text::Pattern> =
            std::sync::LazyLock::new(|| $crate::text::Pattern::of_code($source));
    };
}
pub(crate) use pattern;

/// The words of a text in lower case; `camelCase`, `snake_case` and paths stay one word.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_')))
        .map(|word| word.trim_matches(|c: char| matches!(c, '\'' | '’' | '-' | '_')))
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect()
}

/// The parts of an identifier or path: `FullSchemaTest.ts` gives `full schema test ts`.
pub(crate) fn parts(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut last_lower = false;
    for c in text.chars() {
        let starts_new = c.is_uppercase() && last_lower;
        if (starts_new || !c.is_alphanumeric()) && !current.is_empty() {
            found.push(std::mem::take(&mut current));
        }
        if c.is_alphanumeric() {
            current.extend(c.to_lowercase());
        }
        last_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    if !current.is_empty() {
        found.push(current);
    }
    found
}

/// A light stem: enough to let `tests`, `testing` and `tested` meet, and never longer than the word.
pub(crate) fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word).to_lowercase();
    let cut = |suffix: &str, least: usize| -> Option<String> {
        word.strip_suffix(suffix).filter(|rest| rest.chars().count() >= least).map(str::to_owned)
    };
    let undouble = |mut root: String| -> String {
        let mut ends = root.chars().rev();
        if let (Some(a), Some(b)) = (ends.next(), ends.next())
            && a == b
            && a.is_ascii_alphabetic()
            && !matches!(a, 'l' | 's' | 'e' | 'o' | 'z')
        {
            root.pop();
        }
        root
    };
    let base = if let Some(root) = cut("ies", 2) {
        format!("{root}y")
    } else if let Some(root) = cut("ization", 3).or_else(|| cut("isation", 3)) {
        format!("{root}ize")
    } else if let Some(root) = cut("ing", 3) {
        undouble(root)
    } else if let Some(root) = cut("ed", 3) {
        undouble(root)
    } else if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        word.clone()
    } else if let Some(root) = cut("sses", 2) {
        format!("{root}ss")
    } else if let Some(root) =
        cut("xes", 2).map(|r| format!("{r}x")).or_else(|| cut("ches", 2).map(|r| format!("{r}ch")))
    {
        root
    } else if let Some(root) = cut("s", 3) {
        root
    } else {
        word.clone()
    };
    base.strip_suffix('e').filter(|root| root.chars().count() >= 3).map_or(base.clone(), str::to_owned)
}

/// The beginning of a stem that every word with that stem has as well, whatever was cut off or put on behind it.
pub(crate) fn sure_start(stem: &str) -> &str {
    let chars = if stem.chars().count() >= 5 { 3 } else { 2 };
    stem.char_indices().nth(chars).and_then(|(end, _)| stem.get(..end)).unwrap_or(stem)
}

static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON_WORDS.iter().copied().collect());
const COMMON_WORDS: &[&str] = &[
    "a",
    "about",
    "after",
    "again",
    "all",
    "also",
    "always",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "avoid",
    "be",
    "because",
    "been",
    "before",
    "being",
    "both",
    "but",
    "by",
    "can",
    "cannot",
    "case",
    "could",
    "did",
    "do",
    "does",
    "don't",
    "dont",
    "done",
    "each",
    "else",
    "enough",
    "etc",
    "ever",
    "every",
    "example",
    "explicit",
    "explicitly",
    "first",
    "follow",
    "for",
    "from",
    "get",
    "go",
    "goes",
    "had",
    "has",
    "have",
    "here",
    "how",
    "i",
    "if",
    "in",
    "inside",
    "instead",
    "into",
    "is",
    "it",
    "its",
    "just",
    "keep",
    "let",
    "like",
    "make",
    "many",
    "may",
    "me",
    "might",
    "more",
    "must",
    "my",
    "need",
    "never",
    "new",
    "no",
    "not",
    "now",
    "of",
    "off",
    "ok",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "per",
    "place",
    "please",
    "possible",
    "prefer",
    "rather",
    "same",
    "see",
    "should",
    "since",
    "so",
    "some",
    "such",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "this",
    "those",
    "through",
    "to",
    "too",
    "under",
    "unless",
    "until",
    "up",
    "us",
    "use",
    "used",
    "using",
    "very",
    "via",
    "want",
    "was",
    "way",
    "we",
    "well",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "yes",
    "yet",
    "you",
    "your",
    "two",
    "three",
    "where",
    "everything",
    "anything",
    "nothing",
    "something",
    "themselves",
    "itself",
    "yourself",
    "say",
    "said",
];

/// Whether a word carries no subject of its own.
pub(crate) fn is_common(word: &str) -> bool {
    COMMON.contains(word)
        || word.chars().count() < 2
        || word.split_once('\'').is_some_and(|(head, _)| {
            COMMON.contains(head)
                || matches!(
                    head,
                    "isn"
                        | "aren"
                        | "doesn"
                        | "didn"
                        | "don"
                        | "won"
                        | "shouldn"
                        | "wasn"
                        | "hasn"
                        | "haven"
                        | "couldn"
                        | "wouldn"
                )
        })
}

/// The stems of the words that carry a subject, without repeats, in order.
pub(crate) fn content_stems(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in words(text) {
        if !is_common(&word) && !word.chars().all(|c| c.is_ascii_digit()) {
            let stem = stem(&word);
            if !found.contains(&stem) {
                found.push(stem);
            }
        }
    }
    found
}

/// The sentences of a text. A line break ends one, too; a dot inside a word does not.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let ends =
            matches!(byte, b'\n') || (matches!(byte, b'.' | b'!' | b'?') && next.is_ascii_whitespace());
        if ends {
            push_trimmed(&mut found, text.get(start..=at));
            start = at + 1;
        }
    }
    push_trimmed(&mut found, text.get(start..));
    found
}

fn push_trimmed<'t>(found: &mut Vec<&'t str>, piece: Option<&'t str>) {
    if let Some(piece) = piece.map(str::trim).filter(|piece| !piece.is_empty()) {
        found.push(piece);
    }
}

/// The start of a text, at most this many characters, on one line where possible. Verbatim: always a part of it.
pub(crate) fn excerpt(text: &str, max_chars: usize) -> &str {
    let text = text.trim();
    let line =
        text.lines().next().map(str::trim).filter(|line| line.chars().nth(7).is_some()).unwrap_or(text);
    let line = if opens_a_text(line) { with_next_line(text, line) } else { line };
    if line.len() <= max_chars {
        return line;
    }
    match line.char_indices().nth(max_chars) {
        Some((end, _)) => line.get(..end).unwrap_or(line),
        None => line,
    }
}

/// Whether a command goes on with a text on the lines below (`<<'EOF'`): alone it says nothing.
fn opens_a_text(line: &str) -> bool {
    if memchr::memchr(b'<', line.as_bytes()).is_none() {
        return false; // nearly always
    }
    let Some((_, mark)) = line.rsplit_once("<<") else { return false };
    let mark = mark.trim_start_matches(['-', '~', ' ']).trim_matches(['\'', '"']);
    !mark.is_empty() && mark.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

fn with_next_line<'t>(text: &'t str, line: &str) -> &'t str {
    let rest = text.get(line.len()..).unwrap_or_default();
    let next = rest.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let end = rest.find(next).map_or(line.len(), |at| line.len() + at + next.len());
    text.get(..end).unwrap_or(text)
}

/// A verbatim window of a text around a match, cut at line ends where they are near.
pub(crate) fn window(text: &str, start: usize, end: usize, around: usize) -> &str {
    let from = text.get(..start).map_or(0, |head| {
        let line = head.rfind('\n').map_or(0, |at| at + 1);
        if start - line <= around { line } else { floor_boundary(text, start - around) }
    });
    let to = text.get(end..).map_or(text.len(), |tail| {
        let line = tail.find('\n').map_or(text.len(), |at| end + at);
        if line - end <= around { line } else { floor_boundary(text, end + around) }
    });
    text.get(from..to).unwrap_or(text).trim()
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while at > 0 && !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Translates a glob (`*`, `**`, `?`, `{a,b}`, `<placeholder>`) to an expression on whole paths. A pattern matches from the
/// start of a path or after any `/`, because lines name paths relative to some directory that nobody states.
pub(crate) fn glob_source(glob: &str) -> String {
    let glob = glob.trim().trim_start_matches("./").trim_start_matches('/');
    let mut source = String::from("(?i)(?:^|/)");
    let mut chars = glob.chars().peekable();
    let mut depth = 0;
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.peek() == Some(&'*') => {
                chars.next();
                if chars.peek() == Some(&'/') {
                    chars.next();
                    source.push_str("(?:.*/)?");
                } else {
                    source.push_str(".*");
                }
            }
            '*' => source.push_str("[^/]*"),
            '?' => source.push_str("[^/]"),
            '{' => {
                depth += 1;
                source.push_str("(?:");
            }
            '}' => {
                depth -= 1;
                source.push(')');
            }
            ',' if depth > 0 => source.push('|'),
            '<' => {
                for inner in chars.by_ref() {
                    if inner == '>' {
                        break;
                    }
                }
                source.push_str("[^/]+");
            }
            other => source.push_str(&regex::escape(&other.to_string())),
        }
    }
    if glob.ends_with('/') || !glob.rsplit('/').next().unwrap_or(glob).contains(['.', '*']) {
        // A directory: everything below it.
        if source.ends_with('/') {
            source.push_str(".*");
        } else {
            source.push_str("(?:/.*)?");
        }
    }
    source.push('$');
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_what_unicode_takes_for_letters_in_the_scripts_that_most_people_write() {
        let (plain, full) = (Pattern::new(r"^\w$"), Regex::new(r"^\w$").unwrap());
        let (no_letter, escaped) = (Pattern::new(r"^[\W_]$"), Pattern::new(r"^\\w$"));
        let latin = ['\0'..='\u{2c1}', '\u{300}'..='\u{36f}'];
        let greek_and_cyrillic = ['\u{3a3}'..='\u{3f5}', '\u{400}'..='\u{481}'];
        let asian = [
            '\u{3041}'..='\u{3096}',
            '\u{30a1}'..='\u{30ff}',
            '\u{4e00}'..='\u{9fff}',
            '\u{ac00}'..='\u{d7a3}',
        ];
        let signs = [
            '\u{2000}'..='\u{206f}',
            '\u{20a0}'..='\u{20cf}',
            '\u{2190}'..='\u{2bff}',
            '\u{1f300}'..='\u{1faff}',
        ];
        let blocks = latin.into_iter().chain(greek_and_cyrillic).chain(asian).chain(signs);
        for letter in blocks.flatten() {
            let text = letter.to_string();
            assert_eq!(plain.is_match(&text), full.is_match(&text), "{letter:?} {:x}", u32::from(letter));
            assert_eq!(no_letter.is_match(&text), !full.is_match(&text) || letter == '_', "{letter:?}");
        }
        assert!(escaped.is_match(r"\w") && !escaped.is_match("x"));
    }

    #[test]
    fn inflections_of_a_word_share_a_stem() {
        for group in [
            ["test", "tests", "testing"],
            ["commit", "commits", "committing"],
            ["share", "sharing", "shared"],
            ["branch", "branches", "branching"],
            ["change", "changes", "changed"],
        ] {
            let stems: Vec<_> = group.iter().map(|word| stem(word)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{group:?} -> {stems:?}");
        }
    }

    #[test]
    fn globs_match_paths_as_people_mean_them() {
        for (glob, path, expect) in [
            ("designs/*.pen", "designs/a.pen", true),
            ("designs/*.pen", "designs/x/a.pen", false),
            ("apps/api", "apps/api/src/a.ts", true),
            ("docs/", "web/docs/a.md", true),
            ("**/*.go", "cmd/main.go", true),
            ("*.go", "cmd/main.go", true),
            ("src/{a,b}/*.ts", "src/b/x.ts", true),
            ("todos/<date>-<slug>.md", "todos/2026-01-01-fix.md", true),
            ("CHANGELOG.md", "OLDCHANGELOG.md", false),
            ("a,b.md", "a,b.md", true),
            ("a,b.md", "src/a", false),
        ] {
            assert_eq!(Pattern::new(&glob_source(glob)).is_match(path), expect, "{glob} {path}");
        }
    }

    #[test]
    fn every_word_has_the_sure_start_of_its_stem() {
        let words = "ties tidies organization organisation stopping hoped boxes branches classes uses runs e ä Größen \
                     Caching RETRIES sizes keyes it's repositories normalization ion";
        for word in words.split_whitespace() {
            assert!(word.to_lowercase().contains(sure_start(&stem(word))), "{word}: {}", stem(word));
        }
    }

    #[test]
    fn the_start_of_a_command_that_opens_a_text_goes_on_to_the_text() {
        let commit = "git commit -m \"$(cat <<'EOF'\n\nfix: the lock\n\nMore.\nEOF\n)\"";
        assert_eq!(excerpt(commit, 80), "git commit -m \"$(cat <<'EOF'\n\nfix: the lock");
        assert_eq!(excerpt("cat <<EOF", 80), "cat <<EOF");
        assert_eq!(excerpt("let a = 1 << 3;\nlet b = 2;", 80), "let a = 1 << 3;");
        assert_eq!(excerpt("make test\nmake lint", 80), "make test");
    }

    #[test]
    fn a_window_is_always_a_verbatim_part() {
        let text = "über alles\nfoo bär baz\nend";
        let at = text.find("bär").unwrap();
        assert_eq!(window(text, at, at + 4, 40), "foo bär baz");
    }
}
