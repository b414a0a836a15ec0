//! `subcortex history` and `revert`: the edits of the broadcast, and taking one back.

use std::fmt::Write as _;

use serde_json::Value;
use subcortex_daemon::Decision;
use subcortex_daemon::control::{Answer, Request};
use subcortex_guard::escape_for_display;
use subcortex_memory::{Change, ChangeKind, Edit};
use subcortex_weaver::explain::history;
use subcortex_weaver::updater;

use super::World;
use crate::args::{Json, Revert};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};

pub(crate) fn run(world: &World<'_>, args: &Json) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    let shop = world.workshop()?;
    let edits = history(&shop)?;
    if args.json {
        print_json(&edits)?;
    } else if edits.is_empty() {
        print("no edits yet\n")?;
    } else {
        let shown = edits.iter().map(|told| {
            let fares: String =
                told.probation.iter().map(|trial| format!("      {}\n", trial.verdict)).collect();
            in_short(&told.edit, told.reverted) + &fares
        });
        print(&shown.collect::<String>())?;
    }
    // Whoever looked has seen them; that this cannot be noted down is no reason to fail.
    if !edits.is_empty() && updater::unseen_edits(&shop).is_ok_and(|unseen| !unseen.is_empty()) {
        drop(world.ask(Request::Decide(Decision::Seen)));
    }
    Ok(ExitCode::Done)
}

pub(crate) fn revert(world: &World<'_>, args: &Revert) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    let value = decide(world, Decision::Revert { edit: args.edit.clone() })?;
    let id = value.pointer("/edit/id").and_then(Value::as_str).unwrap_or("?");
    print(&format!("taken back: {} (edit {id})\n", args.edit))?;
    Ok(ExitCode::Done)
}

/// Lets a decision be carried out; a refusal is the command's failure.
pub(crate) fn decide(world: &World<'_>, decision: Decision) -> Result<Value, Failure> {
    match world.ask(Request::Decide(decision))? {
        Answer::Decided { value } => Ok(value),
        Answer::Refused { why } => Err(Failure::refused(why)),
        Answer::Done
        | Answer::Ran { .. }
        | Answer::Schedule(_)
        | Answer::Reset { .. }
        | Answer::LoopRan(_) => {
            Err(Failure::failed("the daemon gave an answer that does not fit; restart it after an upgrade"))
        }
    }
}

/// An edit in a few lines, with the command that takes it back.
pub(crate) fn in_short(edit: &Edit, reverted: bool) -> String {
    let mut text = String::new();
    let cause = serde_json::to_value(edit.cause).ok();
    let cause = cause.as_ref().and_then(Value::as_str).unwrap_or("?");
    let state = if reverted { "  (taken back)" } else { "" };
    // Writing to a String cannot fail.
    let _ok = writeln!(text, "{}  {}  {cause}{state}", edit.ts.strftime("%Y-%m-%d %H:%M"), edit.id);
    for change in &edit.changes {
        text.push_str(&change_in_words(change));
    }
    if !reverted && edit.reverts.is_none() {
        let _ok = writeln!(text, "      undo: subcortex revert {}", edit.id);
    }
    text
}

/// A change as a small difference.
pub(crate) fn change_in_words(change: &Change) -> String {
    let mut text = String::new();
    let number = |number: Option<usize>| number.map_or("L?".into(), |number| format!("L{number}"));
    let line = |mark: char, at: Option<usize>, words: &Option<String>| match (words, at) {
        (Some(words), _) => format!("    {mark} {:<5} {}\n", number(at), escape_for_display(words.trim())),
        (None, Some(_)) => format!("    {mark} {:<5} (forgotten)\n", number(at)),
        (None, None) => String::new(),
    };
    if change.kind == ChangeKind::Move {
        let (from, to) = (number(change.line_before), number(change.line_after));
        let words = escape_for_display(change.after.as_deref().unwrap_or_default().trim()).to_string();
        let _ok = writeln!(text, "    ~ {from} → {to}  {words}");
    } else {
        text.push_str(&line('-', change.line_before, &change.before));
        text.push_str(&line('+', change.line_after, &change.after));
    }
    let _ok = writeln!(
        text,
        "      {} ({} pieces of evidence)",
        escape_for_display(&change.why),
        change.evidence.len()
    );
    text
}
