//! Facts that outlive their turn.

use std::borrow::Cow;

use subcortex_model::Turn;

use super::assemble::{Act, ActKind, Facts, ToolUse, Utterance, text_of};

/// The facts of a turn without what stands in the turn itself. To read a turn costs far more than to take that up again.
#[derive(Debug)]
pub(crate) struct Apart(Facts<'static>);

impl Apart {
    pub(crate) fn of(facts: Facts<'_>) -> Self {
        Self(without_turn(facts, |_| Cow::Borrowed("")))
    }

    /// Puts them together with their turn.
    pub(crate) fn with(self, turn: &Turn) -> Facts<'_> {
        let mut facts: Facts<'_> = self.0;
        facts.events = &turn.events;
        facts.cwd = turn.cwd().map(Cow::Borrowed);
        for act in &mut facts.acts {
            if let (ActKind::Used(used), Some(event)) = (&mut act.kind, turn.events.get(act.event)) {
                *used = ToolUse::of(event);
            }
        }
        let said = facts.said.iter_mut().map(|said| (said.event, &mut said.text));
        let failed = facts.failures.iter_mut().map(|(event, text)| (*event, text));
        for (event, text) in said.chain(failed) {
            *text = Cow::Borrowed(turn.events.get(event).map_or("", text_of));
        }
        facts
    }
}

impl Facts<'_> {
    /// The same without what it borrows: what answers said is left out, and what tools were given.
    pub(crate) fn into_past(mut self) -> Facts<'static> {
        self.failures = Vec::new();
        self.unknown = Vec::new();
        self.acts.iter_mut().for_each(|act| act.answer = None);
        without_turn(self, |text| Cow::Owned(text.into_owned()))
    }
}

/// The same without its turn; `text` says what becomes of a text of it.
fn without_turn(facts: Facts<'_>, text: impl Fn(Cow<'_, str>) -> Cow<'static, str>) -> Facts<'static> {
    let kind = |kind: ActKind<'_>| match kind {
        ActKind::Ran(simple) => ActKind::Ran(simple),
        ActKind::Wrote(written) => ActKind::Wrote(written),
        ActKind::Read(path) => ActKind::Read(path),
        ActKind::Used(used) => ActKind::Used(ToolUse { tool: text(used.tool), input: None }),
        ActKind::Committed(commit) => ActKind::Committed(commit),
        ActKind::Pushed(push) => ActKind::Pushed(push),
        ActKind::Branched(branched) => ActKind::Branched(branched),
    };
    let act = |act: Act<'_>| Act {
        event: act.event,
        answer: act.answer,
        failed: act.failed,
        refused: act.refused,
        outcome: act.outcome,
        kind: kind(act.kind),
    };
    let said = |said: Utterance<'_>| Utterance {
        event: said.event,
        voice: said.voice,
        text: text(said.text),
        refuses: said.refuses,
        lower: said.lower,
    };
    Facts {
        events: &[],
        cwd: facts.cwd.map(&text),
        acts: facts.acts.into_iter().map(act).collect(),
        unknown: facts.unknown.into_iter().map(|(at, unknown)| (at, act(unknown))).collect(),
        said: facts.said.into_iter().map(said).collect(),
        fresh: facts.fresh,
        interrupted: facts.interrupted,
        failures: facts.failures.into_iter().map(|(event, failure)| (event, text(failure))).collect(),
    }
}
