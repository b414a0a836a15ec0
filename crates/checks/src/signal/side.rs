//! Which things a text wants and which it rules out; and whether two texts pull the same way.
//!
//! A text is taken in clauses. "Use pnpm, not npm" wants `pnpm` and rules out `npm`; "never use npm here, always use pnpm" does the same,
//! and so it speaks against "Use npm". Who complains of something ("npm again?", "you used npm again", "npm takes forever") rules it out,
//! and who complains that it is missing ("you didn't run the tests") wants it. What a text says of both ways, and what is only an occasion
//! ("before committing"), takes no side. A clause that only tells something says what is wanted where no clause orders anything.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use super::hear::Stance;
use crate::code::is_program;
use crate::orders::is_order_word;
use crate::reading::words as known_words;
use crate::text::{content_stems, pattern, stem, words};

/// What a text wants and rules out, as stems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sides {
    wanted: BTreeSet<String>,
    ruled_out: BTreeSet<String>,
    /// What is said of things without an order.
    told: BTreeSet<String>,
    /// What may be done, under a condition.
    bound: BTreeSet<String>,
    /// Whether anything is ruled out, be it known or not what.
    negates: bool,
}

// Where a clause ends: a colon or an apostrophe within a word does not end one.
pattern!(CLAUSE_END, r"[.;!?,…](?:\s|$)|[\n–—]|: |\s-\s|\.\.+|\b(?:but|and then|so)\b");
// What turns the rest of a clause against what it names.
pattern!(
    RULES_OUT,
    r"(?i)\b(?:never|don'?t|do not|does not|doesn'?t|must not|mustn'?t|should not|shouldn'?t|cannot|can'?t|stop|quit|avoid|no longer|no more|no|not|nor|none of|instead of|rather than|forbidden|ban|omit|skip|enough with|(?:we'?re|we are|i'?m|i am|get|got) off|too (?:many|much)|what'?s with|(?:we|i)(?:'ve| have)? (?:dropped|abandoned|removed|moved (?:away )?from|switched (?:away )?from|got rid of)|(?:i|we) (?:didn'?t|did not|never) (?:ask|want|say|need)(?: you)?(?: for| to)?|get rid of|leave (?:(?:it|them|that|those) )?out(?: of)?|keep (?:(?:it|them|that|those) )?out(?: of)?)\b|(?i)^\W*(?:(?:please|pls|and|so|just|ok(?:ay)?|no|first)\W+)*(?:remove|drop|strip|take out|delete (?:that|those|these|all|the))\b"
);
// What is said of something that is not used here any more, or that does harm.
pattern!(
    IS_GONE,
    r"(?i)\b(?:is|are|was|isn'?t|aren'?t|isnt|arent|its|it's) (?:even |now |really )?(?:gone|deprecated|obsolete|outdated|a no-?go|forbidden|the old (?:one|way)|not how|no longer|what we had|(?:way |far |much )?too \w+|not an? \w+|not (?:even )?(?:used|installed|set up|allowed|necessary|needed|in here)|(?:installed|in here|set up|used|allowed|needed) ?(?:here|any ?more)?)\b|\btakes? (?:forever|ages|too long)\b|\b(?:leaves|breaks|clutters|pollutes|walks|messes) \w+"
);
pattern!(OLD_ONE, r"(?i)\b(?:that'?s|this is|it'?s|its|is) the old (\S+)|\bleave (.+?) alone\b");
// One thing that another one stands for now.
pattern!(
    REPLACED,
    r"(?i)\breplaced? (.+?) (?:by|with) (.+)$|\b(?:moved|switched|migrated|changed|went|gone)(?: over| everything| all of it)? from (.+?) to (.+)$"
);
pattern!(PREFERRED, r"(?i)\b(?:prefer|favou?r|choose|pick|take|use)\b(.+?) over (.+)$");
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
pattern!(
    DENIED,
    r"(?i)\b(?:not|never|no|without|forgot|forget|(?:did|do|does|is|are|was|were|wo|ca|should)nt)\b|n['’]t\b"
);
pattern!(
    WHY_THING,
    r"(?i)^\W*(?:(?:and|so|but|hey|wait|no|why|again|another|all|these|those|that|this|the|more|still|with)\W+)*(\S+(?: \S+)?)$"
);
// What is missing is wanted: "you didn't run the tests", "did you even run the tests".
pattern!(
    MISSING,
    r"(?i)\b(?:you|u)(?:'ve| have)? (?:again |still |just )?(?:did ?n[o']?t|didnt|did not|forgot(?: to)?|never|have ?n[o']?t|committed without|pushed without) (.+)$|^\W*(?:did|have) (?:you|u) (?:even |actually )?(.+)$|^\W*(?:(?:and|but|hm+|so)\W+)*no (.+?) (?:got|gets|was|were|has been|have been) \w+"
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
    r"(?i)^\W*(?:(?:and|so|but|hey|hm+|ugh|argh|omg|no)\W+)*(?:(?:you|u)(?:'ve| have)?(?: just| again| still| already)? (?:\w+ed|ran|put|wrote|left|made|did|forgot|broke|used|keep|kept|were|are)\b|i (?:noticed|saw|see) (?:that )?|why\b|there it is\b|what\b|how often\b|how many\b|again\b)|\bagain\W*$"
);
// "Never do x again" orders, although it ends as a complaint does.
pattern!(
    FORBIDS,
    r"(?i)^\W*(?:(?:please|and|so|but|no|ok(?:ay)?)\W+)*(?:never|don'?t|do not|stop|no more)\b"
);
// What was done once more, and should not have been.
pattern!(AGAIN, r"(?i)\b(?:again|still)\b|\bwas used\b|\bkeep\b");
pattern!(THEN, r"(?i)^\W*then\b");
// Where it holds is not what is said.
pattern!(
    PLACE,
    r"(?i)\b(?:in|for|on|across|throughout) (?:this|our|the|my|production|all|every) ?(?:whole |entire )?(?:repo|repository|project|code ?base|service|app|application|package|machines?|tree|code|file|commits?)\b"
);
// Where work starts from, or what it is brought up to, is not where it goes: "get back to main and pull".
pattern!(
    STARTS_FROM,
    r"(?i)\b(?:back to|switch(?:ing)? to|check(?:ing)? ?out|pull(?:ing)?(?: in)?|fetch(?:ing)?|rebas(?:e|ing) (?:it )?(?:on|onto)|off|from|up to date with|latest)(?: of)?(?: the)?(?: latest)? `?(?:origin[/ ])?(?:main|master|trunk)\b"
);
// Who says so is not what is said.
pattern!(
    PREAMBLE,
    r"(?i)^\W*(?:(?:i (?:already |just )?(?:said|told you|asked you|want you)(?: to)?|as i said|remember|please|pls|from now on|going forward|in future|in the future|next time|ok(?:ay)?|so|and|hm+|just)\b\W*)+"
);
// What marks that a clause asks for something, wherever it stands in it.
pattern!(
    ASKS_FOR,
    r"(?i)\b(?:please|pls|plz|always|only|should|must|needs?|has to|have to|want|prefer|like|would|let'?s|stick|from now on|next time|instead|everywhere|every|in general)\b|\b(?:we|i)(?:'re| are|'ve| have|'m| am)?(?: all| here| always| only| now)? (?:on|use|using|work|commit|write|run|follow|keep|avoid|moved|switched|gonna|stick|got|have)\b|\b(?:it'?s|its|that'?s|this is|is|are) (?:on |now )?\S+(?: now)?$|\bnow$|\bhere$|\bis fine$"
);
// Who wants something printed speaks of what a program shows, not of the way to log.
pattern!(SHOWN, r"(?i)\b(?:print|log)(?:s|ed|ing)? (?:it|the|an?|this|that|them|those|these|out|nothing)\b");
/// A text that wants so many things or fewer is about each of them.
const MOST_THINGS: usize = 6;
/// Whoever names fewer things may speak of anything.
const LEAST_THINGS_SAID: usize = 2;
/// A clause with so few words is no sentence that tells something: "feature branches please".
const FEW_WORDS: usize = 3;
// "The schema must not be updated" turns against the schema as much as "don't update the schema" does.
pattern!(DONE_TO_IT, r"(?i)^\s*(?:ever |also |just |to )*(?:be|get) \w+");
pattern!(IS_DONE, r"(?i)\b(?:is|are|gets?)\s*$");
pattern!(PARTICIPLE, r"(?i)^\s*\w+(?:ed|en)\b");
// A file by its name: `1700-FullSchema.ts`.
pattern!(FILE, r"[\w./-]*[a-z][A-Z]\w*\.[a-z]{1,4}\b");
pattern!(POINTS_BACK, r"(?i)\b(?:do|doing|use|using|want) (?:that|this|it|those|these)\b");

