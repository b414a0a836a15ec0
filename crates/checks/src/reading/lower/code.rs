//! Norms about what is written in code: use this name, not that one.

use serde_json::{Value, json};

use crate::text::pattern;

use super::super::bag;
use super::super::looks;
use super::super::norm::{Marked, Relation, Term, TermKind, When};
use super::super::occasion;
use super::super::sentence::numbers;
use super::super::words::{root, words};
use super::{Lowered, Lowering, Numbered, are, either, head_of, list, numbers_of};

impl Lowering<'_> {
    pub(super) fn forbidden_code(&self) -> Option<Lowered> {
        let norm = self.norm;
        // What stands behind the head is where or what for: "do not call `commit()` in functions with a `session`".
        let place = self.place(&norm.about);
        let about = place.as_ref().map_or(norm.about.as_str(), |place| place.head.as_str());
        let (head, target) = self.put_into(about).unwrap_or((head_of(about), None));
        let found = self.of_kind(head, &[TermKind::Identifier]);
        let all = !found.is_empty() && found.len() == self.terms(head).len();
        // `as`, `if`: words of a language that stand in code for many reasons.
        let is_short = |term: &Term| {
            term.text.len() < SHORTEST_WORD && term.text.chars().all(|c| c.is_ascii_lowercase())
        };
        // Of an import the whole name stands there.
        let is_import = norm.act == "import";
        let short = found.iter().any(|(_, term)| is_short(term) && !is_import);
        if !all || short || !self.is_in_files() || !self.is_plain(about) || !self.writes() {
            return None;
        }
        let modified = self.modified(about, &found)?;
        let mut used = numbers_of(&found);
        used.extend(target.as_ref().map(|target| target.number));
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
                if let Some(looks) = modified.and_then(|noun| with_noun(&term.text, noun)) {
                    wrote["wrote"]["added"] = json!(looks);
                } else if let Some(looks) = with_verb(&norm.act, term) {
                    wrote["wrote"]["added"] = json!(looks);
                }
                if let Some(target) = &target {
                    target.confine(&mut wrote, term);
                }
                if !except.is_empty() {
                    wrote["wrote"]["except"] = json!(except);
                }
                wrote
            })
            .collect();
        let done = done_with(&norm.act).unwrap_or("written");
        let is = if modified.is_some() { "are" } else { are(found.len()) };
        let place = target.map(|target| format!(" {} `{}`", target.joint, target.name)).unwrap_or_default();
        Some(Lowered {
            kind: "forbidden-code",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{}{} {} not {done}{place}", list(&found), modified.map(|noun| format!(" {}", noun.called)).unwrap_or_default(), is) }),
            used,
        })
    }

    pub(super) fn swapped_code(&self) -> Option<Lowered> {
        let norm = self.norm;
        let instead = norm.instead_of.as_deref()?;
        // "Use `x` for a, not for b": what it is used for does not show.
        if instead.starts_with("for ") {
            return None;
        }
        // "Descriptive names: `a` not `b`": examples of what many things are to be like.
        if self.context.first().is_some_and(|label| NAMING.is_match(&label.to_lowercase())) {
            return None;
        }
        let (doing, instead) = behind_gerund(instead);
        let rather = self.of_kind(head_of(&norm.about), &[TermKind::Identifier]);
        let not = self.of_kind(instead, &[TermKind::Identifier]);
        if rather.is_empty() && not.is_empty() || !self.writes() {
            return None;
        }
        // What is avoided may be a part of what is wanted: `getUser` and `getUserById`.
        let is_part = |term: &Term| rather.iter().any(|(_, other)| other.text.contains(&term.text));
        let forbid: Vec<Value> = if self.is_plain(instead) {
            let telling = |term: &Term| is_telling(&term.text) || term.marked == Marked::Quotes;
            let verb = doing.unwrap_or(&norm.act);
            not.iter()
                .filter(|(_, term)| !is_part(term) && telling(term))
                .map(|(_, term)| self.wrote_by(verb, term))
                .collect()
        } else {
            Vec::new()
        };
        let why = match (rather.is_empty(), not.is_empty()) {
            (true, _) => format!("{} {} not written", list(&not), are(not.len())),
            (false, false) if !forbid.is_empty() => {
                format!("{} rather than {}", either(&rather), either(&not))
            }
            (false, _) => format!("{} is written", either(&rather)),
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
        // "for tool calls": the agent's own tools, which are in no code.
        if found.iter().any(|(_, term)| stands_for_others(&term.text)) || OWN_TOOLS.is_match(about) {
            return None;
        }
        let modified = self.modified(head_of(about), &found)?;
        let wrote = |term: &Term| match modified {
            Some(noun) => with_noun(&term.text, noun)
                .map(|looks| json!({ "wrote": { "paths": self.paths(), "added": looks } })),
            None => self.wrote_telling(term).map(|wrote| self.by_verb(&norm.act, term, wrote)),
        };
        let any: Vec<Value> = found.iter().filter_map(|(_, term)| wrote(term)).collect();
        // "Keep `x` short", "put `x` first": that it is written shows neither how it is kept nor where it stands.
        if any.is_empty()
            || !(self.writes() || self.names() || BY_MEANS.is_match(about))
            || (norm.act.is_empty() && !norm.urged)
            || norm.act == "keep"
            || (norm.act == "set" && found.iter().any(|(_, term)| VARIABLE.is_match(&term.text)))
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
        let why = match (modified, norm.act.as_str()) {
            (Some(noun), _) => format!("{} {} are written", either(&found), noun.called),
            (None, act) => format!("{} is {}", either(&found), done_with(act).unwrap_or("written")),
        };
        // "Use `get_docs` to look things up": a tool of that name is called.
        let tools =
            found.iter().filter(|(_, term)| SNAKE.is_match(&term.text) && words().is_act(&norm.act, "use"));
        let called = tools.map(|(_, term)| json!({ "used": { "tool": format!("*{}", term.text) } }));
        let any: Vec<Value> = any.into_iter().chain(called).collect();
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
        Some(Lowered { kind: "wanted-code", check: json!({ "expect": expect, "why": why }), used })
    }

    /// A term that was added where the rule holds, with what the verb does with it.
    fn wrote_by(&self, verb: &str, term: &Term) -> Value {
        self.by_verb(verb, term, self.wrote(term))
    }

    fn by_verb(&self, verb: &str, term: &Term, mut wrote: Value) -> Value {
        if let Some(looks) = with_verb(verb, term).filter(|_| !self.names()) {
            wrote["wrote"]["added"] = json!(looks);
        }
        wrote
    }

    /// "Do not add `x` to `y`", "never pass `x` to `y`": what stands before the preposition, and where it would go.
    fn put_into<'m>(&self, about: &'m str) -> Option<(&'m str, Option<Target>)> {
        let puts = words().acts(&self.norm.act).iter().any(|kind| matches!(kind.as_str(), "write" | "place"));
        if !puts && self.norm.act != "pass" {
            return None;
        }
        let found = PUT_INTO.captures(about)?;
        let (head, joint, target) = (found.get(1)?, found.get(2)?.as_str(), found.get(3)?.as_str());
        let number = *numbers(target).first()?;
        let term = self.sentences.terms.get(number)?;
        // Where something else than a name of code is meant, what stands there stays unknown.
        let target = (term.kind == TermKind::Identifier && TYPE.is_match(&term.text)
            || self.norm.act == "pass" && is_callable(&term.text))
        .then(|| Target {
            number,
            name: term.text.clone(),
            joint: joint.to_owned(),
            called: self.norm.act == "pass",
        });
        Some((head.as_str(), target))
    }

    /// "`final` classes", "`async` functions": a word that tells some things of a kind from the others. Nothing where no noun follows; no answer
    /// where nobody knows how such a thing looks.
    fn modified(&self, about: &str, found: &[Numbered<'_>]) -> Option<Option<&'static Noun>> {
        let modifies = |term: &Term| {
            term.text.chars().all(|c| c.is_ascii_lowercase()) && words().keywords.contains(&term.text)
        };
        let Some(noun) = BEHIND_TERM.captures(about).and_then(|found| found.get(1)) else {
            return Some(None);
        };
        if !found.iter().any(|(_, term)| modifies(term)) || !RESTRICTS.is_match(noun.as_str()) {
            return Some(None);
        }
        NOUNS.iter().find(|known| noun.as_str().starts_with(known.stem)).map(Some)
    }

    /// A term that was added where the rule holds.
    fn wrote(&self, term: &Term) -> Value {
        let imported = words().libraries.imports.get(&term.text.to_lowercase());
        let looks = match imported {
            _ if self.names() => looks::declared(&term.text),
            // `beautifulsoup4` is `bs4` in code.
            Some(name) => {
                format!(r"{}|\b(?:import|from)\s+{}\b", looks::expression(&term.text), regex::escape(name))
            }
            // `color-eyre` is `color_eyre` in code.
            None if PACKAGE.is_match(&term.text) && self.is_imported_by_underscores() => {
                looks::expression(&term.text).replace(r"\-", "[-_]")
            }
            None => looks::expression(&term.text),
        };
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

    /// Whether packages of the language are named with `-` and imported with `_`.
    fn is_imported_by_underscores(&self) -> bool {
        [&["*.rs"][..], &["*.{py,pyi}"][..], &["@rust"][..], &["@python"][..]]
            .iter()
            .any(|paths| self.paths() == json!(paths))
    }

    /// A term whose standing in code says something; a plain word says it where it is imported, called or looked into.
    fn wrote_telling(&self, term: &Term) -> Option<Value> {
        // `Date`, `Map`: names that stand in any code as types; they are used where one is made, or asked for something.
        if BUILTIN.is_match(&term.text) {
            let mut wrote = self.wrote(term);
            wrote["wrote"]["added"] = json!(format!(r"\bnew {0}\b|\b{0}\s*[(.]", term.text));
            return Some(wrote);
        }
        if is_telling(&term.text) || (term.marked == Marked::Quotes && term.text.len() >= SHORTEST_WORD) {
            return Some(self.wrote(term));
        }
        let is_word = term.text.len() >= SHORTEST_WORD && term.text.chars().all(|c| c.is_ascii_lowercase());
        let used = words().is_act(&self.norm.act, "use") && term.marked == Marked::Backticks;
        // "Use `jobs` to see background jobs": what shows something of the machine is run.
        let is_command = self.sentences.clauses.iter().any(|clause| SHOWS.is_match(&clause.text))
            || words().keywords.contains(&term.text);
        (is_word && used && !is_command).then(|| {
            let added = format!(r"(?m)^\s*(?:import|from|use|using|require|#include)\b[^\n]*\b{0}\b|(?:^|[^.\w]){0}(?:::\w|\()|[(,]\s*{0}\s*=[^=]|(?:from|import|require\()\s*['\x22]{0}['\x22/]", term.text);
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
        // "Add `x` to `y`": y is where it goes.
        let head = self.put_into(about).map_or_else(|| head_of(about), |(head, _)| head_of(head));
        let first = of(head);
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

/// "instead of raising `x`": what is done with it, and what it is.
fn behind_gerund(instead: &str) -> (Option<&str>, &str) {
    let Some((first, rest)) = instead.split_once(' ') else { return (None, instead) };
    let writes = |kind: &String| matches!(kind.as_str(), "use" | "write" | "code");
    let is_act = first.ends_with("ing") && words().acts(first).iter().any(writes);
    if is_act { (Some(first), rest) } else { (None, instead) }
}

/// Where something is put: a type, or a call.
struct Target {
    number: usize,
    name: String,
    /// "to", "in".
    joint: String,
    /// Whether it is put between the brackets of a call.
    called: bool,
}

impl Target {
    /// Looks for a term only there.
    fn confine(&self, wrote: &mut Value, term: &Term) {
        if self.called {
            let name = self.name.trim_end_matches("()");
            let own = looks::expression(&term.text);
            wrote["wrote"]["added"] = json!(format!(r"\b{}\s*\([^;\n]*{own}", regex::escape(name)));
        } else {
            wrote["wrote"]["paths"] = json!([format!("**/{}.*", self.name)]);
        }
    }
}

/// A noun behind words that tell some of its things from others, and how they look in code.
#[derive(Debug)]
struct Noun {
    stem: &'static str,
    called: &'static str,
    keyword: &'static str,
}

/// What is declared with a word of its own; of methods, properties and parameters only the place tells.
const NOUNS: [Noun; 6] = [
    Noun { stem: "class", called: "classes", keyword: "class" },
    Noun { stem: "function", called: "functions", keyword: "(?:function|def|fn|func|fun)" },
    Noun { stem: "interface", called: "interfaces", keyword: "interface" },
    Noun { stem: "struct", called: "structs", keyword: "struct" },
    Noun { stem: "enum", called: "enums", keyword: "enum" },
    Noun { stem: "import", called: "imports", keyword: "import" },
];

/// `final class`, `import static`: a word beside the one that declares.
fn with_noun(word: &str, noun: &Noun) -> Option<String> {
    (word != noun.keyword).then(|| {
        let (word, keyword) = (regex::escape(word), noun.keyword);
        format!(r"\b{word}\s+(?:\w+\s+){{0,3}}{keyword}\b|\b{keyword}\s+{word}\b")
    })
}

/// "Raise `X`", "catch `X`", "import `x`": what is meant is what the verb does with it, not every mention.
fn with_verb(verb: &str, term: &Term) -> Option<String> {
    if term.kind != TermKind::Identifier || term.text.contains(char::is_whitespace) {
        return None;
    }
    let name = looks::expression(term.text.trim_end_matches("()"));
    let own = name.trim_start_matches(r"\b");
    let is_name = term.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is = |verbs: &[&str]| verbs.iter().any(|known| root(known) == root(verb));
    if !is_name {
        None
    } else if is(&["raise", "throw"]) {
        Some(format!(r"\b(?:raise|throw)\s+(?:new\s+)?(?:\w+(?:\.|::|\\))*{own}"))
    } else if is(&["catch", "except", "rescue"]) {
        Some(format!(r"\b(?:catch|except|rescue)\b[^\n]*{name}"))
    } else if is(&["import"]) {
        Some(format!(r"\b(?:import|from|use|using|require|require_once|include)\b[^\n]*{name}"))
    } else if is(&["return"]) {
        Some(format!(r"\breturn\b[^;\n]*{name}"))
    } else {
        None
    }
}

/// What is not done with a term, for the verbs that say more than that it is written.
fn done_with(verb: &str) -> Option<&'static str> {
    let known = [
        ("raise", "raised"),
        ("throw", "thrown"),
        ("catch", "caught"),
        ("import", "imported"),
        ("return", "returned"),
        ("pass", "passed"),
    ];
    known.iter().find(|(base, _)| root(base) == root(verb)).map(|(_, done)| *done)
}

fn is_callable(name: &str) -> bool {
    let name = name.trim_end_matches("()");
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))
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
    term.len() >= SHORTEST
        && !is_word
        && !KEYS.is_match(term)
        && !term.contains(" -> ")
        && !stands_for_others(term)
        && !KEYWORDS.is_match(term)
}

/// Whether a term is a pattern of what to write rather than its words: a link with its address, a name that only says "name" or "yours".
pub(crate) fn stands_for_others(term: &str) -> bool {
    MADE_UP.is_match(term)
}

pattern!(
    MADE_UP,
    r"^\[[^\]]*\]\([^)]*\)$|path/to/|(?:^|/)\.{0,2}/?path/[A-Z]|\bYOUR_|\bMY_|\bsome_|(?i)\b(?:your|my)[-_][a-z]|\b(?:feature|component|module|plugin)[-_]name\b|\b(?:foo|bar|baz|xyz|xxx+)\b|[-_/]xyz\b"
);
// Constructs that stand in any code: "`if/else`".
pattern!(
    KEYWORDS,
    r"^(?:if|else|for|while|do|switch|case|elif|return)(?:[-/ ](?:if|else|elif|for|while|do|switch|case|return))+$"
);
pattern!(OWN_TOOLS, r"\b(?:for|in|with|when|on) (?:[a-z]+ )?(?:tool (?:calls?|use|usage|invocations?))\b");
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
pattern!(
    PUT_INTO,
    r"^(.*§\d+§[^§]*?) (to|in|into|inside|on) (?:the |a |an |any |your )?(§\d+§)(?: [a-z]+)?$"
);
pattern!(TYPE, r"^[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+$");
// "`final` or `readonly` classes": the noun behind the last term.
pattern!(BEHIND_TERM, r"§ ([a-z]+)$");
pattern!(
    RESTRICTS,
    r"^(?:class(?:es)?|functions?|methods?|interfaces?|structs?|enums?|imports?|exports?|parameters?|params?|arguments?|propert(?:y|ies)|fields?|members?|constructors?|variables?|components?|constants?)$"
);
pattern!(SHOWS, r"§ (?:command )?to (?:see|view|list|show|check|inspect|find|monitor|kill|stop|start|run)\b");
pattern!(NAMING, r"\b(?:names?|naming|labels?|wording|titles?|phrasing|examples?)\b");
// Variables of the environment are set outside of code.
pattern!(VARIABLE, r"^[A-Z]{2,}[A-Z0-9]*$");
pattern!(SNAKE, r"^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$");
pattern!(PACKAGE, r"^[a-z0-9]+(?:-[a-z0-9]+)+$");
pattern!(BUILTIN, r"^(?:Date|Map|Set|Array|Object|String|Number|Boolean|Promise|List|Dict|Equal)$");
pattern!(PURPOSE, r"§ (?:for|to|when|where) [a-z].*$");
pattern!(WITH_BESIDE, r"^§\d+§ with (§\d+§)(?:$| (?:for|to|in|when) )");
pattern!(TERMS, r"\b(?:terms|terminology|vocabulary)\b");
pattern!(HOW, r"^§\d+§ (?:[a-z]+ )?(?:must|should|shall|is|are|has to|have to|needs? to)\b");
pattern!(NAME, r"^\w*[a-z0-9][_A-Z]\w*$|[.:]\w|\(");
pattern!(KEYS, r"(?i)^(?:ctrl|cmd|alt|shift|option|command)\s?\+\s?\w+$");
