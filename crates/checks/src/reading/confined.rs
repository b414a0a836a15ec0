//! "In TypeScript, …", below "Python style": what an entry of the rulebook knows of several languages holds in those that are named.

use crate::language::{Check, Condition, Glob};
use crate::text::{Pattern, pattern};

use super::sentence::Clause;
use super::words::words;

// "For Python code", "in TypeScript/JavaScript": where the language is named as a place, and not as a part of what is meant ("Tailwind CSS").
pattern!(
    PLACE,
    r"(?:\b(?:in|for|within|across)|^) ?(?:(?:all|any|the|our|new) )*((?:[a-z+#.]+(?:,? and |,? or |/|, ))*[a-z+#.]+)(?: (?:code|files?|sources?|modules?|projects?|scripts?))?(?:$|[,.:;])"
);
// What a heading says beside the language that it is about.
pattern!(
    PLAIN,
    r"^(?:code|coding|files?|style|styles|guide|guides|guidelines|rules?|conventions?|standards?|best|practices?|formatting|naming|specific|general|the|for|and|or|in|of|development|language|requirements|notes|tips|patterns|project|projects|&)$"
);
pattern!(ENDINGS, r"^\*\.(?:\{([a-z0-9,]+)\}|([a-z0-9]+))$");

/// Languages that stand for files of one kind, by the words that name them.
fn endings_of(word: &str) -> Option<Vec<String>> {
    const PARTS: [&str; 3] = ["code", "tests", "stories"];
    let files = words()
        .languages
        .iter()
        .find(|files| !PARTS.contains(&&*files.name) && files.called.iter().any(|name| name == word))?;
    Some(files.paths.iter().flat_map(|path| endings(path)).collect())
}

/// The endings that a plain glob stands for; none for one that says more.
fn endings(glob: &str) -> Vec<String> {
    let Some(found) = ENDINGS.captures(glob) else { return Vec::new() };
    let list = found.get(1).or_else(|| found.get(2)).map_or("", |list| list.as_str());
    list.split(',').map(str::to_owned).collect()
}

/// The endings of the languages that a piece is confined to, when it names nothing but languages.
fn named(piece: &str, plain: Option<&Pattern>) -> Vec<String> {
    let mut found = Vec::new();
    for word in piece.split([' ', ',', '/', '(', ')']).filter(|word| !matches!(*word, "" | "and" | "or")) {
        match endings_of(word) {
            Some(endings) => found.extend(endings),
            None if plain.is_some_and(|plain| plain.is_match(word)) => {}
            None => return Vec::new(),
        }
    }
    found
}

/// The endings of the languages in which a clause holds, by its own words, its labels or its headings; empty where none is named.
pub(super) fn languages(clause: &Clause, context: &[String]) -> Vec<String> {
    let places = PLACE.find_all(&clause.text);
    let own = places
        .iter()
        .filter_map(|place| PLACE.captures(place.as_str())?.get(1).map(|name| named(name.as_str(), None)));
    let around = clause.labels.iter().rev().chain(context.iter().rev());
    let around = around.map(|label| named(&label.to_lowercase(), Some(&PLAIN)));
    own.chain(around).find(|endings| !endings.is_empty()).unwrap_or_default()
}

/// Confines what a check forbids and expects of files to those with these endings. Where that leaves nothing, the entry speaks of other files.
pub(super) fn confine(check: &mut Check, own: &[String]) {
    let mut confined = check.clone();
    confined.forbid.retain_mut(|condition| keeps(condition, own));
    for expect in &mut confined.expect {
        expect.any.retain_mut(|condition| keeps(condition, own));
    }
    confined.expect.retain(|expect| !expect.any.is_empty());
    if !confined.forbid.is_empty() || (check.forbid.is_empty() && !confined.expect.is_empty()) {
        *check = confined;
    }
}

/// Leaves a condition the paths of these languages; whether there are any.
fn keeps(condition: &mut Condition, own: &[String]) -> bool {
    let paths = if let Condition::Wrote(wrote) = condition {
        &mut wrote.paths
    } else if let Condition::Added(added) = condition {
        &mut added.paths
    } else {
        return true;
    };
    if paths.is_empty() {
        return true;
    }
    *paths = paths.iter().filter_map(|glob| within(glob, own)).collect();
    !paths.is_empty()
}

fn within(glob: &Glob, own: &[String]) -> Option<Glob> {
    let all = endings(glob.as_str());
    if all.is_empty() {
        return Some(glob.clone());
    }
    let left: Vec<String> = all.iter().filter(|ending| own.contains(ending)).cloned().collect();
    match left.as_slice() {
        [] => None,
        _ if left.len() == all.len() => Some(glob.clone()),
        [one] => Some(Glob::new(format!("*.{one}"))),
        several => Some(Glob::new(format!("*.{{{}}}", several.join(",")))),
    }
}
