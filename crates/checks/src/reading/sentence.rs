//! A rule's text as clauses: code terms masked as `§n§`, labels and asides taken off.

use crate::code::{bare_command, is_bare_code, is_ending, kind_of};
use crate::text::pattern;

use super::norm::{Marked, Term, TermKind};
use super::project::Project;
use super::words::words;

/// A clause, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) text: String,
    /// What its label or heading says: `Some(true)` forbids, `Some(false)` asks.
    pub(crate) forbids: Option<bool>,
    /// The labels before it.
    pub(crate) labels: Vec<String>,
}

/// A rule's text, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sentences {
    /// All of it in lower case, labels and what stands in brackets as well; code terms stand as `§n§`.
    pub(crate) masked: String,
    pub(crate) terms: Vec<Term>,
    pub(crate) clauses: Vec<Clause>,
    /// Whether something in brackets says that a part of it need not be: "(skipped if not defined)".
    pub(crate) hedged: bool,
}

pattern!(QUOTED, "[\"“]([^\"“”]{1,40})[\"”]|(?:^|[\\s(])'([^']{1,40})'(?:$|[\\s,.;:)])");
pattern!(MARKS, r"^(?:[\x{2600}-\x{27BF}\x{2B00}-\x{2BFF}\x{1F300}-\x{1FAFF}\x{FE0F}\x{2190}-\x{21FF}]\s*)+");
pattern!(CHECKBOX, r"^\s*(?:[-*+]\s+)?\[[ xX]\]\s+");
pattern!(CROSS, r"^(?:❌|🚫|⛔|✗|✘|🛑)");
pattern!(LINK, r"\[([^\]\[]+)\]\((?:[^()\s]+)\)");
// "… per https://example.org/style".
pattern!(WHERE_TOLD, r",? (?:as )?(?:per|see|cf\.?|according to) <?https?://[^\s`]+");
pattern!(END, r"(?:;\s+|[.!?]+(?:\s+|$)|\s+[—–]\s+|—|\s+--?\s+)");
pattern!(ARROW, r"\s+(?:→|->|=>)\s+");
pattern!(
    NEGATED,
    r"^(?:please |you |we )?(?:never|do not|don't|dont|no|not|avoid|must not|must never|should not|should never|cannot|can't)\b"
);
pattern!(REMEDY, r"^(?:use|run|prefer|always|instead)\b");
pattern!(NEGATED_ASIDE, r"^\s*(?:and |but )?(?:not|never|no|instead of|rather than|don't|do not|avoid)\b");
// "Use `x` instead of `y` (except for z)": where it does not hold is no mere remark.
pattern!(
    EXCEPT_ASIDE,
    r"^\s*(?:except|unless|excluding|apart from|other than|aside from|with the exception of)\b"
);
pattern!(EXCEPTION, r"^(?:the |an |one )?(?:only |sole |one )?exceptions? (?:is|are|being) ");
// "Follow the lint rules (run `x`)".
pattern!(ORDER_ASIDE, r"^\s*(?:run|by running) §\d+§\s*$");
pattern!(
    MACRO,
    r"^(?:format|println|eprintln|vec|assert_eq|assert_ne|dbg|todo|unimplemented|unreachable|writeln)!"
);
// "Keep titles short (~70 characters)".
pattern!(
    AMOUNT_ASIDE,
    r"^\s*(?:[~≤<]|max\.?|maximum|under|below|up to|at most|about|around|ideally|no more than|limit)?[ :]*~? ?\d{2,4}[ -](?:lines?|loc|characters?|chars?|columns?)(?: max(?:imum)?| or (?:less|fewer)| limit)?\s*$"
);
// "Only use `x` with my approval", "use `x` only after explicit consent": it is forbidden without.
pattern!(
    ONLY_WITH_LEAVE,
    r"^(?:only (?P<first>.+?)|(?P<deed>.+?) only) (?:with|after|on|upon|given) (?P<leave>(?:[\w'’-]+ ){0,4}(?:consent|permission|approval|confirmation))$"
);
pattern!(BACKSLASHED, r"^\.?[\w.-]+(?:\\[\w.*-]{2,})*\\(?:\*[\w.*-]*|[\w-]+\.\w+)$");
pattern!(MASK, r"§(\d+)§");
pattern!(HEDGE, r"\([^()]*\b(?:if|where|when|unless|optional(?:ly)?|skip(?:ped)?)\b[^()]*\)");

