//! Commands that were run.

use serde::{Deserialize, Serialize};

use crate::facts::{Act, ActKind, Simple, of_tests};
use crate::judge::{Field, Mark, Need, Trace};
use crate::text;

use super::matcher::{Expression, Shared};
use super::role::Role;
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight, avoids, fits};

/// A command that was run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ran {
    /// The words that it holds in this order, program first; a last word `x*` matches by its start. Empty: any command.
    pub command: String,
    /// What it is for, whatever its name here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Expression that its text must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<Expression>,
    /// Expression that its text must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<Expression>,
    /// Expression on the assignments before it: `CI=1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Expression>,
    /// Program names that do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Whether the command must stand at the very start, without a wrapper in front of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bare: bool,
    /// Only commands that do not read another one's output.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_only: bool,
    /// How it has to have ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<CommandEnd>,
    /// Only the first run of its kind after each change of a file counts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub first_after_edit: bool,
    /// Only the last run of its kind before a commit counts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub before_commit: bool,
    /// Expression on its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Expression>,
}

impl Ran {
    /// A command by its words.
    pub fn words(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }

    /// A command by what it is for.
    pub fn role(role: Role) -> Self {
        Self { role: Some(role), ..Self::default() }
    }

    /// Whether it is this command, however it ended.
    fn is(&self, scene: &Scene<'_>, simple: &Simple, pattern: &[String]) -> bool {
        // Who only asks for help or for the version has run nothing.
        let only_asks =
            simple.words.iter().skip(1).any(|word| matches!(word.as_str(), "--help" | "--version"));
        let wants_that = self.command.contains("--")
            || self.with.is_some()
            || (self.command.is_empty() && self.role.is_none());
        (!only_asks || wants_that)
            && is_command(simple, pattern, self.bare)
            && !(self.first_only && simple.piped)
            && fits(self.with.as_ref(), &simple.text)
            && avoids(self.without.as_ref(), &simple.text)
            && fits(self.env.as_ref(), &simple.assignments.join(" "))
            && !simple.words.first().is_some_and(|program| self.except.contains(program))
            && self.role.is_none_or(|role| scene.roles.of(simple, scene.facts.cwd.as_deref()).contains(&role))
    }

    /// The command, or the part of a long one that it is about.
    fn quote<'t>(&self, command: &'t str) -> &'t str {
        let start = text::excerpt(command, QUOTE_CHARS);
        match self.with.as_ref().and_then(|with| with.find(command)) {
            Some(found) if found.end() > start.len() => {
                text::window(command, found.start(), found.end(), QUOTE_CHARS / 2)
            }
            _ => start,
        }
    }

    fn ended(&self, scene: &Scene<'_>, act: &Act<'_>) -> bool {
        self.outcome.is_none_or(|outcome| self.end_of(scene, act) == Some(outcome))
            && self.answer.as_ref().is_none_or(|answer| answer.is_match(scene.facts.answer(act)))
    }
}

