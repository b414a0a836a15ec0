//! What ties a person's remark to a line: its words, its code, the documents it points to; and the project its section names.

use crate::language::{Cues, globs};
use crate::line::{CodeKind, ParsedLine};
use crate::text;

/// The cues of a line, by its words.
pub(crate) fn cues_of(text: &str, headings: &[String]) -> Cues {
    let line = ParsedLine::parse(text, headings);
    let against = line
        .directives
        .iter()
        .flat_map(|directive| {
            let object = if directive.negative {
                Some(directive.object.as_str())
            } else {
                directive.instead_of.as_deref()
            };
            object.map(|object| text::content_stems(&line.unmask(object))).unwrap_or_default()
        })
        .collect();
    Cues {
        stems: text::content_stems(&line.unmask(&line.masked)),
        code: line.codes.iter().map(|code| code.text.clone()).collect(),
        against,
        pointers: globs(pointers(&line)),
    }
}

/// The documents that a line points to: dossiers by their names, files by words such as "see" and "read".
fn pointers(line: &ParsedLine) -> Vec<String> {
    const REFERS: [&str; 9] =
        ["see", "follow", "follows", "read", "consult", "per", "according to", "described in", "check"];
    let mut paths = dossiers(&line.masked);
    if line.says_any(&REFERS) {
        let documents = line.codes_of(CodeKind::Path);
        paths
            .extend(documents.iter().filter(|code| code.text.ends_with(".md")).map(|code| code.text.clone()));
    }
    paths
}

/// The files of `[[topic-x]]` and `[[entity-x]]`.
fn dossiers(masked: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in masked.split("[[").skip(1) {
        let Some((name, _)) = piece.split_once("]]") else { continue };
        let slug = name.strip_prefix("topic-").or_else(|| name.strip_prefix("entity-")).unwrap_or(name);
        found.extend([
            format!("topics/{slug}.md"),
            format!("topics/{name}.md"),
            format!("entities/{slug}.md"),
            format!("entities/{name}.md"),
        ]);
    }
    found
}

/// The project that a section `## Project: <path>` names.
pub(crate) fn project(headings: &[String]) -> Option<String> {
    headings.iter().rev().find_map(|heading| {
        let rest = heading.trim_start_matches('#').trim();
        rest.strip_prefix("Project:")
            .or_else(|| rest.strip_prefix("project:"))
            .map(|name| name.trim().trim_matches('`').to_owned())
    })
}
