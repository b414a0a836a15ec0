//! Libraries that are named in plain words: which one is used, which one is not, and what else would do the same.

use crate::language::{Check, Condition, Expect, Order, Ran, Wrote};
use crate::line::{Directive, ParsedLine, is_program};
use crate::text;

use super::content::scope_globs;

/// Libraries for the same purpose: who is told to use one and takes another has not followed.
const RIVALS: &[&[&str]] = &[
    &["pytest", "unittest", "nose"],
    &["vitest", "jest", "mocha", "jasmine"],
    &["rspec", "minitest"],
    &["playwright", "cypress", "selenium", "puppeteer"],
    &["zod", "yup", "joi", "superstruct"],
    &["axios", "got", "node-fetch", "superagent"],
    &["date-fns", "moment", "dayjs", "luxon"],
    &["zustand", "redux", "mobx", "recoil", "jotai"],
    &["pydantic", "marshmallow"],
    &["httpx", "requests", "aiohttp"],
    &["polars", "pandas"],
    &["loguru", "structlog"],
    &["slog", "zap", "logrus", "zerolog"],
    &["tracing", "env_logger"],
    &["dio", "http"],
    &["prisma", "typeorm", "sequelize", "drizzle-orm"],
    &["swiftui", "uikit"],
    &["pathlib", "os.path"],
    &["testify", "gomega", "ginkgo"],
    &["mockito", "easymock", "powermock"],
    &["lucide-react", "react-icons"],
];

/// Other names that are libraries whatever they mean in English.
const KNOWN: &[&str] = &[
    "lodash",
    "lodash-es",
    "underscore",
    "jquery",
    "redux",
    "rxjs",
    "express",
    "fastify",
    "koa",
    "nestjs",
    "hono",
    "trpc",
    "graphql",
    "apollo",
    "tailwind",
    "bootstrap",
    "styled-components",
    "emotion",
    "shadcn",
    "radix",
    "mui",
    "antd",
    "chakra",
    "framer-motion",
    "numpy",
    "scipy",
    "matplotlib",
    "seaborn",
    "sqlalchemy",
    "django",
    "flask",
    "fastapi",
    "celery",
    "click",
    "typer",
    "argparse",
    "attrs",
    "sidekiq",
    "redis",
    "memcached",
    "devise",
    "lombok",
    "guava",
    "jackson",
    "gson",
    "hibernate",
    "mapstruct",
    "kotest",
    "junit",
    "assertj",
    "serde",
    "serde_json",
    "serde_yaml",
    "serde_yml",
    "tokio",
    "async-std",
    "anyhow",
    "thiserror",
    "eyre",
    "rayon",
    "regex",
    "globset",
    "glob",
    "reqwest",
    "hyper",
    "axum",
    "actix",
    "diesel",
    "sqlx",
    "clap",
    "structopt",
    "log",
    "chrono",
    "jiff",
    "gin",
    "echo",
    "chi",
    "gorm",
    "cobra",
    "viper",
    "riverpod",
    "bloc",
    "provider",
    "getx",
    "alamofire",
    "rxswift",
    "combine",
    "swiftdata",
    "xunit",
    "nunit",
    "moq",
    "nsubstitute",
    "fluentassertions",
    "automapper",
    "mediatr",
    "newtonsoft",
    "pest",
    "mockery",
    "faker",
    "enzyme",
    "msw",
    "nock",
    "sinon",
    "chai",
    "supertest",
    "winston",
    "pino",
    "bunyan",
    "fetch",
    "swr",
    "react-query",
    "tanstack",
    "immer",
    "uuid",
    "nanoid",
];

/// Whether this word names a library: by what is known, or because the line writes it like a name.
pub(crate) fn is_library(line: &ParsedLine, word: &str) -> bool {
    if word.len() < 3 || text::is_common(word) || COMMON_NOUNS.contains(&word) {
        return false;
    }
    KNOWN.contains(&word)
        || RIVALS.iter().any(|group| group.contains(&word))
        || word.contains('-')
        || is_proper(line, word)
}

/// Words of programming that people capitalise or join without meaning a library.
const COMMON_NOUNS: &[&str] = &[
    "typescript",
    "javascript",
    "python",
    "rust",
    "java",
    "kotlin",
    "swift",
    "english",
    "german",
    "french",
    "spanish",
    "json",
    "yaml",
    "html",
    "css",
    "sql",
    "http",
    "https",
    "rest",
    "api",
    "apis",
    "url",
    "claude",
    "github",
    "git",
    "docker",
    "linux",
    "windows",
    "macos",
    "unix",
    "bash",
    "semantic",
    "conventional",
    "markdown",
    "camelcase",
    "pascalcase",
    "snake_case",
    "kebab-case",
    "test-driven",
    "read-only",
    "pull",
    "feature",
    "server",
    "client",
    "node",
    "react",
    "postgresql",
    "sqlite",
    "mysql",
    "mongodb",
    "utc",
    "iso",
    "ascii",
    "utf-8",
    "tdd",
    "solid",
    "dry",
    "kiss",
    "yagni",
    "crud",
    "cli",
    "gui",
    "tui",
    "ide",
    "todo",
    "fixme",
    "readme",
    "changelog",
    "generics",
    "records",
    "context",
    "strict",
    "early",
    "async",
    "table-driven",
    "dependency",
    "structured",
    "parameterized",
    "type-only",
    "server-side",
];

