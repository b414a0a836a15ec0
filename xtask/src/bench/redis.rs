//! A Redis server of our own, as something to compare with: one stream, every entry synced.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

const MAX_START: Duration = Duration::from_secs(10);
const RETRY: Duration = Duration::from_millis(20);

/// A running server with one connection. It ends with this value.
#[derive(Debug)]
pub(crate) struct Redis {
    server: Child,
    connection: BufReader<UnixStream>,
}

impl Redis {
    /// Starts a server that keeps its files below a directory and listens on nothing but a socket in there. Every entry is synced.
    pub(crate) fn start(dir: &Path) -> Result<Self> {
        Self::start_with(dir, "always")
    }

    /// The same, with another way to sync: `always`, `everysec` or `no`.
    pub(crate) fn start_with(dir: &Path, sync: &str) -> Result<Self> {
        let mut server = Command::new("redis-server")
            .args(["--port", "0", "--unixsocket", "redis.sock", "--save", ""])
            .args(["--appendonly", "yes", "--appendfsync", sync])
            .current_dir(dir)
            .stdout(Stdio::null())
            .spawn()
            .context("cannot start redis-server")?;
        match connect(&dir.join("redis.sock")) {
            Ok(stream) => Ok(Self { server, connection: BufReader::new(stream) }),
            Err(error) => {
                stop(&mut server);
                Err(error)
            }
        }
    }

    /// Appends one entry and waits until the server says that it is stored.
    pub(crate) fn add(&mut self, entry: &[u8]) -> Result<()> {
        let mut request =
            format!("*5\r\n$4\r\nXADD\r\n$1\r\ns\r\n$1\r\n*\r\n$1\r\nd\r\n${}\r\n", entry.len()).into_bytes();
        request.extend_from_slice(entry);
        request.extend_from_slice(b"\r\n");
        self.connection.get_mut().write_all(&request)?;
        let mut reply = String::new();
        self.connection.read_line(&mut reply)?;
        if !reply.starts_with('$') {
            bail!("redis-server refused an entry: {}", reply.trim_end());
        }
        // The second line is the id of the entry.
        self.connection.read_line(&mut reply)?;
        Ok(())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        stop(&mut self.server);
    }
}

fn stop(server: &mut Child) {
    // It may have ended by itself, and there is nobody left to tell.
    drop(server.kill());
    drop(server.wait());
}

fn connect(socket: &Path) -> Result<UnixStream> {
    let start = Instant::now();
    loop {
        match UnixStream::connect(socket) {
            Ok(stream) => return Ok(stream),
            Err(error) if start.elapsed() > MAX_START => {
                return Err(error)
                    .with_context(|| format!("redis-server does not answer at {}", socket.display()));
            }
            Err(_) => thread::sleep(RETRY),
        }
    }
}
