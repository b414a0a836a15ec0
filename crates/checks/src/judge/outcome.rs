//! What a check says about a turn: what was seen of it, and what that means.

use crate::facts::{ActKind, Facts, Written, refutes};
use crate::language::{
    Check, Condition, Expect, Glob, Hit, Mixed, Order, Scene, Since, Unmet, any_in_words, any_matches,
};
use crate::signal::Stance;
use crate::text::pattern;

use super::ordered::is_ordered;
use super::past::Reach;
use super::ready::Ready;
use super::{Activation, Bearing, RootCause};

pattern!(
    TEST_FILE,
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e)/|[._](?:test|spec)\.[a-z]+$|(?:^|/)test_[^/]+$|_test\.[a-z]+$|Tests?\.[a-z]+$"
);
pattern!(STANDS_IN, r"(?i)mock|stub|fake|dummy");

/// What is said about a line, and by what.
#[derive(Debug, Clone)]
pub(super) struct LineVerdict {
    pub(super) trajectory: Bearing,
    pub(super) activation: Activation,
    pub(super) root_cause: Option<RootCause>,
    pub(super) stance: Option<Stance>,
    pub(super) hit: Hit,
    pub(super) why: String,
    /// Whether all that speaks for the line was put into files that the session had written before.
    pub(super) reworked: bool,
}

impl LineVerdict {
    fn new(trajectory: Bearing, activation: Activation, hit: &Hit, why: impl Into<String>) -> Self {
        let (hit, why) = (hit.clone(), why.into());
        Self { trajectory, activation, root_cause: None, stance: None, hit, why, reworked: false }
    }

    fn followed(hit: &Hit, why: impl Into<String>) -> Self {
        Self::new(Bearing::Strengthening, Activation::Activated, hit, why)
    }

    fn missed(hit: &Hit, why: impl Into<String>) -> Self {
        Self::new(Bearing::Weakening, Activation::Missed, hit, why)
    }

    fn open(activation: Activation, hit: &Hit, why: impl Into<String>) -> Self {
        Self::new(Bearing::Neutral, activation, hit, why)
    }
}

/// What became of one thing that is expected.
enum Met {
    /// Done in this turn, at these places.
    Here(Vec<Hit>),
    /// Done in an earlier turn.
    Before,
    /// Not done; where it was missing, if that is one place.
    Not(Option<Hit>),
    /// It may have been done before what is known.
    Unknown,
}

impl Met {
    fn hits(&self) -> &[Hit] {
        match self {
            Self::Here(hits) => hits,
            Self::Before | Self::Not(_) | Self::Unknown => &[],
        }
    }
}

/// Everything that was seen of a check in a turn.
struct Seen<'a> {
    scene: &'a Scene<'a>,
    check: &'a Check,
    code: &'a [Glob],
    /// Occasions on which the line holds.
    sure: Vec<Hit>,
    /// Those, and occasions on which it may hold.
    occasions: Vec<Hit>,
    broken: Vec<Hit>,
    met: Vec<Met>,
}

/// What a check says about a turn; nothing when it had no occasion.
pub(super) fn by_check(scene: &Scene<'_>, ready: &Ready) -> Option<LineVerdict> {
    let seen = Seen::of(scene, ready);
    let needs_occasion = !seen.check.trigger.is_empty() || !seen.check.maybe.is_empty();
    if needs_occasion && seen.occasions.is_empty() && seen.broken.is_empty() {
        return None;
    }
    if let Some(first) = seen.broken.first() {
        return Some(seen.breach(first));
    }
    let done = |met: &Met| matches!(met, Met::Here(_) | Met::Before);
    if !seen.met.is_empty() && seen.met.iter().all(done) {
        return seen.fulfilled();
    }
    seen.unfulfilled()
}

/// All places where one of these holds, in order.
fn every(conditions: &[Condition], scene: &Scene<'_>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = conditions.iter().flat_map(|condition| condition.sight().find(scene)).collect();
    hits.sort_by_key(|hit| hit.at);
    hits
}

