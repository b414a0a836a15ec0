//! `remember`: an agent hands over a rule with the words of the person who asked for it.
//!
//! The agent is not believed, since a page that it read may have told it what to hand over: its quote has to stand on the spine,
//! in its session, as what a person typed, and counts with the whole sentence that it is a part of. A sentence that asks something, that tells what
//! somebody else wants, or that a tool had answered before is no wish of theirs, and neither is a part that orders nothing by itself. A rule that says more
//! than the sentence, or the opposite, is refused. The others enter by the gate through which hearing lets rules in ([`may_enter_unasked`]), if
//! hearing takes the message the same way and nothing speaks against it; else they are proposed, and a person decides.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use subcortex_checks::{
    is_own_statement, may_enter_unasked, restate_as_rule, stands_alone, stood_in, weigh, whole_sentences,
    words_of_others, words_repeated,
};
use subcortex_memory::{
    Broadcast, Cause, ChangeKind, Edit, EvidenceRef, Forgotten, Fragment, Journal, JudgedBy, MadeHere,
    Origin, SignalKind, Trajectory,
};
use subcortex_model::{Event, Gate, Standing, event_type};
use subcortex_spine::{Cursor, Item, Reader, list_days};

use super::commit::recover;
use super::decide::{DecisionError, Refused, finish};
use super::draft::draft;
use super::gates;
use super::known::Known;
use super::plan::{HISTORY, Place, PlannedChange, PlannedProposal, Strength};
use super::proposals;
use super::session_file::{Confirmed, confirmed};
use super::signals::NO_HEADING;
use super::spent::Spent;
use super::stance::contradicts;
use super::state::State;
use super::verify::is_standing;
use super::wordsmith;
use crate::tally::moment_of;
use crate::worded;
use crate::{BroadcastMode, CompiledBroadcast, WeaveError, Workshop};

/// The shortest quote, in characters: fewer stand in any message.
const MIN_QUOTE_CHARS: usize = 8;
/// The longest quote, in characters.
const MAX_QUOTE_CHARS: usize = 2_000;
/// How many of the newest days of the log are searched for the quote.
const MAX_DAYS: usize = 7;

/// What an agent hands over.
#[derive(Debug, Clone, Copy)]
pub struct Handover<'a> {
    /// The session in which the person said it.
    pub session: &'a str,
    /// The person's words, verbatim.
    pub quote: &'a str,
    /// The rule as the agent words it.
    pub rule: &'a str,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Remembered {
    /// It is a line now.
    Entered(Edit),
    /// It waits for a person's yes.
    Asked {
        /// The proposal.
        proposal: String,
        /// Why it waits.
        why: String,
    },
    /// A line says it already.
    Known {
        /// Which one, as references name it.
        line: String,
    },
}

/// Takes a rule over from an agent, if a person asked for it.
pub fn remember(shop: &Workshop, handed: Handover<'_>) -> Result<Remembered, DecisionError> {
    let quote = handed.quote.trim();
    let rule = handed.rule.trim().trim_start_matches(['-', '*', '+']).trim();
    if !(MIN_QUOTE_CHARS..=MAX_QUOTE_CHARS).contains(&quote.chars().count()) {
        return Err(Refused::QuoteLength { min: MIN_QUOTE_CHARS, max: MAX_QUOTE_CHARS }.into());
    }
    let unfit = |why: &str| Refused::UnfitRule(why.to_owned());
    gates::admit(rule, &|_| false).map_err(unfit)?;
    if shop.settings.mode == BroadcastMode::Observe {
        return Err(Refused::OnlyObserving.into());
    }
    recover(shop)?;
    let said = find(shop, handed.session, quote)?
        .ok_or_else(|| Refused::NotSaid { session: handed.session.to_owned() })?;
    said.is_a_wish(quote).map_err(unfit)?;
    said.bears(rule, quote).map_err(unfit)?;
    let quote = said.quote.as_str();
    let broadcast = crate::quiet::read(shop, &|| false)?;
    let compiled = CompiledBroadcast::by_rules(broadcast);
    let (known, broadcast) = (Known::of(&compiled), &compiled.broadcast);
    let folder = said.event.cwd.as_deref();
    let project = folder.and_then(|folder| known.heading_for(folder));
    if let Some(project) = project {
        gates::admit_project(project).map_err(unfit)?;
    }
    let holds =
        |line: &&&subcortex_memory::Line| line.project.is_none() || line.project.as_deref() == project;
    if let Some(line) = known.saying(rule, &crate::meaning_of(rule)).iter().find(holds) {
        return Ok(Remembered::Known { line: line.reference() });
    }
    let is_history = shop.began.is_some_and(|began| said.event.ts < began);
    let lacks_heading = folder.is_some() && project.is_none();
    let doubt = is_history
        .then_some(HISTORY)
        .or_else(|| lacks_heading.then_some(NO_HEADING))
        .or_else(|| doubt(&said, quote, rule, broadcast));
    let change = change(shop, &said, quote, rule, project)?;
    match doubt.or_else(|| (shop.settings.mode == BroadcastMode::Propose).then_some(PROPOSING)) {
        Some(why) => propose(shop, broadcast, change, why),
        None => enter(shop, broadcast, change),
    }
}

