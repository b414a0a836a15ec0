//! Work that grows with what somebody wrote: it is done aside, on a thread that nobody waits for.
//!
//! The event loop and the thread of the runs only pass things on. Whoever reads, hashes, redacts or walks through
//! something long there would keep kill switches, deadlines and everybody's answers waiting for it.

use subcortex_guard::Redactor;

/// Text up to this length is worked on where one is: a thread would cost more than the work.
pub(crate) const SMALL_TEXT_BYTES: usize = 16 * 1024;

/// Stands for a text that could not be redacted: nothing of it may be kept.
const NOT_REDACTED: &str = "[left out: it could not be redacted]";

/// Does something on a thread of its own. An error is a bug in the work, in words.
pub(crate) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| format!("{error}; please report it"))
}

/// Does something with a text of this length, aside unless it is small.
pub(crate) async fn with_text<T: Send + 'static>(
    len_bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    if len_bytes <= SMALL_TEXT_BYTES { Ok(work()) } else { aside(work).await }
}

/// The text without its secrets.
pub async fn redacted(text: String) -> String {
    let len_bytes = text.len();
    let redact = move || Redactor::new().text(&text).into_owned();
    with_text(len_bytes, redact).await.unwrap_or_else(|_| NOT_REDACTED.to_owned())
}
