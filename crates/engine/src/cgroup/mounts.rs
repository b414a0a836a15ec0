//! Where cgroup v2 is mounted, and where this process is in it.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// One mount of the cgroup2 file system.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// Which part of the hierarchy is mounted.
    root: PathBuf,
    /// Where.
    pub(super) point: PathBuf,
}

/// All cgroup2 mounts that this process sees.
pub(super) fn mounts() -> io::Result<Vec<Mount>> {
    Ok(parse_mountinfo(&std::fs::read("/proc/self/mountinfo")?))
}

/// The directory of this process's own cgroup.
pub(super) fn own_directory(mounts: &[Mount]) -> io::Result<Option<PathBuf>> {
    let membership = std::fs::read_to_string("/proc/self/cgroup")?;
    Ok(own_path(&membership).and_then(|path| mounts.iter().find_map(|mount| mount.locate(path))))
}

/// The path in the cgroup2 hierarchy, from a `/proc/<pid>/cgroup` file.
pub(super) fn own_path(membership: &str) -> Option<&Path> {
    membership.lines().find_map(|line| line.strip_prefix("0::")).map(Path::new)
}

impl Mount {
    fn locate(&self, path: &Path) -> Option<PathBuf> {
        // `/../..` is how a cgroup outside of this namespace looks: there is no way to reach it.
        let outside = path.components().any(|part| part == std::path::Component::ParentDir);
        let below = path.strip_prefix(&self.root).ok().filter(|_| !outside)?;
        Some(self.point.components().chain(below.components()).collect())
    }
}

fn parse_mountinfo(text: &[u8]) -> Vec<Mount> {
    text.split(|byte| *byte == b'\n').filter_map(parse_mount).collect()
}

/// One line: `id parent major:minor root point options [tag…] - type source options`.
fn parse_mount(line: &[u8]) -> Option<Mount> {
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let separator = fields.iter().position(|field| field == b"-")?;
    (*fields.get(separator + 1)? == b"cgroup2").then_some(())?;
    Some(Mount { root: unescape(fields.get(3)?), point: unescape(fields.get(4)?) })
}

/// Undoes the octal escapes (`\040` for a blank) of `/proc`.
fn unescape(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let octal =
            after.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => (bytes.push(byte), rest = &after[3..]).1,
            None => (bytes.push(*first), rest = after).1,
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mountinfo: &str, membership: &str, expect: Option<&str>) {
        let mounts = parse_mountinfo(mountinfo.as_bytes());
        let found = own_path(membership).and_then(|path| mounts.iter().find_map(|mount| mount.locate(path)));
        assert_eq!(found.as_deref(), expect.map(Path::new));
    }

    const UNIFIED: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";

    #[test]
    fn the_own_directory_is_found_below_the_mount() {
        check(UNIFIED, "0::/user.slice/a.service\n", Some("/sys/fs/cgroup/user.slice/a.service"));
        check(UNIFIED, "0::/\n", Some("/sys/fs/cgroup"));
    }

    #[test]
    fn a_hybrid_hierarchy_is_found_where_it_is_mounted() {
        let hybrid = "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                      41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
        check(hybrid, "9:name=systemd:/\n4:memory:/x\n0::/deep/er\n", Some("/sys/fs/cgroup/unified/deep/er"));
    }

    #[test]
    fn a_part_of_the_hierarchy_mounted_elsewhere_is_understood() {
        let part = "41 31 0:38 /box /my\\040mount rw - cgroup2 cgroup2 rw";
        check(part, "0::/box/inner", Some("/my mount/inner"));
        check(part, "0::/elsewhere", None);
    }

    #[test]
    fn a_cgroup_outside_of_the_namespace_or_no_cgroup2_is_no_place() {
        check(UNIFIED, "0::/../other", None);
        check("39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids", "0::/", None);
        check(UNIFIED, "4:memory:/x\n", None);
    }
}
