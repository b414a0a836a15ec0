//! The notes that steps leave in the state.

use subcortex_scratchpad::{MAX_NOTES_BYTES, State};

use crate::text::{last_lines, one_line};

/// How much of a result a note repeats, in characters.
pub const MAX_NOTE_CHARS: usize = 300;
/// How long a name in a note can be, in characters.
const MAX_NAME_CHARS: usize = 60;

/// What a step came to. Arguments are as [`crate::shown_args::shown`] gives them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note<'a> {
    Tool {
        name: &'a str,
        args: &'a str,
        result: &'a str,
    },
    ToolError {
        name: &'a str,
        args: &'a str,
        why: &'a str,
    },
    UnknownTool {
        name: &'a str,
    },
    ParseError {
        why: &'a str,
    },
    Completed {
        summary: &'a str,
    },
    /// What the worker wants to note itself.
    Own {
        text: &'a str,
    },
}

impl Note<'_> {
    /// One line, whatever the words hold.
    pub(crate) fn line(&self) -> String {
        let cut = |text| one_line(text, MAX_NOTE_CHARS);
        let short = |name| one_line(name, MAX_NAME_CHARS);
        match self {
            Note::Tool { name, args, result } => {
                format!("[TOOL] {}({args}) → {}", short(name), cut(result))
            }
            Note::ToolError { name, args, why } => {
                format!("[TOOL ERROR] {}({args}) → {}", short(name), cut(why))
            }
            Note::UnknownTool { name } => format!("[UNKNOWN TOOL] {}", short(name)),
            Note::ParseError { why } => format!("[PARSE ERROR] {}", cut(why)),
            Note::Completed { summary } => format!("[COMPLETED] {}", cut(summary)),
            Note::Own { text } => format!("[NOTE] {}", cut(text)),
        }
    }

    /// Adds it to the notes; of notes that get too long the oldest lines go.
    pub(crate) fn add_to(&self, state: &mut State) {
        if !state.notes.is_empty() && !state.notes.ends_with('\n') {
            state.notes.push('\n');
        }
        state.notes.push_str(&self.line());
        state.notes.push('\n');
        if state.notes.len() > MAX_NOTES_BYTES {
            state.notes = last_lines(&state.notes, MAX_NOTES_BYTES).to_owned();
        }
    }
}
