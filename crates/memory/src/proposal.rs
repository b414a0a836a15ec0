//! `proposals/<id>.yaml`: an edit that waits for a yes.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_store::Disk;
use subcortex_store::durable;

use crate::{Change, MemoryFolder, Trouble};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 256 * 1024;

/// An edit that waits for a person's yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its name; the same proposal always has the same one.
    pub id: String,
    /// When it was first made.
    pub created: Timestamp,
    /// Why it waits instead of being carried out.
    pub waits_because: String,
    /// How much speaks for it that the person's words are meant to last, in points.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub points: i32,
    /// What these points are for, the weightiest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// What it would change.
    pub change: Change,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_nothing(points: &i32) -> bool {
    *points == 0
}

/// What the folder holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proposals {
    /// The proposals, the best founded first.
    pub waiting: Vec<Proposal>,
    /// Files that are none, as references, with the reason.
    pub broken: Vec<(String, String)>,
}

impl Proposal {
    /// Reads all proposals.
    pub fn read_all(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Proposals, Trouble> {
        let dir = folder.proposals();
        let names = match disk.list(&dir) {
            Ok(names) => names,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(Trouble::List { path: dir, source }),
        };
        let Proposals { mut waiting, mut broken } = Proposals::default();
        for name in names.iter().filter_map(|name| name.to_str()) {
            let Some(id) = name.strip_suffix(".yaml").filter(|id| !id.starts_with('.')) else { continue };
            let path = dir.join(name);
            let text = match durable::read_text(disk, &path, MAX_BYTES) {
                Ok(text) => text,
                Err(error) => {
                    broken.push((folder.reference(&path), error.to_string()));
                    continue;
                }
            };
            match subcortex_yaml::from_str::<Self>(&text) {
                Ok(proposal) if proposal.id == id => waiting.push(proposal),
                Ok(_) => broken.push((folder.reference(&path), "its `id` is not its file name".into())),
                Err(problem) => broken.push((folder.reference(&path), problem.to_string())),
            }
        }
        waiting.sort_by(|one, other| other.points.cmp(&one.points).then_with(|| one.id.cmp(&other.id)));
        Ok(Proposals { waiting, broken })
    }

    /// Writes a proposal; one that is there already stays. Says whether it is new.
    pub fn write(&self, disk: &dyn Disk, folder: &MemoryFolder) -> Result<bool, Trouble> {
        durable::make_dirs(disk, folder.root(), std::path::Path::new("proposals"))?;
        let path = self.path(folder);
        let text = subcortex_yaml::to_string(self)
            .map_err(|why| Trouble::Content { path: path.clone(), why: why.to_string() })?;
        match durable::create_new(disk, &path, text.as_bytes()) {
            Ok(()) => Ok(true),
            Err(durable::WriteError::Exists { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a proposal that was decided. One that a person has changed since it was read stays.
    pub fn remove(&self, disk: &dyn Disk, folder: &MemoryFolder) -> Result<bool, Trouble> {
        let path = self.path(folder);
        let text = match durable::read_text(disk, &path, MAX_BYTES) {
            Ok(text) => text,
            Err(durable::ReadError::Missing { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        if subcortex_yaml::from_str::<Self>(&text).ok().as_ref() != Some(self) {
            return Err(durable::WriteError::Conflict { path }.into());
        }
        Ok(durable::remove_if_unchanged(disk, &path, text.as_bytes())?)
    }

    fn path(&self, folder: &MemoryFolder) -> PathBuf {
        folder.proposals().join(format!("{}.yaml", self.id))
    }
}
