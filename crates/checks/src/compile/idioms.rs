//! Habits of writing that people forbid in plain words: emoji, comments, secrets, leftovers.

use crate::language::{By, Check, Committed, Condition, Expect, Mixed, Order, Ran, Said, Wrote};
use crate::line::{CodeKind, Directive, ParsedLine};

use super::content::{EMOJI, scope_globs, term};

/// What a line forbids, in the words of its first prohibition.
struct Ban<'l> {
    line: &'l ParsedLine,
    verb: &'l str,
    object: String,
    globs: Vec<String>,
}

const SECRETS: &[&str] = &[
    "secret",
    "secrets",
    "token",
    "tokens",
    "password",
    "passwords",
    "credential",
    "credentials",
    "private key",
    "private keys",
    "api key",
    "api keys",
    "pii",
    "sensitive data",
    "sensitive information",
];

impl Ban<'_> {
    fn has(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| crate::line::contains_phrase(&self.object, phrase))
    }

    /// Whether it is the writing of the thing that is forbidden, not its removal.
    fn is_writing(&self) -> bool {
        matches!(
            self.verb,
            "" | "add"
                | "write"
                | "leave"
                | "include"
                | "use"
                | "put"
                | "insert"
                | "comment"
                | "create"
                | "commit"
        )
    }

    fn wrote(&self, added: &str) -> Condition {
        Condition::Wrote(Wrote {
            paths: crate::language::globs(self.globs.clone()),
            added: Some(added.to_owned().into()),
            ..Wrote::default()
        })
    }
}

/// Idioms that people forbid in plain words.
pub(crate) fn compile(line: &ParsedLine) -> Option<Check> {
    if let Some(check) = named_exports(line) {
        return Some(check);
    }
    line.directives
        .iter()
        .filter(|directive| directive.negative)
        .find_map(|directive| by_ban(line, directive))
}

fn by_ban(line: &ParsedLine, directive: &Directive) -> Option<Check> {
    let object = line.unmask(&format!("{} {}", directive.verb, directive.object)).to_lowercase();
    let ban = Ban { line, verb: &directive.verb, object, globs: scope_globs(line) };
    let (family, forbid) =
        emoji(&ban).or_else(|| secrets(&ban)).or_else(|| leftovers(&ban)).or_else(|| idiom(&ban))?;
    Some(Check {
        testable: true,
        family: family.to_owned(),
        expect: positive_terms(line, &ban.globs),
        forbid,
        unless: super::files::exceptions(line),
        mixed: Mixed::Open,
        why: "the named thing is not written".into(),
        ..Check::default()
    })
}

fn named_exports(line: &ParsedLine) -> Option<Check> {
    let wants = line.directives.iter().any(|directive| {
        !directive.negative && matches!(directive.verb.as_str(), "use" | "prefer" | "favor")
    });
    if !wants || !line.says_any(&["named exports", "named export"]) {
        return None;
    }
    let (good, bad) = (super::nouns::seen("named exports")?, super::nouns::seen("default exports")?);
    Some(Check {
        testable: true,
        family: "no-default-export".into(),
        expect: vec![Expect::one(good)],
        forbid: vec![bad],
        why: "exports have names".into(),
        ..Check::default()
    })
}

