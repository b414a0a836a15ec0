//! From a clause to norms: `[condition,] [must | never] act [about] [instead of …] [condition] [exception]`.

use std::sync::LazyLock;

use crate::code::is_program;
use crate::text::{Pattern, pattern};

use super::bag;
use super::norm::{Norm, Polarity, Relation, When};
use super::opening::{self, Opening};
use super::sentence::Clause;
use super::statement;
use super::words::{root, words};

/// An alternation of phrases, the longest first.
fn any_of(lists: &[&[String]]) -> String {
    let mut all: Vec<&String> = lists.iter().flat_map(|list| list.iter()).collect();
    all.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    all.iter().map(|phrase| regex::escape(phrase)).collect::<Vec<_>>().join("|")
}

struct Patterns {
    negation: Pattern,
    forbidden_behind: Pattern,
    asked_behind: Pattern,
    softener: Pattern,
    swap: Pattern,
    reason: Pattern,
    lead: Pattern,
    lead_without_comma: Pattern,
    lead_place: Pattern,
    trail: Pattern,
    parted: Pattern,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let grammar = &words().grammar;
    let conditions = &grammar.conditions;
    let clausal = any_of(&[&conditions.before, &conditions.after, &conditions.when, &conditions.unless]);
    let leading = any_of(&[
        &conditions.before,
        &conditions.after,
        &conditions.when,
        &conditions.unless,
        &conditions.within,
    ]);
    let (forbids, softeners) = (any_of(&[&grammar.forbids]), any_of(&[&grammar.softeners]));
    let new = |source: &str| Pattern::new(source);
    Patterns {
        negation: new(&format!(
            r"^(?:(?:{softeners}) )*(?:{forbids})\b ?(?:(?:ever|just|simply|blindly|automatically|proactively|to|be) )*"
        )),
        forbidden_behind: new(&format!(r"^(.+?) (?:{})\b(.*)$", any_of(&[&grammar.forbidden_behind]))),
        asked_behind: new(&format!(r"^(.+?) (?:{})\b(.*)$", any_of(&[&grammar.asked_behind]))),
        softener: new(&format!(r"^(?:(?:{softeners})[, ]+)+")),
        swap: new(&format!(
            r"^(.+?),? (?:{})\s+(.+)$|^(.+?)(?:, (?:and |but )?not| not) (?:with |via |by |in |using |the |a )?(.+)$",
            any_of(&[&grammar.swaps])
        )),
        reason: new(&format!(r"(?:^|,? )(?:{})(?: |$).*$", any_of(&[&grammar.reasons]))),
        lead: new(&format!(
            r"^(?:and |but |so |then )*({leading}) (.+?)(?:, (?:then )?|: | you (?:must|should|need to) )(.+)$"
        )),
        lead_place: new(
            r"^(in|inside|within|for) ((?:[a-z]+ ){0,2}?[a-z]+?) ((?:always|never|do not|don't|avoid|must not|prefer|use) .+)$",
        ),
        lead_without_comma: new(&format!(
            r"^(?:and |but |so |then )*({clausal}) (.+?) ((?:always |also |please )?(?:{}) .+)$",
            any_of(&[words().verbs_of("run"), &["use".to_owned(), "update".to_owned(), "format".to_owned()]])
        )),
        trail: new(&format!(r"^(.+?),? ({clausal}) (.+)$")),
        parted: new(&format!(
            r"(?:, (?:and |but |then )?|,? (?:and|but|then) )(?:{forbids}|always|instead|only) "
        )),
    }
});

