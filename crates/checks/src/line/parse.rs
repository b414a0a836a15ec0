//! The grammar of a line: `[condition,] directive [condition] [exception]`, several times, with code terms masked out.

use crate::text::{self, pattern};

use super::code::{self, Code, CodeKind};
use super::verbs;

/// How a condition relates to the directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// "before …"
    Before,
    /// "after …", "once …", "at the end of …"
    After,
    /// "when …", "if …", "whenever …", "while …"
    When,
    /// "for …", "in …", "on …": where the directive holds.
    Within,
    /// "unless …", "except …", "only when …"
    Unless,
}

/// A condition of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// How it relates to the directive.
    pub relation: Relation,
    /// Its words; code terms stand as `§n§`.
    pub text: String,
}

/// One thing that a line says to do or not to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Whether it is forbidden.
    pub negative: bool,
    /// The verb in its base form; empty for a statement of fact.
    pub verb: String,
    /// The rest; code terms stand as `§n§`.
    pub object: String,
    /// What is to be avoided for it ("instead of …", "over …", "not …").
    pub instead_of: Option<String>,
    /// What the statement was about, when the line states rather than orders.
    pub subject: Option<String>,
}

/// A line, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The line without list marks, with its code in backticks as written.
    pub text: String,
    /// The line in lower case with code terms masked as `§n§`.
    pub masked: String,
    /// The code terms, by number.
    pub codes: Vec<Code>,
    /// Its conditions.
    pub conditions: Vec<When>,
    /// Its directives.
    pub directives: Vec<Directive>,
    /// The headings that it stands under, outermost first.
    pub headings: Vec<String>,
}

pattern!(LIST_MARK, r"^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|>\s+)+");
pattern!(CLAUSE_END, r"(?:;\s+|[.!]\s+|\s+[—–]\s+|\s+--?\s+)");
pattern!(
    LEAD,
    r"^(?:and |but |so |then )*(before|prior to|after|once|when(?:ever)?|while|if|at the end of|upon|for|in|inside|within|under|on|during|as soon as|every time|each time|unless|until)\b\s*(.+)$"
);
pattern!(
    TRAIL,
    r"(?:^|,?\s+)(before|prior to|after|once|when(?:ever)?|every time|each time|while|if|unless|except(?: when| for| in)?|until|only (?:when|if|for|in)|at the end of|other than)\s+(.+)$"
);
pattern!(
    SWAP,
    r"^(.*?)(?:,?\s+(?:instead of|rather than|in place of|in favou?r of|as opposed to)\s+|,\s*(?:and |but )?not\s+(?:with\s+|via\s+|by\s+|in\s+)?|\s+not\s+|\s+over\s+)(.+)$"
);
pattern!(
    NEGATION,
    r"^(?:please |you |we |also |and |but |so |then |must |should |can |it |strictly |absolutely )*(?:never(?: ever)?|do not|don't|dont|must not|mustn't|should not|shouldn't|cannot|can't|may not|avoid|no|not|refrain from|stop|forbidden to|prohibited to)\b\s*"
);
pattern!(
    SOFT_START,
    r"^(?:please |you |we |also |and |but |so |then |must |should |always |only |first |it |to |be sure to |make sure to |make sure (?:that )?|ensure (?:that )?|remember to |try to |strictly |have to |need to |needs to |all agents |agents |claude )+"
);
pattern!(
    SPLIT_NEGATED,
    r"(?:,\s*(?:and |but )?|\s+and\s+|\s+but\s+)(?:never|do not|don't|dont|must not|avoid|no)\b"
);
pattern!(MASK, r"§(\d+)§");
pattern!(
    NEXT_WHEN,
    r"(?:,? or (?:after|when|whenever|before|if)|, (?:and )?(?:after|when|whenever|before|if|once)) "
);
pattern!(LABEL, r"^(?:\*\*|__)([^*_]+?)(?:\*\*|__)\s*[:.—–-]?\s*");

