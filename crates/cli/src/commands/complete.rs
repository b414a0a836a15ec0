//! `subcortex complete`: what fits the word that is being typed, for the scripts of `subcortex completions`.
//!
//! One candidate a line, with a tab and a description behind it. `:files` and `:dirs` ask the shell for names of files and
//! folders. It never fails and changes nothing: where nothing fits, or nothing can be read, nothing is printed.

use std::any::TypeId;
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use subcortex_guard::escape_for_display;
use subcortex_home::Home;
use subcortex_memory::{Broadcast, Journal, MemoryFolder, Proposal};
use subcortex_store::{Disk, RealDisk};

use crate::args::{Args, Complete};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::names::{EDIT, PROPOSAL};
use crate::output::print;
use crate::surroundings::Surroundings;

/// How many names of one kind are offered, the newest.
const MAX_NAMES: usize = 100;
/// How much of a description is shown, in characters.
const SHOWN_CHARS: usize = 60;

pub(crate) fn run(
    surroundings: &Surroundings,
    home: Option<&Path>,
    args: &Complete,
) -> Result<ExitCode, Failure> {
    let mut command = Args::command();
    command.build();
    let mut lines: Vec<(String, String)> = Vec::new();
    if let Some((current, before)) = args.words.split_last() {
        let place = Place::of(&command, before);
        let home = place.home.as_deref().or(home);
        let names = surroundings.home(home).ok().map(|home| Names { home, disk: &RealDisk });
        lines = place.candidates(current, names.as_ref());
        lines.retain(|(value, _)| value.starts_with(current.as_str()) || value.starts_with(':'));
    }
    let line = |(value, help): &(String, String)| match &**help {
        "" => format!("{value}\n"),
        help => format!("{value}\t{help}\n"),
    };
    print(&lines.iter().map(line).collect::<String>())?;
    Ok(ExitCode::Done)
}

/// Where in a command line the word stands that is being typed.
struct Place<'c> {
    root: &'c Command,
    command: &'c Command,
    /// How many words without a dash stand behind the command.
    positional: usize,
    /// The option whose value it is.
    value_of: Option<&'c Arg>,
    /// The home that the line names.
    home: Option<PathBuf>,
}

impl<'c> Place<'c> {
    fn of(root: &'c Command, before: &[String]) -> Self {
        let mut place = Self { root, command: root, positional: 0, value_of: None, home: None };
        // The first word is the program; bash makes a word of the `=` in `--home=DIR`.
        for word in before.iter().skip(1).filter(|word| *word != "=") {
            place.pass(word);
        }
        place
    }

    /// Goes on behind a word.
    fn pass(&mut self, word: &str) {
        if let Some(option) = self.value_of.take() {
            if option.get_id() == "home" {
                self.home = Some(word.into());
            }
            return;
        }
        if word.starts_with('-') && word.len() > 1 {
            let (name, value) =
                word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            let option = self.options().find(|arg| is_named(arg, name));
            let takes_value = |option: &&Arg| option.get_action().takes_values();
            match (option.filter(takes_value), value) {
                (Some(option), Some(value)) if option.get_id() == "home" => self.home = Some(value.into()),
                (option, None) => self.value_of = option,
                (_, Some(_)) => {}
            }
            return;
        }
        match self.command.find_subcommand(word) {
            Some(command) => (self.command, self.positional) = (command, 0),
            None => self.positional += 1,
        }
    }

