//! What an agent has done so far, heard line by line while it works.

use std::collections::BTreeMap;

/// How many commands are kept; more are heard, and only the first stay.
const MAX_COMMANDS: usize = 10_000;

/// What an agent has told until now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    commands: Vec<String>,
    /// Output tokens by message.
    written: BTreeMap<String, u64>,
    /// The message that each of those who speak is at: the agent itself, its subagents.
    open: BTreeMap<String, String>,
}

impl Progress {
    /// The commands that it gave to a shell, in order, each once.
    pub fn commands(&self) -> &[String] {
        &self.commands
    }

    /// How many tokens it has written at least.
    pub fn output_tokens(&self) -> u64 {
        self.written.values().fold(0, |sum, tokens| sum.saturating_add(*tokens))
    }

    /// It gives a command to a shell.
    pub fn runs(&mut self, command: &str) {
        if self.commands.len() < MAX_COMMANDS && !self.commands.iter().any(|known| known == command) {
            self.commands.push(command.to_owned());
        }
    }

    /// Somebody begins a message.
    pub fn begins(&mut self, speaker: &str, message: &str) {
        self.open.insert(speaker.to_owned(), message.to_owned());
    }

    /// So much of a message is written by now.
    pub fn wrote(&mut self, message: &str, tokens: u64) {
        let written = self.written.entry(message.to_owned()).or_default();
        *written = tokens.max(*written);
    }

    /// So much is written of the message that somebody is at.
    pub fn wrote_on(&mut self, speaker: &str, tokens: u64) {
        let message = self.open.get(speaker).cloned().unwrap_or_default();
        self.wrote(&message, tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_a_message_again_counts_once() {
        let mut so_far = Progress::default();
        so_far.begins("", "a");
        so_far.begins("sub", "b");
        so_far.wrote("a", 1);
        so_far.wrote_on("sub", 7);
        so_far.wrote_on("", 25);
        so_far.wrote("a", 1);
        so_far.runs("ls");
        so_far.runs("ls");
        assert_eq!((so_far.output_tokens(), so_far.commands().len()), (32, 1));
    }
}