/// The norms of a clause.
pub(crate) fn norms(clause: &Clause) -> Vec<Norm> {
    let patterns = &*PATTERNS;
    let Opening { mut rest, forbids, otherwise } = opening::of(clause);
    let mut when = Vec::new();
    if otherwise {
        when.push(When { relation: Relation::When, words: "otherwise".into() });
    }
    let (mut unless, mut within) = (Vec::new(), Vec::new());
    while let Some((word, words, after)) = leading(&rest, patterns) {
        sort_in(&word, &words, &mut when, &mut unless, &mut within);
        rest = after;
    }
    let mut found: Vec<Norm> = Vec::new();
    let ahead = clause.text.strip_suffix(rest.as_str()).unwrap_or("");
    let judged_ahead =
        unless.iter().any(|unless| bag::exception(unless) == bag::UNLESS_SOFT) || JUDGED.is_match(ahead);
    let forbids_itself = patterns.negation.find(&rest).is_some_and(|found| found.end() > 0);
    for piece in parts(&rest, patterns) {
        // "Do not use `a`, use `b`" below "Don't": the second half is no prohibition.
        let forbids = if found.is_empty() || !forbids_itself { forbids } else { None };
        if let Some(mut norm) = norm(&piece, forbids, patterns) {
            norm.when.splice(0..0, when.iter().cloned());
            norm.unless.extend(unless.iter().cloned());
            norm.within.extend(within.iter().cloned());
            norm.judged |= judged_ahead;
            found.push(norm);
        }
    }
    found
}

/// A heading that is nothing but a condition: "Before committing".
pub(super) fn condition(heading: &str) -> Option<When> {
    let conditions = &words().grammar.conditions;
    let of = |list: &[String], relation| {
        let word = list.iter().find(|word| heading.starts_with(&format!("{word} ")))?;
        Some(When { relation, words: heading.get(word.len()..)?.trim().replace(['/', '&'], " or ") })
    };
    of(&conditions.before, Relation::Before)
        .or_else(|| of(&conditions.after, Relation::After))
        .or_else(|| of(&conditions.when, Relation::When))
}

/// "When x, do y": the condition, and the rest.
fn leading(text: &str, patterns: &Patterns) -> Option<(String, String, String)> {
    let (lead, order) = (patterns.lead.captures(text), patterns.lead_without_comma.captures(text));
    // "After changing a plugin run its tests: `a`, `b`", "after changing docs run `a`, then commit": the order begins before the colon or comma.
    let end = |found: &regex::Captures<'_>| found.get(2).map_or(0, |condition| condition.end());
    let is_earlier = |order: &&regex::Captures<'_>| {
        let Some(lead) = lead.as_ref() else { return false };
        let condition = order.get(2).map_or("", |condition| condition.as_str());
        let (inside, behind) = (text.get(end(order)..end(lead)), text.get(end(lead)..));
        let names = inside.is_some_and(|inside| inside.starts_with(" run §"));
        (names || behind.is_some_and(|rest| rest.starts_with(": ")))
            && end(order) < end(lead)
            && !GOES_ON.is_match(condition)
    };
    let found = match order.as_ref().filter(is_earlier) {
        Some(_) => order,
        None => lead.or(order),
    };
    let found = found.or_else(|| patterns.lead_place.captures(text))?;
    let (word, first, rest) = (found.get(1)?.as_str(), found.get(2)?.as_str(), found.get(3)?.as_str());
    // The condition goes on over commas until something orders: "after a, b or c, run d".
    let (mut condition, mut rest) = (first.to_owned(), rest);
    let begins_order =
        |rest: &str| orders(rest.strip_prefix("and ").or(rest.strip_prefix("or ")).unwrap_or(rest));
    while !begins_order(rest) {
        let ends = [", ", ": "].iter().filter_map(|end| rest.split_once(end));
        let Some((more, after)) = ends.min_by_key(|(more, _)| more.len()) else { break };
        condition = format!("{condition}, {more}");
        rest = after;
    }
    Some((word.to_owned(), condition, rest.to_owned()))
}

// The verb behind these belongs to the condition: "after you run the tests".
pattern!(GOES_ON, r"(?:^|\s)(?:you|we|i|they|to|and|or|not|the|a|an|any|each|every|your|it|that)$");

