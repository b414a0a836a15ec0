//! `blackboard_read` and `blackboard_append`: a worker's place in a supervised run.

use std::fmt::Debug;
use std::sync::Arc;

use serde_json::Value;

use super::files::on_a_thread;
use super::{Args, Tools, kind_of};

/// The blackboard as one run sees it: who it is there is settled before its model says a word.
pub trait Blackboard: Send + Sync + Debug {
    /// The thread as it is now, for a model.
    fn read(&self) -> Result<String, String>;
    /// Appends an entry (JSON) in the run's own name; says what was taken, or why nothing was.
    fn append(&self, entry: &str) -> Result<String, String>;
    /// A page was fetched with success: from now on it can be a source.
    fn fetched(&self, url: &str);
}

pub(super) async fn read(tools: &Tools) -> Result<String, String> {
    let board = board(tools)?;
    on_a_thread(move || board.read()).await
}

pub(super) async fn append(tools: &Tools, args: &Args) -> Result<String, String> {
    let board = board(tools)?;
    let entry = match args.get("entry") {
        Some(entry @ Value::Object(_)) => entry.to_string(),
        Some(other) => return Err(format!("`entry` must be an object, and is {}", kind_of(other))),
        None => return Err("`entry` is missing: an object with `kind` and the fields of that kind".into()),
    };
    on_a_thread(move || board.append(&entry)).await
}

fn board(tools: &Tools) -> Result<Arc<dyn Blackboard>, String> {
    tools.blackboard.clone().ok_or_else(|| "you have no place on a blackboard".into())
}