impl<'a> Seen<'a> {
    fn of(scene: &'a Scene<'a>, ready: &'a Ready) -> Self {
        let check = &ready.check;
        let sure = every(&check.trigger, scene);
        let mut occasions = sure.clone();
        occasions.extend(every(&check.maybe, scene));
        occasions.sort_by_key(|hit| hit.at);
        // Trying what a person refuses is a breach, too.
        let broken = every(&check.forbid, &Scene { tried: true, ..*scene });
        let met = check.expect.iter().map(|expect| met(expect, scene, &occasions)).collect();
        Self { scene, check, code: &ready.code, sure, occasions, broken, met }
    }

    fn done(&self) -> impl Iterator<Item = &Hit> {
        self.met.iter().flat_map(Met::hits)
    }

    /// What the line forbids was done.
    fn breach(&self, first: &Hit) -> LineVerdict {
        let (check, facts) = (self.check, self.scene.facts);
        let excuses = self.excuses();
        let asked = |excuse: &&Condition| matches!(excuse, Condition::Said(said) if said.text.is_some());
        if excuses.iter().any(|excuse| !asked(excuse)) {
            return LineVerdict::followed(first, self.note("the exception that the line names applies"));
        }
        if !excuses.is_empty() {
            return LineVerdict::open(
                Activation::Activated,
                first,
                self.note("the person may have asked for it"),
            );
        }
        let Some(first) = self.broken.iter().find(|hit| !self.is_ordered(hit)) else {
            let ordered = self.note("the person had asked for this change");
            return LineVerdict::open(Activation::Activated, first, ordered);
        };
        let worked = self.done().any(|hit| !is_refuted(facts, hit));
        if !worked && self.first_refuted().is_some_and(|at| at <= first.at) {
            let tried = format!("{} was tried, and does not work there", self.wanted());
            // Acted on, and it led nowhere: the line itself is at fault.
            let activation = Activation::Activated;
            let outcome = LineVerdict::new(Bearing::Weakening, activation, first, self.note(&tried));
            return LineVerdict { root_cause: Some(RootCause::DirectionWrong), ..outcome };
        }
        if worked && check.mixed == Mixed::Open {
            let both = "followed in one place, broken in another";
            return LineVerdict::open(Activation::Activated, first, self.note(both));
        }
        let refused = facts.acts.get(first.at).is_some_and(|act| act.refused && act.event == first.event);
        let tried = if refused { "tried, and refused by the person: " } else { "" };
        let broken = self.words_of(&check.forbid, first);
        LineVerdict::missed(first, self.note(&format!("{tried}{broken}, which the line is against")))
    }

    /// Whether it is only the change of a file that was broken, and a person had ordered it.
    fn is_ordered(&self, hit: &Hit) -> bool {
        let scene = Scene { tried: true, ..*self.scene };
        let is_change =
            |condition: &&Condition| matches!(condition, Condition::Wrote(wrote) if wrote.is_any_change());
        let (changes, others): (Vec<&Condition>, Vec<&Condition>) =
            self.check.forbid.iter().partition(is_change);
        !changes.is_empty()
            && is_ordered(self.scene.facts, hit)
            && !others.iter().any(|condition| condition.sight().find(&scene).contains(hit))
    }

    /// Where what is wanted was tried first, and the shell or the tool does not know it.
    fn first_refuted(&self) -> Option<usize> {
        let facts = self.scene.facts;
        let refuted = self.done().filter(|hit| is_refuted(facts, hit)).map(|hit| hit.at);
        let first = refuted.min();
        if facts.unknown.is_empty() {
            return first;
        }
        let acts = facts.unknown.iter().map(|(_, act)| act.clone()).collect();
        let unknown = Facts { acts, said: Vec::new(), failures: Vec::new(), ..facts.clone() };
        let scene = Scene { facts: &unknown, ..*self.scene };
        let tried = self.check.expect.iter().flat_map(|expect| every(&expect.any, &scene));
        let places = tried.filter_map(|hit| facts.unknown.get(hit.at).map(|(at, _)| *at));
        places.chain(first).min()
    }

