//! What becomes of the lines that stand in the broadcast.
//!
//! | what the evidence says | what is done |
//! |---|---|
//! | followed; or nobody can tell | kept |
//! | a person sides with the line that was ignored | kept; moved up once, when it is clearly ignored |
//! | a person contradicts it, in one session | kept until somebody says so in another |
//! | … in two sessions, or as a standing instruction | rewritten in the person's words; removed when these ask for that; else proposed |
//! | … and all that in one project, which the words name, or while it does its work in another or people there want it | kept, and the words become a rule of that project |
//! | a person contradicts it in one session, and a task cites these words against it | the same |
//! | only a model says that a person contradicts it | kept, and what would be done is proposed |
//! | a task says that it is wrong and cites nothing that a person said against it | kept, and its removal is proposed |
//! | … and a person wrote or decided on the line, and the task cites nothing at all that is on the spine | kept: nobody is asked |

use jiff::Timestamp;
use subcortex_checks::{Weighed, is_of_one_project, reads_as_rule};
use subcortex_memory::{Cause, ChangeKind, Line, Origin, SignalKind, Trajectory};

use crate::{Candidate, LineTally, Sample};

use super::claim::Claim;
use super::gates;
use super::known::Known;
use super::lineage::Lineage;
use super::page::Page;
use super::plan::{
    Place, PlannedChange, Request, Situation, Strength, Target, Wish, evidence_of, newest_of, strength_of,
};
use super::spent::Spent;
use super::stance::contradicts;
use super::wording::{self, Words};

/// How often a person has to have sided with a line before it moves up.
const MIN_SIDED_WITH: u64 = 3;
/// Why a change waits that rests on a model's word.
const ONLY_A_MODEL: &str = "only a model says that the person's words are against the line";

/// What the rules say about each line.
pub(super) fn wishes(situation: &Situation<'_>, request: &Request, spent: &Spent<'_>) -> Vec<Wish> {
    let (cited, claim) = match request {
        Request::Reflective => (None, None),
        Request::Directed { lines, claim } => (Some(lines).filter(|lines| !lines.is_empty()), claim.as_ref()),
    };
    let known = Known::of(situation.compiled);
    let never_seen = LineTally::default();
    let mut wishes = Vec::new();
    let mut ignored: Vec<(&Line, &LineTally)> = Vec::new();
    for line in &situation.compiled.broadcast.lines {
        if cited.is_some_and(|cited| !cited.contains(&line.number)) {
            continue;
        }
        let claim = claim.filter(|_| cited.is_some());
        let seen = situation.tally.lines.get(&line.hash);
        let Some(tally) = seen.or(claim.map(|_| &never_seen)) else { continue };
        let case = Case { situation, spent, known: &known, line, tally, claim };
        let wish = case.wish();
        if matches!(wish, Wish::Keep) && is_ignored(line, tally) && !spent.was_moved(&line.hash) {
            ignored.push((line, tally));
        }
        wishes.push(wish);
    }
    wishes.extend(move_up(situation, ignored));
    wishes
}

struct Case<'a> {
    situation: &'a Situation<'a>,
    spent: &'a Spent<'a>,
    known: &'a Known<'a>,
    line: &'a Line,
    tally: &'a LineTally,
    /// What a task says against this very line.
    claim: Option<&'a Claim>,
}

