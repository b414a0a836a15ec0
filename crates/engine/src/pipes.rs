//! The three standard streams of a program, served side by side.
//!
//! Output is drained to the end even when it is not kept, so that no program is held up by a full pipe.
//! Input that is never read is given up when the run is over.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::child::Child;
use crate::{Captured, Limits, Listener};

/// How much is read at once: what a pipe holds.
const READ_BYTES: usize = 64 * 1024;
/// How long the end of the output is waited for once the whole tree is dead. Only a process outside of
/// the run, to which the program handed its output, can hold it open that long.
const DRAIN_WITHIN_MS: u64 = 1_000;

type Shared = Arc<Mutex<Captured>>;

/// The tasks that serve the streams; they end when this is dropped.
#[derive(Debug)]
pub(crate) struct Pipes {
    stdout: Shared,
    stderr: Shared,
    readers: JoinSet<()>,
    _writer: JoinSet<()>,
}

impl Pipes {
    /// Takes the pipes of a child that was just started.
    pub(crate) fn attach(
        child: &mut Child,
        input: Vec<u8>,
        limits: &Limits,
        listener: Option<Listener>,
    ) -> io::Result<Self> {
        let captured = || Captured::new(limits.output_head_bytes, limits.output_tail_bytes);
        let mut pipes = Self {
            stdout: Arc::new(Mutex::new(captured())),
            stderr: Arc::new(Mutex::new(captured())),
            readers: JoinSet::new(),
            _writer: JoinSet::new(),
        };
        if let Some(pipe) = child.stdout.take() {
            pipes.readers.spawn(drain(ChildStdout::from_std(pipe)?, Arc::clone(&pipes.stdout), listener));
        }
        if let Some(pipe) = child.stderr.take() {
            pipes.readers.spawn(drain(ChildStderr::from_std(pipe)?, Arc::clone(&pipes.stderr), None));
        }
        if let Some(pipe) = child.stdin.take() {
            pipes._writer.spawn(feed(ChildStdin::from_std(pipe)?, input));
        }
        Ok(pipes)
    }

    /// Reads what is left and returns standard output and standard error. For when the tree is dead.
    pub(crate) async fn finish(mut self) -> (Captured, Captured) {
        let all_read = async { while self.readers.join_next().await.is_some() {} };
        // On time-out the streams lack their end mark, which is the report.
        let _ = timeout(Duration::from_millis(DRAIN_WITHIN_MS), all_read).await;
        (take(&self.stdout), take(&self.stderr))
    }
}

async fn drain(mut pipe: impl AsyncRead + Unpin, kept: Shared, listener: Option<Listener>) {
    let mut buffer = vec![0; READ_BYTES];
    while let Ok(length) = pipe.read(&mut buffer).await {
        if let (Some(listener), Some(piece)) = (&listener, buffer.get(..length)) {
            listener(piece);
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        match buffer.get(..length) {
            Some([]) | None => return kept.mark_end(),
            Some(piece) => kept.push(piece),
        }
    }
}

async fn feed(mut pipe: ChildStdin, input: Vec<u8>) {
    // A program may end, or close its input, without having read it all: that is its own business.
    let _ = pipe.write_all(&input).await;
}

fn take(kept: &Shared) -> Captured {
    std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner))
}
