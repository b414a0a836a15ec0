//! From verdicts and heard words to fragments.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use subcortex_checks::{
    ASKED, Activation, Bearing, Board, Check, ENTERS, Kind, Past, RootCause, Signal, Stance, Tried, Verdict,
    best_wish, compile, hear, judge_and_hear, line_meant, orders_work, restate_as_rule, speech,
};
use subcortex_guard::Redactor;
use subcortex_memory::{
    Forgotten, Fragment, Journal, JudgedBy, LineHash, LineRef, Origin, SignalKind, Trajectory,
};
use subcortex_model::{Event, SHOWN_FIELD, Standing, Turn, event_type};

use crate::CompiledBroadcast;
use crate::worded::shares_a_word;

/// The longest quote, in characters.
const MAX_QUOTE_CHARS: usize = 2_000;

/// Holds turns against the broadcast.
pub(super) struct Judge<'a> {
    pub(super) compiled: &'a CompiledBroadcast,
    pub(super) board: &'a Board,
    /// What was to be forgotten, and what of it this scan has met again.
    pub(super) forgotten: Forgotten,
    pub(super) born: &'a Births,
    /// The lines whose checks are not trusted, with the reason.
    pub(super) doubted: &'a BTreeMap<usize, String>,
}

/// What a model heard.
#[derive(Debug)]
pub(super) struct ModelsWish<'a> {
    /// The line that it concerns.
    pub(super) line: Option<LineRef>,
    /// Whether it is against that line.
    pub(super) root_cause: Option<RootCause>,
    /// The person's words.
    pub(super) quote: &'a str,
    /// The rule in the model's words, unless they will not do.
    pub(super) rule: Option<&'a str>,
    /// Whether it needs to be asked about.
    pub(super) certainty: Certainty,
}

/// How sure it is that a wish lasts, and that its words are the person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    Sure,
    Maybe,
}

/// By line, the events that it was made of. They say why it is there, not how it fares.
#[derive(Debug, Default)]
pub(super) struct Births(BTreeMap<LineHash, BTreeSet<String>>);

impl Births {
    pub(super) fn of(journal: &Journal) -> Self {
        let mut births = Self::default();
        for change in journal.edits.iter().flat_map(|edit| &edit.changes) {
            let Some(hash) = &change.hash_after else { continue };
            let events = change.evidence.iter().map(|evidence| evidence.event_id.clone());
            births.0.entry(hash.clone()).or_default().extend(events);
        }
        births
    }

    fn made_of(&self, line: &LineHash, event: &Event) -> bool {
        self.0.get(line).is_some_and(|events| events.contains(event.id.as_str()))
    }
}