    /// What excuses a breach or an omission in this turn.
    fn excuses(&self) -> Vec<&Condition> {
        self.check.unless.iter().filter(|condition| condition.sight().excuses(self.scene)).collect()
    }

    /// All that the line asks for was done.
    fn fulfilled(&self) -> Option<LineVerdict> {
        if let Some(refusal) = self.refused_before() {
            return Some(LineVerdict::missed(&refusal, self.note("done only after a hook had refused")));
        }
        let how = match self.occasions.last() {
            Some(occasion) => format!("{} with {}", self.words_of_occasion(occasion), self.words_of_done()),
            None => format!("{} was seen", self.words_of_done()),
        };
        if let Some(hit) = self.done().last().filter(|_| self.done().all(|hit| self.is_stand_in(hit))) {
            let only = self.note("it is named in a test, as something that stands in for it");
            return Some(LineVerdict::open(Activation::Activated, hit, only));
        }
        if let Some(hit) = self.done().last() {
            let reworked = self.done().all(|hit| self.is_rework(hit));
            return Some(LineVerdict { reworked, ..LineVerdict::followed(hit, self.note(&how)) });
        }
        let occasion = self.occasions.last()?;
        let earlier = self.note(&format!("{how}, done in an earlier turn"));
        // Once done, it would speak for the line at every later occasion of the session.
        let once = self.check.expect.iter().all(|expect| expect.since == Since::Session);
        Some(if once {
            LineVerdict::open(Activation::Activated, occasion, earlier)
        } else {
            LineVerdict::followed(occasion, earlier)
        })
    }

    /// Whether a place lies in a file that an earlier turn of the session wrote.
    fn is_rework(&self, hit: &Hit) -> bool {
        let act = self.scene.facts.acts.get(hit.at).filter(|act| act.event == hit.event);
        let Some(ActKind::Wrote(written)) = act.map(|act| &act.kind) else { return false };
        self.scene.past.wrote(&written.path, self.scene.skipped)
    }

    /// Whether what was written is only a stand-in of a test, and the line does not speak of those.
    fn is_stand_in(&self, hit: &Hit) -> bool {
        let is_of_tests = |word: &String| STANDS_IN.is_match(word) || word.starts_with("test");
        if self.check.cues.stems.iter().any(is_of_tests) {
            return false;
        }
        let act = self.scene.facts.acts.get(hit.at).filter(|act| act.event == hit.event);
        let Some(ActKind::Wrote(written)) = act.map(|act| &act.kind) else { return false };
        TEST_FILE.is_match(&written.path) && STANDS_IN.is_match(&hit.quote)
    }

    /// Nothing was broken, and not all was done.
    fn unfulfilled(&self) -> Option<LineVerdict> {
        let lacking = self.lacking();
        if let Some(hit) = self.done().last() {
            let part = self.note(&format!("{} was done, but not {lacking}", self.words_of_met()));
            return Some(match self.meaning_of_nothing() {
                Unmet::Missed => LineVerdict::missed(hit, part),
                Unmet::Followed | Unmet::Open => LineVerdict::open(Activation::Activated, hit, part),
            });
        }
        if let Some(hit) = every(&self.check.near, self.scene).first() {
            let near = format!("{} comes near {}", self.words_of(&self.check.near, hit), self.wanted());
            return Some(LineVerdict::open(Activation::Activated, hit, self.note(&near)));
        }
        let missing = self.met.iter().find_map(|met| match met {
            Met::Not(Some(hit)) => Some(hit),
            Met::Not(None) | Met::Here(_) | Met::Before | Met::Unknown => None,
        });
        let occasion = missing.or(self.occasions.last())?;
        let on = self.words_of_occasion(occasion);
        Some(match self.meaning_of_nothing() {
            Unmet::Missed => LineVerdict::missed(occasion, self.note(&format!("{on} without {lacking}"))),
            Unmet::Followed => LineVerdict::followed(
                occasion,
                self.note(&format!("{on} that took out what the line forbids")),
            ),
            Unmet::Open => {
                let why = format!("{on}, and nobody can tell");
                LineVerdict::open(Activation::Waiting, occasion, self.note(&why))
            }
        })
    }

