//! What no line says yet: a person's wish becomes a rule when enough speaks for it that it is meant to last, and is asked about when some
//! does ([`weigh`]). That it came again in another session speaks for it, too.
//!
//! Words that reached the log through a tool, a page, a file or another agent stay in quarantine: nothing is made of them,
//! and nothing is proposed, until a person says the same first-hand.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use subcortex_checks::{
    ASKED, Besides, ENTERS, Weighed, is_meant, is_reported, is_understood, reads_as_rule, weigh,
    worded_to_ask,
};
use subcortex_memory::{ChangeKind, Line, Origin, SignalKind, Trajectory};

use crate::{Candidate, Sample};

use super::gates;
use super::known::Known;
use super::plan::{
    NO_RULE, Place, PlannedChange, Situation, Strength, Target, Wish, evidence_of, newest_of, strength_of,
};
use super::settled::digest_of;
use super::spent::{Past, Spent};
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
/// Why a wish waits that would give or take rights.
const SENSITIVE: &str = "it is about permissions, credentials or recipients";

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

    /// What the rules say about a group.
    pub(super) fn wish(&self, key: &str, group: &Group<'_>) -> Wish {
        if weighed(&group.heard).points() < ASKED {
            return Wish::Keep;
        }
        let pasts = self.pasts.get_or_init(|| self.spent.rules(self.situation.stood));
        let past = pasts.get(key).copied();
        let case = Case { situation: self.situation, spent: self.spent, known: &self.known, past, key };
        let wish = match case.wish(&group.said) {
            Wish::Keep if group.heard.len() > group.said.len() => asked(case.wish(&group.heard), ONLY_TOLD),
            wish @ (Wish::Keep | Wish::Change(_) | Wish::Propose(..) | Wish::Unworded(_) | Wish::Hold(_)) => {
                wish
            }
        };
        let cannot_name = |sample: &&Sample| {
            sample.project.as_deref().is_some_and(|project| self.known.heading_for(project).is_none())
        };
        let lacks_heading = group.heard.iter().any(cannot_name);
        if lacks_heading { asked(wish, NO_HEADING) } else { wish }
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
    past: Option<Past>,
    key: &'a str,
}

