//! Things of programming languages that people name in plain words: "interfaces", "class components", "default exports".

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::{Condition, Wrote};

use super::concepts::CODE_GLOBS;

const SCRIPT: &[&str] = &["*.{ts,tsx,js,jsx,mjs,cjs,mts,vue,svelte,astro}"];
const TYPED_SCRIPT: &[&str] = &["*.{ts,tsx,mts,vue,svelte}"];
const PYTHON: &[&str] = &["*.py"];
const RUST: &[&str] = &["*.rs"];
const VIEWS: &[&str] = &["*.{tsx,jsx,vue,svelte,astro,html}"];
const SWIFT: &[&str] = &["*.swift"];
const JAVA: &[&str] = &["*.{java,kt,kts}"];

/// A thing, the words for it, the files it lives in, and how it looks there.
struct Noun {
    names: &'static [&'static str],
    globs: &'static [&'static str],
    looks: &'static str,
}

const NOUNS: &[Noun] = &[
    Noun {
        names: &["class components", "class component", "class-based components"],
        globs: SCRIPT,
        looks: r"class\s+\w+\s+extends\s+(?:React\.)?(?:Pure)?Component\b",
    },
    Noun {
        names: &["functional components", "function components"],
        globs: VIEWS,
        looks: r"(?m)^\s*(?:export\s+)?(?:default\s+)?(?:const\s+[A-Z]\w*\s*(?::[^=\n]+)?=\s*\(|function\s+[A-Z]\w*\()",
    },
    Noun { names: &["default exports", "default export"], globs: SCRIPT, looks: r"\bexport default\b" },
    Noun {
        names: &["named exports", "named export"],
        globs: SCRIPT,
        looks: r"(?m)^\s*export (?:const|function|class|async|type|interface|\{)",
    },
    Noun {
        names: &["enums", "enum", "typescript enums"],
        globs: TYPED_SCRIPT,
        looks: r"(?m)^\s*(?:export\s+)?(?:const\s+)?enum\s+\w",
    },
    Noun {
        names: &["interfaces", "interface"],
        globs: TYPED_SCRIPT,
        looks: r"(?m)^\s*(?:export\s+)?(?:default\s+)?interface\s+\w",
    },
    Noun {
        names: &["type aliases", "types", "type alias"],
        globs: TYPED_SCRIPT,
        looks: r"(?m)^\s*(?:export\s+)?type\s+\w+(?:<[^\n=]*>)?\s*=",
    },
    Noun {
        names: &["any", "any type", "any types", "the any type"],
        globs: TYPED_SCRIPT,
        looks: r":\s*any\b|<any>|\bas any\b|\bany\[\]",
    },
    Noun {
        names: &["unknown", "unknown type"],
        globs: TYPED_SCRIPT,
        looks: r":\s*unknown\b|<unknown>|\bas unknown\b|\bunknown\[\]",
    },
    Noun {
        names: &["arrow functions", "arrow function"],
        globs: SCRIPT,
        looks: r"(?m)^\s*(?:export\s+)?const\s+\w+\s*(?::[^=\n]+)?=\s*(?:async\s*)?\([^)]*\)\s*(?::[^=\n]+)?=>",
    },
    Noun {
        names: &[
            "function declarations",
            "function declaration",
            "function definition syntax",
            "function keyword",
            "named functions",
        ],
        globs: SCRIPT,
        looks: r"(?m)^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s+\w",
    },
    Noun {
        names: &["inline styles", "inline style", "inline css"],
        globs: VIEWS,
        looks: r"style=\{\{|style=\x22",
    },
    Noun {
        names: &["ternaries", "ternary operators", "ternary", "nested ternaries"],
        globs: SCRIPT,
        looks: r"\?[^?.:\n]+\s:\s[^:\n]",
    },
    Noun {
        names: &["print statements", "prints", "debug prints", "print() calls", "print calls"],
        globs: PYTHON,
        looks: r"(?m)^\s*print\(",
    },
    Noun {
        names: &["console.logs", "console logs", "console statements", "console logging"],
        globs: SCRIPT,
        looks: r"\bconsole\.(?:log|debug)\(",
    },
    Noun {
        names: &["wildcard imports", "wildcard import", "star imports", "glob imports"],
        globs: CODE_GLOBS,
        looks: r"(?m)^\s*(?:from\s+\S+\s+import\s+\*|import\s+[\w.]+\.\*|(?:pub\s+)?use\s+[\w:]+::\*;)",
    },
    Noun {
        names: &["relative imports", "relative import", "relative import paths"],
        globs: CODE_GLOBS,
        looks: r#"(?m)^\s*from\s+\.+[\w.]*\s+import|(?:from|import|require\()\s*['"](?:\.\./){2,}"#,
    },
    Noun {
        names: &["force unwraps", "force unwrap", "force unwrapping", "force-unwraps"],
        globs: SWIFT,
        looks: r"[\w\])]!(?:[.\s),;]|$)",
    },
    Noun { names: &["force casts", "force cast"], globs: SWIFT, looks: r"\bas!" },
    Noun {
        names: &["unsafe", "unsafe code", "unsafe blocks"],
        globs: RUST,
        looks: r"\bunsafe\s*(?:\{|fn|impl)",
    },
    Noun {
        names: &["unwrap", "unwraps", "unwrap/panic", "unwrap/expect"],
        globs: RUST,
        looks: r"\.unwrap\(",
    },
    Noun {
        names: &["field injection"],
        globs: JAVA,
        looks: r"@(?:Autowired|Inject)\s+(?:private|protected)?\s*\w+(?:<[^>]*>)?\s+\w+\s*;",
    },
    Noun {
        names: &["try-catch blocks", "try-catch", "try/catch blocks", "try/catch", "try catch"],
        globs: SCRIPT,
        looks: r"(?m)\btry\s*\{",
    },
    Noun {
        names: &["bare except", "bare excepts", "bare except clauses"],
        globs: PYTHON,
        looks: r"(?m)^\s*except\s*:",
    },
    Noun { names: &["em dashes", "em dash", "em-dashes"], globs: &[], looks: "—" },
    Noun {
        names: &["empty catches", "empty catch blocks", "empty catch"],
        globs: SCRIPT,
        looks: r"catch\s*(?:\([^)]*\))?\s*\{\s*\}",
    },
    Noun { names: &["f-strings", "f-string"], globs: PYTHON, looks: r#"\bf["']"# },
    Noun {
        names: &["global variables", "globals", "global state"],
        globs: PYTHON,
        looks: r"(?m)^\s*global\s+\w",
    },
    Noun {
        names: &["mutable default arguments", "mutable defaults"],
        globs: PYTHON,
        looks: r"def\s+\w+\([^)]*=\s*(?:\[\]|\{\})",
    },
    Noun { names: &["async/await", "await"], globs: CODE_GLOBS, looks: r"\bawait\b" },
    Noun {
        names: &["promise chains", "then chains", ".then() chains", "promise chaining"],
        globs: SCRIPT,
        looks: r"\.then\(",
    },
    Noun { names: &["eslint-disable", "eslint-disable comments"], globs: SCRIPT, looks: r"eslint-disable" },
    Noun {
        names: &["barrel files", "index barrel files", "barrel exports", "barrel imports"],
        globs: &["index.{ts,js,tsx}"],
        looks: r"(?m)^\s*export \* from|^\s*export \{[^}]*\} from",
    },
];

/// The place of the first noun that has a name.
static BY_NAME: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let named = NOUNS.iter().enumerate().rev();
    named.flat_map(|(at, noun)| noun.names.iter().map(move |name| (*name, at))).collect()
});

