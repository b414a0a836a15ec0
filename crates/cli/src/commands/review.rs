//! `subcortex review`: edits that wait for a yes. In a terminal they are gone through one by one; scripts have sub-commands.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal, Write as _, stdin, stdout};
use std::path::Path;

use subcortex_audit::Ink;
use subcortex_checks::without_quotation;
use subcortex_daemon::Decision;
use subcortex_guard::escape_for_display;
use subcortex_memory::{ChangeKind, Proposal};
use subcortex_weaver::explain::{Evidence, Says, Waiting, review};

use super::World;
use super::history::{decide, made};
use crate::args::{Review, ReviewCommand};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::names::PROPOSAL;
use crate::output::{note, print, print_json};
use crate::spinner::Spinner;
use crate::words::{Clock, below_home, count, shortened};

/// How much of a message and of what the agent did is shown, in characters.
const SHOWN_CHARS: usize = 300;
/// How many of the agent's last deeds are shown beside a message.
const SHOWN_DEEDS: usize = 4;
/// What can be answered.
const KEYS: &str = "[a]ccept  [e]dit the words  [r]eject for good  [l]ater  [q]uit";

pub(crate) fn run(world: &World<'_>, args: &Review) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    match &args.command {
        None if args.json => {
            let shop = world.workshop()?;
            let proposals = Proposal::read_all(&*shop.disk, &shop.folder)?;
            tell_broken(&proposals.broken);
            print_json(&proposals.waiting)?;
            Ok(ExitCode::Done)
        }
        None => show(world, args.verbose),
        Some(ReviewCommand::Accept { proposal, words }) => {
            let id = resolve(world, proposal)?;
            print(&accept(world, &id, words.clone())?)?;
            Ok(ExitCode::Done)
        }
        Some(ReviewCommand::Reject { proposal }) => {
            let id = resolve(world, proposal)?;
            print(&reject(world, &id)?)?;
            Ok(ExitCode::Done)
        }
    }
}

fn resolve(world: &World<'_>, word: &str) -> Result<String, Failure> {
    let shop = world.workshop()?;
    let waiting = Proposal::read_all(&*shop.disk, &shop.folder)?.waiting;
    PROPOSAL.resolve(word, waiting.iter().map(|proposal| &*proposal.id))
}

fn accept(world: &World<'_>, id: &str, words: Option<String>) -> Result<String, Failure> {
    world.expect_a_person(
        "accepts an edit of the memory",
        &format!(
            "run `subcortex review accept {id}` in a terminal of your own, or accept it on the page (`subcortex open`)"
        ),
    )?;
    let value = decide(world, Decision::Accept { proposal: id.to_owned(), words })?;
    Ok(format!("accepted: {id}\n{}", made(&value, &world.looks())))
}

fn reject(world: &World<'_>, id: &str) -> Result<String, Failure> {
    decide(world, Decision::Reject { proposal: id.to_owned() })?;
    Ok(format!("rejected: {id}; the same wish does not come back\n"))
}

fn tell_broken(broken: &[(String, String)]) {
    for (path, why) in broken {
        note(&format!("note: {path} is no proposal and is left alone: {why}"));
    }
}

fn show(world: &World<'_>, is_verbose: bool) -> Result<ExitCode, Failure> {
    let waits = Spinner::new("looking up what was said");
    let mut found = review(&world.workshop()?)?;
    drop(waits);
    // What is wrong comes before what is new, and what waits longest first.
    let order = |one: &Waiting| (one.kind == ChangeKind::Add, one.created, one.words.clone());
    found.waiting.sort_by_cached_key(order);
    tell_broken(&found.broken);
    let looks = world.looks();
    let user_home = world.surroundings.user_home.as_deref();
    let sheet = Sheet { looks: &looks, clock: Clock::here(), all: &found.waiting, is_verbose, user_home };
    if found.waiting.is_empty() {
        print("nothing waits for you\n")?;
    } else if looks.is_terminal && stdin().is_terminal() {
        go_through(world, &sheet)?;
    } else {
        let shown: String = (0..found.waiting.len())
            .filter_map(|at| Some(sheet.proposal(at)? + &sheet.commands(at)?))
            .collect();
        looks.print(&shown)?;
    }
    Ok(ExitCode::Done)
}

/// What a person answers.
enum Choice {
    Accept(Option<String>),
    Reject,
    Later,
    Quit,
}