impl Case<'_> {
    fn wish(&self) -> Wish {
        let spent_until = self.spent.for_line(&self.line.hash);
        let mut against: Vec<&Sample> = self.tally.against_samples.iter().collect();
        // What was heard as a reminder may speak against the line all the same.
        against.extend(reminders(self.tally).filter(|sample| contradicts(&sample.quote, &self.line.text)));
        against.retain(|sample| spent_until.is_none_or(|until| sample.moment() > until));
        against.sort();
        if against.is_empty() {
            return self.claim.map_or(Wish::Keep, |_| self.claimed_by_a_task());
        }
        let heard = against.clone();
        against.retain(|sample| self.is_plain(sample));
        match self.contradicted_by(&against) {
            Wish::Keep | Wish::Hold(_) if heard.len() > against.len() => asked(self.contradicted_by(&heard)),
            wish @ (Wish::Keep | Wish::Change(_) | Wish::Propose(..) | Wish::Unworded(_) | Wish::Hold(_)) => {
                wish
            }
        }
    }

    /// Whether a piece of evidence speaks against the line by itself: a model's word is none.
    fn is_plain(&self, sample: &Sample) -> bool {
        let is_own = sample.rule.is_none() || sample.signal == SignalKind::StandingInstruction;
        !sample.by_model || (is_own && contradicts(&sample.quote, &self.line.text))
    }

    /// What follows from words against the line.
    fn contradicted_by(&self, against: &[&Sample]) -> Wish {
        let strength = strength_of(against.iter().copied());
        let here = self.line.reference();
        let cited = self.claim.is_some_and(|claim| against.iter().any(|sample| claim.cites(sample)));
        if !strength.suffices() && !cited {
            return Wish::Hold(format!(
                "{here} was contradicted in one session only; it stays until somebody says so in another"
            ));
        }
        if latest_sided(self.line, self.tally) > against.iter().map(|sample| sample.moment()).max() {
            return Wish::Hold(format!(
                "{here} was contradicted, but a person sides with it since; it stays"
            ));
        }
        if let Some(project) = self.exception(against) {
            return self.rule_of_project(project, against, strength);
        }
        self.rewritten_or_removed(against, strength)
    }

    /// A task speaks against the line, and no person does: only a person can take it out.
    fn claimed_by_a_task(&self) -> Wish {
        if self.tally.strengthening > 0 || self.tally.sided_with > 0 {
            return Wish::Hold(format!(
                "{} stays: its evidence does not say what the task says",
                self.line.reference()
            ));
        }
        if !self.is_ours() && !self.cites_anything() {
            return Wish::Hold(format!(
                "{} stays: a person wrote it, and the task cites no event, session, fragment or words that are on the spine",
                self.line.reference()
            ));
        }
        let why = "a task says that it is wrong";
        let removal = self.change(ChangeKind::Remove, None, why, [], Strength::default());
        Wish::Propose(removal, "the task cites nothing that a person said against it".into())
    }

    /// Whether the words of the line are there because evidence asked for them, and no person wrote them or decided on them since.
    fn is_ours(&self) -> bool {
        let lineage = Lineage::of(self.situation.journal);
        !lineage.is_by_hand(&self.line.hash)
            && lineage.makers(&self.line.hash).next().is_some_and(|step| match lineage.cause(&step) {
                Cause::Evidence | Cause::Task | Cause::Probation => true,
                Cause::Accepted | Cause::Reverted | Cause::Forgotten | Cause::Person => false,
            })
    }

    /// Whether the task cites anything that was read off the spine, whatever it says of the line.
    fn cites_anything(&self) -> bool {
        let tally = self.situation.tally;
        let of_lines = tally
            .lines
            .values()
            .flat_map(|line| line.samples.values().flatten().chain(&line.against_samples));
        let heard = tally.candidates.iter().map(|candidate| &candidate.sample);
        self.claim.is_some_and(|claim| of_lines.chain(heard).any(|sample| claim.cites(sample)))
    }

    /// The one project in which the line is contradicted, by words that name it, or while the line is wanted elsewhere.
    fn exception<'s>(&self, against: &[&'s Sample]) -> Option<&'s str> {
        let project = against.last()?.project.as_deref()?;
        let only_there = against.iter().all(|sample| sample.project.as_deref() == Some(project));
        let says_so = || against.last().is_some_and(|sample| is_of_one_project(&sample.quote));
        let key = || crate::meaning_of(&self.line.text);
        let elsewhere = || is_wanted_elsewhere(self.situation, self.line, &key(), |other| other != project);
        (self.line.project.is_none() && only_there && (says_so() || elsewhere())).then_some(project)
    }

    fn rule_of_project(&self, project: &str, against: &[&Sample], strength: Strength) -> Wish {
        let here = self.line.reference();
        let Some((text, from)) = self.latest_rule(against) else {
            return Wish::Hold(format!(
                "{here} is contradicted in one project only, in words that are no rule of their own; it stays"
            ));
        };
        let Some(section) = self.known.heading_for(project) else {
            return Wish::Hold(format!(
                "{here} is contradicted in one project only, whose folder cannot name a section; it stays"
            ));
        };
        if self.known.stands_in_section(&text, section) {
            return Wish::Keep;
        }
        if let Err(why) =
            self.admit(&text, from).and_then(|()| gates::admit_project(section).map_err(str::to_owned))
        {
            return Wish::Hold(format!(
                "{here} is contradicted in one project only; no rule is made for it: {why} ({})",
                from.path
            ));
        }
        let why = format!("in this project a person contradicts {here}, which is followed elsewhere");
        Wish::Change(PlannedChange {
            kind: ChangeKind::Add,
            line: None,
            project: Some(section.to_owned()),
            rate_before: None,
            ..self.change(ChangeKind::Add, Some(text), &why, against.iter().copied(), strength)
        })
    }

    fn rewritten_or_removed(&self, against: &[&Sample], strength: Strength) -> Wish {
        let here = self.line.reference();
        let samples = || against.iter().copied();
        let why = if strength.standing {
            "a person contradicts it with a standing instruction"
        } else if strength.sessions >= 2 {
            "a person contradicts it in more than one session"
        } else {
            "a person contradicts it, and a task cites them"
        };
        let remove = || self.change(ChangeKind::Remove, None, why, samples(), strength);
        if against.last().is_some_and(|sample| wording::of_sample(sample) == Words::Removal) {
            return Wish::Change(remove());
        }
        let Some((text, from)) = self.latest_rule(against) else {
            return Wish::Propose(
                remove(),
                "the person's words are no rule of their own, so nothing can take its place".into(),
            );
        };
        if crate::meaning_of(&text) == crate::meaning_of(&self.line.text) {
            return Wish::Hold(format!("{here} stays: what contradicts it says the same ({})", from.path));
        }
        if gates::is_sensitive(&text) && !strength.standing {
            return Wish::Hold(format!(
                "{here}: a rule about permissions, credentials or recipients needs a standing instruction ({})",
                from.path
            ));
        }
        if self.known.stands_for(&text, self.line.project.as_deref()) {
            return Wish::Change(remove());
        }
        match self.admit(&text, from) {
            Ok(()) => Wish::Change(self.change(ChangeKind::Rewrite, Some(text), why, samples(), strength)),
            Err(why) => Wish::Propose(remove(), format!("the person's words cannot be a line: {why}")),
        }
    }

    /// The latest words that are a rule of their own, and who said them.
    fn latest_rule<'s>(&self, against: &[&'s Sample]) -> Option<(String, &'s Sample)> {
        against.iter().rev().find_map(|sample| match wording::of_sample(sample) {
            // What a model worded was held against the person's words before.
            Words::Rule(text) if sample.rule.is_some() || reads_as_rule(&text) => Some((text, *sample)),
            Words::Rule(_) | Words::Removal | Words::Unclear => None,
        })
    }

    fn admit(&self, text: &str, from: &Sample) -> Result<(), String> {
        let dossier = |name: &str| self.situation.dossiers.contains(name);
        if gates::is_sensitive(text) && from.signal != subcortex_memory::SignalKind::StandingInstruction {
            return Err(
                "it is about permissions, credentials or recipients, and no standing instruction".into()
            );
        }
        gates::admit(text, &dossier).map_err(str::to_owned)
    }

    fn change<'s>(
        &self,
        kind: ChangeKind,
        text: Option<String>,
        why: &str,
        samples: impl IntoIterator<Item = &'s Sample> + Clone,
        strength: Strength,
    ) -> PlannedChange {
        PlannedChange {
            kind,
            line: Some(Target::of(self.line)),
            text,
            project: self.line.project.clone(),
            place: Place::SectionEnd,
            why: why.to_owned(),
            newest: newest_of(samples.clone()),
            evidence: evidence_of(samples),
            rate_before: Some(self.tally.rate()),
            strength,
            weighed: Weighed::default(),
        }
    }
}

