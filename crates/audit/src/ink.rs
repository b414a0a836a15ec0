//! Colours for a terminal.

/// What a piece of text is to look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Stands out.
    Bold,
    /// Stands back.
    Dim,
    /// Wrong, or gone.
    Red,
    /// Right, or new.
    Green,
    /// Open.
    Yellow,
    /// Somebody's own words that ask for an answer.
    Magenta,
    /// A name that can be typed.
    Cyan,
}

impl Ink {
    /// The text in this ink.
    pub fn paint(self, text: &str) -> String {
        if text.is_empty() { String::new() } else { format!("\x1b[{}m{text}\x1b[0m", self.code()) }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Red => "31",
            Self::Green => "32",
            Self::Yellow => "33",
            Self::Magenta => "35",
            Self::Cyan => "36",
        }
    }
}
