//! A connection that comes back.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::{Client, Connection, ErrorKind, RedisError, RedisResult, ServerErrorKind};

use crate::ServerError;

/// How long connecting, and one answer, may take.
const ANSWER: Duration = Duration::from_secs(2);
/// How long a server may be away before it is said.
const PATIENCE: Duration = Duration::from_secs(3);
/// The pauses between two tries.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// A Redis server.
pub struct RedisServer {
    client: Client,
    /// Host and port, without the password.
    shown: String,
    idle: Mutex<Vec<Connection>>,
}

impl fmt::Debug for RedisServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisServer({})", self.shown)
    }
}

impl RedisServer {
    /// Reads the address; nothing is connected yet.
    pub fn new(url: &str) -> Result<Self, ServerError> {
        // The reader's own words would show the password.
        let client = Client::open(url).map_err(|error| ServerError::Address {
            why: error.detail().unwrap_or("it is no URL").to_owned(),
        })?;
        let shown = client.get_connection_info().addr().to_string();
        Ok(Self { client, shown, idle: Mutex::default() })
    }

    /// Host and port.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Asks the server, again on a new connection while the old one is broken. So `ask` must be fit to be done twice.
    pub fn call<T>(&self, mut ask: impl FnMut(&mut Connection) -> RedisResult<T>) -> Result<T, ServerError> {
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let failure = match self.once(&mut ask) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if !may_pass(&failure) || start.elapsed() + pause > PATIENCE {
                return Err(self.explain(&failure));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    fn once<T>(&self, ask: &mut impl FnMut(&mut Connection) -> RedisResult<T>) -> RedisResult<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let answer = ask(&mut connection);
        // After a failure nobody knows which answer would come next on it.
        if answer.is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        answer
    }

    /// A connection of one's own, for whoever listens.
    pub fn connect(&self) -> RedisResult<Connection> {
        let connection = self.client.get_connection_with_timeout(ANSWER)?;
        connection.set_read_timeout(Some(ANSWER))?;
        connection.set_write_timeout(Some(ANSWER))?;
        Ok(connection)
    }

    /// What a failure means.
    pub fn explain(&self, error: &RedisError) -> ServerError {
        let (server, why) = (self.shown.clone(), error.to_string());
        match error.code() {
            Some("OOM") => ServerError::Full { server },
            // A script's own failure carries the code of the command in its text.
            _ if why.contains("OOM command not allowed") => ServerError::Full { server },
            _ if may_pass(error) => ServerError::Away { server, why },
            _ => ServerError::Refused { server, why },
        }
    }
}

/// Whether it may go better in a moment.
fn may_pass(error: &RedisError) -> bool {
    // It is starting, or another has just died.
    let passing = [ServerErrorKind::BusyLoading, ServerErrorKind::TryAgain, ServerErrorKind::MasterDown];
    error.kind() == ErrorKind::Io
        || passing.iter().any(|kind| error.kind() == ErrorKind::Server(*kind))
        || error.is_connection_dropped()
}
