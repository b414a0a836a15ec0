//! What no line says yet: a person's wish becomes a rule when enough speaks for it that it is meant to last, and is asked about when some
//! does ([`weigh`]). That it came again in another session speaks for it, too.
//!
//! Words that reached the log through a tool, a page, a file or another agent stay in quarantine: nothing is made of them,
//! and nothing is proposed, until a person says the same first-hand.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use subcortex_checks::{
    ASKED, Besides, ENTERS, Weighed, is_meant, is_of_one_project, is_reported, is_understood, reads_as_rule,
    weigh, worded_to_ask, worded_to_ask_again,
};
use subcortex_memory::{ChangeKind, Line, Origin, Rate, SignalKind};

use crate::{Candidate, Sample};

use super::gates;
use super::known::{Known, holds_for};
use super::lines::is_wanted_elsewhere;
use super::plan::{
    NO_RULE, Place, PlannedChange, Situation, Strength, Target, Wish, evidence_of, newest_of, strength_of,
};
use super::settled::digest_of;
use super::spent::{Answer, Past, Spent};
use super::stance::Meaning;
use super::wording::{self, Words};

/// Why a change waits that rests on hearsay.
const ONLY_TOLD: &str = "no field of its record says that a person typed it, or others said it before: in a tool's answer, a file, another session";
/// Why a wish waits that was not said in words that leave no doubt.
const NOT_PLAIN: &str = "nobody can tell for sure that it is meant for good, in these words";
/// Why a wish waits that may be passed on.
const IN_COMPANY: &str = "its message holds other text as well, or its words stood in the session before, so it may be somebody else's words";
/// Why a wish waits that nobody can hold against what is done.
const NOT_UNDERSTOOD: &str =
    "it cannot be tested as it stands, so it may be about what is built and not about how you work";
/// Why a wish waits that was said in a folder without a usable name.
pub(super) const NO_HEADING: &str =
    "the folder in which it was said has no name that a heading can have, so it would hold everywhere";
/// Why a wish waits that is for one project, nobody knows which.
const NO_PLACE: &str = "it is meant for one project, and it is not known in which one it was said";
/// Why a wish waits that would give or take rights.
const SENSITIVE: &str = "it is about permissions, credentials or recipients";

/// Why it waits that a rule of two projects holds for all.
const IN_TWO_PROJECTS: &str = "it was asked for in two projects, and nobody knows whether the others want it";

/// From how many projects on a wish holds for all, unasked. What two of them want the third may do otherwise.
const PROJECTS_FOR_ALL: usize = 3;
/// From how many on a person is asked whether it does.
const PROJECTS_TO_ASK: usize = 2;

/// The wishes of people, and what they are held against.
pub(super) struct Wishes<'a> {
    situation: &'a Situation<'a>,
    spent: &'a Spent<'a>,
    known: Known<'a>,
    pasts: OnceCell<BTreeMap<String, Past>>,
    groups: BTreeMap<String, Group<'a>>,
}

impl<'a> Wishes<'a> {
    pub(super) fn of(situation: &'a Situation<'a>, spent: &'a Spent<'a>) -> Self {
        let groups = groups_of(&situation.tally.candidates);
        Self { situation, spent, known: Known::of(situation.compiled), pasts: OnceCell::new(), groups }
    }

    /// All that asks for the same, by what it asks for.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&str, &Group<'a>)> {
        self.groups.iter().map(|(key, group)| (key.as_str(), group))
    }

    /// What the rules say about a group, place by place.
    pub(super) fn wishes(&self, key: &str, group: &Group<'_>) -> Vec<Wish> {
        if weighed(&group.heard).points() < ASKED {
            return Vec::new();
        }
        let pasts = self.pasts.get_or_init(|| self.spent.rules(self.situation.stood));
        let past = pasts.get(key);
        let case = Case { situation: self.situation, spent: self.spent, known: &self.known, past, key };
        let mut wishes = case.wishes(&group.said);
        if wishes.is_empty() && group.heard.len() > group.said.len() {
            wishes = case.wishes(&group.heard).into_iter().map(|wish| asked(wish, ONLY_TOLD)).collect();
        }
        let cannot_name = |sample: &&Sample| {
            sample.project.as_deref().is_some_and(|project| self.known.heading_for(project).is_none())
        };
        let lacks_heading = group.heard.iter().any(cannot_name);
        if lacks_heading {
            wishes = wishes.into_iter().map(|wish| asked(wish, NO_HEADING)).collect();
        }
        wishes
    }

    /// What waits until a person says it first-hand.
    pub(super) fn quarantined(&self) -> Option<Wish> {
        quarantined(&self.situation.tally.candidates)
    }
}

