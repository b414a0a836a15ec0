//! Rules about what is written into files: terms, idioms, imports, colours, emoji, comments, secrets.

use crate::language::{By, Check, Condition, Expect, Mixed, Order, Said, Wrote};
use crate::line::{CodeKind, Directive, ParsedLine, Relation};
use crate::text;

use super::concepts::{CODE_GLOBS, CONFIG_GLOBS};
use super::occasion;

fn draft(family: &str, why: String) -> Check {
    Check { testable: true, family: family.to_owned(), why, ..Check::default() }
}

/// Names of languages that mean nothing else: wherever they stand in a line, it is about their files.
const LANGUAGES: &[&str] = &[
    "python",
    "typescript",
    "javascript",
    "rust",
    "golang",
    "kotlin",
    "swift",
    "ruby",
    "php",
    "dart",
    "flutter",
    "terraform",
    "svelte",
    "vue",
];

/// The files that a line is about, by its paths and nouns; else all code.
pub(crate) fn scope_globs(line: &ParsedLine) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut stems: Vec<String> = Vec::new();
    for when in
        line.conditions.iter().filter(|when| matches!(when.relation, Relation::Within | Relation::When))
    {
        paths.extend(
            line.codes_in(&when.text)
                .iter()
                .filter(|code| code.kind == CodeKind::Path)
                .map(|code| code.text.clone()),
        );
        stems.extend(text::content_stems(&ParsedLine::plain(&when.text)));
    }
    for heading in &line.headings {
        stems.extend(text::content_stems(heading));
    }
    stems.extend(
        text::words(&ParsedLine::plain(&line.masked))
            .into_iter()
            .filter(|word| LANGUAGES.contains(&word.as_str())),
    );
    stems.retain(|stem| {
        !text::is_stem_of(
            stem,
            &[
                "style",
                "guide",
                "doc",
                "documentation",
                "package",
                "library",
                "test",
                "script",
                "page",
                "dependency",
                "ci",
                "query",
                "image",
            ],
        )
    });
    if !paths.is_empty() {
        let narrowed = occasion::narrowed(&stems, &paths).paths;
        return narrowed.iter().map(|glob| glob.as_str().to_owned()).collect();
    }
    let globs = occasion::concept_globs(&stems);
    if globs.is_empty() { default_globs() } else { globs }
}

/// The use of a code term in added text.
pub(crate) fn term(code: &str, globs: &[String]) -> Condition {
    let home = super::place::home_of(code).filter(|_| globs == default_globs());
    let paths =
        home.map_or_else(|| globs.to_vec(), |home| home.iter().map(|glob| (*glob).to_owned()).collect());
    Condition::Wrote(Wrote {
        paths: crate::language::globs(paths),
        added: Some(term_expression(code).into()),
        ..Wrote::default()
    })
}

/// All files in which a term may stand.
fn default_globs() -> Vec<String> {
    CODE_GLOBS.iter().chain(CONFIG_GLOBS).map(|glob| (*glob).to_owned()).collect()
}