/// Whether a piece begins with an order.
pub(super) fn orders(text: &str) -> bool {
    let patterns = &*PATTERNS;
    if MUST_INSIDE.is_match(text) {
        return true;
    }
    if patterns.negation.find(text).is_some_and(|found| found.end() > 0) {
        return true;
    }
    let core = text.get(patterns.softener.find(text).map_or(0, |found| found.end())..).unwrap_or(text);
    core.len() < text.len() || text.starts_with('§') || first_verb(core).is_some()
}

pattern!(
    MUST_INSIDE,
    r"\b(?:must|should|shall|always|never|required?|requires|mandatory|forbidden|not allowed|only)\b"
);

fn sort_in(word: &str, said: &str, when: &mut Vec<When>, unless: &mut Vec<String>, within: &mut Vec<String>) {
    let conditions = &words().grammar.conditions;
    let is = |list: &[String]| list.iter().any(|one| one == word);
    let said = said.trim().trim_matches([',', '.']).to_owned();
    // "when appropriate": a matter of judgement, and no occasion.
    if is(&conditions.when) && bag::exception(&said) == bag::UNLESS_SOFT {
        return;
    }
    let relation = if is(&conditions.before) {
        Relation::Before
    } else if is(&conditions.after) {
        Relation::After
    } else if is(&conditions.when) {
        Relation::When
    } else if is(&conditions.unless) {
        unless.push(said);
        return;
    } else if word.starts_with("outside") {
        // "Outside of `x`, never …": never, except there.
        unless.push(format!("in {said}"));
        return;
    } else {
        within.push(said);
        return;
    };
    when.push(When { relation, words: said });
}

/// "do a, and never b": pieces with an order of their own.
fn parts(text: &str, patterns: &Patterns) -> Vec<String> {
    let mut cuts: Vec<usize> = patterns
        .parted
        .find_all(text)
        .iter()
        .map(|found| found.start())
        // "a, not b" stays together: it is a swap; and so does "is real and not a placeholder".
        .filter(|at| !BUT_NOT.is_match(text.get(*at..).unwrap_or("")))
        .collect();
    cuts.extend(next_orders(text));
    // "a not b, c not d": two swaps.
    cuts.extend(NEXT_SWAP.find_all(text).iter().map(|found| found.start()));
    cuts.sort_unstable();
    cuts.dedup();
    let mut pieces = Vec::new();
    let mut start = 0;
    for cut in cuts.into_iter().filter(|cut| *cut > 0) {
        pieces.push(text.get(start..cut).unwrap_or("").to_owned());
        start = cut;
    }
    pieces.push(text.get(start..).unwrap_or("").to_owned());
    let joint = |piece: &str| {
        let mut piece = piece.trim_start_matches([',', ' ']);
        for word in ["and ", "but ", "then "] {
            piece = piece.strip_prefix(word).unwrap_or(piece);
        }
        piece.trim().to_owned()
    };
    pieces.iter().map(|piece| joint(piece)).filter(|piece| !piece.is_empty()).collect()
}

pattern!(WITH_SOMEBODY, r"^(?:in )?with (?:me|us|the (?:user|team|owner|maintainers?)|your)\b");
pattern!(BUT_NOT, r"^,? ?(?:(?:and|but) )?not ");
pattern!(NEXT_SWAP, r", (?:and )?§\d+§ (?:not|instead of|over|rather than) §");
pattern!(JOINT, r"(?:, and |, then |,? and then | and | then |, )");

/// Where a conjunction begins another order: a verb with an object behind it.
fn next_orders(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for joint in JOINT.find_all(text) {
        let after = text.get(joint.end()..).unwrap_or("");
        let after = after.strip_prefix("we ").or(after.strip_prefix("you ")).unwrap_or(after);
        let mut following = after.split_whitespace();
        let (Some(verb), Some(object)) = (following.next(), following.next()) else { continue };
        let is_plain = verb.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
        let has_object = object.starts_with('§')
            || is_program(object.trim_end_matches([',', '.', ';']))
            || matches!(
                object,
                "the"
                    | "a"
                    | "an"
                    | "all"
                    | "any"
                    | "every"
                    | "it"
                    | "them"
                    | "your"
                    | "for"
                    | "that"
                    | "those"
                    | "these"
            );
        let is_verb = is_plain && !words().acts(verb).is_empty() && root(verb) == root(&base(verb));
        let ends_in_ing = verb.ends_with("ing") || verb.ends_with("ed");
        // "not" has the root of "note".
        let is_negation = words().grammar.forbids.iter().any(|word| word == verb);
        if is_verb && has_object && !ends_in_ing && !is_negation {
            found.push(joint.start());
        }
    }
    found
}