    fn options(&self) -> impl Iterator<Item = &'c Arg> {
        self.command
            .get_opts()
            .chain(self.root.get_opts())
            .chain(self.command.get_arguments().filter(|arg| !arg.is_positional()))
    }

    fn candidates(&self, current: &str, names: Option<&Names<'_>>) -> Vec<(String, String)> {
        if let Some(option) = self.value_of {
            return self.values(option, names);
        }
        if current.starts_with('-') {
            return self.flags();
        }
        let commands = self.command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut found: Vec<(String, String)> = commands
            .filter(|_| self.positional == 0)
            .map(|command| (command.get_name().to_owned(), plain(command.get_about())))
            .collect();
        let mut positionals = self.command.get_positionals();
        let last = self.command.get_positionals().last().filter(takes_many);
        if let Some(arg) = positionals.nth(self.positional).or(last) {
            found.extend(self.values(arg, names));
        }
        found
    }

    fn flags(&self) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = self
            .options()
            .filter(|arg| !arg.is_hide_set())
            .filter_map(|arg| Some((format!("--{}", arg.get_long()?), plain(arg.get_help()))))
            .collect();
        found.sort();
        found.dedup_by(|one, other| one.0 == other.0);
        found
    }

    /// What an argument can be.
    fn values(&self, arg: &Arg, names: Option<&Names<'_>>) -> Vec<(String, String)> {
        let possible = arg.get_possible_values();
        if !possible.is_empty() {
            let shown = possible.iter().filter(|value| !value.is_hide_set());
            return shown.map(|value| (value.get_name().to_owned(), plain(value.get_help()))).collect();
        }
        if arg.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
            let is_folder = arg.get_value_names().is_some_and(|names| names.iter().any(|name| name == "DIR"));
            let wanted = if is_folder { ":dirs" } else { ":files" };
            return vec![(wanted.to_owned(), String::new())];
        }
        let Some(names) = names else { return Vec::new() };
        match (self.command.get_name(), arg.get_id().as_str()) {
            ("drop" | "inbox", "partition") => {
                let mut found = names.partitions();
                found.push(("inbox".to_owned(), "the shared inbox".to_owned()));
                found
            }
            (_, "partition" | "worker") => names.partitions(),
            (_, "edit") => names.edits(),
            (_, "proposal") => names.proposals(),
            ("show", "id") => names.runs(),
            (_, "line") | ("why", "what") => names.lines(),
            _ => Vec::new(),
        }
    }
}

fn is_named(arg: &Arg, name: &str) -> bool {
    let long = name.strip_prefix("--");
    let short = name.strip_prefix('-').filter(|_| long.is_none());
    long.is_some_and(|long| arg.get_long() == Some(long))
        || short.is_some_and(|short| arg.get_short().is_some_and(|own| short.starts_with(own)))
}

fn takes_many(arg: &&Arg) -> bool {
    arg.get_num_args().is_some_and(|range| range.max_values() > 1)
}

/// The first line of a help text, without colours.
fn plain(help: Option<&StyledStr>) -> String {
    help.map_or_else(String::new, |help| help.to_string().lines().next().unwrap_or_default().to_owned())
}

/// The names that a home knows.
struct Names<'a> {
    home: Home,
    disk: &'a dyn Disk,
}

impl Names<'_> {
    fn memory(&self) -> MemoryFolder {
        MemoryFolder::at(self.home.memory())
    }

    fn partitions(&self) -> Vec<(String, String)> {
        let Ok(names) = self.disk.list(&self.home.subconscious()) else { return Vec::new() };
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        let is_partition = |name: &String| self.home.partition(name).join("CLAUDE.md").exists();
        names.filter(is_partition).map(|name| (name, String::new())).collect()
    }

    fn edits(&self) -> Vec<(String, String)> {
        let journal = Journal::read(self.disk, &self.memory()).unwrap_or_default();
        let ids: Vec<&str> = journal.edits.iter().map(|edit| &*edit.id).collect();
        let open = journal.edits.iter().rev().filter(|edit| !journal.is_reverted(&edit.id));
        let told = open.take(MAX_NAMES).map(|edit| {
            let words =
                edit.changes.iter().find_map(|change| change.after.as_ref().or(change.before.as_ref()));
            (EDIT.short(&edit.id, &ids).to_owned(), words.map_or_else(String::new, |words| shortened(words)))
        });
        told.collect()
    }

    fn proposals(&self) -> Vec<(String, String)> {
        let waiting = Proposal::read_all(self.disk, &self.memory()).unwrap_or_default().waiting;
        let ids: Vec<&str> = waiting.iter().map(|proposal| &*proposal.id).collect();
        let told = waiting.iter().take(MAX_NAMES).map(|proposal| {
            let words = proposal.change.after.as_deref().or(proposal.change.before.as_deref());
            (PROPOSAL.short(&proposal.id, &ids).to_owned(), shortened(words.unwrap_or_default()))
        });
        told.collect()
    }

    fn runs(&self) -> Vec<(String, String)> {
        let records = subcortex_runs::list(self.disk, &self.home.runs(), MAX_NAMES).unwrap_or_default();
        records.into_iter().map(|record| (record.run_id, record.partition)).collect()
    }

    fn lines(&self) -> Vec<(String, String)> {
        let broadcast = Broadcast::read(self.disk, &self.memory()).unwrap_or_default();
        broadcast.lines.iter().map(|line| (format!("L{}", line.number), shortened(&line.text))).collect()
    }
}

/// Text from outside in one short line.
fn shortened(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    escape_for_display(&words.chars().take(SHOWN_CHARS).collect::<String>()).into_owned()
}
