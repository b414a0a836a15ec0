//! Calls of cargo from within a program that cargo started.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The root of the checkout.
pub(crate) fn workspace_root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// The cargo that started this program, run at the root of the checkout.
///
/// `cargo run` describes the package `xtask` in the environment. Build scripts further down may watch
/// those variables, so that leaving them in would build crates again on every change between
/// `cargo xtask test` and `cargo test`.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace_root());
    for (name, _) in env::vars_os() {
        let name_text = name.to_string_lossy();
        if name_text.starts_with("CARGO_PKG_") || name_text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Where cargo puts what it builds, as cargo itself sees it.
pub(crate) fn target_dir() -> Result<PathBuf> {
    let metadata = metadata()?;
    let directory = metadata["target_directory"].as_str();
    directory.map(PathBuf::from).context("`cargo metadata` names no target directory")
}

/// The workspace as cargo sees it.
pub(crate) fn metadata() -> Result<serde_json::Value> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed, so nothing is known about the workspace");
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
