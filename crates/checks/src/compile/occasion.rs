//! From the words of a condition to what can be seen in a turn.

use crate::language::{BranchedAs, By, Committed, Condition, Ran, Said, Wrote};
use crate::line::{CodeKind, ParsedLine, Relation, When};
use crate::text;

use super::concepts::{CODE_GLOBS, CONCEPTS, TEST_GLOBS};

/// How sure one can be that the condition really is the line's occasion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    /// A guess from nouns.
    Weak,
    /// Paths, commands, or nouns with a plain meaning.
    Strong,
}

/// What a condition means in a turn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Occasion {
    pub(crate) any: Vec<Condition>,
    pub(crate) strength: Strength,
    pub(crate) relation: Relation,
}

/// Words that say that something is changed, without saying what.
const CHANGE_WORDS: &[&str] = &[
    "change",
    "edit",
    "modify",
    "touch",
    "update",
    "add",
    "create",
    "write",
    "work",
    "code",
    "file",
    "task",
    "implement",
    "refactor",
    "introduce",
    "make",
    "turn",
    "session",
    "project",
    "repo",
    "repository",
    "codebase",
    "modification",
    "adjust",
    "fix",
    "feature",
    "functionality",
    "end",
    "finish",
    "complete",
    "completion",
    "report",
    "hand",
    "submit",
    "open",
    "start",
    "begin",
    "user",
    "agent",
    "thing",
    "part",
    "source",
    "claude",
    "assistant",
    "develop",
    "development",
    "related",
    "existing",
    "current",
    "whole",
    "full",
    "last",
    "next",
    "step",
    "result",
    "set",
    "run",
    "remove",
    "delete",
    "rename",
    "significant",
    "meaningful",
    "edits",
    "implementation",
    "behavior",
    "behaviour",
    "logic",
    "tooling",
    "piece",
    "claim",
    "done",
    "mark",
    "consider",
    "declare",
    "proceed",
    "issue",
    "bug",
];

fn is_change_word(stem: &str) -> bool {
    text::is_stem_of(stem, CHANGE_WORDS)
}

/// More nouns than this do not name one place.
const MOST_PATH_NOUNS: usize = 3;

/// Places that stand in most paths.
const GENERIC_PLACES: &[&str] = &[
    "app",
    "application",
    "module",
    "package",
    "folder",
    "directory",
    "lib",
    "area",
    "layer",
    "system",
    "service",
    "component",
    "side",
    "tree",
];

crate::text::pattern!(
    WHOLE_PROJECT,
    r"^(?:you(?:'re| are)? )?work(?:ing)? (?:on|in|with) (?:this|the|our) (?:project|codebase|code base|repo|repository)$"
);