impl Sides {
    /// Takes a text apart.
    pub(crate) fn of(text: &str) -> Self {
        let text = &*PLACE.replace_all(text, "");
        let text = &*SHOWN.replace_all(text, "");
        let text = &*STARTS_FROM.replace_all(text, "");
        let text = &*files_as_said(text);
        let mut sides = Self::default();
        let mut told = "";
        let mut at = 0;
        let ends = CLAUSE_END.find_all(text);
        let bounds = ends.iter().map(|end| (end.start(), end.end())).chain([(text.len(), text.len())]);
        for (end, next) in bounds {
            let clause = text.get(at..end).unwrap_or("");
            at = next;
            if let Some(thing) = questioned(clause, text.get(end..next).unwrap_or("")) {
                sides.take(thing, true);
                told = thing;
                continue;
            }
            // "I told you never to push": who says so is not what is said.
            let said = PREAMBLE.find(clause).map_or(clause, |said| clause.get(said.end()..).unwrap_or(""));
            if let Some(thing) = first_group(&MISSING, said).filter(|_| !FORBIDS.is_match(said)) {
                sides.wanted.extend(content_stems(deed_of(thing)));
                continue;
            }
            if THEN.is_match(clause) {
                continue; // what comes after is the occasion
            }
            let forbids = || {
                let passive = RULES_OUT.find(clause).filter(|turn| is_passive(clause, turn));
                FORBIDS.is_match(clause) || passive.is_some()
            };
            if TELLS.is_match(clause) && !forbids() {
                // What is done once more is complained of.
                if AGAIN.is_match(clause) && !DENIED.is_match(clause) {
                    sides.complain(clause);
                }
                told = clause;
            } else {
                let back = POINTS_BACK.is_match(clause) && RULES_OUT.is_match(clause);
                sides.take(clause, false);
                if back && !told.is_empty() {
                    sides.take(told, true);
                }
            }
        }
        if sides.wanted.is_empty() && !sides.told.is_empty() {
            let unsaid = sides.told.difference(&sides.ruled_out).cloned().collect();
            sides.wanted = unsaid;
        }
        let both = sides.wanted.intersection(&sides.ruled_out).cloned();
        let both: Vec<String> = both.chain(sides.bound.iter().cloned()).collect();
        for stem in both {
            sides.wanted.remove(&stem);
            sides.ruled_out.remove(&stem);
        }
        sides
    }