fn base(verb: &str) -> String {
    verb.trim_end_matches('s').to_owned()
}

/// The first word, when it is a verb.
fn first_verb(text: &str) -> Option<String> {
    let first = text.split_whitespace().next()?.trim_matches([',', ':', '.']);
    let is_plain = first.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    (is_plain && !words().acts(first).is_empty()).then(|| first.to_owned())
}

/// The verb that a piece begins with, and what it is about.
pub(super) fn act_of(body: &str) -> (String, String) {
    let act = first_verb(body).unwrap_or_default();
    let about = body.get(act.len()..).unwrap_or("").trim().to_owned();
    (act, about)
}

fn norm(piece: &str, forbids: Option<bool>, patterns: &Patterns) -> Option<Norm> {
    let mut rest = piece.trim().trim_matches([',', '.', ';']).to_owned();
    let instances = INSTANCES.captures(&rest).and_then(|found| Some(found.get(1)?.as_str().to_owned()));
    if let Some(reason) = patterns.reason.find(&rest) {
        if reason.start() > 0 {
            // "`a` such as `b` instead of `c`": what is not to be used is no part of the example.
            let swapped = SWAPPED.find(reason.as_str()).map(|swap| swap.as_str().to_owned());
            // "Run the linter to check formatting: `x`": what is to be run stands behind the purpose.
            let runs = first_verb(&rest).is_some_and(|verb| words().is_act(&verb, "run"));
            let named = NAMED_LAST.captures(reason.as_str()).filter(|_| runs);
            let named = named.and_then(|found| Some(found.get(1)?.as_str().to_owned()));
            rest.truncate(reason.start());
            rest.extend(swapped);
            rest.extend(named);
        } else {
            return None;
        }
    }
    // "It must not be committed", "`x` is not needed": what it is, another sentence says, or nothing is asked for.
    if PASSIVE.is_match(&rest) || NEEDLESS.is_match(&rest) {
        return None;
    }
    let (mut when, mut unless, mut within) = (Vec::<When>::new(), Vec::<String>::new(), Vec::new());
    let mut restricted = false;
    while let Some(found) = patterns.trail.captures(&rest) {
        let (Some(head), Some(word), Some(tail)) = (found.get(1), found.get(2), found.get(3)) else { break };
        let (condition, named) = named_behind(tail.as_str());
        restricted |= matches!(word.as_str(), "only when" | "only if" | "but only");
        sort_in(word.as_str(), condition, &mut when, &mut unless, &mut within);
        rest = format!("{}{named}", head.as_str());
    }
    if let Some(at) = when.iter().position(|when| bag::exception(&when.words) == bag::UNLESS_ASKED)
        && rest.starts_with("only ")
    {
        unless.push(when.remove(at).words);
        restricted = true;
    }
    let only = rest.starts_with("only ") || rest.contains(" only") || rest.contains("exclusively");
    let states = !orders(&rest) && STATES.is_match(&rest) || statement::tells(&rest);
    let stated = when.is_empty() && forbids.is_none() && states;
    if stated && POINTS.is_match(&rest) {
        return None;
    }
    let (polarity, body) = polarity(&rest, forbids, patterns);
    let (body, instead_of) = swap(&body, polarity, patterns);
    let polarity = match (polarity, &instead_of) {
        // "Only commit when asked" is "never commit unless asked"; what else may be done only at times asks for nothing.
        (Polarity::Must, _) if restricted => {
            if !unless.iter().any(|unless| bag::exception(unless) == bag::UNLESS_ASKED) {
                return None;
            }
            Polarity::MustNot
        }
        (Polarity::Must, Some(_)) => Polarity::InsteadOf,
        (Polarity::Must, None) if only => Polarity::Only,
        (other, _) => other,
    };
    let body = body.trim().trim_start_matches("only ").trim_end_matches(" only").trim().to_owned();
    let (act, about) = act_of(&body);
    if act.is_empty() && about.is_empty() {
        return None;
    }
    // "Check for build errors before committing" asks nobody.
    let looks = act == "check" && !about.is_empty() && !WITH_SOMEBODY.is_match(&about);
    let polarity = if polarity == Polarity::Must
        && words().is_act(&act, "ask")
        && !looks
        && !when.is_empty()
        && !about.contains('§')
    {
        Polarity::AskFirst
    } else {
        polarity
    };
    // "Remove `console.log` before committing": what is committed holds none.
    let cleans = polarity == Polarity::Must
        && words().is_act(&act, "delete")
        && bag::bag(&about, &[]).iter().all(|word| words().term_nouns.contains(word))
        && about.contains('§')
        && when.iter().all(|when| when.relation == Relation::Before && when.words.contains("commit"))
        && !when.is_empty();
    let (polarity, act) = if cleans { (Polarity::MustNot, "use".to_owned()) } else { (polarity, act) };
    if cleans {
        when.clear();
    }
    let urged = forbids.is_some() || MUST_INSIDE.is_match(piece);
    // "Only use `a` when b": nothing is asked for.
    let limited = polarity == Polarity::Only && (LIMITED.is_match(&rest) || !when.is_empty());
    let judged = JUDGED.is_match(piece)
        || unless.iter().any(|unless| bag::exception(unless) == bag::UNLESS_SOFT)
        || (polarity == Polarity::MustNot && POSSIBLE.is_match(piece));
    Some(Norm {
        polarity,
        act,
        about,
        instead_of,
        when,
        within,
        unless,
        instances,
        urged,
        limited,
        stated,
        judged,
    })
}

