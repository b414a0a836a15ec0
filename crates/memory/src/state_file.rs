//! Files that belong to this home alone (those below `state/`, and the edit that is being made), and are made anew when they are lost. One
//! that cannot be understood is set aside as `<name>.kept-1`, where people see it, and work goes on without it.

use std::path::Path;

use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};

use crate::{MemoryFolder, Trouble};

/// What stands in the name of a file that was set aside.
const KEPT: &str = ".kept-";
/// The largest file that is looked into again to say what is wrong with it, in bytes.
const MAX_KEPT_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a file and understands it. `None` when there is none, or none that can be used.
pub fn read<T>(
    disk: &dyn Disk,
    path: &Path,
    max_bytes: u64,
    understand: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Trouble> {
    match durable::read_text(disk, path, max_bytes) {
        Ok(text) => {
            if let Some(understood) = understand(&text) {
                return Ok(Some(understood));
            }
        }
        Err(ReadError::Missing { .. }) => return Ok(None),
        Err(error @ ReadError::Io { .. }) => return Err(error.into()),
        Err(_) => {}
    }
    match durable::set_aside(disk, path) {
        Ok(_) => Ok(None),
        Err(error) => Err(Trouble::Content {
            path: path.to_owned(),
            why: format!("it is not what is kept there, and it cannot be set aside ({error})"),
        }),
    }
}

/// What was set aside and is still there, as references, with what is wrong with it.
pub fn set_aside(disk: &dyn Disk, folder: &MemoryFolder) -> Vec<(String, String)> {
    // In the root a person's own saves may be kept, which is nothing to put right.
    let places = [(folder.root().join("state"), ""), (folder.root().to_owned(), "journal.")];
    let mut found = Vec::new();
    for (dir, begins) in places {
        let names = disk.list(&dir).unwrap_or_default(); // a folder that is not there holds none
        let names = names.iter().filter_map(|name| name.to_str());
        for name in names.filter(|name| name.starts_with(begins) && name.contains(KEPT)) {
            let path = dir.join(name);
            found.push((folder.reference(&path), why(disk, &path)));
        }
    }
    found
}

fn why(disk: &dyn Disk, path: &Path) -> String {
    match durable::read_text(disk, path, MAX_KEPT_BYTES) {
        Err(error) => error.to_string(),
        Ok(text) => match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
            Err(error) => format!("it is no JSON: {error}"),
            Ok(_) => "its fields are not those that are kept there".to_owned(),
        },
    }
}
