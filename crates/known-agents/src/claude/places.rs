//! How the folders and files of sessions are called.
//!
//! Below `projects` each working directory has a folder of its own, called like the directory with everything but ASCII
//! letters and digits as `-`. The name does not decide alone: `/p/web-two` and `/p/web/two` are called the same.
//!
//! ```text
//! projects/<directory>/<session>.jsonl                 a session
//! projects/<directory>/agent-<id>.jsonl                a subagent's, of older versions
//! projects/<directory>/<session>/subagents/…           the subagents' of a session
//! projects/<directory>/<anything else>/…               answers of tools, notes of the agent: nobody's
//! ```

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Longer names are cut here, with a hash behind.
const MAX_NAME_BYTES: usize = 200;

/// Whether a folder of this name may hold sessions in the directory or below it.
pub(super) fn may_hold(folder_name: &str, directory: &Path) -> bool {
    let wanted = encoded(directory);
    match wanted.get(..MAX_NAME_BYTES) {
        Some(cut) => folder_name.starts_with(cut),
        None => {
            folder_name.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
    }
}

const PROJECTS: &str = "projects";
pub(super) const SUBAGENTS: &str = "subagents";
/// Where answers lie that are too long for a record.
pub(super) const TOOL_RESULTS: &str = "tool-results";
/// What the name of a subagent's file begins with.
const AGENT_FILE: &[u8] = b"agent-";
/// Folders that tools and agents write into.
const WRITTEN_BY_AGENTS: [&str; 2] = [TOOL_RESULTS, "memory"];

/// Whether a file is a session or a subagent's, by its place below a folder that is searched.
pub(super) fn is_session(searched: &Path, file: &Path) -> bool {
    let of_all_projects = projects_around(searched).or_else(|| projects_within(searched, file));
    let base = of_all_projects.as_deref().unwrap_or(searched);
    let Ok(below) = file.strip_prefix(base) else { return false };
    let names: Vec<&OsStr> = below.iter().collect();
    match names.as_slice() {
        [_, _] if of_all_projects.is_some() => true,
        [_, _, third, _, ..] if of_all_projects.is_some() => *third == SUBAGENTS,
        _ if of_all_projects.is_some() => false,
        // Somebody's own folder: sessions, or folders of them, or those of one session.
        [_] => true,
        [folder, _] => *folder == SUBAGENTS || !(is_written_by_agents(folder) || is_of_a_session(file)),
        [folders @ .., _] => {
            !folders.iter().any(|folder| is_written_by_agents(folder))
                && folders.iter().take(3).any(|folder| *folder == SUBAGENTS)
        }
        [] => false,
    }
}

/// Whether a file lies in the folder of a session, or where tools and the agent write: there only the subagents' files are sessions.
pub(super) fn is_others(file: &Path) -> bool {
    let is_agents = file.ancestors().skip(1).any(|folder| {
        let name = folder.file_name().unwrap_or_default();
        name == TOOL_RESULTS || is_session_id(name) || has_session_beside(folder)
    });
    let is_noted = || file.parent().and_then(Path::file_name).is_some_and(is_written_by_agents);
    let is_elsewhere = || projects_with(file).is_some_and(|projects| !is_session(projects, file));
    !is_subagents(file) && (is_agents || is_noted() || is_elsewhere())
}

/// Whether a folder is called like a session, by its id.
fn is_session_id(name: &OsStr) -> bool {
    let parts: Vec<&[u8]> = name.as_encoded_bytes().split(|byte| *byte == b'-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.concat().iter().all(u8::is_ascii_hexdigit)
}

/// Subagents' files lie in folders of their own; those of older versions are told by their name.
pub(super) fn is_subagents(file: &Path) -> bool {
    let folders = file.parent().map(Path::iter).into_iter().flatten();
    file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(AGENT_FILE))
        || folders.into_iter().any(|folder| folder == SUBAGENTS)
}

/// The agent's folder `projects` in which a file lies, as far as its place tells: people have folders of that name, too.
fn projects_with(file: &Path) -> Option<&Path> {
    let is_agents = |folder: &&Path| folder.parent().and_then(Path::file_name).is_some_and(is_config_dir);
    let holds_projects = |folder: &&Path| {
        let first = file.strip_prefix(folder).ok().and_then(|below| below.iter().next());
        first.is_some_and(|name| name.as_encoded_bytes().starts_with(b"-"))
    };
    let named =
        file.ancestors().skip(1).filter(|folder| folder.file_name().is_some_and(|name| name == PROJECTS));
    named.into_iter().find(|folder| is_agents(folder) || holds_projects(folder))
}

/// The folder `projects` that a searched folder is, or lies in.
fn projects_around(searched: &Path) -> Option<PathBuf> {
    let is_projects = |folder: &&Path| folder.file_name().is_some_and(|name| name == PROJECTS);
    let is_agents = |folder: &&Path| folder.parent().and_then(Path::file_name).is_some_and(is_config_dir);
    let own = searched.ancestors().filter(is_projects).filter(is_agents).last();
    let is_a_projects =
        |folder: &&Path| folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"-"));
    let parent = || Some(searched).filter(is_a_projects).and_then(Path::parent);
    own.or_else(|| [Some(searched), parent()].into_iter().flatten().find(is_projects)).map(Path::to_owned)
}