impl Line {
    /// Takes a line apart.
    pub fn parse(text: &str, headings: &[String]) -> Self {
        let mark = LIST_MARK.find(text).map_or(0, |found| found.end());
        let text = text.get(mark..).unwrap_or(text).trim().trim_end_matches(['\r', '\n']);
        let mut line = Self { text: text.to_owned(), headings: headings.to_vec(), ..Self::default() };
        let masked = line.mask(text);
        let unlabelled = match LABEL.captures(&masked) {
            Some(label) => {
                let (whole, name) =
                    (label.get(0).map_or(0, |m| m.end()), label.get(1).map_or("", |m| m.as_str()));
                let rest = masked.get(whole..).unwrap_or("");
                if rest.trim().is_empty() { name.to_owned() } else { format!("{name}: {rest}") }
            }
            None => masked,
        };
        line.masked = unlabelled.replace("**", "").replace("__", "").to_lowercase();
        let without_asides = if line.masked.contains(")?") || line.masked.contains(") →") {
            line.masked.replace(['(', ')'], " ")
        } else {
            strip_asides(&line.masked)
        };
        for clause in split_clauses(&without_asides) {
            line.add_clause(&clause);
        }
        line
    }

    /// The code terms that a masked piece mentions.
    pub fn codes_in(&self, masked: &str) -> Vec<&Code> {
        MASK.find_all(masked)
            .iter()
            .filter_map(|found| found.as_str().trim_matches('§').parse::<usize>().ok())
            .filter_map(|number| self.codes.get(number))
            .collect()
    }

    /// A masked piece with its code written out again.
    pub fn unmask(&self, masked: &str) -> String {
        let mut text = masked.to_owned();
        for (number, code) in self.codes.iter().enumerate() {
            text = text.replace(&format!("§{number}§"), &code.text);
        }
        text
    }

    /// The words of a masked piece without its code.
    pub fn plain(masked: &str) -> String {
        let mut text = masked.to_owned();
        for found in MASK.find_all(masked) {
            text = text.replace(found.as_str(), " ");
        }
        text
    }

    /// Whether the masked line holds this word or phrase.
    pub fn says(&self, phrase: &str) -> bool {
        contains_phrase(&self.masked, phrase)
    }

