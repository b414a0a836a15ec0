//! Rules about how files are named: kebab-case, snake_case, PascalCase, camelCase.

use crate::language::{Check, Condition, Expect, Mixed, Wrote};
use crate::line::ParsedLine;
use crate::text;

use super::concepts::CODE_GLOBS;
use super::occasion;

/// A way of writing names: the words for it, and how a stem is then written.
struct Style {
    words: &'static [&'static str],
    stem: &'static str,
    /// How a stem of several words is written: one word alone shows no style.
    telling: &'static str,
    globs: &'static [&'static str],
}

const STYLES: &[Style] = &[
    Style {
        words: &[
            "kebab-case",
            "kebab case",
            "lowercase with dashes",
            "lower-case with dashes",
            "lowercase-with-dashes",
            "dash-case",
        ],
        stem: r"[a-z0-9]+(?:-[a-z0-9]+)*",
        telling: r"[a-z0-9]+(?:-[a-z0-9]+)+",
        globs: &["*.{ts,tsx,js,jsx,mjs,cjs,mts,vue,svelte,astro,css,scss,html}"],
    },
    Style {
        words: &["snake_case", "snake case", "lowercase with underscores"],
        stem: r"_*[a-z0-9]+(?:_[a-z0-9]+)*_*",
        telling: r"_*[a-z0-9]+(?:_[a-z0-9]+)+_*",
        globs: CODE_GLOBS,
    },
    Style {
        words: &["pascalcase", "pascal case", "uppercamelcase"],
        stem: r"[A-Z][A-Za-z0-9]*",
        telling: r"[A-Z][A-Za-z0-9]*",
        globs: CODE_GLOBS,
    },
    Style {
        words: &["camelcase", "camel case"],
        stem: r"[a-z][A-Za-z0-9]*",
        telling: r"[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*",
        globs: CODE_GLOBS,
    },
];

/// Names that tools prescribe.
const PRESCRIBED: &[&str] = &[
    "README*",
    "CHANGELOG*",
    "LICENSE*",
    "Dockerfile*",
    "Makefile",
    "__*__.py",
    "index.*",
    "_*",
    "[*",
    "App.*",
    "+*",
    "package.json",
    "tsconfig*",
    "setup.*",
    "conftest.py",
    "test_*.py",
    "*.config.*",
    "*.d.ts",
];

/// "File names are kebab-case", "name files in snake_case", "components: PascalCase".
pub(crate) fn compile(line: &ParsedLine) -> Option<Check> {
    let text = line.unmask(&line.masked).to_lowercase();
    let mut named = STYLES.iter().filter(|style| style.words.iter().any(|word| text.contains(word)));
    let style = named.next()?;
    if named.next().is_some() {
        // One style for files, another for what is in them: nobody knows which is which.
        return None;
    }
    let names_files = line.says_any(&[
        "file",
        "files",
        "filename",
        "filenames",
        "file names",
        "file name",
        "file naming",
        "modules",
    ]);
    let components = line.says_any(&["component files", "components", "component"]);
    let others = line.says_any(&[
        "variable",
        "variables",
        "function",
        "functions",
        "column",
        "columns",
        "table",
        "tables",
        "method",
        "methods",
        "class",
        "classes",
        "constant",
        "constants",
        "types",
        "resources",
        "url",
        "urls",
        "paths",
        "keys",
        "fields",
        "json",
    ]);
    if !names_files && (others || !components) {
        return None;
    }
    let stems = text::content_stems(&ParsedLine::plain(&line.masked));
    let kinds = ["component", "python", "typescript", "test", "rust", "go", "dart", "css"];
    let stems: Vec<String> = stems.into_iter().filter(|stem| text::is_stem_of(stem, &kinds)).collect();
    let globs = match occasion::concept_globs(&stems) {
        globs if globs.is_empty() => style.globs.iter().map(|glob| (*glob).to_owned()).collect(),
        globs => globs,
    };
    let ending = r"(?:\.[\w-]+)+";
    let (name, telling) = (format!("{}{ending}", style.stem), format!("{}{ending}", style.telling));
    let wrote = |named: Option<String>, not_named: Option<String>| {
        Condition::Wrote(Wrote {
            paths: crate::language::globs(globs.clone()),
            except: crate::language::globs(PRESCRIBED.iter().copied()),
            whole: true,
            named: named.map(Into::into),
            not_named: not_named.map(Into::into),
            ..Wrote::default()
        })
    };
    Some(Check {
        testable: true,
        family: "file-names".into(),
        expect: vec![Expect::one(wrote(Some(telling), None))],
        forbid: vec![wrote(None, Some(name))],
        mixed: Mixed::Open,
        why: format!("new files are named in {}", style.words.first().unwrap_or(&"the named style")),
        ..Check::default()
    })
}