/// All that asks for the same rule.
#[derive(Debug, Default)]
pub(super) struct Group<'a> {
    /// What people said first-hand.
    said: Vec<&'a Sample>,
    /// The same, and what only a text says that they said.
    heard: Vec<&'a Sample>,
}

impl Group<'_> {
    /// What it rests on, as a hash.
    pub(super) fn rests_on(&self) -> String {
        let [said, heard] = [&self.said, &self.heard].map(|samples| digest_of(samples.iter().copied()));
        format!("{said}{heard}")
    }

    /// Whether it speaks of a page that may come or go.
    pub(super) fn names_a_page(&self) -> bool {
        self.heard.iter().any(|sample| {
            sample.quote.contains("[[") || sample.rule.as_ref().is_some_and(|rule| rule.contains("[["))
        })
    }
}

/// The wishes of people, by the rule they ask for.
fn groups_of(candidates: &BTreeSet<Candidate>) -> BTreeMap<String, Group<'_>> {
    let mut groups: BTreeMap<String, Group<'_>> = BTreeMap::new();
    for Candidate { sample, key, origin } in candidates.iter().filter(|one| one.sample.signal.is_a_wish()) {
        match origin {
            Origin::Person => {
                let group = groups.entry(key.clone()).or_default();
                group.said.push(sample);
                group.heard.push(sample);
            }
            Origin::Hearsay => groups.entry(key.clone()).or_default().heard.push(sample),
            Origin::Agent | Origin::Tool => {}
        }
    }
    groups
}

/// What speaks for it that one of these is a wish that lasts, and against it: of the one for which most does.
fn weighed(samples: &[&Sample]) -> Weighed {
    let again = strength_of(samples.iter().copied()).sessions >= 2;
    let all = samples.iter().map(|sample| weigh(&sample.quote, &besides(sample, again)));
    all.max_by_key(Weighed::points).unwrap_or_default()
}

fn besides(sample: &Sample, again: bool) -> BTreeSet<Besides> {
    let mut known = BTreeSet::new();
    known.extend(again.then_some(Besides::Again));
    known.extend(match (sample.by_model, sample.signal) {
        (true, SignalKind::StandingInstruction) => Some(Besides::ModelIsSure),
        (true, _) => Some(Besides::ModelMaybe),
        (false, SignalKind::Correction) => Some(Besides::Corrects),
        (false, _) => None,
    });
    known
}

/// A wish that a person has to say yes to, and why.
fn asked(wish: Wish, why: &str) -> Wish {
    match wish {
        Wish::Change(change) | Wish::Unworded(change) => Wish::Propose(change, why.into()),
        Wish::Keep | Wish::Propose(..) | Wish::Hold(_) => wish,
    }
}

fn quarantined(candidates: &BTreeSet<Candidate>) -> Option<Wish> {
    let is_second_hand = |candidate: &&Candidate| match candidate.origin {
        Origin::Person | Origin::Hearsay => false,
        Origin::Agent | Origin::Tool => candidate.sample.signal.is_a_wish(),
    };
    let second_hand: Vec<&Candidate> = candidates.iter().filter(is_second_hand).collect();
    let last = second_hand.last()?;
    Some(Wish::Hold(format!(
        "{} of the signals came through a tool, a page, a file or an agent and stay in quarantine (the latest: {})",
        second_hand.len(),
        last.sample.path
    )))
}

struct Case<'a> {
    situation: &'a Situation<'a>,
    spent: &'a Spent<'a>,
    known: &'a Known<'a>,
    past: Option<&'a Past>,
    key: &'a str,
}