/// Why a rule that the quote bears is refused.
const ONLY_A_PART: &str = "the person's sentence says more than the quote, and that counts: quote the whole sentence, and word a rule that says all of it";

/// Why everything waits.
const PROPOSING: &str = "`broadcast.mode` is `propose`";

/// Why a person has to be asked; `None` when the words leave no doubt.
fn doubt(said: &Said, quote: &str, rule: &str, broadcast: &Broadcast) -> Option<&'static str> {
    if said.event.standing() != Standing::Words {
        return Some("no field of its record says that a person typed it");
    }
    if said.stood_before {
        return Some("the words stood in the session before the person sent them: they may be pasted");
    }
    if !said.is_standing() {
        return Some("it was not said as an order for good that stands alone");
    }
    let restated = restate_as_rule(quote)?;
    if rule != restated && wordsmith::admit(rule, &restated, &BTreeSet::new()).is_err() {
        return Some("the agent's words say more, or something else, than the person's");
    }
    if worded::own_words(rule, quote).is_err() {
        return Some("the agent's words are not the person's");
    }
    let against = broadcast.lines.iter().any(|line| contradicts(rule, &line.text));
    against.then_some("a line says the opposite")
}

/// The evidence, written down, and the change that rests on it.
fn change(
    shop: &Workshop,
    said: &Said,
    quote: &str,
    rule: &str,
    project: Option<&str>,
) -> Result<PlannedChange, DecisionError> {
    let event = &said.event;
    let standing = said.is_standing();
    let signal = if standing { SignalKind::StandingInstruction } else { SignalKind::Preference };
    let trajectory = Trajectory::NewSignal;
    let fragment = Fragment {
        source_event_id: event.id.clone(),
        source_ts: event.ts,
        source_kind: event.source.kind.as_str().to_owned(),
        session_key: event.session_key.clone(),
        event_type: event.event_type.clone(),
        project: event.cwd.clone(),
        signal,
        line: None,
        trajectory,
        activation: trajectory.usual_activation(),
        root_cause: None,
        origin: if event.standing() == Standing::Words { Origin::Person } else { Origin::Hearsay },
        judged_by: JudgedBy::Check,
        rule: None,
        quote: quote.to_owned(),
        note: "the agent handed it over with the person's words; no line says it".to_owned(),
        pointers: Vec::new(),
    };
    let path = shop.folder.reference(&shop.folder.fragments().join(fragment.file()));
    MadeHere::write(&*shop.disk, &shop.folder, &[fragment])?;
    let evidence = EvidenceRef {
        fragment: path,
        event_id: event.id.as_str().to_owned(),
        session_key: event.session_key.clone(),
    };
    Ok(PlannedChange {
        kind: ChangeKind::Add,
        line: None,
        text: Some(rule.to_owned()),
        project: project.map(str::to_owned),
        place: Place::SectionEnd,
        why: "a person asked for it, and the agent handed it over with their words".to_owned(),
        evidence: vec![evidence],
        newest: Some(moment_of(event.ts, &event.id)),
        rate_before: None,
        strength: Strength { standing, sessions: 1 },
        weighed: weigh(quote, &BTreeSet::new()),
    })
}

fn propose(
    shop: &Workshop,
    broadcast: &Broadcast,
    change: PlannedChange,
    why: &str,
) -> Result<Remembered, DecisionError> {
    let id = proposals::id_of(&change);
    let state = State::read(shop)?;
    let rule = change.text.as_deref().map(|text| proposals::rule_of(change.project.as_deref(), text));
    if state.rejected.contains(&id) || rule.is_some_and(|rule| state.rejected_rules.contains_key(&rule)) {
        return Err(Refused::RejectedBefore(id).into());
    }
    let planned =
        PlannedProposal { id: id.clone(), change, waits_because: why.to_owned(), wants_words: false };
    // One that waits already stays as it is.
    proposals::to_file(&planned, broadcast, shop.now).write(&*shop.disk, &shop.folder)?;
    Ok(Remembered::Asked { proposal: id, why: why.to_owned() })
}

fn enter(shop: &Workshop, broadcast: &Broadcast, change: PlannedChange) -> Result<Remembered, DecisionError> {
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    let draft = draft(broadcast, std::slice::from_ref(&change), false, &Spent::of(&journal));
    if draft.changes.is_empty() {
        let why = format!("it does not fit: {}", draft.held_back.join("; "));
        return propose(shop, broadcast, change, &why);
    }
    let bootstrapped = broadcast.text.is_none();
    let edit = Edit { bootstrapped, ..shop.edit(Cause::Task, draft.changes) };
    Ok(Remembered::Entered(finish(shop, broadcast, &draft.text, edit)?))
}