    /// Whether the line holds any of these.
    pub fn says_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.says(phrase))
    }

    fn mask(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut depth = 0_i32;
        let mut rest = text;
        while let Some(start) = rest.find('`') {
            let (head, tail) = (rest.get(..start).unwrap_or(""), rest.get(start + 1..).unwrap_or(""));
            self.mask_bare(head, &mut out, &mut depth);
            let Some(end) = tail.find('`') else {
                rest = tail;
                continue;
            };
            self.push_code(tail.get(..end).unwrap_or(""), depth > 0, &mut out);
            rest = tail.get(end + 1..).unwrap_or("");
        }
        self.mask_bare(rest, &mut out, &mut depth);
        out
    }

    fn push_code(&mut self, code: &str, aside: bool, out: &mut String) {
        let code = code.trim();
        if code.is_empty() {
            return;
        }
        out.push_str(&format!("§{}§", self.codes.len()));
        let text = if code::is_ending(code) { format!("*{code}") } else { code.to_owned() };
        self.codes.push(Code { kind: code::kind_of(&text), text, aside });
    }

    fn mask_bare(&mut self, text: &str, out: &mut String, depth: &mut i32) {
        for piece in text.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            let opened = word.matches('(').count();
            let bare = word.trim_start_matches(['(', '"', '\'', '“']);
            let bare = if bare.starts_with("*.") { bare } else { bare.trim_start_matches('*') };
            let core = bare.trim_end_matches(['.', ',', ';', ':', ')', '"', '\'', '”', '?', '!']);
            let keeps_call = bare.starts_with(core)
                && core.len() < bare.len()
                && bare.get(core.len()..).is_some_and(|rest| rest.starts_with(')'))
                && core.ends_with('(');
            if !keeps_call && code::is_bare_code(core) {
                let lead = word.len() - bare.len();
                out.push_str(word.get(..lead).unwrap_or(""));
                self.push_code(core, *depth > 0 || opened > 0, out);
                out.push_str(bare.get(core.len()..).unwrap_or(""));
                out.push_str(piece.get(word.len()..).unwrap_or(""));
            } else {
                out.push_str(piece);
            }
            *depth +=
                i32::try_from(opened).unwrap_or(0) - i32::try_from(word.matches(')').count()).unwrap_or(0);
        }
    }

    fn add_clause(&mut self, clause: &str) {
        let mut rest = clause.trim().trim_end_matches(['.', ',', ';', ':', '!']).to_owned();
        while let Some((condition, after)) = self.leading_condition(&rest) {
            self.conditions.extend(split_condition(condition));
            rest = after;
        }
        for piece in split_directives(&rest) {
            self.add_directive(&piece);
        }
    }

    fn leading_condition(&self, clause: &str) -> Option<(When, String)> {
        let found = LEAD.captures(clause)?;
        let (word, rest) = (found.get(1)?.as_str(), found.get(2)?.as_str());
        let end = end_of_condition(rest)?;
        let text = rest.get(..end)?.trim().to_owned();
        let after =
            rest.get(end..)?.trim_start_matches([',', ':', ' ']).trim_start_matches("then ").to_owned();
        Some((When { relation: relation_of(word), text }, after))
    }

    fn add_directive(&mut self, piece: &str) {
        let mut rest = reworded(piece.trim().trim_matches([',', '.', ';', '?']).trim());
        if rest.is_empty() {
            return;
        }
        let mut only = false;
        while let Some(found) = TRAIL.captures(&rest) {
            let (Some(whole), Some(word), Some(text)) = (found.get(0), found.get(1), found.get(2)) else {
                break;
            };
            if whole.start() == 0 {
                break;
            }
            let condition = When { relation: relation_of(word.as_str()), text: text.as_str().to_owned() };
            let head = rest.get(..whole.start()).unwrap_or("").to_owned();
            only |= word.as_str().starts_with("only");
            self.conditions.extend(split_condition(condition));
            rest = head;
        }
        let opens_with_order =
            text::words(&rest).first().is_some_and(|word| verbs::is_imperative(&base_form(word)))
                && !rest.starts_with('§');
        let restated = if opens_with_order {
            super::restate::restate_ban(&rest)
        } else {
            super::restate::restate(&rest, only)
        };
        if NEGATION.find(&rest).is_none()
            && let Some(restated) = restated
        {
            let (object, instead_of) = self.split_swap(&restated.object);
            self.directives.push(Directive {
                negative: restated.negative || (only && verbs::is_edit_verb(&restated.verb)),
                verb: restated.verb,
                object,
                instead_of,
                subject: Some(restated.subject),
            });
            return;
        }
        if let Some((never, rather)) =
            rest.clone().split_once(", but ").filter(|(never, _)| NEGATION.find(never).is_some())
        {
            // "Do not use a, but b".
            self.add_directive(&format!("use {}", rather.trim_start_matches("use ")));
            rest = never.to_owned();
        }
        let negation = NEGATION.find(&rest).map(|found| found.end());
        let negative = negation.is_some_and(|end| end > 0);
        let body = rest.get(negation.unwrap_or(0)..).unwrap_or("");
        let body = if negative {
            body
        } else {
            body.get(SOFT_START.find(body).map_or(0, |found| found.end())..).unwrap_or(body)
        };
        let (body, instead_of) = self.split_swap(body);
        let first = text::words(&body).first().cloned().unwrap_or_default();
        let base = base_form(&first);
        let is_verb = verbs::is_imperative(&base) && !body.starts_with('§');
        let object = if is_verb {
            body.trim_start().get(first.len()..).unwrap_or("").trim().to_owned()
        } else {
            body.trim().to_owned()
        };
        let verb = if is_verb { base } else { String::new() };
        let negative = negative || (only && matches!(verb.as_str(), "edit" | "modify" | "change" | "touch"));
        self.directives.push(Directive { negative, verb, object, instead_of, subject: None });
    }

    fn split_swap(&self, body: &str) -> (String, Option<String>) {
        let Some(found) = SWAP.captures(body) else { return (body.to_owned(), None) };
        let (Some(head), Some(tail), Some(whole)) = (found.get(1), found.get(2), found.get(0)) else {
            return (body.to_owned(), None);
        };
        let joint = whole.as_str().get(head.len()..whole.len() - tail.len()).unwrap_or("");
        let over = joint.trim() == "over";
        let bare_not = joint.trim() == "not";
        let auxiliary = head.as_str().split_whitespace().next_back().is_some_and(|word| {
            matches!(
                word,
                "do" | "does"
                    | "did"
                    | "is"
                    | "are"
                    | "was"
                    | "were"
                    | "can"
                    | "could"
                    | "should"
                    | "must"
                    | "will"
                    | "would"
                    | "may"
                    | "might"
                    | "has"
                    | "have"
                    | "if"
                    | "or"
                    | "but"
                    | "it"
                    | "whether"
            )
        });
        if bare_not && auxiliary {
            return (body.to_owned(), None);
        }
        if over
            && !(body.starts_with("prefer")
                || self.masked.contains("prefer")
                || self.masked.contains("favor"))
            || head.as_str().trim().is_empty()
        {
            return (body.to_owned(), None);
        }
        (head.as_str().to_owned(), Some(tail.as_str().to_owned()))
    }
}

