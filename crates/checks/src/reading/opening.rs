//! How a clause begins, in the words that the grammar knows: what only opens it is taken off, and roundabout orders are said plainly.

use crate::text::pattern;

use super::sentence::Clause;

/// A clause, said plainly.
pub(super) struct Opening {
    pub(super) rest: String,
    /// What its label says, where the clause does not say it itself.
    pub(super) forbids: Option<bool>,
    /// Whether it holds where another line does not.
    pub(super) otherwise: bool,
}

/// The beginning of a clause.
pub(super) fn of(clause: &Clause) -> Opening {
    let plain = clause.text.get(OPENS.find(&clause.text).map_or(0, |found| found.end())..).unwrap_or("");
    let mut rest = WITHOUT_LEAVE.replace_all(plain, "unless asked");
    rest = WITHOUT_REASON.replace_all(&rest, "unless justified");
    let mut forbids = clause.forbids;
    rest = SESSION_START.replace_all(&rest, "read ");
    if let Some(order) = not_without(&rest, forbids) {
        (rest, forbids) = (order, None);
    }
    // "Adding a page requires updating `x`": when a page is added, `x` is updated.
    if let Some(found) = REQUIRES.captures(&rest) {
        let part = |number: usize| found.get(number).map_or("", |part| part.as_str());
        let deed = match part(2) {
            "updating" | "an update to" | "a change to" => "update",
            "regenerating" => "regenerate",
            _ => "run",
        };
        rest = format!("when {}, {deed} {}", part(1), part(3));
    }
    // "Otherwise, run `x`": where what another line says does not hold.
    let order = rest.strip_prefix("otherwise").map(|order| order.trim_start_matches([',', ' ']).to_owned());
    Opening { forbids, otherwise: order.is_some(), rest: order.unwrap_or(rest) }
}

pattern!(
    REQUIRES,
    r"^((?:adding|changing|creating|modifying|removing|renaming|editing|updating) [^,:;]+?) (?:also )?requires? (?:also )?(updating|regenerating|running|an update to|a change to) (?:the )?(§\d+§.*)$"
);
// "Once again, …", "this project requires …".
pattern!(
    OPENS,
    r"^(?:(?:once again|again|remember|as always|note|in particular|finally|lastly|additionally|furthermore|therefore|however|importantly|in general|as a rule|above all|most importantly)[,:] |(?:please )?note that |(?:this|the) (?:project|repo|repository|codebase) (?:requires|enforces|mandates) )"
);
pattern!(
    WITHOUT_LEAVE,
    r"\bwithout (?:first )?(?:(?:the|your|my|a|an|any|explicit|prior|express|clear|written|user|user's|human|maintainer|owner|team) )*(?:asking|being (?:asked|told|instructed)|approval|permission|confirmation|consent|authorization|(?:prior )?discussion|discussing(?: (?:it|this|them))?|an? explicit request|request|instructions?|sign-off|go-ahead)\b(?: (?:from|by|of) (?:the |a |your )?(?:user|human|maintainer|owner|team|me|us|person)s?)?(?: first)?"
);

pattern!(
    WITHOUT_REASON,
    r"\bwithout (?:a |any |clear |good |strong |explicit |documented |proper )*(?:justification|reasons?)\b"
);

/// "Never commit without running `x`" is "before commit, run `x`".
fn not_without(text: &str, forbids: Option<bool>) -> Option<String> {
    let found = NOT_WITHOUT.captures(text)?;
    if found.get(1).is_none() && forbids != Some(true) {
        return None;
    }
    let (deed, verb, what) = (found.get(2)?.as_str(), found.get(3)?.as_str(), found.get(4)?.as_str());
    let what = what.trim_end_matches(" first");
    Some(match verb {
        "running" | "executing" | "passing" => format!("before {deed}, run{what}"),
        _ => format!("before {deed}, run {verb}{what}"),
    })
}

// "Start every session by reading `x`": who opens it follows, whenever that is.
pattern!(
    SESSION_START,
    r"^(?:start|begin) (?:each|every|any|a|all|your|the)? ?(?:new )?(?:work(?:ing)? )?(?:sessions?|conversations?|tasks?|work) (?:by|with) (?:reading|reviewing|checking|consulting) "
);

pattern!(
    NOT_WITHOUT,
    r"^(?:(?:please |you |we )?(never|do not|don't|must not|must never|should not|should never) )?((?:commit|push|merge|submit|open|create|deploy|release|publish)(?: (?:a |any |your |the )?(?:code|changes?|prs?|pull requests?|commits?|work|anything))?) without (?:first )?(running|executing|passing|formatting|linting|testing|typechecking|type-checking|building)( .*|/.*|)$"
);
