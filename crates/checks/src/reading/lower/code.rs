//! Norms about what is written in code: use this name, not that one.

use serde_json::{Value, json};

use crate::text::pattern;

use super::super::bag;
use super::super::looks;
use super::super::norm::{Marked, Relation, Term, TermKind, When};
use super::super::occasion;
use super::super::sentence::numbers;
use super::super::words::words;
use super::{Lowered, Lowering, Numbered, head_of, list, numbers_of};

impl Lowering<'_> {
    pub(super) fn forbidden_code(&self) -> Option<Lowered> {
        let norm = self.norm;
        // What stands behind the head is where or what for: "do not call `commit()` in functions with a `session`".
        let place = self.place(&norm.about);
        let about = place.as_ref().map_or(norm.about.as_str(), |place| place.head.as_str());
        let found = self.of_kind(head_of(about), &[TermKind::Identifier]);
        let all = !found.is_empty() && found.len() == self.terms(head_of(about)).len();
        // `as`, `if`: words of a language that stand in code for many reasons.
        let is_short = |term: &Term| {
            term.text.len() < SHORTEST_WORD && term.text.chars().all(|c| c.is_ascii_lowercase())
        };
        let short = found.iter().any(|(_, term)| is_short(term));
        if !all || short || !self.is_in_files() || !self.is_plain(about) || !self.writes() {
            return None;
        }
        let mut used = numbers_of(&found);
        used.extend(numbers_of(&self.of_kind(&norm.about, &[TermKind::Path])));
        let except = place.map(|place| place.except).unwrap_or_default();
        if self.speaks_of_terms() {
            let forbid: Vec<Value> = found.iter().flat_map(|(_, term)| of_vocabulary(term)).collect();
            let why = format!("the project does not say {}", list(&found));
            let check = json!({ "forbid": forbid, "mixed": "missed", "why": why });
            return Some(Lowered { kind: "vocabulary", check, used });
        }
        let forbid: Vec<Value> = found
            .iter()
            .map(|(_, term)| {
                let mut wrote = self.wrote(term);
                if !except.is_empty() {
                    wrote["wrote"]["except"] = json!(except);
                }
                wrote
            })
            .collect();
        Some(Lowered {
            kind: "forbidden-code",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{} is not written", list(&found)) }),
            used,
        })
    }

    pub(super) fn swapped_code(&self) -> Option<Lowered> {
        let norm = self.norm;
        let instead = behind_gerund(norm.instead_of.as_deref()?);
        let rather = self.of_kind(head_of(&norm.about), &[TermKind::Identifier]);
        let not = self.of_kind(instead, &[TermKind::Identifier]);
        if rather.is_empty() && not.is_empty() || !self.writes() {
            return None;
        }
        // What is avoided may be a part of what is wanted: `getUser` and `getUserById`.
        let is_part = |term: &Term| rather.iter().any(|(_, other)| other.text.contains(&term.text));
        let forbid: Vec<Value> = if self.is_plain(instead) {
            let telling = |term: &Term| is_telling(&term.text) || term.marked == Marked::Quotes;
            not.iter()
                .filter(|(_, term)| !is_part(term) && telling(term))
                .map(|(_, term)| self.wrote(term))
                .collect()
        } else {
            Vec::new()
        };
        let why = match (rather.is_empty(), not.is_empty()) {
            (true, _) => format!("{} is not written", list(&not)),
            (false, true) => format!("{} is written", list(&rather)),
            (false, false) => format!("{} rather than {}", list(&rather), list(&not)),
        };
        let mut check = json!({ "forbid": forbid, "mixed": "missed", "why": why });
        let expect: Vec<Value> = rather.iter().filter_map(|(_, term)| self.wrote_telling(term)).collect();
        if expect.is_empty() && check["forbid"].as_array().is_none_or(Vec::is_empty) {
            return None;
        }
        if !expect.is_empty() {
            check["expect"] = json!([{ "any": expect }]);
        }
        let mut used = [numbers_of(&rather), numbers_of(&not)].concat();
        used.extend(norm.about.split_once(" from ").into_iter().flat_map(|(_, origin)| numbers(origin)));
        Some(Lowered { kind: "swapped-code", check, used })
    }

    pub(super) fn wanted_code(&self) -> Option<Lowered> {
        let norm = self.norm;
        let (about, example) = before_example(&norm.about);
        let found = self.code_terms(about);
        let any: Vec<Value> = found.iter().filter_map(|(_, term)| self.wrote_telling(term)).collect();
        // "Keep `x` short", "put `x` first": that it is written shows neither how it is kept nor where it stands.
        if any.is_empty()
            || !(self.writes() || self.names() || BY_MEANS.is_match(about))
            || (norm.act.is_empty() && !norm.urged)
            || norm.act == "keep"
            || POSITION.is_match(&norm.about)
            || self.says_how()
        {
            return None;
        }
        let mut used = numbers_of(&found);
        used.extend(numbers_of(&self.of_kind(&norm.about, &[TermKind::Path])));
        used.extend(norm.within.iter().flat_map(|place| numbers(place)));
        used.extend(numbers(example));
        // "Use `x` when a has no `y`", "`x` for examples with `y`": an occasion or a purpose, which is honoured by the deed.
        used.extend(self.terms_of_conditions());
        used.extend(PURPOSE.find(about).into_iter().flat_map(|purpose| numbers(purpose.as_str())));
        // "`x` from `y`": where it comes from.
        used.extend(about.split_once(" from ").into_iter().flat_map(|(_, origin)| numbers(origin)));
        let mut expect = vec![json!({ "any": any })];
        // "Use `x` with `y`": both.
        let beside = WITH_BESIDE
            .captures(about)
            .map(|pair| self.of_kind(pair.get(1).map_or("", |y| y.as_str()), &[TermKind::Identifier]));
        for (number, term) in
            beside.into_iter().flatten().filter(|(number, _)| !used.contains(number)).collect::<Vec<_>>()
        {
            expect.push(json!({ "any": [self.wrote(term)] }));
            used.push(number);
        }
        Some(Lowered {
            kind: "wanted-code",
            check: json!({ "expect": expect, "why": format!("{} is written", list(&found)) }),
            used,
        })
    }

    /// A term that was added where the rule holds.
    fn wrote(&self, term: &Term) -> Value {
        let looks = if self.names() { looks::declared(&term.text) } else { looks::expression(&term.text) };
        // Words in quotes are words of a text, not of code.
        let paths = match self.paths() {
            all if term.marked == Marked::Quotes && !NAME.is_match(&term.text) && all == json!(["@code"]) => {
                json!(["@docs", "@html"])
            }
            paths => paths,
        };
        let mut wrote = json!({ "wrote": { "paths": paths, "added": looks } });
        // "In library code, …": tests are none.
        if self.norm.within.iter().any(|place| super::places::is_production(place)) {
            wrote["wrote"]["except"] = json!(["@tests"]);
        }
        wrote
    }

    /// A term whose standing in code says something; a plain word says it where it is imported, called or looked into.
    fn wrote_telling(&self, term: &Term) -> Option<Value> {
        if is_telling(&term.text) || (term.marked == Marked::Quotes && term.text.len() >= SHORTEST_WORD) {
            return Some(self.wrote(term));
        }
        let is_word = term.text.len() >= SHORTEST_WORD && term.text.chars().all(|c| c.is_ascii_lowercase());
        let used = words().is_act(&self.norm.act, "use") && term.marked == Marked::Backticks;
        (is_word && used).then(|| {
            let added = format!(r"(?m)^\s*(?:import|from|use|using|require|#include)\b[^\n]*\b{0}\b|(?:^|[^.\w]){0}(?:::\w|\()|(?:from|import|require\()\s*['\x22]{0}['\x22/]", term.text);
            json!({ "wrote": { "paths": self.paths(), "added": added } })
        })
    }

    /// Whether the norm holds at all times, or while files of a kind are written: "when writing CSS".
    fn is_in_files(&self) -> bool {
        let in_files = |when: &When| {
            when.relation == Relation::When
                && occasion::named(&bag::bag(&when.words, &self.sentences.terms)).is_some()
        };
        self.norm.when.iter().all(in_files)
    }

    /// Whether the act is one of writing code, or none is named.
    fn writes(&self) -> bool {
        let acts = words().acts(&self.norm.act);
        self.norm.act.is_empty() || acts.iter().any(|kind| matches!(kind.as_str(), "use" | "write" | "code"))
    }

    /// "`x` must be a single value": how it is to be, not that it is wanted. What stands in titles and descriptions is no code.
    pub(super) fn says_how(&self) -> bool {
        let norm = self.norm;
        let of_messages = IN_MESSAGES.is_match(&norm.about);
        of_messages || norm.act.is_empty() && HOW.is_match(&norm.about) && !self.is_plain(&norm.about)
    }

    /// "Use the project terms `a`; avoid `b`": words for things, which hold in texts and talk as well as in code.
    fn speaks_of_terms(&self) -> bool {
        self.sentences.clauses.iter().any(|clause| TERMS.is_match(&clause.text))
    }

    /// Whether the act gives names.
    fn names(&self) -> bool {
        // "Call `x()`" gives no name.
        words().is_act(&self.norm.act, "name") && self.norm.act != "call"
    }

    /// The code that is asked for: before the place and the purpose, or behind "with" where the verb says what is done to something
    /// else.
    fn code_terms(&self, about: &str) -> Vec<Numbered<'_>> {
        const MEANS: [&str; 6] = [" with ", " using ", " via ", " through ", " in ", " from "];
        let of = |piece: &str| -> Vec<Numbered<'_>> {
            let terms = self.of_kind(piece, &[TermKind::Identifier]).into_iter();
            terms.filter(|(_, term)| term.marked != Marked::Quotes || self.names()).collect()
        };
        let first = of(head_of(about));
        if !first.is_empty() {
            return first;
        }
        let tail = MEANS.iter().find_map(|joint| about.split_once(joint)).map_or("", |(_, tail)| tail);
        let tail = tail.strip_prefix("the ").unwrap_or(tail);
        let by_means = (about.contains(" using ") || BY_MEANS.is_match(about)) && tail.starts_with('§');
        if words().is_act(&self.norm.act, "code") || self.names() || by_means {
            of(head_of(tail))
        } else {
            Vec::new()
        }
    }
}

