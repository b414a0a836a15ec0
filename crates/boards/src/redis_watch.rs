//! Listening to a server.

use std::time::Duration;

use subcortex_redis::Subscription;

use crate::{BoardError, Watch};

/// Hears what is published for a thread. Whoever reads the thread is told when the server is away.
#[derive(Debug)]
pub(crate) struct RedisWatch(pub(crate) Subscription);

impl Watch for RedisWatch {
    fn wait(&mut self, at_most: Duration) -> Result<(), BoardError> {
        self.0.wait(at_most);
        Ok(())
    }
}
