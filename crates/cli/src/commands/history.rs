//! `subcortex history` and `revert`: the edits of the broadcast, and taking one back.

use std::fmt::Write as _;

use serde_json::Value;
use subcortex_audit::Ink;
use subcortex_daemon::Decision;
use subcortex_daemon::control::{Answer, Request};
use subcortex_guard::escape_for_display;
use subcortex_memory::{Broadcast, Cause, Change, ChangeKind, Edit, Journal, LineHash};
use subcortex_weaver::explain::{ToldEdit, history};
use subcortex_weaver::updater;

use super::World;
use crate::args::{Json, Revert};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::names::EDIT;
use crate::output::{print, print_json};
use crate::spinner::Spinner;
use crate::words::{Clock, counted};

pub(crate) fn run(world: &World<'_>, args: &Json) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    let shop = world.workshop()?;
    let waits = Spinner::new("counting the evidence");
    let edits = history(&shop)?;
    drop(waits);
    if args.json {
        print_json(&edits)?;
    } else if edits.is_empty() {
        print("no edits yet\nadd a rule with: subcortex rule add \"…\"\n")?;
    } else {
        let looks = world.looks();
        let edits_alone = edits.iter().map(|told| told.edit.clone()).collect();
        let journal = Journal { edits: edits_alone, ..Journal::default() };
        let today = Broadcast::read(&*shop.disk, &shop.folder).unwrap_or_default();
        let told = Told { looks: &looks, clock: &Clock::here(), journal: &journal, today: &today };
        let shown: String = edits.iter().map(|edit| told.with_trials(edit)).collect();
        let commands = ["subcortex revert EDIT [--change N]", "subcortex why L<n>", "subcortex review"];
        let commands: Vec<String> = commands.iter().map(|command| looks.command(command)).collect();
        looks.show(&format!("{shown}\n{}\n", commands.join(" · ")))?;
    }
    // Whoever looked has seen them; that this cannot be noted down is no reason to fail.
    if !edits.is_empty() && updater::unseen_edits(&shop).is_ok_and(|unseen| !unseen.is_empty()) {
        drop(world.ask(Request::Decide(Decision::Seen)));
    }
    Ok(ExitCode::Done)
}

pub(crate) fn revert(world: &World<'_>, args: &Revert) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    world.expect_a_person(
        "takes an edit of the memory back",
        "a person runs `subcortex revert` in a terminal of their own",
    )?;
    let shop = world.workshop()?;
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    let names: Vec<&str> = journal.edits.iter().map(|edit| &*edit.id).collect();
    let edit = EDIT.resolve(&args.edit, names.iter().copied())?;
    let change = args.change.and_then(|change| usize::try_from(change).ok());
    let value = decide(world, Decision::Revert { edit: edit.clone(), change })?;
    let which = match change {
        Some(number) => format!("change {number} of {}", EDIT.short(&edit, &names)),
        None => EDIT.short(&edit, &names).to_owned(),
    };
    print(&format!("taken back: {which}\n{}", made(&value, &world.looks())))?;
    Ok(ExitCode::Done)
}

/// An edit that was made just now: what it did, and how to undo it.
pub(crate) fn made(value: &Value, looks: &Looks) -> String {
    let Some(edit) = value.get("edit").and_then(|edit| serde_json::from_value::<Edit>(edit.clone()).ok())
    else {
        return String::new();
    };
    let changes: String =
        edit.changes.iter().map(|change| difference(change, At::Once(change), looks)).collect();
    let undo = looks.command(&format!("subcortex revert {}", EDIT.short(&edit.id, &[&edit.id])));
    format!("{changes}  undo: {undo}\n")
}

/// Lets a decision be carried out; a refusal is the command's failure.
pub(crate) fn decide(world: &World<'_>, decision: Decision) -> Result<Value, Failure> {
    let waits = Spinner::new("waiting for the memory");
    let answer = world.ask(Request::Decide(decision));
    drop(waits);
    match answer? {
        Answer::Decided { value } => Ok(value),
        Answer::Refused { why } => Err(Failure::refused(why)),
        Answer::NotKept { why } => Err(Failure::storage(why)),
        Answer::Done
        | Answer::Ran { .. }
        | Answer::Schedule(_)
        | Answer::Reset { .. }
        | Answer::LoopRan(_) => Err(Failure::failed(
            "the daemon's answer does not fit this version of the program; restart it after an upgrade",
        )),
    }
}

/// What edits are told with.
pub(crate) struct Told<'a> {
    pub(crate) looks: &'a Looks,
    pub(crate) clock: &'a Clock,
    /// All edits: names are as short as these allow.
    pub(crate) journal: &'a Journal,
    /// The memory as it is: a line is called by the number that it has in it.
    pub(crate) today: &'a Broadcast,
}

