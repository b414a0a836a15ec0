//! "Ask before …", "never … without asking", "commit only when asked".

use crate::language::{By, Check, Committed, Condition, Expect, Order, Ran, Said, Unmet, Wrote};
use crate::line::{CodeKind, ParsedLine, Relation};
use crate::text::{self, pattern};

use super::occasion;

pattern!(
    WITHOUT_ASKING,
    r"\bwithout (?:first )?(?:asking|my |the user|user |explicit |prior |permission|approval|confirmation|being asked|consent)"
);
pattern!(
    ONLY_WHEN_ASKED,
    r"\b(?:unless|only (?:when|if)|until) (?:\w+ ){0,3}(?:ask|asks|asked|request|requests|requested|told|tells|instructed|say|says|approve|approves|confirm|confirms|agrees?)\b"
);
// "Commits only when explicitly requested", "push only if I ask".
pattern!(
    ONLY_ON_REQUEST,
    r"^(?:please )?(?:only )?((?:git )?(?:commits?|push(?:es)?|deploys?|publish|releases?|merges?|delete|install\w*)[^,.;]{0,30}?) (?:only )?(?:when|if|on|after|upon) (?:\w+ ){0,3}(?:ask(?:s|ed)?|request(?:s|ed)?|told|tells|instructed|approv\w+|explicit request|confirmed|says?)\b"
);
const APPROVAL: &str = r"(?i)^\s*(?:yes|yep|yeah|yup|ok|okay|sure|go ahead|go for it|do it|please do|proceed|lgtm|sounds good|approved|continue|perfect|great)\b";

/// A rule that wants to be asked first.
pub(crate) fn compile(line: &ParsedLine) -> Option<Check> {
    let acts = acts(line)?;
    let (any, words) = doing(line, &acts)?;
    let mut permitted = vec![
        Condition::Used(crate::language::Used { tool: "AskUserQuestion".into(), input: None }),
        Condition::Said(Said { by: By::Person, text: Some(APPROVAL.into()), ..Said::default() }),
    ];
    let alternatives: Vec<String> =
        words.iter().map(|stem| format!(r"\b{}\w*", regex::escape(stem))).collect();
    permitted.push(Condition::Said(Said {
        by: By::Person,
        text: Some(format!("(?i){}", alternatives.join("|")).into()),
        ..Said::default()
    }));
    Some(Check {
        testable: true,
        family: "ask-first".into(),
        trigger: any,
        expect: vec![Expect { any: permitted, order: Order::Anytime, since: crate::language::Since::Turn }],
        unmet: Unmet::Missed,
        why: "it is done only when the person asked for it or was asked".into(),
        ..Check::default()
    })
}

/// The words for what needs permission.
fn acts(line: &ParsedLine) -> Option<String> {
    let asks = line.directives.iter().any(|directive| {
        !directive.negative && matches!(directive.verb.as_str(), "ask" | "confirm" | "check")
    });
    if asks && let Some(before) = line.conditions.iter().find(|when| when.relation == Relation::Before) {
        let for_person = line.directives.iter().any(|directive| directive.verb == "ask")
            || line.says_any(&["with me", "with the user", "user"]);
        return for_person.then(|| before.text.clone());
    }
    if let Some(found) = ONLY_ON_REQUEST.captures(&line.masked) {
        return Some(found.get(1)?.as_str().to_owned());
    }
    let forbidden = line.directives.iter().find(|directive| directive.negative)?;
    let whole = format!("{} {}", forbidden.verb, forbidden.object);
    if let Some(found) = WITHOUT_ASKING.find(&whole) {
        return whole.get(..found.start()).map(str::to_owned);
    }
    (ONLY_WHEN_ASKED.is_match(&line.masked)).then_some(whole)
}

/// How doing it shows, and the stems by which a person asks for it.
fn doing(line: &ParsedLine, acts: &str) -> Option<(Vec<Condition>, Vec<String>)> {
    let stems = text::content_stems(&ParsedLine::plain(acts));
    let has = |words: &[&str]| stems.iter().any(|stem| text::is_stem_of(stem, words));
    let own = |words: &[&str]| words.iter().map(|word| text::stem(word)).collect::<Vec<_>>();
    if has(&["commit", "committing"]) {
        return Some((
            vec![Condition::Committed(Committed::default())],
            own(&["commit", "push", "pr", "merge", "ship", "save"]),
        ));
    }
    if has(&["push", "pushing"]) {
        return Some((
            vec![Condition::Pushed(crate::language::Pushed {
                branch: None,
                not_branch: None,
                ..crate::language::Pushed::default()
            })],
            own(&["push", "pr", "merge", "ship", "upload", "pull request"]),
        ));
    }
    if has(&["dependency", "package", "library"]) {
        return Some((
            occasion::dependency_added(),
            own(&["install", "dependency", "package", "library", "add"]),
        ));
    }
    if has(&["delete", "remove", "deleting", "removing"]) {
        return Some((
            vec![Condition::Wrote(Wrote {
                deleted: true,
                except: vec!["/tmp/**".into(), "tmp/**".into()],
                ..Wrote::default()
            })],
            own(&["delete", "remove", "drop", "clean", "rid"]),
        ));
    }
    if has(&["migration", "migrate"]) && has(&["run", "running", "apply", "execute"]) {
        return Some((
            vec![Condition::Ran(Ran {
                with: Some(
                    r"\b(?:migrate|migration:run|db:migrate|upgrade head|migrate:latest|migrate deploy)\b"
                        .into(),
                ),
                ..Ran::default()
            })],
            own(&["migrate", "migration"]),
        ));
    }
    if has(&["deploy", "publish", "release"]) {
        return Some((
            vec![Condition::Ran(Ran {
                with: Some(r"\b(?:deploy|publish|release)\b".into()),
                without: Some(r"^(?:git|grep|rg|cat|ls|gh run|gh release (?:view|list))\b".into()),
                ..Ran::default()
            })],
            own(&["deploy", "publish", "release", "ship"]),
        ));
    }
    let commands: Vec<Condition> = line
        .codes_in(acts)
        .iter()
        .filter(|code| code.kind == CodeKind::Command || super::commands::is_statement(&code.text))
        .map(|code| {
            if super::commands::is_statement(&code.text) {
                super::commands::statement(&code.text)
            } else {
                super::commands::command(code)
            }
        })
        .collect();
    if commands.is_empty() {
        return None;
    }
    let words = line
        .codes_in(acts)
        .iter()
        .flat_map(|code| text::words(&code.text))
        .filter(|word| word.len() > 2)
        .collect();
    Some((commands, words))
}
