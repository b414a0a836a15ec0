//! The marks of paths, and those that every path of a glob has.

use super::mark::{Mark, Trace, Way};
use super::need::Need;

/// More endings than this in one glob are no narrower than "any file".
const MOST_ENDINGS: usize = 64;

/// What a path leaves: its name, its ending, its segments.
pub(crate) fn marks(path: &str, way: Way, marks: &mut Vec<Mark>) {
    let name = path.rsplit('/').next().unwrap_or(path);
    marks.push(Mark::of(Trace::Name(way), name));
    if let Some((_, ending)) = name.rsplit_once('.') {
        marks.push(Mark::of(Trace::Ending(way), ending));
    }
    // A deleted or moved directory goes by its own name, so the name is a segment, too.
    marks.extend(path.split('/').map(|segment| Mark::of(Trace::Segment(way), segment)));
}

/// What every path has that a glob matches. Reads globs as [`crate::text::glob_source`] does.
pub(crate) fn need(glob: &str, way: Way) -> Need {
    let glob = glob.trim().trim_start_matches("./").trim_start_matches('/');
    let Some(segments) = plain_segments(glob) else { return Need::unknown() };
    let name = glob.rsplit('/').next().unwrap_or(glob);
    let mut all: Vec<Need> = Vec::new();
    all.extend(segments.iter().map(|segment| Need::Mark(Mark::of(Trace::Segment(way), segment))));
    if name.contains('.') && segments.last().is_some_and(|last| last == name) {
        all.push(Need::Mark(Mark::of(Trace::Name(way), name)));
    } else if let Some(endings) = endings(name) {
        all.push(Need::Any(
            endings.into_iter().map(|ending| Need::Mark(Mark::of(Trace::Ending(way), ending))).collect(),
        ));
    }
    Need::All(all)
}

/// The segments that every path of a glob has as a whole; nothing where a glob is really several.
fn plain_segments(glob: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut segment = String::new();
    let (mut plain, mut depth) = (true, 0_usize);
    let mut chars = glob.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if depth > 0 => return None,
            '/' => {
                finish(&mut found, &mut segment, plain);
                plain = true;
            }
            '*' => {
                let alone = plain && segment.is_empty();
                plain = false;
                if chars.next_if_eq(&'*').is_some() && chars.next_if_eq(&'/').is_some() {
                    // `a**/b` also matches `ab`: only after a `**` of its own does a new segment begin.
                    finish(&mut found, &mut segment, plain);
                    plain = alone;
                }
            }
            '{' => (plain, depth) = (false, depth + 1),
            '}' => (plain, depth) = (false, depth.checked_sub(1)?),
            '<' => {
                plain = false;
                chars.find(|inner| *inner == '>')?;
            }
            '?' => plain = false,
            ',' if depth > 0 => plain = false,
            other => {
                plain &= other.is_ascii();
                segment.push(other);
            }
        }
    }
    finish(&mut found, &mut segment, plain);
    Some(found)
}

fn finish(found: &mut Vec<String>, segment: &mut String, plain: bool) {
    let segment = std::mem::take(segment);
    if plain && !segment.is_empty() {
        found.push(segment);
    }
}

/// The endings of a name's files: `ts` and `tsx` for `*.{ts,tsx}`.
fn endings(name: &str) -> Option<Vec<&str>> {
    let (_, ending) = name.rsplit_once('.')?;
    let list = ending.strip_prefix('{').and_then(|list| list.strip_suffix('}'));
    let endings: Vec<&str> = list.map_or_else(|| vec![ending], |list| list.split(',').collect());
    let plain = |text: &&str| {
        !text.is_empty() && text.is_ascii() && !text.contains(['*', '?', '{', '}', '<', '>', ','])
    };
    (endings.len() <= MOST_ENDINGS && endings.iter().all(plain)).then_some(endings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Pattern, glob_source};

    const GLOBS: &[&str] = &[
        "*.{ts,tsx}",
        "*.{test,spec}.{ts,js}",
        "apps/api",
        "docs/",
        "**/generated/**",
        "package.json",
        "CHANGELOG*",
        "Dockerfile*",
        "**/*migration*/**",
        "todos/<date>-<slug>.md",
        "*{Test,Tests}.{java,kt}",
        "*.gen.*",
        "README.md",
        "*_spec.rb",
        "a**/b.ts",
        "src/**/b.ts",
        "{a,b/c/d}/x.ts",
        "a,b.ts",
        "<a/b/c>",
        "<x",
        "}a{",
        "größe/x.ts",
        "./web/",
        "/abs/a.md",
        "kasse/?.ts",
        "{d.ts,ts}",
        "*.{d.ts,ts}",
        "",
        "**",
        "*",
    ];
    const PATHS: &[&str] = &[
        "src/a.tsx",
        "src/a.spec.js",
        "apps/api/src/a.ts",
        "web/docs/a.md",
        "src/generated/b/c.ts",
        "web/package.json",
        "CHANGELOG.md",
        "Dockerfile.dev",
        "db/migrations/1.sql",
        "todos/2026-01-01-x.md",
        "src/ATest.java",
        "src/a.gen.ts",
        "Readme.md",
        "spec/a_spec.rb",
        "ab.ts",
        "a/x/b.ts",
        "src/b.ts",
        "src/x/y/b.ts",
        "a/x.ts",
        "b/c/d/x.ts",
        "ab",
        "xb.ts",
        "GRÖSSE/x.ts",
        "GRÖßE/x.ts",
        "apps/api",
        "/abs/a.md",
        "\u{212a}aſſe/1.ts",
        "x.d.ts",
        "",
        "docs",
    ];

    #[test]
    fn a_path_that_a_glob_matches_has_all_that_the_glob_needs() {
        let mut matched = 0;
        for glob in GLOBS {
            let pattern = Pattern::new(&glob_source(glob));
            for path in PATHS.iter().filter(|path| pattern.is_match(path)) {
                let mut have = Vec::new();
                marks(path, Way::Written, &mut have);
                assert!(need(glob, Way::Written).is_met(&have), "{glob} {path}");
                matched += 1;
            }
        }
        assert!(matched > GLOBS.len(), "most globs match something: {matched}");
    }

    #[test]
    fn a_glob_asks_for_its_rarest_part() {
        for (glob, path) in [
            ("services/area7/", "services/area8/a.ts"),
            ("services/area7/api.yaml", "services/area8/api.yaml"),
            ("*.{ts,tsx}", "a.go"),
            ("src/**/b.ts", "src/x/c.ts"),
        ] {
            let mut have = Vec::new();
            marks(path, Way::Written, &mut have);
            assert!(!need(glob, Way::Written).is_met(&have), "{glob} {path}");
        }
    }
}
