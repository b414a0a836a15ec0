//! `cargo xtask schema`: writes `docs/config.schema.json`, by which editors check a settings file.
//!
//! A test of the crate `config` holds the file against the types.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cargo::workspace_root;

/// Writes the schema of the settings.
pub(crate) fn run() -> Result<ExitCode> {
    let path = workspace_root().join("docs/config.schema.json");
    fs::write(&path, subcortex_config::schema_json())
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("written: {}", path.display());
    Ok(ExitCode::SUCCESS)
}
