//! A home with a memory under git, for tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use subcortex_committer::{CommitError, Committed, Git, Job, Origin, commit};
use subcortex_engine::{Cancellation, GroupPrefix, ProcessLauncher};
use subcortex_memory::{Broadcast, MemoryFolder};
use subcortex_store::RealDisk;
use subcortex_store::durable::Patience;
use tokio::runtime::Handle;

pub struct Place {
    pub folder: tempfile::TempDir,
    pub runtime: Handle,
}

pub struct Home<'a> {
    pub root: PathBuf,
    /// How long somebody who saves is waited for.
    pub patience: Patience,
    /// Where programs are looked for.
    pub programs: String,
    place: &'a Place,
}

impl Place {
    pub fn new() -> Self {
        // As the daemon does: whoever is left without a parent is found by looking down, not by looking at every process there is.
        subcortex_engine::become_subreaper().unwrap();
        let (send, handle) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            send.send(runtime.handle().clone()).unwrap();
            runtime.block_on(std::future::pending::<()>());
        });
        // In memory where there is room for it: nothing is asked of a disk here.
        let in_memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self { folder: in_memory.unwrap(), runtime: handle.recv().unwrap() }
    }

    pub fn home(&self, name: &str) -> Home<'_> {
        let root = self.folder.path().join(name);
        std::fs::create_dir_all(root.join("memory")).unwrap();
        std::fs::create_dir_all(root.join("subconscious/memory-weaver/inbox")).unwrap();
        Home { root, patience: Patience::NONE, programs: "/usr/bin:/bin".into(), place: self }
    }

    /// A repository that both sides can reach.
    pub fn remote(&self) -> PathBuf {
        let path = self.folder.path().join("remote.git");
        run(self.folder.path(), &["init", "--quiet", "--bare", "--initial-branch=main", "remote.git"]);
        path
    }
}

/// Runs git as a person would.
pub fn run(at: &Path, args: &[&str]) -> String {
    let output = std::process::Command::new("git")
        .args(["-c", "user.name=p", "-c", "user.email=p@example.org"])
        .args(args)
        .current_dir(at)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

impl Home<'_> {
    pub fn memory(&self) -> PathBuf {
        self.root.join("memory")
    }

    pub fn write(&self, path: &str, text: &str) {
        let full = self.memory().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.memory().join(path)).unwrap_or_default()
    }

    /// Notes that an edit of ours wrote a line, and what a person had said.
    pub fn wrote(&self, broadcast: &str, number: usize, said: Option<&str>) {
        let broadcast = Broadcast::parse(broadcast);
        let line = broadcast.lines.iter().find(|line| line.number == number).unwrap();
        let fragment = "memory/fragments/2026-01-01/100000-new-signal-0123456789ab.md";
        if let Some(said) = said {
            let text = format!(
                "---\nsource_event_id: evt_1\nsource_ts: 2026-01-01T10:00:00Z\nsource_kind: claude\nevent_type: channel.message\n\
                 signal: standing_instruction\nclaude_md_ref: none\ntrajectory: NEW_SIGNAL\nactivation: waiting\norigin: person\n---\n\
                 # Fragment\n\nEvidence:\n> {said}\n\nEffectiveness note:\nno line says it\n"
            );
            subcortex_memory::Fragment::parse(&text).unwrap();
            self.write(fragment.strip_prefix("memory/").unwrap(), &text);
        }
        let evidence: Vec<serde_json::Value> =
            said.iter().map(|_| serde_json::json!({"fragment": fragment, "event_id": "evt_1"})).collect();
        let change = serde_json::json!({"kind": "add", "line_after": number, "hash_after": line.hash.as_str(),
            "after": line.text, "why": "somebody said it", "evidence": evidence});
        let edit = serde_json::json!({"id": format!("edit-{number}"), "ts": "2026-01-01T10:00:00Z", "cause": "evidence", "changes": [change]});
        let journal = self.read("journal.jsonl") + &edit.to_string() + "\n";
        self.write("journal.jsonl", &journal);
    }

    pub fn git(&self, args: &[&str]) -> String {
        run(&self.memory(), args)
    }

    pub fn share(&self, remote: &Path) {
        if !self.memory().join(".git").exists() {
            self.git(&["init", "--quiet", "--initial-branch=main"]);
        }
        self.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    }

    pub fn tasks(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.join("subconscious/memory-weaver/inbox")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn commit(&self) -> Committed {
        self.commit_at(Timestamp::now())
    }

    pub fn commit_at(&self, now: Timestamp) -> Committed {
        self.try_commit(now, Cancellation::never()).unwrap()
    }

    pub fn try_commit(&self, now: Timestamp, cancellation: Cancellation) -> Result<Committed, CommitError> {
        let prefix = GroupPrefix::for_home("0123456789ab").unwrap();
        let git = Git {
            launcher: Arc::new(ProcessLauncher::sweep_only(prefix).unwrap()),
            runtime: self.place.runtime.clone(),
            environment: BTreeMap::from([("PATH".into(), self.programs.clone().into())]),
            folder: self.memory(),
            moment: now,
            run_id: "run-1".into(),
            cancellation,
        };
        let job = Job {
            git,
            disk: &RealDisk,
            folder: MemoryFolder::at(self.memory()),
            partitions: self.root.join("subconscious"),
            origin: Origin { tick: 7, run_id: "run-1".into() },
            is_as_made: |text| text.starts_with("made by code"),
            memory: Arc::default(),
            patience: self.patience,
            now,
        };
        commit(&job)
    }
}