/// More words than this are a sentence, not a label.
const LONGEST_LABEL_WORDS: usize = 6;

/// A command without the comment behind it.
fn without_comment(text: &str) -> &str {
    let comment =
        text.match_indices(" #").map(|(at, _)| at).find(|at| text[at + " #".len()..].starts_with(' '));
    comment.map_or(text, |at| text[..at].trim_end())
}

impl Sentences {
    /// Takes a rule apart. `context` are its headings and parents, outermost first.
    pub(crate) fn of(text: &str, context: &[String], project: &Project) -> Self {
        let mut found = Self::default();
        let text = text.get(CHECKBOX.find(text).map_or(0, |found| found.end())..).unwrap_or(text);
        let crossed = CROSS.is_match(text).then_some(true);
        let text = text.get(MARKS.find(text).map_or(0, |marks| marks.end())..).unwrap_or(text);
        let marked = with_marked_any(text, context);
        let told = WHERE_TOLD.replace_all(&unlinked(&marked), "");
        let masked = found.mask(&told).replace("**", "").replace("__", "").replace("’", "'");
        found.hedged = HEDGE.is_match(&masked.to_lowercase());
        found.masked = masked.to_lowercase();
        // Terms are terms in every language; what is said of them is read in English only.
        if !is_english(text) {
            return found;
        }
        let plain = found.without_asides(&masked.to_lowercase());
        let from_heading = crossed.or_else(|| context.iter().rev().find_map(|heading| side_of(heading)));
        let pieces = split(&plain, from_heading == Some(true));
        let forbids_itself = pieces.first().is_some_and(|piece| NEGATED.is_match(piece));
        let asks_first = context.last().is_some_and(|heading| is_ask_first(heading));
        for (at, piece) in pieces.iter().enumerate() {
            // "Ask first" as the heading of "Adding dependencies".
            if asks_first && at == 0 && !NEGATED.is_match(piece) && !piece.starts_with("ask") {
                found.add(&format!("ask before {piece}"), None);
                continue;
            }
            // "Do not edit `a`. Run `b`." below "Never": the heading repeats the first half, and the second is what to do instead.
            let is_remedy =
                at > 0 && from_heading == Some(true) && (forbids_itself || REMEDY.is_match(piece));
            found.add(piece, if is_remedy { None } else { from_heading });
        }
        for term in &mut found.terms {
            if project.names_command(&term.text) {
                term.kind = TermKind::Command;
            }
        }
        found
    }

    fn mask(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut depth = 0_i32;
        let mut rest = text;
        while let Some(start) = rest.find('`') {
            let (head, tail) = (rest.get(..start).unwrap_or(""), rest.get(start + 1..).unwrap_or(""));
            self.mask_quoted(head, &mut out, &mut depth);
            let Some(end) = tail.find('`') else {
                rest = tail;
                continue;
            };
            self.push(tail.get(..end).unwrap_or(""), Marked::Backticks, depth > 0, &mut out);
            rest = tail.get(end + 1..).unwrap_or("");
        }
        self.mask_quoted(rest, &mut out, &mut depth);
        out
    }