/// Asks about one proposal after the other. The end of the input leaves the rest for later.
fn go_through(world: &World<'_>, sheet: &Sheet<'_>) -> Result<(), Failure> {
    let (mut accepted, mut rejected) = (0, 0);
    'all: for (at, waiting) in sheet.all.iter().enumerate() {
        sheet.looks.print(&format!("\n{}", sheet.proposal(at).unwrap_or_default()))?;
        loop {
            let done = match choose(sheet, waiting)? {
                Choice::Accept(words) => accept(world, &waiting.id, words).inspect(|_| accepted += 1),
                Choice::Reject => reject(world, &waiting.id).inspect(|_| rejected += 1),
                Choice::Later => continue 'all,
                Choice::Quit => break 'all,
            };
            match done {
                Ok(text) => {
                    print(&text)?;
                    continue 'all;
                }
                // Nothing was done: the person may choose again.
                Err(failure) => {
                    let lines = failure.message().lines();
                    let lines: String = lines.map(|line| format!("{}\n", escape_for_display(line))).collect();
                    sheet.looks.print(&lines)?;
                }
            }
        }
    }
    let left = match sheet.all.len() - accepted - rejected {
        0 => "nothing waits any more".to_owned(),
        1 => "1 still waits".to_owned(),
        left => format!("{left} still wait"),
    };
    print(&format!("\n{accepted} accepted, {rejected} rejected; {left}\n"))
}

/// Asks until there is an answer.
fn choose(sheet: &Sheet<'_>, waiting: &Waiting) -> Result<Choice, Failure> {
    loop {
        let Some(answer) = read_line(&format!("{} > ", sheet.looks.bold(KEYS)))? else {
            print("\n")?;
            return Ok(Choice::Quit);
        };
        match answer.to_lowercase().as_str() {
            "a" | "accept" | "y" | "yes" if is_quotation(waiting) => {
                // What somebody said in passing is seldom how a rule should read.
                print("it only quotes you: how is the rule to read?\n")?;
                let words = read_line("the rule (nothing: the quotation as it stands) > ")?;
                if let Some(words) = words {
                    return Ok(Choice::Accept(Some(words).filter(|words| !words.is_empty())));
                }
            }
            "a" | "accept" | "y" | "yes" => return Ok(Choice::Accept(None)),
            "r" | "reject" | "n" | "no" => return Ok(Choice::Reject),
            "l" | "later" | "" => return Ok(Choice::Later),
            "q" | "quit" => return Ok(Choice::Quit),
            "e" | "edit" => {
                if let Some(words) = new_words(waiting)? {
                    return Ok(Choice::Accept(Some(words)));
                }
            }
            other => {
                let other = escape_for_display(other).into_owned();
                print(&format!("`{other}` is no answer; type one letter of: {KEYS}\n"))?;
            }
        }
    }
}

/// Whether its words are those of a person, for want of better ones.
fn is_quotation(waiting: &Waiting) -> bool {
    waiting.words.as_deref().is_some_and(|words| without_quotation(words) != words)
}

/// The words that a rule is to have instead of its own; `None` when the person thinks better of it.
fn new_words(waiting: &Waiting) -> Result<Option<String>, Failure> {
    let Some(words) = &waiting.words else {
        print("it has no words that could be edited: accept or reject it\n")?;
        return Ok(None);
    };
    print(&format!("its words: {}\n", escape_for_display(words)))?;
    let typed = read_line("new words, or only what changes as `old => new` (nothing: leave it) > ")?;
    Ok(typed.filter(|typed| !typed.is_empty()).map(|typed| changed(words, &typed)))
}

/// The words with what a person changed in them: all of what they typed, unless it names a part that stands there once.
fn changed(words: &str, typed: &str) -> String {
    match typed.split_once(" => ") {
        Some((old, new)) if words.matches(old).count() == 1 => words.replacen(old, new, 1),
        Some(_) | None => typed.to_owned(),
    }
}

/// Reads what a person types; `None` at the end of the input.
fn read_line(prompt: &str) -> Result<Option<String>, Failure> {
    let mut out = stdout().lock();
    write!(out, "{prompt}")?;
    out.flush()?;
    let mut line = String::new();
    let read = stdin().lock().read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

/// What proposals are shown with.
struct Sheet<'a> {
    looks: &'a Looks,
    clock: Clock,
    all: &'a [Waiting],
    /// Whether reasons are shown with what they weigh.
    is_verbose: bool,
    user_home: Option<&'a Path>,
}

