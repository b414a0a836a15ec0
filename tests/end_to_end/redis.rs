//! A Redis server for a test, on a free loopback port, with a folder of its own.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::TestHome;

/// How long it may take to start on a busy machine.
const MAX_START: Duration = Duration::from_secs(20);

/// A server; it ends with this value.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
    dir: tempfile::TempDir,
    options: Vec<String>,
}

impl Server {
    /// Starts one, or says that the test is skipped.
    pub(crate) fn start(test: &str) -> Option<Self> {
        Self::start_with(test, &[])
    }

    /// The same, with options such as `--appendonly yes`.
    pub(crate) fn start_with(test: &str, options: &[&str]) -> Option<Self> {
        if !subcortex_testkit::has_program(test, "redis-server") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let process = spawn(dir.path(), port, &options);
        Some(Self { process, port, dir, options })
    }

    /// As `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again with the data that it kept.
    pub(crate) fn start_again(&mut self) {
        self.process = spawn(self.dir.path(), self.port, &self.options);
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// What `redis-cli` says to this.
    pub(crate) fn ask(&self, args: &[&str]) -> String {
        let output =
            Command::new("redis-cli").args(["-p", &self.port.to_string()]).args(args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// The settings that lead to it.
    pub(crate) fn settings(&self) -> String {
        format!("blackboard: {{ store: 'redis://127.0.0.1:{}' }}\n", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn spawn(dir: &Path, port: u16, options: &[String]) -> Child {
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"]).arg(dir);
    let process = command.args(options).stdout(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !answers(port) {
        assert!(start.elapsed() < MAX_START, "redis-server does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    process
}

fn answers(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let mut answer = String::new();
    stream.write_all(b"PING\r\n").is_ok()
        && BufReader::new(stream).read_line(&mut answer).is_ok()
        && answer.starts_with("+PONG")
}

/// Runs a test in a home with files, and in one with a server.
pub(crate) fn on_each(test: &str, check: impl Fn(&TestHome)) {
    check(&crate::partitions::home());
    if let Some(server) = Server::start(test) {
        let home = crate::partitions::home();
        home.write("config/subcortex.yaml", format!("cadence:\n  interval_ms: 1000\n{}", server.settings()));
        check(&home);
    }
}