    /// Rules out the things of a complaint, and not what was done with them.
    fn complain(&mut self, clause: &str) {
        self.negates = true;
        let things = words(clause).into_iter().filter(|word| !is_order_word(word) && !word.ends_with("ed"));
        self.ruled_out.extend(content_stems(&things.collect::<Vec<_>>().join(" ")));
    }

    /// Takes in a clause; `against`: all of it is ruled out.
    fn take(&mut self, clause: &str, against: bool) {
        let asks = is_request(clause);
        let clause = PREAMBLE.find(clause).map_or(clause, |said| clause.get(said.end()..).unwrap_or(""));
        let clause =
            BY_LEAVE.find(clause).map_or(clause, |leave| clause.get(..leave.start()).unwrap_or(clause));
        if let Some((gone, here)) = replaced(clause).filter(|_| !against) {
            self.negates = true;
            self.ruled_out.extend(content_stems(gone));
            self.wanted.extend(content_stems(deed_of(here)));
            return;
        }
        if let Some(old) = first_group(&OLD_ONE, clause) {
            self.negates = true;
            self.ruled_out.extend(content_stems(old));
            return;
        }
        // "Files that are not needed" are told from others, and not given up.
        let is_told_of = |gone: &regex::Match<'_>| {
            let before = clause.get(..gone.start()).unwrap_or("").trim_end();
            !["that", "which", "who"].iter().any(|word| before.ends_with(word))
        };
        let gone = IS_GONE.find(clause).filter(|gone| is_denial(gone.as_str()) && is_told_of(gone));
        if let Some(gone) = gone {
            self.negates = true;
            self.ruled_out.extend(content_stems(clause.get(..gone.start()).unwrap_or("")));
            return;
        }
        let turn = RULES_OUT.find(clause);
        self.negates |= turn.is_some() || against;
        let (head, tail) = match (&turn, against) {
            (_, true) => ("", clause),
            (Some(turn), false) if is_passive(clause, turn) => ("", clause),
            (Some(turn), false) => {
                (clause.get(..turn.start()).unwrap_or(""), clause.get(turn.end()..).unwrap_or(""))
            }
            (None, false) => (clause, ""),
        };
        if !tail.is_empty()
            && let Some(without) = WITHOUT.find(tail)
        {
            // "Never commit without a test": only the test is wanted, and of the commit nothing is said.
            self.bound.extend(content_stems(tail.get(..without.start()).unwrap_or("")));
            self.wanted.extend(content_stems(tail.get(without.end()..).unwrap_or("")));
        } else if let Some(when) = WHEN.find(tail).filter(|when| when.start() > 0) {
            self.ruled_out.extend(content_stems(tail.get(..when.start()).unwrap_or("")));
        } else if !tail.is_empty() && OCCASION.is_match(tail) {
            // "Don't commit before the tests ran" and "don't ask before you delete" turn against different things.
        } else {
            self.ruled_out.extend(content_stems(tail));
        }
        let deed = deed_of(head);
        // "Install packages without asking": what is left out is not wanted.
        let (deed, left_out) = match WITHOUT.find(deed) {
            Some(without) => {
                (deed.get(..without.start()).unwrap_or(""), deed.get(without.end()..).unwrap_or(""))
            }
            None => (deed, ""),
        };
        self.negates |= !left_out.is_empty();
        self.ruled_out.extend(content_stems(left_out));
        let side = if asks || turn.is_some() { &mut self.wanted } else { &mut self.told };
        side.extend(content_stems(deed));
    }

    /// What a text asks the reason for because it was done: "why would you repeat that". Who asks so does not want it.
    pub(crate) fn questioned(text: &str) -> Vec<&str> {
        let ends = CLAUSE_END.find_all(text);
        let bounds = ends.iter().map(|end| (end.start(), end.end())).chain([(text.len(), text.len())]);
        let mut at = 0;
        let mut found = Vec::new();
        for (end, next) in bounds {
            let clause = text.get(at..end).unwrap_or("");
            at = next;
            let done = WHY_DONE.captures(clause).filter(|_| !DENIED.is_match(clause));
            found.extend(done.and_then(|done| Some(deed_of(done.get(1)?.as_str()))));
        }
        found
    }

    /// How many of its weighty things a text names that this wants and does not rule out, and how many it rules out.
    pub(crate) fn named_in(&self, text: &str) -> (usize, usize) {
        let named = content_stems(text);
        let of = |mine: &BTreeSet<String>| {
            mine.iter().filter(|stem| !is_slight(stem) && named.contains(stem)).count()
        };
        (of(&self.wanted), of(&self.ruled_out))
    }

    /// Whether it is about anything but words of every rule.
    pub(crate) fn names_a_thing(&self) -> bool {
        self.wanted.iter().chain(&self.ruled_out).any(|stem| !is_slight(stem))
    }

    /// Whether it rules something out.
    pub(crate) fn rules_out(&self) -> bool {
        self.negates
    }

    /// The stems of this on which somebody who says `other` agrees with it or opposes it.
    pub(crate) fn met_by<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = &'s String> {
        let is_met = |mine: &&String| holds_way(&other.wanted, mine) || holds_way(&other.ruled_out, mine);
        self.wanted.iter().chain(&self.ruled_out).filter(is_met)
    }

    /// Whether it sets one tool against another.
    pub(crate) fn swaps_tools(&self) -> bool {
        self.wanted.iter().any(|stem| is_tool(stem)) && self.ruled_out.iter().any(|stem| is_tool(stem))
    }

    /// Whether somebody who says `other` wants another thing for the same work than this does, or the same thing to be otherwise.
    pub(crate) fn is_rivalled_by(&self, other: &Self) -> bool {
        let rivals = |groups: &Groups| {
            let mut held = self.wanted.iter().filter(|one| groups.hold(one));
            held.any(|one| other.wanted.iter().any(|two| groups.are_rivals(one, two)))
        };
        let same = |mine: &String| other.wanted.iter().any(|theirs| is_same_way(mine, theirs));
        let shares_way = self.wanted.iter().any(|mine| is_way(mine) && same(mine));
        let shares_thing = || self.wanted.intersection(&other.wanted).any(|stem| !is_way(stem));
        // A line about many things ("name branches with the prefix …") is not about the one that has an opposite.
        let is_short = self.wanted.len() <= MOST_THINGS;
        (rivals(&TOOLS) || is_short && rivals(&OPPOSITES)) && !shares_way
            || rivals(&QUALITIES) && shares_thing()
    }

    /// Whether somebody who says `other` speaks for what this wants, or against it; `None` when nobody can tell.
    pub(crate) fn taken_by(&self, other: &Self) -> Option<Stance> {
        let (opposed, slightly_opposed) = self.opposed(other);
        let (shared, slightly_shared) = self.shared(other);
        if self.is_rivalled_by(other) && self.is_mostly_met_by(other) {
            return Some(Stance::Against);
        }
        // Words of every rule decide only where a text has no others.
        let is_plain = |sides: &Self| sides.wanted.iter().chain(&sides.ruled_out).all(|stem| is_slight(stem));
        match (opposed, shared) {
            (0, 0) if !is_plain(self) && !is_plain(other) => None,
            (0, 0) if slightly_opposed > 0 && slightly_shared == 0 => Some(Stance::Against),
            (0, 0) if slightly_shared > 0 && slightly_opposed == 0 => Some(Stance::With),
            (0, 0) => None,
            (0, _) if self.differs_from(other) => None,
            (0, _) => Some(Stance::With),
            // People hardly ever contradict their own rules, and most words that look so are about something else.
            (_, 0) if self.is_given_up_by(other) && self.is_mostly_met_by(other) => Some(Stance::Against),
            _ => None,
        }
    }

    /// Whether somebody who says `other` speaks of half of what this is about, or more: one word of a long line is in everybody's mouth.
    fn is_mostly_met_by(&self, other: &Self) -> bool {
        let weighty = || self.wanted.iter().chain(&self.ruled_out).filter(|stem| !is_slight(stem));
        let is_rivalled = |mine: &String| {
            let rivals = |groups: &Groups| other.wanted.iter().any(|theirs| groups.are_rivals(mine, theirs));
            rivals(&TOOLS) || rivals(&OPPOSITES)
        };
        let is_met = |mine: &&String| {
            holds_way(&other.wanted, mine) || holds_way(&other.ruled_out, mine) || is_rivalled(mine)
        };
        weighty().filter(is_met).count() * 2 >= weighty().count()
    }

    /// Whether they agree on something and not on something else: then nobody can tell.
    pub(crate) fn is_mixed_with(&self, other: &Self) -> bool {
        !self.is_rivalled_by(other) && self.opposed(other).0 > 0 && self.shared(other).0 > 0
    }

    /// How many things one wants and the other rules out: those that weigh, and those of every rule.
    fn opposed(&self, other: &Self) -> (usize, usize) {
        sum(met(&self.wanted, &other.ruled_out), met(&self.ruled_out, &other.wanted))
    }

    /// How many things both want or both rule out.
    fn shared(&self, other: &Self) -> (usize, usize) {
        sum(met(&self.wanted, &other.wanted), met(&self.ruled_out, &other.ruled_out))
    }

    /// Whether most of what somebody rules out is what this wants, or most of what they want, without ruling out anything, is what this
    /// rules out.
    fn is_given_up_by(&self, other: &Self) -> bool {
        let most = |theirs: &BTreeSet<String>, mine: &BTreeSet<String>| {
            let weighty: Vec<&String> = theirs.iter().filter(|stem| !is_slight(stem)).collect();
            let met = weighty.iter().filter(|two| holds_way(mine, two)).count();
            met > 0 && met * 2 >= weighty.len()
        };
        most(&other.ruled_out, &self.wanted) || !other.negates && most(&other.wanted, &self.ruled_out)
    }

    /// Whether both speak of the same thing at all.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.met_by(other).next().is_some()
    }

    /// Whether all that somebody says is wanted or ruled out here as well, and that is more than one word of every rule.
    pub(crate) fn says_all_of(&self, other: &Self) -> bool {
        let things = || other.wanted.iter().chain(&other.ruled_out);
        other.bound.is_empty()
            && things().count() >= LEAST_THINGS_SAID
            && things().any(|stem| !is_slight(stem))
            && other.wanted.is_subset(&self.wanted)
            && other.ruled_out.is_subset(&self.ruled_out)
    }

    /// Whether both name tools that they want, and none in common: then nobody can tell whether one takes the other's place.
    fn differs_from(&self, other: &Self) -> bool {
        let tools = |sides: &Self| -> Vec<String> {
            sides.wanted.iter().filter(|stem| is_tool(stem)).cloned().collect()
        };
        let (mine, theirs) = (tools(self), tools(other));
        let shared = mine.iter().any(|one| theirs.iter().any(|two| is_same_way(one, two)));
        !mine.is_empty() && !theirs.is_empty() && !shared
    }
}

