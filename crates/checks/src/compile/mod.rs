//! From a line to a check: families of rules, the most specific first.

mod annotations;
mod asking;
mod commands;
mod concepts;
mod content;
mod files;
mod git_rules;
mod idioms;
mod languages;
mod libraries;
mod memory;
mod messages;
mod naming;
mod nouns;
mod occasion;
mod place;
mod swaps;
mod topics;

pub(crate) use concepts::CONCEPTS;
pub use memory::memory_by_families;

use crate::language::{Check, Condition, Cues, Said};
use crate::line::{CodeKind, ParsedLine};
use crate::text;

/// Globs of everything that is program code.
pub(crate) fn code_globs() -> Vec<String> {
    concepts::CODE_GLOBS.iter().map(|glob| (*glob).to_owned()).collect()
}

/// Compiles one line under its headings (outermost first), by families of rules alone.
pub(crate) fn by_families(line: &str, headings: &[String]) -> Check {
    let line = ParsedLine::parse(line, headings);
    let families: [fn(&ParsedLine) -> Option<Check>; 25] = [
        commit_when_asked,
        git_rules::compile,
        commands::prefix,
        commands::failing_tests,
        languages::compile,
        naming::compile,
        annotations::compile,
        content::terms,
        content::colours,
        files::only_there,
        files::untouchable,
        asking::compile,
        content::imports,
        idioms::compile,
        files::placed,
        swaps::compile,
        commands::forbidden,
        commands::on_occasion,
        content::forbidden_terms,
        content::forbidden_nouns,
        libraries::compile,
        topics::forbidden,
        content::wanted_terms,
        pointer,
        echo,
    ];
    let mut check = families.iter().find_map(|family| family(&line)).unwrap_or_else(|| untestable(&line));
    place::narrow(&line, &mut check);
    check.cues = cues(&line);
    check.scope.project = project(headings);
    check
}

/// "Do not commit unless asked" comes before all other rules about commits.
fn commit_when_asked(line: &ParsedLine) -> Option<Check> {
    let about_commits = line.says_any(&["commit", "commits", "committing", "push"])
        && !line.says_any(&["message", "messages", "--no-verify", "hook", "main", "master"])
        && line.codes.is_empty();
    if about_commits { asking::compile(line) } else { None }
}

/// The documents that a line points to: dossiers by their names, files by words such as "see" and "read".
fn pointers(line: &ParsedLine) -> Vec<String> {
    let mut paths = dossiers(&line.masked);
    let refers =
        ["see", "follow", "follows", "read", "consult", "per", "according to", "described in", "check"];
    if line.says_any(&refers) {
        let documents = line.codes_of(CodeKind::Path);
        paths
            .extend(documents.iter().filter(|code| code.text.ends_with(".md")).map(|code| code.text.clone()));
    }
    paths
}

fn pointer(line: &ParsedLine) -> Option<Check> {
    let paths = pointers(line);
    if paths.is_empty() {
        return None;
    }
    Some(Check {
        testable: true,
        family: "pointer".into(),
        expect: vec![crate::language::Expect {
            any: mentions(paths),
            order: crate::language::Order::Anytime,
            since: crate::language::Since::Turn,
        }],
        why: "the named document is opened when it is needed".into(),
        ..Check::default()
    })
}

/// A document is opened, or named in any written form, by the agent.
fn mentions(paths: Vec<String>) -> Vec<Condition> {
    let names: Vec<String> = paths
        .iter()
        .filter_map(|path| path.trim_end_matches('/').rsplit('/').next())
        // One plain word is said for many reasons.
        .filter(|name| text::parts(name.rsplit_once('.').map_or(name, |(stem, _)| stem)).len() >= 2)
        .map(|name| {
            text::parts(name.rsplit_once('.').map_or(name, |(stem, _)| stem))
                .iter()
                .map(|part| regex::escape(part))
                .collect::<Vec<_>>()
                .join(r"[\s_-]?")
        })
        .filter(|name| name.len() >= 6)
        .collect();
    let mut found = vec![Condition::Read(crate::language::Read { paths: crate::language::globs(paths) })];
    if !names.is_empty() {
        let expression = format!("(?i){}", names.join("|"));
        found.push(Condition::Said(Said { text: Some(expression.into()), ..Said::default() }));
    }
    found
}