impl Sheet<'_> {
    fn short<'n>(&self, id: &'n str) -> &'n str {
        PROPOSAL.short(id, &self.all.iter().map(|waiting| &*waiting.id).collect::<Vec<_>>())
    }

    /// A proposal with what it rests on.
    fn proposal(&self, at: usize) -> Option<String> {
        let (looks, waiting) = (self.looks, self.all.get(at)?);
        let mut text = format!(
            "{}  {}\n",
            looks.bold(&format!("{} of {}", at + 1, self.all.len())),
            looks.dim(self.short(&waiting.id))
        );
        let line = waiting.line.map_or_else(String::new, |line| format!("L{line} "));
        let words =
            |words: &Option<String>| escape_for_display(words.as_deref().unwrap_or("?").trim()).into_owned();
        if let (ChangeKind::Rewrite | ChangeKind::Remove, Some(_)) = (waiting.kind, &waiting.before) {
            // Writing to a String cannot fail.
            let _ok =
                writeln!(text, "  {}", looks.ink(Ink::Red, &format!("- {line}{}", words(&waiting.before))));
        }
        let _ok = match waiting.kind {
            ChangeKind::Add | ChangeKind::Rewrite => {
                writeln!(text, "  {}", looks.ink(Ink::Green, &format!("+ {}", words(&waiting.words))))
            }
            ChangeKind::Move => writeln!(text, "  ~ {line}{} moves", words(&waiting.before)),
            ChangeKind::Remove => Ok(()),
        };
        for beside in &waiting.beside {
            let line = format!("L{} {}", beside.line, shortened(&beside.text, SHOWN_CHARS));
            let shown = match beside.says {
                Says::TheOpposite => looks.ink(Ink::Red, &format!("! says the opposite: {line}")),
                Says::MuchTheSame => looks.ink(Ink::Yellow, &format!("! says much the same: {line}")),
            };
            let _ok = writeln!(text, "  {shown}");
        }
        let place = match &waiting.project {
            Some(project) => format!("in {}", escape_for_display(&below_home(project, self.user_home))),
            None => "everywhere".to_owned(),
        };
        let _ok = writeln!(text, "  {}", looks.dim(&format!("would hold {place}")));
        let _ok = writeln!(text, "  {}", looks.dim(&format!("because {}", escape_for_display(&waiting.why))));
        let _ok = writeln!(
            text,
            "  {}",
            looks.dim(&format!("it waits: {}", escape_for_display(&waiting.waits_because)))
        );
        for (what, reasons) in self.reasons(&waiting.reasons) {
            let reasons = escape_for_display(&reasons.join("; ")).into_owned();
            let _ok = writeln!(text, "  {}", looks.dim(&format!("{what}: {reasons}")));
        }
        waiting.evidence.iter().for_each(|evidence| self.evidence(&mut text, evidence));
        if waiting.more_evidence > 0 {
            let _ok = writeln!(
                text,
                "  {}",
                looks.dim(&format!("and {} before", count(waiting.more_evidence, "message")))
            );
        }
        Some(text)
    }

    /// Why the words may be meant to last, and why not, in words. How much each weighs says little to whoever did not weigh them.
    fn reasons<'r>(&self, reasons: &'r [String]) -> Vec<(&'static str, Vec<&'r str>)> {
        if self.is_verbose {
            let all: Vec<&str> = reasons.iter().map(String::as_str).collect();
            return if all.is_empty() { Vec::new() } else { vec![("the words", all)] };
        }
        let weighed = reasons.iter().map(|reason| match reason.rsplit_once(" (") {
            Some((says, weight)) => (says, weight.starts_with('-')),
            None => (&**reason, false),
        });
        let (against, of): (Vec<_>, Vec<_>) = weighed.partition(|(_, is_against)| *is_against);
        [("speaks for it", of), ("speaks against it", against)]
            .into_iter()
            .filter(|(_, reasons)| !reasons.is_empty())
            .map(|(what, reasons)| (what, reasons.into_iter().map(|(says, _)| says).collect()))
            .collect()
    }

    /// What a person said, and what the agent had done when they said it.
    fn evidence(&self, text: &mut String, evidence: &Evidence) {
        let looks = self.looks;
        let when = evidence.ts.map_or_else(String::new, |ts| format!(" {}", self.clock.time(ts)));
        let session = evidence.session.as_deref().unwrap_or("?");
        let place = format!("{when}, session {}", escape_for_display(session));
        let said = evidence.said.as_ref();
        let message = said.map(|said| &*said.message).or(evidence.quote.as_deref()).unwrap_or_default();
        let deeds = said.map(|said| &*said.before).unwrap_or_default();
        text.push('\n');
        for deed in deeds.iter().skip(deeds.len().saturating_sub(SHOWN_DEEDS)) {
            let who = if deed.what == "asked" { "you asked" } else { "agent" };
            let failed = if deed.what == "failed" { "failed: " } else { "" };
            let _ok = writeln!(
                text,
                "    {}",
                looks.dim(&format!("{who:<9}  {failed}{}", shortened(&deed.text, SHOWN_CHARS)))
            );
        }
        let _ok = writeln!(
            text,
            "    {}  {}",
            looks.ink(Ink::Magenta, "you said "),
            shortened(message, SHOWN_CHARS)
        );
        let _ok = writeln!(text, "    {}", looks.dim(&format!("          {place}")));
    }

    /// The commands that decide it.
    fn commands(&self, at: usize) -> Option<String> {
        let id = self.short(&self.all.get(at)?.id);
        Some(format!(
            "  accept:  subcortex review accept {id}\n  reword:  subcortex review accept {id} --words \"…\"\n  \
             reject:  subcortex review reject {id}\n\n"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_words_is_changed_without_typing_the_rest() {
        let words = "Always run `make lint` before you push.";
        assert_eq!(changed(words, "push => commit"), "Always run `make lint` before you commit.");
        assert_eq!(changed(words, "Run `make lint`."), "Run `make lint`.");
        assert_eq!(changed(words, "Map `a => b` in the reader."), "Map `a => b` in the reader.");
    }
}