/// What a person has to say yes to, because a model's word is not theirs.
fn asked(wish: Wish) -> Wish {
    match wish {
        Wish::Change(change) | Wish::Unworded(change) => Wish::Propose(change, ONLY_A_MODEL.into()),
        Wish::Keep | Wish::Propose(..) | Wish::Hold(_) => wish,
    }
}

/// Whether a line does its work in another project, or people there side with it or asked for it.
pub(super) fn is_wanted_elsewhere(
    situation: &Situation<'_>,
    line: &Line,
    key: &str,
    is_elsewhere: impl Fn(&str) -> bool,
) -> bool {
    let tally = situation.tally.lines.get(&line.hash);
    let works = tally.and_then(|tally| tally.samples.get(&Trajectory::Strengthening)).into_iter().flatten();
    let sided = tally.into_iter().flat_map(|tally| sided_samples(line, tally));
    let is_asked_for =
        |one: &&Candidate| one.origin == Origin::Person && one.key == key && one.sample.signal.is_a_wish();
    let asked_for = situation.tally.candidates.iter().filter(is_asked_for).map(|one| &one.sample);
    let mut wanted = works.chain(sided).chain(asked_for);
    wanted.any(|sample| sample.project.as_deref().is_some_and(&is_elsewhere))
}

/// When a person last sided with the line, as far as the samples reach.
fn latest_sided(line: &Line, tally: &LineTally) -> Option<Timestamp> {
    sided_samples(line, tally).map(Sample::moment).max()
}

