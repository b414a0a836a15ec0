//! From conditions to a verdict on each line.

use serde::{Deserialize, Serialize};
use subcortex_model::{EventId, Turn};

use crate::facts::{ActKind, Facts};
use crate::language::{Condition, Hit, Mixed, Order, Outcome as Ended, Read, Scene, Sight, Unmet};
use crate::signal::{self, Remark, Stance};

use super::board::Board;
use super::past::Past;
use super::ready::Ready;

/// What a turn says about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Trajectory {
    /// The occasion arose, and the line was followed.
    Strengthening,
    /// The occasion arose, and the line was not followed, or had to be corrected.
    Weakening,
    /// Touched, but nobody can tell.
    Neutral,
}

/// Whether the line took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// It was acted on.
    Activated,
    /// It should have been and was not.
    Missed,
    /// No real occasion.
    Waiting,
}

/// Why a line failed, where the turn itself shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootCause {
    /// The dossier existed, was needed, and was not opened.
    RecallMiss,
    /// The line itself is wrong: a person contradicts it.
    DirectionWrong,
}

/// What one turn says about one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The line, by the number under which its check was handed over.
    pub line: usize,
    /// What the turn says about it.
    pub trajectory: Trajectory,
    /// Whether it took effect.
    pub activation: Activation,
    /// Why it failed, where the turn shows it.
    pub root_cause: Option<RootCause>,
    /// Whom a person's remark sides with, when it was the remark that decided; `None` when the check alone did.
    pub stance: Option<Stance>,
    /// Verbatim from the event.
    pub quote: String,
    /// The event that the quote stands in.
    pub event_id: EventId,
    /// How the verdict came about.
    pub why: String,
}

/// Holds all checks against one turn of which nothing earlier is known but the turn before it in the same session: a correction
/// speaks of that one.
pub fn judge(turn: &Turn, before: Option<&Turn>, board: &Board) -> Vec<Verdict> {
    judge_after(turn, before, &Past::unknown(), board)
}

/// Holds all checks against one turn, with what the session did before it.
pub fn judge_after(turn: &Turn, before: Option<&Turn>, past: &Past, board: &Board) -> Vec<Verdict> {
    let facts = Facts::of(turn);
    let remarks = signal::remarks(&facts, before, board);
    let mut places = board.index().meeting(&facts, board.roles());
    if !remarks.is_empty() {
        let concerned = |line: usize| remarks.iter().any(|remark| remark.line == Some(line));
        places.extend(
            board.lines().iter().enumerate().filter(|(_, (line, _))| concerned(*line)).map(|(at, _)| at),
        );
        places.sort_unstable();
        places.dedup();
    }
    judge_at(&places, turn, before, past, &facts, &remarks, board)
}

/// Holds the checks at these places against one turn.
fn judge_at(
    places: &[usize],
    turn: &Turn,
    before: Option<&Turn>,
    past: &Past,
    facts: &Facts<'_>,
    remarks: &[Remark],
    board: &Board,
) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (line, ready) in places.iter().filter_map(|at| board.lines().get(*at)) {
        if !in_project(ready, turn) {
            continue;
        }
        let remark = remarks.iter().find(|remark| remark.line == Some(*line));
        let scene = Scene { facts, roles: board.roles(), past, code: &ready.code, tried: false };
        let by_check = if ready.check.testable { by_check(&scene, ready) } else { None };
        let outcome = match remark {
            Some(remark) => Some(Outcome {
                trajectory: Trajectory::Weakening,
                activation: if remark.stance == Stance::Against {
                    Activation::Activated
                } else {
                    Activation::Missed
                },
                root_cause: (remark.stance == Stance::Against).then_some(RootCause::DirectionWrong),
                stance: Some(remark.stance),
                hit: match &by_check {
                    // Said while the agent worked: what was done is the better evidence.
                    Some(seen) if remark.meanwhile => seen.hit.clone(),
                    _ => Hit { event: remark.event, at: 0, quote: remark.quote.clone() },
                },
                why: remark.why.clone(),
            }),
            None => by_check,
        };
        if let Some(mut outcome) = outcome {
            let meanwhile = remark.is_none_or(|remark| remark.meanwhile);
            if outcome.is_plain_failure() && not_recalled(ready, &scene, before, meanwhile) {
                outcome.root_cause = Some(RootCause::RecallMiss);
            }
            verdicts.extend(outcome.into_verdict(*line, facts));
        }
    }
    verdicts
}

