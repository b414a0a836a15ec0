//! The picture of the layers in ARCHITECTURE.md, held against the manifests.
//!
//! The picture is the block marked `layers`: one layer a line, the highest first, `name: crate crate …`. A crate may
//! depend on crates of lower layers only; what it needs for its tests is its own affair.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::{metadata, workspace_root};

const OPENING: &str = "```text layers\n";

/// The layer of each crate, counted from the top of the picture.
fn layers(architecture: &str) -> Result<BTreeMap<String, usize>> {
    let (_, rest) = architecture.split_once(OPENING).context("ARCHITECTURE.md has no block `text layers`")?;
    let (picture, _) = rest.split_once("```").context("the picture of the layers has no end")?;
    let mut found = BTreeMap::new();
    for (layer, line) in picture.lines().enumerate() {
        let (_, crates) =
            line.split_once(':').with_context(|| format!("no `name:` in the layer `{line}`"))?;
        for name in crates.split_whitespace() {
            if found.insert(name.to_owned(), layer).is_some() {
                bail!("`{name}` stands in two layers");
            }
        }
    }
    Ok(found)
}

/// The crates of this project, each with those that it depends on.
fn dependencies(metadata: &serde_json::Value) -> BTreeMap<String, Vec<String>> {
    let short =
        |name: &serde_json::Value| name.as_str().map(|name| name.trim_start_matches("subcortex-").to_owned());
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter_map(|package| {
            let needed = package["dependencies"].as_array().into_iter().flatten();
            let own = needed.filter(|one| one["path"].is_string() && one["kind"] != "dev");
            Some((short(&package["name"])?, own.filter_map(|one| short(&one["name"])).collect()))
        })
        .collect()
}

/// What the picture and the manifests disagree about.
fn disagreements(layers: &BTreeMap<String, usize>, crates: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in layers.keys().filter(|name| !crates.contains_key(*name)) {
        wrong.push(format!("`{name}` stands in the picture and is no crate"));
    }
    for (name, needed) in crates {
        let Some(layer) = layers.get(name) else {
            wrong.push(format!("`{name}` is missing in the picture"));
            continue;
        };
        for other in needed.iter().filter(|other| layers.get(*other).is_some_and(|below| below <= layer)) {
            wrong.push(format!("`{name}` depends on `{other}`, which does not lie below it"));
        }
    }
    wrong
}

#[test]
fn every_crate_depends_on_lower_layers_only() -> Result<()> {
    let architecture = fs::read_to_string(workspace_root().join("ARCHITECTURE.md"))?;
    let wrong = disagreements(&layers(&architecture)?, &dependencies(&metadata()?));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// `memory` uses the types of the check language, whose files it keeps. What a line means is not for it to say, so that whoever
/// only wants the lines does not pay for their meaning.
#[test]
fn memory_reads_formats_and_compiles_no_check() -> Result<()> {
    for entry in fs::read_dir(workspace_root().join("crates/memory/src"))? {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        for word in ["compile", "read_in", "reading::read"] {
            assert!(!text.contains(word), "`{word}` in {}", path.display());
        }
    }
    Ok(())
}

#[test]
fn a_crate_that_looks_up_stands_twice_or_is_missing_is_named() -> Result<()> {
    let picture = layers("```text layers\nedge: cli\nbase: model store\n```")?;
    let crates = [("cli", vec!["model"]), ("model", vec!["cli", "store"]), ("stray", vec![])];
    let crates =
        crates.map(|(name, needed)| (name.to_owned(), needed.into_iter().map(str::to_owned).collect()));
    let wrong = disagreements(&picture, &BTreeMap::from(crates));
    assert_eq!(
        wrong,
        [
            "`store` stands in the picture and is no crate",
            "`model` depends on `cli`, which does not lie below it",
            "`model` depends on `store`, which does not lie below it",
            "`stray` is missing in the picture",
        ]
    );
    assert!(layers("```text layers\na: x\nb: x\n```").is_err());
    Ok(())
}