fn sided_samples<'t>(line: &Line, tally: &'t LineTally) -> impl Iterator<Item = &'t Sample> {
    reminders(tally).filter(|sample| !contradicts(&sample.quote, &line.text))
}

/// What people said when the line was not followed, and that was not heard as a contradiction.
fn reminders(tally: &LineTally) -> impl Iterator<Item = &Sample> {
    let missed = tally.samples.get(&Trajectory::Weakening).into_iter().flatten();
    let said = missed.filter(|sample| tally.sided_with > 0 && sample.signal.is_a_wish());
    said.filter(|sample| !tally.against_samples.contains(sample))
}

/// Whether people keep reminding of the line and it is followed in less than half of its occasions.
fn is_ignored(line: &Line, tally: &LineTally) -> bool {
    let rate = tally.rate();
    tally.sided_with >= MIN_SIDED_WITH
        && rate.followed * 2 < rate.occasions()
        && sided_samples(line, tally).next().is_some()
}

/// Moves the most ignored line to the top of its list: one a run, and each line once.
fn move_up(situation: &Situation<'_>, mut ignored: Vec<(&Line, &LineTally)>) -> Option<Wish> {
    let page = Page::of(&situation.compiled.broadcast);
    ignored.retain(|(line, _)| page.first_of_list(line.number).is_some());
    let (line, tally) =
        ignored.into_iter().max_by_key(|(line, tally)| (tally.sided_with, std::cmp::Reverse(line.number)))?;
    Some(Wish::Change(PlannedChange {
        kind: ChangeKind::Move,
        line: Some(Target::of(line)),
        text: None,
        project: line.project.clone(),
        place: Place::ListTop,
        why: "people keep reminding the agent of it, and it is followed on fewer than half of its occasions"
            .into(),
        evidence: evidence_of(sided_samples(line, tally)),
        newest: newest_of(sided_samples(line, tally)),
        rate_before: Some(tally.rate()),
        strength: Strength::default(),
        weighed: Weighed::default(),
    }))
}