/// Whether a document of the line exists and was not opened where it was needed: in the turn that a correction speaks of, or in this one.
fn not_recalled(ready: &Ready, scene: &Scene<'_>, before: Option<&Turn>, meanwhile: bool) -> bool {
    if ready.documents.is_empty() {
        return false;
    }
    let read = Read { paths: ready.documents.clone() };
    let opened = |facts: &Facts<'_>| !read.find(&Scene { facts, ..*scene }).is_empty();
    let earlier = before.is_some_and(|turn| opened(&Facts::of(turn)));
    let now = meanwhile && opened(scene.facts);
    !earlier && !now
}

/// The one line that a turn broke, by its check alone; nothing when it broke none or several.
pub(crate) fn only_broken(turn: &Turn, board: &Board) -> Option<usize> {
    let facts = Facts::of(turn);
    let (past, roles) = (Past::unknown(), board.roles());
    let places = board.index().meeting(&facts, roles);
    let mut broken = places.iter().filter_map(|at| board.lines().get(*at)).filter(|(_, ready)| {
        let scene = Scene { facts: &facts, roles, past: &past, code: &ready.code, tried: false };
        in_project(ready, turn)
            && by_check(&scene, ready).is_some_and(|outcome| outcome.trajectory == Trajectory::Weakening)
    });
    let first = broken.next()?.0;
    broken.next().is_none().then_some(first)
}

fn in_project(ready: &Ready, turn: &Turn) -> bool {
    let (Some(project), Some(glob)) = (&ready.check.scope.project, &ready.project) else { return true };
    turn.cwd().is_some_and(|cwd| {
        let project = project.trim_end_matches('/');
        cwd == project || cwd.rsplit('/').next() == Some(project) || glob.is_match(cwd)
    })
}

struct Outcome {
    trajectory: Trajectory,
    activation: Activation,
    root_cause: Option<RootCause>,
    stance: Option<Stance>,
    hit: Hit,
    why: String,
}

impl Outcome {
    fn new(trajectory: Trajectory, activation: Activation, hit: &Hit, why: impl Into<String>) -> Self {
        Self { trajectory, activation, root_cause: None, stance: None, hit: hit.clone(), why: why.into() }
    }

    /// Whether the line failed, and nothing says that the line itself is wrong.
    fn is_plain_failure(&self) -> bool {
        self.trajectory == Trajectory::Weakening
            && self.root_cause.is_none()
            && self.stance != Some(Stance::Against)
    }

    fn into_verdict(self, line: usize, facts: &Facts<'_>) -> Option<Verdict> {
        let event = facts.events.get(self.hit.event)?;
        Some(Verdict {
            line,
            trajectory: self.trajectory,
            activation: self.activation,
            root_cause: self.root_cause,
            stance: self.stance,
            quote: super::quote::verbatim(event, &self.hit.quote),
            event_id: event.id.clone(),
            why: self.why,
        })
    }
}