/// The files of `[[topic-x]]` and `[[entity-x]]`.
fn dossiers(masked: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in masked.split("[[").skip(1) {
        let Some((name, _)) = piece.split_once("]]") else { continue };
        let slug = name.strip_prefix("topic-").or_else(|| name.strip_prefix("entity-")).unwrap_or(name);
        found.extend([
            format!("topics/{slug}.md"),
            format!("topics/{name}.md"),
            format!("entities/{slug}.md"),
            format!("entities/{name}.md"),
        ]);
    }
    found
}

/// A rule that leaves no other trace than the agent's own words: "Clear key material after use: zero the buffer".
fn echo(line: &ParsedLine) -> Option<Check> {
    const LEAST_STEMS: usize = 5;
    const LEAST_SHARED: usize = 3;
    let orders = line.directives.iter().any(|directive| !directive.verb.is_empty() && !directive.negative)
        && !line.directives.iter().any(|directive| directive.negative);
    let words: Vec<String> = text::content_stems(&line.unmask(&line.masked))
        .into_iter()
        .filter(|stem| !text::is_stem_of(stem, COMMON_IN_RULES) && !stem.ends_with("ly"))
        .collect();
    let has_path = line.codes.iter().any(|code| code.kind != CodeKind::Identifier);
    if !orders || has_path || words.len() < LEAST_STEMS {
        return None;
    }
    // Half of the line in one sentence: less than that is the talk of the trade.
    let least = LEAST_SHARED.max(words.len().div_ceil(2));
    Some(Check {
        testable: true,
        family: "echo".into(),
        expect: vec![crate::language::Expect::one(Condition::Echoed(crate::language::Echoed {
            words,
            least,
        }))],
        why: "the agent says in its own words that it did this; nothing else would show it".into(),
        reword: Some("name the command, file or term in backticks that shows that it was done".into()),
        ..Check::default()
    })
}

/// Words that stand in so many rules and reports that sharing them says nothing.
const COMMON_IN_RULES: &[&str] = &[
    "file",
    "code",
    "change",
    "add",
    "run",
    "test",
    "work",
    "project",
    "task",
    "example",
    "user",
    "write",
    "create",
    "set",
    "name",
    "new",
    "return",
    "call",
    "check",
    "error",
    "function",
    "component",
    "possible",
    "section",
    "mode",
    "option",
    "value",
];

fn untestable(line: &ParsedLine) -> Check {
    let (why, reword) = if line.directives.is_empty() {
        ("it holds no instruction", "say what to do, and when: \"When <occasion>, <do this>.\"")
    } else if line.codes.is_empty() && line.conditions.is_empty() {
        (
            "it names neither an occasion nor anything that shows in commands, files or words",
            "name the command, path or term in backticks, and the occasion: \"Before <occasion>, run `<command>`.\"",
        )
    } else if line.codes.is_empty() {
        (
            "what it asks for leaves no trace that rules can see",
            "name the command, file or term in backticks that shows that it was done",
        )
    } else {
        (
            "its code terms are not tied to anything that is done with them",
            "say what is done with them: run, edit, add, avoid",
        )
    };
    Check {
        testable: false,
        family: "untestable".into(),
        why: why.into(),
        reword: Some(reword.into()),
        ..Check::default()
    }
}

/// The cues of a line, by its words.
pub(crate) fn cues_of(text: &str, headings: &[String]) -> Cues {
    cues(&ParsedLine::parse(text, headings))
}

fn cues(line: &ParsedLine) -> Cues {
    let against = line
        .directives
        .iter()
        .flat_map(|directive| {
            let object = if directive.negative {
                Some(directive.object.as_str())
            } else {
                directive.instead_of.as_deref()
            };
            object.map(|object| text::content_stems(&line.unmask(object))).unwrap_or_default()
        })
        .collect();
    Cues {
        stems: text::content_stems(&line.unmask(&line.masked)),
        code: line.codes.iter().map(|code| code.text.clone()).collect(),
        against,
        pointers: crate::language::globs(pointers(line)),
    }
}

/// The project that a section `## Project: <path>` names.
pub(crate) fn project(headings: &[String]) -> Option<String> {
    headings.iter().rev().find_map(|heading| {
        let rest = heading.trim_start_matches('#').trim();
        rest.strip_prefix("Project:")
            .or_else(|| rest.strip_prefix("project:"))
            .map(|name| name.trim().trim_matches('`').to_owned())
    })
}
