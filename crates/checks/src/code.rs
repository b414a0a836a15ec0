//! Code terms of a line: what stands in backticks, and bare words that are plainly code.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::Pattern;

/// What a code term looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeKind {
    /// `--no-verify`
    Flag,
    /// `src/*.ts`, `docs/`, `package.json`
    Path,
    /// `pnpm test`, `git`
    Command,
    /// `feat/<name>`, `type(scope): text`
    Template,
    /// `publicKey`, `foo()`, `text-[14px]`, `any`
    Identifier,
}

/// What is known of commands by their names: `data/words/commands.yaml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Commands {
    /// Programs that developers run.
    programs: HashSet<String>,
    /// Words by which the second half of `tool verb` is seen to be a command of a tool that is not known here.
    subcommands: HashSet<String>,
    /// Programs whose names are words of English, too.
    english: HashSet<String>,
    /// Programs that mostly read what another one prints.
    filters: HashSet<String>,
    /// Programs that projects bring along under another name.
    wrappers: HashMap<String, String>,
    /// Words behind a program that make a command of the two without any mark.
    bare: Bare,
}

/// What follows the name of a program in a sentence, where the two are a command.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bare {
    /// Behind any program.
    plain: Vec<String>,
    /// Behind one whose name is no word of English.
    more: Vec<String>,
    /// Programs that do many things: behind "run" the words that follow say which.
    many: HashSet<String>,
}

// A test makes sure that it can be read.
static COMMANDS: LazyLock<Commands> = LazyLock::new(|| Commands::load().unwrap_or_default());

impl Commands {
    fn load() -> Result<Self, String> {
        let text = include_str!("../data/words/commands.yaml");
        subcortex_yaml::from_str(text).map_err(|problem| problem.to_string())
    }
}

// Endings of names of files; a test makes sure that they can be read.
static ENDINGS: LazyLock<HashSet<String>> = LazyLock::new(|| endings().unwrap_or_default());

fn endings() -> Result<HashSet<String>, String> {
    subcortex_yaml::from_str(include_str!("../data/words/endings.yaml"))
        .map_err(|problem| problem.to_string())
}

/// Whether this is the name of a program that developers run.
pub(crate) fn is_program(word: &str) -> bool {
    COMMANDS.programs.contains(word.trim_start_matches("./"))
}

/// Whether the name of a program is a word of English, too: "types go in signatures".
pub(crate) fn is_english_word(program: &str) -> bool {
    COMMANDS.english.contains(program)
}

/// Whether a program mostly reads what another one prints: `rg` in `make 2>&1 | rg error` searches nothing.
pub(crate) fn is_filter(program: &str) -> bool {
    COMMANDS.filters.contains(program)
}

/// The name under which projects bring a program along: `gradlew` is `gradle`.
pub(crate) fn wrapper_of(program: &str) -> Option<&'static str> {
    COMMANDS.wrappers.get(program).map(String::as_str)
}

/// What a code term looks like.
pub(crate) fn kind_of(text: &str) -> CodeKind {
    if is_ending(text) {
        return CodeKind::Path;
    }
    let first = text.split_whitespace().next().unwrap_or("");
    let spaced = text.contains(char::is_whitespace);
    // `// eslint-disable-next-line x` is a comment, whatever program it speaks to.
    if text.starts_with("//") || text.starts_with("/*") || text.starts_with("<!--") || text.starts_with("# ")
    {
        return CodeKind::Identifier;
    }
    if text.starts_with("--") || (text.starts_with('-') && text.len() == 2) {
        return CodeKind::Flag;
    }
    if spaced
        && text.split_whitespace().nth(1).is_some_and(|next| next.starts_with('{'))
        && text.ends_with('}')
    {
        // `task { }` is a block of code, whatever else goes by that name.
        return CodeKind::Identifier;
    }
    if is_program(first) && (spaced || !text.contains(['/', '.', '(']) || first.starts_with("./")) {
        return CodeKind::Command;
    }
    if spaced && is_command_line(text, first) {
        return CodeKind::Command;
    }
    if is_executable(text) {
        return CodeKind::Command;
    }
    if text == "async/await" || text == "try/catch" || text == "if/else" {
        return CodeKind::Identifier;
    }
    if spaced
        && (first.starts_with("./") || text.contains(" run ") || text.contains(" --"))
        && !text.contains("): ")
    {
        return CodeKind::Command;
    }
    if first.starts_with("./")
        && !first.trim_start_matches("./").contains('/')
        && !first.contains('*')
        && !first.trim_start_matches("./").contains('.')
    {
        return CodeKind::Command;
    }
    if ARITY.is_match(text) {
        return CodeKind::Identifier;
    }
    if !text.contains("): ") && is_call(text) {
        return CodeKind::Identifier;
    }
    if SETTING.is_match(text) {
        return CodeKind::Identifier;
    }
    if text.contains("): ") || text.contains(": <") || (spaced && text.contains(": ")) {
        return CodeKind::Template;
    }
    if spaced {
        return CodeKind::Identifier;
    }
    if text.starts_with(['@', '#', '.', '<', '$', '"', '\''])
        && !text.contains('/')
        && !text.starts_with("..")
        && !looks_like_file(text)
    {
        return CodeKind::Identifier;
    }
    // `server/workflows/[domain].ts`: a name that stands for others.
    if looks_like_file(text) && OPEN_SEGMENT.is_match(text) && !text.contains("://") {
        return CodeKind::Path;
    }
    if text.contains("://") || text.contains('(') || text.contains('[') {
        return CodeKind::Identifier;
    }
    if text.starts_with('@') {
        return CodeKind::Identifier;
    }
    if text.contains('/') || looks_like_file(text) || text.contains("*.") {
        if text.contains('<') && !text.contains('.') {
            return CodeKind::Template;
        }
        return CodeKind::Path;
    }
    if text.contains('<') {
        return CodeKind::Template;
    }
    if text.contains(':')
        && text.split(':').all(|part| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_')
        })
    {
        // A script name such as `build:binaries` or `test:ci`.
        return CodeKind::Command;
    }
    CodeKind::Identifier
}

