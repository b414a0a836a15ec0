//! Turns statements about a subject into instructions: "X must not be edited" is "do not edit X".

use crate::text::pattern;

use super::verbs;

/// An instruction that was worded as a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Restated {
    pub(crate) negative: bool,
    pub(crate) verb: String,
    /// Subject and rest.
    pub(crate) object: String,
    pub(crate) subject: String,
}

pattern!(
    PASSIVE,
    r"^(.+?) (?:(must|should|shall|may|can|has to|have to|needs to|need to|is to|are to) )?(?:(not|never) )?(?:(?:always|only|ever) )?(?:be|is|are|gets?|being) (?:(not|never|no longer) )?(?:(?:always|only|automatically|already) )?([a-z]+)\b ?(.*)$"
);
pattern!(
    ALLOWED,
    r"^(.+?) (?:(?:is|are|may be|must be|should be) (?:strictly |absolutely |explicitly |always |completely )?(?:not (?:allowed|permitted|acceptable|wanted|welcome|okay|ok)|forbidden|prohibited|banned|disallowed|off[- ]limits))\b ?(.*)$"
);
pattern!(MUST_NOT, r"^(.+?) (?:must|should|may|can|shall|do|does) (?:not|never) ([a-z]+)\b ?(.*)$");
pattern!(
    NEEDS,
    r"^(.+?) (?:needs?|requires?|must have|should have|gets?|comes? with|has to have|have to have) ((?:an? |its own |their own )?.+)$"
);

/// Words before which a participle is only a description.
const LINKING: &[&str] =
    &["the", "a", "an", "not", "in", "on", "at", "one", "all", "also", "too", "out", "up"];

/// "X is not allowed", whatever X begins with.
pub(crate) fn restate_ban(clause: &str) -> Option<Restated> {
    let found = ALLOWED.captures(clause)?;
    let (subject, rest) = (found.get(1)?.as_str().to_owned(), found.get(2)?.as_str());
    let object = format!("{subject} {rest}").trim().to_owned();
    Some(Restated { negative: true, verb: "use".into(), object, subject })
}

/// The instruction in a statement, if it is one.
pub(crate) fn restate(clause: &str, only: bool) -> Option<Restated> {
    if let Some(ban) = restate_ban(clause) {
        return Some(ban);
    }
    if let Some(found) = PASSIVE.captures(clause) {
        let subject = found.get(1)?.as_str().to_owned();
        let participle = found.get(5)?.as_str();
        let rest = found.get(6).map_or("", |rest| rest.as_str());
        let negative = found.get(3).is_some() || found.get(4).is_some();
        let modal = found.get(2).is_some();
        let instructive = only || modal || negative || rest.contains('§') || rest.contains(" mcp");
        if instructive
            && !LINKING.contains(&participle)
            && let Some(verb) = base_of_participle(participle)
        {
            return Some(Restated {
                negative,
                verb,
                object: format!("{subject} {rest}").trim().to_owned(),
                subject,
            });
        }
    }
    if let Some(found) = MUST_NOT.captures(clause) {
        let (subject, verb, rest) =
            (found.get(1)?.as_str().to_owned(), found.get(2)?.as_str(), found.get(3)?.as_str());
        let verb =
            if (verb == "end" && rest.starts_with("up ")) || matches!(verb, "hold" | "contain" | "persist") {
                "store"
            } else {
                verb
            };
        let rest = rest.strip_prefix("up ").unwrap_or(rest);
        if verb != "be"
            && verbs::is_imperative(verb)
            && subject.split_whitespace().count() <= 4
            && !matches!(subject.as_str(), "you" | "we" | "agents" | "claude" | "i")
        {
            return Some(Restated {
                negative: true,
                verb: verb.to_owned(),
                object: format!("{subject} {rest}").trim().to_owned(),
                subject,
            });
        }
    }
    let found = NEEDS.captures(clause)?;
    let (subject, wanted) = (found.get(1)?.as_str().to_owned(), found.get(2)?.as_str());
    let names =
        ["test", "tests", "migration", "changelog", "entry", "story", "docs", "documentation", "changeset"];
    let names_one = names.iter().any(|name| super::contains_phrase(wanted, name));
    (names_one && !matches!(subject.as_str(), "you" | "we")).then(|| Restated {
        negative: false,
        verb: "add".into(),
        object: wanted.to_owned(),
        subject,
    })
}

/// `edited` → `edit`, `written` → `write`; only verbs that open instructions.
pub(crate) fn base_of_participle(word: &str) -> Option<String> {
    let irregular = match word {
        "written" => Some("write"),
        "made" => Some("make"),
        "kept" => Some("keep"),
        "put" => Some("put"),
        "run" => Some("run"),
        "done" => Some("do"),
        "built" => Some("build"),
        "set" => Some("set"),
        "read" => Some("read"),
        "cut" => Some("cut"),
        "thrown" => Some("throw"),
        "given" => Some("give"),
        "taken" => Some("take"),
        "split" => Some("split"),
        "saved" => Some("store"),
        _ => None,
    };
    if let Some(verb) = irregular {
        return Some(verb.to_owned());
    }
    let root = word.strip_suffix("ed")?;
    let undoubled: String = root.chars().take(root.chars().count().saturating_sub(1)).collect();
    let candidates = [
        root.to_owned(),
        format!("{root}e"),
        root.strip_suffix('i').map(|stem| format!("{stem}y")).unwrap_or_default(),
        undoubled,
    ];
    candidates.into_iter().find(|candidate| verbs::is_imperative(candidate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_become_instructions() {
        for (clause, expect) in [
            ("§0§ must not be edited", Some((true, "edit", "§0§"))),
            ("the baseline §0§ must be updated too", Some((false, "update", "the baseline §0§ too"))),
            (
                "deferred work is captured as a todo in §0§",
                Some((false, "capture", "deferred work as a todo in §0§")),
            ),
            ("purple colours are not allowed inline", Some((true, "use", "purple colours inline"))),
            (
                "private keys must never end up in localstorage",
                Some((true, "store", "private keys in localstorage")),
            ),
            ("new code in §0§ needs a test next to it", Some((false, "add", "a test next to it"))),
            ("options do not propagate by themselves", None),
            ("the api is fast", None),
            ("run §0§", None),
        ] {
            let got = restate(clause, false);
            assert_eq!(
                got.as_ref().map(|got| (got.negative, got.verb.as_str(), got.object.as_str())),
                expect,
                "{clause}"
            );
        }
    }
}
