//! What the evidence asks for: a function of the broadcast, the tally behind the ledger and the journal.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use subcortex_checks::Weighed;
use subcortex_memory::{ChangeKind, EvidenceRef, Journal, Line, LineHash, Rate};

use crate::stood::Stood;
use crate::tally::sessions_of;
use crate::{BroadcastMode, CompiledBroadcast, Sample, Settings, Tally};

use super::claim::Claim;
use super::page::Page;
use super::probation::{Trial, Verdict, probation};
use super::proposals;
use super::settled::{self, Fate, Resting, Settled};
use super::signals::Wishes;
use super::{lines, spent};

/// Of how many rules one may be rewritten or removed in one edit; at least one may.
pub(crate) const RULES_FOR_EACH_LOSS: usize = 4;
/// How many rules one edit adds at most.
pub(crate) const MAX_ADDED: usize = 20;

/// Why a change waits whose words are no rule.
pub(super) const NO_RULE: &str = "the words could not be made a rule that stands alone";

/// Why a change waits that rests on what was imported alone.
pub(super) const HISTORY: &str = "it was said before this home existed";

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Request {
    /// Nobody: the weaver looks after its memory.
    Reflective,
    /// A task. The least time between two edits does not hold.
    Directed {
        /// The lines that it cites: where there are any, nothing else is touched.
        lines: Vec<usize>,
        /// What it says against these lines, if it does.
        claim: Option<Claim>,
    },
}

/// What a plan is made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Situation<'a> {
    /// The broadcast.
    pub compiled: &'a CompiledBroadcast,
    /// Whether there is a `memory/priority.md`.
    pub priority_exists: bool,
    /// What all evidence says.
    pub tally: &'a Tally,
    /// All edits.
    pub journal: &'a Journal,
    /// What a person can have seen of them; `None` when nobody knows.
    pub(crate) stood: Option<&'a Stood>,
    /// Proposals that wait already, or that a person rejected: they are not made again.
    pub known_proposals: &'a BTreeSet<String>,
    /// The rules that a person rejected, by the hash of what they say, and when.
    pub rejected_rules: &'a BTreeMap<String, Timestamp>,
    /// The dossiers that exist: `topic-x`, `entity-x`.
    pub dossiers: &'a BTreeSet<String>,
    /// What a person set.
    pub settings: Settings,
    /// The moment.
    pub now: Timestamp,
    /// When the home came into being, if there can be something from before.
    pub began: Option<Timestamp>,
}

impl Situation<'_> {
    /// When a person rejected the rule that these words would bring in.
    pub(super) fn rejected_at(&self, project: Option<&str>, text: &str) -> Option<Timestamp> {
        if self.rejected_rules.is_empty() {
            return None;
        }
        self.rejected_rules.get(&proposals::rule_of(project, text)).copied()
    }

    /// Whether a person does not want the rule that a change would bring in, in whatever words.
    fn is_rejected(&self, change: &PlannedChange) -> bool {
        let text = change.text.as_deref();
        text.is_some_and(|text| self.rejected_at(change.project.as_deref(), text).is_some())
    }

    /// Whether a change rests on nothing that came since the home exists.
    fn is_history(&self, change: &PlannedChange) -> bool {
        matches!((self.began, change.newest), (Some(began), Some(newest)) if newest < began)
    }
}

/// Where a line goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The end of its section.
    SectionEnd,
    /// The top of its list.
    ListTop,
}

/// A line as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Its number.
    pub number: usize,
    /// Its identity.
    pub hash: LineHash,
}

impl Target {
    pub(super) fn of(line: &Line) -> Self {
        Self { number: line.number, hash: line.hash.clone() }
    }

    pub(super) fn reference(&self) -> String {
        format!("{}:L{}", subcortex_memory::MemoryFolder::BROADCAST_REF, self.number)
    }
}

