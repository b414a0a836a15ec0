//! What people said to proposals that an agent put to them.
//!
//! A session-start hook may hand one proposal to the agent, as a question to the person. Only the person's own answer counts: the first
//! message that a person typed behind words of the agent that end with this very question and hold no other (what had waited in a queue was
//! typed before). It has to be a plain yes
//! and nothing else ([`super::asked`]), and what a hook told must stand in the session's file as a person's. An agent that says yes itself, a tool that does, a yes to something else: all of that leaves the
//! proposal as it was.

use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::SignedDuration;
use subcortex_memory::{Asking, Edit, Forgotten, Proposal, Put, Said};
use subcortex_model::{Event, Gate, Standing, Via, WAS_QUEUED_FIELD, event_type};
use subcortex_spine::{Cursor, Day, Item, Reader};

use super::asked;
use super::decide::{DecisionError, accept_because};
use super::session_file::{Confirmed, confirmed_whole};
use crate::{BroadcastMode, WeaveError, Workshop};

/// Takes in what people said since; hands out the edits that follow from it.
pub(crate) fn take_answers(shop: &Workshop) -> Result<Vec<Edit>, WeaveError> {
    let (mut asking, read) = Asking::read(&*shop.disk, &shop.folder)?;
    let is_open = |put: &Put| put.answer.is_none();
    if shop.settings.mode == BroadcastMode::Observe || !asking.put.iter().any(is_open) {
        return Ok(Vec::new());
    }
    let waiting = Proposal::read_all(&*shop.disk, &shop.folder)?.waiting;
    let forgotten = Forgotten::read(&*shop.disk, &shop.folder)?;
    let mut edits = Vec::new();
    let mut changed = false;
    for put in asking.put.iter_mut().filter(|put| put.answer.is_none()) {
        let Some(proposal) = waiting.iter().find(|proposal| proposal.id == put.proposal) else { continue };
        let Some(rule) = proposal.rule() else { continue };
        let Some(said) = answer_to(shop, put, rule, &forgotten)? else { continue };
        put.answer = Some(said);
        changed = true;
        if said == Said::Yes {
            let why = format!("a person said yes to it in session {}", put.session);
            match accept_because(shop, &proposal.id, None, Some(&why)) {
                Ok(edit) => edits.push(edit),
                // It waits on, and `review` says why it cannot be carried out.
                Err(DecisionError::Refused(_)) => put.answer = Some(Said::Other),
                Err(DecisionError::Weave(error)) => return Err(error),
            }
        }
    }
    if changed {
        match asking.write(&*shop.disk, &shop.folder, read.as_deref()) {
            // A hook wrote meanwhile: the next run reads the same answers, and what was accepted waits no longer.
            Err(trouble) if trouble.is_conflict() || trouble.is_busy() => {}
            written => written?,
        }
    }
    Ok(edits)
}

/// What the person said to a question, if it was asked and answered.
fn answer_to(
    shop: &Workshop,
    put: &Put,
    rule: &str,
    forgotten: &Forgotten,
) -> Result<Option<Said>, WeaveError> {
    // Days of the log are those of appending, and a clock may have been ahead when the question was put.
    let first = put.ts.checked_sub(SignedDuration::from_hours(24)).unwrap_or(put.ts);
    let from = Some(Cursor::at_start_of(Day::of(first)));
    let mut reader = Reader::open(Arc::clone(&shop.disk), &shop.events_dir, from)?;
    // One answer of an agent may be several texts; whatever it asked since the person spoke last, a yes may be to that.
    let mut told = String::new();
    let (mut asked_at, mut answer) = (None, None);
    reader.read(|_, item| {
        let Item::Record { envelope, .. } = item else { return ControlFlow::Continue(()) };
        if envelope.session_key.as_deref() != Some(put.session.as_str()) || envelope.gate() != Gate::External
        {
            return ControlFlow::Continue(());
        }
        let Ok(event) = envelope.to_event() else { return ControlFlow::Continue(()) };
        if event.ts < put.ts || forgotten.holds_event(&event) {
            return ControlFlow::Continue(());
        }
        match event.event_type.as_str() {
            event_type::AGENT_RESULT => {
                told.push_str(event.text().unwrap_or_default());
                asked_at = asked::asks_about(rule, &told).then_some(event.ts);
                told.push_str("\n\n");
            }
            // It went on: a yes may be to what it does.
            event_type::AGENT_TOOL_USE if asked_at.is_some_and(|asked| event.ts > asked) => asked_at = None,
            event_type::CHANNEL_MESSAGE if event.standing() == Standing::Words && asked_at.is_some() => {
                match confirmed_whole(shop, &event) {
                    _ if was_typed_earlier(&event) => answer = Some(Said::Other),
                    Confirmed::ByRecord | Confirmed::Words => answer = event.text().map(asked::answer),
                    Confirmed::Doubtful | Confirmed::Echo => answer = Some(Said::Other),
                    Confirmed::NotYet(_) => {}
                    // It is no person's, and theirs may still come.
                    Confirmed::Nobodys => {
                        told.clear();
                        return ControlFlow::Continue(());
                    }
                }
                return ControlFlow::Break(());
            }
            event_type::CHANNEL_MESSAGE => told.clear(),
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    Ok(answer)
}

/// Whether somebody typed it while the agent worked, and so before the question stood there.
pub(super) fn was_typed_earlier(event: &Event) -> bool {
    event.payload.contains_key(WAS_QUEUED_FIELD)
        || matches!(Via::of(&event.payload), Via::Queued | Via::QueuedText)
}