fn by_check(scene: &Scene<'_>, ready: &Ready) -> Option<Outcome> {
    let (check, facts) = (&ready.check, scene.facts);
    let all = |conditions: &[Condition]| every(conditions, scene);
    let sure = all(&check.trigger);
    let mut occasions = sure.clone();
    occasions.extend(all(&check.maybe));
    occasions.sort_by_key(|hit| hit.at);
    // Trying what a person refuses is a breach, too.
    let broken = every(&check.forbid, &Scene { tried: true, ..*scene });
    let met: Vec<Vec<Hit>> =
        check.expect.iter().map(|expect| in_order(all(&expect.any), expect.order, &occasions)).collect();
    let followed = met.iter().flatten().last();
    let complete = !met.is_empty() && met.iter().all(|hits| !hits.is_empty());
    let needs_occasion = !check.trigger.is_empty() || !check.maybe.is_empty();
    if needs_occasion && occasions.is_empty() && broken.is_empty() {
        return None;
    }
    if let Some(first) = broken.first() {
        let excuses: Vec<&Condition> =
            check.unless.iter().filter(|condition| !condition.sight().find(scene).is_empty()).collect();
        if excuses.iter().any(|excuse| !matches!(excuse, Condition::Said(said) if said.text.is_some())) {
            return Some(Outcome::new(
                Trajectory::Strengthening,
                Activation::Activated,
                first,
                "the exception that the line names applies",
            ));
        }
        if !excuses.is_empty() {
            return Some(Outcome::new(
                Trajectory::Neutral,
                Activation::Activated,
                first,
                "the person may have asked for it",
            ));
        }
        if followed.is_some() && met.iter().flatten().all(|hit| hit_failed(facts, hit)) {
            let mut outcome = Outcome::new(
                Trajectory::Weakening,
                Activation::Missed,
                first,
                "what the line asks for was tried and failed, then it was done another way",
            );
            outcome.root_cause = Some(RootCause::DirectionWrong);
            return Some(outcome);
        }
        return Some(match (followed, check.mixed) {
            (Some(_), Mixed::Open) => Outcome::new(
                Trajectory::Neutral,
                Activation::Activated,
                first,
                "followed in one place, broken in another",
            ),
            _ => Outcome::new(
                Trajectory::Weakening,
                Activation::Missed,
                first,
                format!("broken: {}", check.why),
            ),
        });
    }
    if complete {
        if let Some(refusal) = refused_before(facts, check, &occasions, &met) {
            return Some(Outcome::new(
                Trajectory::Weakening,
                Activation::Missed,
                &refusal,
                "done only after a hook had refused",
            ));
        }
        return followed.map(|hit| {
            Outcome::new(
                Trajectory::Strengthening,
                Activation::Activated,
                hit,
                format!("followed: {}", check.why),
            )
        });
    }
    if let Some(hit) = followed {
        return Some(Outcome::new(
            Trajectory::Neutral,
            Activation::Activated,
            hit,
            "only a part of it was done",
        ));
    }
    let near = all(&check.near);
    if let Some(hit) = near.first() {
        return Some(Outcome::new(
            Trajectory::Neutral,
            Activation::Activated,
            hit,
            "something near it was done",
        ));
    }
    let occasion = occasions.last()?;
    let unmet = if sure.is_empty() || facts.interrupted || only_lands(facts, check, &ready.code) {
        Unmet::Open
    } else {
        check.unmet
    };
    match unmet {
        Unmet::Missed => Some(Outcome::new(
            Trajectory::Weakening,
            Activation::Missed,
            occasion,
            format!("missed: {}", check.why),
        )),
        Unmet::Followed => Some(Outcome::new(
            Trajectory::Strengthening,
            Activation::Activated,
            occasion,
            format!("kept to: {}", check.why),
        )),
        Unmet::Open => Some(Outcome::new(
            Trajectory::Neutral,
            Activation::Waiting,
            occasion,
            "the occasion arose, and nobody can tell",
        )),
    }
}

/// All places where one of these holds, in order.
fn every(conditions: &[Condition], scene: &Scene<'_>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = conditions.iter().flat_map(|condition| condition.sight().find(scene)).collect();
    hits.sort_by_key(|hit| hit.at);
    hits
}

