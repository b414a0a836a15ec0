//! The tool servers in a user's `config.toml`, which have to be switched off by name.
//!
//! Codex starts them for every run and has no option against it: an empty table on the command line is merged with the
//! user's. So their names are looked for, in tables (`[mcp_servers.docs]`) and in keys (`mcp_servers.docs.command = …`).
//! Servers that are written in one line (`mcp_servers = { … }`) are not found.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use subcortex_store::{RealDisk, durable};

/// The largest configuration that is looked at, in bytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// The names of the servers that the user of this environment has set up. Without a file there are none; one that
/// cannot be read is left to Codex, which says what is wrong with it.
pub(crate) fn names(environment: &BTreeMap<OsString, OsString>) -> Vec<String> {
    let var = |name: &str| environment.get(OsStr::new(name)).map(PathBuf::from);
    let Some(home) = var("CODEX_HOME").or_else(|| Some(var("HOME")?.join(".codex"))) else {
        return Vec::new();
    };
    durable::read_text(&RealDisk, &home.join("config.toml"), MAX_CONFIG_BYTES)
        .map(|text| names_in(&text))
        .unwrap_or_default()
}

fn names_in(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let key = line.strip_prefix('[').map(str::trim_start).unwrap_or(line);
        let Some(rest) = key.strip_prefix("mcp_servers").map(str::trim_start) else { continue };
        let Some(name) = rest.strip_prefix('.').and_then(first_key) else { continue };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The first part of a dotted key, bare or in quotes. A name with anything else in it could not be named on a command
/// line without being quoted in turn, so it is left out.
fn first_key(text: &str) -> Option<String> {
    let text = text.trim_start();
    let text = text.strip_prefix(['"', '\'']).unwrap_or(text);
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_found_in_tables_and_in_keys() {
        let text = "model = \"x\"\nmcp_servers.a.command = \"a\"\n[mcp_servers.docs]\ncommand = \"d\"\n\
                    [mcp_servers.docs.env]\nX = \"1\"\n[ mcp_servers . \"my-board\" ]\n# [mcp_servers.no]\n[mcp_serversx.y]\n\
                    mcp_servers = {}\n";
        assert_eq!(names_in(text), ["a", "docs", "my-board"]);
    }
}
