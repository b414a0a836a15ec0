//! The files of the package, in the places where they will be.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use subcortex_service::{Kind, Options, unit};

use crate::cargo::workspace_root;

/// Where the program will be.
const PROGRAM: &str = "/usr/bin/subcortex";
/// Completions: the shell, and where it looks for them.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/subcortex"),
    ("zsh", "usr/share/zsh/vendor-completions/_subcortex"),
    ("fish", "usr/share/fish/vendor_completions.d/subcortex.fish"),
];

/// What is run after the files came or went. Nobody's service is started, stopped or enabled: that is its person's to decide. One that
/// runs goes on with the program that it was started with until it is restarted.
const RELOAD: &str = "#!/bin/sh
set -e
if [ -z \"$DPKG_ROOT\" ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
fi
";

pub(super) fn fill(tree: &Path, binary: &Path, docs: &Path) -> Result<()> {
    let program = fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
    write(&tree.join("usr/bin/subcortex"), &program, 0o755)?;
    for (kind, folder) in [(Kind::User, "user"), (Kind::System, "system")] {
        let text = unit(kind, &Options { binary: PROGRAM.into(), home: None })?;
        write(&tree.join("usr/lib/systemd").join(folder).join(kind.file_name()), text.as_bytes(), 0o644)?;
    }
    for (shell, place) in COMPLETIONS {
        write(&tree.join(place), &said(binary, &["completions", shell])?, 0o644)?;
    }
    write(&tree.join("usr/share/man/man1/subcortex.1.gz"), &zipped(&said(binary, &["man"])?)?, 0o644)?;
    let doc = tree.join("usr/share/doc/subcortex");
    let licences =
        ["LICENSE-MIT", "LICENSE-APACHE"].map(|name| fs::read_to_string(workspace_root().join(name)));
    let licences = licences.into_iter().collect::<Result<Vec<_>, _>>()?.join("\n\n");
    write(&doc.join("copyright"), format!("MIT OR Apache-2.0\n\n{licences}").as_bytes(), 0o644)?;
    write(&doc.join("changelog.gz"), &zipped(&fs::read(workspace_root().join("CHANGELOG.md"))?)?, 0o644)?;
    write(&doc.join("config.schema.json"), &fs::read(docs.join("config.schema.json"))?, 0o644)?;
    for script in ["postinst", "postrm"] {
        write(&tree.join("DEBIAN").join(script), RELOAD.as_bytes(), 0o755)?;
    }
    Ok(())
}

/// Writes a file with its folders, all with the modes that a package has.
pub(super) fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    for folder in folder.ancestors().take_while(|folder| !folder.ends_with("deb-tree")) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

/// What the program itself prints.
fn said(binary: &Path, args: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(binary).args(args).env_clear().env("HOME", "/nonexistent").output();
    let output = output.with_context(|| format!("cannot start {}", binary.display()))?;
    if !output.status.success() {
        bail!(
            "`{} {}` failed: {}",
            binary.display(),
            args.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(output.stdout)
}

/// The same bytes for the same text: no name, no time.
fn zipped(text: &[u8]) -> Result<Vec<u8>> {
    let gzip =
        Command::new("gzip").args(["-9", "-n", "-c"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut gzip = gzip.context("cannot start gzip")?;
    let mut input = gzip.stdin.take().context("gzip has no input")?;
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(&text));
    let output = gzip.wait_with_output()?;
    if !output.status.success() || !writer.join().is_ok_and(|written| written.is_ok()) {
        bail!("gzip failed");
    }
    Ok(output.stdout)
}
