//! What a command is for: it tests, lints, formats, checks types, builds, installs, or runs the program.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::facts::Simple;

use super::ran::{MOST_WRAPPER_WORDS, is_command};

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Runs tests.
    Test,
    /// Looks for faults in the code.
    Lint,
    /// Puts the code into shape.
    Format,
    /// Checks types.
    Types,
    /// Builds.
    Build,
    /// Adds or installs packages.
    Install,
    /// Starts the program.
    Run,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Test, Self::Lint, Self::Format, Self::Types, Self::Build, Self::Install, Self::Run];

    /// As it is written in a check.
    pub fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Lint => "lint",
            Self::Format => "format",
            Self::Types => "types",
            Self::Build => "build",
            Self::Install => "install",
            Self::Run => "run",
        }
    }

    /// In words: "a run of the tests".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Test => "a run of the tests",
            Self::Lint => "a run of the linter",
            Self::Format => "a run of the formatter",
            Self::Types => "a check of the types",
            Self::Build => "a build",
            Self::Install => "an installation",
            Self::Run => "a run of the program",
        }
    }
}

/// Which commands have which role, everywhere and in single projects.
#[derive(Debug, Clone)]
pub struct Roles {
    /// By program: the words behind it, and the role. The entry with the most words decides.
    programs: HashMap<String, Vec<(Vec<String>, Role)>>,
    runners: HashSet<String>,
    targets: HashMap<String, Role>,
    /// By directory of a project: what its own targets are for.
    projects: HashMap<String, Vec<(Vec<String>, Role)>>,
}

impl Default for Roles {
    /// What is known without knowing a project.
    fn default() -> Self {
        Self::parse(include_str!("../../data/roles.txt"))
    }
}

impl Roles {
    /// Reads `role: command, command`, `runner: program, program` and `target ROLE: word, word`; what is none of these is a comment.
    pub fn parse(text: &str) -> Self {
        let mut roles = Self {
            programs: HashMap::new(),
            runners: HashSet::new(),
            targets: HashMap::new(),
            projects: HashMap::new(),
        };
        for (key, list) in text.lines().filter_map(|line| line.split_once(": ")) {
            let items = list.split(',').map(str::trim).filter(|item| !item.is_empty());
            let role = |name: &str| Role::ALL.into_iter().find(|role| role.name() == name);
            if key == "runner" {
                roles.runners.extend(items.map(str::to_owned));
            } else if let Some(role) = key.strip_prefix("target ").and_then(role) {
                roles.targets.extend(items.map(|item| (item.to_owned(), role)));
            } else if let Some(role) = role(key) {
                items.for_each(|item| roles.add(item, role));
            }
        }
        roles
    }

    /// Teaches a command.
    pub fn add(&mut self, command: &str, role: Role) {
        let words = words(command);
        if let Some(program) = words.first() {
            self.programs.entry(name_of(program).to_owned()).or_default().push((words, role));
        }
    }

    /// Teaches what a project's own command is for: `mise run lint` in `/home/x/shop`.
    pub fn add_for(&mut self, project: &str, command: &str, role: Role) {
        self.projects
            .entry(project.trim_end_matches('/').to_owned())
            .or_default()
            .push((words(command), role));
    }

    /// What a command is for. A project's own targets decide before what is known of programs, and these before the words of a target.
    pub fn of(&self, simple: &Simple, project: Option<&str>) -> BTreeSet<Role> {
        let own = project.and_then(|project| self.projects.get(project.trim_end_matches('/')));
        if let Some(found) = longest(own.into_iter().flatten(), simple) {
            return found;
        }
        let heads = simple.words.iter().take(MOST_WRAPPER_WORDS);
        let known = heads.filter_map(|word| self.programs.get(name_of(word))).flatten();
        let found = longest(known, simple).unwrap_or_else(|| self.by_target(simple));
        // `bun run lint`: what is run is a target by its name, and no program of the project.
        match self.of_target_run(simple) {
            target if !target.is_empty() && found.contains(&Role::Run) => target,
            _ => found,
        }
    }