/// Whether words speak for a line or against it; `None` when nobody can tell.
pub fn line_side(words: &str, line: &str) -> Option<Stance> {
    Sides::of(line).taken_by(&Sides::of(words))
}

/// When and under which condition something holds: "after committing" is not "before committing".
const RELATING: &[&str] = &[
    "after", "before", "during", "except", "first", "if", "only", "unless", "until", "when", "while",
    "without",
];

/// Whether a text says nothing but what a line says already: all that it is about stands there, on the same side.
pub fn says_already(line: &str, text: &str) -> bool {
    let (known, known_words) = (content_stems(line), words(line));
    let relates_alike = |word: &String| !RELATING.contains(&word.as_str()) || known_words.contains(word);
    content_stems(text).iter().all(|stem| known.contains(stem))
        && words(text).iter().all(relates_alike)
        && Sides::of(line).says_all_of(&Sides::of(text))
}

/// How many of these stand among the others: those that weigh, and those of every rule.
fn met(mine: &BTreeSet<String>, theirs: &BTreeSet<String>) -> (usize, usize) {
    let met: Vec<&String> = mine.iter().filter(|one| holds_way(theirs, one)).collect();
    let weighty = met.iter().filter(|stem| !is_slight(stem)).count();
    (weighty, met.len() - weighty)
}

