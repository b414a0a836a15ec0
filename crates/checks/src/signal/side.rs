//! Which things a text wants and which it rules out; and whether two texts pull the same way.
//!
//! A text is taken in clauses. "Use pnpm, not npm" wants `pnpm` and rules out `npm`; "never use npm here, always use pnpm" does the same,
//! and so it speaks against "Use npm". What a text says of both ways, what is only an occasion ("before committing"), and what tells of
//! something that happened ("you used npm again") takes no side.

use std::collections::BTreeSet;

use super::hear::Stance;
use crate::text::{content_stems, pattern};

/// What a text wants and rules out, as stems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sides {
    wanted: BTreeSet<String>,
    ruled_out: BTreeSet<String>,
    /// Whether anything is ruled out, be it known or not what.
    negates: bool,
}

// Where a clause ends: a colon or an apostrophe within a word does not end one.
pattern!(CLAUSE_END, r"[.;!?,](?:\s|$)|[\n–—]|: |\s-\s|\b(?:but|and then)\b");
// What turns the rest of a clause against what it names.
pattern!(
    RULES_OUT,
    r"(?i)\b(?:never|don'?t|do not|does not|doesn'?t|must not|mustn'?t|should not|shouldn'?t|cannot|can'?t|stop|quit|avoid|no longer|no more|no|not|nor|none of|instead of|rather than|forbidden|ban|omit|(?:we|i)(?:'ve| have)? (?:dropped|abandoned|removed|moved (?:away )?from|switched (?:away )?from|got rid of)|(?:i|we) (?:didn'?t|did not|never) (?:ask|want|say|need)(?: you)?(?: for| to)?|get rid of|leave (?:(?:it|them|that|those) )?out(?: of)?|keep (?:(?:it|them|that|those) )?out(?: of)?)\b"
);
// What is said of something that is not used here any more.
pattern!(
    IS_GONE,
    r"(?i)\b(?:is|are|was|isn'?t|aren'?t|its|it's) (?:even |now |really )?(?:gone|deprecated|obsolete|outdated|a no-?go|forbidden|the old (?:one|way)|not how|no longer|not (?:even )?(?:used|installed|set up|allowed|necessary|needed|in here)|(?:installed|in here|set up|used|allowed|needed) ?(?:here|any ?more)?)\b"
);
// Behind these stands when something is not to be done; behind "before" may stand what has to come first.
pattern!(WHEN, r"(?i)\b(?:after|when|whenever|while|during|once|as soon as)\b");
// The person's leave is no part of what is ruled out: "no summaries unless I ask".
pattern!(
    BY_LEAVE,
    r"(?i)\b(?:unless|until|except (?:when|if)) (?:i|we|the user|you(?:'re| are) (?:asked|told)|asked|told|explicitly|otherwise|specifically|requested)\b.*$"
);
// Who asks why something is done does not want it: "why do you keep adding comments", "why jest?", "print?"
pattern!(
    WHY_DONE,
    r"(?i)^\W*(?:(?:and|so|but|hey|wait|no)\W+)*why (?:(?:do|did|are|would|were|is|was|have) (?:you|u|we|claude|the agent|there)(?: still| always| even| just| keep)? )(.*)$"
);
pattern!(DENIED, r"(?i)\b(?:not|never|no)\b|n['’]?t\b");
pattern!(
    WHY_THING,
    r"(?i)^\W*(?:(?:and|so|but|hey|wait|no|why|again|another|all|these|those|that|this|the|more|still|with)\W+)*(\S+(?: \S+)?)$"
);
// Behind these only the occasion is named, or what else must be there.
pattern!(
    OCCASION,
    r"(?i)\b(?:before|after|when|whenever|while|if|once|during|until|unless|as soon as|so that|because|since)\b"
);
pattern!(WITHOUT, r"(?i)\b(?:without|unless)\b");
// What tells or asks about something that happened, and orders nothing.
pattern!(
    TELLS,
    r"(?i)^\W*(?:(?:and|so|but|hey|hm+|ugh|argh|no)\W+)*(?:you(?:'ve| have)?(?: just| again| still| already)? (?:\w+ed|ran|put|wrote|left|made|did|forgot|broke|used|keep|kept|were|are)\b|why\b|there it is\b|what\b|how often\b|how many\b|again\b)|\bagain\W*$"
);
// "Never do x again" orders, although it ends as a complaint does.
pattern!(
    FORBIDS,
    r"(?i)^\W*(?:(?:please|and|so|but|no|ok(?:ay)?)\W+)*(?:never|don'?t|do not|stop|no more)\b"
);
// Who says so is not what is said.
pattern!(
    PREAMBLE,
    r"(?i)^\W*(?:(?:i (?:already |just )?(?:said|told you|asked you|want you)(?: to)?|as i said|remember|please|from now on|going forward|in future|in the future|ok(?:ay)?|so|and)\b\W*)+"
);
pattern!(POINTS_BACK, r"(?i)\b(?:do|doing|use|using) (?:that|this|it)\b");

