//! Does nothing, and says so: a sign of life for whoever watches the log.

use subcortex_cadence::settle::Work;

use super::{Call, Done, Worker};
use crate::Details;

#[derive(Debug)]
pub(super) struct Heartbeat;

impl Worker for Heartbeat {
    fn name(&self) -> &'static str {
        "heartbeat"
    }

    fn is_instant(&self) -> bool {
        true
    }

    fn work(&self, call: Call) -> Done {
        let result = match call.task {
            Some(_) => "NO-OP: the heartbeat has nothing to do with tasks",
            None => "NO-OP: alive",
        };
        (Work::well(result), Details { output: result.to_owned(), ..Details::default() })
    }
}
