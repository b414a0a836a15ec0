//! Rules about what every function carries: types, and a word of documentation.

use crate::language::{Check, Condition, Expect, Mixed, Wrote};
use crate::line::ParsedLine;
use crate::text::pattern;

use super::concepts::TEST_GLOBS;

pattern!(
    TYPES,
    r"\btype[- ]?hint(?:s|ed|ing)?\b|\btype annotations?\b|\btype-annotated\b|\bannotate (?:all |every )?(?:function|method|parameter|return)|\btyped (?:function )?signatures?\b|\breturn types?\b|\bfully typed\b"
);
pattern!(
    DOCUMENTED,
    r"\bdocstrings?\b|\bjsdoc\b|\btsdoc\b|\bgodoc\b|\brustdoc\b|\bdoc comments?\b|\bjavadoc\b|\bphpdoc\b"
);

/// A parameter that is neither `self` nor `cls`.
const PARAMETER: &str = r"(?:[abd-rt-zA-Z_]\w*|c(?:[a-km-z_0-9]\w*)?|cl(?:[a-rt-z_0-9]\w*)?|cls\w+|s(?:[a-df-z_0-9]\w*)?|se(?:[a-km-z_0-9]\w*)?|sel(?:[a-eg-z_0-9]\w*)?|self\w+)";

struct Sign {
    globs: &'static [&'static str],
    good: String,
    bad: Option<String>,
    /// Whether what is missing shows only in a file that was written as a whole.
    whole: bool,
}

/// "Use type hints", "every public function needs a docstring", "explicit return types on exported functions".
pub(crate) fn compile(line: &ParsedLine) -> Option<Check> {
    if line.directives.iter().any(|directive| directive.negative) {
        return None;
    }
    let signs = if TYPES.is_match(&line.masked) {
        types(line)
    } else if DOCUMENTED.is_match(&line.masked) {
        documented(line)
    } else {
        return None;
    };
    let about_tests = line.says_any(&["tests too", "test files"]);
    let except: Vec<String> =
        if about_tests { Vec::new() } else { TEST_GLOBS.iter().map(|glob| (*glob).to_owned()).collect() };
    let wrote = |sign: &Sign, added: &str, whole: bool| {
        Condition::Wrote(Wrote {
            paths: crate::language::globs(sign.globs.iter().copied()),
            except: crate::language::globs(except.clone()),
            added: Some(added.to_owned().into()),
            whole,
            ..Wrote::default()
        })
    };
    let any = signs.iter().map(|sign| wrote(sign, &sign.good, false)).collect();
    let forbid: Vec<Condition> =
        signs.iter().filter_map(|sign| Some(wrote(sign, sign.bad.as_ref()?, sign.whole))).collect();
    Some(Check {
        testable: true,
        family: "annotations".into(),
        expect: vec![Expect {
            any,
            order: crate::language::Order::Anytime,
            since: crate::language::Since::Turn,
        }],
        forbid,
        mixed: Mixed::Open,
        why: "functions carry what the line asks for".into(),
        ..Check::default()
    })
}

fn names(line: &ParsedLine, words: &[&str]) -> bool {
    let headings = line.headings.join(" ").to_lowercase();
    line.says_any(words) || words.iter().any(|word| crate::line::contains_phrase(&headings, word))
}

fn types(line: &ParsedLine) -> Vec<Sign> {
    let python = Sign {
        globs: &["*.py"],
        good: format!(
            r"(?m)^\s*(?:async\s+)?def\s+\w+\([^)]*\)\s*->|^\s*(?:async\s+)?def\s+\w+\(\s*(?:(?:self|cls)\s*,\s*)?\*{{0,2}}{PARAMETER}\s*:"
        ),
        bad: Some(format!(
            r"(?m)^\s*(?:async\s+)?def\s+\w+\(\s*(?:(?:self|cls)\s*,\s*)?\*{{0,2}}{PARAMETER}\s*(?:=[^,):]*)?(?:,[^):]*)?\)\s*:"
        )),
        whole: false,
    };
    let script = Sign {
        globs: &["*.{ts,tsx,mts}"],
        good: r"(?m)function\s+\w+\([^)]*\)\s*:\s*\w|\)\s*:\s*[\w<>\[\]|. ]+\s*=>".to_owned(),
        bad: Some(r"(?m)^\s*export\s+(?:default\s+)?(?:async\s+)?function\s+\w+\([^)]*\)\s*\{".to_owned()),
        whole: false,
    };
    let php = Sign {
        globs: &["*.php"],
        good: r"function\s+\w+\([^)]*\)\s*:\s*\??\w".to_owned(),
        bad: Some(r"function\s+[a-z]\w*\([^)]*\)\s*\{".to_owned()),
        whole: false,
    };
    if names(line, &["php", "laravel"]) {
        return vec![php];
    }
    if names(line, &["typescript", "ts", "exported", "exported functions"]) {
        return vec![script];
    }
    vec![python]
}

fn documented(line: &ParsedLine) -> Vec<Sign> {
    let python = Sign {
        globs: &["*.py"],
        good: r#"(?m)^\s*(?:async\s+)?(?:def|class)\s+\w+[^\n]*:\s*\n\s+r?(?:"""|''')"#.to_owned(),
        bad: Some(
            r#"(?m)^(?:async\s+)?(?:def|class)\s+[A-Za-z]\w*[^\n]*:[ \t]*\n[ \t]+[^"'\s#r]"#.to_owned(),
        ),
        whole: false,
    };
    let rust = Sign {
        globs: &["*.rs"],
        good: r"(?m)^\s*///[^\n]*\n(?:\s*#\[[^\n]*\n)*\s*pub ".to_owned(),
        bad: Some(r"(?:\A|\n[ \t]*\}?[ \t]*\n)[ \t]*pub (?:async )?(?:fn|struct|enum|trait)\b".to_owned()),
        whole: true,
    };
    let go = Sign {
        globs: &["*.go"],
        good: r"(?m)^// [A-Z]\w*[^\n]*\n(?:func|type)\s+(?:\([^)]*\)\s*)?[A-Z]".to_owned(),
        bad: Some(r"(?:\n\}?[ \t]*\n)(?:func|type)\s+(?:\([^)]*\)\s*)?[A-Z]\w*".to_owned()),
        whole: true,
    };
    let script =
        Sign { globs: &["*.{ts,tsx,js,jsx,mjs,mts}"], good: r"/\*\*".to_owned(), bad: None, whole: false };
    let java = Sign { globs: &["*.{java,kt,php}"], good: r"/\*\*".to_owned(), bad: None, whole: false };
    if names(line, &["jsdoc", "tsdoc", "typescript", "javascript"]) {
        return vec![script];
    }
    if names(line, &["godoc", "go", "golang"]) {
        return vec![go];
    }
    if names(line, &["javadoc", "phpdoc", "java", "kotlin", "php"]) {
        return vec![java];
    }
    if names(line, &["rustdoc", "rust", "trait", "struct", "crate"])
        || line.codes.iter().any(|code| code.text == "///")
    {
        return vec![rust];
    }
    vec![python, rust]
}
