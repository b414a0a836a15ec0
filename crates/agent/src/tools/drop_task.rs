//! `drop_task`: asks another partition for help, through the shared inbox.

use std::fmt::Debug;
use std::sync::Arc;

use super::files::on_a_thread;
use super::{Args, Tools, string};

/// Where a run leaves tasks for other partitions.
pub trait Letterbox: Send + Sync + Debug {
    /// Drops a task; says where it will go, or why it was not taken.
    fn drop_task(&self, body: &str) -> Result<String, String>;
}

pub(super) async fn drop_task(tools: &Tools, args: &Args) -> Result<String, String> {
    let letterbox: Arc<dyn Letterbox> =
        tools.letterbox.clone().ok_or("there is nobody here to hand a task to")?;
    let body = string(args, "task")?.to_owned();
    on_a_thread(move || letterbox.drop_task(&body)).await
}