/// One change that the evidence asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedChange {
    /// What is to happen.
    pub kind: ChangeKind,
    /// To which line; none for a new one.
    pub line: Option<Target>,
    /// The rule's new words, without a list mark.
    pub text: Option<String>,
    /// The section it goes to, or stands in.
    pub project: Option<String>,
    /// Where in it.
    pub place: Place,
    /// Why, in a sentence.
    pub why: String,
    /// All that it rests on, oldest first.
    pub evidence: Vec<EvidenceRef>,
    /// When the newest of that was said or done.
    pub newest: Option<Timestamp>,
    /// How the line fared so far.
    pub rate_before: Option<Rate>,
    /// How well it is founded: what is kept when not everything fits into one edit.
    pub strength: Strength,
    /// Why a person's words are taken for a wish that lasts; nothing for what is no new wish.
    pub weighed: Weighed,
}

/// How many pieces of evidence an edit names: the latest.
const MAX_EVIDENCE: usize = 10;

impl PlannedChange {
    /// What is named of all that it rests on.
    pub(super) fn named_evidence(&self) -> Vec<EvidenceRef> {
        let skipped = self.evidence.len().saturating_sub(MAX_EVIDENCE);
        self.evidence.iter().skip(skipped).cloned().collect()
    }

    /// The fragments that it rests on.
    pub(super) fn fragments(&self) -> impl Iterator<Item = String> {
        self.evidence.iter().map(|evidence| evidence.fragment.clone())
    }
}

/// How well a change is founded. The greater, the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Strength {
    /// A standing instruction.
    pub standing: bool,
    /// In how many sessions it was said.
    pub sessions: usize,
}

/// A change that waits for a person's yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedProposal {
    /// Its name: the same for the same change.
    pub id: String,
    /// What it would change.
    pub change: PlannedChange,
    /// Why it waits.
    pub waits_because: String,
    /// Whether all that it wants is words that are a rule.
    pub wants_words: bool,
}

/// What the evidence asks for. An empty plan: no ledger entry asks for a change.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Plan {
    /// Changes to be made now, as one edit.
    pub changes: Vec<PlannedChange>,
    /// Whether the first line has to become `@priority.md`.
    pub priority_line: bool,
    /// Changes that wait for a yes, and are not known yet.
    pub proposals: Vec<PlannedProposal>,
    /// The same of wishes that were decided on before, and were not worked out again.
    pub resting: Vec<Resting>,
    /// What is not done, and why: references only.
    pub held_back: Vec<String>,
    /// How many changes wait because one edit has room for so many only.
    pub left_over: usize,
    /// Edits that did clearly worse than what was there before.
    pub reverts: Vec<Trial>,
    /// The fragments that its changes rest on, also those that wait for a later edit.
    pub rests_on: BTreeSet<String>,
    /// When what nobody has confirmed yet is looked into again.
    pub waits_until: Option<Timestamp>,
}

impl Plan {
    /// Whether nothing is to be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
            && self.proposals.is_empty()
            && self.resting.is_empty()
            && self.reverts.is_empty()
            && !self.priority_line
    }
}

/// What the rules say about one line or one signal.
#[derive(Debug)]
pub(super) enum Wish {
    /// Nothing is to be done.
    Keep,
    /// A change.
    Change(PlannedChange),
    /// A change that a person has to say yes to, and why.
    Propose(PlannedChange, String),
    /// A change that a person has to say yes to, but only because its words are no rule: it would be made else.
    Unworded(PlannedChange),
    /// Nothing is done, and why.
    Hold(String),
}

