//! A line on standard error for whatever takes longer than a second; nothing where nobody watches.

use std::io::{IsTerminal, Write as _, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What is faster needs no words.
const SHOWN_AFTER: Duration = Duration::from_secs(1);
/// How often the line changes.
const STEP: Duration = Duration::from_millis(120);
const SHAPES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// Says what is being done until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Spinner {
    turning: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Spinner {
    /// Begins to wait for something, such as `reading the event log`.
    pub(crate) fn new(what: &'static str) -> Self {
        if !stderr().is_terminal() {
            return Self::default();
        }
        let (sender, done) = channel();
        let began = Instant::now();
        let turn = move || {
            let mut pause = SHOWN_AFTER;
            for shape in SHAPES.iter().cycle() {
                if done.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                pause = STEP;
                // Nothing can be done when the terminal is gone.
                drop(write!(stderr().lock(), "\r{shape} {what} … {} s\x1b[K", began.elapsed().as_secs()));
            }
            if began.elapsed() >= SHOWN_AFTER {
                drop(write!(stderr().lock(), "\r\x1b[K"));
            }
        };
        Self { turning: Some((sender, std::thread::spawn(turn))) }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.turning.take() {
            drop(sender);
            // A thread that only draws has nothing to say.
            drop(thread.join());
        }
    }
}