impl Case<'_> {
    fn wish(&self, samples: &[&Sample]) -> Wish {
        let Some((text, _)) = words_of(samples) else { return Wish::Keep };
        let standing = self.known.saying(&text, self.key);
        // Evidence has had its effect once; when the rule is gone, only what came later counts.
        let spent_until = self.past.filter(|_| standing.is_empty()).map(|past| past.until);
        let fresh =
            samples.iter().copied().filter(|sample| spent_until.is_none_or(|until| sample.moment() > until));
        let fresh: Vec<&Sample> = fresh.collect();
        let strength = strength_of(fresh.iter().copied());
        let weighed = weighed(&fresh);
        let Some((text, restated)) = words_of(&fresh).filter(|_| weighed.points() >= ASKED) else {
            return Wish::Keep;
        };
        let scope = scope_of(&fresh).and_then(|project| self.known.heading_for(project));
        // Who said no has heard what was said before.
        if let Some(rejected_at) = self.situation.rejected_at(scope, &text) {
            let since = fresh.iter().copied().filter(|sample| sample.moment() > rejected_at);
            if !strength_of(since.collect::<Vec<_>>()).suffices() {
                return Wish::Keep;
            }
        }
        if standing.iter().any(|line| line.project.is_none() || line.project.as_deref() == scope) {
            return Wish::Keep;
        }
        let last = fresh.last().map_or("", |sample| sample.path.as_str());
        if let Err(why) = self.admit(&text, scope) {
            return Wish::Hold(format!("no rule is made of {last}: {why}"));
        }
        let is_lasting = weighed.points() >= ENTERS;
        // Who says it in two sessions means it, however it is put; unless they tell what somebody else wants.
        let is_meant = |sample: &Sample| {
            !is_reported(&sample.quote) && (strength.sessions >= 2 || is_meant(&sample.quote))
        };
        let stands_alone = fresh.iter().any(|sample| !sample.in_company && is_meant(sample));
        let enters = is_lasting && stands_alone;
        let doubt = if is_lasting && !stands_alone { IN_COMPANY } else { NOT_PLAIN };
        let sure = |change: PlannedChange| {
            if enters { Wish::Change(change) } else { Wish::Propose(change, doubt.into()) }
        };
        let added = Added { fresh: &fresh, strength, weighed };
        // A rule of one project that is asked for in another one holds for all, if it is ours to move.
        if let Some(line) = standing.iter().find(|line| self.spent.was_added(&line.hash)) {
            return sure(self.moved_to_all(line, added));
        }
        let is_sensitive = gates::is_sensitive(&text) && !strength.standing;
        if let Some(line) = self.contradicted(&text, scope).filter(|_| restated && !is_sensitive) {
            return sure(self.instead_of(line, text, added));
        }
        let is_rule = reads_as_rule(&text);
        // Who says it in two sessions means it, and a model that is sure has understood it.
        let is_known = strength.sessions >= 2
            || fresh.iter().any(|sample| besides(sample, false).contains(&Besides::ModelIsSure));
        let is_understood = is_known || is_understood(&text);
        let change = added.into_rule(text, scope);
        let taken_out = self.past.is_some_and(|past| past.taken_out_by_hand) && standing.is_empty();
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

    /// The line that says the opposite where the rule is to hold, and does its work nowhere else.
    fn contradicted(&self, text: &str, scope: Option<&str>) -> Option<&Line> {
        let holds = |line: &&Line| line.project.is_none() || line.project.as_deref() == scope;
        let works_elsewhere = |line: &Line| {
            let tally = self.situation.tally.lines.get(&line.hash);
            let mut works =
                tally.and_then(|tally| tally.samples.get(&Trajectory::Strengthening)).into_iter().flatten();
            line.project.is_none()
                && scope.is_some()
                && works.any(|sample| sample.project.as_deref() != scope)
        };
        let said = Meaning::of_words(text)?;
        let lines = self.known.meant().filter(|(line, _)| holds(line));
        let mut against = lines.filter(|(_, meaning)| said.is_against(meaning)).map(|(line, _)| line);
        against.find(|line| !works_elsewhere(line))
    }

    fn instead_of(&self, line: &Line, text: String, added: Added<'_>) -> PlannedChange {
        let tally = self.situation.tally.lines.get(&line.hash);
        PlannedChange {
            kind: ChangeKind::Rewrite,
            line: Some(Target::of(line)),
            project: line.project.clone(),
            rate_before: tally.map(crate::LineTally::rate),
            why: "a person asks for the opposite".into(),
            ..added.into_rule(text, None)
        }
    }

    fn moved_to_all(&self, line: &Line, added: Added<'_>) -> PlannedChange {
        let tally = self.situation.tally.lines.get(&line.hash);
        PlannedChange {
            kind: ChangeKind::Move,
            line: Some(Target::of(line)),
            rate_before: tally.map(crate::LineTally::rate),
            why: "it is asked for in a second project, so it holds for all".into(),
            ..added.into_rule(String::new(), None)
        }
    }
}

/// What a new rule rests on.
#[derive(Debug)]
struct Added<'a> {
    fresh: &'a [&'a Sample],
    strength: Strength,
    weighed: Weighed,
}

impl Added<'_> {
    fn into_rule(self, text: String, project: Option<&str>) -> PlannedChange {
        let Self { fresh, strength, weighed } = self;
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
    let said = || {
        let told = samples.iter().rev().filter(|sample| wording::of_sample(sample) != Words::Removal);
        told.filter_map(|sample| worded_to_ask(&sample.quote)).next()
    };
    rule.map(|text| (text, true)).or_else(|| said().map(|text| (text, false)))
}

/// The one project in which all of it was said.
fn scope_of<'s>(samples: &[&'s Sample]) -> Option<&'s str> {
    let projects: BTreeSet<Option<&str>> = samples.iter().map(|sample| sample.project.as_deref()).collect();
    if projects.len() == 1 { projects.into_iter().next().flatten() } else { None }
}