impl Case<'_> {
    /// What is to be done; nothing where it stands already, or too little speaks for it.
    fn wishes(&self, samples: &[&Sample]) -> Vec<Wish> {
        let Some((text, _)) = words_of(samples) else { return Vec::new() };
        let standing = self.known.saying(&text, self.key);
        if standing.iter().any(|line| line.project.is_none()) {
            return self.in_sections_as_well(&standing);
        }
        // Evidence has had its effect once; when the rule is gone, only what came later counts.
        let spent_until = self.past.filter(|_| standing.is_empty()).map(|past| past.until);
        // So has what a person answered with words of their own, where they did.
        let mut answers = self.spent.answers(samples);
        answers.retain(|answer| !standing.iter().any(|line| line.project.as_deref() == answer.section));
        let fresh: Vec<&Sample> = samples
            .iter()
            .copied()
            .filter(|sample| spent_until.is_none_or(|until| sample.moment() > until))
            .filter(|sample| !answers.iter().any(|answer| self.is_answered(sample, *answer)))
            .collect();
        let weighed = weighed(&fresh);
        let Some((text, restated)) = words_of(&fresh).filter(|_| weighed.points() >= ASKED) else {
            return Vec::new();
        };
        let rule = Rule::of(&fresh, text, restated, weighed);
        let asking = self.asking(&fresh, &standing);
        let wants_all = asking.len() >= PROJECTS_FOR_ALL && !rule.is_of_one_project();
        let has_no_section = fresh.iter().any(|sample| self.section_of(sample).is_none());
        if (wants_all || has_no_section) && !self.is_rejected(None, &rule) {
            return self.for_all(&standing, rule);
        }
        let mut wishes = Vec::new();
        for section in self.sections(&fresh, &standing, &rule) {
            let wish = self.at(Some(section), rule.clone());
            let asks_or_rewrites = !matches!(&wish, Wish::Change(change) if change.kind == ChangeKind::Add);
            wishes.push(wish);
            // One question at a time; and what is rewritten for all needs no line of its own.
            if asks_or_rewrites {
                return wishes;
            }
        }
        let may_hold_for_all = asking.len() >= PROJECTS_TO_ASK && !rule.is_of_one_project();
        if may_hold_for_all && rule.enters && !self.is_rejected(None, &rule) {
            wishes.push(asked(self.at(None, rule), IN_TWO_PROJECTS));
        }
        wishes
    }

    /// Lines of ours that say for one project what a line says for all.
    fn in_sections_as_well(&self, standing: &[&Line]) -> Vec<Wish> {
        let ours = standing.iter().filter(|line| line.project.is_some() && self.spent.was_added(&line.hash));
        ours.map(|line| Wish::Change(self.not_needed(line))).collect()
    }

    /// Whether a person had heard these words when they said yes.
    fn is_answered(&self, sample: &Sample, answer: Answer<'_>) -> bool {
        let is_there = answer.section.is_none() || self.section_of(sample) == answer.section;
        is_there && sample.moment() <= answer.at
    }

    fn section_of<'s>(&'s self, sample: &'s Sample) -> Option<&'s str> {
        sample.project.as_deref().and_then(|project| self.known.heading_for(project))
    }

    /// The projects that ask for it and mean more than themselves, since it last held for all.
    fn asking<'s>(&'s self, fresh: &[&'s Sample], standing: &[&'s Line]) -> BTreeSet<&'s str> {
        let since = self.past.and_then(|past| past.until_in(None));
        let is_later = |sample: &&Sample| since.is_none_or(|since| sample.moment() > since);
        let said = fresh.iter().copied().filter(is_later).filter(|sample| !is_of_one_project(&sample.quote));
        let stand = standing.iter().filter(|_| since.is_none()).filter_map(|line| line.project.as_deref());
        said.filter_map(|sample| self.section_of(sample)).chain(stand).collect()
    }

    /// The sections that lack it, of the projects in which it was asked for since it stood there; the latest first.
    fn sections<'s>(&'s self, fresh: &[&'s Sample], standing: &[&Line], rule: &Rule<'_>) -> Vec<&'s str> {
        let mut found = Vec::new();
        for sample in fresh.iter().rev() {
            let Some(section) = self.section_of(sample) else { continue };
            let until = self.past.and_then(|past| past.until_in(Some(section)));
            let stands = standing.iter().any(|line| line.project.as_deref() == Some(section));
            if !stands
                && until.is_none_or(|until| sample.moment() > until)
                && !found.contains(&section)
                && !self.is_rejected(Some(section), rule)
            {
                found.push(section);
            }
        }
        found
    }

    /// Who said no has heard what was said before.
    fn is_rejected(&self, scope: Option<&str>, rule: &Rule<'_>) -> bool {
        self.situation.rejected_at(scope, &rule.text).is_some_and(|rejected_at| {
            let since = rule.fresh.iter().copied().filter(|sample| sample.moment() > rejected_at);
            !strength_of(since.collect::<Vec<_>>()).suffices()
        })
    }

    /// A rule that holds for all. A line that we wrote for one project moves, and the others of ours are not needed any more.
    fn for_all(&self, standing: &[&Line], rule: Rule<'_>) -> Vec<Wish> {
        let mut ours: Vec<&Line> =
            standing.iter().copied().filter(|line| self.spent.was_added(&line.hash)).collect();
        let Some(at) = ours.iter().position(|line| !is_of_one_project(&line.text)) else {
            return vec![self.at(None, rule)];
        };
        let moved = ours.remove(at);
        if !rule.enters {
            let doubt = rule.doubt().to_owned();
            return vec![Wish::Propose(self.moved_to_all(moved, rule), doubt)];
        }
        let rest = ours.into_iter().map(|line| self.not_needed(line));
        let mut changes = vec![self.moved_to_all(moved, rule)];
        changes.extend(rest);
        changes.into_iter().map(Wish::Change).collect()
    }

    /// A rule for a section, or for all.
    fn at(&self, scope: Option<&str>, rule: Rule<'_>) -> Wish {
        if let Err(why) = self.admit(&rule.text, scope) {
            let last = rule.fresh.last().map_or("", |sample| sample.path.as_str());
            return Wish::Hold(format!("no rule is made of {last}: {why}"));
        }
        let is_sensitive = gates::is_sensitive(&rule.text) && !rule.strength.standing;
        // "In this repo", said nowhere: nobody knows which one is meant.
        let lacks_its_place = scope.is_none() && rule.fresh.iter().all(|said| is_of_one_project(&said.quote));
        let doubt = if lacks_its_place { NO_PLACE } else { rule.doubt() };
        let (restated, enters) = (rule.restated, rule.enters && !lacks_its_place);
        if let Some(line) = self.contradicted(&rule.text, scope).filter(|_| restated && !is_sensitive) {
            let change = self.instead_of(line, rule);
            return if enters { Wish::Change(change) } else { Wish::Propose(change, doubt.into()) };
        }
        let is_rule = reads_as_rule(&rule.text);
        // Who says it in two sessions means it, and a model that is sure has understood it.
        let is_known = rule.strength.sessions >= 2
            || rule.fresh.iter().any(|sample| besides(sample, false).contains(&Besides::ModelIsSure));
        let is_understood = is_known || is_understood(&rule.text);
        let stands_nowhere = self.known.saying(&rule.text, self.key).is_empty();
        let taken_out = self.past.is_some_and(|past| past.taken_out_by_hand) && stands_nowhere;
        let change = rule.into_rule(scope);
        if taken_out && restated {
            return Wish::Propose(change, "a person took this rule out by hand once".into());
        }
        match (restated, enters) {
            (_, true) if is_sensitive => Wish::Propose(change, SENSITIVE.into()),
            (false, true) if !taken_out => Wish::Unworded(change),
            (false, _) => Wish::Propose(change, NO_RULE.into()),
            (true, true) if is_rule && !is_understood => Wish::Propose(change, NOT_UNDERSTOOD.into()),
            (true, true) if is_rule => Wish::Change(change),
            (true, _) => Wish::Propose(change, doubt.into()),
        }
    }

    fn admit(&self, text: &str, scope: Option<&str>) -> Result<(), &'static str> {
        if let Some(project) = scope {
            gates::admit_project(project)?;
        }
        gates::admit(text, &|name| self.situation.dossiers.contains(name))
    }

    /// The line that says the opposite where the rule is to hold, and that nobody wants anywhere else.
    fn contradicted(&self, text: &str, scope: Option<&str>) -> Option<&Line> {
        let holds = |line: &&Line| line.project.is_none() || line.project.as_deref() == scope;
        let elsewhere = |project: &str| scope.is_some_and(|section| !holds_for(section, project));
        let said = Meaning::of_words(text)?;
        let lines = self.known.meant().filter(|(line, _)| holds(line));
        let mut against = lines.filter(|(_, meaning)| said.is_against(meaning));
        let line = against.find(|(line, meaning)| {
            line.project.is_some() || !is_wanted_elsewhere(self.situation, line, &meaning.key, elsewhere)
        });
        line.map(|(line, _)| line)
    }

    fn instead_of(&self, line: &Line, rule: Rule<'_>) -> PlannedChange {
        PlannedChange {
            kind: ChangeKind::Rewrite,
            line: Some(Target::of(line)),
            project: line.project.clone(),
            rate_before: self.rate_of(line),
            why: "a person asks for the opposite".into(),
            ..rule.into_rule(None)
        }
    }

    fn moved_to_all(&self, line: &Line, rule: Rule<'_>) -> PlannedChange {
        PlannedChange {
            kind: ChangeKind::Move,
            line: Some(Target::of(line)),
            text: None,
            rate_before: self.rate_of(line),
            why: "it is asked for beyond single projects, so it holds for all".into(),
            ..rule.into_rule(None)
        }
    }

    fn not_needed(&self, line: &Line) -> PlannedChange {
        PlannedChange {
            kind: ChangeKind::Remove,
            line: Some(Target::of(line)),
            text: None,
            project: line.project.clone(),
            place: Place::SectionEnd,
            why: "another line says it for all".into(),
            evidence: Vec::new(),
            newest: None,
            rate_before: self.rate_of(line),
            strength: Strength::default(),
            weighed: Weighed::default(),
        }
    }

    fn rate_of(&self, line: &Line) -> Option<Rate> {
        self.situation.tally.lines.get(&line.hash).map(crate::LineTally::rate)
    }
}