/// A word for something, wherever it is written or said, also as a part of a name.
fn of_vocabulary(term: &Term) -> [Value; 2] {
    let found = looks::part_of_name(&term.text);
    [
        json!({ "wrote": { "paths": ["@code", "@docs"], "added": found } }),
        json!({ "said": { "by": "agent", "text": found } }),
    ]
}

/// "instead of raising `x`": what is done with it adds nothing to it.
fn behind_gerund(instead: &str) -> &str {
    let Some((first, rest)) = instead.split_once(' ') else { return instead };
    let writes = |kind: &String| matches!(kind.as_str(), "use" | "write" | "code");
    let is_act = first.ends_with("ing") && words().acts(first).iter().any(writes);
    if is_act { rest } else { instead }
}

/// "`pipe` for composition: `pipe(a, b)`": what stands behind the colon shows how it looks.
fn before_example(about: &str) -> (&str, &str) {
    about
        .split_once(": §")
        .filter(|(before, _)| before.contains('§'))
        .map_or((about, ""), |(before, _)| (before, about.get(before.len()..).unwrap_or("")))
}

/// Shorter words stand in code for many reasons.
const SHORTEST_WORD: usize = 4;

/// Whether a term says something by standing in code: plain words stand there for many reasons.
fn is_telling(term: &str) -> bool {
    const SHORTEST: usize = 3;
    let is_word = term.chars().all(|c| c.is_ascii_lowercase());
    term.len() >= SHORTEST && !is_word && !KEYS.is_match(term) && !term.contains(" -> ")
}