fn sum(one: (usize, usize), two: (usize, usize)) -> (usize, usize) {
    (one.0 + two.0, one.1 + two.1)
}

/// Groups of names that stand for the same work.
#[derive(Default)]
struct Groups {
    /// In which groups a name stands, and at which place of each.
    places: HashMap<String, Vec<(usize, usize)>>,
}

static TOOLS: LazyLock<Groups> = LazyLock::new(|| Groups::of(&known_words().libraries.ways));
static OPPOSITES: LazyLock<Groups> = LazyLock::new(|| Groups::of(&known_words().libraries.opposites));
static QUALITIES: LazyLock<Groups> = LazyLock::new(|| Groups::of(&known_words().libraries.qualities));

impl Groups {
    fn of(data: &[Vec<String>]) -> Self {
        let mut groups = Self::default();
        for (group, members) in data.iter().enumerate() {
            for (place, names) in members.iter().enumerate() {
                for name in names.split('/') {
                    let places = groups.places.entry(stem(name)).or_default();
                    // In a group a name stands for the first thing that it is given to.
                    if places.last().is_none_or(|(last, _)| *last != group) {
                        places.push((group, place));
                    }
                }
            }
        }
        groups
    }

    fn hold(&self, stem: &str) -> bool {
        self.places.contains_key(stem)
    }

