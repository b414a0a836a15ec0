//! The home as a whole: is it there, is it ours, is there room, who serves it.

use std::io;
use std::os::unix::fs::MetadataExt;

use subcortex_guard::escape_for_display;
use subcortex_store::{Disk, HomeLock};

use super::Finding;
use crate::kill_switch;
use crate::layout::Home;

/// Below this much free space the daemon will soon be unable to write, in bytes.
const LOW_SPACE_BYTES: u64 = 100 * 1024 * 1024;
/// Magic numbers of file systems on which `flock` and atomic renames are not what they are on a local disk.
const NETWORK_FILE_SYSTEMS: [(u64, &str); 4] =
    [(0x6969, "NFS"), (0xff53_4d42, "CIFS"), (0xfe53_4d42, "SMB2"), (0x0102_1997, "9p")];

pub(super) fn home_folder(home: &Home) -> Vec<Finding> {
    const ABOUT: &str = "home";
    let shown = home.root().display();
    let me = rustix::process::geteuid().as_raw();
    vec![match std::fs::metadata(home.root()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Finding::problem(
            ABOUT,
            format!("{shown} does not exist"),
            "make it with `subcortex init`, or point to another with --home DIR or $SUBCORTEX_HOME",
        ),
        Err(error) => Finding::problem(
            ABOUT,
            format!("{shown} cannot be looked at: {error}"),
            "check the permissions of the folders above it",
        ),
        Ok(found) if !found.is_dir() => Finding::problem(
            ABOUT,
            format!("{shown} is not a folder"),
            "move it away, or point to another place with --home DIR",
        ),
        Ok(found) if found.uid() != me => Finding::problem(
            ABOUT,
            format!("{shown} belongs to user {}, and you are user {me}", found.uid()),
            "run subcortex as its owner, or use a home of your own",
        ),
        Ok(_) => Finding::ok(ABOUT, format!("{shown}")),
    }]
}

pub(super) fn file_system(home: &Home) -> Vec<Finding> {
    const ABOUT: &str = "disk";
    let mut findings = Vec::new();
    match rustix::fs::statvfs(home.root()) {
        Ok(room) => {
            let free = room.f_bavail * room.f_frsize;
            let mib = free / (1024 * 1024);
            findings.push(if room.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY) {
                Finding::problem(
                    ABOUT,
                    "the home lies on a file system that is mounted read-only",
                    "remount it for writing, or move the home",
                )
            } else if free < LOW_SPACE_BYTES {
                Finding::problem(
                    ABOUT,
                    format!("only {mib} MiB are free where the home lies"),
                    "free some space; until then nothing new is remembered",
                )
            } else {
                Finding::ok(ABOUT, format!("{mib} MiB free"))
            });
        }
        Err(error) => findings.push(Finding::warning(
            ABOUT,
            format!("the free space cannot be found out: {error}"),
            "look with `df`",
        )),
    }
    if let Some(name) = network_file_system(home) {
        findings.push(Finding::warning(
            ABOUT,
            format!("the home lies on a network file system ({name})"),
            "move it to a local disk: locks and renames are not safe there",
        ));
    }
    findings
}

fn network_file_system(home: &Home) -> Option<&'static str> {
    let found = rustix::fs::statfs(home.root()).ok()?;
    // The type is signed on some targets; only its 32 bits count.
    let magic = u64::from(u32::try_from(found.f_type & 0xffff_ffff).ok()?);
    NETWORK_FILE_SYSTEMS.iter().find(|(number, _)| *number == magic).map(|(_, name)| *name)
}

pub(super) fn daemon(disk: &dyn Disk, home: &Home) -> Vec<Finding> {
    const ABOUT: &str = "daemon";
    vec![match HomeLock::peek(disk, &home.lock()) {
        Ok(Some(holder)) => Finding::ok(ABOUT, format!("running: {holder}")),
        Ok(None) => Finding::warning(
            ABOUT,
            "not running: nothing is learned until it does",
            "start it with `subcortex run`",
        ),
        Err(error) => Finding::problem(
            ABOUT,
            format!("its lock cannot be looked at: {error}"),
            format!("check {}", home.lock().display()),
        ),
    }]
}

pub(super) fn kill_switch(disk: &dyn Disk, home: &Home) -> Vec<Finding> {
    let Some(why) = kill_switch::reason(disk, &home.kill_switch()) else { return Vec::new() };
    let because =
        if why.is_empty() { String::new() } else { format!(" (“{}”)", escape_for_display(&why)) };
    vec![Finding::warning(
        "kill switch",
        format!("the file PAUSED is there, so nothing runs{because}"),
        "`subcortex resume` removes it and lets work go on",
    )]
}
