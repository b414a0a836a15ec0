//! What is known of a project when its rules are read: the commands that run there, and what its own targets run.
//!
//! It is an input: whoever has the spine or the repository fills it. An empty one knows nothing.

use crate::facts;
use crate::language::Roles;

/// A target of a task runner: `mise run lint` runs `eslint .`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// How it is called.
    pub command: String,
    /// The command lines that it runs.
    pub runs: Vec<String>,
}

/// What is known of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    /// Its directory, as turns name it.
    pub directory: String,
    /// The languages that it is written in, by the names of `data/words/languages.yaml`.
    pub languages: Vec<String>,
    /// Command lines that were run there.
    pub commands: Vec<String>,
    /// The targets of its task runners.
    pub targets: Vec<Target>,
}

impl Project {
    /// Whether a term of a line begins a command that is known here, whatever it looks like elsewhere.
    pub(crate) fn names_command(&self, term: &str) -> bool {
        let wanted: Vec<&str> = term.split_whitespace().collect();
        let begins = |command: &String| {
            let mut words = command.split_whitespace();
            !wanted.is_empty() && wanted.iter().all(|word| words.next() == Some(word))
        };
        self.commands.iter().chain(self.targets.iter().map(|target| &target.command)).any(begins)
    }

    /// Teaches what the project's own targets are for: `mise run ok` is the linter because it runs one.
    pub fn teach(&self, roles: &mut Roles) {
        for target in &self.targets {
            let known: Vec<_> = target
                .runs
                .iter()
                .flat_map(|line| facts::split(line))
                .flat_map(|simple| roles.of(&simple, Some(&self.directory)))
                .collect();
            known.into_iter().for_each(|role| roles.add_for(&self.directory, &target.command, role));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Role;

    fn shop() -> Project {
        Project {
            directory: "/home/x/shop".into(),
            commands: vec!["frob --all src".into()],
            targets: vec![Target { command: "mise run ok".into(), runs: vec!["cd web && eslint .".into()] }],
            ..Project::default()
        }
    }

    #[test]
    fn a_projects_own_target_has_the_role_of_what_it_runs() {
        let mut roles = Roles::default();
        shop().teach(&mut roles);
        let simple = facts::split("mise run ok").remove(0);
        assert!(roles.of(&simple, Some("/home/x/shop")).contains(&Role::Lint));
        assert!(roles.of(&simple, Some("/home/x/other")).is_empty());
    }

    #[test]
    fn what_was_run_in_a_project_is_a_command_in_its_rules() {
        let project = shop();
        assert!(project.names_command("frob") && project.names_command("frob --all"));
        assert!(!project.names_command("frobnicate") && !project.names_command(""));
    }
}