impl Judge<'_> {
    /// What a turn that is over says about the lines; and how many verdicts were refused because their evidence does
    /// not hold. The past takes over what the turn did, if a check looks back.
    pub(super) fn judge(
        &self,
        turn: &Turn,
        before: Option<&Turn>,
        past: &mut Past,
        tried: &mut BTreeMap<usize, Tried>,
    ) -> (Vec<Fragment>, u64) {
        // Few verdicts rest on the message, and to hear it takes longer than to judge.
        let heard = LazyCell::new(|| turn.message().and_then(|message| self.signal(message, before)));
        let mut fragments = Vec::new();
        let mut refused = 0;
        for verdict in judge_and_hear(turn, before, past, self.board).verdicts {
            if let (None, Some((_, known))) = (verdict.stance, self.compiled.by_number(verdict.line)) {
                let tried = tried.entry(verdict.line).or_default();
                tried.add(&known.check, verdict.trajectory, &verdict.quote);
            }
            if verdict.rests_on_check && self.doubted.contains_key(&verdict.line) {
                continue;
            }
            let Some(event) = turn.events.iter().find(|event| event.id == verdict.event_id) else {
                refused += 1;
                continue;
            };
            let line = self.line(verdict.line);
            if line.is_some_and(|line| self.born.made_of(&line.hash, event)) {
                continue;
            }
            let of_message = turn.message().is_some_and(|message| message.id == verdict.event_id);
            let wish = if of_message { heard.as_ref() } else { None };
            let wish = wish.filter(|signal| signal.durable && signal.line == Some(verdict.line));
            let fragment = self.about_line(event, &verdict, wish.map(|signal| signal.kind), turn.cwd());
            match fragment {
                Some(fragment) => fragments.push(fragment),
                None => refused += 1,
            }
        }
        (fragments, refused)
    }

    /// What a person's words say that should last.
    pub(super) fn hear(&self, message: &Event, before: Option<&Turn>) -> Option<Fragment> {
        let signal = self.signal(message, before).filter(|signal| signal.durable)?;
        let line = signal.line.and_then(|number| self.line(number));
        // Hearsay says nothing about a line; it may be asked about as a wish of its own.
        let line = line.filter(|_| message.standing().is_a_persons());
        if line.as_ref().is_some_and(|line| self.born.made_of(&line.hash, message)) {
            return None;
        }
        let against = signal.stance == Some(Stance::Against);
        // Who orders work in the form that a line gives it reproaches nobody; an audit does not count it either.
        if !against
            && signal.kind != Kind::Correction
            && line.as_ref().is_some_and(|line| orders_work(line.number, before, self.board))
        {
            return None;
        }
        let (trajectory, root_cause) = match &line {
            None => (Trajectory::NewSignal, None),
            Some(_) => (Trajectory::Weakening, against.then_some(RootCause::DirectionWrong)),
        };
        let note = match &line {
            None => format!(
                "a wish that no line covers ({}): {}",
                signal.why,
                self.why_no_line(&signal, message.cwd.as_deref())
            ),
            Some(line) => self.said_about(&signal, line.number),
        };
        let line_number = line.as_ref().map(|line| line.number);
        let fragment = Fragment {
            signal: signal_kind(signal.kind),
            line,
            trajectory,
            activation: if root_cause.is_some() {
                Activation::Activated
            } else {
                trajectory.usual_activation()
            },
            root_cause,
            judged_by: if line_number.is_some() { JudgedBy::Person } else { JudgedBy::Check },
            pointers: line_number.map(|number| self.pointers(number)).unwrap_or_default(),
            quote: signal.quote,
            note,
            ..self.blank(message, message.cwd.as_deref())?
        };
        checked(fragment, message)
    }

    /// A wish that a model heard, with the rule that it made of it.
    pub(super) fn wish(&self, message: &Event, wish: ModelsWish<'_>) -> Option<Fragment> {
        let ModelsWish { line, root_cause, quote, rule, certainty } = wish;
        let line = line.filter(|line| !self.born.made_of(&line.hash, message));
        let trajectory = if line.is_some() { Trajectory::Weakening } else { Trajectory::NewSignal };
        let root_cause = root_cause.filter(|_| line.is_some());
        let (signal, heard) = match certainty {
            Certainty::Sure => (SignalKind::StandingInstruction, "a wish that lasts"),
            Certainty::Maybe => (SignalKind::Preference, "what may be a wish that lasts"),
        };
        let about = match (&line, root_cause) {
            (None, _) => ", and none of the lines is about it".into(),
            (Some(line), Some(_)) => format!(" against line {}", line.number),
            (Some(line), None) => format!(" for line {}", line.number),
        };
        let fragment = Fragment {
            signal,
            activation: if root_cause.is_some() {
                Activation::Activated
            } else {
                trajectory.usual_activation()
            },
            line,
            trajectory,
            root_cause,
            judged_by: JudgedBy::Model,
            rule: rule.map(str::to_owned),
            quote: quote.to_owned(),
            note: format!("a model that was shown the message heard {heard}{about}"),
            ..self.blank(message, message.cwd.as_deref())?
        };
        checked(fragment, message)
    }

    /// Something that a person names and that recurs.
    pub(super) fn named(
        &self,
        message: &Event,
        signal: SignalKind,
        quote: &str,
        note: String,
    ) -> Option<Fragment> {
        let trajectory = Trajectory::NewSignal;
        let fragment = Fragment {
            signal,
            trajectory,
            activation: trajectory.usual_activation(),
            quote: quote.to_owned(),
            note: format!("{note}; no line is meant"),
            ..self.blank(message, message.cwd.as_deref())?
        };
        checked(fragment, message)
    }

    /// What a person's words say about a line, and how the line is understood.
    fn said_about(&self, signal: &Signal, number: usize) -> String {
        let side = match signal.stance {
            Some(Stance::Against) => "against",
            Some(Stance::With) | None => "for",
        };
        let line = self.compiled.by_number(number).map_or("", |(_, known)| known.check.why.as_str());
        format!("a person's words are {side} what line {number} asks for ({}; the line: {line})", signal.why)
    }

    /// Why no line is meant by a person's words.
    fn why_no_line(&self, signal: &Signal, cwd: Option<&str>) -> String {
        match self.board.nearest_line(&signal.quote, cwd) {
            Some((number, shared)) => {
                let shared = shared.join("`, `");
                format!("line {number} comes nearest and shares only `{shared}`")
            }
            None => format!(
                "none of the {} lines shares a telling word with it",
                self.compiled.broadcast.lines.len()
            ),
        }
    }

    /// Says that a task asked about a line and that nothing was seen of it.
    pub(super) fn nothing_to_see(&self, number: usize, message: &Event) -> Option<Fragment> {
        let quote = message.text()?.lines().find(|line| !line.trim().is_empty())?;
        let fragment = Fragment {
            signal: SignalKind::Coverage,
            line: Some(self.line(number)?),
            trajectory: Trajectory::Neutral,
            quote: quote.chars().take(MAX_QUOTE_CHARS).collect(),
            note: "a task asked about this line, and no turn of the scanned range had an occasion for it"
                .into(),
            ..self.blank(message, message.cwd.as_deref())?
        };
        checked(fragment, message)
    }

    /// Only a person's words are heard; what a program sends in a person's name is a task, not a wish.
    fn signal(&self, message: &Event, before: Option<&Turn>) -> Option<Signal> {
        if message.standing() == Standing::Nobodys {
            return None;
        }
        let mut signal = heard_in(message, before, self.board)?;
        if signal.durable
            && signal.stance != Some(Stance::Against)
            && let Some(line) = self.contradicted(&signal.quote, message.cwd.as_deref())
        {
            signal.line = Some(line);
            signal.stance = Some(Stance::Against);
            signal.why = format!("what is wished for and this line cannot both be followed; {}", signal.why);
        }
        Some(signal)
    }

    /// The line that cannot be followed together with what a person wishes for.
    fn contradicted(&self, wish: &str, cwd: Option<&str>) -> Option<usize> {
        self.board.clashing_line(&compile(&restate_as_rule(wish)?, &[]), cwd)
    }

    fn about_line(
        &self,
        event: &Event,
        verdict: &Verdict,
        wish: Option<Kind>,
        project: Option<&str>,
    ) -> Option<Fragment> {
        let (trajectory, signal) = match verdict.trajectory {
            Bearing::Strengthening => (Trajectory::Strengthening, SignalKind::LineHelped),
            Bearing::Weakening => (Trajectory::Weakening, wish.map_or(SignalKind::LineFailed, signal_kind)),
            Bearing::Neutral => (Trajectory::Neutral, SignalKind::Coverage),
        };
        let fragment = Fragment {
            signal,
            line: Some(self.line(verdict.line)?),
            trajectory,
            activation: if trajectory.allows(verdict.activation) {
                verdict.activation
            } else {
                trajectory.usual_activation()
            },
            root_cause: verdict.root_cause.filter(|_| trajectory == Trajectory::Weakening),
            judged_by: if verdict.rests_on_check { JudgedBy::Check } else { JudgedBy::Person },
            quote: verdict.quote.clone(),
            note: verdict.why.clone(),
            pointers: self.pointers(verdict.line),
            ..self.blank(event, project)?
        };
        checked(fragment, event)
    }

    /// The dossiers that a line points to: whoever reads the evidence finds what is known besides.
    fn pointers(&self, number: usize) -> Vec<String> {
        let line = self.compiled.broadcast.by_number(number);
        line.map(|line| line.pointers.clone()).unwrap_or_default()
    }

    /// What a model says of a turn that the check left open: no more than the check itself could have said of these words.
    pub(super) fn ruled(
        &self,
        open: &Fragment,
        event: &Event,
        turn: &Turn,
        trajectory: Trajectory,
        quote: &str,
    ) -> Option<Fragment> {
        let line = open.line.clone().filter(|line| !self.born.made_of(&line.hash, event))?;
        let (signal, word) = match trajectory {
            Trajectory::Strengthening => (SignalKind::LineHelped, "followed"),
            Trajectory::Weakening => (SignalKind::LineFailed, "missed"),
            Trajectory::Neutral | Trajectory::NewSignal => return None,
        };
        let fragment = Fragment {
            signal,
            line: Some(line),
            trajectory,
            activation: trajectory.usual_activation(),
            judged_by: JudgedBy::Model,
            quote: quote.to_owned(),
            note: format!("the check leaves it open ({}); a model judged it {word}", open.note),
            ..self.blank(event, turn.cwd())?
        };
        checked(fragment, event)
    }

    /// Whether a person says something lasting about the line of this evidence in a turn.
    pub(super) fn speaks_of(&self, turn: &Turn, open: &Fragment) -> bool {
        let Some(line) = &open.line else { return true };
        let words = turn.events.iter().filter(|event| event.standing().is_a_persons());
        let mut signals = words.filter_map(|event| self.signal(event, None));
        signals.any(|signal| signal.durable && signal.line == Some(line.number))
    }

    /// The line that a piece of evidence is about, and how it is tested.
    pub(super) fn broadcast_line(&self, about: &Fragment) -> Option<(&str, &Check)> {
        let (line, known) = self.compiled.by_hash(&about.line.as_ref()?.hash)?;
        Some((&line.text, &known.check))
    }

    pub(super) fn line(&self, number: usize) -> Option<LineRef> {
        let line = self.compiled.broadcast.by_number(number)?;
        Some(LineRef { number, hash: line.hash.clone() })
    }

    /// The same, where a person's words have something to do with it: no model says alone what a person says of a line.
    pub(super) fn line_about(&self, number: usize, said: &str) -> Option<LineRef> {
        let line = self.compiled.broadcast.by_number(number)?;
        self.line(number).filter(|_| shares_a_word(&line.text, said))
    }

    /// The fields that follow from the event alone; `None` when a person had it forgotten.
    fn blank(&self, event: &Event, project: Option<&str>) -> Option<Fragment> {
        if self.forgotten.holds_event(event) {
            return None;
        }
        Some(Fragment {
            source_event_id: event.id.clone(),
            source_ts: event.ts,
            source_kind: event.source.kind.as_str().to_owned(),
            session_key: event.session_key.clone(),
            event_type: event.event_type.clone(),
            project: event.cwd.as_deref().or(project).map(str::to_owned),
            signal: SignalKind::Coverage,
            line: None,
            trajectory: Trajectory::Neutral,
            activation: Activation::Waiting,
            root_cause: None,
            origin: origin_of(event),
            judged_by: JudgedBy::Check,
            rule: None,
            quote: String::new(),
            note: String::new(),
            pointers: Vec::new(),
        })
    }
}