/// A message that holds the quote.
#[derive(Debug)]
struct Said {
    event: Event,
    /// The whole sentences that the quote is a part of.
    quote: String,
    /// Whether somebody else had said the same words in the session before.
    stood_before: bool,
    /// Whether a tool had answered the same words in the session before.
    read_before: bool,
}

impl Said {
    /// Says why it is no wish of the person's, whatever the rule that is made of it.
    fn is_a_wish(&self, handed: &str) -> Result<(), &'static str> {
        if self.goes_on(handed) && restate_as_rule(handed).is_none() {
            return Err("the quote is a part of a sentence and no order by itself: quote the whole sentence");
        }
        if !is_own_statement(&self.quote) {
            return Err("the person asks it there, or tells what somebody else says");
        }
        if self.read_before {
            return Err("the words stood in a tool's answer before the person sent them");
        }
        Ok(())
    }

    /// Says why the sentence does not say what the rule does. What the quote left out of it may be all that stands against the rule.
    fn bears(&self, rule: &str, handed: &str) -> Result<(), &'static str> {
        let is_for_the_part = || self.goes_on(handed) && worded::says_no_more(rule, handed).is_ok();
        worded::says_no_more(rule, &self.quote)
            .map_err(|why| if is_for_the_part() { ONLY_A_PART } else { why })
    }

    /// Whether the sentence says more than what was handed over of it.
    fn goes_on(&self, handed: &str) -> bool {
        let words = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        words(handed) != words(&self.quote)
    }

    /// Whether hearing takes it for an order for good, too: the sentences around it count.
    fn is_standing(&self) -> bool {
        let text = self.event.text().unwrap_or_default().replace('\r', "");
        may_enter_unasked(&self.quote) && stands_alone(&text, &self.quote) && is_standing(&text, &self.quote)
    }
}

/// The last message of a session in which a person typed these words.
fn find(shop: &Workshop, session: &str, quote: &str) -> Result<Option<Said>, WeaveError> {
    let forgotten = Forgotten::read(&*shop.disk, &shop.folder)?;
    let (days, _) = list_days(&*shop.disk, &shop.events_dir)?;
    let Some(first) = days.get(days.len().saturating_sub(MAX_DAYS)) else { return Ok(None) };
    let from = Some(Cursor::at_start_of(first.day));
    let mut reader = Reader::open(Arc::clone(&shop.disk), &shop.events_dir, from)?;
    let (mut found, mut stood_before, mut read_before) = (None, false, false);
    reader.read(|_, item| {
        if let Item::Record { envelope, .. } = item
            && envelope.session_key.as_deref() == Some(session)
            && envelope.gate() == Gate::External
            && let Ok(event) = envelope.to_event()
            && !forgotten.holds_event(&event)
        {
            let is_message = event.event_type == event_type::CHANNEL_MESSAGE;
            let is_shown = is_message && words_of_others(&event).is_some_and(|shown| stood_in(quote, &shown));
            stood_before |= is_shown;
            read_before |= is_shown;
            if event.standing() == Standing::Nobodys {
                let is_there = speaks(&event) && holds(&event, quote);
                stood_before |= is_there;
                read_before |= is_there && was_read(&event);
            } else if let Some(whole) = typed(&event, quote) {
                found = Some(Said { event, quote: whole, stood_before, read_before });
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(found.and_then(|said| held_against_its_file(shop, said)))
}

/// The same, as the file of the session has it; nothing if no person typed it.
fn held_against_its_file(shop: &Workshop, mut said: Said) -> Option<Said> {
    match confirmed(shop, &said.event, &[&said.quote]) {
        Confirmed::ByRecord | Confirmed::Words => {}
        Confirmed::Doubtful | Confirmed::Echo | Confirmed::NotYet(_) => said.stood_before = true,
        Confirmed::Nobodys => return None,
    }
    Some(said)
}

fn typed(event: &Event, quote: &str) -> Option<String> {
    let text = event.text().unwrap_or_default().replace('\r', "");
    whole_sentences(&text, quote).map(str::to_owned)
}

/// Whether an event holds what somebody else than the agent and the person wrote.
fn was_read(event: &Event) -> bool {
    let is_others =
        matches!(event.event_type.as_str(), event_type::AGENT_TOOL_RESULT | event_type::AGENT_SHOWN);
    is_others && words_repeated(event).is_none()
}

/// Whether an event can put words before a person. That an agent hands a quote over is no reason to doubt it.
fn speaks(event: &Event) -> bool {
    match event.event_type.as_str() {
        event_type::AGENT_TOOL_USE => false,
        _ => event.text().is_some(),
    }
}

fn holds(event: &Event, quote: &str) -> bool {
    event.text().is_some_and(|text| text.contains(quote) || stood_in(quote, text))
}