/// "after editing a, or after adding b", "after each change, before you report": two conditions.
fn split_condition(condition: When) -> Vec<When> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut relation = condition.relation;
    for joint in NEXT_WHEN.find_all(&condition.text) {
        found
            .push(When { relation, text: condition.text.get(start..joint.start()).unwrap_or("").to_owned() });
        let word = joint.as_str().split_whitespace().next_back().unwrap_or("");
        relation = if joint.as_str().contains(" or ") { condition.relation } else { relation_of(word) };
        start = joint.end();
    }
    found.push(When { relation, text: condition.text.get(start..).unwrap_or("").to_owned() });
    found.retain(|when| !when.text.trim().is_empty());
    found
}

pattern!(
    NOTHING_IN,
    r"^nothing (?:in|under|below|inside|within|of) (§\d+§) (?:may|must|should|can|is to) be (?:changed|edited|modified|touched)"
);
pattern!(LEAVE_ALONE, r"^(?:leave|keep) (.+?) (?:alone|untouched|as (?:it )?is|unchanged)\b(.*)$");
pattern!(
    READ_ONLY,
    r"^(.+?) (?:is|are) (?:read-?only|final|frozen|immutable|off[- ]limits|untouchable)\b(.*)$"
);
pattern!(
    AT_END,
    r",? (?:at the end|when done|once done|when finished|afterwards|when you are done|when you're done|before you are done|before you're done)$"
);

/// Sayings with a plain meaning: "hands off X", "leave X alone", "X is read-only" are "do not edit X".
fn reworded(piece: &str) -> String {
    let piece = AT_END.find(piece).map_or_else(
        || piece.to_owned(),
        |found| format!("{} after finishing the task", piece.get(..found.start()).unwrap_or("")),
    );
    if let Some(found) = NOTHING_IN.captures(&piece).and_then(|found| found.get(1)) {
        return format!("do not edit {}", found.as_str());
    }
    if let Some(rest) = piece.strip_prefix("hands off ") {
        return format!("do not edit {rest}");
    }
    for saying in [&*LEAVE_ALONE, &*READ_ONLY] {
        if let Some(found) = saying.captures(&piece)
            && let (Some(what), Some(rest)) = (found.get(1), found.get(2))
            && what.as_str().contains('§')
        {
            return format!("do not edit {}{}", what.as_str(), rest.as_str());
        }
    }
    piece
}