    /// What it means that nothing was seen of what is expected or forbidden.
    fn meaning_of_nothing(&self) -> Unmet {
        let unknown = self.met.iter().any(|met| matches!(met, Met::Unknown));
        let excused = !self.excuses().is_empty();
        if self.sure.is_empty() || self.scene.facts.interrupted || unknown || excused || self.only_lands() {
            return Unmet::Open;
        }
        match self.check.unmet {
            // Whoever merely did not break a prohibition did not follow it: its temptation has to be seen.
            Unmet::Followed if self.check.expect.is_empty() && !self.takes_out() => Unmet::Open,
            unmet @ (Unmet::Missed | Unmet::Followed | Unmet::Open) => unmet,
        }
    }

    /// Whether the turn removed from a file what the line forbids to add.
    fn takes_out(&self) -> bool {
        let took = |condition: &Condition, written: &Written| {
            let Condition::Wrote(wrote) = condition else { return false };
            let here = wrote.paths.is_empty() || any_matches(&wrote.paths, &written.path);
            here && wrote.added.as_ref().is_some_and(|added| added.is_match(&written.removed))
        };
        let mut writes = self.scene.facts.writes();
        writes.any(|(_, written)| self.check.forbid.iter().any(|condition| took(condition, written)))
    }

    /// A turn that only commits or pushes what earlier turns did, of which nothing is known: nobody can tell whether the work was checked.
    fn only_lands(&self) -> bool {
        let check = self.check;
        let runs = |condition: &Condition| matches!(condition, Condition::Ran(_));
        let lands =
            |condition: &Condition| matches!(condition, Condition::Committed(_) | Condition::Pushed(_));
        let in_turn = check.expect.iter().all(|expect| expect.since.is_turn());
        !check.trigger.is_empty()
            && !check.expect.is_empty()
            && in_turn
            && check.expect.iter().flat_map(|expect| &expect.any).all(runs)
            && check.trigger.iter().all(lands)
            && !self.scene.facts.writes().any(|(_, written)| any_matches(self.code, &written.path))
    }

    /// A refusal of a commit or push that speaks of the line, between the occasion and the moment it was followed.
    fn refused_before(&self) -> Option<Hit> {
        const LEAST_SHARED_WORDS: usize = 3;
        let facts = self.scene.facts;
        let occasion = self.occasions.first()?;
        let done = self.met.iter().filter_map(|met| met.hits().first()).max_by_key(|hit| hit.at)?;
        let tries = facts.acts.iter().enumerate().filter(|(at, act)| {
            act.failed
                && *at > occasion.at
                && *at < done.at
                && matches!(act.kind, ActKind::Committed(_) | ActKind::Pushed(_))
        });
        for (at, act) in tries {
            let event = act.answer?;
            let told = crate::text::sentences(facts.answer(act)).into_iter().find(|sentence| {
                let stems = crate::text::content_stems(sentence);
                self.check.cues.stems.iter().filter(|stem| stems.contains(stem)).count() >= LEAST_SHARED_WORDS
            });
            if let Some(told) = told {
                return Some(Hit { event, at, quote: crate::text::excerpt(told, 160).to_owned() });
            }
        }
        None
    }
}

