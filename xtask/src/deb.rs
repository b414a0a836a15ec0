//! `cargo xtask deb`: a Debian package, made with `dpkg-deb` from what is built here.
//!
//! It holds the program, both units, the manual page, completions, the licences and nothing that belongs to a person: homes are
//! made by the program itself, so that neither an upgrade nor a removal touches one.

mod tree;

use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::cargo::{cargo, target_dir, workspace_root};

/// What `cargo xtask deb` is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Package this program instead of building one.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Where the package goes [default: the target directory].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The version of the package [default: that of the program].
    #[arg(long)]
    version: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => build()?,
    };
    let out = match &args.out {
        Some(out) => out.clone(),
        None => target_dir()?,
    };
    let version = args.version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"));
    println!("{}", package(&binary, &out, version)?.display());
    Ok(ExitCode::SUCCESS)
}

fn build() -> Result<PathBuf> {
    let built = cargo().args(["build", "--release", "--locked", "-p", "subcortex-cli"]).status();
    if !built.context("cannot start cargo")?.success() {
        bail!("the program could not be built");
    }
    Ok(target_dir()?.join("release").join("subcortex"))
}

/// Makes the package and says where it is.
pub(crate) fn package(binary: &Path, out: &Path, version: &str) -> Result<PathBuf> {
    let tree = out.join("deb-tree");
    if tree.exists() {
        fs::remove_dir_all(&tree).context("an old tree cannot be removed")?;
    }
    tree::fill(&tree, binary, &workspace_root().join("docs"))?;
    tree::write(
        &tree.join("DEBIAN/control"),
        control(version, &libraries(binary)?, size(&tree)?).as_bytes(),
        0o644,
    )?;
    let file = out.join(format!("subcortex_{version}_{}.deb", architecture()?));
    let built = Command::new("dpkg-deb")
        .args(["--root-owner-group", "-Zxz", "-z1", "--build"])
        .arg(&tree)
        .arg(&file)
        .output();
    let built = built.context("cannot start dpkg-deb: install the package `dpkg`")?;
    if !built.status.success() {
        bail!("dpkg-deb failed: {}", String::from_utf8_lossy(&built.stderr));
    }
    fs::remove_dir_all(&tree)?;
    Ok(file)
}

/// What Debian calls this machine.
fn architecture() -> Result<&'static str> {
    match ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => bail!("nobody has said yet what Debian calls {other}"),
    }
}

fn control(version: &str, depends: &str, kibibytes: u64) -> String {
    let architecture = architecture().unwrap_or("any");
    format!(
        "Package: subcortex\nVersion: {version}\nArchitecture: {architecture}\nSection: utils\nPriority: optional\n\
         Maintainer: The subcortex authors <noreply@invalid>\nInstalled-Size: {kibibytes}\nDepends: {depends}\n\
         Recommends: systemd\nSuggests: git\nDescription: background memory for coding agents\n \
         Reads what agents and people really did, tests every line of the memory file\n \
         (CLAUDE.md, AGENTS.md) against it, and lets each line earn its place.\n"
    )
}

/// The C library that the program needs: the newest version of it that a symbol names.
fn libraries(binary: &Path) -> Result<String> {
    let bytes = fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
    let newest = versions_in(&bytes).max().unwrap_or((2, 17));
    Ok(format!("libc6 (>= {}.{}), libgcc-s1", newest.0, newest.1))
}

/// Every `GLIBC_x.y` in a program.
fn versions_in(bytes: &[u8]) -> impl Iterator<Item = (u32, u32)> + '_ {
    const MARK: &[u8] = b"GLIBC_";
    let at = bytes.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK).map(|(at, _)| at);
    at.filter_map(|at| {
        let rest = bytes.get(at + MARK.len()..)?;
        let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
        let (major, minor) = std::str::from_utf8(rest.get(..end)?).ok()?.split_once('.')?;
        Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
    })
}

fn size(tree: &Path) -> Result<u64> {
    let mut bytes = 0;
    let mut folders = vec![tree.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                bytes += entry.metadata()?.len();
            }
        }
    }
    Ok(bytes.div_ceil(1024))
}

#[cfg(test)]
mod tests;
