//! What an entry must be, whatever the state of the thread is.

use subcortex_guard::escape_for_display;

use crate::Kind;

/// The longest entry, in bytes of JSON.
pub const MAX_ENTRY_BYTES: usize = 256 * 1024;
/// The longest name of an entity, a field or an author, in bytes.
const MAX_NAME_BYTES: usize = 256;
/// The longest value or reason, in bytes.
pub(crate) const MAX_VALUE_BYTES: usize = 16 * 1024;
/// The longest text of a synthesis, a directive or a goal, in bytes.
pub(crate) const MAX_TEXT_BYTES: usize = 128 * 1024;
/// The most items of a list.
pub(crate) const MAX_ITEMS: usize = 1_000;
/// How much of what was refused a message shows, in characters.
const MAX_SHOWN_CHARS: usize = 80;

/// Why something is no entry at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It cannot be read.
    #[error("the entry cannot be read: {why}")]
    Unreadable {
        /// What the reader says.
        why: String,
    },
    /// The name of a thread holds a secret.
    #[error("the thread's name holds a secret, and it would be the name of a file: choose another one")]
    SecretName,
    /// Its kind is not known.
    #[error("`{shown}` is no kind of entry; the kinds are {}", Kind::list(&Kind::ALL))]
    UnknownKind {
        /// What stands there.
        shown: String,
    },
    /// Its fields are not those of its kind.
    #[error("a {kind} entry has the fields {}; {why}", kind.fields().join(", "))]
    Fields {
        /// The kind.
        kind: Kind,
        /// What is wrong.
        why: String,
    },
    /// A text is empty.
    #[error("`{field}` is empty: write something")]
    Empty {
        /// Which.
        field: &'static str,
    },
    /// A text is too long.
    #[error("`{field}` has {len_bytes} bytes, and at most {max_bytes} are taken: shorten it")]
    TooLong {
        /// Which.
        field: &'static str,
        /// Its length.
        len_bytes: usize,
        /// The limit.
        max_bytes: usize,
    },
    /// A list is too long.
    #[error("`{field}` has {count} items, and at most {MAX_ITEMS} are taken")]
    TooMany {
        /// Which.
        field: &'static str,
        /// How many.
        count: usize,
    },
    /// A list has the same item twice.
    #[error("`{field}` names `{shown}` twice: once is enough")]
    Twice {
        /// Which.
        field: &'static str,
        /// The item.
        shown: String,
    },
    /// A text has a character that would be obeyed or cannot be seen.
    #[error("`{field}` contains a control character (U+{code:04X}): remove it")]
    Control {
        /// Which.
        field: &'static str,
        /// The character's number.
        code: u32,
    },
    /// A URL is not one.
    #[error("`{field}` is no address of a page: `{shown}`; write one such as https://example.com/page")]
    NotAUrl {
        /// Which.
        field: &'static str,
        /// What stands there.
        shown: String,
    },
    /// A thread cannot be called this.
    #[error(
        "`{shown}` cannot be the id of a thread: use letters, digits, `-`, `_` and single dots, at most {max_bytes} of them"
    )]
    ThreadId {
        /// What stands there.
        shown: String,
        /// The longest id.
        max_bytes: usize,
    },
}

impl Malformed {
    pub(crate) fn not_a_url(field: &'static str, text: &str) -> Self {
        Malformed::NotAUrl { field, shown: shown(text) }
    }
}

/// The beginning of a text from outside, safe to show.
pub(crate) fn shown(text: &str) -> String {
    let start: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    let cut = if start.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", escape_for_display(&start))
}

/// One line that says something.
pub(crate) fn check_name(field: &'static str, text: &str) -> Result<(), Malformed> {
    check_len(field, text, MAX_NAME_BYTES)?;
    check_letters(field, text, |_| false)
}

/// Text that says something; it may have lines and tabs.
pub(crate) fn check_text(field: &'static str, text: &str, max_bytes: usize) -> Result<(), Malformed> {
    check_len(field, text, max_bytes)?;
    check_letters(field, text, |letter| letter == '\n' || letter == '\t')
}

/// A list of names without doubles.
pub(crate) fn check_list(field: &'static str, items: &[String]) -> Result<(), Malformed> {
    if items.len() > MAX_ITEMS {
        return Err(Malformed::TooMany { field, count: items.len() });
    }
    let mut seen = std::collections::BTreeSet::new();
    for item in items {
        check_name(field, item)?;
        if !seen.insert(item) {
            return Err(Malformed::Twice { field, shown: shown(item) });
        }
    }
    Ok(())
}

fn check_len(field: &'static str, text: &str, max_bytes: usize) -> Result<(), Malformed> {
    match text.len() {
        _ if text.trim().is_empty() => Err(Malformed::Empty { field }),
        len_bytes if len_bytes > max_bytes => Err(Malformed::TooLong { field, len_bytes, max_bytes }),
        _ => Ok(()),
    }
}

fn check_letters(field: &'static str, text: &str, may: fn(char) -> bool) -> Result<(), Malformed> {
    match text.chars().find(|&letter| letter.is_control() && !may(letter)) {
        Some(letter) => Err(Malformed::Control { field, code: letter.into() }),
        None => Ok(()),
    }
}