/// A term as an expression: numbers stand for any number, a call for any arguments.
pub(crate) fn term_expression(code: &str) -> String {
    if matches!(
        code,
        "type" | "interface" | "class" | "enum" | "const" | "let" | "var" | "function" | "struct" | "async"
    ) {
        return format!(r"(?m)^\s*(?:export\s+)?(?:default\s+)?{code}\s+\w");
    }
    if is_plain_word(code) && !matches!(code, "any" | "unknown" | "unsafe") {
        // A word of plain English as well: only where it is plainly used as a name in code.
        return format!(
            r#"(?m)(?:^|[^.\w]){code}(?:\.\w|!?\()|["'/]{code}["'/]|(?:import|require|from|use)\s+\(?["']?{code}\b|:{code}\b"#
        );
    }
    if code == "unknown" {
        return r":\s*unknown\b|<unknown>|\bas unknown\b|\bunknown\[\]".to_owned();
    }
    if code == "unsafe" {
        return r"\bunsafe\s*(?:\{|fn|impl)".to_owned();
    }
    if code == "async/await" {
        return r"\bawait\b".to_owned();
    }
    if code == "any" {
        return r":\s*any\b|<any>|\bas any\b|any\[\]".to_owned();
    }
    let code = code.split("...").next().unwrap_or(code).split('…').next().unwrap_or(code).trim_end();
    let core = code.split('(').next().filter(|core| !core.is_empty()).unwrap_or(code);
    let mut out = String::new();
    let mut digits = false;
    let mut before: Option<char> = None;
    for (at, c) in core.char_indices() {
        if c.is_ascii_digit() {
            if !digits {
                out.push_str(r"\d+");
            }
            digits = true;
            before = Some(c);
            continue;
        }
        digits = false;
        let alone = |other: Option<char>| other.is_none_or(|other| !other.is_alphanumeric() && other != '_');
        let placeholder = c.is_ascii_uppercase()
            && alone(before)
            && alone(core.get(at + 1..).and_then(|rest| rest.chars().next()));
        before = Some(c);
        if placeholder && core.len() > 1 {
            // `Optional[T]`: the letter stands for any name.
            out.push_str(r"[\w.\[\], ]+?");
            continue;
        }
        match c {
            ' ' => out.push_str(r"\s*"),
            '*' => out.push_str(r"[\w./-]+"),
            other => out.push_str(&regex::escape(&other.to_string())),
        }
    }
    let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let start = if word(core.chars().next()) { r"\b" } else { "" };
    let end = if core.len() < code.len() {
        r"\s*\("
    } else if word(core.chars().next_back()) {
        r"\b"
    } else {
        ""
    };
    format!("{start}{out}{end}")
}

crate::text::pattern!(SIZE_STEP, r"^(.+-)(?:\d?xs|sm|md|base|lg|\d?xl|\d+)$");

/// "`text-xs` to `text-3xl`": all steps of the scale.
pub(crate) fn scale(line: &ParsedLine, masked: &str) -> Option<String> {
    let codes = line.codes_in(masked);
    let range = masked.contains("§ to §")
        || masked.contains("§ through §")
        || masked.contains("§-§")
        || masked.contains("§ – §");
    let prefix = SIZE_STEP.captures(&codes.first()?.text)?.get(1)?.as_str().to_owned();
    (range && codes.get(1)?.text.starts_with(&prefix))
        .then(|| format!(r"\b{}(?:\d?xs|sm|md|base|lg|\d?xl|\d+)\b", regex::escape(&prefix)))
}

/// Whether a code term could as well be a word of a sentence.
pub(crate) fn is_plain_word(code: &str) -> bool {
    code.chars().all(|c| c.is_ascii_lowercase())
}

/// "Use the terms `a`, `b`; avoid `x`, `y`".
pub(crate) fn terms(line: &ParsedLine) -> Option<Check> {
    let about = line.says_any(&[
        "term",
        "terms",
        "terminology",
        "wording",
        "spelling",
        "call it",
        "naming",
        "names",
        "named",
        "vocabulary",
        "word",
        "words",
    ]);
    if !about {
        return None;
    }
    let list = |negative: bool| -> Vec<String> {
        line.directives
            .iter()
            .flat_map(|directive| {
                let main = if directive.negative == negative {
                    line.codes_in(&directive.object)
                } else {
                    Vec::new()
                };
                let other = match &directive.instead_of {
                    Some(other) if directive.negative != negative => line.codes_in(other),
                    _ => Vec::new(),
                };
                main.into_iter().chain(other)
            })
            .filter(|code| code.kind == CodeKind::Identifier)
            .map(|code| code.text.clone())
            .collect()
    };
    let (good, bad) = (list(false), list(true));
    if bad.is_empty() || good.is_empty() {
        return None;
    }
    let expression = |terms: &[String], whole: bool| {
        let joined: Vec<String> = terms.iter().map(|term| regex::escape(term)).collect();
        if whole { format!(r"\b(?:{})", joined.join("|")) } else { format!("(?i)(?:{})", joined.join("|")) }
    };
    let bad_text = expression(&bad, true);
    Some(Check {
        expect: vec![Expect::one(Condition::Wrote(Wrote {
            paths: crate::language::globs(scope_globs(line)),
            except: crate::language::globs(super::concepts::TEST_GLOBS.iter().copied()),
            added: Some(expression(&good, false).into()),
            ..Wrote::default()
        }))],
        forbid: vec![
            Condition::Wrote(Wrote { added: Some(bad_text.clone().into()), ..Wrote::default() }),
            Condition::Said(Said { by: By::Agent, text: Some(bad_text.into()), ..Said::default() }),
        ],
        mixed: Mixed::Open,
        ..draft("terms", "the project's terms are used".into())
    })
}

