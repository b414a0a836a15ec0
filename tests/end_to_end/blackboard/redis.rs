//! A Redis server for a test, on a free loopback port, with a folder of its own.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::TestHome;

/// How long it may take to start on a busy machine.
const MAX_START: Duration = Duration::from_secs(20);

/// A server; it ends with this value.
pub(super) struct Server {
    process: Child,
    port: u16,
    _dir: tempfile::TempDir,
}

impl Server {
    /// Starts one, or says that the test is skipped.
    pub(super) fn start(test: &str) -> Option<Self> {
        if !subcortex_testkit::has_program(test, "redis-server") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("redis-server");
        command
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"])
            .arg(dir.path());
        let process = command.stdout(Stdio::null()).spawn().unwrap();
        let server = Self { process, port, _dir: dir };
        let start = Instant::now();
        while !server.answers() {
            assert!(start.elapsed() < MAX_START, "redis-server does not start");
            std::thread::sleep(Duration::from_millis(10));
        }
        Some(server)
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let mut answer = String::new();
        stream.write_all(b"PING\r\n").is_ok()
            && BufReader::new(stream).read_line(&mut answer).is_ok()
            && answer.starts_with("+PONG")
    }

    /// The settings that lead to it.
    pub(super) fn settings(&self) -> String {
        format!("blackboard: {{ store: 'redis://127.0.0.1:{}' }}\n", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Runs a test in a home with files, and in one with a server.
pub(super) fn on_each(test: &str, check: impl Fn(&TestHome)) {
    check(&crate::partitions::home());
    if let Some(server) = Server::start(test) {
        let home = crate::partitions::home();
        home.write("config/subcortex.yaml", format!("cadence:\n  interval_ms: 1000\n{}", server.settings()));
        check(&home);
    }
}
