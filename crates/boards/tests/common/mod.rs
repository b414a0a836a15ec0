//! Both stores, and a real server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, dead_code)] // a test may

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};
use subcortex_blackboard::{Author, Entry, Role, ThreadId};
use subcortex_boards::{BoardError, Boards, Durability, FileBoards, RedisBoards};
use subcortex_store::RealDisk;
use tempfile::TempDir;

/// How long a server may take to start on a busy machine.
const MAX_START: Duration = Duration::from_secs(20);

/// A Redis server with a folder of its own; it ends with this value.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
    pub(crate) dir: TempDir,
    options: Vec<String>,
}

impl Server {
    /// Starts one, or says that the test is skipped.
    pub(crate) fn start(test: &str, options: &[&str]) -> Option<Server> {
        if !subcortex_testkit::has_program(test, "redis-server") {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let options: Vec<_> = options.iter().map(ToString::to_string).collect();
        let process = spawn(dir.path(), port, &options);
        Some(Server { process, port, dir, options })
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// As `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn start_again(&mut self) {
        self.process = spawn(self.dir.path(), self.port, &self.options);
    }

    /// One command as a line; gives the first line of the answer.
    pub(crate) fn ask(&self, line: &str) -> String {
        ask(self.port, line).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn ask(port: u16, line: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.write_all(format!("{line}\r\n").as_bytes())?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer)?;
    Ok(answer.trim_end().to_owned())
}

fn spawn(dir: &Path, port: u16, options: &[String]) -> Child {
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"]).arg(dir);
    let process = command.args(options).stdout(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !ask(port, "PING").is_ok_and(|answer| answer.starts_with("+PONG") || answer.starts_with("-NOAUTH"))
    {
        assert!(start.elapsed() < MAX_START, "redis-server does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    process
}

/// One of the two stores, and what it needs to live. Opening it again is another process' view of it.
pub(crate) enum Place {
    Files(TempDir),
    Redis(Box<Server>),
}

impl Place {
    pub(crate) fn open(&self, ttl_s: u64) -> Arc<dyn Boards> {
        match self {
            Place::Files(dir) => {
                let dir = dir.path().join("blackboard");
                Arc::new(FileBoards::new(Arc::new(RealDisk), dir, ttl_s, Durability::Written))
            }
            Place::Redis(server) => Arc::new(RedisBoards::new(&server.url(), ttl_s).unwrap()),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Place::Files(_) => "files",
            Place::Redis(_) => "redis",
        }
    }
}

/// Runs a test on every store that there is.
pub(crate) fn on_each(test: &str, check: impl Fn(&Place)) {
    check(&Place::Files(tempfile::tempdir().unwrap()));
    if let Some(server) = Server::start(test, &[]) {
        check(&Place::Redis(Box::new(server)));
    }
}

pub(crate) const TTL_S: u64 = 86_400;
pub(crate) const PAGE: &str = "https://acme.example/about";

pub(crate) fn thread(name: &str) -> ThreadId {
    ThreadId::new(name).unwrap()
}

pub(crate) fn boss() -> Author {
    Author::new(Role::Supervisor, "boss").unwrap()
}

pub(crate) fn worker(name: &str) -> Author {
    Author::new(Role::Worker, name).unwrap()
}

pub(crate) fn person() -> Author {
    Author::new(Role::User, "ann").unwrap()
}

pub(crate) fn entry(json: &Value) -> Entry {
    Entry::parse(&json.to_string()).unwrap()
}

pub(crate) fn strategy(entities: &[&str]) -> Entry {
    entry(&json!({"kind": "STRATEGY", "goal": "g", "entities": entities, "tool_chain": [], "assigned": []}))
}

pub(crate) fn pending(worker: &str, field: &str) -> Entry {
    entry(&json!({"kind": "PENDING", "entity": "Acme", "field": field, "assigned_to": worker, "turn": 1}))
}

pub(crate) fn verified(worker: &str, field: &str) -> Entry {
    entry(
        &json!({"kind": "VERIFIED", "entity": "Acme", "field": field, "value": "v", "source_url": PAGE, "retrieved_by": worker}),
    )
}

pub(crate) fn directive(text: &str) -> Entry {
    entry(&json!({"kind": "USER_DIRECTIVE", "text": text}))
}

pub(crate) fn say(
    boards: &dyn Boards,
    thread: &ThreadId,
    author: &Author,
    entry: Entry,
) -> Result<u64, BoardError> {
    boards.append(thread, author, entry, Timestamp::now()).map(|record| record.seq)
}