/// The words of a verdict: the occasion, the behaviour, the line.
impl Seen<'_> {
    fn note(&self, seen: &str) -> String {
        let line = self.check.why.trim();
        if line.is_empty() { seen.to_owned() } else { format!("{seen} (the line: {line})") }
    }

    /// The condition that was seen at a place, in words.
    fn words_of(&self, conditions: &[Condition], hit: &Hit) -> String {
        let scene = Scene { tried: true, ..*self.scene };
        let seen = conditions.iter().find(|condition| condition.sight().find(&scene).contains(hit));
        let Some(condition) = seen else { return any_in_words(conditions) };
        let words = condition.sight().in_words();
        match self.branch_of(condition, hit) {
            Some(branch) => format!("{words} {branch}"),
            None => words,
        }
    }

    /// The branch of a commit or a push, where the condition asks for it: that is the proof.
    fn branch_of(&self, condition: &Condition, hit: &Hit) -> Option<String> {
        let act = self.scene.facts.acts.get(hit.at).filter(|act| act.event == hit.event)?;
        if let (Condition::Committed(asked), ActKind::Committed(commit)) = (condition, &act.kind) {
            let branch =
                commit.branch.as_ref().filter(|_| asked.branch.is_some() || asked.not_branch.is_some());
            return branch.map(|branch| format!("on `{branch}`"));
        }
        if let (Condition::Pushed(asked), ActKind::Pushed(push)) = (condition, &act.kind) {
            let branch =
                push.branch.as_ref().filter(|_| asked.branch.is_some() || asked.not_branch.is_some());
            return branch.map(|branch| format!("to `{branch}`"));
        }
        None
    }

    fn words_of_occasion(&self, hit: &Hit) -> String {
        let occasions: Vec<Condition> = self.check.trigger.iter().chain(&self.check.maybe).cloned().collect();
        self.words_of(&occasions, hit)
    }

    /// What was done of it, each by the one way in which it was done.
    fn words_of_done(&self) -> String {
        let pairs = self.check.expect.iter().zip(&self.met);
        let done = pairs.map(|(expect, met)| match met.hits().last() {
            Some(hit) => format!("{}{}", self.words_of(&expect.any, hit), expect.since.in_words()),
            None => in_words(expect),
        });
        done.collect::<Vec<_>>().join(" and ")
    }

    /// All that is expected, in words.
    fn wanted(&self) -> String {
        let wanted: Vec<String> = self.check.expect.iter().map(in_words).collect();
        wanted.join(" and ")
    }

    fn lacking(&self) -> String {
        let pairs = self.check.expect.iter().zip(&self.met);
        let lacking = pairs.filter(|(_, met)| matches!(met, Met::Not(_) | Met::Unknown));
        lacking.map(|(expect, _)| in_words(expect)).collect::<Vec<_>>().join(" and ")
    }

    fn words_of_met(&self) -> String {
        let pairs = self.check.expect.iter().zip(&self.met);
        let done = pairs.filter(|(_, met)| matches!(met, Met::Here(_) | Met::Before));
        done.map(|(expect, _)| in_words(expect)).collect::<Vec<_>>().join(" and ")
    }
}

fn in_words(expect: &Expect) -> String {
    format!("{}{}", any_in_words(&expect.any), expect.since.in_words())
}

/// Whether the tool itself says of the act behind a hit that there is no such thing.
fn is_refuted(facts: &Facts<'_>, hit: &Hit) -> bool {
    let act = facts.acts.get(hit.at).filter(|act| act.event == hit.event);
    act.is_some_and(|act| matches!(act.kind, ActKind::Ran(_)) && refutes(facts.answer(act)))
}

/// What became of something expected.
fn met(expect: &Expect, scene: &Scene<'_>, occasions: &[Hit]) -> Met {
    if expect.since.is_turn() {
        let hits = in_order(every(&expect.any, scene), expect.order, occasions);
        return if hits.is_empty() { Met::Not(None) } else { Met::Here(hits) };
    }
    // Before each occasion, or by the end of the turn.
    let ends: Vec<(usize, Option<&Hit>)> = match expect.order {
        Order::BeforeTrigger if !occasions.is_empty() => {
            occasions.iter().map(|hit| (hit.at, Some(hit))).collect()
        }
        Order::BeforeTrigger | Order::Anytime | Order::AfterTrigger => vec![(scene.facts.acts.len(), None)],
    };
    let mut here = Vec::new();
    let mut unknown = false;
    for (end, occasion) in ends {
        match scene.past.latest(scene, &expect.any, &expect.since, end) {
            Reach::Here(hit) => here.push(hit),
            Reach::Before => {}
            Reach::Never => return Met::Not(occasion.cloned()),
            Reach::Unknown => unknown = true,
        }
    }
    match (unknown, here.is_empty()) {
        (true, _) => Met::Unknown,
        (false, true) => Met::Before,
        (false, false) => Met::Here(here),
    }
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
