//! Loops at work: the real binary in real git repositories.

mod agents;
mod crash;
mod freshness;
mod gates;
mod repositories;
mod several;
mod switches;
mod tiers;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Said, TestHome};

/// A home, and beside it a repository with one commit.
pub(super) struct Scene {
    pub(super) home: TestHome,
}

/// What a loop's config says besides its tier, its pattern and its command.
const COMMON: &str = "cadence: 10m\ngoal: Keep it right. Do not touch anything else.\nescalation: tell Ada\nbudget_tokens: 1000\n\
                      kill_switch: .loops/PAUSED\nengine: command\n";
const L1: &str = "tier: L1\npattern: daily-scan\nscope: src/**\npermission_mode: plan\n";
const L2: &str = "tier: L2\npattern: ci-watch\nscope: src/**, tests/**\npermission_mode: acceptEdits\nworktree: true\nverify: test -f src/a.txt\n\
                  guard: git diff --quiet HEAD -- README.md\nland_via: pull request\n";

impl Scene {
    pub(super) fn new() -> Self {
        Self::in_home(TestHome::new())
    }

    pub(super) fn in_home(home: TestHome) -> Self {
        let scene = Self::empty_in(home);
        for (path, text) in [("README.md", "read me\n"), ("src/a.txt", "one\n"), ("tests/t.txt", "test\n")] {
            scene.write(path, text);
        }
        scene.commit("first");
        scene
    }

    /// A repository without a commit.
    pub(super) fn empty() -> Self {
        Self::empty_in(TestHome::new())
    }

    fn empty_in(home: TestHome) -> Self {
        let scene = Self { home };
        std::fs::create_dir_all(scene.path("")).unwrap();
        scene.git(&["init", "--quiet", "--initial-branch=main"]);
        scene
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.home.path("").parent().unwrap().join("repo").join(below)
    }

    pub(super) fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // In one step: a daemon that looks meanwhile must not find half of it.
        let whole = path.with_extension("whole");
        std::fs::write(&whole, text).unwrap();
        std::fs::rename(whole, path).unwrap();
    }

    pub(super) fn read(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap_or_default()
    }

    pub(super) fn git(&self, args: &[&str]) -> String {
        git_in(&self.path(""), args)
    }

    pub(super) fn commit(&self, message: &str) {
        self.git(&["add", "--all", "--", ".", ":!.loops"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    /// A loop on a shell script.
    pub(super) fn set(&self, name: &str, tier: &str, script: &str) {
        self.write(&format!(".loops/{name}/work.sh"), &format!("set -eu\n{script}\n"));
        self.config(
            name,
            &format!(
                "{tier}{COMMON}command: [sh, {}]\n",
                self.path(&format!(".loops/{name}/work.sh")).display()
            ),
        );
    }

    pub(super) fn config(&self, name: &str, text: &str) {
        self.write(&format!(".loops/{name}/loop.config.yaml"), &format!("name: {name}\n{text}"));
    }

    /// Settings under which the daemon runs the loops here.
    pub(super) fn settings(&self, more: &str) {
        let root = self.path("");
        let text = format!(
            "cadence: {{interval_ms: 1000}}\nloops: {{roots: [{}], verify_ms: 2000}}\n{more}",
            root.to_str().unwrap().trim_end_matches('/')
        );
        self.home.write("config/subcortex.yaml", text);
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(args);
        command.current_dir(self.path(""));
        command
    }

    pub(super) fn loops(&self, args: &[&str]) -> Said {
        let output = self.command(&[&["loop"], args].concat()).output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs a loop; its exit code and what came of it.
    pub(super) fn run(&self, name: &str) -> (i32, Value) {
        let said = self.loops(&["run", name, "--json"]);
        let value = serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {said:?}"));
        (said.code, value)
    }

    /// Runs a loop that must end with this code and this word; the reason.
    #[track_caller]
    pub(super) fn ends(&self, name: &str, code: i32, word: &str) -> String {
        let (ended, ran) = self.run(name);
        assert_eq!((ended, ran["outcome"].as_str()), (code, Some(word)), "{ran}");
        ran["why"].as_str().unwrap_or_default().to_owned()
    }

    pub(super) fn state(&self, name: &str) -> String {
        self.read(&format!(".loops/{name}/STATE.md"))
    }

    pub(super) fn log(&self, name: &str) -> String {
        self.read(&format!(".loops/{name}/run-log.md"))
    }

    pub(super) fn branches(&self) -> Vec<String> {
        let listed = self.git(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/loop"]);
        listed.lines().map(str::to_owned).collect()
    }

    /// Nothing is left of a run but branches and the loop's own files.
    #[track_caller]
    pub(super) fn is_tidy(&self) {
        assert_eq!(self.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
        for folder in ["var/loops/worktrees", "var/loops/scratch"] {
            let left = std::fs::read_dir(self.home.path(folder)).map_or(0, Iterator::count);
            assert_eq!(left, 0, "{folder}");
        }
    }
}

pub(super) fn git_in(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "protocol.file.allow=always"])
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", "/nonexistent")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
