//! The running daemon, as far as its page can see and steer it.

use std::sync::Arc;

use jiff::Timestamp;
use subcortex_boards::Boards;
use subcortex_home::Home;
use subcortex_store::{Disk, locked};
use subcortex_usage::Spend;
use subcortex_weaver::Workshop;
use subcortex_web::Route;
use subcortex_work::{Runner, workshop};
use tokio::sync::mpsc::UnboundedSender;

use crate::by_hand::peek_with;
use crate::control::{Answer, Asked, Request, ask_here};
use crate::edge::Edge;
use crate::look::Eyes;
use crate::setup::ServeError;
use crate::shared_inbox::shared_inbox_with;
use crate::status::InboxTask;

/// Makes the routes of a page for a daemon, which serves those of its workers besides.
pub type PageOf = fn(Helm, &[Route]) -> Vec<Route>;

/// What a page is handed: questions go to the event loop as those of the control socket do, and files are read as the
/// commands read them.
#[derive(Debug, Clone)]
pub struct Helm {
    asked: UnboundedSender<Asked>,
    eyes: Eyes,
    worker: Arc<Runner>,
    since: Timestamp,
}

impl Helm {
    pub(crate) fn new(edge: &Edge, asked: UnboundedSender<Asked>, since: Timestamp) -> Self {
        Self { asked, eyes: edge.hands.eyes.clone(), worker: Arc::clone(&edge.hands.worker), since }
    }

    /// Asks the daemon, as a command does.
    pub async fn ask(&self, request: Request) -> Answer {
        ask_here(&self.asked, request).await
    }

    /// Where everything is.
    pub fn home(&self) -> &Home {
        &self.eyes.home
    }

    /// What is read and written.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.eyes.disk
    }

    /// Since when it runs.
    pub fn since(&self) -> Timestamp {
        self.since
    }

    /// What the weaver's readers are handed.
    pub fn workshop(&self) -> Workshop {
        let settings = *locked(&self.worker.weaver);
        workshop(self.home(), self.disk(), settings, None)
    }

    /// Where blackboards are.
    pub fn boards(&self) -> &Arc<dyn Boards> {
        &self.worker.boards
    }

    /// What was spent on models today.
    pub fn spend(&self) -> Spend {
        self.worker.minds.account.spend(Timestamp::now())
    }

    /// The tasks that wait, as `inbox` shows them.
    pub fn tasks(&self) -> Result<Vec<InboxTask>, ServeError> {
        let mut tasks = peek_with(&self.eyes, true)?.1;
        tasks.extend(shared_inbox_with(&self.eyes));
        Ok(tasks)
    }
}
