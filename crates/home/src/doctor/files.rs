//! Folders, permissions and the settings.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use subcortex_config::Config;
use subcortex_store::{Disk, EntryKind, durable};
use walkdir::WalkDir;

use super::Finding;
use crate::layout::Home;
use crate::trust;

/// How many entries are looked at for their permissions, so that a large home does not take long.
const MAX_ENTRIES_LOOKED_AT: usize = 20_000;
/// How many are named in a message.
const MAX_NAMED: usize = 3;

pub(super) fn folders(disk: &dyn Disk, home: &Home) -> Vec<Finding> {
    const ABOUT: &str = "folders";
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for folder in Home::FOLDERS {
        let path = home.root().join(folder);
        match disk.stat(&path).map(|stat| stat.kind) {
            Ok(EntryKind::Directory) => {}
            // People do link their memory folder to a place that they back up.
            Ok(EntryKind::Symlink) if path.is_dir() => {}
            Ok(EntryKind::File | EntryKind::Symlink | EntryKind::Other) => findings.push(Finding::problem(
                ABOUT,
                format!("{folder} is not a folder"),
                format!("move {} away, then run `subcortex init`", path.display()),
            )),
            Err(_) => missing.push(folder),
        }
    }
    if !missing.is_empty() {
        findings.push(Finding::problem(
            ABOUT,
            format!("missing: {}", missing.join(", ")),
            "`subcortex init` makes them and touches nothing else",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(ABOUT, "all there"));
    }
    findings
}

pub(super) fn permissions(home: &Home) -> Vec<Finding> {
    const ABOUT: &str = "permissions";
    let me = rustix::process::geteuid().as_raw();
    let (mut open, mut foreign, mut writable) = (Vec::new(), Vec::new(), Vec::new());
    let private = ["var", "memory", "subconscious", "config"].map(|folder| home.root().join(folder));
    let entries = private.iter().flat_map(|folder| WalkDir::new(folder).follow_links(false));
    let home_itself = WalkDir::new(home.root()).max_depth(0).into_iter();
    for entry in home_itself.chain(entries).filter_map(Result::ok).take(MAX_ENTRIES_LOOKED_AT) {
        let Ok(found) = entry.metadata() else { continue };
        let below = entry.path().strip_prefix(home.root()).unwrap_or(entry.path());
        let name = || if below == Path::new("") { ".".to_owned() } else { below.display().to_string() };
        if !found.is_symlink()
            && !trust::is_data(below)
            && matches!(trust::how(&found), Some(trust::How::OthersMayWrite | trust::How::GroupMayWrite))
        {
            writable.push(name());
        }
        if std::os::unix::fs::MetadataExt::uid(&found) != me {
            foreign.push(name());
        } else if entry.path().starts_with(home.var())
            && found.permissions().mode() & 0o077 != 0
            && !found.is_symlink()
        {
            open.push(name());
        }
    }
    let mut findings = Vec::new();
    if !foreign.is_empty() {
        findings.push(Finding::problem(
            ABOUT,
            format!("{} of another user: {}", count(foreign.len()), named(&foreign)),
            format!("give them to yourself with `chown -R $(id -u) {}`", home.root().display()),
        ));
    }
    if !writable.is_empty() {
        findings.push(Finding::problem(
            ABOUT,
            format!("{} writable by others: {}", count(writable.len()), named(&writable)),
            format!(
                "others could decide what runs as you: look at them, then `chmod -R go-w {}`",
                home.root().display()
            ),
        ));
    }
    if !open.is_empty() {
        findings.push(Finding::warning(
            ABOUT,
            format!("{} readable by others: {}", count(open.len()), named(&open)),
            format!("close them with `chmod -R go= {}`", home.var().display()),
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(ABOUT, "private"));
    }
    findings
}

fn count(n: usize) -> String {
    if n == 1 { "one entry".into() } else { format!("{n} entries") }
}

fn named(names: &[String]) -> String {
    let mut text = names.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MAX_NAMED {
        text.push_str(", …");
    }
    text
}

pub(super) fn config(disk: &dyn Disk, home: &Home) -> Vec<Finding> {
    const ABOUT: &str = "settings";
    let path = home.config_file();
    vec![match durable::read_text(disk, &path, Config::MAX_BYTES) {
        Err(durable::ReadError::Missing { .. }) => Finding::warning(
            ABOUT,
            "there is no settings file; defaults are used",
            "`subcortex init` makes one",
        ),
        Err(error) => {
            Finding::problem(ABOUT, error.to_string(), "the daemon does not start until this is mended")
        }
        Ok(text) => match Config::parse(&text) {
            Ok(_) => Finding::ok(ABOUT, format!("{} is fine", subcortex_config::FILE)),
            Err(problem) => Finding::problem(
                ABOUT,
                problem.at(subcortex_config::FILE),
                "the daemon does not start until this is mended",
            ),
        },
    }]
}
