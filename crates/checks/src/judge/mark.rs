//! Marks: what a turn leaves and a check asks for, small enough to be looked up by the thousand.

/// What kind of trace a mark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Trace {
    /// Any command at all.
    Ran,
    /// One of the words of a command among which its program stands, without its directory.
    Program,
    /// Any word of a command.
    Word,
    /// What a command is for.
    Role,
    /// Any file written.
    Wrote,
    /// Any file deleted.
    Deleted,
    /// Any file moved.
    Moved,
    /// Any tool used.
    Used,
    /// A tool by its name.
    Tool,
    Committed,
    Pushed,
    Branched,
    /// Any file shown.
    Read,
    /// The last segment of a path.
    Name(Way),
    /// What stands behind the last dot of a path.
    Ending(Way),
    /// Any segment of a path.
    Segment(Way),
    /// A piece of text.
    Atom(Field),
}

/// How a path came into a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    Written,
    Shown,
}

/// Texts of a turn in which pieces are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    /// What was said, and the messages of commits.
    Said,
    /// What names the work: commit messages, paths, branches, titles.
    Deed,
    /// What was added to files.
    Added,
    /// What was removed from them.
    Removed,
    /// The commands as they were typed.
    Command,
    /// Answers that refused something.
    Failure,
}

impl Field {
    pub(crate) const ALL: [Self; 6] =
        [Self::Said, Self::Deed, Self::Added, Self::Removed, Self::Command, Self::Failure];
}

/// A trace and its text as one number. Two marks that share a number cost a look in vain and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Mark(u64);

impl Mark {
    /// A trace without a text.
    pub(crate) fn any(trace: Trace) -> Self {
        Self::of(trace, "")
    }

    /// A trace and its text; case does not count.
    pub(crate) fn of(trace: Trace, text: &str) -> Self {
        // FNV-1a: short texts, no enemy.
        const START: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0100_0000_01b3;
        let mut hash = START;
        let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
        add(trace.number());
        for c in text.chars() {
            if c.is_ascii() {
                add((c as u8).to_ascii_lowercase());
            } else if c == LONG_S {
                add(b's');
            } else {
                let mut bytes = [0; 4];
                c.to_lowercase().for_each(|c| c.encode_utf8(&mut bytes).bytes().for_each(&mut add));
            }
        }
        Self(hash)
    }
}

/// Lower case for expressions, though not for Rust: `(?i)s` finds it.
const LONG_S: char = 'ſ';
/// The other character outside ASCII that an expression takes for an ASCII letter.
const KELVIN: char = '\u{212a}';

/// Whether a text holds letters that are ASCII letters to an expression and to nobody else.
pub(crate) fn is_odd(text: &str) -> bool {
    !text.is_ascii() && text.contains([LONG_S, KELVIN])
}

impl Trace {
    fn number(self) -> u8 {
        let way = |way: Way| u8::from(way == Way::Shown);
        match self {
            Self::Ran => 0,
            Self::Program => 1,
            Self::Word => 2,
            Self::Wrote => 3,
            Self::Deleted => 4,
            Self::Moved => 5,
            Self::Used => 6,
            Self::Tool => 7,
            Self::Committed => 8,
            Self::Pushed => 9,
            Self::Branched => 10,
            Self::Read => 11,
            Self::Name(path) => 12 + way(path),
            Self::Ending(path) => 14 + way(path),
            Self::Segment(path) => 16 + way(path),
            Self::Atom(Field::Said) => 18,
            Self::Atom(Field::Deed) => 19,
            Self::Atom(Field::Added) => 20,
            Self::Atom(Field::Command) => 21,
            Self::Atom(Field::Failure) => 22,
            Self::Atom(Field::Removed) => 23,
            Self::Role => 24,
        }
    }
}