    fn mask_quoted(&mut self, text: &str, out: &mut String, depth: &mut i32) {
        let mut rest = text;
        while let Some(found) = QUOTED.captures(rest) {
            let Some(inner) = found.get(1).or_else(|| found.get(2)) else { break };
            let before = rest.get(..inner.start()).unwrap_or("");
            self.mask_bare(before.strip_suffix(['"', '“', '\'']).unwrap_or(before), out, depth);
            self.push(inner.as_str(), Marked::Quotes, *depth > 0, out);
            let after = rest.get(inner.end()..).unwrap_or("");
            rest = after.trim_start_matches(['"', '”', '\'']);
        }
        self.mask_bare(rest, out, depth);
    }

    fn mask_bare(&mut self, text: &str, out: &mut String, depth: &mut i32) {
        let mut rest = text;
        while let Some((start, end)) = bare_command(rest) {
            self.mask_words(rest.get(..start).unwrap_or(""), out, depth);
            self.push(rest.get(start..end).unwrap_or(""), Marked::Bare, *depth > 0, out);
            rest = rest.get(end..).unwrap_or("");
        }
        self.mask_words(rest, out, depth);
    }

    fn mask_words(&mut self, text: &str, out: &mut String, depth: &mut i32) {
        for piece in text.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            let bare = word.trim_start_matches(['(', '"', '\'', '“']);
            let bare = if bare.starts_with("*.") { bare } else { bare.trim_start_matches('*') };
            let core = bare.trim_end_matches(['.', ',', ';', ':', '"', '\'', '”', '?', '!', '*']);
            let core = if core.ends_with("()") { core } else { core.trim_end_matches(')') };
            let opened = i32::try_from(word.matches('(').count()).unwrap_or(0);
            let closed = i32::try_from(word.matches(')').count()).unwrap_or(0);
            // `format!` does not end a sentence.
            let core = MACRO.find(bare).map_or(core, |found| found.as_str());
            let is_call = MACRO.is_match(bare) || core.len() > "()".len() && core.ends_with("()");
            if is_call || is_bare_code(core) {
                out.push_str(word.get(..word.len() - bare.len()).unwrap_or(""));
                self.push(core, Marked::Bare, *depth > 0 || (opened > 0 && !core.ends_with("()")), out);
                out.push_str(bare.get(core.len()..).unwrap_or(""));
                out.push_str(piece.get(word.len()..).unwrap_or(""));
            } else {
                out.push_str(piece);
            }
            *depth += opened - closed;
        }
    }

    fn push(&mut self, text: &str, marked: Marked, aside: bool, out: &mut String) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        out.push_str(&format!("§{}§", self.terms.len()));
        // Whoever writes paths in the way of Windows means the same files.
        let slashed = BACKSLASHED.is_match(text).then(|| text.replace('\\', "/"));
        let text = slashed.as_deref().unwrap_or(text);
        // `make lint   # from the root`: what stands behind a command is said to people.
        let text = without_comment(text);
        // `.proto` stands for all files with this ending.
        let text = if is_ending(text) { format!("*{text}") } else { text.to_owned() };
        self.terms.push(Term { kind: kind_of(&text), text, marked, aside });
    }

    /// The text without what stands in brackets; an aside that rules something out is part of the rule.
    fn without_asides(&mut self, text: &str) -> String {
        let out = without_asides(text, &mut |aside| {
            let is_kept = [&NEGATED_ASIDE, &EXCEPT_ASIDE, &ORDER_ASIDE, &AMOUNT_ASIDE]
                .iter()
                .any(|kept| kept.is_match(aside));
            for number in numbers(aside).into_iter().filter(|_| is_kept) {
                if let Some(term) = self.terms.get_mut(number) {
                    term.aside = false;
                }
            }
            is_kept
        });
        out.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ,", ",").replace(" .", ".")
    }

    fn add(&mut self, piece: &str, from_heading: Option<bool>) {
        let (mut forbids, mut labels, mut rest) = (from_heading, Vec::new(), piece.trim());
        while let Some((label, after)) = label_of(rest) {
            forbids = side_of(&label).or(forbids);
            labels.push(label);
            rest = after;
        }
        // "Always use `a`, never `b`: import `a` from `c`": two orders.
        if let Some((order, next)) = rest.split_once(": ").filter(|(order, next)| are_orders(order, next)) {
            self.add(order, from_heading);
            self.add(next, from_heading);
            return;
        }
        let mut text = rest.trim_matches([',', ' ', ':', '.']).to_owned();
        if labels.last().is_some_and(|label| is_ask_first(label)) && !text.is_empty() {
            // "Ask first: adding dependencies, changing public APIs": each of them.
            let items: Vec<&str> = text.split(", ").collect();
            if items.len() > 1 && items.iter().filter(|item| DOING.is_match(item)).count() > 1 {
                for item in items {
                    let text =
                        format!("ask before {}", item.trim_start_matches("and ").trim_start_matches("or "));
                    self.clauses.push(Clause { text, forbids, labels: labels.clone() });
                }
                return;
            }
            text = format!("ask before {text}");
        }
        if let Some(found) = ONLY_WITH_LEAVE.captures(&text) {
            let part = |name: &str| found.name(name).map_or("", |part| part.as_str());
            text = format!("never {}{} without {}", part("first"), part("deed"), part("leave"));
        }
        if !text.is_empty() {
            self.clauses.push(Clause { text, forbids, labels });
        }
    }

    /// A masked piece with its code terms as the line writes them.
    pub(crate) fn written(&self, masked: &str) -> String {
        let mut text = masked.trim().to_owned();
        for number in numbers(masked) {
            let term = self.terms.get(number).map_or("", |term| term.text.as_str());
            text = text.replace(&format!("§{number}§"), &format!("`{term}`"));
        }
        text
    }

    /// Whether a clause is nothing but a piece of code, and no command.
    pub(crate) fn is_sample(&self, clause: &Clause) -> bool {
        let is_code = |number: &usize| {
            let spaced = |term: &Term| term.text.contains(' ') && term.kind != TermKind::Command;
            self.terms.get(*number).is_some_and(spaced)
        };
        only_terms(&clause.text) && numbers(&clause.text).iter().all(is_code)
    }

    /// Whether nothing but names of code stand behind a label: "PascalCase for classes: `Cart`".
    pub(crate) fn shows_label(&self, clause: &Clause) -> bool {
        let is_name = |number: &usize| {
            self.terms
                .get(*number)
                .is_some_and(|term| matches!(term.kind, TermKind::Identifier | TermKind::Template))
        };
        only_terms(&clause.text) && numbers(&clause.text).iter().all(is_name)
    }

    /// Whether it is a note on a name: "`test/`: Vitest tests". Nothing is asked for; of a command it says what to run.
    pub(crate) fn is_note(&self) -> bool {
        let [name, note] = self.clauses.as_slice() else { return false };
        let is_name = name.labels.is_empty()
            && name.text.starts_with('§')
            && MASK.replace_all(&name.text, "").trim_matches([' ', ',', '/']).is_empty();
        let runs = numbers(&name.text)
            .iter()
            .all(|number| self.terms.get(*number).is_some_and(|term| term.kind == TermKind::Command));
        is_name && !runs && name.forbids.is_none() && !super::grammar::orders(&note.text)
    }
}