impl Sides {
    /// Takes a text apart.
    pub(crate) fn of(text: &str) -> Self {
        let mut sides = Self::default();
        let mut told = "";
        let mut at = 0;
        let ends = CLAUSE_END.find_all(text);
        let bounds = ends.iter().map(|end| (end.start(), end.end())).chain([(text.len(), text.len())]);
        for (end, next) in bounds {
            let clause = text.get(at..end).unwrap_or("");
            if let Some(thing) = questioned(clause, text.get(end..next).unwrap_or("")) {
                sides.take(thing, true);
                at = next;
                continue;
            }
            // The mark at its end belongs to it: "again?"
            if TELLS.is_match(clause) && !FORBIDS.is_match(clause) {
                told = clause;
            } else {
                let back = POINTS_BACK.is_match(clause) && RULES_OUT.is_match(clause);
                sides.take(clause, false);
                if back && !told.is_empty() {
                    sides.take(told, true);
                }
            }
            at = next;
        }
        let both: Vec<String> = sides.wanted.intersection(&sides.ruled_out).cloned().collect();
        for stem in both {
            sides.wanted.remove(&stem);
            sides.ruled_out.remove(&stem);
        }
        sides
    }

    /// Takes in a clause; `against`: all of it is ruled out.
    fn take(&mut self, clause: &str, against: bool) {
        let clause = PREAMBLE.find(clause).map_or(clause, |said| clause.get(said.end()..).unwrap_or(""));
        let clause =
            BY_LEAVE.find(clause).map_or(clause, |leave| clause.get(..leave.start()).unwrap_or(clause));
        if let Some(gone) = IS_GONE.find(clause).filter(|gone| is_denial(gone.as_str())) {
            self.negates = true;
            self.ruled_out.extend(content_stems(clause.get(..gone.start()).unwrap_or("")));
            return;
        }
        let turn = RULES_OUT.find(clause);
        self.negates |= turn.is_some() || against;
        let (head, tail) = match (&turn, against) {
            (_, true) => ("", clause),
            (Some(turn), false) => {
                (clause.get(..turn.start()).unwrap_or(""), clause.get(turn.end()..).unwrap_or(""))
            }
            (None, false) => (clause, ""),
        };
        if !tail.is_empty()
            && let Some(without) = WITHOUT.find(tail)
        {
            // "Never commit without a test": only the test is wanted.
            self.wanted.extend(content_stems(tail.get(without.end()..).unwrap_or("")));
        } else if let Some(when) = WHEN.find(tail).filter(|when| when.start() > 0) {
            self.ruled_out.extend(content_stems(tail.get(..when.start()).unwrap_or("")));
        } else if !tail.is_empty() && OCCASION.is_match(tail) {
            // "Don't commit before the tests ran" and "don't ask before you delete" turn against different things.
        } else {
            self.ruled_out.extend(content_stems(tail));
        }
        let deed = OCCASION.find(head).map_or(head, |occasion| head.get(..occasion.start()).unwrap_or(""));
        // "Install packages without asking": what is left out is not wanted.
        let (deed, left_out) = match WITHOUT.find(deed) {
            Some(without) => {
                (deed.get(..without.start()).unwrap_or(""), deed.get(without.end()..).unwrap_or(""))
            }
            None => (deed, ""),
        };
        self.negates |= !left_out.is_empty();
        self.ruled_out.extend(content_stems(left_out));
        self.wanted.extend(content_stems(deed));
    }