fn base_form(word: &str) -> String {
    if verbs::is_imperative(word) {
        return word.to_owned();
    }
    let Some(stem) = word.strip_suffix("ing") else { return word.to_owned() };
    for candidate in [
        stem.to_owned(),
        format!("{stem}e"),
        stem.get(..stem.len().saturating_sub(1)).unwrap_or("").to_owned(),
    ] {
        if word != candidate && verbs::is_imperative(&candidate) {
            return candidate;
        }
    }
    word.to_owned()
}

/// `adding` → `add`; nothing for a word that is no such form of a verb of rules.
pub(crate) fn base_of_gerund(word: &str) -> Option<String> {
    Some(base_form(word)).filter(|base| base != word)
}

fn relation_of(word: &str) -> Relation {
    match word {
        "before" | "prior to" | "until" => Relation::Before,
        "after" | "once" | "at the end of" | "upon" | "as soon as" => Relation::After,
        "for" | "in" | "inside" | "within" | "under" | "on" | "during" => Relation::Within,
        word if word.starts_with("unless")
            || word.starts_with("except")
            || word.starts_with("only")
            || word.starts_with("other") =>
        {
            Relation::Unless
        }
        _ => Relation::When,
    }
}

/// Where a leading condition ends: at the comma that an instruction follows.
fn end_of_condition(rest: &str) -> Option<usize> {
    let mut last = None;
    for (at, c) in rest.char_indices() {
        if c != ',' && c != ':' {
            continue;
        }
        let after = rest.get(at + 1..).unwrap_or("");
        if !after.starts_with(' ') {
            continue;
        }
        let next = text::words(after).first().cloned().unwrap_or_default();
        if verbs::is_imperative(&next)
            || matches!(
                next.as_str(),
                "you" | "we" | "it" | "there" | "this" | "make" | "every" | "all" | "then"
            )
        {
            return Some(at);
        }
        last.get_or_insert(at);
    }
    match start_of_instruction(rest) {
        Some(verb) if last.is_none_or(|comma| verb < comma) => Some(verb),
        _ => last,
    }
}

/// Where the instruction begins in "editing go files run `gofmt`": no comma, but a verb that nothing before it asks for.
fn start_of_instruction(rest: &str) -> Option<usize> {
    let words: Vec<&str> = rest.split_inclusive(' ').collect();
    let mut offset = words.first()?.len();
    for (seen, word) in words.iter().enumerate().skip(1) {
        let before = words.get(seen - 1).map_or("", |word| word.trim());
        let after = words.get(seen + 1).map_or("", |word| word.trim());
        if is_instruction(before, word.trim(), after, seen) {
            return Some(offset);
        }
        offset += word.len();
    }
    None
}

/// Words that are as often things as they are instructions: only a code term behind them tells.
const THINGS_TOO: [&str; 14] = [
    "test", "build", "release", "deploy", "format", "type", "merge", "check", "commit", "change", "push",
    "review", "update", "document",
];

fn is_instruction(before: &str, word: &str, after: &str, seen: usize) -> bool {
    let goes_on = matches!(
        before,
        "to" | "you"
            | "we"
            | "i"
            | "they"
            | "and"
            | "or"
            | "not"
            | "the"
            | "a"
            | "an"
            | "any"
            | "each"
            | "every"
            | "your"
            | "that"
    );
    if goes_on || !verbs::is_imperative(word) {
        return false;
    }
    if after.starts_with('§') {
        return true;
    }
    let has_object = matches!(after, "the" | "a" | "an" | "all" | "at");
    !THINGS_TOO.contains(&word) && (has_object || (seen >= 2 && verbs::is_run_verb(word)))
}