pattern!(
    PASSIVE,
    r"^(?:it |they |this |these )?(?:must|should|may|can|shall)(?: not| never|not|n't) be \w+ed$"
);
pattern!(
    NEEDLESS,
    r"\b(?:not|n't|never|no longer) (?:be )?(?:needed|required|necessary|mandatory|supported)\b|\bno need\b"
);

// Where it holds somebody has to judge: "where appropriate", "as needed", "when it makes sense".
pattern!(
    pub(super) JUDGED,
    r"\b(?:where|when|whenever|wherever|if|as) (?:(?:it|this|that|they)(?: is|'s| are)? )?(?:really |truly |absolutely |strictly )?(?:appropriate|needed|necessary|required|applicable|relevant|useful|helpful|sensible|suitable|reasonable|beneficial|warranted|makes? sense|practical|feasible)(?:$|[,.;:)]| (?:to|for|and|in|when|while|but)\b)|\b(?:if|when|where) (?:[a-z§0-9-]+ ){1,5}(?:is|are) (?:needed|necessary|appropriate|applicable|desired|wanted)\b"
);
// As far as it goes: "where possible".
pattern!(pub(super) POSSIBLE, r"\b(?:where|when|whenever|wherever|if|as) (?:(?:it|this|that)(?: is|'s) )?(?:at all )?possible\b");

pattern!(NAMED_LAST, r"^,? ?to [a-z -]+(: §\d+§)$");
pattern!(SWAPPED, r",? (?:instead of|rather than|over) .*§\d+§.*$");

pattern!(
    INSTANCES,
    r"^(?:[a-z'-]+ ){1,6}?(?:(?:such as|like|including|e\.g\.,?)|[a-z'-]+:) (§\d+§(?:(?:, | or | and |, or |, and )§\d+§)*)(?: unless .*)?$"
);

