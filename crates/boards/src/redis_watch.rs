//! Listening to a server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::{Connection, RedisResult, cmd};

use crate::redis_server::RedisServer;
use crate::{BoardError, Watch};

/// After how long the thread is looked at again though nothing was heard: the server drops listeners that are slow.
const SAFETY: Duration = Duration::from_secs(1);
/// The shortest wait that the connection takes.
const LEAST: Duration = Duration::from_millis(1);

/// Hears what is published for a thread.
pub(crate) struct RedisWatch {
    server: Arc<RedisServer>,
    channel: String,
    /// Nothing while the server is away.
    connection: Option<Connection>,
}

impl fmt::Debug for RedisWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisWatch({} on {})", self.channel, self.server.shown())
    }
}

impl RedisWatch {
    pub(crate) fn new(server: Arc<RedisServer>, channel: String) -> Result<Self, BoardError> {
        let connection = subscribe(&server, &channel).map_err(|error| server.explain(&error))?;
        Ok(Self { server, channel, connection: Some(connection) })
    }
}

fn subscribe(server: &RedisServer, channel: &str) -> RedisResult<Connection> {
    let mut connection = server.connect()?;
    connection.send_packed_command(&cmd("SUBSCRIBE").arg(channel).get_packed_command())?;
    connection.recv_response()?;
    Ok(connection)
}

impl Watch for RedisWatch {
    fn wait(&mut self, at_most: Duration) -> Result<(), BoardError> {
        let at_most = at_most.clamp(LEAST, SAFETY);
        let Some(connection) = &mut self.connection else {
            // Whoever reads the thread is told that the server is away.
            self.connection = subscribe(&self.server, &self.channel).ok();
            if self.connection.is_none() {
                std::thread::sleep(at_most);
            }
            return Ok(());
        };
        let heard = connection.set_read_timeout(Some(at_most)).and_then(|()| connection.recv_response());
        match heard {
            Ok(_) => {}
            Err(error) if error.is_timeout() => {}
            Err(_) => self.connection = None,
        }
        Ok(())
    }
}
