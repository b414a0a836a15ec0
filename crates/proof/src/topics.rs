//! What can be done in more than one way, how agents do it out of habit, and how people want it.

/// The projects, by the name of their folder.
pub(crate) const PROJECTS: [&str; 3] = ["shop-web", "orders-api", "log-cli"];
pub(crate) const WEB: usize = 0;
pub(crate) const API: usize = 1;
pub(crate) const CLI: usize = 2;

/// Something that can be done in more than one way.
#[derive(Debug)]
pub(crate) struct Topic {
    pub(crate) name: &'static str,
    /// In which kind of work it comes up.
    pub(crate) work: &'static str,
    /// What an agent does by itself.
    pub(crate) habit: &'static str,
    /// The ways, the habit among them.
    pub(crate) choices: &'static [&'static str],
    /// Who wants what: project, from which part of the run on (in percent), choice. The last one that began holds.
    pub(crate) wishes: &'static [(usize, usize, &'static str)],
}

const fn topic(
    name: &'static str,
    work: &'static str,
    choices: &'static [&'static str],
    wishes: &'static [(usize, usize, &'static str)],
) -> Topic {
    Topic { name, work, habit: choices[0], choices, wishes }
}

/// All of them. Two wishes change in the middle of a run; two differ between projects.
pub(crate) const TOPICS: &[Topic] = &[
    topic("packages", "install", &["npm", "pnpm", "bun"], &[(WEB, 0, "pnpm"), (WEB, 50, "bun")]),
    topic("python", "install", &["pip", "uv"], &[(API, 0, "uv")]),
    topic("search", "search", &["grep", "rg"], &[(WEB, 0, "rg"), (API, 0, "rg"), (CLI, 0, "rg")]),
    topic("comments", "code", &["many", "none"], &[(WEB, 0, "none"), (API, 0, "none"), (CLI, 0, "none")]),
    topic(
        "tests first",
        "commit",
        &["without", "before"],
        &[(WEB, 0, "before"), (API, 0, "before"), (CLI, 0, "before")],
    ),
    topic(
        "branch",
        "commit",
        &["main", "feature"],
        &[(WEB, 0, "feature"), (API, 0, "feature"), (CLI, 0, "main")],
    ),
    topic(
        "trailer",
        "commit",
        &["co-author", "none"],
        &[(WEB, 0, "none"), (API, 0, "none"), (CLI, 0, "none")],
    ),
    topic("message", "commit", &["plain", "conventional"], &[(WEB, 0, "conventional"), (API, 0, "plain")]),
    topic("deletion", "delete", &["rm", "trash"], &[(WEB, 0, "trash"), (API, 0, "trash"), (CLI, 0, "trash")]),
    topic("summaries", "code", &["written", "none"], &[(WEB, 0, "none"), (API, 0, "none"), (CLI, 0, "none")]),
    topic(
        "logging",
        "code",
        &["print", "logging", "structlog"],
        &[(API, 0, "logging"), (API, 40, "structlog")],
    ),
    topic("unwrap", "code", &["unwrap", "question mark"], &[(CLI, 0, "question mark")]),
    topic("compose", "containers", &["script", "plugin"], &[(WEB, 0, "plugin"), (API, 0, "plugin")]),
    topic("runner", "test", &["jest", "vitest"], &[(WEB, 0, "vitest")]),
    topic("any", "code", &["any", "typed"], &[(WEB, 0, "typed")]),
];

/// The broadcast that a run begins with: lines that help, one that will be stale, two that are stale, two that mislead.
pub(crate) const MEMORY_AT_THE_START: &str = "\
# Memory

- Use `rg` instead of `grep` when searching.
- Never add Co-Authored-By trailers to commits.
- Use `docker compose`, not `docker-compose`.
- Run the tests before committing.
- Write a SUMMARY.md after each task.
- Add comments that explain the code.

## Project: shop-web

- Use pnpm, not npm.
- Run tests with jest.

## Project: orders-api

- Install packages with pip.
";

/// A line that asks for a way, as people write it into their memory; `None` where nobody writes one.
pub(crate) fn line_for(topic: &str, choice: &str) -> Option<&'static str> {
    Some(match (topic, choice) {
        ("packages", "npm") => "Use npm for packages.",
        ("packages", "pnpm") => "Use pnpm, not npm.",
        ("packages", "bun") => "Use bun, not pnpm.",
        ("python", "pip") => "Install packages with pip.",
        ("python", "uv") => "Use uv instead of pip.",
        ("search", "grep") => "Search with `grep -rn`.",
        ("search", "rg") => "Use `rg` instead of `grep` when searching.",
        ("comments", "many") => "Add comments that explain the code.",
        ("comments", "none") => "Never add comments to the code.",
        ("tests first", "without") => "Skip the tests when you commit.",
        ("tests first", "before") => "Run the tests before committing.",
        ("branch", "main") => "Commit directly to main.",
        ("branch", "feature") => "Never commit to main, always use a feature branch.",
        ("trailer", "co-author") => "Add a Co-Authored-By trailer to commits.",
        ("trailer", "none") => "Never add Co-Authored-By trailers to commits.",
        ("message", "plain") => "Write plain commit messages.",
        ("message", "conventional") => "Use conventional commit messages.",
        ("deletion", "rm") => "Use rm for cleaning up.",
        ("deletion", "trash") => "Use trash instead of rm.",
        ("summaries", "written") => "Write a SUMMARY.md after each task.",
        ("summaries", "none") => "Do not write summary files.",
        ("logging", "print") => "Use print for output.",
        ("logging", "logging") => "Use logging instead of print.",
        ("logging", "structlog") => "Use structlog, not logging.",
        ("unwrap", "question mark") => "Never use unwrap, propagate errors with `?`.",
        ("compose", "script") => "Start containers with docker-compose.",
        ("compose", "plugin") => "Use `docker compose`, not `docker-compose`.",
        ("runner", "jest") => "Run tests with jest.",
        ("runner", "vitest") => "Run tests with vitest, not jest.",
        ("any", "typed") => "Never use `any` in TypeScript.",
        _ => return None,
    })
}

impl Topic {
    /// How people want it in a project, at a point of the run; `None` where it does not come up.
    pub(crate) fn wish(&self, project: usize, percent_done: usize) -> Option<&'static str> {
        let begun = |wish: &&(usize, usize, &'static str)| wish.0 == project && wish.1 <= percent_done;
        self.wishes.iter().rfind(begun).map(|wish| wish.2)
    }
}

/// The topics that come up in a kind of work.
pub(crate) fn coming_up(work: &str, project: usize) -> impl Iterator<Item = &'static Topic> {
    TOPICS.iter().filter(move |topic| topic.work == work && topic.wish(project, 0).is_some())
}