    fn are_rivals(&self, one: &str, two: &str) -> bool {
        self.pairs(one, two).any(|(one, two)| one != two)
    }

    fn are_same(&self, one: &str, two: &str) -> bool {
        self.pairs(one, two).any(|(one, two)| one == two)
    }

    /// The places of two names in the groups that hold both.
    fn pairs(&self, one: &str, two: &str) -> impl Iterator<Item = (usize, usize)> {
        let of = |stem: &str| self.places.get(stem).map(Vec::as_slice).unwrap_or_default();
        let ones = of(one);
        let twos = if ones.is_empty() { ones } else { of(two) };
        ones.iter().flat_map(|(group, place)| {
            twos.iter().filter(move |(other, _)| other == group).map(|(_, other)| (*place, *other))
        })
    }
}

fn is_tool(stem: &str) -> bool {
    is_program(stem) && !is_order_word(stem) || TOOLS.hold(stem)
}

fn is_way(stem: &str) -> bool {
    TOOLS.hold(stem) || OPPOSITES.hold(stem)
}

fn is_same_way(one: &str, two: &str) -> bool {
    one == two || TOOLS.are_same(one, two) || OPPOSITES.are_same(one, two)
}

/// Whether one of these stems is the same as a stem, or stands for the same.
fn holds_way(stems: &BTreeSet<String>, stem: &str) -> bool {
    stems.contains(stem) || is_way(stem) && stems.iter().any(|other| is_same_way(stem, other))
}