/// A new rule, and what it rests on.
#[derive(Debug, Clone)]
struct Rule<'a> {
    fresh: &'a [&'a Sample],
    text: String,
    /// Whether the text is a rule that needs nothing beside it.
    restated: bool,
    strength: Strength,
    weighed: Weighed,
    /// Whether it lasts and stands alone.
    enters: bool,
}

impl<'a> Rule<'a> {
    fn of(fresh: &'a [&'a Sample], text: String, restated: bool, weighed: Weighed) -> Self {
        let strength = strength_of(fresh.iter().copied());
        // Who says it in two sessions means it, however it is put; unless they tell what somebody else wants.
        let is_meant = |sample: &Sample| {
            !is_reported(&sample.quote) && (strength.sessions >= 2 || is_meant(&sample.quote))
        };
        let stands_alone = fresh.iter().any(|sample| !sample.in_company && is_meant(sample));
        let enters = weighed.points() >= ENTERS && stands_alone;
        Self { fresh, text, restated, strength, weighed, enters }
    }

    /// Why it waits if it does not enter.
    fn doubt(&self) -> &'static str {
        if self.weighed.points() >= ENTERS && !self.enters { IN_COMPANY } else { NOT_PLAIN }
    }

    /// Whether its words would be wrong above all projects.
    fn is_of_one_project(&self) -> bool {
        is_of_one_project(&self.text)
    }

    fn into_rule(self, project: Option<&str>) -> PlannedChange {
        let Self { fresh, text, strength, weighed, .. } = self;
        let why = if strength.standing {
            "a person gave it as a standing instruction"
        } else if strength.sessions >= 2 {
            "a person asked for it in more than one session"
        } else {
            "a person asked for it"
        };
        PlannedChange {
            kind: ChangeKind::Add,
            line: None,
            text: Some(text).filter(|text| !text.is_empty()),
            project: project.map(str::to_owned),
            place: Place::SectionEnd,
            why: why.into(),
            evidence: evidence_of(fresh.iter().copied()),
            newest: newest_of(fresh.iter().copied()),
            rate_before: None,
            strength,
            weighed,
        }
    }
}

/// The latest words as a rule that needs nothing beside it, or else as they can be asked about; and whether they are such a rule.
fn words_of(samples: &[&Sample]) -> Option<(String, bool)> {
    // What a model worded was held against the person's words before.
    let stands = |sample: &Sample, text: &str| sample.rule.is_some() || reads_as_rule(text);
    let rule = samples.iter().rev().find_map(|sample| match wording::of_sample(sample) {
        Words::Rule(text) => Some(text).filter(|text| stands(sample, text)),
        Words::Removal | Words::Unclear => None,
    });
    let came_again = strength_of(samples.iter().copied()).sessions >= 2;
    let said = || {
        let told = samples.iter().rev().filter(|sample| wording::of_sample(sample) != Words::Removal);
        let words = if came_again { worded_to_ask_again } else { worded_to_ask };
        told.filter_map(|sample| words(&sample.quote)).next()
    };
    rule.map(|text| (text, true)).or_else(|| said().map(|text| (text, false)))
}
