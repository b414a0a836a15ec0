//! Listening to a channel.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::{Connection, RedisResult, cmd};

use crate::{RedisServer, ServerError};

/// The longest wait for one answer, so that a server that dropped a slow listener is noticed.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// The shortest wait that the connection takes.
const LEAST: Duration = Duration::from_millis(1);

/// Hears what is published on a channel. A wake-up carries nothing, so that a lost one costs time and nothing else.
pub struct Subscription {
    server: Arc<RedisServer>,
    channel: String,
    /// Nothing while the server is away.
    connection: Option<Connection>,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subscription({} on {})", self.channel, self.server.shown())
    }
}

impl Subscription {
    /// Begins to listen.
    pub fn new(server: Arc<RedisServer>, channel: String) -> Result<Self, ServerError> {
        let connection = subscribe(&server, &channel).map_err(|error| server.explain(&error))?;
        Ok(Self { server, channel, connection: Some(connection) })
    }

    /// Begins to listen as soon as the server is there.
    pub fn later(server: Arc<RedisServer>, channel: String) -> Self {
        Self { server, channel, connection: None }
    }

    /// Waits until something may have happened, but not longer than this; says whether something did.
    pub fn wait(&mut self, at_most: Duration) -> bool {
        let at_most = at_most.clamp(LEAST, MAX_WAIT);
        let Some(connection) = &mut self.connection else {
            // What was published meanwhile was not heard: whoever looks now sees it.
            self.connection = subscribe(&self.server, &self.channel).ok();
            if self.connection.is_none() {
                std::thread::sleep(at_most);
            }
            return self.connection.is_some();
        };
        let heard = connection.set_read_timeout(Some(at_most)).and_then(|()| connection.recv_response());
        match heard {
            Ok(_) => true,
            Err(error) if error.is_timeout() => false,
            Err(_) => {
                self.connection = None;
                false
            }
        }
    }
}

fn subscribe(server: &RedisServer, channel: &str) -> RedisResult<Connection> {
    let mut connection = server.connect()?;
    connection.send_packed_command(&cmd("SUBSCRIBE").arg(channel).get_packed_command())?;
    connection.recv_response()?;
    Ok(connection)
}
