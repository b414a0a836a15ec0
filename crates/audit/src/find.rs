//! Where agents keep the session files of a project.
//!
//! Where an agent keeps the sessions of each project apart, only folders whose names fit are looked into; then the working
//! directory in the file decides. The files of subagents are passed over, since no rule is judged by them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use subcortex_import::{Problem, SourceFile, Sources};
use subcortex_known_agents::Agent;
use subcortex_store::Disk;

use crate::project::Project;

/// Where to look for session files.
#[derive(Debug, Clone)]
pub struct Place {
    /// Whose files they are.
    pub agent: &'static Agent,
    /// Where the agent keeps its files, such as `~/.claude`.
    pub config_dir: PathBuf,
}

/// A session file that may belong to the project.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The file.
    pub file: SourceFile,
    /// Whose it is, if the place says so.
    pub agent: Option<&'static Agent>,
    /// What its sessions must belong to.
    pub project: Project,
}

/// What was found where.
#[derive(Debug, Default)]
pub struct Found {
    /// The files, oldest first.
    pub candidates: Vec<Candidate>,
    /// The folders that were looked at, also those that are missing.
    pub looked_in: Vec<PathBuf>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

impl Found {
    /// Looks where the agents keep the sessions of a project.
    pub fn of_project(disk: &dyn Disk, places: &[Place], project: &Project) -> Self {
        let mut found = Self::default();
        for Place { agent, config_dir } in places {
            for (nth, sessions) in agent.session_folders(config_dir).into_iter().enumerate() {
                let is_there = sessions.is_dir();
                if is_there {
                    let folders = folders_of(disk, agent, &sessions, project);
                    found.add(disk, &[agent], folders, Some(agent), project);
                }
                if is_there || nth == 0 {
                    found.looked_in.push(sessions);
                }
            }
        }
        found.sort();
        found
    }

    /// Takes all session files of these agents at or below a path, whatever their project.
    pub fn below(disk: &dyn Disk, agents: &[&'static Agent], path: &Path) -> Self {
        let mut found = Self { looked_in: vec![path.to_owned()], ..Self::default() };
        found.add(disk, agents, vec![path.to_owned()], None, &Project::Everywhere);
        found.sort();
        found
    }

    fn add(
        &mut self,
        disk: &dyn Disk,
        agents: &[&'static Agent],
        paths: Vec<PathBuf>,
        agent: Option<&'static Agent>,
        project: &Project,
    ) {
        let sources = Sources::find(disk, agents, &paths);
        self.problems.extend(sources.problems);
        let is_wanted =
            |file: &SourceFile| !agent.is_some_and(|agent| (agent.sessions.is_subagents)(&file.path));
        let files = sources.files.into_iter().filter(is_wanted);
        self.candidates.extend(files.map(|file| Candidate { file, agent, project: project.clone() }));
    }

    fn sort(&mut self) {
        let key = |candidate: &Candidate| (candidate.file.mtime_ns, candidate.file.path.clone());
        self.candidates.sort_by_cached_key(key);
        self.candidates.dedup_by(|a, b| a.file.path == b.file.path);
    }
}

/// The folders of sessions that may belong to the project, below one that holds those of all projects.
fn folders_of(disk: &dyn Disk, agent: &Agent, sessions: &Path, project: &Project) -> Vec<PathBuf> {
    let Some(may_hold) = agent.sessions.may_hold else { return vec![sessions.to_owned()] };
    let names = disk.list(sessions).unwrap_or_default().into_iter();
    let is_wanted = |name: &OsString| match project {
        Project::Everywhere => true,
        Project::Folders(folders) => folders.iter().any(|folder| may_hold(&name.to_string_lossy(), folder)),
    };
    names.filter(is_wanted).map(|name| sessions.join(name)).collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use subcortex_known_agents::{CLAUDE, CODEX};
    use subcortex_store::RealDisk;

    use super::*;

    fn place(agent: &'static Agent, config_dir: PathBuf) -> Place {
        Place { agent, config_dir }
    }

    fn touch(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    #[test]
    fn files_of_the_project_are_found_in_the_folders_of_both_agents() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in [
            "claude/projects/-p-web/a.jsonl",
            "claude/projects/-p-web/a/subagents/agent-1.jsonl",
            "claude/projects/-p-web-two/b.jsonl",
            "claude/projects/-p-other/c.jsonl",
            "codex/sessions/2026/01/02/rollout-d.jsonl.zst",
            "codex/archived_sessions/rollout-e.jsonl",
        ] {
            touch(&root.join(name));
        }
        let places = [place(&CLAUDE, root.join("claude")), place(&CODEX, root.join("codex"))];
        let names = |project: &Project| {
            let found = Found::of_project(&RealDisk, &places, project);
            assert_eq!((found.problems.len(), found.looked_in.len()), (0, 3));
            let name = |candidate: &Candidate| {
                candidate.file.path.file_name().unwrap().to_string_lossy().into_owned()
            };
            let mut names: Vec<String> = found.candidates.iter().map(name).collect();
            names.sort();
            names.join(" ")
        };
        let web = Project::Folders(vec![PathBuf::from("/p/web")]);
        assert_eq!(names(&web), "a.jsonl b.jsonl rollout-d.jsonl.zst rollout-e.jsonl");
        assert_eq!(
            names(&Project::Everywhere),
            "a.jsonl b.jsonl c.jsonl rollout-d.jsonl.zst rollout-e.jsonl"
        );
    }

    #[test]
    fn places_that_are_missing_are_named_and_no_problem() {
        let places = [place(&CLAUDE, "/no/claude".into()), place(&CODEX, "/no/codex".into())];
        let found = Found::of_project(&RealDisk, &places, &Project::Everywhere);
        assert_eq!(found.looked_in, [Path::new("/no/claude/projects"), Path::new("/no/codex/sessions")]);
        assert!(found.candidates.is_empty() && found.problems.is_empty());
    }
}