pattern!(
    IN_MESSAGES,
    r"\b(?:prs?|pull requests?|merge requests?|issues?|commits?)(?:'s)? (?:descriptions?|bod(?:y|ies)|titles?|messages?|comments?|templates?)\b"
);
pattern!(
    POSITION,
    r"\b(?:first|last|at the (?:very )?(?:top|bottom|end|start|beginning)|alphabetical(?:ly)?|in (?:this|that|the following|the same) order|next to|adjacent|above|below)\b"
);
// "Sanitize input using the `x` helper": what it is done with is code.
pattern!(
    BY_MEANS,
    r" (?:using|with|via|through) (?:the )?§\d+§ (?:utilit(?:y|ies)|helpers?|functions?|hooks?|methods?|components?|macros?|decorators?|class(?:es)?|wrappers?|middleware|annotations?)\b"
);
pattern!(PURPOSE, r"§ (?:for|to|when|where) [a-z].*$");
pattern!(WITH_BESIDE, r"^§\d+§ with (§\d+§)(?:$| (?:for|to|in|when) )");
pattern!(TERMS, r"\b(?:terms|terminology|vocabulary)\b");
pattern!(HOW, r"^§\d+§ (?:[a-z]+ )?(?:must|should|shall|is|are|has to|have to|needs? to)\b");
pattern!(NAME, r"^\w*[a-z0-9][_A-Z]\w*$|[.:]\w|\(");
pattern!(KEYS, r"(?i)^(?:ctrl|cmd|alt|shift|option|command)\s?\+\s?\w+$");