const COLOURS: &[&str] = &[
    "slate", "gray", "grey", "zinc", "neutral", "stone", "red", "orange", "amber", "yellow", "lime", "green",
    "emerald", "teal", "cyan", "sky", "blue", "indigo", "violet", "purple", "fuchsia", "pink", "rose",
];

/// "Use slate tones, no inline indigo or green colours", "semantic tokens, no raw palette classes", "no gradients".
pub(crate) fn colours(line: &ParsedLine) -> Option<Check> {
    let about = line.says_any(&[
        "colour",
        "colours",
        "color",
        "colors",
        "palette",
        "tones",
        "tailwind",
        "gradient",
        "gradients",
        "hex",
    ]);
    if !about {
        return None;
    }
    let named = |negative: bool| -> Vec<&str> {
        let texts: String = line
            .directives
            .iter()
            .filter(|directive| directive.negative == negative)
            .map(|directive| format!(" {} {} ", directive.verb, directive.object))
            .collect();
        COLOURS.iter().copied().filter(|colour| crate::line::contains_phrase(&texts, colour)).collect()
    };
    let class = |colours: &[&str]| {
        format!(
            r"\b(?:bg|text|border|ring|from|via|to|fill|stroke|divide|outline|shadow|accent)-(?:{})-\d+",
            colours.join("|")
        )
    };
    let (good, mut bad) = (named(false), named(true));
    let negative_text: String = line
        .directives
        .iter()
        .filter(|directive| directive.negative || directive.instead_of.is_some())
        .map(|directive| {
            format!(" {} {} ", directive.object, directive.instead_of.clone().unwrap_or_default())
        })
        .collect();
    let raw = [
        "raw",
        "palette",
        "arbitrary colour",
        "hardcoded",
        "hard-coded",
        "hard coded",
        "inline colour",
        "inline color",
    ]
    .iter()
    .any(|word| negative_text.contains(word));
    if bad.is_empty() && raw && !negative_text.contains("hex") {
        bad = COLOURS.to_vec();
    }
    let mut forbidden: Vec<String> = Vec::new();
    if !bad.is_empty() {
        forbidden.push(class(&bad));
    }
    if negative_text.contains("gradient") {
        forbidden.push(r"\bbg-gradient-to-\w+|linear-gradient\(".into());
    }
    if negative_text.contains("hex") || (raw && line.says_any(&["colour", "color", "colours", "colors"])) {
        forbidden.push(r"#[0-9a-fA-F]{6}\b".into());
    }
    if forbidden.is_empty() {
        return None;
    }
    let globs = scope_globs(line);
    let wrote = |added: String| {
        Condition::Wrote(Wrote {
            paths: crate::language::globs(globs.clone()),
            added: Some(added.into()),
            ..Wrote::default()
        })
    };
    let mut any: Vec<Condition> = Vec::new();
    if !good.is_empty() {
        any.push(wrote(class(&good)));
    }
    any.extend(
        line.directives
            .iter()
            .filter(|directive| !directive.negative)
            .flat_map(|directive| line.codes_in(&directive.object))
            .filter(|code| code.kind == CodeKind::Identifier)
            .map(|code| term(&code.text, &globs)),
    );
    let expect = if any.is_empty() {
        Vec::new()
    } else {
        vec![Expect { any, order: Order::Anytime, since: crate::language::Since::Turn }]
    };
    Some(Check {
        expect,
        forbid: vec![wrote(forbidden.join("|"))],
        mixed: Mixed::Missed,
        ..draft("colours", "only the named colours are used".into())
    })
}

