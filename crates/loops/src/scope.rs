//! Which files a loop may touch: globs that are bounded and stay inside the repository.

use std::path::{Component, Path, PathBuf};

use globset::Glob;
use subcortex_store::Disk;

/// What a glob is made of when it names nothing in particular: `*`, `**`, `.`, `./`, `/`, `**/*`, `{*,**}`.
const UNBOUNDED: [char; 7] = ['*', '?', '.', '/', '{', '}', ','];
/// Where the part of a glob ends that is a plain path.
const WILD: [char; 4] = ['*', '?', '[', '{'];

/// Why a glob cannot be a scope; `None` when it can. Worded as the end of a sentence about it.
pub(crate) fn problem_with(glob: &str, root: &Path, disk: &dyn Disk) -> Option<&'static str> {
    // Also as one of several ways, as in `{..,src}/x`.
    let leaves = glob.split(['/', '{', '}', ',']).any(|part| part == "..");
    if glob.chars().all(|letter| UNBOUNDED.contains(&letter)) && !leaves {
        return Some("it names everything, which bounds nothing");
    }
    if leaves || glob.starts_with(['/', '~']) || leads_out(glob, root, disk) {
        return Some("it leads out of the repository");
    }
    if Glob::new(glob).is_err() {
        return Some("it is not a glob");
    }
    None
}

/// Whether the plain beginning of a glob is, or passes through, a link to somewhere else.
fn leads_out(glob: &str, root: &Path, disk: &dyn Disk) -> bool {
    let is_plain = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(WILD);
    let plain: PathBuf = Path::new(glob).components().take_while(is_plain).collect();
    let Ok(root) = disk.behind_links(root) else { return false };
    // What does not exist yet leads wherever the folders above it lead.
    let existing = plain.ancestors().find_map(|part| disk.behind_links(&root.join(part)).ok());
    existing.is_some_and(|real| !real.starts_with(&root))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // tests make the files that are looked at
mod tests {
    use subcortex_store::RealDisk;

    use super::problem_with;

    #[test]
    fn a_scope_is_bounded_and_inside() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("src")).unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join("settings")).unwrap();
        let problem = |glob| problem_with(glob, root.path(), &RealDisk);
        for glob in ["src/**", "**/*.rs", "README.md", "not/there/yet/*", "docs/[a-c]*", ".github/**"] {
            assert_eq!(problem(glob), None, "{glob}");
        }
        for glob in ["*", "**", ".", "./", "/", "**/*", "./**", "{*,**}"] {
            assert_eq!(problem(glob), Some("it names everything, which bounds nothing"), "{glob}");
        }
        for glob in
            ["../x/**", "src/../../x", "..", "/etc/*", "~/x", "settings/*", "settings/new/**", "{..,src}/x"]
        {
            assert_eq!(problem(glob), Some("it leads out of the repository"), "{glob}");
        }
        assert_eq!(problem("src/[a"), Some("it is not a glob"));
    }
}