/// How a thing that is named in plain words looks in added text: the whole phrase, or the phrase up to "in", "for", "with".
pub(crate) fn seen(phrase: &str) -> Option<Condition> {
    let phrase = phrase.trim().trim_end_matches(['.', ',', ':']).trim();
    let phrase = [
        "any ",
        "all ",
        "the ",
        "new ",
        "bare ",
        "plain ",
        "unnecessary ",
        "nested ",
        "explicit ",
        "typescript ",
        "react ",
        "use of ",
    ]
    .iter()
    .fold(phrase, |phrase, lead| {
        if BY_NAME.contains_key(phrase) { phrase } else { phrase.strip_prefix(lead).unwrap_or(phrase) }
    });
    let cut = [
        " in ",
        " for ",
        " with ",
        " when ",
        " where ",
        " outside ",
        " to ",
        " unless ",
        " (",
        ", ",
        " without ",
        " on ",
    ]
    .iter()
    .filter_map(|joint| phrase.find(joint))
    .min()
    .unwrap_or(phrase.len());
    let head = phrase.get(..cut).unwrap_or(phrase).trim();
    let noun =
        [head, phrase].iter().filter_map(|name| BY_NAME.get(name)).min().and_then(|at| NOUNS.get(*at))?;
    Some(Condition::Wrote(Wrote {
        paths: crate::language::globs(noun.globs.iter().copied()),
        added: Some(noun.looks.to_owned().into()),
        ..Wrote::default()
    }))
}