/// A turn that only commits or pushes what earlier turns did: nobody can tell from it whether the work was checked.
fn only_lands(facts: &Facts<'_>, check: &crate::Check, code: &[crate::language::Glob]) -> bool {
    let runs = check
        .expect
        .iter()
        .flat_map(|expect| &expect.any)
        .all(|condition| matches!(condition, Condition::Ran(_)));
    let on_landing = check
        .trigger
        .iter()
        .all(|condition| matches!(condition, Condition::Committed(_) | Condition::Pushed(_)));
    !check.trigger.is_empty()
        && runs
        && on_landing
        && !facts.writes().any(|(_, written)| code.iter().any(|glob| glob.is_match(&written.path)))
}

/// Whether the act behind a hit failed.
fn hit_failed(facts: &Facts<'_>, hit: &Hit) -> bool {
    facts.acts.get(hit.at).is_some_and(|act| act.event == hit.event && act.outcome == Ended::Failed)
}

/// A refusal of a commit or push that speaks of the line, between the occasion and the moment it was followed.
fn refused_before(
    facts: &Facts<'_>,
    check: &crate::Check,
    occasions: &[Hit],
    met: &[Vec<Hit>],
) -> Option<Hit> {
    const LEAST_SHARED_WORDS: usize = 3;
    let occasion = occasions.first()?;
    let done = met.iter().filter_map(|hits| hits.first()).max_by_key(|hit| hit.at)?;
    let tries = facts.acts.iter().enumerate().filter(|(at, act)| {
        act.failed
            && *at > occasion.at
            && *at < done.at
            && matches!(act.kind, ActKind::Committed(_) | ActKind::Pushed(_))
    });
    for (at, act) in tries {
        let event = act.answer?;
        let answer = facts.events.get(event)?.text().unwrap_or("");
        let told = crate::text::sentences(answer).into_iter().find(|sentence| {
            let stems = crate::text::content_stems(sentence);
            check.cues.stems.iter().filter(|stem| stems.contains(stem)).count() >= LEAST_SHARED_WORDS
        });
        if let Some(told) = told {
            return Some(Hit { event, at, quote: crate::text::excerpt(told, 160).to_owned() });
        }
    }
    None
}

fn in_order(hits: Vec<Hit>, order: Order, occasions: &[Hit]) -> Vec<Hit> {
    let (first, last) = (occasions.first().map(|hit| hit.at), occasions.last().map(|hit| hit.at));
    let keeps = |hit: &Hit| match order {
        Order::Anytime => true,
        Order::AfterTrigger => first.is_none_or(|first| hit.at >= first),
        Order::BeforeTrigger => last.is_none_or(|last| hit.at <= last),
    };
    hits.into_iter().filter(keeps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::Random;

    const ROUNDS: u64 = 25;
    const TURNS_A_BOARD: usize = 20;

    /// Asks every check in turn.
    fn judge_plainly(turn: &Turn, before: Option<&Turn>, board: &Board) -> Vec<Verdict> {
        let facts = Facts::of(turn);
        let remarks = signal::remarks(&facts, before, board);
        let all: Vec<usize> = (0..board.lines().len()).collect();
        judge_at(&all, turn, before, &Past::unknown(), &facts, &remarks, board)
    }

    #[test]
    fn the_index_leaves_out_no_check_that_has_something_to_say() {
        let (mut asked, mut held, mut verdicts) = (0, 0, 0);
        for seed in 0..ROUNDS {
            let mut random = Random::new(seed);
            let board = random.board();
            let mut before: Option<Turn> = None;
            for _ in 0..TURNS_A_BOARD {
                let turn = random.turn();
                let plain = judge_plainly(&turn, before.as_ref(), &board);
                assert_eq!(judge(&turn, before.as_ref(), &board), plain, "seed {seed}: {turn:?}");
                asked += board.index().meeting(&Facts::of(&turn), board.roles()).len();
                held += board.lines().len();
                verdicts += plain.len();
                before = Some(turn);
            }
        }
        assert!(verdicts > held / 20, "{verdicts} of {held}: turns that concern nothing prove nothing");
        assert!(asked < held / 2, "{asked} of {held} checks were asked");
    }
}
