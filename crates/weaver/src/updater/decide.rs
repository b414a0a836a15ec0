//! What a person decides: an edit is taken back, a proposal accepted or rejected.

use subcortex_memory::{Broadcast, Cause, ChangeKind, Edit, Journal, Proposal, Trouble};

use crate::coordinator::unfinished;
use crate::{WeaveError, Workshop};

use super::commit::{Committed, commit, recover};
use super::draft::draft;
use super::gates;
use super::proposals;
use super::room;
use super::spent::Spent;
use super::state::State;
use super::undo::{Stuck, undo};

/// Why a decision was not carried out. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is no such edit.
    #[error("there is no edit `{0}`: `subcortex history` lists them")]
    UnknownEdit(String),
    /// It is undone already.
    #[error("edit `{0}` is undone already; nothing was changed")]
    AlreadyUndone(String),
    /// The edit has fewer changes.
    #[error("edit `{id}` has {changes}: `subcortex history` numbers them")]
    UnknownChange {
        /// The edit.
        id: String,
        /// How many it has, in words.
        changes: String,
    },
    /// A revert is taken back as a whole.
    #[error("edit `{0}` took another edit back; it can only be taken back as a whole, without --change")]
    OnlyAsAWhole(String),
    /// What was forgotten does not come back.
    #[error(
        "edit `{0}` forgot something, and what it forgot is not kept: write the line by hand if you want it back"
    )]
    WasForgotten(String),
    /// It would bring back words that were forgotten.
    #[error(
        "edit `{0}` cannot be taken back: that would bring back a line that was forgotten, and its words are not kept; \
         write the line by hand if you want it back"
    )]
    BringsBackForgotten(String),
    /// A line is neither as the edit left it nor as it was before.
    #[error(
        "memory/CLAUDE.md was changed since edit `{id}` where it rewrote line {line}: put that line right by hand"
    )]
    ChangedSince {
        /// The edit.
        id: String,
        /// The line, as the edit numbered it.
        line: usize,
    },
    /// There is no such proposal.
    #[error("no proposal `{0}` waits: `subcortex review` lists them")]
    UnknownProposal(String),
    /// The line that it is about is gone, or says it already.
    #[error(
        "proposal `{0}` no longer fits memory/CLAUDE.md and was dropped: its line is gone, or says it already"
    )]
    NoLongerFits(String),
    /// The proposal would break a limit.
    #[error("proposal `{id}` cannot be carried out: {why}; it still waits")]
    NotAllowed {
        /// Which one.
        id: String,
        /// Why.
        why: String,
    },
    /// A quote that says nothing, or too much.
    #[error("the quote must have {min} to {max} characters, verbatim from the person's message")]
    QuoteLength {
        /// The least.
        min: usize,
        /// The most.
        max: usize,
    },
    /// What an agent handed over cannot be a line.
    #[error(
        "the rule cannot be a line of the memory: {0}; word it as one plain sentence of at most 200 characters"
    )]
    UnfitRule(String),
    /// Nobody said it.
    #[error(
        "no person typed these words in session `{session}`, as far as the spine tells; nothing was remembered: quote the person verbatim, and see that `subcortex connect` was run for this agent"
    )]
    NotSaid {
        /// Where it was looked for.
        session: String,
    },
    /// A person did not want it.
    #[error("a person rejected this rule before (`{0}`); nothing was remembered")]
    RejectedBefore(String),
    /// A line says it already.
    #[error("{line} says that already: {text}\n{}", way_out(*number, *instead_of))]
    SaidAlready {
        /// The line, as references name it.
        line: String,
        /// Its number.
        number: usize,
        /// Its words.
        text: String,
        /// The line that was to be reworded.
        instead_of: Option<usize>,
    },
    /// The line of a person's wish is not there any more.
    #[error(
        "the line was changed or taken out at the same moment; nothing was changed: look at `subcortex rule list`"
    )]
    LineGone,
    /// The broadcast would be too large.
    #[error(
        "it does not fit: {0}\ntake out a rule that is not needed any more: `subcortex rule remove L<n>`"
    )]
    DoesNotFit(String),
    /// The broadcast is not to be changed.
    #[error("`broadcast.mode` is `observe`: nothing is added or proposed")]
    OnlyObserving,
    /// Somebody edited the broadcast at the same moment.
    #[error("memory/CLAUDE.md was edited at the same moment; nothing was changed: try again")]
    EditedMeanwhile,
    /// Somebody is writing the broadcast.
    #[error("somebody is writing memory/CLAUDE.md; nothing was changed: try again when they are done")]
    BeingWritten,
}

