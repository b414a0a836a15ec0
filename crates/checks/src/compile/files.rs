//! Rules about where files go, how they are named, and which are left alone.

use crate::language::{By, Check, Condition, Expect, Mixed, Order, Said, Unmet, Wrote};
use crate::line::{CodeKind, ParsedLine, Relation, is_edit_verb};
use crate::text;

use super::occasion::is_directory;

const GENERATED: &[&str] = &[
    "**/generated/**",
    "**/__generated__/**",
    "*.gen.*",
    "*.generated.*",
    "*_pb2.py",
    "*.pb.go",
    "*_gen.go",
    "dist/**",
    "*.g.dart",
    "*.freezed.dart",
    "zz_generated*",
];

fn draft(family: &str, why: String) -> Check {
    Check { testable: true, family: family.to_owned(), why, ..Check::default() }
}

/// "Only modify files in `app/` and `tests/`".
pub(crate) fn only_there(line: &ParsedLine) -> Option<Check> {
    let found = ONLY_THERE.find(&line.masked)?;
    let named = line.masked.get(found.end()..)?;
    let globs: Vec<String> = line
        .codes_in(named)
        .iter()
        .filter(|code| code.kind == CodeKind::Path && is_directory(&code.text))
        .map(|code| format!("{}/**", code.text.trim_start_matches("./").trim_end_matches(['/', '*'])))
        .collect();
    if globs.is_empty() {
        return None;
    }
    let wrote = |paths: Vec<String>, except: Vec<String>| {
        Condition::Wrote(Wrote {
            paths: crate::language::globs(paths),
            except: crate::language::globs(except),
            ..Wrote::default()
        })
    };
    Some(Check {
        forbid: vec![wrote(Vec::new(), globs.clone())],
        unless: exceptions(line),
        mixed: Mixed::Missed,
        ..draft("only-there", format!("only {} is changed", globs.join(", ")))
    })
}

crate::text::pattern!(
    ONLY_THERE,
    r"\bonly (?:ever )?(?:modify|edit|change|touch|write|work on|work in|make changes|update) (?:the )?(?:files? |code |things )?(?:in|under|inside|within|below|to) "
);
crate::text::pattern!(MIGRATIONS, r"\bmigrations?\b");

const MIGRATION_GLOBS: &[&str] = &[
    "**/migrations/**",
    "**/migration/**",
    "**/migrate/**",
    "**/alembic/versions/**",
    "drizzle/*.sql",
    "*.migration.*",
];

/// "Never modify existing migrations": new ones are welcome. By hand, none is.
fn migrations(line: &ParsedLine, verb: &str, plain: &str) -> Option<Check> {
    let edits =
        matches!(verb, "edit" | "modify" | "change" | "touch" | "update" | "alter" | "rewrite" | "create");
    if !edits || !MIGRATIONS.is_match(plain) {
        return None;
    }
    let also_new = verb == "create" || plain.contains("or edit") || plain.contains("or create");
    let forbid = Wrote {
        paths: crate::language::globs(MIGRATION_GLOBS.iter().copied()),
        edited: !also_new,
        ..Wrote::default()
    };
    Some(Check {
        forbid: vec![Condition::Wrote(forbid)],
        unless: exceptions(line),
        mixed: Mixed::Missed,
        ..draft("untouchable", "migrations stay as they are".into())
    })
}

