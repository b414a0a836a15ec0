//! `read_file` and `write_file`.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use subcortex_store::{Disk, OpenMode, durable};

use super::{Args, Tools, kind_of, string};
use crate::Identity;
use crate::place::{self, Place, Purpose};
use crate::walk::walk;

/// How much of a file one call reads, in bytes.
const MAX_READ_BYTES: usize = 12 * 1024;
/// The longest file that is written, in bytes.
const MAX_WRITTEN_BYTES: usize = 1024 * 1024;

pub(super) async fn read(tools: &Tools, identity: &Identity, args: &Args) -> Result<String, String> {
    let place = place::find(identity, string(args, "path")?, Purpose::Read).map_err(text)?;
    let offset = match args.get("offset") {
        None | Some(Value::Null) => 0,
        Some(value) => value
            .as_u64()
            .ok_or_else(|| format!("`offset` must be a whole number from 0 on, and is {}", kind_of(value)))?,
    };
    let disk = Arc::clone(&tools.disk);
    on_a_thread(move || read_part(disk.as_ref(), &place, offset)).await
}

pub(super) async fn write(tools: &Tools, identity: &Identity, mut args: Args) -> Result<String, String> {
    let place = place::find(identity, string(&args, "path")?, Purpose::Write).map_err(text)?;
    let len_bytes = string(&args, "content")?.len();
    if len_bytes > MAX_WRITTEN_BYTES {
        return Err(format!(
            "the content has {len_bytes} bytes, and at most {MAX_WRITTEN_BYTES} are written: use several files"
        ));
    }
    let Some(Value::String(content)) = args.remove("content") else {
        return Err("`content` is missing".into());
    };
    let disk = Arc::clone(&tools.disk);
    on_a_thread(move || write_whole(disk.as_ref(), &place, &content)).await
}

/// A disk may take its time, and the daemon has other things to do meanwhile.
pub(super) async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(format!("the tool itself failed: {error}")))
}

/// Opening neither follows a link nor waits for a FIFO: see [`Disk::open`].
fn read_part(disk: &dyn Disk, place: &Place, offset: u64) -> Result<String, String> {
    let found = walk(disk, place, Purpose::Read).map_err(text)?;
    let explain = |error| found.explain(error);
    let file = disk.open(&found.path, OpenMode::Read).map_err(explain)?;
    let len = file.len().map_err(explain)?;
    let mut bytes = vec![0; MAX_READ_BYTES];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], offset.saturating_add(filled as u64)).map_err(explain)? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    let end = offset.saturating_add(filled as u64);
    let mut content = String::from_utf8_lossy(&bytes).into_owned();
    if offset > 0 || end < len {
        content.push_str(&format!("\n[bytes {offset} to {end} of {len}]"));
    }
    Ok(content)
}

fn write_whole(disk: &dyn Disk, place: &Place, content: &str) -> Result<String, String> {
    make_root(disk, &place.root)?;
    let found = walk(disk, place, Purpose::Write).map_err(text)?;
    durable::replace(disk, &found.path, content.as_bytes()).map_err(|error| found.explain(error))?;
    Ok(format!("wrote {} bytes to {}", content.len(), place.relative.display()))
}

/// The root is made with the first file, so that a partition that writes nothing has no empty folder.
pub(super) fn make_root(disk: &dyn Disk, root: &Path) -> Result<(), String> {
    let missing = matches!(disk.stat(root), Err(error) if error.kind() == std::io::ErrorKind::NotFound);
    match (root.parent(), root.file_name()) {
        (Some(parent), Some(name)) if missing => {
            durable::make_dirs(disk, parent, Path::new(name)).map_err(text)
        }
        _ => Ok(()),
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}
