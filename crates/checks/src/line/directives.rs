//! The directives of a clause: what to do, what not to do, and what to do instead.

use crate::text::{self, pattern};

use super::conditions::{self, TRAIL};
use super::model::{Directive, ParsedLine, When};
use super::verbs::{self, base_form};

pattern!(
    SWAP,
    r"^(.*?)(?:,?\s+(?:instead of|rather than|in place of|in favou?r of|as opposed to)\s+|,\s*(?:and |but )?not\s+(?:with\s+|via\s+|by\s+|in\s+)?|\s+not\s+|\s+over\s+)(.+)$"
);
pattern!(
    pub(super) NEGATION,
    r"^(?:please |you |we |also |and |but |so |then |must |should |can |it |strictly |absolutely )*(?:never(?: ever)?|do not|don't|dont|must not|mustn't|should not|shouldn't|cannot|can't|may not|avoid|no|not|refrain from|stop|forbidden to|prohibited to)\b\s*(?:(?:ever|just|simply|blindly|automatically|proactively|manually|directly|hand-?|by hand|the use of|use of|any use of|to)\b ?)*"
);
pattern!(
    SOFT_START,
    r"^(?:please |you |we |also |and |but |so |then |must |should |always |only |first |it |to |be sure to |make sure to |make sure (?:that )?|ensure (?:that )?|remember to |try to |strictly |explicitly |exclusively |have to |has to |need to |needs to |all agents |agents |claude |please |the agent |assistants? |ai assistants? )+"
);
pattern!(
    SPLIT_NEGATED,
    r"(?:,\s*(?:and |but )?|\s+and\s+|\s+but\s+)(?:never|do not|don't|dont|must not|avoid|no)\b"
);

impl ParsedLine {
    /// Adds the conditions and directives of one clause.
    pub(super) fn add_clause(&mut self, clause: &str) {
        let mut rest = clause.trim().trim_end_matches(['.', ',', ';', ':', '!']).to_owned();
        while let Some((condition, after)) = conditions::leading_condition(&rest) {
            self.conditions.extend(conditions::split_condition(condition));
            rest = after;
        }
        for piece in split_directives(&rest) {
            self.add_directive(&piece);
        }
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
            let (text, named) = conditions::split_named(text.as_str());
            let condition = When { relation: conditions::relation_of(word.as_str()), text: text.to_owned() };
            let head = format!("{}{named}", rest.get(..whole.start()).unwrap_or(""));
            only |= word.as_str().starts_with("only");
            self.conditions.extend(conditions::split_condition(condition));
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
        let both_code = head.as_str().contains('§') && tail.as_str().starts_with('§');
        if over && !(both_code || self.masked.contains("prefer") || self.masked.contains("favor"))
            || head.as_str().trim().is_empty()
        {
            return (body.to_owned(), None);
        }
        (head.as_str().to_owned(), Some(tail.as_str().to_owned()))
    }
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
