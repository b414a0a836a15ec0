//! Definitions of subagents: Markdown files with a name, a description, tools and a model in front.
//!
//! They are read here and handed over, because `claude` looks into `.claude/agents` only together with the settings
//! beside it, hooks included.

use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use subcortex_store::{Disk, EntryKind, RealDisk, durable};
use subcortex_yaml::frontmatter;

use super::words;

/// The largest definition, in bytes.
const MAX_DEFINITION_BYTES: u64 = 64 * 1024;
/// How many definitions one order may have.
const MAX_DEFINITIONS: usize = 32;
/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 64;

/// One subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    /// Its name.
    pub name: String,
    description: String,
    tools: Option<Vec<String>>,
    model: Option<String>,
    /// What it is told.
    pub prompt: String,
}

/// What stands in front of a definition. Further keys are those of other versions.
#[derive(Debug, Deserialize)]
struct Front {
    name: String,
    description: String,
    tools: Option<Tools>,
    model: Option<String>,
}

/// `Read, Grep` or a list.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Tools {
    JsonLine(String),
    List(Vec<String>),
}

/// Reads the definitions in a folder, by name of their file. A definition that cannot be read is an error: a run without
/// one of its subagents is not the run that was ordered.
pub fn read_subagents(folder: &Path) -> Result<Vec<Subagent>, String> {
    let disk = RealDisk;
    let unreadable = |error: io::Error| {
        format!("the subagents in {} cannot be read: {error}", words::name(&folder.to_string_lossy()))
    };
    let names = match disk.stat(folder) {
        Ok(stat) if stat.kind == EntryKind::Directory => disk.list(folder).map_err(unreadable)?,
        Ok(_) => return Err(unreadable(io::Error::other("it is not a directory; links are not followed"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let files: Vec<_> = names
        .into_iter()
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"))
        .map(|name| folder.join(name))
        .collect();
    if files.len() > MAX_DEFINITIONS {
        return Err(unreadable(io::Error::other(format!("there are more than {MAX_DEFINITIONS}"))));
    }
    let mut all: Vec<Subagent> = Vec::new();
    for file in files {
        let subagent = read_one(&disk, &file)?;
        if all.iter().any(|other| other.name == subagent.name) {
            return Err(unreadable(io::Error::other(format!("`{}` is defined twice", subagent.name))));
        }
        all.push(subagent);
    }
    Ok(all)
}

fn read_one(disk: &RealDisk, file: &Path) -> Result<Subagent, String> {
    let text = durable::read_text(disk, file, MAX_DEFINITION_BYTES).map_err(|error| error.to_string())?;
    let place = words::name(&file.to_string_lossy());
    parse(&text).map_err(|why| format!("the subagent in {place} cannot be used: {why}"))
}

fn parse(text: &str) -> Result<Subagent, String> {
    let (front, body) = frontmatter::parse::<Front>(text).map_err(|problem| problem.to_string())?;
    let front = front.ok_or("it has no `name` and `description` between two lines `---` at its top")?;
    let sound = (1..=MAX_NAME_CHARS).contains(&front.name.len())
        && front.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if !sound {
        return Err(format!(
            "its name `{}` must be 1 to {MAX_NAME_CHARS} letters, digits, `-`, `_`",
            words::name(&front.name)
        ));
    }
    let tools = front.tools.map(|tools| match tools {
        Tools::JsonLine(line) => line.split(',').map(|tool| tool.trim().to_owned()).collect::<Vec<_>>(),
        Tools::List(list) => list,
    });
    let tools = tools.map(|tools| tools.into_iter().filter(|tool| !tool.is_empty()).collect());
    Ok(Subagent {
        name: front.name,
        description: front.description,
        tools,
        model: front.model,
        prompt: body.trim().to_owned(),
    })
}

/// The definitions as `claude --agents` takes them.
pub(crate) fn to_json(subagents: &[Subagent]) -> Value {
    let definition = |subagent: &Subagent| {
        let mut fields = Map::new();
        fields.insert("description".into(), json!(subagent.description));
        fields.insert("prompt".into(), json!(subagent.prompt));
        if let Some(tools) = &subagent.tools {
            fields.insert("tools".into(), json!(tools));
        }
        if let Some(model) = &subagent.model {
            fields.insert("model".into(), json!(model));
        }
        Value::Object(fields)
    };
    subagents
        .iter()
        .map(|subagent| (subagent.name.clone(), definition(subagent)))
        .collect::<Map<_, _>>()
        .into()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes its own files")]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    }

    #[test]
    fn definitions_become_what_claude_takes() {
        let dir = folder(&[
            ("b.md", "---\nname: judge\ndescription: judges\n---\nYou judge.\n"),
            (
                "a.md",
                "---\nname: scanner\ndescription: scans\ntools: Read, Grep\nmodel: haiku\ncolor: red\n---\nYou scan.\n",
            ),
            ("notes.txt", "no definition"),
        ]);
        let expect = json!({
            "scanner": {"description": "scans", "prompt": "You scan.", "tools": ["Read", "Grep"], "model": "haiku"},
            "judge": {"description": "judges", "prompt": "You judge."},
        });
        assert_eq!(to_json(&read_subagents(dir.path()).unwrap()), expect);
    }

    #[test]
    fn a_folder_that_is_not_there_holds_none() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read_subagents(&dir.path().join("agents")), Ok(Vec::new()));
    }

    #[test]
    fn a_definition_that_cannot_be_used_is_named() {
        let long = format!("---\nname: a\ndescription: b\n---\n{}", "x".repeat(70_000));
        let name = "---\nname: \"../a\"\ndescription: b\n---\n";
        for (text, part) in
            [("no front", "`name`"), ("---\nname: a\n---\n", "description"), (name, "../a"), (&long, "65536")]
        {
            let dir = folder(&[("one.md", text)]);
            let why = read_subagents(dir.path()).unwrap_err();
            assert!(why.contains("one.md") && why.contains(part), "{why}");
        }
        let same = "---\nname: a\ndescription: b\n---\n";
        let why = read_subagents(folder(&[("1.md", same), ("2.md", same)]).path()).unwrap_err();
        assert!(why.contains("`a` is defined twice"), "{why}");
    }

    #[test]
    fn links_are_not_followed() {
        let dir = folder(&[("real.md", "---\nname: a\ndescription: b\n---\n")]);
        let other = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(dir.path().join("real.md"), other.path().join("one.md")).unwrap();
        assert!(read_subagents(other.path()).is_err());
        std::os::unix::fs::symlink(dir.path(), other.path().join("agents")).unwrap();
        assert!(read_subagents(&other.path().join("agents")).unwrap_err().contains("links are not followed"));
    }
}