/// The folder `projects` of the agent's own folder, when that is searched, or the folder that it lies in.
fn projects_within(searched: &Path, file: &Path) -> Option<PathBuf> {
    let mut below = file.strip_prefix(searched).ok()?.iter();
    let is_agents = searched.file_name().is_some_and(is_config_dir);
    let agents = if is_agents {
        searched.to_owned()
    } else {
        searched.join(below.next().filter(|name| is_config_dir(name))?)
    };
    (below.next()? == PROJECTS).then(|| agents.join(PROJECTS))
}

fn is_config_dir(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".claude")
}

fn is_written_by_agents(folder: &OsStr) -> bool {
    WRITTEN_BY_AGENTS.iter().any(|name| folder == *name)
}

/// Whether the folder of a file belongs to the session beside it.
fn is_of_a_session(file: &Path) -> bool {
    file.parent().is_some_and(has_session_beside)
}

fn has_session_beside(folder: &Path) -> bool {
    let beside = |ending: &str| {
        let mut name = folder.as_os_str().to_owned();
        name.push(ending);
        Path::new(&name).is_file()
    };
    beside(".jsonl") || beside(".jsonl.zst")
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
mod tests {
    use super::*;

    #[test]
    fn a_session_lies_in_the_folder_of_its_project_and_nowhere_else() {
        let sessions = [
            "-p/s.jsonl",
            "-p/agent-a1.jsonl",
            "-p/s/subagents/agent-a.jsonl",
            "-p/s/subagents/workflows/w/x.jsonl",
        ];
        let others = [
            "s.jsonl",
            "-p/s/x.jsonl",
            "-p/s/tool-results/mcp-x.jsonl",
            "-p/memory/notes.jsonl",
            "-p/memory/projects/x/s.jsonl",
            "-p/memory/.claude/projects/x/s.jsonl",
            "-p/s/remote-agents/x.jsonl",
            "-p/node_modules/fixtures/x.jsonl",
            "-p/subagents/x.jsonl",
        ];
        for projects in ["/h/.claude/projects", "/h/cfg/projects", "/h/projects/app/.claude-2/projects"] {
            let projects = Path::new(projects);
            for (below, expected) in
                sessions.map(|name| (name, true)).into_iter().chain(others.map(|name| (name, false)))
            {
                let file = projects.join(below);
                let searched = [
                    projects.to_owned(),
                    projects.join("-p"),
                    projects.join("-p/s"),
                    projects.join("-p/memory"),
                ];
                let searched = searched.iter().filter(|folder| file.starts_with(folder));
                // Of a folder within a project nobody knows it unless the agent's own folder is called as usual.
                let searched =
                    searched.take(if projects.to_string_lossy().contains(".claude") { 4 } else { 2 });
                for searched in searched {
                    assert_eq!(
                        is_session(searched, &file),
                        expected,
                        "{} in {}",
                        file.display(),
                        searched.display()
                    );
                }
            }
        }
        let home = Path::new("/h");
        assert!(is_session(home, Path::new("/h/.claude/projects/-p/s.jsonl")));
        assert!(
            !is_session(home, Path::new("/h/src/repo/.claude/projects/-p/s.jsonl")),
            "a file of some repository"
        );
        let own = Path::new("/h/projects/backup");
        assert!(is_session(own, &own.join("s.jsonl")) && is_session(own, &own.join("-p/s.jsonl")));
        assert!(!is_session(own, &own.join("-p/s/x.jsonl")) && !is_session(own, &own.join("memory/x.jsonl")));
    }

    #[test]
    fn a_file_that_is_named_is_no_session_where_tools_and_the_agent_write() {
        let id = "5a111111-1111-4111-8111-111111111111";
        for below in
            ["tool-results/x.jsonl", "memory/x.jsonl", "history.jsonl", "journal.jsonl", "sub/agent_a1.jsonl"]
        {
            assert!(is_others(&Path::new("/p").join(id).join(below)), "{below}");
        }
        for file in ["/p/tool-results/x.jsonl", "/p/memory/x.jsonl", "/h/.claude/projects/-p/s/x.jsonl"] {
            assert!(is_others(Path::new(file)), "{file}");
        }
        for file in [
            "/p/s.jsonl",
            "/memory/backup/s.jsonl",
            "/h/.claude/projects/-p/s.jsonl",
            "/p/a-b-c-d-e/s.jsonl",
            "/h/projects/app/logs/s.jsonl",
        ] {
            assert!(!is_others(Path::new(file)), "{file}");
        }
        assert!(!is_others(&Path::new("/p").join(id).join("subagents/agent-a1.jsonl")), "it is a subagent's");
    }

    #[test]
    fn whatever_lies_below_a_folder_of_subagents_is_theirs() {
        for name in ["/p/s/subagents/a.jsonl", "/p/s/subagents/workflows/wf/a.jsonl", "/p/agent-a1b2.jsonl"] {
            assert!(is_subagents(Path::new(name)), "{name}");
        }
        assert!(!is_subagents(Path::new("/p/s.jsonl")) && !is_subagents(Path::new("/p/agents.jsonl")));
    }

    #[test]
    fn the_name_of_a_folder_is_made_as_the_agent_makes_it() {
        assert_eq!(encoded(Path::new("/home/dev/my_app.v2")), "-home-dev-my-app-v2");
        assert_eq!(encoded(Path::new("/ä/🦀x")), "-----x");
        let web = Path::new("/p/web");
        assert!(may_hold("-p-web", web) && may_hold("-p-web-api", web) && !may_hold("-p-website", web));
        let long = "x".repeat(300);
        let cut = format!("{}-1a2b", &long[..200]);
        assert!(may_hold(&cut, Path::new(&long)) && !may_hold(&long[..150], Path::new(&long)));
    }
}
