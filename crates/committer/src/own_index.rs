//! Commits by way of an index of our own: they hold exactly what was judged or merged, whatever is saved meanwhile, and what a
//! person has staged is not touched.

use std::path::PathBuf;

use subcortex_store::durable;

use crate::CommitError;
use crate::commit::Job;
use crate::git::GitError;

/// Its name, in git's folder.
const NAME: &str = "subcortex-index";
/// What git calls nothing.
pub(crate) const NOTHING: &str = "0000000000000000000000000000000000000000";

/// An index that begins as a commit, and is gone after one commit.
pub(crate) struct OwnIndex<'a> {
    job: &'a Job<'a>,
    path: PathBuf,
}

impl<'a> OwnIndex<'a> {
    /// One that holds what a commit holds; nothing before the first one.
    pub(crate) fn of(job: &'a Job<'a>, commit: Option<&str>) -> Result<Self, CommitError> {
        let path = job.git.dir().join(NAME);
        for left in [path.clone(), job.git.dir().join(format!("{NAME}.lock"))] {
            durable::remove(job.disk, &left)?; // what a killed run left
        }
        let index = Self { job, path };
        index.tell(&["read-tree", commit.unwrap_or("--empty")], Vec::new())?;
        Ok(index)
    }

    /// Takes files as they lie in the folder, or are gone from it.
    pub(crate) fn add(&self, files: &[String]) -> Result<(), GitError> {
        let listed = files.iter().flat_map(|path| path.bytes().chain([0])).collect();
        let from_stdin = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        let add = ["--literal-pathspecs", "add", "--force", "--all"];
        self.tell(&[&add[..], &from_stdin].concat(), listed).map(drop)
    }

    /// Takes files as they are given: by what git calls the content, or not at all.
    pub(crate) fn put(&self, files: &[(String, Option<String>)]) -> Result<(), GitError> {
        let entry = |(path, blob): &(String, Option<String>)| match blob {
            Some(id) => format!("100644 {id}\t{path}\0").into_bytes(),
            None => format!("0 {NOTHING}\t{path}\0").into_bytes(),
        };
        self.tell(&["update-index", "-z", "--index-info"], files.iter().flat_map(entry).collect()).map(drop)
    }

    /// Makes a commit of it, which no branch holds yet.
    pub(crate) fn commit(self, parents: &[&str], message: &str) -> Result<String, CommitError> {
        let tree = line(&self.tell(&["write-tree"], Vec::new())?);
        let parents = parents.iter().flat_map(|parent| ["-p", parent]);
        let args: Vec<&str> = ["commit-tree", &tree].into_iter().chain(parents).chain(["-F", "-"]).collect();
        let id = line(&self.job.git.tell(&args, message.as_bytes().to_vec())?);
        durable::remove(self.job.disk, &self.path)?;
        Ok(id)
    }

    fn tell(&self, args: &[&str], stdin: Vec<u8>) -> Result<Vec<u8>, GitError> {
        self.job.git.with_index(&self.path, args, stdin)
    }
}

/// Keeps a content in git, and says what git calls it.
pub(crate) fn keep(job: &Job<'_>, content: &[u8]) -> Result<String, GitError> {
    Ok(line(&job.git.tell(&["hash-object", "-w", "--stdin"], content.to_vec())?))
}

/// Makes a commit of ours the newest one. What it changes goes into the repository's index first: who dies in between leaves it
/// staged, and the next wake commits it. The other way round it would look as if a person had staged the opposite.
pub(crate) fn move_to(job: &Job<'_>, from: Option<&str>, to: &str) -> Result<(), GitError> {
    let git = &job.git;
    let before = match from {
        Some(commit) => commit.to_owned(),
        None => line(&git.tell(&["hash-object", "-t", "tree", "--stdin"], Vec::new())?),
    };
    let said = git.ask(&["diff-tree", "-r", "-z", "--raw", "--no-renames", &before, to])?;
    git.tell(&["update-index", "-z", "--index-info"], changes_in(&said))?;
    git.ask(&["update-ref", "-m", "memory: committed", "HEAD", to, from.unwrap_or(NOTHING)])?;
    Ok(())
}

/// What `diff-tree -z --raw` says (`:<mode> <mode> <id> <id> <letter>`, the path), as `update-index` wants to be told.
fn changes_in(said: &[u8]) -> Vec<u8> {
    let mut parts = said.split(|byte| *byte == 0);
    let mut told = Vec::new();
    while let (Some(facts), Some(path)) = (parts.next(), parts.next()) {
        let facts = String::from_utf8_lossy(facts);
        let mut words = facts.split(' ').skip(1);
        let (Some(mode), Some(id)) = (words.next(), words.nth(1)) else { continue };
        told.extend(format!("{mode} {id}\t").into_bytes());
        told.extend_from_slice(path);
        told.push(0);
    }
    told
}

fn line(said: &[u8]) -> String {
    String::from_utf8_lossy(said).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_commit_changes_is_told_to_the_index_file_by_file() {
        let said = b":100644 100644 aa bb M\0CLAUDE.md\0:100644 000000 cc 00 D\0topics/a b.md\0";
        assert_eq!(changes_in(said), b"100644 bb\tCLAUDE.md\x00000000 00\ttopics/a b.md\0");
        assert!(changes_in(b"").is_empty());
    }
}