/// Words that stand in rules of every kind: what is done, and not what with.
const SLIGHT: &[&str] = &[
    "install", "add", "write", "run", "test", "commit", "create", "code", "file", "package", "search",
    "message", "change", "project", "module", "new", "line", "task", "work",
];

static SLIGHT_STEMS: LazyLock<Vec<String>> = LazyLock::new(|| SLIGHT.iter().map(|word| stem(word)).collect());

fn is_slight(stem: &str) -> bool {
    SLIGHT_STEMS.iter().any(|slight| slight == stem) || QUALITIES.hold(stem)
}

/// Whether a clause asks for something rather than tells it.
fn is_request(clause: &str) -> bool {
    let bare = PREAMBLE.find(clause).map_or(clause, |said| clause.get(said.end()..).unwrap_or(""));
    let bare_words = words(bare);
    bare.len() < clause.trim_start().len()
        && PREAMBLE.find(clause).is_some_and(|said| !said.as_str().trim().is_empty())
        || bare_words.len() <= FEW_WORDS && bare_words.first().is_none_or(|first| first != "i")
        || bare_words.first().is_some_and(|first| is_order_word(first))
        || ASKS_FOR.is_match(clause)
}

/// Whether what stands in front of a "not" is what must not be done something to.
fn is_passive(clause: &str, turn: &regex::Match<'_>) -> bool {
    let (head, tail) = (clause.get(..turn.start()).unwrap_or(""), clause.get(turn.end()..).unwrap_or(""));
    !head.trim().is_empty()
        && !OCCASION.is_match(clause)
        && (DONE_TO_IT.is_match(tail) || IS_DONE.is_match(head) && PARTICIPLE.is_match(tail))
}

/// A text in which files are called as people call them: "the full schema" is `1700-FullSchema.ts`.
fn files_as_said(text: &str) -> String {
    FILE.find_all(text).into_iter().rev().fold(text.to_owned(), |mut said, file| {
        let name = file.as_str().rsplit('/').next().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let is_word = |part: &String| !part.chars().all(|c| c.is_ascii_digit());
        let spoken: Vec<String> = crate::text::parts(stem).into_iter().filter(is_word).collect();
        said.replace_range(file.range(), &spoken.join(" "));
        said
    })
}

/// What is done, without the occasion.
fn deed_of(clause: &str) -> &str {
    OCCASION.find(clause).map_or(clause, |occasion| clause.get(..occasion.start()).unwrap_or(""))
}

/// What was given up, and what stands for it now.
fn replaced(clause: &str) -> Option<(&str, &str)> {
    if let Some(found) = REPLACED.captures(clause) {
        let group = |at: usize| found.get(at).and_then(|part| clause.get(part.range()));
        return group(1).zip(group(2)).or_else(|| group(3).zip(group(4)));
    }
    let found = PREFERRED.captures(clause)?;
    let group = |at: usize| found.get(at).and_then(|part| clause.get(part.range()));
    group(2).zip(group(1))
}