pattern!(
    ANY,
    r"(?i)\b(?:don't|do not|never|avoid|no|not)\b[^.;]{0,20}?\b(any)(?:[.,;:!]|$| (?:types?|anywhere|in (?:typescript|ts|types?|the types?))\b)"
);
pattern!(OF_TYPES, r"(?i)\b(?:typescript|tsx?|typing|types?)\b");

/// "Don't use any" is about the type of that name, where the line or its heading speaks of types.
fn with_marked_any(text: &str, context: &[String]) -> String {
    let of_types = OF_TYPES.is_match(text) || context.iter().any(|heading| OF_TYPES.is_match(heading));
    match ANY.captures(text).and_then(|found| found.get(1)).filter(|_| of_types && !text.contains('`')) {
        Some(any) => {
            format!("{}`any`{}", text.get(..any.start()).unwrap_or(""), text.get(any.end()..).unwrap_or(""))
        }
        None => text.to_owned(),
    }
}

/// Whether a text can be English: most of its letters are.
fn is_english(text: &str) -> bool {
    const MOST_FOREIGN_PERCENT: usize = 20;
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let foreign = text.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count();
    foreign * 100 <= letters * MOST_FOREIGN_PERCENT
}

/// `[text](address)` is its text.
fn unlinked(text: &str) -> String {
    let mut out = text.to_owned();
    // In backticks it is code.
    let quoted = |at: usize| text.get(..at).unwrap_or("").matches('`').count() % 2 == 1;
    for found in LINK.find_all(text).into_iter().filter(|found| !quoted(found.start())) {
        let shown = found.as_str().split("](").next().unwrap_or("").trim_start_matches('[');
        out = out.replace(found.as_str(), shown);
    }
    out
}