/// Whether the line writes the word with a capital letter where no sentence begins.
fn is_proper(line: &ParsedLine, word: &str) -> bool {
    let mut found = false;
    for (at, raw) in line.text.split_whitespace().enumerate() {
        let bare = raw.trim_matches(|c: char| !c.is_alphanumeric());
        if bare.to_lowercase() != word {
            continue;
        }
        let capital = bare.starts_with(|c: char| c.is_uppercase()) && !bare.chars().all(|c| c.is_uppercase());
        found |= capital && at > 0;
    }
    found
}

/// The use of a library that is named in plain words.
pub(crate) fn used(name: &str, globs: &[String]) -> Condition {
    let name = regex::escape(name);
    let expression = format!(
        r#"(?im)(?:import|require|from|use|include|using|extern crate)\b[^\n]*(?:^|[^\w-]){name}(?:[^\w-]|$)|["'@/]{name}["'/]|(?:^|[^.\w-]){name}(?:\.|::)\w+|(?:^|[^.\w-]){name}\("#
    );
    Condition::Wrote(Wrote {
        paths: crate::language::globs(globs.to_vec()),
        added: Some(expression.into()),
        ..Wrote::default()
    })
}

/// The name at the head of a phrase: "zod for validation", "pytest in tests", "the date-fns library".
pub(crate) fn head_of(line: &ParsedLine, phrase: &str) -> Option<String> {
    let phrase = phrase.trim().trim_start_matches("the ").trim_start_matches("only ");
    let cut = [
        " for ",
        " in ",
        " to ",
        " when ",
        " as ",
        " library",
        " package",
        " framework",
        " with ",
        " on ",
        ",",
        " schemas",
        " directly",
        " primitives",
        " everywhere",
        " at ",
    ]
    .iter()
    .filter_map(|joint| phrase.find(joint))
    .min()
    .unwrap_or(phrase.len());
    let head = phrase.get(..cut)?.trim().trim_end_matches(['.', ':']);
    let is_word =
        !head.is_empty() && head.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let joined = head.replace(' ', "-");
    let name = if is_word { head.to_owned() } else { joined };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    (is_name
        && (is_word && is_library(line, &name)
            || KNOWN.contains(&name.as_str())
            || RIVALS.iter().any(|group| group.contains(&name.as_str()))))
    .then_some(name)
}

fn names_one(line: &ParsedLine, directive: &Directive) -> Vec<String> {
    let object = line.unmask(&directive.object);
    let items: Vec<String> = object
        .replace(", or ", ",")
        .replace(" or ", ",")
        .replace(" and ", ",")
        .split(',')
        .filter_map(|item| head_of(line, item))
        .collect();
    items
}

/// "Use Zod for validation", "always use pytest in tests", "do not use Lombok".
pub(crate) fn compile(line: &ParsedLine) -> Option<Check> {
    let is_use = |directive: &&Directive| {
        matches!(directive.verb.as_str(), "use" | "prefer" | "import" | "favor" | "choose" | "")
            && directive.instead_of.is_none()
            && line.codes_in(&directive.object).is_empty()
    };
    let of = |negative: bool| -> Vec<String> {
        line.directives
            .iter()
            .filter(|directive| directive.negative == negative && (!directive.verb.is_empty() || negative))
            .filter(is_use)
            .flat_map(|directive| names_one(line, directive))
            .collect()
    };
    let (good, mut bad) = (of(false), of(true));
    if good.is_empty() && bad.is_empty() {
        return None;
    }
    if bad.is_empty() {
        bad = rivals_of(&good);
    }
    bad.retain(|name| !good.contains(name));
    let globs = scope_globs(line);
    let mut any: Vec<Condition> = good.iter().map(|name| used(name, &globs)).collect();
    any.extend(
        good.iter().filter(|name| is_program(name)).map(|name| Condition::Ran(Ran::words(name.clone()))),
    );
    let expect = if any.is_empty() {
        Vec::new()
    } else {
        vec![Expect { any, order: Order::Anytime, since: crate::language::Since::Turn }]
    };
    let names = if good.is_empty() {
        format!("{} is not used", bad.join(", "))
    } else {
        format!("{} is used", good.join(", "))
    };
    Some(Check {
        testable: true,
        family: "library".into(),
        expect,
        forbid: bad.iter().map(|name| used(name, &globs)).collect(),
        unless: super::files::exceptions(line),
        why: names,
        ..Check::default()
    })
}

/// The other libraries for the same purpose.
pub(crate) fn rivals_of(names: &[String]) -> Vec<String> {
    RIVALS
        .iter()
        .filter(|group| names.iter().any(|name| group.contains(&name.as_str())))
        .flat_map(|group| group.iter().map(|name| (*name).to_owned()))
        .filter(|name| !names.contains(name))
        .collect()
}
