//! Tells the daemon that something below the home changed, as soon as it does.
//!
//! A notification only says where to look; what is there decides. Notifications that are lost or that
//! overflow cost nothing but time: everything is looked at again with each tick.

use std::ffi::OsStr;
use std::path::{Component, Path};

use notify::event::RemoveKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use subcortex_cadence::PartitionId;
use subcortex_home::Home;
use subcortex_inbox::is_ignored;
use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

/// Where to look.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Look {
    /// At one inbox.
    Inbox(PartitionId),
    /// At the files that partitions want to hear of.
    Files,
    /// At the partitions' definitions.
    Partitions,
    /// At the kill switches.
    KillSwitches,
    /// At everything.
    Everything,
}

/// Watches until it is dropped. Without it (no more watches to be had) the ticks are what is left.
#[derive(Debug)]
pub(crate) struct Watch {
    _watcher: Option<RecommendedWatcher>,
}

impl Watch {
    pub(crate) fn start(home: &Home, send: UnboundedSender<Look>) -> Self {
        let root = home.root().to_owned();
        let subconscious = home.subconscious();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let looks = match event {
                Ok(event) if event.need_rescan() => vec![Look::Everything],
                // Reading is nobody's business, and what goes away is mostly an ack of our own.
                Ok(event)
                    if matches!(event.kind, EventKind::Access(_) | EventKind::Remove(RemoveKind::File)) =>
                {
                    removed_switches(&root, &event)
                }
                Ok(event) => event.paths.iter().filter_map(|path| where_to_look(&root, path)).collect(),
                Err(_) => vec![Look::Everything],
            };
            for look in looks {
                // The receiver is gone when the daemon ends.
                drop(send.send(look));
            }
        });
        let watching = watcher.and_then(|mut watcher| {
            watcher.watch(home.root(), RecursiveMode::NonRecursive)?;
            watcher.watch(&subconscious, RecursiveMode::Recursive)?;
            Ok(watcher)
        });
        match watching {
            Ok(watcher) => Self { _watcher: Some(watcher) },
            Err(error) => {
                warn!(%error, "file watching is off; tasks are found with the next tick");
                Self { _watcher: None }
            }
        }
    }
}

/// A kill switch or a definition that was removed is news.
fn removed_switches(root: &Path, event: &Event) -> Vec<Look> {
    if !matches!(event.kind, EventKind::Remove(_)) {
        return Vec::new();
    }
    let looks = event.paths.iter().filter_map(|path| where_to_look(root, path));
    looks.filter(|look| !matches!(look, Look::Inbox(_))).collect()
}

/// What a changed path means. Most paths mean nothing: a run writes its scratchpad all the time.
fn where_to_look(root: &Path, path: &Path) -> Option<Look> {
    let below = path.strip_prefix(root).ok()?;
    let names: Vec<&str> = below
        .components()
        .map(|part| if let Component::Normal(name) = part { name.to_str() } else { None })
        .collect::<Option<_>>()?;
    match names.as_slice() {
        ["PAUSED"] | ["subconscious", _, "PAUSED"] => Some(Look::KillSwitches),
        // Not the playlist, which the daemon writes itself, and no temporary file.
        ["subconscious", name] | ["subconscious", name, "CLAUDE.md"] => {
            PartitionId::new(*name).is_ok().then_some(Look::Partitions)
        }
        // Whoever hands these on wakes when files there change.
        ["subconscious", "inbox", name] => (!is_ignored(OsStr::new(name))).then_some(Look::Files),
        ["subconscious", partition, "inbox"] | ["subconscious", partition, "inbox", _] => {
            let ignored = names.last().is_some_and(|name| is_ignored(OsStr::new(name)));
            (!ignored).then(|| PartitionId::new(*partition).ok().map(Look::Inbox)).flatten()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expect: Option<Look>) {
        assert_eq!(where_to_look(Path::new("/h"), &Path::new("/h").join(path)), expect, "{path}");
    }

    #[test]
    fn only_paths_that_mean_something_are_looked_at() {
        let inbox = |name: &str| Some(Look::Inbox(PartitionId::new(name).unwrap()));
        check("PAUSED", Some(Look::KillSwitches));
        check("subconscious/a/PAUSED", Some(Look::KillSwitches));
        check("subconscious/a/CLAUDE.md", Some(Look::Partitions));
        check("subconscious/a", Some(Look::Partitions));
        check("subconscious/a/inbox/task.md", inbox("a"));
        check("subconscious/a/inbox", inbox("a"));
        check("subconscious/inbox/task.md", Some(Look::Files));
        check("subconscious/inbox/.x.tmp", None);
        for path in [
            "subconscious/a/inbox/.x.tmp",
            "subconscious/a/inbox/x.tmp",
            "subconscious/playlist.md",
            "subconscious/.playlist.md.1.2.tmp",
            "subconscious/a/scratchpad/active.yaml",
            "config",
            "memory/CLAUDE.md",
        ] {
            check(path, None);
        }
    }
}