/// Pictures and signs that people call emoji.
pub(crate) const EMOJI: &str = r"[\x{1F300}-\x{1FAFF}\x{2600}-\x{27BF}\x{2B50}\x{2B55}\x{1F1E6}-\x{1F1FF}]";

/// "Import through the aliases `@shared/*`", "use absolute imports", "no relative imports".
pub(crate) fn imports(line: &ParsedLine) -> Option<Check> {
    let is_alias = |text: &str| text.starts_with(['@', '~', '#']) && text.contains('/');
    let named = line.codes.iter().any(|code| is_alias(&code.text));
    if !line.says_any(&["import", "imports", "importing"])
        || !(named || line.says_any(&["alias", "aliases", "absolute", "path alias", "relative"]))
        || line.says_any(&["css"])
    {
        return None;
    }
    let aliases: Vec<String> = line
        .codes
        .iter()
        .filter(|code| is_alias(&code.text))
        .map(|code| regex::escape(code.text.split("...").next().unwrap_or(&code.text).trim_end_matches('*')))
        .collect();
    let globs = scope_globs(line);
    let wrote = |added: String| {
        Condition::Wrote(Wrote {
            paths: crate::language::globs(globs.clone()),
            added: Some(added.into()),
            ..Wrote::default()
        })
    };
    let python = globs.iter().any(|glob| glob == "*.py");
    let deep = if python {
        wrote(r"(?m)^\s*from\s+\.+[\w.]*\s+import\b".to_owned())
    } else {
        wrote(r#"(?:from|import|require\()\s*['"](?:\.\./){2,}"#.to_owned())
    };
    let wants_relative = line.says_any(&["use relative", "prefer relative"]);
    if wants_relative {
        return None;
    }
    if aliases.is_empty() {
        let good = python.then(|| wrote(r"(?m)^\s*from\s+[A-Za-z_][\w.]*\s+import\b".to_owned()));
        return Some(Check {
            expect: good.into_iter().map(Expect::one).collect(),
            forbid: vec![deep],
            mixed: Mixed::Missed,
            ..draft("import-paths", "imports are absolute".into())
        });
    }
    let good = wrote(format!(r#"(?:from|import|require\()\s*['"](?:{})"#, aliases.join("|")));
    Some(Check {
        expect: vec![Expect::one(good)],
        forbid: vec![deep],
        ..draft("import-paths", "imports go through the aliases".into())
    })
}

/// "Never use `x`", "no `y`", "do not hide sections behind `cloudMode`", "use `.a` classes" – terms in added content.
pub(crate) fn forbidden_terms(line: &ParsedLine) -> Option<Check> {
    let globs = scope_globs(line);
    let of = |directive: &Directive| -> Vec<Condition> {
        line.codes_in(directive.object.split(" outside ").next().unwrap_or(""))
            .iter()
            .filter(|code| code.kind == CodeKind::Identifier && is_name(&code.text))
            .map(|code| term(&code.text, &globs))
            .collect()
    };
    let mut forbid: Vec<Condition> =
        line.directives.iter().filter(|directive| directive.negative).flat_map(of).collect();
    let good: Vec<Condition> =
        line.directives.iter().filter(|directive| !directive.negative).flat_map(of).collect();
    // "`now(utc)`, never a bare `now()`": what cannot be told apart is not forbidden.
    let added = |condition: &Condition| {
        if let Condition::Wrote(wrote) = condition { wrote.added.clone() } else { None }
    };
    forbid.retain(|condition| !good.iter().any(|other| added(other) == added(condition)));
    instead(line, good, forbid, draft("forbidden-term", "the named term is not written".into()))
}

/// A check that forbids some things and, where others are named for them, expects one of those.
fn instead(line: &ParsedLine, good: Vec<Condition>, forbid: Vec<Condition>, draft: Check) -> Option<Check> {
    if forbid.is_empty() {
        return None;
    }
    let expect = if good.is_empty() {
        Vec::new()
    } else {
        vec![Expect { any: good, order: Order::Anytime, since: crate::language::Since::Turn }]
    };
    Some(Check { expect, forbid, unless: super::files::exceptions(line), ..draft })
}

/// Whether a code term has anything that could be found.
fn is_name(code: &str) -> bool {
    code.chars().filter(|c| c.is_alphanumeric()).count() >= 3
}

/// Whether a code term is found only where it is meant: wanted terms say nothing when everybody writes them anyway.
fn is_distinct(code: &str) -> bool {
    is_name(code)
        && (!is_plain_word(code) || (code.len() >= 4 && !text::is_common(code) && !EVERYDAY.contains(&code)))
}

/// Words that stand in all code for all reasons.
const EVERYDAY: &[&str] = &[
    "test",
    "type",
    "main",
    "name",
    "data",
    "list",
    "dict",
    "string",
    "object",
    "class",
    "function",
    "return",
    "import",
    "export",
    "value",
    "error",
    "index",
    "items",
    "unit",
    "integration",
    "default",
    "static",
    "public",
    "private",
    "await",
    "async",
    "true",
    "false",
    "none",
    "null",
    "init",
    "feat",
    "docs",
    "chore",
    "fix",
    "style",
    "build",
    "record",
    "struct",
    "enum",
    "trait",
];

/// "Use `x` in tests", "all handlers return `Result`": terms that are to be used.
pub(crate) fn wanted_terms(line: &ParsedLine) -> Option<Check> {
    let globs = scope_globs(line);
    let any: Vec<Condition> = line
        .directives
        .iter()
        .filter(|directive| {
            !directive.negative
                && (matches!(
                    directive.verb.as_str(),
                    "use"
                        | "prefer"
                        | "call"
                        | "wrap"
                        | "return"
                        | "pass"
                        | "handle"
                        | "go"
                        | "validate"
                        | "mock"
                ) || (directive.verb.is_empty()
                    && line.says_any(&["must", "should", "always", "all", "every", "only", "use", "uses"])))
        })
        .flat_map(|directive| line.codes_in(&directive.object))
        .filter(|code| code.kind == CodeKind::Identifier && is_distinct(&code.text) && !code.aside)
        .map(|code| term(&code.text, &globs))
        .collect();
    if any.is_empty() {
        return None;
    }
    Some(Check {
        expect: vec![Expect { any, order: Order::Anytime, since: crate::language::Since::Turn }],
        ..draft("wanted-term", "the named term is used".into())
    })
}

/// "Avoid enums", "no class components", "never use default exports": things that plain words name.
pub(crate) fn forbidden_nouns(line: &ParsedLine) -> Option<Check> {
    let of = |negative: bool| -> Vec<Condition> {
        line.directives
            .iter()
            .filter(|directive| directive.negative == negative)
            .filter(|directive| {
                matches!(
                    directive.verb.as_str(),
                    "" | "use"
                        | "add"
                        | "write"
                        | "create"
                        | "introduce"
                        | "leave"
                        | "prefer"
                        | "favor"
                        | "catch"
                        | "inline"
                        | "default"
                        | "force"
                )
            })
            .flat_map(|directive| {
                // "No inline styles": a word that could be a verb may as well describe the thing.
                let whole = format!("{} {}", directive.verb, directive.object);
                let items = directive.object.replace(" or ", ", ").replace(" and ", ", ");
                items.split(", ").map(str::to_owned).chain([whole]).collect::<Vec<_>>()
            })
            .filter_map(|item| super::nouns::seen(&item))
            .collect()
    };
    let (good, mut forbid) = (of(false), of(true));
    forbid.retain(|condition| !good.contains(condition));
    instead(line, good, forbid, draft("forbidden-idiom", "the named thing is not written".into()))
}