    /// What a target is for that stands right behind `run`.
    fn of_target_run(&self, simple: &Simple) -> BTreeSet<Role> {
        let at = simple.words.iter().take(MOST_WRAPPER_WORDS).position(|word| word == "run");
        let target = at.and_then(|at| simple.words.get(at + 1));
        match target.filter(|target| !target.contains(['.', '/']) && !target.starts_with('-')) {
            Some(_) => self.by_target(simple),
            None => BTreeSet::new(),
        }
    }

    fn by_target(&self, simple: &Simple) -> BTreeSet<Role> {
        let heads = || simple.words.iter().take(MOST_WRAPPER_WORDS).enumerate();
        let Some((at, _)) = heads().find(|(_, word)| self.runners.contains(name_of(word))) else {
            return self.by_script(simple).into_iter().collect();
        };
        let targets =
            simple.words.iter().skip(at + 1).filter(|word| !word.starts_with('-') && *word != "run");
        let parts = targets.take(MOST_WRAPPER_WORDS).flat_map(|word| word.split([':', '.', '_', '/']));
        parts
            .filter_map(|part| self.targets.get(part).or_else(|| self.targets.get(part.split('-').next()?)))
            .copied()
            .collect()
    }
}

impl Roles {
    /// `bin/lint`, `./scripts/test.sh`: a script of the project by its own name.
    fn by_script(&self, simple: &Simple) -> Option<Role> {
        let script =
            simple.words.first().filter(|word| word.contains('/') && !word.starts_with(['/', '~']))?;
        let name = name_of(script).split(['.', '_', '-']).next()?;
        self.targets.get(name).copied()
    }
}

/// The roles of those entries that are the command and have the most words.
fn longest<'r>(
    entries: impl Iterator<Item = &'r (Vec<String>, Role)>,
    simple: &Simple,
) -> Option<BTreeSet<Role>> {
    let fitting: Vec<&(Vec<String>, Role)> =
        entries.filter(|(words, _)| is_command(simple, words, false)).collect();
    let most = fitting.iter().map(|(words, _)| words.len()).max()?;
    Some(fitting.into_iter().filter(|(words, _)| words.len() == most).map(|(_, role)| *role).collect())
}

fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_owned).collect()
}

fn name_of(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expect: &[Role]) {
        let simple = crate::facts::split(command).remove(0);
        let got: Vec<Role> = Roles::default().of(&simple, None).into_iter().collect();
        assert_eq!(got, expect, "{command}");
    }

    #[test]
    fn programs_and_targets_have_roles() {
        check("uv run pytest -q tests/", &[Role::Test]);
        check("cargo fmt --all", &[Role::Format]);
        check("npm run lint:fix", &[Role::Lint]);
        check("npm test -- --watch=false", &[Role::Test]);
        check("make test-unit", &[Role::Test]);
        check("npx tsc --noEmit", &[Role::Types]);
        check("./gradlew :app:test", &[Role::Test]);
        check("npm run build", &[Role::Build]);
        check("bun run lint", &[Role::Lint]);
        check("bun run test --watch", &[Role::Test]);
        check("bun run src/index.ts", &[Role::Run]);
        check("deno run test.ts", &[Role::Run]);
        check("npm install left-pad", &[Role::Install]);
        check("git status", &[]);
        check("grep -rn pytest .", &[]);
    }

    #[test]
    fn a_project_says_what_its_own_targets_are_for() {
        let mut roles = Roles::default();
        roles.add_for("/home/x/shop/", "mise run ok", Role::Lint);
        let simple = crate::facts::split("mise run ok").remove(0);
        assert_eq!(roles.of(&simple, Some("/home/x/shop")), BTreeSet::from([Role::Lint]));
        assert_eq!(roles.of(&simple, Some("/home/x/other")), BTreeSet::new());
    }
}