/// The text without what stands in round brackets, but for what is `kept`, which stands behind a comma then.
fn without_asides(text: &str, kept: &mut dyn FnMut(&str) -> bool) -> String {
    let mut out = String::new();
    let mut aside = String::new();
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '(' => {
                depth += 1;
                if depth == 1 {
                    aside.clear();
                }
            }
            ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 && kept(&aside) {
                    out = format!("{}, {}", out.trim_end(), aside.trim());
                }
            }
            _ if depth == 0 => out.push(c),
            _ => aside.push(c),
        }
    }
    out
}

/// The numbers of the terms in a masked piece.
pub(crate) fn numbers(masked: &str) -> Vec<usize> {
    MASK.find_all(masked).iter().filter_map(|found| found.as_str().trim_matches('§').parse().ok()).collect()
}

/// The sentences of a text. Below a heading that forbids, "a → b" is what not to do and what to do.
fn split(text: &str, at_arrows: bool) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut ends = END.find_all(text);
    if at_arrows {
        ends.extend(ARROW.find_all(text));
        ends.sort_by_key(|end| end.start());
    }
    for found in ends {
        if found.start() < start {
            continue;
        }
        let before = text.get(start..found.start()).unwrap_or("");
        if ["e.g", "i.e", "etc", "vs", "cf"].iter().any(|short| before.ends_with(short)) {
            continue;
        }
        pieces.push(before.to_owned());
        start = found.end();
    }
    pieces.push(text.get(start..).unwrap_or("").to_owned());
    pieces
}

/// Whether an order stands on both sides of a colon.
fn are_orders(order: &str, next: &str) -> bool {
    let verb = next.split_whitespace().next().unwrap_or("");
    let forbids = FORBIDS.is_match(order) && order.contains(' ') && !next.contains('§');
    let is_urged = ORDER.is_match(order) && order.contains('§') || forbids;
    is_urged && !verb.starts_with('§') && !words().acts(verb).is_empty()
}

pattern!(DOING, r"^(?:and |or )?[a-z]+ing ");
pattern!(FORBIDS, r"^(?:no|never|do not|don't|avoid)\b");
pattern!(ORDER, r"^(?:always|never|do not|don't|must)\b");

