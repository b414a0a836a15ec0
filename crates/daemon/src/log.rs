//! One line a fact: time, level, what happened, then fields.
//!
//! ```text
//! 2026-11-16T08:37:00.004Z INFO  tick started       tick=412 late_ms=4
//! ```
//!
//! Every line is redacted and its control characters are escaped before it reaches the file or the
//! terminal. A log that cannot be written never stops the daemon.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::Mutex;

use jiff::Timestamp;
use subcortex_config::Level as Wanted;
use subcortex_guard::{Redactor, escape_for_display};
use subcortex_store::locked;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::Context;

use crate::rotating_file::RotatingFile;

/// How wide the message is, so that fields stand below one another.
const MESSAGE_WIDTH: usize = 18;
/// The longest line, in characters; the rest is cut.
const MAX_LINE_CHARS: usize = 4000;
/// How much of a line is looked at for secrets, in bytes; the rest is cut before.
const MAX_REDACTED_BYTES: usize = 64 * 1024;

/// Where the lines go besides the file.
pub struct LogSink {
    to: Box<dyn std::io::Write + Send>,
    is_journal: bool,
}

impl LogSink {
    /// Lines as they stand in the file.
    pub fn plain(to: impl std::io::Write + Send + 'static) -> Self {
        Self { to: Box::new(to), is_journal: false }
    }

    /// Lines for the journal, which knows the time itself, with their level as it understands it: `<4>` is a warning.
    pub fn journal(to: impl std::io::Write + Send + 'static) -> Self {
        Self { to: Box::new(to), is_journal: true }
    }

    fn write(&mut self, time: &str, level: Level, rest: &str) -> std::io::Result<()> {
        let line = match self.is_journal {
            true => format!("<{}>{rest}", priority(level)),
            false => format!("{time} {rest}"),
        };
        self.to.write_all(line.as_bytes())
    }
}

impl fmt::Debug for LogSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_journal { "LogSink(journal)" } else { "LogSink" })
    }
}

/// How much a level matters, in the numbers of syslog.
fn priority(level: Level) -> u8 {
    match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        Level::DEBUG | Level::TRACE => 7,
    }
}

/// Writes what `tracing` reports.
pub(crate) struct LogLayer {
    outputs: Mutex<Outputs>,
    redactor: Redactor,
}

struct Outputs {
    file: RotatingFile,
    sink: LogSink,
    file_failed: bool,
}

impl LogLayer {
    pub(crate) fn new(file: RotatingFile, sink: LogSink) -> Self {
        Self { outputs: Mutex::new(Outputs { file, sink, file_failed: false }), redactor: Redactor::new() }
    }

    /// The line behind its time.
    fn line(&self, event: &Event<'_>) -> String {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut text = format!("{:<MESSAGE_WIDTH$} {}", fields.message, fields.rest);
        // Far behind what is shown, so that no secret is shown in part.
        text.truncate(text.floor_char_boundary(MAX_REDACTED_BYTES));
        let text = self.redactor.text(text.trim_end()).into_owned();
        let mut line = format!("{:<5} ", event.metadata().level());
        line.extend(escape_for_display(&text).chars().take(MAX_LINE_CHARS));
        line.push('\n');
        line
    }
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let (time, line) = (format!("{:.3}", Timestamp::now()), self.line(event));
        let mut outputs = locked(&self.outputs);
        // Nothing can be done about a terminal that is gone.
        drop(outputs.sink.write(&time, *event.metadata().level(), &line));
        let result = outputs.file.write_line(format!("{time} {line}").as_bytes());
        if let Err(error) = &result
            && !outputs.file_failed
        {
            drop(writeln!(outputs.sink.to, "the log file cannot be written ({error}); this is said once"));
        }
        outputs.file_failed = result.is_err();
    }
}

impl fmt::Debug for LogLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogLayer")
    }
}

/// The filter that a level of the settings stands for.
pub(crate) fn filter(level: Wanted) -> LevelFilter {
    match level {
        Wanted::Error => LevelFilter::ERROR,
        Wanted::Warn => LevelFilter::WARN,
        Wanted::Info => LevelFilter::INFO,
        Wanted::Debug => LevelFilter::DEBUG,
        Wanted::Trace => LevelFilter::TRACE,
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    rest: String,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
            return;
        }
        let text = format!("{value:?}");
        self.push(field, &text);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.push(field, value);
    }
}

impl Fields {
    /// A value with blanks or quotes in it is quoted, so that a line can be taken apart again.
    fn push(&mut self, field: &Field, value: &str) {
        let plain = !value.is_empty() && !value.contains([' ', '"', '=', '\n']);
        let separator = if self.rest.is_empty() { "" } else { " " };
        // Writing to a String cannot fail.
        let _ok = if plain {
            write!(self.rest, "{separator}{}={value}", field.name())
        } else {
            write!(self.rest, "{separator}{}={value:?}", field.name())
        };
    }
}
