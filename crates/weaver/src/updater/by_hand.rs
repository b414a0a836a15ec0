//! Rules that a person adds, rewrites and takes out with a command: edits like all others, in the journal and with a way back.

use subcortex_checks::Weighed;
use subcortex_memory::{Cause, ChangeKind, Edit, Journal, Line, LineHash};

use crate::{CompiledBroadcast, Workshop, meaning_of};

use super::commit::recover;
use super::decide::{DecisionError, Refused, finish};
use super::draft::draft;
use super::gates;
use super::known::Known;
use super::plan::{Place, PlannedChange, Strength, Target};
use super::spent::Spent;

/// Why such a change was made.
const BY_HAND: &str = "a person wrote it";
/// What is added where another line says much the same; the line follows.
pub const BESIDE: &str = ", and the same is said by ";

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
    let bootstrapped = broadcast.text.is_none();
    let edit = Edit { bootstrapped, ..shop.edit(Cause::Person, draft.changes) };
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
            let (text, _) = admitted(compiled, text, project.as_deref(), None)?;
            change(ChangeKind::Add, None, Some(text), project)
        }
        ByHand::Rewrite { line, text } => {
            let line = find(line)?;
            let (text, beside) = admitted(compiled, text, line.project.as_deref(), Some(line))?;
            let mut change = change(ChangeKind::Rewrite, Some(line), Some(text), line.project.clone());
            if let Some(other) = beside {
                // Without its words: they may have to be forgotten.
                change.why = format!("{BY_HAND}{BESIDE}L{other}");
            }
            change
        }
        ByHand::Remove { line } => {
            let line = find(line)?;
            change(ChangeKind::Remove, Some(line), None, line.project.clone())
        }
    })
}

/// The words as they may stand in the broadcast, unless another line says them where they would hold. Who rewrites a line has decided:
/// only the very words of a line are in the way then, and the line that says much the same is handed back with them.
fn admitted(
    compiled: &CompiledBroadcast,
    text: &str,
    project: Option<&str>,
    instead_of: Option<&Line>,
) -> Result<(String, Option<usize>), Refused> {
    let text = text.trim();
    let text = ["- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text).trim();
    // A pointer that a person lets in is theirs to care for.
    gates::admit(text, &|_| true).map_err(|why| Refused::UnfitRule(why.to_owned()))?;
    let holds = |line: &&Line| line.project.is_none() || line.project.as_deref() == project;
    let known = Known::of(compiled);
    let saying: Vec<&Line> = known.saying(text, &meaning_of(text)).into_iter().filter(holds).collect();
    let has_these_words =
        |line: &&&Line| LineHash::of(text, line.project.as_deref(), 1).of_words() == line.hash.of_words();
    let in_the_way = match instead_of {
        Some(_) => saying.iter().find(has_these_words),
        None => saying.first(),
    };
    if let Some(line) = in_the_way {
        return Err(Refused::SaidAlready {
            line: line.reference(),
            number: line.number,
            text: line.text.trim().to_owned(),
            instead_of: instead_of.map(|line| line.number),
        });
    }
    let other = saying.into_iter().find(|line| instead_of.is_some_and(|own| own.hash != line.hash));
    Ok((text.to_owned(), other.map(|line| line.number)))
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
        why: BY_HAND.into(),
        evidence: Vec::new(),
        newest: None,
        // Who writes by hand has decided: nothing is tried out.
        rate_before: None,
        strength: Strength { standing: true, sessions: 0 },
        weighed: Weighed::default(),
    }
}
