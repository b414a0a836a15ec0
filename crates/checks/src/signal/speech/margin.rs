//! Whether a line reads like one that was typed as prose: it begins with words, and holds no columns, keys, marks or code.

use super::{letters, lines, quotes};
use crate::text::{self, pattern};

/// From how many columns on a line is an indented code block.
const CODE_INDENT_COLUMNS: usize = 4;
/// The most words of a line that only says who writes, and when.
const MAX_SENDER_WORDS: usize = 6;

/// What a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Typed words.
    Prose,
    /// Not said, and complete in itself.
    Alone,
    /// Not said, and what follows in its block goes on with it.
    GoesOn,
}

/// How people begin what they say, followed by a colon; others write keys and names there.
const LEAD_INS: [&str; 36] = [
    "also",
    "again",
    "ps",
    "p.s",
    "fyi",
    "btw",
    "ok",
    "okay",
    "no",
    "yes",
    "please",
    "so",
    "next",
    "then",
    "finally",
    "lastly",
    "first",
    "firstly",
    "second",
    "secondly",
    "third",
    "reminder",
    "remember",
    "important",
    "importantly",
    "additionally",
    "edit",
    "wichtig",
    "merke",
    "bitte",
    "nochmal",
    "importante",
    "recuerda",
    "rappel",
    "attention",
    "oh",
];
/// Those that stand in data as well, where they are small.
const CAPITAL_LEAD_INS: [&str; 12] = [
    "note",
    "rule",
    "rules",
    "convention",
    "preference",
    "instruction",
    "todo",
    "general",
    "tip",
    "regel",
    "hinweis",
    "regla",
];
/// Words with which programs begin a line.
const LEVELS: [&str; 20] = [
    "INFO", "WARN", "WARNING", "ERROR", "ERR", "DEBUG", "TRACE", "FATAL", "NOTICE", "CRITICAL", "FAIL",
    "FAILED", "PASS", "PASSED", "LOG", "SEVERE", "VERBOSE", "PANIC", "STDOUT", "REM",
];
/// What stands between a name and a value, or between a command and its file.
const OPERATORS: [&str; 14] = ["|", "=", ":=", "==", "+=", "=>", ">", ">>", "<", "<<", "$", "||", "&&", ":"];

pattern!(PLACEHOLDER, r"^\[(?:Image|Pasted text|Screenshot)\b[^\]]*\]\s*");
pattern!(LONE_KEY, r"^[a-z_][\w.-]*:\s*$");
pattern!(PROMPT, r"^(?:(?:\S+ ){0,2}?\S*[@~/\\:]\S*[>$#%](?:\s|$)|(?:In|Out) ?\[\d*\]:)");
pattern!(HEADING, r"^#{1,6}\s");
pattern!(URL_ONLY, r"^<?https?://\S+$");
pattern!(FOUND_IN_FILE, r"^[^\s:]*[./][^\s:]*:\d+:");
pattern!(HASH, r"^[0-9a-f]*[0-9][0-9a-f]*$");
pattern!(TIME, r"\d{2}:\d{2}:\d{2}");
pattern!(
    DATED,
    r"^\W{0,2}(?:\d{4}[-/]\d{2}[-/]\d{2}|\d{1,2}:\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,? (?:\w{3} )?\d|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d)"
);
pattern!(COUNT, r"^\d{1,4}(?:st|nd|rd|th|x|%|px|ms|s|k)?[,.]?$");
pattern!(SENT_TODAY, r"^\S+(?: \S+){0,2} (?:Today|Yesterday) at \d");
pattern!(SENT_AT, r"(?i)\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?\W*$");
pattern!(IN_FILE, r"^[^\s]*\.\w+(?:-\d+-|\(\d+(?:,\d+)?\):?)");
pattern!(
    FAILURE,
    r"^(?:\S+ ){0,4}[\w.$]*(?:Error|Exception): |(?i)^(?:\w+ )?(?:error|warning|fatal|panic|exception|traceback|failed|failure|unhandled\w*|uncaught)\b[^:]{0,40}:"
);
pattern!(PLACE_AT_END, r"(?:\w:\d+:\d+:?|\bpanicked at .*)$");
pattern!(LOGGED, r"\b(?:Error|Exception|WARN|INFO|DEBUG|warning)\b\s*[:(\[]");
pattern!(
    CODE,
    r"(?:[{}]\s*$|^(?:import|const|let|var|export|return|function|from|pub|static|public|private)\s.*[=;{]|\w\([^()]*\)\s*(?:->.*)?:$|^at (?:\S+ ?\(.*:\d+|\S*[./]\S*:\d+:\d+)|^(?:diff -|index [0-9a-f]{7}|Index: )|[(\[]\s*$|\)\s*;\s*$|=>\s*$|^(?:def|class|fn|func) \w+[:(<])"
);
pattern!(SPEAKER, r"^([A-Z][\w.'-]+) ([A-Z][\w.'-]*)(?: \([^)]*\))?: ");
pattern!(TABLE_RULE, r"^[\s|:+-]*-{2,}[\s|:+-]*$");
pattern!(ROW_OF_VALUES, r"^[^\s,]*,[^\s,]+,[^\s,]");

