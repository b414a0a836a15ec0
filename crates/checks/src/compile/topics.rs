//! Rules that forbid a subject: "do not implement X", "X is out of scope".

use crate::language::{By, Check, Condition, Mixed, Said};
use crate::line::ParsedLine;
use crate::text::{self, pattern};

/// Verbs that forbid working on a subject. "Avoid magic numbers" forbids a habit, which no commit message shows.
fn is_topic_verb(verb: &str) -> bool {
    matches!(
        verb,
        "implement"
            | "suggest"
            | "propose"
            | "introduce"
            | "build"
            | "generate"
            | "store"
            | "discuss"
            | "plan"
            | "support"
            | "expose"
            | "hide"
    )
}

/// One such word alone names no subject.
const VAGUE: &[&str] = &[
    "feature",
    "functionality",
    "code",
    "file",
    "test",
    "doc",
    "documentation",
    "change",
    "branch",
    "commit",
    "fix",
    "dependency",
    "script",
    "abstraction",
    "helper",
    "config",
    "component",
    "comment",
    "mock",
    "type",
    "class",
    "function",
    "api",
    "endpoint",
    "migration",
    "release",
    "version",
];

/// Verbs that forbid even a subject that is one word.
const WORK_VERBS: &[&str] =
    &["implement", "suggest", "propose", "introduce", "build", "plan", "support", "discuss"];

pattern!(
    OUT_OF_SCOPE,
    r"^(.+?) (?:is|are) (?:out of scope|not in scope|not planned|off the table|not part of)"
);

/// A rule that forbids a subject.
pub(crate) fn forbidden(line: &ParsedLine) -> Option<Check> {
    let directive = line
        .directives
        .iter()
        .find(|directive| directive.negative && is_topic_verb(&directive.verb))
        .filter(|directive| !directive.object.contains("without"))?;
    if !line.codes_in(&directive.object).is_empty() {
        return None;
    }
    let talk = ["suggest", "propose", "discuss", "mention", "plan"].iter().any(|verb| line.says(verb))
        || directive.verb == "generate";
    let mut object = strip_verbs(&directive.object);
    if text::content_stems(&object)
        .iter()
        .all(|stem| text::is_stem_of(stem, &["them", "these", "those", "it"]))
    {
        // "… are out of scope: do not implement them".
        object = OUT_OF_SCOPE.captures(&line.masked).and_then(|found| {
            Some(
                found
                    .get(1)
                    .or_else(|| found.get(2))?
                    .as_str()
                    .replace(", no ", ", ")
                    .replace(" and no ", ", "),
            )
        })?;
    }
    let mut forbid = Vec::new();
    for item in split_items(&object) {
        let words = subject(&item);
        let vague = words.len() == 1
            && (words[0].len() < 4
                || text::is_stem_of(&words[0], VAGUE)
                || !WORK_VERBS.contains(&directive.verb.as_str()));
        if words.is_empty() || vague {
            continue;
        }
        forbid.push(Condition::About(crate::language::About { words: words.clone() }));
        if talk {
            forbid.push(Condition::Said(Said { by: By::Person, words: words.clone(), ..Said::default() }));
            forbid.push(Condition::Said(Said {
                by: By::AgentAtEnd,
                words: words.clone(),
                least: 3,
                ..Said::default()
            }));
        }
        if words.len() >= 3 {
            forbid.push(Condition::Said(Said { by: By::Anyone, words, ..Said::default() }));
        }
    }
    if forbid.is_empty() {
        return None;
    }
    Some(Check {
        testable: true,
        family: "forbidden-topic".into(),
        forbid,
        unless: super::files::exceptions(line),
        mixed: Mixed::Missed,
        why: "the subject is left alone".into(),
        ..Check::default()
    })
}

/// "or store random file keys" after "generate": further verbs are no part of the subject.
fn strip_verbs(object: &str) -> String {
    let mut rest = object.trim();
    loop {
        let stripped = rest.strip_prefix("or ").or_else(|| rest.strip_prefix("and ")).unwrap_or(rest);
        let (first, tail) = stripped.split_once(' ').unwrap_or((stripped, ""));
        if stripped.len() < rest.len() && is_topic_verb(first) {
            rest = tail.trim();
        } else {
            return rest.to_owned();
        }
    }
}

fn split_items(object: &str) -> Vec<String> {
    object
        .replace(", or ", ",")
        .replace(" or ", ",")
        .replace(" and ", ",")
        .split(',')
        .map(|item| item.trim().to_owned())
        .filter(|item| !item.is_empty())
        .collect()
}

/// The stems that name a subject. A slash before the last noun makes what stands before it optional.
fn subject(item: &str) -> Vec<String> {
    let head = match item.rsplit_once('/') {
        Some((_, after)) => after.split_whitespace().last().unwrap_or(after),
        None => item,
    };
    text::content_stems(head).into_iter().take(4).collect()
}
