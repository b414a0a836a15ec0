//! What the tests share: a home in which one worker is at work, and a look at what changed around it.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "each test uses a part of it; tests write files and stop at the first surprise"
)]

use std::collections::BTreeMap;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use subcortex_agent::{Fetch, Fetched, Fetching, Identity, Job, TOOL_NAMES, Tools, Worked, work};
use subcortex_engine::{Cancellation, GroupPrefix, ProcessLauncher};
use subcortex_mind::{Mind, Scripted};
use subcortex_scratchpad::State;
use subcortex_store::RealDisk;

/// What stands in every file that the worker must not see.
pub(crate) const FOREIGN: &str = "foreign-words-71c5";
/// How long one call may take, in milliseconds; far more than any needs.
const STEP_LIMIT_MS: u64 = 60_000;

/// A home with two partitions; `weaver` is at work, and the write root is its `files`.
#[derive(Debug)]
pub(crate) struct World {
    dir: tempfile::TempDir,
    pub(crate) identity: Identity,
    pub(crate) tools: Tools,
    pub(crate) fetch: Arc<StandInFetch>,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        for path in [
            "home/config/subcortex.yaml",
            "home/memory/CLAUDE.md",
            "home/memory/journal.jsonl",
            "home/subconscious/weaver/CLAUDE.md",
            "home/subconscious/weaver/.claude/agents/scanner.md",
            "home/subconscious/weaver/inbox/tidy.md",
            "home/subconscious/weaver/scratchpad/active.yaml",
            "home/subconscious/weaver/files-beside/a.md",
            "home/subconscious/other/CLAUDE.md",
            "home/subconscious/other/inbox/work.md",
            "home/subconscious/other/scratchpad/active.yaml",
            "home/subconscious/other/files/mine.md",
            "home/var/runs/run.json",
            "outside/passwd",
        ] {
            write(&dir.path().join(path), FOREIGN);
        }
        write(&home.join("shared/guide.md"), "how things are done here");
        let folder = home.join("subconscious/weaver");
        let root = folder.join("files");
        write(&root.join("known.md"), "what is known");
        let fetch = Arc::new(StandInFetch::default());
        let launcher = ProcessLauncher::sweep_only(fresh_prefix()).unwrap();
        let identity = Identity {
            worker: "weaver".into(),
            engine: "api".into(),
            model: "scripted".into(),
            memory: home.join("memory"),
            run_id: Some("run-1".into()),
            tick: 7,
            mode: "directed".into(),
            reads: vec![home.join("shared")],
            writes: vec![root],
            programs: Vec::new(),
            tools: TOOL_NAMES.iter().map(ToString::to_string).collect(),
            max_steps: 5,
            tokens_per_run: Some(50_000),
            usd_per_day: Some(1.0),
            folder,
            home,
        };
        let tools = Tools {
            disk: Arc::new(RealDisk),
            launcher: Arc::new(launcher),
            fetch: Arc::clone(&fetch) as Arc<dyn Fetch>,
            blackboard: None,
            letterbox: None,
            environment: BTreeMap::from([("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]),
            run_id: "run-1".into(),
            step_limit_ms: STEP_LIMIT_MS,
            cancellation: Cancellation::never(),
        };
        Self { dir, identity, tools, fetch }
    }

    /// The same, with links of every sort, a FIFO and a socket in the write root.
    pub(crate) fn with_traps() -> Self {
        let world = Self::new();
        let (root, top) = (world.root(), world.dir.path());
        symlink(top.join("outside"), root.join("out")).unwrap();
        symlink("../../../memory", root.join("memory")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink(".", root.join("here")).unwrap();
        symlink("../CLAUDE.md", root.join("prompt.md")).unwrap();
        symlink("../PAUSED", root.join("pause")).unwrap();
        symlink("/", root.join("slash")).unwrap();
        symlink("round", root.join("round")).unwrap();
        std::fs::create_dir(root.join("deep")).unwrap();
        symlink("../../../other", root.join("deep/other")).unwrap();
        mknodat(CWD, root.join("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        drop(std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap());
        world
    }

    pub(crate) fn top(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn root(&self) -> &Path {
        &self.identity.writes[0]
    }

    /// One run with a task.
    pub(crate) async fn run(&self, mind: &dyn Mind, state: &mut State) -> Worked {
        let task = Some(("tidy.md", "Tidy up."));
        let job = Job { identity: &self.identity, instructions: "You tidy.", task, mind, tools: &self.tools };
        work(&job, state).await
    }

    /// One run in which the model says these things.
    pub(crate) async fn hear<T: Into<String>>(
        &self,
        answers: impl IntoIterator<Item = T>,
    ) -> (Worked, State) {
        let (worked, state, _) = self.converse(answers).await;
        (worked, state)
    }

    /// The same, and everything that the model was told.
    pub(crate) async fn converse<T: Into<String>>(
        &self,
        answers: impl IntoIterator<Item = T>,
    ) -> (Worked, State, String) {
        let mind = Scripted::saying(answers);
        let mut state = State::default();
        let worked = self.run(&mind, &mut state).await;
        let told = mind.asked().into_iter().flat_map(|question| question.said).map(|said| said.text);
        (worked, state, told.collect::<Vec<_>>().join("\n"))
    }

    /// Everything but what is below the write root.
    pub(crate) fn surroundings(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        collect(self.top(), &mut found);
        found.retain(|path, _| !path.starts_with(self.root()) || path == self.root());
        found
    }
}

/// Notes without the arguments of the calls: `[TOOL] name: result`. How arguments are shown has tests of its own.
pub(crate) fn without_args(notes: &str) -> String {
    let plain = |line: &str| match (line.find('('), line.find(") → ")) {
        (Some(open), Some(close)) if line.starts_with("[TOOL") && open < close => {
            format!("{}: {}\n", &line[..open], &line[close + ") → ".len()..])
        }
        _ => format!("{line}\n"),
    };
    notes.lines().map(plain).collect()
}

pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Every path below a folder with its kind, mode, links and content.
fn collect(dir: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let facts = std::fs::symlink_metadata(&path).unwrap();
        let kind = facts.file_type();
        let holds = if kind.is_symlink() {
            format!("-> {}", std::fs::read_link(&path).unwrap().display())
        } else if kind.is_file() {
            format!("{} links, {:?}", facts.nlink(), std::fs::read(&path).unwrap())
        } else if kind.is_fifo() || kind.is_socket() {
            "special".into()
        } else {
            collect(&path, found);
            "folder".into()
        };
        found.insert(path, format!("{:o} {holds}", facts.mode()));
    }
}

/// A tag that no other test uses at the same time.
fn fresh_prefix() -> GroupPrefix {
    static TAGS: AtomicU32 = AtomicU32::new(0);
    let tag = format!("a{}x{}", std::process::id(), TAGS.fetch_add(1, Ordering::Relaxed));
    GroupPrefix::for_home(&tag).unwrap()
}

/// A stand-in for the network: it knows one page, refuses all else, and keeps what it was asked for.
#[derive(Debug, Default)]
pub(crate) struct StandInFetch {
    asked: Mutex<Vec<String>>,
}

impl StandInFetch {
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Fetch for StandInFetch {
    fn get<'a>(&'a self, url: &'a str) -> Fetching<'a> {
        self.asked.lock().unwrap().push(url.to_owned());
        let answer = match url {
            "https://example.org/page" => Ok(Fetched {
                status: 200,
                content_type: "text/plain".into(),
                text: "a page".into(),
                is_cut: true,
            }),
            _ => Err("the address is not public".into()),
        };
        Box::pin(std::future::ready(answer))
    }
}