// `port: 0`, `bulk: true`: a value that is no placeholder.
crate::text::pattern!(SETTING, r#"^[\w.-]+: (?:-?\d[\w.]*|true|false|null|nil|none|"[^"<]*"|'[^'<]*')$"#);
// `_next_` without backticks is a word that is stressed.
crate::text::pattern!(EMPHASIS, r"^_[A-Za-z]+_$");
crate::text::pattern!(OPEN_SEGMENT, r"^(?:[\w./-]*/)?(?:\[(?:\.\.\.)?[A-Za-z][\w-]*\][\w./-]*)+$");
// `Phoenix.Component.to_form/2`: a function and how many arguments it takes.
crate::text::pattern!(ARITY, r"^[A-Za-z_][\w.]*[!?]?/\d$");

/// `forge test`, `bat -p`, `drizzle db generate`: a lower-case name with a command or an option behind it.
fn is_command_line(text: &str, first: &str) -> bool {
    let plain = |word: &str| {
        !word.is_empty()
            && word.chars().all(|c| {
                c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@')
            })
    };
    plain(first)
        && first.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .split_whitespace()
            .skip(1)
            .take(2)
            .any(|word| COMMANDS.subcommands.contains(word) || (word.starts_with('-') && word.len() > 1))
        && !text.contains("=>")
}

crate::text::pattern!(EXECUTABLES, r"^bin/|/\.?bin/|^\./(?:scripts?|tools?|dev|hack|ci)/");

/// `./vendor/bin/pint`, `bin/rails`, `./script/clippy`, `scripts/check.sh`.
fn is_executable(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("");
    let name = first.rsplit('/').next().unwrap_or("");
    let is_program =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    !first.contains(['*', '<', '{'])
        && ((is_program && EXECUTABLES.is_match(first)) || (first.starts_with("./") && name.ends_with(".sh")))
}

/// `fmt.Errorf("…", err)`: a name and an opening bracket.
fn is_call(text: &str) -> bool {
    text.split_once('(').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$'))
    })
}

/// `.proto` as a name for all files with this ending.
pub(crate) fn is_ending(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|ending| ENDINGS.contains(ending) && ending != "env")
}

pub(crate) fn looks_like_file(text: &str) -> bool {
    if matches!(
        text.trim_end_matches('*'),
        "Makefile"
            | "Dockerfile"
            | "Justfile"
            | "LICENSE"
            | "CHANGELOG"
            | "README"
            | "Gemfile"
            | "Procfile"
            | "CODEOWNERS"
    ) || text.starts_with(".env")
    {
        return true;
    }
    let Some((stem, ending)) = text.rsplit_once('.') else { return false };
    ENDINGS.contains(ending) && !stem.contains("()") && (!stem.is_empty() || ending == "env")
}