/// What a condition of the line means.
pub(crate) fn of(line: &ParsedLine, when: &When) -> Option<Occasion> {
    let strong =
        |any: Vec<Condition>| Some(Occasion { any, strength: Strength::Strong, relation: when.relation });
    let text = when.text.as_str();
    let stems = text::content_stems(&ParsedLine::plain(text));
    let has = |word: &str| stems.iter().any(|have| *have == text::stem(word));
    let says = |phrase: &str| crate::line::contains_phrase(text, phrase);
    let paths: Vec<String> = line
        .codes_in(text)
        .iter()
        .filter(|code| code.kind == CodeKind::Path)
        .map(|code| code.text.clone())
        .collect();
    let commands: Vec<Condition> = line
        .codes_in(text)
        .iter()
        .filter(|code| code.kind == CodeKind::Command)
        .map(|code| Condition::Ran(Ran::words(&code.text)))
        .collect();
    if !commands.is_empty() {
        return strong(commands);
    }
    if !paths.is_empty() {
        return strong(vec![Condition::Wrote(narrowed(&stems, &paths))]);
    }
    if WHOLE_PROJECT.is_match(text) {
        // "When working on this project" is always.
        return None;
    }
    if has("run") && (has("test") || has("suite")) && when.relation == Relation::Before {
        return strong(vec![Condition::Ran(Ran {
            with: Some(super::concepts::TESTS.into()),
            ..Ran::default()
        })]);
    }
    if has("commit") && !has("branch") {
        return strong(vec![Condition::Committed(Committed::default())]);
    }
    if says("pull request") || says("pr") || says("prs") || says("merge request") || says("pull requests") {
        return strong(pull_request());
    }
    if has("push") {
        return strong(vec![Condition::Pushed(crate::language::Pushed {
            branch: None,
            not_branch: None,
            ..crate::language::Pushed::default()
        })]);
    }
    if (has("parallel") && (has("agent") || has("work"))) || has("subagent") {
        return strong(vec![
            Condition::Used(crate::language::Used { tool: "Task".into(), input: None }),
            Condition::Used(crate::language::Used { tool: "Agent".into(), input: None }),
        ]);
    }
    if has("branch") || ((has("start") || has("begin")) && (has("task") || has("work") || has("feature"))) {
        return strong(vec![Condition::Branched(BranchedAs::default())]);
    }
    if (has("install") || has("add")) && (has("dependency") || has("package") || has("library")) {
        return strong(dependency_added());
    }
    let globs = concept_globs(&stems);
    if !globs.is_empty() {
        let any = vec![Condition::Wrote(Wrote { paths: crate::language::globs(globs), ..Wrote::default() })];
        // "For UI design work": a field of work, not a change of files.
        let strength = if when.relation == Relation::Within { Strength::Weak } else { Strength::Strong };
        return Some(Occasion { any, strength, relation: when.relation });
    }
    if let Some(content) = content_concept(&stems) {
        return strong(vec![content]);
    }
    let nouns: Vec<String> = stems.iter().filter(|stem| !is_change_word(stem)).cloned().collect();
    let telling: Vec<String> =
        nouns.iter().filter(|stem| !text::is_stem_of(stem, GENERIC_PLACES)).cloned().collect();
    let nouns = if telling.is_empty() && nouns.len() == 1 { nouns } else { telling };
    if nouns.is_empty() && !stems.is_empty() {
        // "after every change", "when you finish a task": any change of code.
        return strong(vec![code_written()]);
    }
    if nouns.is_empty() {
        return None;
    }
    let changes =
        stems.iter().any(|stem| text::is_stem_of(stem, &["change", "edit", "modify", "touch", "update"]));
    if changes && nouns.len() <= MOST_PATH_NOUNS {
        // "desktop changes", "when editing evaluators": the noun is a place in the tree.
        return strong(vec![Condition::Wrote(Wrote {
            words: nouns,
            except: vec!["*.{md,mdx,txt,json,lock}".into()],
            ..Wrote::default()
        })]);
    }
    let mut any = vec![Condition::Wrote(Wrote {
        words: nouns.clone(),
        except: vec!["*.md".into()],
        ..Wrote::default()
    })];
    if nouns.len() >= 2 {
        any.push(Condition::Said(Said {
            by: By::Person,
            words: nouns.into_iter().take(3).collect(),
            ..Said::default()
        }));
    }
    Some(Occasion { any, strength: Strength::Weak, relation: when.relation })
}

/// Whether a subject says more than "the files".
pub(crate) fn names_something(subject: &str) -> bool {
    let stems = text::content_stems(&ParsedLine::plain(subject));
    stems.iter().any(|stem| {
        !is_change_word(stem)
            || text::is_stem_of(stem, &["change", "edit", "modification", "feature", "functionality"])
    })
}

/// Whether all words of a subject are understood: kinds of files, or words for change.
pub(crate) fn is_plain_subject(subject: &str) -> bool {
    let stems = text::content_stems(&ParsedLine::plain(subject));
    let known = |stem: &String| {
        is_change_word(stem)
            || CONCEPTS.iter().any(|concept| text::is_stem_of(stem, concept.names))
            || text::is_stem_of(
                stem,
                &[
                    "table",
                    "index",
                    "column",
                    "entity",
                    "endpoint",
                    "route",
                    "handler",
                    "controller",
                    "environment",
                    "env",
                    "variable",
                    "var",
                    "database",
                    "schema",
                ],
            )
    };
    let changes = stems.iter().any(|stem| text::is_stem_of(stem, &["change", "edit", "modification"]));
    changes || stems.iter().all(known)
}

/// Any change of program code.
pub(crate) fn code_written() -> Condition {
    Condition::Wrote(Wrote { paths: crate::language::globs(CODE_GLOBS.iter().copied()), ..Wrote::default() })
}