/// What the reason of a change begins with that a person gave other words: what it rests on asked for those it had.
const REWORDED: &str = "the words are those with which a person accepted it; it was proposed because ";

/// What helps where a line has these words already.
fn way_out(number: usize, instead_of: Option<usize>) -> String {
    match instead_of {
        Some(own) if own == number => "these are its words, so nothing was changed".to_owned(),
        Some(own) => {
            format!("to have it said once, take the other one out: `subcortex rule remove L{own}`")
        }
        None => format!(
            "change it with `subcortex rule edit L{number} \"…\"`, or take it out with `subcortex rule remove L{number}`"
        ),
    }
}

/// Why a decision could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum DecisionError {
    /// For a reason that the person has to know.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A file could not be used.
    #[error(transparent)]
    Weave(#[from] WeaveError),
}

impl From<Trouble> for DecisionError {
    fn from(trouble: Trouble) -> Self {
        Self::Weave(trouble.into())
    }
}

/// Takes an edit back, as an edit of its own. What people changed since stays.
pub fn revert(shop: &Workshop, edit_id: &str) -> Result<Edit, DecisionError> {
    revert_part(shop, edit_id, None)
}

/// Takes an edit back, or one of its changes, by its number from 1.
///
/// The edit that takes back a single change names no edit that it reverts: the others still stand.
pub fn revert_part(shop: &Workshop, edit_id: &str, number: Option<usize>) -> Result<Edit, DecisionError> {
    recover(shop)?;
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    let edit = journal.by_id(edit_id).ok_or_else(|| Refused::UnknownEdit(edit_id.to_owned()))?;
    if journal.is_reverted(edit_id) {
        return Err(Refused::AlreadyUndone(edit_id.to_owned()).into());
    }
    if edit.cause == Cause::Forgotten {
        return Err(Refused::WasForgotten(edit_id.to_owned()).into());
    }
    let (changes, why) = match number {
        None => (&*edit.changes, format!("a person took back edit {edit_id}")),
        Some(_) if edit.reverts.is_some() => return Err(Refused::OnlyAsAWhole(edit_id.to_owned()).into()),
        Some(number) => {
            let change = number.checked_sub(1).and_then(|at| edit.changes.get(at)).ok_or_else(|| {
                let n = edit.changes.len();
                let changes = if n == 1 { "1 change".to_owned() } else { format!("{n} changes") };
                Refused::UnknownChange { id: edit_id.to_owned(), changes }
            })?;
            (std::slice::from_ref(change), format!("a person took back change {number} of edit {edit_id}"))
        }
    };
    let broadcast = crate::quiet::read(shop, &|| false)?;
    let undone = undo(&broadcast, changes, &Spent::of(&journal), &why).map_err(|stuck| match stuck {
        Stuck::ChangedSince(change) => Refused::ChangedSince {
            id: edit_id.to_owned(),
            line: change.line_after.or(change.line_before).unwrap_or_default(),
        },
        Stuck::Forgotten => Refused::BringsBackForgotten(edit_id.to_owned()),
    })?;
    if undone.changes.is_empty() {
        return Err(Refused::AlreadyUndone(edit_id.to_owned()).into());
    }
    let whole = number.is_none() || edit.changes.len() == 1;
    let reverts = whole.then(|| edit_id.to_owned());
    let edit = Edit { reverts, ..shop.edit(Cause::Reverted, undone.changes) };
    finish(shop, &broadcast, &undone.text, edit)
}

/// Carries out a proposal.
pub fn accept(shop: &Workshop, proposal_id: &str) -> Result<Edit, DecisionError> {
    accept_worded(shop, proposal_id, None)
}

/// Carries out a proposal, in the words that a person gave it instead of its own.
pub fn accept_worded(shop: &Workshop, proposal_id: &str, words: Option<&str>) -> Result<Edit, DecisionError> {
    accept_because(shop, proposal_id, words, None)
}