/// Decides what is to be done. The same situation always gives the same plan; what is settled only saves the work.
pub(super) fn plan(situation: &Situation<'_>, request: &Request, settled: &mut Settled) -> Plan {
    let spent = spent::Spent::of(situation.journal);
    let mut plan =
        Plan { priority_line: needs_priority(situation), reverts: worse(situation), ..Plan::default() };
    for wish in lines::wishes(situation, request, &spent) {
        plan.take(decide(situation, wish), situation);
    }
    if !matches!(request, Request::Directed { lines, .. } if !lines.is_empty()) {
        let wishes = Wishes::of(situation, &spent);
        plan.take_wishes(&wishes, situation, settled);
        plan.held_back.extend(wishes.quarantined().into_iter().filter_map(|wish| match wish {
            Wish::Hold(why) => Some(why),
            Wish::Keep | Wish::Change(_) | Wish::Propose(..) | Wish::Unworded(_) => None,
        }));
    }
    if situation.settings.mode == BroadcastMode::Propose && std::mem::take(&mut plan.priority_line) {
        plan.held_back.push("memory/CLAUDE.md does not begin with `@priority.md`; `broadcast.mode` is `propose`: put it there by hand".into());
    }
    plan.rests_on = plan.changes.iter().flat_map(PlannedChange::fragments).collect();
    keep_what_fits(&mut plan, situation.compiled.broadcast.lines.len());
    plan
}

fn needs_priority(situation: &Situation<'_>) -> bool {
    let exists = situation.priority_exists && situation.compiled.broadcast.text.is_some();
    exists && !Page::of(&situation.compiled.broadcast).begins_with_priority()
}

fn worse(situation: &Situation<'_>) -> Vec<Trial> {
    let trials = probation(situation.journal, situation.tally).into_iter();
    trials
        .filter(|trial| {
            trial.verdict == Verdict::Worse && situation.compiled.broadcast.by_hash(&trial.hash).is_some()
        })
        .collect()
}

/// What a wish comes to in a situation.
#[derive(Debug)]
enum Decided {
    Nothing,
    Change(PlannedChange),
    Proposal(PlannedProposal),
    Held(String),
}

fn decide(situation: &Situation<'_>, wish: Wish) -> Decided {
    let (change, why, wants_words) = match wish {
        Wish::Keep => return Decided::Nothing,
        Wish::Hold(why) => return Decided::Held(why),
        Wish::Change(change) if situation.is_history(&change) => (change, HISTORY.into(), false),
        Wish::Change(change) if situation.settings.mode == BroadcastMode::Propose => {
            (change, "`broadcast.mode` is `propose`".into(), false)
        }
        Wish::Change(change) => return Decided::Change(change),
        Wish::Propose(change, why) => (change, why, false),
        Wish::Unworded(change) => (change, NO_RULE.into(), true),
    };
    if situation.is_rejected(&change) {
        return Decided::Nothing;
    }
    let id = proposals::id_of(&change);
    Decided::Proposal(PlannedProposal { id, change, waits_because: why, wants_words })
}

impl Plan {
    fn take(&mut self, decided: Decided, situation: &Situation<'_>) {
        match decided {
            Decided::Nothing => {}
            Decided::Change(change) => self.changes.push(change),
            Decided::Held(why) => self.held_back.push(why),
            Decided::Proposal(proposal) if self.knows(&proposal.id, situation) => {}
            Decided::Proposal(proposal) => self.proposals.push(proposal),
        }
    }

    /// Whether a proposal waits already, was rejected, or is in this plan.
    fn knows(&self, id: &str, situation: &Situation<'_>) -> bool {
        situation.known_proposals.contains(id)
            || self.proposals.iter().any(|other| other.id == id)
            || self.resting.iter().any(|other| other.id == id)
    }

    /// Takes in what people wish for. What was decided on before is not worked out again.
    fn take_wishes(&mut self, wishes: &Wishes<'_>, situation: &Situation<'_>, settled: &mut Settled) {
        for (key, group) in wishes.groups() {
            let (name, rests_on) = (settled::name_of(key), group.rests_on());
            match settled.fate(&name, &rests_on) {
                Some(Fate::Nothing) => {}
                Some(Fate::Held(why)) => self.held_back.push(why.clone()),
                Some(Fate::Asked(remembered)) if self.knows(&remembered.id, situation) => {}
                Some(Fate::Asked(remembered)) => self.resting.push(remembered.clone()),
                None => {
                    let all = wishes.wishes(key, group).into_iter().map(|wish| decide(situation, wish));
                    let decided: Vec<Decided> = all.collect();
                    let fate = fate_of(&name, &decided).filter(|_| !group.names_a_page());
                    settled.remember(name, rests_on, fate);
                    decided.into_iter().for_each(|one| self.take(one, situation));
                }
            }
        }
    }
}