/// `label: rest`, where the label is short and no condition.
fn label_of(text: &str) -> Option<(String, &str)> {
    let (label, rest) = text.split_once(": ")?;
    let label = label.trim();
    let grammar = &words().grammar;
    let opens =
        |list: &[String]| list.iter().any(|word| label == word || label.starts_with(&format!("{word} ")));
    let is_condition = opens(&grammar.conditions.before)
        || opens(&grammar.conditions.after)
        || opens(&grammar.conditions.when)
        || opens(&grammar.conditions.unless);
    // "Lint before you commit: `x`": what is left without its occasion would hold at any time.
    let names_occasion = |list: &[String]| list.iter().any(|word| label.contains(&format!(" {word} ")));
    let is_condition = is_condition
        || names_occasion(&grammar.conditions.before)
        || names_occasion(&grammar.conditions.after);
    let is_order = label.split_whitespace().next().is_some_and(|word| {
        let orders = |kinds: &[&str]| kinds.iter().any(|kind| words().is_act(word, kind));
        (orders(&["run", "edit", "delete", "ask"]) && label.contains(' '))
            || (orders(&["use", "read"]) && label.contains('§'))
    });
    // "Commit messages use conventional commits: `type: text`" is a sentence with an example.
    let is_sentence = rest.starts_with('§')
        && label.split_whitespace().count() > 2
        && label.split_whitespace().skip(1).any(|word| {
            words().is_act(word, "use") || word == "follow" || word == "must" || word == "should"
        });
    // "Use early returns: `if (!a) return`" is one, too, when nothing but code stands behind it.
    let is_sentence = is_sentence
        || (only_terms(rest)
            && label.split_whitespace().next().is_some_and(|word| words().is_act(word, "use")));
    let is_negated = label.contains(' ') && opens(&grammar.forbids);
    let short = label.split_whitespace().count() <= LONGEST_LABEL_WORDS;
    (short
        && !is_condition
        && (!is_order || is_ask_first(label))
        && !is_sentence
        && !is_negated
        && !label.contains(','))
    .then(|| (label.to_owned(), rest.trim()))
}

/// Whether a piece is nothing but code terms.
fn only_terms(piece: &str) -> bool {
    let words = MASK.replace_all(piece, " ");
    let mut words = words.split([' ', ',', '/', '.']).filter(|word| !word.is_empty());
    piece.starts_with('§') && words.all(|word| matches!(word, "or" | "and" | "etc"))
}

/// A label without its marks, and without what stands in brackets behind it.
fn bare_label(label: &str) -> String {
    let trim = |text: &str| {
        let is_mark = |c: char| c.is_whitespace() || matches!(c, ':' | '!' | '*' | '#');
        text.trim_matches(is_mark).to_owned()
    };
    let label = trim(label).to_lowercase().replace('’', "'");
    if label == "✅" || label == "❌" {
        return label;
    }
    let label = label.get(MARKS.find(&label).map_or(0, |marks| marks.end())..).unwrap_or("").to_owned();
    let label = label
        .split_once(" (")
        .filter(|(_, aside)| aside.ends_with(')'))
        .map_or(label.as_str(), |(own, _)| own);
    trim(label)
}

impl Clause {
    /// Whether it says when the rest of the rule does not hold: "Exceptions: …", "the only exception is …".
    pub(crate) fn is_exception(&self) -> bool {
        let labels = &words().grammar.labels_that_except;
        EXCEPTION.is_match(&self.text)
            || self.labels.last().is_some_and(|label| labels.contains(&bare_label(label)))
    }
}

/// Whether what stands behind a label or below a heading is asked about before it is done.
fn is_ask_first(label: &str) -> bool {
    words().grammar.labels_that_ask_first.contains(&bare_label(label))
}

/// Whether a label or heading forbids or asks.
fn side_of(label: &str) -> Option<bool> {
    let grammar = &words().grammar;
    let is_crossed = CROSS.is_match(label.trim_start_matches([' ', '*', '#']));
    let label = bare_label(label);
    let is = |list: &[String]| list.contains(&label);
    if is_crossed || is(&grammar.labels_that_forbid) {
        Some(true)
    } else if is(&grammar.labels_that_ask) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_a_quotation_mark_is_read_whatever_the_mark() {
        for line in
            ["Never add “magic” numbers.", "Never add \"magic\" numbers.", "Never add 'magic' numbers."]
        {
            let sentences = Sentences::of(line, &[], &Project::default());
            assert_eq!(sentences.clauses[0].text, "never add §0§ numbers", "{line}");
        }
    }
}
