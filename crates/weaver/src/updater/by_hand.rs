//! Rules that a person adds, rewrites and takes out with a command: edits like all others, in the journal and with a way back.

use subcortex_checks::Weighed;
use subcortex_memory::{Cause, ChangeKind, Edit, Journal, Line, LineHash};

use crate::{CompiledBroadcast, Workshop, meaning_of};

use super::commit::recover;
use super::decide::{DecisionError, Refused, edit_of, finish};
use super::draft::draft;
use super::gates;
use super::known::Known;
use super::plan::{Place, PlannedChange, Strength, Target};
use super::spent::Spent;

/// What a person wants of the broadcast.
#[derive(Debug, Clone, Copy)]
pub enum ByHand<'a> {
    /// A new rule.
    Add {
        /// Its words.
        text: &'a str,
        /// The project that it holds in; none: everywhere.
        project: Option<&'a str>,
    },
    /// Other words for a rule.
    Rewrite {
        /// Which one.
        line: &'a LineHash,
        /// Its new words.
        text: &'a str,
    },
    /// A rule goes.
    Remove {
        /// Which one.
        line: &'a LineHash,
    },
}

/// Does what a person wants.
pub fn write_by_hand(shop: &Workshop, wish: ByHand<'_>) -> Result<Edit, DecisionError> {
    recover(shop)?;
    let broadcast = crate::quiet::read(shop, &|| false)?;
    let compiled = CompiledBroadcast::by_rules(broadcast);
    let broadcast = &compiled.broadcast;
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    let change = planned(&compiled, wish)?;
    let draft = draft(broadcast, &[change], false, &Spent::of(&journal));
    if draft.changes.is_empty() {
        let reasons =
            draft.held_back.iter().map(|held| held.split_once(" waits: ").map_or(&**held, |(_, why)| why));
        return Err(Refused::DoesNotFit(reasons.collect::<Vec<_>>().join("; ")).into());
    }
    let mut edit = edit_of(shop, Cause::Person, None, draft.changes);
    edit.bootstrapped = broadcast.text.is_none();
    finish(shop, broadcast, &draft.text, edit)
}

fn planned(compiled: &CompiledBroadcast, wish: ByHand<'_>) -> Result<PlannedChange, DecisionError> {
    let find = |hash: &LineHash| compiled.broadcast.by_hash(hash).ok_or(Refused::LineGone);
    Ok(match wish {
        ByHand::Add { text, project } => {
            let project = project.map(|project| Known::of(compiled).section_for(project).to_owned());
            if let Some(project) = &project {
                gates::admit_project(project).map_err(|why| Refused::UnfitRule(why.to_owned()))?;
            }
            let text = admitted(compiled, text, project.as_deref(), None)?;
            change(ChangeKind::Add, None, Some(text), project)
        }
        ByHand::Rewrite { line, text } => {
            let line = find(line)?;
            let text = admitted(compiled, text, line.project.as_deref(), Some(line))?;
            change(ChangeKind::Rewrite, Some(line), Some(text), line.project.clone())
        }
        ByHand::Remove { line } => {
            let line = find(line)?;
            change(ChangeKind::Remove, Some(line), None, line.project.clone())
        }
    })
}

/// The words as they may stand in the broadcast, if no other line says them where they would hold.
fn admitted(
    compiled: &CompiledBroadcast,
    text: &str,
    project: Option<&str>,
    instead_of: Option<&Line>,
) -> Result<String, Refused> {
    let text = text.trim();
    let text = ["- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text).trim();
    // A pointer that a person lets in is theirs to care for.
    gates::admit(text, &|_| true).map_err(|why| Refused::UnfitRule(why.to_owned()))?;
    let holds = |line: &&Line| line.project.is_none() || line.project.as_deref() == project;
    let known = Known::of(compiled);
    let saying = known.saying(text, &meaning_of(text)).into_iter().filter(holds);
    // Who rewrites a line may keep its meaning, but not its words.
    let is_other = |line: &&Line| match instead_of {
        Some(own) if own.hash == line.hash => {
            LineHash::of(text, project, 1).of_words() == own.hash.of_words()
        }
        Some(_) | None => true,
    };
    match saying.into_iter().find(is_other) {
        Some(line) => Err(Refused::SaidAlready {
            line: line.reference(),
            number: line.number,
            text: line.text.trim().to_owned(),
        }),
        None => Ok(text.to_owned()),
    }
}

fn change(
    kind: ChangeKind,
    line: Option<&Line>,
    text: Option<String>,
    project: Option<String>,
) -> PlannedChange {
    PlannedChange {
        kind,
        line: line.map(Target::of),
        text,
        project,
        place: Place::SectionEnd,
        why: "a person wrote it".into(),
        evidence: Vec::new(),
        newest: None,
        // Who writes by hand has decided: nothing is tried out.
        rate_before: None,
        strength: Strength { standing: true, sessions: 0 },
        weighed: Weighed::default(),
    }
}
