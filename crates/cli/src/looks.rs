//! How answers look on a terminal: colours, width, and a pager for what is longer than the screen. Elsewhere text is plain.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write, stderr, stdout};
use std::process::{Command, Stdio};

use subcortex_audit::{Ink, folded};

use crate::failure::Failure;
use crate::output::print;
use crate::surroundings::Surroundings;

/// How wide text is where no terminal says how wide it is, in cells.
const DEFAULT_WIDTH: usize = 100;
/// The pager where a person named none: it ends by itself when all fits, shows colours, and leaves the text on the screen.
const USUAL_PAGER: &str = "less -FRX";

/// How answers look here.
#[derive(Debug, Clone)]
pub(crate) struct Looks {
    /// Whether standard output is a terminal.
    pub(crate) is_terminal: bool,
    /// Whether there are colours.
    pub(crate) colour: bool,
    /// How many cells a line has.
    pub(crate) width: usize,
    /// How many lines the screen has.
    height: Option<usize>,
    pager: String,
    /// Whether the person set how `less` is to behave (`$LESS`).
    has_less_settings: bool,
}

impl Looks {
    /// What standard output can show, and what the person wants.
    pub(crate) fn of(surroundings: &Surroundings) -> Self {
        let is_terminal = stdout().is_terminal();
        let size = terminal_size::terminal_size_of(stdout()).filter(|_| is_terminal);
        Self {
            is_terminal,
            colour: is_terminal && !surroundings.is_plain,
            width: size.map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0)),
            height: size.map(|(_, height)| usize::from(height.0)),
            pager: surroundings.pager.clone().unwrap_or_else(|| USUAL_PAGER.to_owned()),
            has_less_settings: surroundings.has_less_settings,
        }
    }

    /// A text in this ink, where there are colours.
    pub(crate) fn ink(&self, ink: Ink, text: &str) -> String {
        if self.colour { ink.paint(text) } else { text.to_owned() }
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.ink(Ink::Bold, text)
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        self.ink(Ink::Dim, text)
    }

    /// A command that can be typed as it stands.
    pub(crate) fn command(&self, text: &str) -> String {
        self.ink(Ink::Cyan, text)
    }

    /// A text whose lines fit into the screen, broken between words. What goes elsewhere keeps its lines: programs look for them.
    pub(crate) fn fit<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_terminal { folded(text, self.width).into() } else { text.into() }
    }

    /// The upper part of a text, as much as the screen holds.
    pub(crate) fn top(&self, text: &str) -> String {
        let (Some(height), lines) = (self.height, text.lines().count()) else { return text.to_owned() };
        // The cursor needs a line of its own.
        if lines < height {
            return text.to_owned();
        }
        let shown = height.saturating_sub(2);
        let mut top: String = text.split_inclusive('\n').take(shown).collect();
        top.push_str(&self.dim(&format!("… {} more lines; all of it without --watch\n", lines - shown)));
        top
    }

    /// Prints an answer that fits on one screen; long lines are broken between words.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        print(&self.fit(text))
    }

    /// Prints an answer; on a terminal through a pager when it is longer than the screen.
    pub(crate) fn show(&self, text: &str) -> Result<(), Failure> {
        let text = &*self.fit(text);
        let is_long = self.height.is_some_and(|height| text.lines().count() >= height);
        if is_long && self.page(text).is_ok() { Ok(()) } else { print(text) }
    }

    /// Hands the text to the pager. An error means that nothing was shown.
    fn page(&self, text: &str) -> io::Result<()> {
        if matches!(self.pager.trim(), "" | "cat") {
            return Err(io::ErrorKind::Unsupported.into());
        }
        // Ctrl-C is for the pager: it stops a search there, and must not end us under it.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let _inside = runtime.enter();
        let _interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
        // As git does it: the variable may hold arguments.
        let mut pager = Command::new("/bin/sh");
        pager.arg("-c").arg(format!(
            "command -v {} >/dev/null || exit 127; {}",
            first_word(&self.pager),
            self.pager
        ));
        if !self.has_less_settings {
            pager.env("LESS", "FRX");
        }
        let mut child = pager.stdin(Stdio::piped()).spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // Whoever closes the pager has seen enough.
            drop(input.write_all(text.as_bytes()));
        }
        match child.wait()?.code() {
            Some(127) => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(()),
        }
    }
}

/// A text for standard error: where that is a terminal, its lines are broken between words.
pub(crate) fn for_stderr(text: &str) -> Cow<'_, str> {
    let size = terminal_size::terminal_size_of(stderr()).filter(|_| stderr().is_terminal());
    size.map_or(text.into(), |(width, _)| folded(text, usize::from(width.0)).into())
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("cat")
}