/// Carries out a proposal; `why` is added to its reason.
pub(super) fn accept_because(
    shop: &Workshop,
    proposal_id: &str,
    words: Option<&str>,
    why: Option<&str>,
) -> Result<Edit, DecisionError> {
    recover(shop)?;
    let mut proposal = waiting(shop, proposal_id)?;
    let as_stored = proposal.clone();
    let not_allowed = |why: String| Refused::NotAllowed { id: proposal_id.to_owned(), why };
    if let Some(words) = words {
        match proposal.change.kind {
            ChangeKind::Add | ChangeKind::Rewrite => {
                gates::admit(words.trim(), &|_| true).map_err(|why| not_allowed(why.to_owned()))?;
                proposal.change.after = Some(format!("- {}", words.trim()));
            }
            ChangeKind::Remove | ChangeKind::Move => {
                return Err(not_allowed("it has no words that could be edited".into()).into());
            }
        }
    }
    let broadcast = crate::quiet::read(shop, &|| false)?;
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    let own_words = proposals::to_change(&as_stored, &broadcast).and_then(|change| change.text);
    let change = proposals::to_change(&proposal, &broadcast);
    let said_already = |text: &str| {
        let project = proposal.change.project.as_deref();
        let hash = subcortex_memory::LineHash::of(text, project, 1);
        broadcast.by_hash(&hash).is_some()
    };
    let Some(change) = change.filter(|change| !change.text.as_deref().is_some_and(said_already)) else {
        if words.is_some() {
            return Err(not_allowed("a line says that already, or its own line is gone".into()).into());
        }
        as_stored.remove(&*shop.disk, &shop.folder)?;
        return Err(Refused::NoLongerFits(proposal_id.to_owned()).into());
    };
    if let Some(text) = &change.text {
        // A pointer that a person lets in is theirs to care for.
        gates::admit(text, &|_| true).map_err(|why| not_allowed(why.to_owned()))?;
    }
    let mut change = change;
    if words.is_some() && change.text != own_words {
        change.why = format!("{REWORDED}{}", change.why);
    }
    if let Some(why) = why {
        change.why = format!("{}; {why}", change.why);
    }
    let draft = draft(&broadcast, &[change], false, &Spent::of(&journal));
    if draft.changes.is_empty() {
        return Err(not_allowed(draft.held_back.join("; ")).into());
    }
    let bootstrapped = broadcast.text.is_none();
    let edit = Edit { bootstrapped, ..shop.edit(Cause::Accepted, draft.changes) };
    let edit = finish(shop, &broadcast, &draft.text, edit)?;
    leave_room(shop)?;
    match as_stored.remove(&*shop.disk, &shop.folder) {
        // The edit is made; what somebody writes into the file now is another proposal.
        Err(trouble) if trouble.is_conflict() || trouble.is_busy() => {}
        removed => _ = removed?,
    }
    Ok(edit)
}

/// Drops a proposal for good.
pub fn reject(shop: &Workshop, proposal_id: &str) -> Result<(), DecisionError> {
    let proposal = waiting(shop, proposal_id)?;
    let mut state = State::read(shop)?;
    // First the memory of it: dropped without that it would come back.
    let rule = proposals::rule_of_file(&proposal);
    let is_new = state.rejected.insert(proposal_id.to_owned());
    let is_later = rule.is_some_and(|rule| state.rejected_rules.insert(rule, shop.now) != Some(shop.now));
    if is_new || is_later {
        state.write(shop)?;
    }
    leave_room(shop)?;
    proposal.remove(&*shop.disk, &shop.folder)?;
    Ok(())
}

/// Notes, before a place on a full list becomes free, that the next run is to give it to somebody.
fn leave_room(shop: &Workshop) -> Result<(), WeaveError> {
    if room::is_full(shop)? { unfinished::note(shop, Some(shop.now)) } else { Ok(()) }
}

fn waiting(shop: &Workshop, id: &str) -> Result<Proposal, DecisionError> {
    let all = Proposal::read_all(&*shop.disk, &shop.folder)?.waiting;
    all.into_iter()
        .find(|proposal| proposal.id == id)
        .ok_or_else(|| Refused::UnknownProposal(id.to_owned()).into())
}

pub(super) fn finish(
    shop: &Workshop,
    broadcast: &Broadcast,
    text: &str,
    edit: Edit,
) -> Result<Edit, DecisionError> {
    match commit(shop, broadcast, text, &edit)? {
        Committed::Done => Ok(edit),
        Committed::Conflict => Err(Refused::EditedMeanwhile.into()),
        Committed::Busy => Err(Refused::BeingWritten.into()),
    }
}