type Found = Option<(&'static str, Vec<Condition>)>;

fn emoji(ban: &Ban<'_>) -> Found {
    if !ban.has(&["emoji", "emojis"]) {
        return None;
    }
    let object = ban.object.trim();
    let bare = [
        "emoji",
        "emojis",
        "any emoji",
        "any emojis",
        "use emojis",
        "use emoji",
        "add emojis",
        "use any emojis",
    ]
    .contains(&object);
    let everywhere = bare || ban.line.says_any(&["anywhere", "ever", "everywhere"]);
    let says = |words: &[&str]| everywhere || ban.line.says_any(words);
    let mut forbid = Vec::new();
    let commits = says(&["commit", "commits", "commit message", "commit messages"]);
    let only_commits = commits
        && !everywhere
        && !ban.line.says_any(&["code", "docs", "documentation", "comments", "files", "ui", "readme"]);
    if !only_commits {
        forbid.push(Condition::Wrote(Wrote {
            added: Some(EMOJI.into()),
            paths: crate::language::globs(ban.globs.clone()),
            ..Wrote::default()
        }));
    }
    if says(&[
        "response",
        "responses",
        "output",
        "message",
        "messages",
        "replies",
        "reply",
        "answers",
        "answer",
        "chat",
    ]) && !only_commits
    {
        forbid.push(Condition::Said(Said { by: By::Agent, text: Some(EMOJI.into()), ..Said::default() }));
    }
    if commits {
        forbid.push(Condition::Committed(Committed { message: Some(EMOJI.into()), ..Committed::default() }));
    }
    Some(("no-emoji", forbid))
}

fn secrets(ban: &Ban<'_>) -> Found {
    if !ban.has(SECRETS) {
        return None;
    }
    if ban.has(&["log", "print", "echo", "expose", "output"]) {
        let secret = r"(?:private[_-]?key|priv_?key|secret|token|passw(?:or)?d|credential|api[_-]?key|\b\w*_KEY\b|mnemonic|seed)";
        let shown = Condition::Ran(Ran {
            with: Some(format!(r"(?i)^\s*(?:echo|printf|print)\b[^|>]*\$\{{?\w*{secret}").into()),
            ..Ran::default()
        });
        let logged = Condition::Wrote(Wrote {
            added: Some(format!(
                r"(?i)(?:console\.(?:log|info|debug|error|warn)|logger?\.\w+|print(?:ln|f)?!?|fmt\.Print\w*|log\.\w+)\s*\([^)\n]*[,{{$ (]\w*{secret}\w*\s*[,)}}]"
            ).into()),
            ..Wrote::default()
        });
        return Some(("no-secrets-in-logs", vec![shown, logged]));
    }
    if !matches!(
        ban.verb,
        "commit"
            | "hardcode"
            | "hard-code"
            | "store"
            | "put"
            | "place"
            | "check"
            | "include"
            | "write"
            | "add"
            | "leave"
            | "save"
    ) {
        return None;
    }
    let written = Wrote {
        added: Some(r#"(?i)(?:api[_-]?key|secret|token|passw(?:or)?d|private[_-]?key)\w*["']?\s*[:=]\s*["'][A-Za-z0-9_\-/+=]{16,}["']"#.into()),
        except: vec!["*.{md,mdx}".into()],
        ..Wrote::default()
    };
    Some(("no-secrets", vec![Condition::Wrote(written)]))
}

fn leftovers(ban: &Ban<'_>) -> Found {
    if ban.has(&["console.log"]) || (ban.has(&["console"]) && ban.has(&["log", "logs", "logging"])) {
        return Some(("no-console-log", vec![ban.wrote(r"\bconsole\.log\(")]));
    }
    if ban.has(&["todo", "todos", "fixme"]) && ban.is_writing() {
        return Some(("no-todo", vec![ban.wrote(r"\b(?:TODO|FIXME)\b")]));
    }
    if ban.has(&["eslint", "lint rules", "linter", "lint"])
        && matches!(ban.verb, "disable" | "silence" | "suppress" | "ignore" | "bypass")
    {
        return Some(("no-lint-disable", vec![ban.wrote(r"eslint-disable|#\s*noqa|#\[allow\(|//\s*nolint|@SuppressWarnings|rubocop:disable|biome-ignore")]));
    }
    let comments = ban.has(&["comment", "comments"])
        && ban.is_writing()
        && !ban.has(&["commented-out code", "commented out code"]);
    comments.then(|| ("no-comments", vec![ban.wrote(r"(?m)^\s*(?://[^/!]|#[^!\[{]|/\*[^*])")]))
}

fn idiom(ban: &Ban<'_>) -> Found {
    let one = |family, expression: &str| Some((family, vec![ban.wrote(expression)]));
    if ban.has(&["import"]) && ban.has(&["css"]) {
        return one("no-css-import", r#"(?m)^\s*import\s+[^\n]*\.(?:css|scss)['"]"#);
    }
    if ban.has(&["force unwraps", "force unwrap", "force unwrapping"]) || ban.verb == "force" {
        return None;
    }
    if ban.has(&["unwrap", "unwraps", "unwrap()"])
        || (ban.has(&["expect"]) && ban.line.says_any(&["rust", "unwrap"]))
    {
        let rust = Wrote {
            paths: vec!["*.rs".into()],
            added: Some(r"\.(?:unwrap|expect)\(".into()),
            ..Wrote::default()
        };
        return Some(("no-unwrap", vec![Condition::Wrote(rust)]));
    }
    let tests = ban.has(&["test", "tests"]);
    if tests
        && (matches!(ban.verb, "skip" | "disable" | "ignore" | "comment") || ban.has(&["skip", "disable"]))
    {
        return one(
            "no-skipped-tests",
            r"\b(?:it|test|describe)\.(?:skip|only|todo)\(|\bx(?:it|describe)\(|@(?:pytest\.mark\.skip|Disabled|Ignore)|t\.Skip\(|#\[ignore",
        );
    }
    None
}

fn positive_terms(line: &ParsedLine, globs: &[String]) -> Vec<Expect> {
    let any: Vec<Condition> = line
        .directives
        .iter()
        .filter(|directive| !directive.negative && matches!(directive.verb.as_str(), "use" | "prefer"))
        .flat_map(|directive| line.codes_in(&directive.object))
        .filter(|code| code.kind == CodeKind::Identifier)
        .map(|code| term(&code.text, globs))
        .collect();
    if any.is_empty() {
        Vec::new()
    } else {
        vec![Expect { any, order: Order::Anytime, since: crate::language::Since::Turn }]
    }
}