/// A pull request is opened.
pub(crate) fn pull_request() -> Vec<Condition> {
    vec![
        Condition::Ran(Ran::words("gh pr create")),
        Condition::Ran(Ran::words("glab mr create")),
        Condition::Used(crate::language::Used { tool: "*create_pull_request*".into(), input: None }),
    ]
}

/// A dependency is added by its package manager.
pub(crate) fn dependency_added() -> Vec<Condition> {
    [
        "npm install",
        "npm i",
        "pnpm add",
        "yarn add",
        "bun add",
        "cargo add",
        "go get",
        "pip install",
        "uv add",
        "poetry add",
        "bundle add",
        "composer require",
        "flutter pub add",
        "dotnet add",
    ]
    .iter()
    .map(|command| {
        Condition::Ran(Ran {
            command: (*command).to_owned(),
            with: Some(r"(?:install|i|add|get|require)\s+(?:-\S+\s+)*[@\w]".into()),
            ..Ran::default()
        })
    })
    .collect()
}

/// The files that the nouns of a phrase stand for.
pub(crate) fn concept_globs(stems: &[String]) -> Vec<String> {
    let mut globs: Vec<String> = Vec::new();
    for concept in
        CONCEPTS.iter().filter(|concept| stems.iter().any(|stem| text::is_stem_of(stem, concept.names)))
    {
        globs.extend(concept.globs.iter().map(|glob| (*glob).to_owned()));
    }
    globs.dedup();
    globs
}

/// Nouns that are seen in what was added rather than in the path.
fn content_concept(stems: &[String]) -> Option<Condition> {
    let has = |names: &[&str]| stems.iter().any(|stem| text::is_stem_of(stem, names));
    let added = |pattern: &str| {
        Some(Condition::Wrote(Wrote {
            added: Some(pattern.into()),
            except: vec!["*.{md,mdx,txt}".into()],
            ..Wrote::default()
        }))
    };
    if has(&["table", "index", "column", "entity"]) && !has(&["content"]) {
        return added(
            r"(?i)\bcreate\s+(?:unique\s+)?(?:table|index)\b|createTable|createIndex|@Entity\(|@Index\(|add_index|add_column|create_table|addColumn|op\.create_",
        );
    }
    if has(&["endpoint", "route", "handler", "controller"]) {
        return added(
            r"@(?:Get|Post|Put|Patch|Delete|Controller)\(|\b(?:router|app|r|e|mux|api)\.(?:get|post|put|patch|delete|GET|POST|PUT|PATCH|DELETE|HandleFunc|Handle)\(|@app\.route|@router\.|path\(|HandleFunc\(",
        );
    }
    if has(&["environment", "env"]) && has(&["variable", "var", "env"]) {
        return added(r"process\.env\.|os\.environ|os\.getenv|os\.Getenv|env::var|import\.meta\.env|ENV\[");
    }
    None
}

/// A change below given paths, narrowed by the nouns around them.
pub(crate) fn narrowed(stems: &[String], paths: &[String]) -> Wrote {
    let path_parts: Vec<String> =
        paths.iter().flat_map(|path| text::parts(path)).map(|part| text::stem(&part)).collect();
    let nouns: Vec<String> =
        stems.iter().filter(|stem| !is_change_word(stem) && !path_parts.contains(stem)).cloned().collect();
    let directories = paths.iter().all(|path| is_directory(path));
    if !directories || nouns.is_empty() {
        return Wrote { paths: crate::language::globs(paths.to_vec()), ..Wrote::default() };
    }
    let globs = concept_globs(&nouns);
    if globs.is_empty() {
        return Wrote { paths: crate::language::globs(paths.to_vec()), words: nouns, ..Wrote::default() };
    }
    let joined = crate::language::globs(paths.iter().flat_map(|path| {
        globs.iter().map(move |glob| format!("{}/**/{glob}", path.trim_end_matches(['/', '*'])))
    }));
    let except = if stems.iter().any(|stem| stem == "test") {
        Vec::new()
    } else {
        TEST_GLOBS.iter().map(|glob| (*glob).to_owned()).collect()
    };
    Wrote { paths: joined, except: crate::language::globs(except), ..Wrote::default() }
}

/// Whether a path names a directory rather than a file or a pattern of files.
pub(crate) fn is_directory(path: &str) -> bool {
    path.ends_with('/') || !path.rsplit('/').next().unwrap_or(path).contains(['.', '*'])
}
