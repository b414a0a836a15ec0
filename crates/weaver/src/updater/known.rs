//! Which rules the broadcast says already, in whatever words.

use std::cell::OnceCell;

use subcortex_checks::{Check, compile, says_already};
use subcortex_memory::{Line, LineCheck, LineHash, MadeBy};

use super::gates;
use super::stance::Meaning;
use crate::{CompiledBroadcast, meaning_of};

/// The rules that stand.
pub(super) struct Known<'a> {
    compiled: &'a CompiledBroadcast,
    meanings: OnceCell<Vec<Meaning>>,
}

impl<'a> Known<'a> {
    pub(super) fn of(compiled: &'a CompiledBroadcast) -> Self {
        Self { compiled, meanings: OnceCell::new() }
    }

    /// The lines with what each means, worked out once.
    pub(super) fn meant(&self) -> impl Iterator<Item = (&'a Line, &Meaning)> {
        self.lines().iter().zip(self.meanings())
    }

    fn lines(&self) -> &'a [Line] {
        &self.compiled.broadcast.lines
    }

    fn meanings(&self) -> &[Meaning] {
        self.meanings.get_or_init(|| self.lines().iter().map(|line| Meaning::of(&line.text)).collect())
    }

    /// The lines that say a rule, wherever they hold.
    pub(super) fn saying(&self, text: &str, key: &str) -> Vec<&'a Line> {
        let own_key = meaning_of(text);
        let check = compile(text, &[]);
        let same = |line: &Line, known: &LineCheck, line_key: &str| {
            let same_words = LineHash::of(text, line.project.as_deref(), 1) == line.hash;
            // A model's reading of a line does not make it say what a person asks for.
            let tested = known.by != MadeBy::Model && same_test(&check, &known.check);
            line_key == key || line_key == own_key || same_words || tested || says_already(&line.text, text)
        };
        let lines = self.compiled.lines().zip(self.meanings());
        lines
            .filter(|((line, known), meaning)| same(line, known, &meaning.key))
            .map(|((line, _), _)| line)
            .collect()
    }

    /// Whether a rule stands for a section (or for all).
    pub(super) fn stands_for(&self, text: &str, project: Option<&str>) -> bool {
        self.saying(text, &meaning_of(text))
            .iter()
            .any(|line| line.project.is_none() || line.project.as_deref() == project)
    }

    /// Whether a rule stands in the section itself.
    pub(super) fn stands_in_section(&self, text: &str, section: &str) -> bool {
        self.saying(text, &meaning_of(text)).iter().any(|line| line.project.as_deref() == Some(section))
    }

    /// The name of the section that holds for a project: its own, or one that names it by its last part or by a glob.
    pub(super) fn section_for<'p>(&self, project: &'p str) -> &'p str
    where
        'a: 'p,
    {
        let sections = || self.lines().iter().filter_map(|line| line.project.as_deref());
        let exact = sections().find(|section| section.trim_end_matches('/') == project.trim_end_matches('/'));
        let by_name = || sections().find(|section| holds_for(section, project));
        exact.or_else(by_name).unwrap_or(project)
    }

    /// The section for what was said in a project; none where no section stands and the folder cannot name one.
    pub(super) fn heading_for<'p>(&self, project: &'p str) -> Option<&'p str>
    where
        'a: 'p,
    {
        let section = self.section_for(project);
        let stands = self.lines().iter().any(|line| line.project.as_deref() == Some(section));
        // What no heading can be at all is refused where the rule is.
        let is_refused = gates::admit_project(section).is_err();
        (stands || is_refused || gates::is_plain_path(section)).then_some(section)
    }
}

/// Whether the rules of a section hold in a project: it names the project's folder, the last part of that, or a folder above it.
pub fn holds_for(section: &str, project: &str) -> bool {
    let (section, project) = (section.trim_end_matches('/'), project.trim_end_matches('/'));
    let name = project.rsplit('/').next();
    let below = section.strip_suffix("/**").or_else(|| section.strip_suffix("/*"));
    section == project
        || name == Some(section)
        || below.is_some_and(|dir| !dir.is_empty() && project.starts_with(&format!("{dir}/")))
}

fn same_test(one: &Check, other: &Check) -> bool {
    one.testable
        && other.testable
        && one.family != "echo"
        && (&one.trigger, &one.expect, &one.forbid, &one.unless, &one.scope.paths)
            == (&other.trigger, &other.expect, &other.forbid, &other.unless, &other.scope.paths)
}