impl Ran {
    /// How the part of a command line that is meant here ended: tests by their own count; nothing when it may have been another part
    /// that failed.
    fn end_of(&self, scene: &Scene<'_>, act: &Act<'_>) -> Option<CommandEnd> {
        let checks = |simple: &Simple| {
            let roles = scene.roles.of(simple, scene.facts.cwd.as_deref());
            roles.iter().any(|role| !matches!(role, Role::Install | Role::Run))
        };
        let line = scene.facts.acts.iter().filter(|other| other.event == act.event);
        let parts = line.filter(|other| matches!(&other.kind, ActKind::Ran(simple) if checks(simple)));
        let is_alone = || parts.count() <= 1;
        if self.role == Some(Role::Test)
            && let Some(end) = of_tests(scene.facts.answer(act))
        {
            // What no count shows makes a run fail, too: a file that cannot be loaded.
            return Some(if act.failed && is_alone() { CommandEnd::Failed } else { end });
        }
        (act.outcome == CommandEnd::Passed || is_alone()).then_some(act.outcome)
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandEnd {
    /// Nothing failed.
    Passed,
    /// It failed, or its output reports failures.
    Failed,
}

impl Sight for Ran {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let pattern: Vec<String> = self.command.split_whitespace().map(str::to_owned).collect();
        let mut hits = Vec::new();
        let mut first = true;
        // The hit of the last run since the last commit.
        let mut last = None;
        for (at, act) in scene.acts() {
            if matches!(act.kind, ActKind::Wrote(_)) {
                first = true;
            }
            if matches!(act.kind, ActKind::Committed(_)) && !act.failed {
                hits.extend(last.take());
            }
            let ActKind::Ran(simple) = &act.kind else { continue };
            if !self.is(scene, simple, &pattern) {
                continue;
            }
            let counts = first || !self.first_after_edit;
            first = false;
            let hit = (counts && self.ended(scene, act)).then(|| Hit {
                event: act.event,
                at,
                quote: self.quote(&simple.text).to_owned(),
            });
            if self.before_commit {
                last = hit;
            } else {
                hits.extend(hit);
            }
        }
        hits
    }

    fn need(&self) -> Need {
        let mut all = vec![Need::expression(Field::Command, self.with.as_ref())];
        all.extend(self.role.map(|role| Need::Mark(Mark::of(Trace::Role, role.name()))));
        let mut words = self.command.split_whitespace();
        let Some(program) = words.next() else {
            all.push(Need::any_of(Trace::Ran));
            return Need::All(all);
        };
        all.push(Need::Mark(Mark::of(Trace::Program, program.rsplit('/').next().unwrap_or(program))));
        // `npm run x` is `npm x`, a word with a star goes by its start, and an option may bring its value along.
        let sure = words.filter(|word| *word != "run" && !word.ends_with('*') && !word.starts_with("--"));
        all.extend(sure.map(|word| Need::Mark(Mark::of(Trace::Word, word))));
        Need::All(all)
    }

    fn in_words(&self) -> String {
        let name = match self.role {
            _ if !self.command.is_empty() => format!("`{}`", self.command),
            Some(role) => role.in_words().to_owned(),
            None => "a matching command".to_owned(),
        };
        match self.outcome {
            Some(CommandEnd::Passed) => format!("{name} that passes"),
            Some(CommandEnd::Failed) => format!("{name} that fails"),
            None => name,
        }
    }

    fn problem(&self) -> Option<String> {
        let program = self.command.split_whitespace().next()?;
        let excepted = self.bare && self.except.iter().any(|name| name == program);
        excepted.then(|| format!("`{program}` is looked for and excepted; take it out of `except`"))
    }

    fn share(&self, shared: &mut Shared) {
        let texts = self.with.iter().chain(&self.without).chain(&self.env).chain(&self.answer);
        texts.for_each(|text| text.share(shared));
    }

    /// A rule about a program is a rule about each way of calling it.
    fn deed(&self) -> String {
        match (self.command.split_whitespace().next(), self.role) {
            (Some(program), _) => program.to_owned(),
            (None, Some(role)) => format!("role {}", role.name()),
            (None, None) => String::new(),
        }
    }
}

/// Whether a command shows the files that it names.
pub(crate) fn shows_files(simple: &Simple) -> bool {
    simple.words.first().is_some_and(|program| {
        matches!(program.as_str(), "cat" | "less" | "head" | "tail" | "bat" | "sed" | "grep" | "rg")
    })
}

/// Words of a command line among which its program stands, behind wrappers.
pub(crate) const MOST_WRAPPER_WORDS: usize = 6;

/// Programs that only name or show a command line.
const ONLY_TALK: &[&str] = &[
    "echo", "printf", "grep", "rg", "cat", "which", "man", "sed", "awk", "head", "tail", "ls", "find", "gh",
    "jq", "command", "type",
];

/// Whether a simple command is this command: its words in this order, options in between allowed.
pub(super) fn is_command(simple: &Simple, pattern: &[String], bare: bool) -> bool {
    let Some(first) = pattern.first() else { return !simple.words.is_empty() };
    let starts = |word: &str| word == first || word.rsplit('/').next() == Some(first);
    let program = simple.words.first().map_or("", String::as_str);
    let runner = matches!(first.as_str(), "npm" | "pnpm" | "yarn");
    let follows = |words: &[String], pattern: &[String]| {
        if runner { follows(words, pattern) } else { in_order(words, pattern) }
    };
    let behind = |at: usize| simple.words.get(at + 1..).unwrap_or(&[]);
    let wanted = pattern.get(1..).unwrap_or(&[]);
    if starts(program) {
        return follows(behind(0), wanted);
    }
    if bare
        || ONLY_TALK.contains(&program)
        || (program == "git" && simple.words.get(1).is_some_and(|word| word == "commit"))
    {
        return false;
    }
    (1..simple.words.len().min(MOST_WRAPPER_WORDS))
        .any(|at| simple.words.get(at).is_some_and(|word| starts(word)) && follows(behind(at), wanted))
}

/// Whether these arguments follow: `npm test` is `npm run test`.
fn follows(words: &[String], pattern: &[String]) -> bool {
    let without_run = |words: &[String]| {
        words.first().filter(|word| *word == "run").map(|_| words.get(1..).unwrap_or(&[]).to_vec())
    };
    in_order(words, pattern)
        || without_run(pattern).is_some_and(|rest| !rest.is_empty() && in_order(words, &rest))
        || without_run(words).is_some_and(|rest| in_order(&rest, pattern))
}

fn in_order(words: &[String], pattern: &[String]) -> bool {
    const MOST_BETWEEN: usize = 4;
    let mut words = words;
    for wanted in pattern {
        let same = |word: &String| match wanted.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == wanted || (wanted.starts_with("--") && word.starts_with(&format!("{wanted}="))),
        };
        let Some(at) = words.iter().take(MOST_BETWEEN).position(same) else { return false };
        words = words.get(at + 1..).unwrap_or(&[]);
    }
    true
}