fn first_group<'t>(pattern: &crate::text::Pattern, clause: &'t str) -> Option<&'t str> {
    let found = pattern.captures(clause)?;
    let range = found.iter().skip(1).flatten().next()?.range();
    clause.get(range)
}

/// "is installed" says the opposite of "isn't installed".
fn is_denial(said: &str) -> bool {
    let said = said.to_lowercase();
    let words = [
        "gone",
        "deprecated",
        "obsolete",
        "outdated",
        "no-go",
        "nogo",
        "forbidden",
        "old",
        "no longer",
        "too ",
        "had",
        "isnt",
        "arent",
        "take",
        "lea",
        "break",
        "clutter",
        "pollut",
        "walk",
        "mess",
    ];
    words.iter().any(|word| said.contains(word)) || DENIED.is_match(&said)
}

/// What somebody asks about because it was done and should not have been.
fn questioned<'t>(clause: &'t str, mark: &str) -> Option<&'t str> {
    let group = |found: regex::Captures<'t>| found.get(1).map(|thing| thing.as_str());
    if DENIED.is_match(clause) {
        return None;
    }
    let opens = clause.trim_start().to_lowercase();
    // "Why npm?", "again npm?", "another summary file?", "print?"; but who asks for one word may ask after it ("tests?").
    let complains = opens.starts_with("why ") || opens.starts_with("again ") || opens.starts_with("another ");
    let complains = complains || is_way(&stem(opens.trim()));
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
        check("you used npm again, always use pnpm", &["pnpm"], &["npm"]);
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
        check("you forgot the tests again", &["tests"], &[]);
        check("you didn't run the tests before committing", &["run", "tests"], &[]);
        check("We have replaced logging by structlog, please use structlog", &["structlog"], &["logging"]);
        check("I prefer rg over grep", &["rg"], &["grep"]);
        check("rm is too dangerous, always use trash", &["trash"], &["rm"]);
        check("I told you to use pnpm. npm leaves a lock file behind", &["pnpm"], &["npm"]);
        check("thats the old logging, structlog now", &["structlog"], &["logging"]);
        check("no print statements in this code base, use logging", &["logging"], &["print", "statements"]);
        check("print? we got logging", &["got", "logging"], &["print"]);
        check("leave grep alone", &[], &["grep"]);
        check("code without comments pls, i can read", &["code"], &["comments", "pls"]);
        check("full schema should not be updated ever", &[], &["full", "schema", "updated", "ever"]);
        check("generated files must never be edited", &[], &["generated", "files", "edited"]);
        check("Migrations are never edited by hand", &[], &["migrations", "edited", "hand"]);
        check("update `db/1700-FullSchema.ts` as well", &["update", "full", "schema"], &[]);
        check("install packages without asking", &["install", "package"], &["ask"]);
    }

    #[test]
    fn who_says_no_more_than_a_line_says_it_again() {
        let line =
            "Never commit or push to `main`; every change goes through a feature branch and a pull request.";
        for text in ["Never push to main.", "Do not commit to `main`.", "Don't ever commit or push to main"] {
            assert!(says_already(line, text), "{text}");
        }
        for text in [
            "Always push to main.",
            "Never push to staging.",
            "Never push.",
            "Never push to main without a review.",
            "Never push to main unless I ask.",
            "Every change goes through main.",
        ] {
            assert!(!says_already(line, text), "{text}");
        }
        let line = "Run `make lint` before committing.";
        for text in ["Run `make lint` before you push.", "Run `make lint` after committing."] {
            assert!(!says_already(line, text), "{text}");
        }
    }

    #[test]
    fn to_start_from_the_trunk_is_not_to_work_on_it() {
        let line = Sides::of("Commit on a feature branch and open a pull request; never commit on `main`.");
        for said in [
            "before you go doing that, we need to get back to main, and pull in latest.",
            "please branch off main",
            "rebase onto origin/main",
        ] {
            assert_ne!(line.taken_by(&Sides::of(said)), Some(Stance::Against), "{said}");
        }
        let said = Sides::of("just commit on main, no feature branch please");
        assert_eq!(line.taken_by(&said), Some(Stance::Against));
    }
}
