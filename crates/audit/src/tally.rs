//! The findings of all files, added up.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use subcortex_checks::Tried;

use crate::report::{Finding, LookedAt, Quote, Report, RuleReport, Said, TurnCounts};
use crate::rules::Rules;
use crate::session::Findings;
use subcortex_import::Summary;

/// How many quotes of one kind are kept for one rule …
const MAX_QUOTES: usize = 1_000;
/// … unless there are so many rules that all together would be more than this; then fewer are …
const MAX_ALL_QUOTES: usize = 100_000;
/// … but never fewer than this.
const MIN_QUOTES: usize = 20;
/// How many sentences that no rule covers are kept.
const MAX_SAID: usize = 1_000;

/// Adds up findings, in the order in which they are handed over: oldest files first.
pub(crate) struct Tally {
    outcomes: Vec<Counts>,
    /// The place of each line among the outcomes.
    places: HashMap<usize, usize>,
    max_quotes: usize,
    /// Verdicts and sayings that were counted, to recognise those of a copied session.
    known: HashSet<u64>,
    said: Vec<Said>,
    said_places: HashMap<String, usize>,
    sessions: BTreeSet<(String, String)>,
    looked_at: LookedAt,
    summary: Summary,
}

#[derive(Default)]
struct Counts {
    followed: Kept,
    missed: Kept,
    contradicted: Kept,
    unclear: Kept,
    /// Verdicts of the check in whose quote nothing stands that the rule names.
    unnamed: u64,
}

#[derive(Default)]
struct Kept {
    n: u64,
    /// Those that a person's words decided.
    by_person: u64,
    /// Those that were no sure occasion.
    waiting: u64,
    quotes: VecDeque<Quote>,
}

impl Kept {
    fn add(&mut self, quote: Quote, max_quotes: usize) {
        self.n += 1;
        self.by_person += u64::from(quote.by_person);
        self.waiting += u64::from(quote.waiting);
        if self.quotes.len() >= max_quotes {
            self.quotes.pop_front();
        }
        self.quotes.push_back(quote);
    }
}

impl Tally {
    pub(crate) fn new(rules: &Rules) -> Self {
        let lines = rules.rules.iter().map(|rule| rule.line);
        let room = MAX_ALL_QUOTES.checked_div(rules.rules.len()).unwrap_or(MAX_QUOTES);
        Self {
            outcomes: rules.rules.iter().map(|_| Counts::default()).collect(),
            places: lines.enumerate().map(|(place, line)| (line, place)).collect(),
            max_quotes: room.clamp(MIN_QUOTES, MAX_QUOTES),
            known: HashSet::new(),
            said: Vec::new(),
            said_places: HashMap::new(),
            sessions: BTreeSet::new(),
            looked_at: LookedAt::default(),
            summary: Summary::default(),
        }
    }

    pub(crate) fn summary(&mut self) -> &mut Summary {
        &mut self.summary
    }

    pub(crate) fn add(&mut self, findings: Findings, bytes: u64) {
        let Findings { summary, sessions, turns, first, last, left_out, verdicts, said, headless, pasts: _ } =
            findings;
        let looked_at = &mut self.looked_at;
        if summary.files > 0 {
            looked_at.bytes += bytes;
        }
        looked_at.turns += turns;
        looked_at.left_out += left_out;
        looked_at.first = [looked_at.first, first].into_iter().flatten().min();
        looked_at.last = [looked_at.last, last].into_iter().flatten().max();
        self.sessions.extend(sessions);
        self.summary.add(summary);
        for judged in verdicts {
            if !self.known.insert(judged.key) {
                continue;
            }
            let Some(counts) = self.places.get(&judged.line).and_then(|place| self.outcomes.get_mut(*place))
            else {
                continue;
            };
            let kept = match judged.quote.verdict {
                Finding::Followed => &mut counts.followed,
                Finding::Missed => &mut counts.missed,
                Finding::Contradicted => &mut counts.contradicted,
                Finding::Unclear => &mut counts.unclear,
            };
            counts.unnamed += u64::from(judged.unnamed);
            kept.add(judged.quote, self.max_quotes);
        }
        for (key, said) in said {
            if self.known.insert(key) {
                self.add_said(said);
            }
        }
        for key in headless {
            self.looked_at.headless += u64::from(self.known.insert(key));
        }
    }

    fn add_said(&mut self, said: Said) {
        let words: Vec<&str> =
            said.quote.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let words = words.join(" ").to_lowercase();
        if let Some(known) = self.said_places.get(&words).and_then(|place| self.said.get_mut(*place)) {
            let times = known.times + 1;
            if said.ts >= known.ts {
                *known = said;
            }
            known.times = times;
        } else if self.said.len() < MAX_SAID {
            self.said_places.insert(words, self.said.len());
            self.said.push(said);
        }
    }

    pub(crate) fn report(self, rules: Rules) -> Report {
        let turns = self.looked_at.turns;
        let outcomes = rules.rules.into_iter().zip(self.outcomes).map(|(rule, counts)| {
            let Counts { followed, missed, contradicted, unclear, unnamed: counts_unnamed } = counts;
            let by_check = |kept: &Kept| kept.n - kept.by_person;
            let tried = Tried {
                turns,
                followed: by_check(&followed),
                missed: by_check(&missed),
                unnamed: counts_unnamed,
            };
            let doubt = tried.trust(&rule.check).doubt().map(str::to_owned);
            let counted = |kept: &Kept| if doubt.is_some() { kept.by_person } else { kept.n };
            let turns = TurnCounts {
                followed: counted(&followed),
                missed: counted(&missed),
                contradicted: counted(&contradicted),
                unclear: counted(&unclear),
                waiting: if doubt.is_some() { 0 } else { unclear.waiting },
            };
            let kept = [followed, missed, contradicted, unclear];
            let mut quotes: Vec<Quote> = kept.into_iter().flat_map(|kept| kept.quotes).collect();
            quotes.retain(|quote| doubt.is_none() || quote.by_person);
            quotes.sort_by(|a, b| b.ts.cmp(&a.ts).then_with(|| a.event.cmp(&b.event)));
            RuleReport { rule, turns, doubt, quotes }
        });
        let mut looked_at = self.looked_at;
        for (agent, _) in self.sessions {
            *looked_at.sessions.entry(agent).or_default() += 1;
        }
        let mut said = self.said;
        said.sort_by(|a, b| b.ts.cmp(&a.ts).then_with(|| a.event.cmp(&b.event)));
        Report { rules: outcomes.collect(), said, looked_at, summary: self.summary }
    }
}