/// "Do not edit `x`", "never modify generated files", "leave CHANGELOG.md alone".
pub(crate) fn untouchable(line: &ParsedLine) -> Option<Check> {
    let directive = line.directives.iter().find(|directive| {
        directive.negative
            && matches!(
                directive.verb.as_str(),
                "edit"
                    | "modify"
                    | "touch"
                    | "change"
                    | "update"
                    | "delete"
                    | "remove"
                    | "write"
                    | "create"
                    | "add"
                    | "commit"
                    | "bump"
                    | "generate"
                    | "alter"
                    | "rewrite"
                    | "reformat"
            )
    })?;
    if let Some(check) = migrations(line, &directive.verb, &ParsedLine::plain(&directive.object)) {
        return Some(check);
    }
    let mut globs: Vec<String> = line
        .codes_in(&directive.object)
        .iter()
        .filter(|code| code.kind == CodeKind::Path)
        .map(|code| code.text.clone())
        .collect();
    let plain = ParsedLine::plain(&directive.object);
    if globs.is_empty() && line.codes_in(&line.masked).iter().all(|code| code.aside) {
        // "Avoid changing the backend config (`backend.tf`)".
        globs = line.codes_of(CodeKind::Path).iter().map(|code| code.text.clone()).collect();
    }
    if globs.is_empty() && plain.contains("generated") {
        globs = GENERATED.iter().map(|glob| (*glob).to_owned()).collect();
    }
    if globs.is_empty() && (plain.contains("lock file") || plain.contains("lockfile")) {
        globs = [
            "package-lock.json",
            "pnpm-lock.yaml",
            "yarn.lock",
            "bun.lock*",
            "Cargo.lock",
            "poetry.lock",
            "uv.lock",
            "Gemfile.lock",
            "go.sum",
        ]
        .map(str::to_owned)
        .to_vec();
    }
    if globs.is_empty()
        && matches!(directive.verb.as_str(), "create" | "write" | "add" | "generate")
        && ["documentation", "docs", "markdown", "readme", "summary", ".md"]
            .iter()
            .any(|word| plain.contains(word))
    {
        globs = vec!["*.md".to_owned()];
    }
    if directive.verb == "commit" {
        let names: Vec<String> = globs
            .iter()
            .map(|glob| format!(r"(?:^|[\s/]){}(?:\s|$)", regex::escape(glob.trim_end_matches('/'))))
            .collect();
        if names.is_empty() {
            return None;
        }
        let staged = Condition::Ran(crate::language::Ran {
            command: "git add".into(),
            with: Some(names.join("|").into()),
            ..Default::default()
        });
        return Some(Check {
            forbid: vec![staged],
            ..draft("uncommitted", format!("{} is not committed", globs.join(", ")))
        });
    }
    let by_hand = plain.contains("version") && line.says_any(&["by hand", "manually", "bump", "yourself"]);
    if (globs.is_empty() || by_hand)
        && plain.contains("version")
        && line.says_any(&["by hand", "manually", "bump", "version", "versions"])
    {
        let wrote = Wrote {
            paths: vec![
                "package.json".into(),
                "Cargo.toml".into(),
                "pyproject.toml".into(),
                "pubspec.yaml".into(),
            ],
            added: Some(r#"(?m)^\s*"?version"?\s*[:=]"#.into()),
            ..Wrote::default()
        };
        return Some(Check {
            forbid: vec![Condition::Wrote(wrote)],
            ..draft("version-by-hand", "package versions are not edited by hand".into())
        });
    }
    if globs.is_empty() {
        return None;
    }
    let only_new = matches!(directive.verb.as_str(), "create" | "add");
    if only_new && globs.iter().any(|glob| is_directory(glob)) && !plain.contains("file") {
        return None;
    }
    let deleted = matches!(directive.verb.as_str(), "delete" | "remove");
    let forbid = vec![Condition::Wrote(Wrote {
        paths: crate::language::globs(globs.clone()),
        deleted,
        whole: only_new,
        ..Wrote::default()
    })];
    Some(Check {
        forbid,
        unless: exceptions(line),
        mixed: Mixed::Missed,
        ..draft("untouchable", format!("{} stays as it is", globs.join(", ")))
    })
}

/// What excuses a breach: the words of "unless …" and "except …" in the person's message, or in what the work is about.
pub(crate) fn exceptions(line: &ParsedLine) -> Vec<Condition> {
    let mut found = Vec::new();
    for when in line.conditions.iter().filter(|when| when.relation == Relation::Unless) {
        let words: Vec<String> = text::content_stems(&ParsedLine::plain(&when.text))
            .into_iter()
            .filter(|stem| {
                !text::is_stem_of(
                    stem,
                    &[
                        "cut",
                        "user",
                        "explicit",
                        "ask",
                        "request",
                        "agree",
                        "make",
                        "intend",
                        "need",
                        "person",
                        "approve",
                        "permission",
                        "tell",
                        "say",
                    ],
                )
            })
            .take(2)
            .collect();
        if words.is_empty() {
            found.push(Condition::Said(Said {
                by: By::Person,
                text: asked_for(line).map(Into::into),
                ..Said::default()
            }));
        } else {
            found.push(Condition::Said(Said { by: By::Person, words: words.clone(), ..Said::default() }));
            found.push(Condition::About(crate::language::About { words }));
        }
    }
    found
}

/// "Unless asked": the person's message names what the line is about.
fn asked_for(line: &ParsedLine) -> Option<String> {
    let names: Vec<String> = line
        .codes
        .iter()
        .map(|code| regex::escape(code.text.rsplit('/').next().unwrap_or(&code.text)))
        .collect();
    let stems: Vec<String> = line
        .directives
        .iter()
        .filter(|directive| directive.negative)
        .flat_map(|directive| text::content_stems(&ParsedLine::plain(&directive.object)))
        .filter(|stem| !text::is_stem_of(stem, &["file", "code", "change", "thing", "line", "work"]))
        .take(2)
        .collect();
    let all: Vec<String> = names
        .into_iter()
        .chain(stems.into_iter().map(|stem| format!(r"\b{}\w*", regex::escape(&stem))))
        .collect();
    let about_documents =
        line.says_any(&["documentation", "docs", "markdown", "readme", "summary", "documents"]);
    let all: Vec<String> = if about_documents {
        vec![
            r"\b(?:docs?|document\w*|write[- ]?up|write|notes?|todos?|readme|plans?|report|summar\w+|draft|capture|guide|adr|spec|changelog|markdown|learnings?|handoff|runbook|\w+\.md)\b"
                .to_owned(),
        ]
    } else {
        all
    };
    (!all.is_empty()).then(|| format!("(?i){}", all.join("|")))
}

/// "Write entries as `.notes/<date>-<slug>.md`", "all hooks go in `src/hooks/`", "move its file from `a/` to `b/`".
pub(crate) fn placed(line: &ParsedLine) -> Option<Check> {
    if let Some(check) = moved(line) {
        return Some(check);
    }
    if line.says("mcp") {
        return None;
    }
    let lone_template = line.codes.len() == 1
        && line.codes.iter().all(|code| {
            code.kind == CodeKind::Path && (code.text.contains('<') || code.text.contains("YYYY"))
        });
    let directive = line.directives.iter().find(|directive| {
        !directive.negative
            && (lone_template && directive.verb.is_empty()
                || matches!(
                    directive.verb.as_str(),
                    "write"
                        | "put"
                        | "place"
                        | "create"
                        | "store"
                        | "save"
                        | "capture"
                        | "name"
                        | "add"
                        | "keep"
                        | "record"
                        | "document"
                        | "log"
                        | "colocate"
                        | "co-locate"
                )
                || [
                    " go in ",
                    " go into ",
                    " live in ",
                    " lives in ",
                    " belong in ",
                    " goes in ",
                    " goes into ",
                    " are stored in ",
                    " are kept in ",
                    " written in ",
                    " written as ",
                    " saved in ",
                    " placed in ",
                    " documented in ",
                    " are named ",
                    " is named ",
                    " live next to ",
                    " lives next to ",
                    " next to ",
                    " alongside ",
                    " go next to ",
                ]
                .iter()
                .any(|phrase| directive.object.contains(phrase)))
            && line.codes_in(&directive.object).iter().any(|code| code.kind == CodeKind::Path)
    })?;
    let paths: Vec<&str> = line
        .codes_in(&directive.object)
        .iter()
        .filter(|code| code.kind == CodeKind::Path)
        .map(|code| code.text.as_str())
        .collect();
    let first = *paths.first()?;
    let is_template = first.contains(['<', '*']) || first.contains("YYYY") || first.contains("NNN");
    let anywhere = first.starts_with(['<', '*']);
    let named_or_placed = (is_template && !anywhere) || is_directory(first);
    if anywhere
        && text::content_stems(&ParsedLine::plain(&directive.object)).iter().any(|stem| stem == "test")
        && !line.says_any(&["add", "update"])
    {
        return Some(test_names(first));
    }
    if !named_or_placed || directive.verb == "keep" && !is_template {
        return None;
    }
    let mut check = if is_template { by_template(first) } else { by_directory(&directive.object, first)? };
    if directive.subject.is_some() || line.conditions.iter().any(|when| when.relation != Relation::Unless) {
        // Said for one occasion: other files of the kind may lie elsewhere.
        check.forbid.clear();
    }
    for other in line
        .directives
        .iter()
        .filter(|other| !other.negative && !std::ptr::eq(*other, directive) && is_edit_verb(&other.verb))
    {
        for code in line.codes_in(&other.object).iter().filter(|code| code.kind == CodeKind::Path) {
            check.expect.push(Expect::one(Condition::Wrote(Wrote {
                paths: vec![code.text.clone().into()],
                ..Wrote::default()
            })));
        }
    }
    Some(check)
}

/// "Tests live next to the code as `*_test.go`".
fn test_names(glob: &str) -> Check {
    let good =
        Condition::Wrote(Wrote { paths: vec![glob.to_owned().into()], whole: true, ..Wrote::default() });
    // Tests of another language are named by its own rules.
    let tests: Vec<String> = match glob.rsplit('.').next().unwrap_or("") {
        "ts" | "tsx" | "js" | "jsx" | "mjs" => vec!["*.{test,spec}.{ts,tsx,js,jsx,mjs,mts}".into()],
        "py" => vec!["test_*.py".into(), "*_test.py".into()],
        "go" => vec!["*_test.go".into()],
        "rb" => vec!["*_spec.rb".into(), "*_test.rb".into()],
        _ => super::concepts::TEST_GLOBS
            .iter()
            .filter(|glob| !glob.ends_with("/**"))
            .map(|glob| (*glob).to_owned())
            .collect(),
    };
    let bad = Condition::Wrote(Wrote {
        paths: crate::language::globs(tests),
        except: vec![glob.to_owned().into()],
        whole: true,
        ..Wrote::default()
    });
    Check {
        expect: vec![Expect::one(good)],
        forbid: vec![bad],
        ..draft("test-names", format!("new tests are named {glob}"))
    }
}

fn by_template(path: &str) -> Check {
    let glob = path
        .replace("YYYY-MM-DD", "<date>")
        .replace("YYYYMMDD", "<date>")
        .replace("YYYY", "<year>")
        .replace("NNNN", "<n>")
        .replace("NNN", "<n>");
    let glob = placeholder_words(&glob);
    let directory = glob
        .rsplit_once('/')
        .map(|(directory, _)| directory.to_owned())
        .filter(|directory| !directory.contains('<'));
    let ending = glob.rsplit_once('.').map_or("", |(_, ending)| ending);
    let good = Condition::Wrote(Wrote { paths: vec![glob.clone().into()], whole: true, ..Wrote::default() });
    let trigger = directory.map(|directory| {
        Condition::Wrote(Wrote {
            paths: vec![format!("{directory}/*.{ending}").into()],
            except: vec!["README.md".into(), "index.md".into()],
            whole: true,
            ..Wrote::default()
        })
    });
    Check {
        trigger: trigger.into_iter().collect(),
        expect: vec![Expect::one(good)],
        unmet: Unmet::Missed,
        ..draft("placed-file", format!("such files are written as {path}"))
    }
}

/// `brief-description` in a template is a placeholder as well.
fn placeholder_words(glob: &str) -> String {
    let mut out = glob.to_owned();
    for word in [
        "brief-description",
        "short-description",
        "description",
        "your-feature",
        "feature-name",
        "slug",
        "kebab-case-name",
        "name",
    ] {
        if out.contains('<') && !out.contains(&format!("<{word}")) {
            out = out.replacen(&format!("-{word}"), "-<text>", 1);
        }
    }
    out
}

fn by_directory(object: &str, directory: &str) -> Option<Check> {
    let stems = text::content_stems(&ParsedLine::plain(object));
    let globs = super::occasion::concept_globs(&stems);
    let base = directory.trim_end_matches(['/', '*']);
    let good =
        Condition::Wrote(Wrote { paths: vec![format!("{base}/**").into()], whole: true, ..Wrote::default() });
    if globs.is_empty() {
        let words: Vec<String> = stems
            .into_iter()
            .filter(|stem| !text::is_stem_of(stem, &["file", "go", "live", "belong", "store", "kept"]))
            .collect();
        if words.is_empty() {
            return None;
        }
        return Some(Check {
            trigger: Vec::new(),
            expect: vec![Expect::one(good)],
            unmet: Unmet::Open,
            ..draft("placed-file", format!("such files go below {directory}"))
        });
    }
    let plain = stems_are_plain(&ParsedLine::plain(object));
    if !plain {
        return Some(Check {
            expect: vec![Expect::one(good)],
            ..draft("placed-file", format!("such files go below {directory}"))
        });
    }
    let elsewhere = Condition::Wrote(Wrote {
        paths: crate::language::globs(globs),
        except: vec![format!("{base}/**").into()],
        whole: true,
        ..Wrote::default()
    });
    Some(Check {
        expect: vec![Expect::one(good)],
        forbid: vec![elsewhere],
        ..draft("placed-file", format!("such files go below {directory}"))
    })
}

/// Whether a phrase names all tests or all migrations, and no special ones: only then is another place wrong.
fn stems_are_plain(phrase: &str) -> bool {
    text::content_stems(phrase).iter().all(|stem| {
        text::is_stem_of(
            stem,
            &[
                "test",
                "tests",
                "migration",
                "migrations",
                "file",
                "go",
                "live",
                "put",
                "unit",
                "all",
                "database",
                "db",
            ],
        )
    })
}

fn moved(line: &ParsedLine) -> Option<Check> {
    let directive = line.directives.iter().find(|directive| {
        !directive.negative && directive.verb == "move" && directive.object.contains(" to ")
    })?;
    let codes = line.codes_in(&directive.object);
    let (from, to) = (codes.first()?, codes.get(1)?);
    let target = if to.text.contains('/')
        && !to.text.trim_end_matches('/').contains('/')
        && from.text.trim_end_matches('/').contains('/')
    {
        // `a/b/pending/` to `done/`: a sibling.
        let parent = from.text.trim_end_matches('/').rsplit_once('/').map_or("", |(parent, _)| parent);
        format!("{parent}/{}", to.text)
    } else {
        to.text.clone()
    };
    let glob = |path: &str| format!("{}/**", path.trim_end_matches('/'));
    let written = Condition::Wrote(Wrote {
        paths: vec![glob(&target).into()],
        moved_from: Some(glob(&from.text).into()),
        ..Wrote::default()
    });
    let mut expect = vec![Expect {
        any: vec![written.clone()],
        order: Order::Anytime,
        since: crate::language::Since::Turn,
    }];
    for other in line
        .directives
        .iter()
        .filter(|other| !other.negative && is_edit_verb(&other.verb) && other.verb != "move")
    {
        for code in line.codes_in(&other.object).iter().filter(|code| code.kind == CodeKind::Path) {
            expect.push(Expect::one(Condition::Wrote(Wrote {
                paths: vec![code.text.clone().into()],
                ..Wrote::default()
            })));
        }
    }
    Some(Check {
        trigger: vec![written],
        expect,
        ..draft("moved-file", format!("files are moved from {} to {target}", from.text))
    })
}