impl Told<'_> {
    fn with_trials(&self, told: &ToldEdit) -> String {
        let fares = told.probation.iter().map(|trial| format!("      {}\n", trial.verdict));
        self.edit(&told.edit) + &fares.collect::<String>()
    }

    /// An edit in a few lines, with the commands that take it back.
    pub(crate) fn edit(&self, edit: &Edit) -> String {
        let looks = self.looks;
        let names: Vec<&str> = self.journal.edits.iter().map(|edit| &*edit.id).collect();
        let id = EDIT.short(&edit.id, &names);
        let is_reverted = self.journal.is_reverted(&edit.id);
        let state = if is_reverted { looks.dim("  (taken back)") } else { String::new() };
        let mut text = format!(
            "{}  {}  {}{state}\n",
            looks.bold(id),
            self.clock.time(edit.ts),
            looks.dim(cause_in_words(edit.cause))
        );
        let is_many = edit.changes.len() > 1;
        for (at, change) in edit.changes.iter().enumerate() {
            if is_many {
                let gone = !is_reverted && self.journal.is_change_reverted(edit, change);
                let state = if gone { "  (taken back)" } else { "" };
                // Writing to a String cannot fail.
                let _ok = writeln!(text, "  {}", looks.dim(&format!("change {}{state}", at + 1)));
            }
            text.push_str(&difference(change, At::Today(change, self.today), looks));
            text.push_str(&reason(change, looks));
        }
        if !is_reverted && edit.cause != Cause::Forgotten && edit.reverts.is_none() {
            let part = if is_many { ", or a part of it: add --change N" } else { "" };
            let undo = looks.command(&format!("subcortex revert {id}"));
            let _ok = writeln!(text, "      undo: {undo}{part}");
        }
        text
    }
}

/// Who wanted an edit.
fn cause_in_words(cause: Cause) -> &'static str {
    match cause {
        Cause::Evidence => "because of what you said",
        Cause::Task => "a task asked for it",
        Cause::Accepted => "you accepted it",
        Cause::Reverted => "you took something back",
        Cause::Probation => "taken back by itself: it did worse",
        Cause::Forgotten => "you had something forgotten",
        Cause::Person => "you wrote it",
    }
}

/// A change as a small difference, with the reason; the lines have the numbers that the edit gave them.
pub(crate) fn change_in_words(change: &Change, looks: &Looks) -> String {
    difference(change, At::Once(change), looks) + &reason(change, looks)
}

/// Why a change was made.
fn reason(change: &Change, looks: &Looks) -> String {
    let evidence = match change.evidence.len() {
        0 => String::new(),
        n => format!(" ({})", counted(n, "piece of evidence", "pieces of evidence")),
    };
    let project = change.project.as_deref().map(|project| format!("  in {}", escape_for_display(project)));
    let why = format!("{}{evidence}{}", escape_for_display(&change.why), project.unwrap_or_default());
    format!("      {}\n", looks.dim(&why))
}

/// What lines are called by.
#[derive(Clone, Copy)]
enum At<'a> {
    /// The numbers that they had when the edit was made.
    Once(&'a Change),
    /// Those that they have now, as far as they stand there: numbers change with every line above.
    Today(&'a Change, &'a Broadcast),
}

impl At<'_> {
    fn before(self) -> Option<usize> {
        match self {
            Self::Once(change) => change.line_before,
            Self::Today(change, today) => number(change.hash_before.as_ref(), today),
        }
    }

    fn after(self) -> Option<usize> {
        match self {
            Self::Once(change) => change.line_after,
            Self::Today(change, today) => number(change.hash_after.as_ref(), today),
        }
    }
}

fn number(hash: Option<&LineHash>, today: &Broadcast) -> Option<usize> {
    today.by_hash(hash?).map(|line| line.number)
}

/// The lines that go and come.
fn difference(change: &Change, at: At<'_>, looks: &Looks) -> String {
    let line = |mark: char, ink: Ink, was_there: bool, at: Option<usize>, words: &Option<String>| {
        let words = match (words, was_there) {
            (Some(words), _) => escape_for_display(words.trim()).into_owned(),
            (None, true) => "(forgotten)".to_owned(),
            (None, false) => return String::new(),
        };
        let called = match (at, mark) {
            (Some(number), _) => format!("L{number}"),
            (None, '-') => "was".to_owned(),
            (None, _) => "gone".to_owned(),
        };
        format!("    {}\n", looks.ink(ink, &format!("{mark} {called:<5} {words}")))
    };
    if change.kind == ChangeKind::Move {
        let number = |number: Option<usize>| number.map_or("gone".to_owned(), |number| format!("L{number}"));
        let words = escape_for_display(change.after.as_deref().unwrap_or_default().trim()).into_owned();
        return match at {
            At::Once(_) => format!("    ~ {} → {}  {words}\n", number(at.before()), number(at.after())),
            At::Today(..) => format!("    ~ {:<5} moved: {words}\n", number(at.after())),
        };
    }
    line('-', Ink::Red, change.line_before.is_some(), at.before(), &change.before)
        + &line('+', Ink::Green, change.line_after.is_some(), at.after(), &change.after)
}
