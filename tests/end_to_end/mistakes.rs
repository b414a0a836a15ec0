//! Mistakes that people make and situations in which they are stuck: what they are told names the cause and the command that
//! helps, in plain words.

mod homes;
mod memory;
mod names;
mod pasted;
mod sessions;
mod settings;
mod stuck;
mod switches;
mod waiting;

use crate::support::{Said, TestHome};

/// All of these words are told; nothing that a person would have to decode is.
#[track_caller]
fn tells(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "`{word}` is missing in:\n{said}");
    }
    for raw in ["\\n", "nothing_to_do", "backing_off", "invalid_output", "Os {", "Some(", "NotReady"] {
        assert!(!said.contains(raw), "`{raw}` is told in:\n{said}");
    }
}

impl Said {
    /// What a person sees on the terminal.
    fn all(&self) -> String {
        format!("{}{}", self.out, self.err)
    }
}

/// A command fails like this, and says so with these words.
#[track_caller]
fn refused(home: &TestHome, args: &[&str], code: i32, words: &[&str]) {
    let said = home.run(args);
    assert_eq!(said.code, code, "{args:?}: {said:?}");
    tells(&home.plain(&said.all()), words);
}
