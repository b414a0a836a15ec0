//! One command line of a turn, read into what it did: commands, changed files, commits, pushes, branches.

use std::collections::BTreeSet;

use serde_json::Value;
use subcortex_model::Event;

use super::assemble::ActKind;
use super::git::{self, Branched, Commit, Push};
use super::shell::{self, Simple};
use super::shell_writes::{self, Base};
use super::{files, outcome};

/// What is followed through a turn: the branch that the work is on, files that are known, files that wait for a commit.
#[derive(Debug, Default, Clone)]
pub(super) struct Work {
    branch: Option<String>,
    /// The branch that records named last: one that lags behind says the same as before.
    recorded: Option<String>,
    pulled: bool,
    /// Whether the last of these was a pull, or a new branch.
    fresh: Option<bool>,
    switched: Option<Switched>,
    known: BTreeSet<String>,
    changed: BTreeSet<String>,
    staged: BTreeSet<String>,
}

impl Work {
    /// Takes over the branch that a record names, if it is news.
    pub(super) fn enter(&mut self, event: &Event) {
        let named = event.payload.get("git_branch").and_then(Value::as_str);
        let Some(branch) = named.filter(|name| !name.is_empty() && *name != "HEAD") else { return };
        if self.recorded.as_deref() != Some(branch) {
            self.recorded = Some(branch.to_owned());
            self.branch = Some(branch.to_owned());
        }
    }

    /// A file was changed.
    pub(super) fn wrote(&mut self, path: &str) {
        self.known.insert(path.to_owned());
        self.changed.insert(path.to_owned());
    }

    /// A file was opened: it is there.
    pub(super) fn opened(&mut self, path: &str) {
        self.known.insert(path.to_owned());
    }

    /// Whether a file was there before.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.known.contains(path)
    }

    fn freshness(&self) -> Option<bool> {
        if self.pulled { Some(true) } else { (self.switched == Some(Switched::Plainly)).then_some(false) }
    }

    /// What the work is on was brought up to date.
    pub(super) fn pulled(&mut self) {
        self.pulled = true;
        self.fresh = Some(true);
    }

    /// Whether the work was brought up to date since the last branch was made; nothing when neither was done.
    pub(super) fn is_fresh(&self) -> Option<bool> {
        self.fresh
    }

    fn stage(&mut self, arguments: &[String], simple: &Simple, base: Base<'_>) {
        let all =
            |word: &String| matches!(word.as_str(), "-A" | "--all" | "." | "-u" | "--update" | "*" | ":/");
        if arguments.iter().any(all) {
            self.staged.append(&mut self.changed);
        }
        let named = arguments.iter().skip(1).filter(|word| !word.starts_with('-') && !all(word));
        self.staged.extend(named.map(|path| base.place(simple, path)));
    }

    /// The files of a commit; what was staged is committed then.
    fn take_staged(&mut self, arguments: &[String], answer: &str) -> Vec<String> {
        let short_all =
            |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('a');
        if arguments.iter().any(|word| word == "--all" || short_all(word)) {
            self.staged.append(&mut self.changed);
        }
        let mut files = std::mem::take(&mut self.staged);
        files.extend(git::files_of_answer(answer));
        self.changed.retain(|path| !files.contains(path));
        files.into_iter().collect()
    }
}

/// How the work went to another branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Switched {
    /// Git said that it was up to date, as far as was known here.
    ToCurrent,
    /// Git said nothing of the kind.
    Plainly,
}

/// What became of a part of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    /// It was done.
    Well,
    /// It failed.
    Badly,
    /// The shell did not know the command.
    Unknown,
}

impl Done {
    fn of(failed: bool) -> Self {
        if failed { Self::Badly } else { Self::Well }
    }
}

/// A command line with what is known of its run.
pub(super) struct CommandLine<'a> {
    pub(super) base: Base<'a>,
    pub(super) failed: bool,
    pub(super) answer: &'a str,
}

