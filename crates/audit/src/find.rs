//! Where agents keep the session files of a project.
//!
//! | agent | place | which files |
//! |---|---|---|
//! | Claude Code | `<config>/projects/<cwd>/*.jsonl`, everything but ASCII letters and digits of the cwd as `-` | folders whose name fits; then the cwd in the file decides |
//! | Codex | `<config>/sessions/**`, `<config>/archived_sessions/**` | all; the cwd in the file decides |
//!
//! A folder's name does not decide alone: `/p/web-two` and `/p/web/two` are called the same. The files of subagents
//! are passed over, since no rule is judged by them.

use std::path::{Path, PathBuf};

use subcortex_import::{Problem, SourceFile, Sources};
use subcortex_store::Disk;
use subcortex_transcript::Format;

use crate::project::Project;

/// Longer names are cut here, with a hash behind.
const MAX_NAME_BYTES: usize = 200;

/// Where to look for session files.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The configuration folders of Claude Code, such as `~/.claude`.
    pub claude: Vec<PathBuf>,
    /// Those of Codex, such as `~/.codex`.
    pub codex: Vec<PathBuf>,
}

/// A session file that may belong to the project.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The file.
    pub file: SourceFile,
    /// Whose it is, if the place says so.
    pub format: Option<Format>,
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
    pub fn of_project(disk: &dyn Disk, places: &Places, project: &Project) -> Self {
        let mut found = Self::default();
        for config in &places.claude {
            let projects = config.join("projects");
            let folders = claude_folders(disk, &projects, project);
            found.add(disk, folders, Some(Format::Claude), project);
            found.looked_in.push(projects);
        }
        for config in &places.codex {
            for name in ["sessions", "archived_sessions"] {
                let sessions = config.join(name);
                if sessions.is_dir() {
                    found.add(disk, vec![sessions.clone()], Some(Format::Codex), project);
                }
                if sessions.is_dir() || name == "sessions" {
                    found.looked_in.push(sessions);
                }
            }
        }
        found.sort();
        found
    }

    /// Takes all session files at or below a path, whatever their format and project.
    pub fn below(disk: &dyn Disk, path: &Path) -> Self {
        let mut found = Self { looked_in: vec![path.to_owned()], ..Self::default() };
        found.add(disk, vec![path.to_owned()], None, &Project::Everywhere);
        found.sort();
        found
    }

    fn add(&mut self, disk: &dyn Disk, paths: Vec<PathBuf>, format: Option<Format>, project: &Project) {
        let sources = Sources::find(disk, &paths);
        self.problems.extend(sources.problems);
        let is_wanted = |file: &SourceFile| format != Some(Format::Claude) || !is_of_subagent(&file.path);
        let files = sources.files.into_iter().filter(is_wanted);
        self.candidates.extend(files.map(|file| Candidate { file, format, project: project.clone() }));
    }

    fn sort(&mut self) {
        let key = |candidate: &Candidate| (candidate.file.mtime_ns, candidate.file.path.clone());
        self.candidates.sort_by_cached_key(key);
        self.candidates.dedup_by(|a, b| a.file.path == b.file.path);
    }
}

fn is_of_subagent(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "subagents")
}

/// The folders below `projects` whose names fit the project.
fn claude_folders(disk: &dyn Disk, projects: &Path, project: &Project) -> Vec<PathBuf> {
    let names = disk.list(projects).unwrap_or_default();
    let wanted: Vec<String> = match project {
        Project::Everywhere => return names.into_iter().map(|name| projects.join(name)).collect(),
        Project::Folders(folders) => folders.iter().map(|folder| encoded(folder)).collect(),
    };
    let fits = |name: &str| wanted.iter().any(|wanted| fits(name, wanted));
    names.into_iter().filter(|name| fits(&name.to_string_lossy())).map(|name| projects.join(name)).collect()
}

/// Whether a folder of this name may hold sessions of the project or of a folder below it.
fn fits(name: &str, wanted: &str) -> bool {
    match wanted.get(..MAX_NAME_BYTES) {
        Some(cut) => name.starts_with(cut),
        None => name.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
    }
}

/// The name that Claude Code gives the folder of a project.
fn encoded(folder: &Path) -> String {
    let mut name = String::new();
    for c in folder.to_string_lossy().chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else {
            // It counts in UTF-16.
            name.extend(std::iter::repeat_n('-', c.len_utf16()));
        }
    }
    name
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use subcortex_store::RealDisk;

    use super::*;

    #[test]
    fn the_name_of_a_folder_is_made_as_the_agent_makes_it() {
        assert_eq!(encoded(Path::new("/home/dev/my_app.v2")), "-home-dev-my-app-v2");
        assert_eq!(encoded(Path::new("/ä/🦀x")), "-----x");
        assert!(fits("-p-web", "-p-web") && fits("-p-web-api", "-p-web") && !fits("-p-website", "-p-web"));
        let long = "x".repeat(300);
        assert!(fits(&format!("{}-1a2b", &long[..200]), &long) && !fits(&long[..150], &long));
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
        let places = Places { claude: vec![root.join("claude")], codex: vec![root.join("codex")] };
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
        let places = Places { claude: vec!["/no/claude".into()], codex: vec!["/no/codex".into()] };
        let found = Found::of_project(&RealDisk, &places, &Project::Everywhere);
        assert_eq!(found.looked_in, [Path::new("/no/claude/projects"), Path::new("/no/codex/sessions")]);
        assert!(found.candidates.is_empty() && found.problems.is_empty());
    }
}