/// How a line looks on its own.
pub(super) fn look(line: &str) -> Look {
    let bare = behind_placeholder(line.trim());
    let (words, is_point) = lines::behind_list_marks(bare);
    if lines::indent(line) >= CODE_INDENT_COLUMNS && !words.is_empty() {
        return if is_point { Look::Alone } else { Look::GoesOn };
    }
    if words.is_empty() {
        return if bare.is_empty() || is_point { Look::Prose } else { Look::GoesOn };
    }
    if is_complete(words) || quotes::is_quoted(words) || letters::is_head(words) {
        return Look::Alone;
    }
    if has_columns(bare) || is_code_or_log(words) || !begins_with_words(words) {
        return Look::GoesOn;
    }
    if has_key(words) {
        return if is_point { Look::Alone } else { Look::GoesOn };
    }
    if LOGGED.is_match(words) || words.ends_with(';') { Look::Alone } else { Look::Prose }
}

/// What is said in a line: not the mark of a list's point, and no picture's place.
pub(crate) fn typed_part(line: &str) -> &str {
    lines::behind_list_marks(behind_placeholder(line.trim())).0
}

fn behind_placeholder(line: &str) -> &str {
    PLACEHOLDER.find(line).map_or(line, |found| &line[found.end()..])
}

/// Whether a line is a point of a list.
pub(super) fn is_point(line: &str) -> bool {
    lines::behind_list_marks(line).1
}

/// Whether a line is nothing but a key, of which the value follows.
pub(super) fn is_lone_key(line: &str) -> bool {
    LONE_KEY.is_match(line)
}

/// Headings, links and lines that a search found stand for themselves.
fn is_complete(words: &str) -> bool {
    HEADING.is_match(words) || URL_ONLY.is_match(words) || FOUND_IN_FILE.is_match(words)
}

/// Whether a line is made of columns, or of the characters that boxes are drawn with.
fn has_columns(line: &str) -> bool {
    let is_drawn = |c: char| matches!(c, '\u{2500}'..='\u{259f}' | '\t');
    let outside_code = || line.split('`').step_by(2);
    line.contains(is_drawn)
        || line.contains("   ")
        || TABLE_RULE.is_match(line)
        || outside_code().any(|part| part.contains(" | "))
}

fn is_code_or_log(words: &str) -> bool {
    let first: Vec<&str> = words.split_whitespace().take(4).collect();
    let says_time = first.iter().position(|word| TIME.is_match(word));
    let is_logged = says_time.is_some_and(|at| first[..at].iter().any(|word| !is_plain(word)) || at == 0);
    is_logged
        || PROMPT.is_match(words)
        || DATED.is_match(words)
        || FAILURE.is_match(words)
        || PLACE_AT_END.is_match(words)
        || CODE.is_match(words)
        || is_sender(words)
}

/// Whether a word is small and made of letters alone.
fn is_plain(word: &str) -> bool {
    word.chars().all(|c| c.is_lowercase() || c == '\'')
}

/// Whether a line says who writes, and when: `Bob Miller  10:32 AM`.
fn is_sender(words: &str) -> bool {
    SENT_TODAY.is_match(words)
        || SENT_AT.find(words).is_some_and(|time| {
            let names: Vec<&str> = words[..time.start()].split_whitespace().collect();
            names.len() <= MAX_SENDER_WORDS && names.iter().all(|name| !is_plain(name))
        })
}

/// Whether the first two words are words.
fn begins_with_words(words: &str) -> bool {
    let mut parts = words.split_whitespace();
    let (Some(first), second) = (parts.next(), parts.next()) else { return false };
    let next = second.unwrap_or("");
    is_word(first, next, words)
        && !OPERATORS.contains(&next)
        && !LEVELS.contains(&level(first))
        && (text::is_common(&first.to_lowercase())
            || !LEVELS.contains(&level(next)) && !next.contains("ERR!"))
}

