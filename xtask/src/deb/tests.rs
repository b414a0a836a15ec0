#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::os::unix::fs::PermissionsExt as _;

use super::*;
use subcortex_testkit::skip;

/// A root with a dpkg of its own.
struct Root {
    dir: tempfile::TempDir,
}

impl Root {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["updates", "info", "triggers"] {
            fs::create_dir_all(dir.path().join("var/lib/dpkg").join(folder)).unwrap();
        }
        fs::write(dir.path().join("var/lib/dpkg/status"), "").unwrap();
        Self { dir }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    /// What the package needs is the machine's, not this root's; its scripts are told where it is.
    fn dpkg(&self, args: &[&str]) {
        let root = format!("--root={}", self.dir.path().display());
        let output = Command::new("dpkg")
            .args([
                &root,
                "--force-depends",
                "--force-script-chrootless",
                "--force-not-root",
                "--log=/dev/null",
            ])
            .args(args)
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
    }

    fn installed_version(&self) -> String {
        let admin = format!("--admindir={}", self.path("var/lib/dpkg").display());
        let query =
            Command::new("dpkg-query").args([&admin, "-W", "-f=${Status} ${Version}", "subcortex"]).output();
        String::from_utf8(query.unwrap().stdout).unwrap()
    }
}

/// The program that the tests of the workspace run, if it is built and knows everything that is packaged.
fn built(test: &str) -> Option<PathBuf> {
    let binary = target_dir().unwrap().join("debug/subcortex");
    let knows = |args: &[&str]| {
        let asked = Command::new(&binary).args(args).env_clear().output();
        asked.is_ok_and(|output| output.status.success())
    };
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !has("dpkg") || !has("dpkg-deb") || !knows(&["man"]) {
        skip(test, "dpkg is missing, or target/debug/subcortex is not built");
        return None;
    }
    Some(binary)
}

#[test]
fn a_package_is_installed_upgraded_and_removed_and_no_home_is_touched() {
    let Some(binary) = built("a_package_is_installed_upgraded_and_removed_and_no_home_is_touched") else {
        return;
    };
    let (root, out) = (Root::new(), tempfile::tempdir().unwrap());
    let first = package(&binary, out.path(), "0.0.1").unwrap();
    root.dpkg(&["-i", first.to_str().unwrap()]);
    assert_eq!(root.installed_version(), "install ok installed 0.0.1");

    let program = root.path("usr/bin/subcortex");
    let home = root.path("home/me/.subcortex");
    let run = |args: &[&str]| {
        Command::new(&program).arg("--home").arg(&home).args(args).env_clear().output().unwrap()
    };
    fs::create_dir_all(home.parent().unwrap()).unwrap();
    assert!(run(&["init"]).status.success());
    fs::write(home.join("memory/CLAUDE.md"), "- Use pnpm.\n").unwrap();
    fs::write(home.join("subconscious/memory-weaver/CLAUDE.md"), "---\nengine: builtin\n---\nmine\n")
        .unwrap();
    // What an administrator changed of a unit stands beside it, as systemd wants it.
    let dropin = root.path("etc/systemd/system/subcortex@.service.d/mine.conf");
    fs::create_dir_all(dropin.parent().unwrap()).unwrap();
    fs::write(&dropin, "[Service]\nNice=5\n").unwrap();

    for file in [
        "usr/lib/systemd/user/subcortex.service",
        "usr/lib/systemd/system/subcortex@.service",
        "usr/share/man/man1/subcortex.1.gz",
        "usr/share/bash-completion/completions/subcortex",
        "usr/share/zsh/vendor-completions/_subcortex",
        "usr/share/fish/vendor_completions.d/subcortex.fish",
        "usr/share/doc/subcortex/copyright",
    ] {
        let facts = fs::metadata(root.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(facts.len() > 0 && facts.permissions().mode() & 0o777 == 0o644, "{file}");
    }
    let unit = fs::read_to_string(root.path("usr/lib/systemd/user/subcortex.service")).unwrap();
    assert!(unit.contains("/usr/bin/subcortex") && unit.contains("%h/.subcortex"), "{unit}");

    let second = package(&binary, out.path(), "0.0.2").unwrap();
    root.dpkg(&["-i", second.to_str().unwrap()]);
    assert_eq!(root.installed_version(), "install ok installed 0.0.2");
    let mine = || {
        assert_eq!(fs::read_to_string(home.join("memory/CLAUDE.md")).unwrap(), "- Use pnpm.\n");
        let definition = fs::read_to_string(home.join("subconscious/memory-weaver/CLAUDE.md")).unwrap();
        assert!(definition.ends_with("mine\n"), "{definition}");
        assert!(dropin.exists());
    };
    assert!(run(&["init"]).status.success(), "the new program finds the old home");
    mine();

    root.dpkg(&["-r", "subcortex"]);
    assert!(!program.exists() && !root.path("usr/lib/systemd/user/subcortex.service").exists());
    mine();
    root.dpkg(&["-P", "subcortex"]);
    mine();
}

#[test]
fn the_newest_library_that_a_program_names_is_the_one_that_it_needs() {
    let found: Vec<_> = versions_in(b"xx\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_PRIVATE\0").collect();
    assert_eq!(found, [(2, 9), (2, 34), (2, 2)]);
    assert_eq!(found.into_iter().max(), Some((2, 34)));
}