pattern!(ARROW, r"\s*\??\s+(?:→|->|=>)\s+");
pattern!(LEAD_WORD, r"^(?:on|when|after|if|before) ");

/// "New table → also edit §0§", "API changed? → §0§": what stands before the arrow is the occasion; between two paths it is a move.
fn spell_out_arrows(text: &str) -> String {
    let Some(found) = ARROW.find(text) else { return text.to_owned() };
    let (before, after) = (text.get(..found.start()).unwrap_or(""), text.get(found.end()..).unwrap_or(""));
    if before.ends_with('§') && after.starts_with('§') {
        let (lead, from) = before.rsplit_once(": ").unwrap_or(("", before));
        let lead = if lead.is_empty() { String::new() } else { format!("{lead}, ") };
        return format!("{lead}move {from} to {after}");
    }
    if LEAD_WORD.is_match(before) { format!("{before}, {after}") } else { format!("when {before}, {after}") }
}

fn split_clauses(text: &str) -> Vec<String> {
    let text = &spell_out_arrows(text);
    let mut pieces = Vec::new();
    let mut start = 0;
    for found in CLAUSE_END.find_all(text) {
        if ends_with_abbreviation(text.get(..found.start()).unwrap_or("")) {
            continue;
        }
        pieces.push(text.get(start..found.start()).unwrap_or("").to_owned());
        start = found.end();
    }
    pieces.push(text.get(start..).unwrap_or("").to_owned());
    let label_split: Vec<String> = pieces.into_iter().flat_map(|piece| split_label(&piece)).collect();
    label_split.into_iter().filter(|piece| !piece.trim().is_empty()).collect()
}

fn ends_with_abbreviation(text: &str) -> bool {
    ["e.g", "i.e", "etc", "vs", "cf"].iter().any(|short| text.ends_with(short))
}

/// `Commit messages: use …` is a label and a clause; the label stays with the clause as its condition.
fn split_label(piece: &str) -> Vec<String> {
    if let Some((label, rest)) = piece.split_once(": ")
        && label.split_whitespace().count() <= 5
        && !LEAD.is_match(label)
        && text::words(rest).first().is_some_and(|word| verbs::is_imperative(word))
        && !NEGATION.is_match(label)
    {
        return vec![format!("for {label}, {rest}")];
    }
    if let Some((before, after)) = piece.split_once(": ")
        && before.split_whitespace().count() >= 4
        && after.split_whitespace().count() >= 3
        && !LEAD.is_match(before)
    {
        return vec![before.to_owned(), after.to_owned()];
    }
    vec![piece.to_owned()]
}

fn split_directives(clause: &str) -> Vec<String> {
    let mut cuts: Vec<usize> = SPLIT_NEGATED.find_all(clause).iter().map(|found| found.start()).collect();
    // `…, and update §1§`: a conjunction before a verb begins another directive.
    for joint in [" and ", ", then ", " then ", " but ", ", and ", ", "] {
        let mut from = 0;
        while let Some(at) = clause.get(from..).and_then(|rest| rest.find(joint)).map(|at| at + from) {
            let after = clause.get(at + joint.len()..).unwrap_or("");
            let next = text::words(after).first().cloned().unwrap_or_default();
            let second = text::words(after).get(1).cloned().unwrap_or_default();
            let strong = matches!(
                next.as_str(),
                "run"
                    | "update"
                    | "use"
                    | "add"
                    | "commit"
                    | "move"
                    | "fix"
                    | "create"
                    | "write"
                    | "verify"
                    | "make"
                    | "keep"
                    | "ask"
                    | "check"
                    | "never"
                    | "open"
                    | "pull"
                    | "put"
                    | "prefer"
                    | "regenerate"
                    | "rebuild"
                    | "avoid"
                    | "do"
                    | "don't"
                    | "include"
                    | "ensure"
                    | "always"
                    | "document"
                    | "pass"
                    | "return"
                    | "wrap"
                    | "set"
                    | "push"
                    | "list"
                    | "register"
                    | "record"
                    | "note"
                    | "mention"
                    | "rerun"
                    | "restart"
                    | "bump"
                    | "delete"
                    | "remove"
                    | "link"
                    | "reference"
            );
            let noun_like = matches!(second.as_str(), "or" | "and" | "messages" | "message" | "of" | "files")
                && next != "use";
            if strong && !after.starts_with('§') && !noun_like {
                cuts.push(at);
            }
            from = at + joint.len();
        }
    }
    cuts.sort_unstable();
    cuts.dedup_by(|b, a| *b - *a < 6);
    let mut pieces = Vec::new();
    let mut start = 0;
    for cut in cuts.into_iter().filter(|cut| *cut > 0) {
        pieces.push(clause.get(start..cut).unwrap_or("").to_owned());
        start = cut;
    }
    pieces.push(clause.get(start..).unwrap_or("").to_owned());
    pieces
        .into_iter()
        .map(|piece| {
            piece
                .trim_start_matches([',', ' '])
                .trim_start_matches("and ")
                .trim_start_matches("but ")
                .trim_start_matches("then ")
                .to_owned()
        })
        .collect()
}