impl CommandLine<'_> {
    fn done(&self) -> Done {
        Done::of(self.failed)
    }

    /// Hands out what the line did, and what became of it.
    pub(super) fn read<'t>(&self, line: &str, work: &mut Work, add: &mut dyn FnMut(Done, ActKind<'t>)) {
        let commands = shell::split(line);
        let alone = commands.len() <= 1;
        for (at, simple) in commands.iter().enumerate() {
            if self.is_elsewhere(simple) {
                continue;
            }
            if outcome::is_not_found(simple, self.answer) {
                add(Done::Unknown, ActKind::Ran(simple.clone()));
                continue;
            }
            let branch = work.branch.clone();
            let hidden = commands.get(at + 1).is_some_and(|next| next.piped);
            self.git(simple, hidden, work, add);
            let before = at.checked_sub(1).and_then(|at| commands.get(at)).filter(|_| simple.piped);
            for written in shell_writes::of(simple, before, self.base) {
                if !files::is_scratch(&written.path) {
                    work.wrote(&written.path);
                    add(self.done(), ActKind::Wrote(written));
                }
            }
            if self.failed && !alone {
                // Nobody knows which part of a chain failed; the branch is taken as before it.
                work.branch = branch;
            }
            add(self.done(), ActKind::Ran(simple.clone()));
        }
    }

    /// Whether it ran in a repository that was made to try something.
    fn is_elsewhere(&self, simple: &Simple) -> bool {
        let here = self.base.dir.is_some_and(files::is_scratch_dir);
        let leaves = simple.dir.as_deref().or(git::directory(simple)).is_some_and(files::is_scratch_dir);
        leaves && !here && simple.words.first().is_some_and(|word| word != "cd")
    }

    fn git<'t>(
        &self,
        simple: &Simple,
        hidden: bool,
        work: &mut Work,
        add: &mut dyn FnMut(Done, ActKind<'t>),
    ) {
        let Some(arguments) = git::arguments(simple) else { return };
        match arguments.first().map(String::as_str) {
            Some("commit") if !arguments.iter().any(|word| word == "--help" || word == "--dry-run") => {
                let made = git::has_committed(self.failed, hidden, self.answer);
                let files = if made { work.take_staged(arguments, self.answer) } else { Vec::new() };
                let commit = Commit {
                    message: git::commit_message(arguments, simple.heredoc.as_deref()),
                    branch: git::branch_of_answer(self.answer).or_else(|| work.branch.clone()),
                    text: simple.text.clone(),
                    files,
                    repository: self.repository(simple),
                };
                add(Done::of(!made), ActKind::Committed(commit));
            }
            Some("push") => {
                let branch = git::pushed_branch(arguments).or_else(|| work.branch.clone());
                add(self.done(), ActKind::Pushed(Push { branch, text: simple.text.clone() }));
            }
            Some("add" | "rm" | "mv") => work.stage(arguments, simple, self.base),
            Some("pull" | "fetch") if git::has_pulled(self.failed, self.answer) => work.pulled(),
            _ => {}
        }
        self.branches(simple, arguments, work, add);
    }

    fn branches<'t>(
        &self,
        simple: &Simple,
        arguments: &[String],
        work: &mut Work,
        add: &mut dyn FnMut(Done, ActKind<'t>),
    ) {
        if let Some((name, from)) = git::created_branch(arguments) {
            let from = from.or_else(|| work.branch.clone());
            let is_branch = arguments.first().is_some_and(|word| word == "branch");
            let renames =
                |word: &String| word == "--move" || word.starts_with('-') && word.ends_with(['m', 'M']);
            let renamed = is_branch && arguments.iter().any(renames);
            let (fresh, text) = (work.freshness(), simple.text.clone());
            add(self.done(), ActKind::Branched(Branched { name: name.clone(), from, fresh, renamed, text }));
            if !renamed && !self.failed {
                work.fresh = Some(false);
            }
            if renamed || arguments.first().is_some_and(|word| word != "branch" && word != "worktree") {
                work.branch = Some(name);
            }
        } else if let Some(name) = git::switched_branch(arguments) {
            work.branch = Some(name);
            let is_current = self.answer.contains("Your branch is up to date with");
            work.switched = Some(if is_current { Switched::ToCurrent } else { Switched::Plainly });
        }
    }

    /// The repository that a command names, when it is another one than the session's.
    fn repository(&self, simple: &Simple) -> Option<String> {
        let dir = git::directory(simple).or(simple.dir.as_deref())?;
        Some(dir.to_owned()).filter(|dir| Some(dir.as_str()) != self.base.project)
    }
}