pattern!(
    LIMITED,
    r"^(?:you )?(?:may |can |should |must )?only (?:ever )?(?:[a-z-]+ )?(?:the |a )?§.* (?:for|in|on|when|if|to|inside|within|by)\b|\bonly (?:for|in|on|if|when|where|to|inside|within|by|during|as)\b|^only (?:the |a |an )?§"
);

pattern!(
    STATES,
    r"\b(?:is|are|was|were|has|have|lives?|provides?|contains?|allows?|supports?|runs?|uses?|handles?|holds?|returns?|generates?|validates?|enables?|exists?|means?|will|can|could)\b"
);

pattern!(POINTS, r"^(?:this|these|it|they|there|here|that|we|i)\b");

/// "committing: §0§": the command stands behind a colon and belongs to what is to be done.
fn named_behind(text: &str) -> (&str, String) {
    match text.split_once(": ").filter(|(_, rest)| rest.starts_with('§')) {
        Some((condition, named)) => (condition, format!(" {named}")),
        None => (text, String::new()),
    }
}

fn polarity(text: &str, forbids: Option<bool>, patterns: &Patterns) -> (Polarity, String) {
    if let Some(found) = patterns.forbidden_behind.captures(text)
        && let (Some(what), Some(more)) = (found.get(1), found.get(2))
    {
        return (Polarity::MustNot, format!("{}{}", what.as_str(), more.as_str()));
    }
    if let Some(found) = patterns.negation.find(text).filter(|found| found.end() > 0) {
        return (Polarity::MustNot, text.get(found.end()..).unwrap_or("").to_owned());
    }
    let softened = text.get(patterns.softener.find(text).map_or(0, |found| found.end())..).unwrap_or(text);
    if let Some((verb, what)) =
        softened.split_once(" no ").filter(|(verb, _)| first_verb(verb).as_deref() == Some(verb))
    {
        return (Polarity::MustNot, format!("{verb} {what}"));
    }
    if let Some((subject, verb)) = negated_inside(text) {
        return (Polarity::MustNot, format!("{verb} {subject}"));
    }
    let body = text.get(patterns.softener.find(text).map_or(0, |found| found.end())..).unwrap_or(text);
    // "Never bare `a`: always `b`" below "Don't": what is always to be done is not forbidden by its heading.
    let side =
        if forbids == Some(true) && !ALWAYS.is_match(text) { Polarity::MustNot } else { Polarity::Must };
    if let Some(found) = patterns.asked_behind.captures(body)
        && let (Some(what), Some(more)) = (found.get(1), found.get(2))
    {
        return (Polarity::Must, format!("{}{}", what.as_str(), more.as_str()));
    }
    (side, body.to_owned())
}

pattern!(ALWAYS, r"^(?:always|must|instead)\b");

pattern!(
    INSIDE,
    r"^(.+?) (?:must not|must never|should not|should never|cannot|may not|can't|shouldn't|mustn't) (?:be )?(.+)$"
);

/// "Secrets must not be committed": what, and what is not to be done with it.
fn negated_inside(text: &str) -> Option<(String, String)> {
    let found = INSIDE.captures(text)?;
    Some((found.get(1)?.as_str().to_owned(), found.get(2)?.as_str().to_owned()))
}

pattern!(NOT_ONLY, r"^(?:just|only|merely|simply) ");

fn swap(body: &str, polarity: Polarity, patterns: &Patterns) -> (String, Option<String>) {
    let Some(found) = patterns.swap.captures(body) else { return (body.to_owned(), None) };
    let (Some(head), Some(tail)) =
        (found.get(1).or_else(|| found.get(3)), found.get(2).or_else(|| found.get(4)))
    else {
        return (body.to_owned(), None);
    };
    // "Explain why, not just what": both.
    if NOT_ONLY.is_match(tail.as_str()) {
        return (body.to_owned(), None);
    }
    if polarity == Polarity::MustNot {
        // "Never a instead of b": a is what is forbidden.
        return (head.as_str().to_owned(), None);
    }
    (head.as_str().to_owned(), Some(tail.as_str().to_owned()))
}