fn level(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether prose may begin with a word.
fn is_word(first: &str, next: &str, words: &str) -> bool {
    const MIN_HASH_CHARS: usize = 7;
    let bare =
        first.trim_start_matches(['*', '_', '"', '\'', '“', '„', '«', '‘', '(', '`', '¿', '¡', '…', '.']);
    let Some(start) = bare.chars().next() else {
        return !first.is_empty() && first.chars().all(|c| c == '.' || c == '…');
    };
    let continues = || next.chars().next().is_some_and(char::is_lowercase);
    let is_one_apart = || words.get(first.len()..).is_some_and(|rest| !rest.starts_with("  "));
    let is_joined = bare.contains('=')
        || IN_FILE.is_match(bare)
        || ROW_OF_VALUES.is_match(words)
        || has_inner_colon(bare);
    let is_hash = bare.len() >= MIN_HASH_CHARS && HASH.is_match(bare) || bare.contains(['→', '↦']);
    if first.starts_with('`') {
        return true;
    }
    if is_joined || is_hash {
        return false;
    }
    match start {
        '0'..='9' => COUNT.is_match(bare) && continues() && is_one_apart(),
        '-' => {
            bare.starts_with("--") && bare[2..].starts_with(|c: char| c.is_ascii_lowercase()) && continues()
        }
        '@' | '$' => bare[1..].starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '.' | '_')),
        '/' => bare[1..].starts_with(|c: char| c.is_alphabetic() || matches!(c, '.' | '_')),
        '~' => bare.starts_with("~/"),
        letter => letter.is_alphabetic() && is_one_apart(),
    }
}

/// `README.md:From`, but not `std::fs` and no link.
fn has_inner_colon(word: &str) -> bool {
    !word.contains("::") && !word.contains("://") && word.trim_end_matches(':').contains(':')
}

/// Whether a line begins with a key or a speaker: `description: …`, `Bob: …`.
fn has_key(words: &str) -> bool {
    let first = words.split_whitespace().next().unwrap_or("");
    let (word, is_followed) = (first.trim_end_matches(['*', '_']), words.len() > first.len());
    let is_speaker = SPEAKER.captures(words).is_some_and(|found| {
        [1, 2]
            .into_iter()
            .all(|at| found.get(at).is_some_and(|name| !text::is_common(&name.as_str().to_lowercase())))
    });
    let Some(key) = word.strip_suffix([':', '：']).or_else(|| first.split_once(":*").map(|(key, _)| key))
    else {
        return is_speaker;
    };
    let key = key.trim_matches(['*', '_', '"', '\'', '`']);
    let small = key.to_lowercase();
    let is_led_in =
        LEAD_INS.contains(&small.as_str()) || CAPITAL_LEAD_INS.contains(&small.as_str()) && key != small;
    is_followed && !is_led_in
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_lines_read_like_prose() {
        for line in [
            "From now on, always run the tests.",
            "- use tabs",
            "  2) never use npm",
            "* [ ] **always** ask first",
            "`make check` must pass before you commit",
            "\"npm\" is not \"pnpm\"",
            "(and never use npm)",
            "@src/a.rs is fine",
            "/plan is fine",
            "2 things are wrong",
            "at 10:30:00 sharp",
            "in src/a.rs:12 you should never use unwrap",
            "Reminder: always use tabs",
            "Note: always use tabs",
            "one more thing: always use tabs",
            "... and never use npm",
            "let me know when it is done",
            "std::fs is banned here",
            "[Image #1] never do it like this",
            "--no-verify is never fine",
            "ab jetzt immer pnpm",
            "以后一律用 pnpm",
            "C++ code gets tabs",
            "I'd like tabs",
        ] {
            assert_eq!(look(line), Look::Prose, "{line}");
        }
    }

    #[test]
    fn lines_of_programs_do_not() {
        for line in [
            "2026-11-16T10:00:00Z always",
            "Nov 16 10:00:00 host app[12]: always",
            "I1116 10:00:00.000000 1 main.go:12] always",
            "INFO always",
            "npm ERR! always",
            "a1b2c3d always",
            "* a1b2c3d (HEAD -> main) always",
            "web-1  | always",
            "12→always",
            "12\talways",
            "12 | always",
            "E   always",
            "$ make",
            "> always",
            "description: always",
            "Bob Miller: always",
            "Bob Miller  10:32 AM",
            "**User**: always",
            "text = \"always\"",
            "RULE=\"always\"",
            "id,who,text",
            "README.md:From now on",
            "README.md(12): always",
            "README.md-12-always",
            "│ always │",
            "⏺ always",
            "• always",
            "// always",
            "; always",
            "-- always",
            "+always",
            "#8 0.123 always",
            "def f():",
            "error[E0001]: always",
            "thread 'main' panicked at src/main.rs:1:2:",
        ] {
            assert_eq!(look(line), Look::GoesOn, "{line}");
        }
    }

    #[test]
    fn some_lines_stand_for_themselves() {
        for line in
            ["# Rules", "https://x.org/a", "a.rs:12:use npm", "\"use npm\"", "From: me", "- Python: use uv"]
        {
            assert_eq!(look(line), Look::Alone, "{line}");
        }
    }
}