/// Most sentences of a message that is about one wish.
const SENTENCES_ABOUT_ONE_WISH: usize = 3;

/// What a message says about a line, or else the wish in it that most looks as if it were to last.
fn heard_in(message: &Event, before: Option<&Turn>, board: &Board) -> Option<Signal> {
    let text = message.text()?;
    let heard = hear(text, message.cwd.as_deref(), before, board);
    if heard.as_ref().is_some_and(|signal| signal.line.is_some()) {
        return heard;
    }
    let Some((sentence, weighed)) = best_wish(text, before).filter(|(_, weighed)| weighed.points() >= ASKED)
    else {
        return heard;
    };
    let for_good = weighed.points() >= ENTERS;
    let kind = if for_good { Kind::StandingInstruction } else { Kind::Preference };
    // In a short message that objects all sentences are about the same; beside a task a wish stands for itself.
    let said = speech(text);
    let corrects = heard.as_ref().is_some_and(|signal| signal.kind == Kind::Correction);
    let is_one = corrects && said.len() <= SENTENCES_ABOUT_ONE_WISH;
    let about = if is_one { said.join("\n") } else { sentence.to_owned() };
    // What is neither an order for good nor an objection gives no line up.
    let meant = line_meant(&about, message.cwd.as_deref(), board)
        .filter(|(_, stance)| *stance == Stance::With || for_good || corrects);
    Some(Signal {
        kind: heard.map_or(kind, |signal| signal.kind),
        durable: true,
        quote: sentence.to_owned(),
        line: meant.map(|(line, _)| line),
        stance: meant.map(|(_, stance)| stance),
        why: weighed.in_words().join("; "),
    })
}