/// What can be remembered of what a wish comes to; nothing of changes, which are to be made, nor of several decisions.
fn fate_of(wish: &str, decided: &[Decided]) -> Option<Fate> {
    match decided {
        [] | [Decided::Nothing] => Some(Fate::Nothing),
        [Decided::Held(why)] => Some(Fate::Held(why.clone())),
        [Decided::Change(_)] | [_, _, ..] => None,
        [Decided::Proposal(PlannedProposal { id, change, wants_words, .. })] => Some(Fate::Asked(Resting {
            wish: wish.to_owned(),
            id: id.clone(),
            points: change.weighed.points(),
            is_new_rule: change.kind == ChangeKind::Add,
            newest: change.newest,
            wants_words: *wants_words,
        })),
    }
}

/// Keeps at most a quarter of the rules from going at once, and an edit readable. The best founded come first.
fn keep_what_fits(plan: &mut Plan, rules: usize) {
    plan.changes.sort_by_key(|change| std::cmp::Reverse(change.strength));
    let (mut losses_left, mut adds_left) = ((rules / RULES_FOR_EACH_LOSS).max(1), MAX_ADDED);
    let (held, wanted) = (&mut plan.held_back, plan.changes.len());
    plan.changes.retain(|change| match change.kind {
        ChangeKind::Rewrite | ChangeKind::Remove => {
            let fits = take(&mut losses_left);
            if !fits {
                let line = change.line.as_ref().map(Target::reference).unwrap_or_default();
                held.push(format!(
                    "{line} waits: at most a quarter of the rules is rewritten or removed in one edit"
                ));
            }
            fits
        }
        ChangeKind::Add => {
            let fits = take(&mut adds_left);
            if !fits {
                held.push(format!(
                    "{} waits: at most {MAX_ADDED} rules are added in one edit",
                    first_fragment(change)
                ));
            }
            fits
        }
        ChangeKind::Move => true,
    });
    plan.left_over = wanted - plan.changes.len();
}

fn take(left: &mut usize) -> bool {
    let fits = *left > 0;
    *left = left.saturating_sub(1);
    fits
}

pub(super) fn first_fragment(change: &PlannedChange) -> &str {
    change.evidence.first().map_or("a change without evidence", |evidence| evidence.fragment.as_str())
}

pub(super) fn evidence_of<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Vec<EvidenceRef> {
    let refs = samples.into_iter().map(|sample| EvidenceRef {
        fragment: sample.path.clone(),
        event_id: sample.event_id.clone(),
        session_key: sample.session_key.clone(),
    });
    refs.collect()
}

/// When the newest of these was said or done.
pub(super) fn newest_of<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Option<Timestamp> {
    samples.into_iter().map(Sample::moment).max()
}

/// In how many sessions something was said, and whether as a standing instruction. What has no session is in none.
pub(super) fn strength_of<'a>(samples: impl IntoIterator<Item = &'a Sample> + Clone) -> Strength {
    let said = samples.clone().into_iter();
    let sessions = sessions_of(
        said.filter_map(|sample| Some((sample.ts, &*sample.quote, sample.session_key.as_deref()?))),
    );
    let standing =
        samples.into_iter().any(|sample| sample.signal == subcortex_memory::SignalKind::StandingInstruction);
    Strength { standing, sessions: sessions.len() }
}

impl Strength {
    /// Whether it carries an edit: two independent sessions, or one standing instruction.
    pub(super) fn suffices(self) -> bool {
        self.standing || self.sessions >= 2
    }
}
