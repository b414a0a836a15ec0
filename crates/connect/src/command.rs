//! The commands that agents' settings call.

use std::path::{Path, PathBuf};

use subcortex_known_agents::{Agent, Settings};

use crate::ConnectError;

/// How long an agent waits for a hook at most, in seconds. Ours give up earlier by themselves.
pub(crate) const TIMEOUT_S: u64 = 10;

/// One hook that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) event: &'static str,
    pub(crate) command: String,
}

/// The hooks of one agent that tell this home.
#[derive(Debug, Clone)]
pub(crate) struct Commands {
    binary: String,
    home: String,
    agent: &'static Agent,
    settings: &'static Settings,
}

impl Commands {
    pub(crate) fn new(
        binary: &Path,
        home: &Path,
        agent: &'static Agent,
        settings: &'static Settings,
    ) -> Result<Self, ConnectError> {
        let text = |path: &Path| {
            let text = path.to_str().filter(|text| !text.contains(['\0', '\n', '\r']));
            text.map(quoted).ok_or_else(|| ConnectError::OddPath(path.to_owned()))
        };
        Ok(Self { binary: text(binary)?, home: text(home)?, agent, settings })
    }

    pub(crate) fn wanted(&self) -> Vec<Wanted> {
        self.settings.events.iter().map(|event| Wanted { event, command: self.command(event) }).collect()
    }

    fn command(&self, event: &str) -> String {
        format!("{}{}", self.binary, self.call(event))
    }

    /// Everything of a command behind the program.
    fn call(&self, event: &str) -> String {
        // An agent that takes in the broadcast by itself is only told where its pointers lead, and what to ask.
        format!(" --home {}{}", self.home, self.event_call(event))
    }

    /// What tells of an event, behind the home.
    fn event_call(&self, event: &str) -> String {
        let hands_over = event == "SessionStart" && self.settings.memory_file.is_none();
        let inject = if hands_over { " --inject" } else { "" };
        format!(" hook {event} --agent {}{inject}", self.agent.name)
    }

    /// The other home that a command tells of that event.
    pub(crate) fn other_home(&self, event: &str, command: &str) -> Option<PathBuf> {
        let before = command.strip_suffix(&self.event_call(event))?;
        let (_, home) = before.rsplit_once(" --home ")?;
        (home != self.home).then(|| unquoted(home).into())
    }

    /// Whether a command tells this home of that event, whatever program it starts.
    pub(crate) fn is_ours(&self, event: &str, command: &str) -> bool {
        command.ends_with(&self.call(event))
    }

    /// The program that one of our commands starts.
    pub(crate) fn program(&self, event: &str, command: &str) -> Option<PathBuf> {
        command.strip_suffix(&self.call(event)).map(unquoted).map(PathBuf::from)
    }
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn unquoted(word: &str) -> String {
    match word.strip_prefix('\'').and_then(|word| word.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use subcortex_known_agents::CLAUDE;

    use super::*;

    #[test]
    fn a_shell_reads_back_whatever_the_paths_are() {
        for path in ["/usr/bin/subcortex", "/a b/it's $HOME `x` \"y\"/s", "/ünï/;rm -rf"] {
            let word = quoted(path);
            let said =
                std::process::Command::new("sh").args(["-c", &format!("printf %s {word}")]).output().unwrap();
            assert_eq!(String::from_utf8(said.stdout).unwrap(), path);
            assert_eq!(unquoted(&word), path);
        }
    }

    #[test]
    fn commands_of_another_home_are_not_ours() {
        let new = |binary: &str, home: &str| {
            Commands::new(Path::new(binary), Path::new(home), &CLAUDE, CLAUDE.settings().unwrap())
        };
        let of = |home: &str| new("/bin/s", home).unwrap();
        let command = of("/h").command("Stop");
        assert_eq!(command, "/bin/s --home /h hook Stop --agent claude");
        assert!(of("/h").is_ours("Stop", &command));
        assert!(!of("/h2").is_ours("Stop", &command));
        assert!(!of("/h").is_ours("SessionEnd", &command));
        assert_eq!(of("/h").other_home("Stop", &command), None);
        let other = new("/bin/s", "/a b/h2").unwrap().command("Stop");
        assert_eq!(of("/h").other_home("Stop", &other), Some("/a b/h2".into()));
        assert_eq!(
            of("/h").program("Stop", "'/b in/s' --home /h hook Stop --agent claude"),
            Some("/b in/s".into())
        );
        assert!(new("/a\nb", "/h").is_err());
    }
}