fn origin_of(event: &Event) -> Origin {
    match event.standing() {
        // What they may bring in is decided where they are looked up.
        Standing::Words | Standing::Unsigned => Origin::Person,
        Standing::Hearsay => Origin::Hearsay,
        Standing::Nobodys if event.event_type == event_type::AGENT_TOOL_RESULT => Origin::Tool,
        Standing::Nobodys => Origin::Agent,
    }
}

fn signal_kind(kind: Kind) -> SignalKind {
    match kind {
        Kind::Correction => SignalKind::Correction,
        Kind::Preference => SignalKind::Preference,
        Kind::StandingInstruction => SignalKind::StandingInstruction,
    }
}

/// The fragment, if it keeps the contract: its quote stands verbatim in the event and holds no secret.
fn checked(mut fragment: Fragment, event: &Event) -> Option<Fragment> {
    if let Some((end, _)) = fragment.quote.char_indices().nth(MAX_QUOTE_CHARS) {
        fragment.quote.truncate(end);
    }
    let clean = *Redactor::new().text(&fragment.quote) == *fragment.quote;
    (clean && stands_in(event, &fragment.quote) && fragment.validate().is_ok()).then_some(fragment)
}

/// Whether a text stands verbatim in one of the texts of an event.
fn stands_in(event: &Event, quote: &str) -> bool {
    fn inside(value: &Value, quote: &str) -> bool {
        match value {
            Value::String(text) => text.contains(quote),
            Value::Array(values) => values.iter().any(|value| inside(value, quote)),
            Value::Object(fields) => fields.values().any(|value| inside(value, quote)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    // What was shown beside a message is not part of it.
    event.payload.iter().any(|(field, value)| field != SHOWN_FIELD && inside(value, quote))
}