/// `os.path`, `console.log`: lower-case names joined by a dot.
fn is_dotted(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    parts.len() >= 2
        && parts
            .iter()
            .all(|part| part.len() >= 2 && part.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        && parts
            .last()
            .is_some_and(|last| !matches!(*last, "js" | "io" | "com" | "org" | "net" | "dev" | "ai"))
}

/// A known program and a word that says what it does. The names of some programs are words of English: those need a plainer word.
static BARE_COMMAND: LazyLock<Pattern> = LazyLock::new(|| {
    let any = |words: &mut dyn Iterator<Item = &String>| {
        let mut all: Vec<String> = words.map(|word| regex::escape(word)).collect();
        all.sort();
        all.join("|")
    };
    let (known, english) = (&COMMANDS.programs, &COMMANDS.english);
    let programs = any(&mut known.iter().filter(|program| !english.contains(*program)));
    let english = any(&mut english.iter().filter(|program| known.contains(*program)));
    let (plain, more) = (any(&mut COMMANDS.bare.plain.iter()), any(&mut COMMANDS.bare.more.iter()));
    let named = r"(?:test|lint|db|build|check):[\w:-]+";
    Pattern::new(&format!(
        r"(?:^|[\s(])((?:(?:{programs}|\./gradlew|bundle exec|php artisan|docker compose)\s+(?:run\s+)?(?:{plain}|{more}|{named})|(?:{english})\s+(?:run\s+)?(?:{plain}|{named})))(?:[\s.,;:!?)]|$)"
    ))
});

/// Where a command line begins and ends that nobody put into backticks: "run npm test before committing".
pub(crate) fn bare_command(text: &str) -> Option<(usize, usize)> {
    let known =
        BARE_COMMAND.captures(text).and_then(|found| found.get(1)).map(|found| (found.start(), found.end()));
    known.into_iter().chain(run_command(text)).min_by_key(|(start, _)| *start)
}

crate::text::pattern!(
    RUN,
    r"(?:^|[\s,])(?i:run|execute|rerun|re-run|running) ([a-z][\w.-]*)((?: [\w./:@=-]+){1,3})"
);
// A word of a sentence, and no word of a command.
crate::text::pattern!(
    SENTENCE_WORD,
    r"^(?:and|or|to|before|after|when|if|for|in|on|with|then|instead|from|as|so|the|a|an|it|its|your|our|all|any|first|again|once|twice|via|using|at|by|is|are|that|this|only|until|unless|while|every|each|directly|inside|within|against|not|but|without|per|like|such|have|has|was|will|should|must|can)$"
);
// Behind a program it only says what it is: "npm scripts", "make targets"; or how it is run.
crate::text::pattern!(
    KIND_WORD,
    r"^(?:commands?|scripts?|targets?|tasks?|checks|suites?|lints?|linting|formatting|audits?|packages?|modules?|images?|services?|health|unit|containers?|tests|tools?|programs?|jobs?|builds|hooks?|pipelines?|queries|migrations?|code|locally|manually|regularly|automatically|frequently|often|always|never)$|ly$"
);

/// "After editing *.proto files run make proto": behind "run", a program that does many things and up to three words that are none of a sentence.
fn run_command(text: &str) -> Option<(usize, usize)> {
    let found = RUN.captures(text)?;
    let (program, rest) = (found.get(1)?, found.get(2)?);
    if !COMMANDS.bare.many.contains(program.as_str()) {
        return None;
    }
    let mut end = program.end();
    for word in rest.as_str().split(' ').skip(1) {
        let core = word.trim_end_matches(['.', ',', ':']);
        if core.is_empty() || SENTENCE_WORD.is_match(core) {
            break;
        }
        if KIND_WORD.is_match(core) {
            return None;
        }
        end += 1 + core.len();
        if core.len() < word.len() {
            break;
        }
    }
    (end > program.end()).then_some((program.start(), end))
}

/// Names that end in a mark of punctuation.
pub(crate) const MACROS: &[&str] = &[
    "println!",
    "eprintln!",
    "print!",
    "dbg!",
    "panic!",
    "todo!",
    "unimplemented!",
    "unreachable!",
    "vec!",
    "unwrap!",
];

/// Whether a bare word of a line is plainly code.
pub(crate) fn is_bare_code(word: &str) -> bool {
    let word = if MACROS.contains(&word) {
        word
    } else {
        word.trim_end_matches(['.', ',', ';', ':', ')', '?', '!'])
    };
    if word.contains("://") || word.len() < 3 {
        return false;
    }
    word.starts_with("--")
        || word.contains("*.")
        || (looks_like_file(word)
            && (word.contains('.') || word.chars().all(|c| c.is_ascii_uppercase()))
            && !matches!(word.to_lowercase().as_str(), "e.g" | "i.e" | "node.js" | "next.js" | "vue.js"))
        || is_dotted(word)
        || word.ends_with("()")
        || MACROS.contains(&word)
        || (word.ends_with('/') && word.len() > 3)
        || (word.matches('/').count() >= 2 && !word.contains(char::is_uppercase))
        || (word.contains('_')
            && !EMPHASIS.is_match(word)
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_commands_and_the_endings_of_files_can_be_read() {
        let known = Commands::load().expect("the data can be read");
        assert!(known.programs.contains("git") && known.subcommands.contains("lint"));
        assert!(endings().expect("the data can be read").contains("rs"));
    }

    #[test]
    fn code_terms_are_told_apart() {
        use CodeKind::{Command, Flag, Identifier, Path, Template};
        for (text, expect) in [
            ("--no-verify", Flag),
            ("pnpm api:generate", Command),
            ("git", Command),
            ("./scripts/test.sh --fast", Command),
            ("make lint", Command),
            ("build:binaries", Command),
            ("apps/api", Path),
            ("designs/*.pen", Path),
            ("*.go", Path),
            ("package.json", Path),
            ("engine.ts", Path),
            ("docs/", Path),
            ("publicKey", Identifier),
            ("any", Identifier),
            ("text-[14px]", Identifier),
            ("@shared/*", Identifier),
            ("runAll()", Identifier),
            (".severity-dot", Identifier),
            ("type(optional-scope): description", Template),
            ("v<version>-rc-<N>", Template),
            ("<link>", Identifier),
        ] {
            assert_eq!(kind_of(text), expect, "{text}");
        }
    }
}