    /// Whether it rules something out.
    pub(crate) fn rules_out(&self) -> bool {
        self.negates
    }

    /// Whether somebody who says `other` speaks for what this wants, or against it; `None` when nobody can tell.
    pub(crate) fn taken_by(&self, other: &Self) -> Option<Stance> {
        let opposed =
            self.wanted.intersection(&other.ruled_out).chain(self.ruled_out.intersection(&other.wanted));
        let shared =
            self.wanted.intersection(&other.wanted).chain(self.ruled_out.intersection(&other.ruled_out));
        match (opposed.count(), shared.count()) {
            (0, 0) => None,
            (0, _) => Some(Stance::With),
            (_, 0) => Some(Stance::Against),
            // What is ruled out weighs more than a word that both sides need to speak of it.
            (opposed, shared) if opposed >= shared => Some(Stance::Against),
            _ => None,
        }
    }
}

/// "is installed" says the opposite of "isn't installed".
fn is_denial(said: &str) -> bool {
    let said = said.to_lowercase();
    let words =
        ["gone", "deprecated", "obsolete", "outdated", "no-go", "nogo", "forbidden", "old", "no longer"];
    words.iter().any(|word| said.contains(word)) || DENIED.is_match(&said)
}

/// What somebody asks about because it was done and should not have been.
fn questioned<'t>(clause: &'t str, mark: &str) -> Option<&'t str> {
    let group = |found: regex::Captures<'t>| found.get(1).map(|thing| thing.as_str());
    if DENIED.is_match(clause) {
        return None;
    }
    let opens = clause.trim_start().to_lowercase();
    let complains = opens.starts_with("why ") || opens.starts_with("again ") || opens.starts_with("another ");
    let done = WHY_DONE.captures(clause).and_then(group);
    done.or_else(|| WHY_THING.captures(clause).filter(|_| complains && mark.starts_with('?')).and_then(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &[&str], ruled_out: &[&str]) {
        let stems = |words: &[&str]| words.iter().flat_map(|word| content_stems(word)).collect();
        let sides = Sides::of(text);
        assert_eq!((sides.wanted, sides.ruled_out), (stems(wanted), stems(ruled_out)), "{text}");
    }

    #[test]
    fn a_text_wants_some_things_and_rules_out_others() {
        check("Use pnpm, not npm.", &["pnpm"], &["npm"]);
        check("never use npm here, always use pnpm", &["pnpm"], &["npm"]);
        check("you used npm again, always use pnpm", &["pnpm"], &[]);
        check("Use `fetch` instead of `axios`.", &["fetch"], &["axios"]);
        check("Never commit without a changelog entry", &["changelog", "entry"], &[]);
        check("Use single quotes, never double quotes.", &["single"], &["double"]);
        check("you squashed again, never do that", &[], &["squash"]);
        check("never squash again", &[], &["squash"]);
        check("no summaries unless I ask for them", &[], &["summaries"]);
        check("why do you keep adding comments", &[], &["adding", "comments"]);
        check("why jest? this project is on vitest", &["project", "vitest"], &["jest"]);
        check("no, bun. we dropped pnpm", &["bun"], &["pnpm"]);
        check("jest is gone, use vitest", &["vitest"], &["jest"]);
        check("docker-compose isn't even installed here", &[], &["docker-compose"]);
        check("vitest is installed here", &["vitest", "installed"], &[]);
        check("don't write summaries after each task", &[], &["write", "summaries"]);
        check("why didn't you run the linter?", &[], &[]);
        check("leave it out of commit messages", &[], &["commit", "messages"]);
        check("install packages without asking", &["install", "package"], &["ask"]);
    }
}