fn strip_asides(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out.replace("  ", " ").replace(" ,", ",").replace(" ;", ";").replace(" .", ".")
}

pub(crate) fn contains_phrase(text: &str, phrase: &str) -> bool {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(phrase)).map(|at| at + from) {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + phrase.len()..).and_then(|tail| tail.chars().next());
        let boundary = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        if boundary(before) && boundary(after) {
            return true;
        }
        from = at + phrase.len().max(1);
    }
    false
}

impl Line {
    /// The code terms of a kind, asides last.
    pub fn codes_of(&self, kind: CodeKind) -> Vec<&Code> {
        let (asides, main): (Vec<&Code>, Vec<&Code>) =
            self.codes.iter().filter(|code| code.kind == kind).partition(|code| code.aside);
        main.into_iter().chain(asides).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let line = Line::parse(text, &[]);
        let mut out: Vec<String> = line
            .conditions
            .iter()
            .map(|when| format!("{:?}({})", when.relation, line.unmask(&when.text)))
            .collect();
        out.extend(line.directives.iter().map(|directive| {
            let sign = if directive.negative { "-" } else { "+" };
            let swap = directive
                .instead_of
                .as_ref()
                .map(|other| format!(" / {}", line.unmask(other)))
                .unwrap_or_default();
            format!("{sign}{}[{}]{swap}", directive.verb, line.unmask(&directive.object))
        }));
        out.join(" ")
    }

    #[test]
    fn lines_as_people_word_them_are_taken_apart() {
        for (text, expect) in [
            (
                "- Before committing, run `make fmt` and `make lint`.",
                "Before(committing) +run[make fmt and make lint]",
            ),
            ("Use pnpm, not npm.", "+use[pnpm] / npm"),
            (
                "Never edit files in `gen/`; change the templates instead",
                "-edit[files in gen/] +change[the templates instead]",
            ),
            ("Prefer `slog` over `log`", "+prefer[slog] / log"),
            ("When editing *.go files, run gofmt", "When(editing *.go files) +run[gofmt]"),
            (
                "Do not bypass it with `--no-verify` unless the user agrees.",
                "Unless(the user agrees) -bypass[it with --no-verify]",
            ),
            (
                "After every code change, run the tests with `x y` before reporting the task as done.",
                "After(every code change) Before(reporting the task as done) +run[the tests with x y]",
            ),
            ("use bun instead of node", "+use[bun] / node"),
            ("before committing run `a`, `b`", "Before(committing) +run[a, b]"),
            ("Every time you add a dependency update `x.txt`", "When(you add a dependency) +update[x.txt]"),
        ] {
            assert_eq!(show(text), expect, "{text}");
        }
    }
}
