//! Work that grows with what somebody wrote: it is done aside, on a thread that nobody waits for.
//!
//! The event loop and the thread of the runs only pass things on. Whoever reads, hashes, redacts or walks through
//! something long there would keep kill switches, deadlines and everybody's answers waiting for it.

use std::time::Duration;

use subcortex_engine::Cancellation;
use subcortex_guard::Redactor;

/// Text up to this length is worked on where one is: a thread would cost more than the work.
pub(crate) const SMALL_TEXT_BYTES: usize = 16 * 1024;

/// Stands for a text that could not be redacted: nothing of it may be kept.
const NOT_REDACTED: &str = "[left out: it could not be redacted]";
/// Stands for one of which it was not known in time.
const NOT_IN_TIME: &str = "[left out: the run was ended before it was redacted]";
/// How long a run that is to end waits for a text: a kill switch ends it within a second.
const LAST_WAIT: Duration = Duration::from_millis(300);

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

/// The same, for a text that a run can end without: whoever ends it does not wait until a long one is read.
pub(crate) async fn redacted_in_time(text: String, cancellation: &Cancellation) -> String {
    in_time(redacted(text), cancellation).await
}

async fn in_time(text: impl Future<Output = String>, cancellation: &Cancellation) -> String {
    let mut cancellation = cancellation.clone();
    let ended = async {
        cancellation.ordered().await;
        tokio::time::sleep(LAST_WAIT).await;
    };
    tokio::select! {
        biased;
        text = text => text,
        () = ended => NOT_IN_TIME.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use subcortex_engine::{CancelReason, cancellation};

    use super::*;

    #[tokio::test]
    async fn a_run_that_is_paused_ends_without_waiting_for_a_text_that_is_slow_to_read() {
        let (canceller, order) = cancellation();
        canceller.cancel(CancelReason::Paused, 0);
        let begun = std::time::Instant::now();
        assert_eq!(in_time(std::future::pending(), &order).await, NOT_IN_TIME);
        assert!(begun.elapsed() < Duration::from_secs(1));
        assert_eq!(redacted_in_time("plain".into(), &order).await, "plain");
    }
}
