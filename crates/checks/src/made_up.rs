//! Boards, turns and messages made up at random, for tests that hold a quick answer against the plain one.

use subcortex_model::Turn;

use crate::judge::Board;
use crate::language::{
    About, Added, By, Check, CommandEnd, Committed, Condition, Earlier, Echoed, Expect, Pushed, Ran, Read,
    Refused, Role, Said, Since, Unit, Unmet, Used, Wrote, globs,
};

#[path = "../tests/common/mod.rs"]
mod common;

/// Boards and what is held against them, the same in every run.
pub(crate) struct Random(subcortex_testkit::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(subcortex_testkit::Random::seeded(seed))
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    fn some<'l>(&mut self, list: &[&'l str], most: usize) -> Vec<&'l str> {
        (0..=self.below(most)).map(|_| list[self.below(list.len())]).collect()
    }

    /// A board of lines and hand-made checks.
    pub(crate) fn board(&mut self) -> Board {
        let mut checks: Vec<Check> =
            self.some(LINES, 40).into_iter().map(|line| crate::reading::compile(line, &[])).collect();
        let by_hand = by_hand();
        checks.extend((0..self.below(12)).map(|_| by_hand[self.below(by_hand.len())].clone()));
        Board::new(checks.into_iter().enumerate().map(|(at, check)| (at + 1, check)))
            .with_documents(["docs/deploy.md".to_owned(), "docs/api.md".to_owned()])
    }

    /// A turn, opened by a message.
    pub(crate) fn turn(&mut self) -> Turn {
        let steps = self.some(STEPS, 9).join("\n");
        common::turn(&format!("> {}\n{steps}", self.message()))
    }

    /// What a person says.
    pub(crate) fn message(&mut self) -> String {
        self.some(SENTENCES, 2).join(" ")
    }
}

const LINES: &[&str] = &[
    "Use pnpm, not npm.",
    "Use npm, not pnpm.",
    "Use `rg` instead of `grep`.",
    "Before committing, run `make lint`.",
    "Run `cargo fmt` before every commit.",
    "Never push to `main`; open a pull request.",
    "Commit messages follow Conventional Commits.",
    "Commit messages are in the imperative mood.",
    "Never add a Co-Authored-By line to commits.",
    "Branch names start with `feat/` or `fix/`.",
    "Start every branch from the latest `main`.",
    "Never edit files under `gen/`.",
    "Never edit `services/billing/generated/`.",
    "New handlers go into `services/billing/handlers/`.",
    "After changing `services/billing/`, run `billingctl check`.",
    "After changing any `.proto` file run `make proto`.",
    "Update `CHANGELOG.md` when you change `services/billing/api.yaml`.",
    "See `docs/deploy.md` before changing `deploy/`.",
    "Read `docs/api.md` first when working on the API.",
    "No `any` in TypeScript.",
    "Use `slog` for logging, never `fmt.Println`.",
    "Never call `legacyClient()`; use `newClient()`.",
    "Do not use `console.log`.",
    "Ask before adding a dependency.",
    "Do not add comments unless asked.",
    "No emojis.",
    "Answer in German.",
    "Never use `git commit --no-verify`.",
    "Do not commit `services/billing/.env`.",
    "Put tests next to the source as `*.test.ts`.",
    "Write a test for every bug fix.",
    "Run the tests after each change.",
    "Never delete migrations.",
    "Use the migration tool for schema changes.",
    "Prefer composition over inheritance.",
    "Be nice.",
    "Never say that it is production ready.",
    "Do not create README files.",
    "Use uv for Python, never pip.",
    "Keep functions short.",
];

const STEPS: &[&str] = &[
    "$ pnpm test",
    "$ npm install left-pad",
    "$ npm run build => 2 failed, 3 passed",
    "! pnpm lint => error: unknown command",
    "$ sudo env CI=1 pnpm run gen:api",
    "$ make lint && git commit -am 'feat: add a field'",
    "$ git commit -m 'Added the retry' -m 'Co-Authored-By: A <a@b.c>'",
    "! git commit -m 'fix: total' => hook refused: run make lint before every commit",
    "$ git commit --no-verify -m 'migrations: tidy the schema'",
    "$ git push origin main",
    "$ git push -u origin feat/x",
    "$ git checkout -b feat/organisation main",
    "$ git checkout main && git pull && git switch -c Fix_it",
    "$ gh pr create --title 'Schema migrations' --body x",
    "$ billingctl check --all",
    "$ make proto",
    "$ cat docs/deploy.md",
    "$ grep -rn legacyClient src",
    "$ rm -rf gen/ db/migrations/1.sql",
    "$ mv src/a.ts src/B.test.ts",
    "$ echo x >> services/billing/.env",
    "$ uv run pytest -q",
    "$ pip install requests",
    "! curl x => permission denied by policy",
    "! make x => Task \u{212a}ernel refused",
    "+ web/page.tsx | const a: any = legacyClient()",
    "+ README.md | Kinds of things 🎉",
    "+ db/migrations/2.sql | create table organisations ()",
    "+ services/billing/handlers/pay.go | fmt.Println(x)",
    "+ Ser\u{17f}ices/x,y.md | ta\u{17f}k",
    "~ services/billing/api.yaml | a | b",
    "~ CHANGELOG.md | a | - organised the migrations",
    "~ gen/api.proto | a | message A {}",
    "~ src/a.ts | a | // why\\nconsole.log(x)",
    "~ src/größe.ts | a | const Tasks = 1",
    "? docs/api.md",
    "? src/a.ts",
    "@ WebSearch",
    "@ mcp__docs__search",
    "< Done. I organised the migrations and kept the schema as it was.",
    "< It is production ready! 🎉",
    "< Ich habe es erledigt.",
    "< The ta\u{17f}ks are done.",
    "< I did not touch the migrations. The test passes.",
    "^ no, use pnpm",
    "^ stop, you should have run make lint before committing",
    "^ why npm again? I told you to use pnpm",
    "% main",
];

const SENTENCES: &[&str] = &[
    "fix the total",
    "why is the build slow?",
    "No, use npm from now on, not pnpm.",
    "I told you to run make lint before committing!",
    "Why are you using npm again?",
    "Never push to main.",
    "You should have started from the latest main.",
    "Back to main first.",
    "please commit it",
    "Don't edit files under gen/, that is wrong.",
    "Always use rg instead of grep.",
    "never call legacyClient",
    "Add a dependency for retries.",
    "remember to update CHANGELOG.md when services/billing changes",
    "that's wrong, handlers go into services/billing/handlers",
    "Please don't add comments.",
    "see https://example.com/pnpm/lint",
    "Use uv, not pip.",
    "again?!",
    "write the migrations for organisations",
    "add co-authored-by lines to commits",
];

/// Checks as only a person would write them: each way of looking at a turn, and expressions and globs that are hard to read.
fn by_hand() -> Vec<Check> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let wrote = |paths: &[&str]| Wrote::paths(paths.iter().copied());
    let said = |text: &str| Said { by: By::Anyone, text: Some(text.into()), ..Said::default() };
    let conditions = [
        Condition::Ran(Ran::default()),
        Condition::Ran(Ran { with: Some("(?i)TASK|lint".into()), ..Ran::default() }),
        Condition::Ran(Ran::words("npm run gen*")),
        Condition::Ran(Ran::words("./bin/billingctl check --all")),
        Condition::Wrote(Wrote::default()),
        Condition::Wrote(wrote(&["a,b.md"])),
        Condition::Wrote(wrote(&["{src,db/migrations}/*.sql"])),
        Condition::Wrote(wrote(&["s**/a.ts", "<x/y>.md"])),
        Condition::Wrote(wrote(&["services/", "größe.ts"])),
        Condition::Wrote(Wrote { added: Some("(?i)tasks?".into()), ..Wrote::default() }),
        Condition::Wrote(Wrote { added: Some("(".into()), ..Wrote::default() }),
        Condition::Wrote(Wrote { words: words(&["migration", "organiz"]), ..Wrote::default() }),
        Condition::Wrote(Wrote { deleted: true, ..Wrote::default() }),
        Condition::Wrote(Wrote { moved_from: Some("src/".into()), ..Wrote::default() }),
        Condition::Wrote(Wrote { named: Some(r"[A-Z]\w+\.test\.ts".into()), ..Wrote::default() }),
        Condition::Read(Read { paths: globs(["docs/*.md"]) }),
        Condition::Read(Read { paths: Vec::new() }),
        Condition::Used(Used::tool("websearch")),
        Condition::Used(Used::tool("mcp__*")),
        Condition::Said(said("(?i)ready|tasks")),
        Condition::Said(said("🎉")),
        Condition::Said(Said { by: By::Anyone, words: words(&["organiz", "migration"]), ..Said::default() }),
        Condition::Said(Said::default()),
        Condition::About(About { words: words(&["schema", "migration"]) }),
        Condition::About(About { words: words(&["organiz"]) }),
        Condition::Echoed(Echoed { words: words(&["kept", "schema", "nowhere"]), least: 2 }),
        Condition::Refused(Refused { text: "(?i)kernel|denied".into() }),
        Condition::Ran(Ran::role(Role::Lint)),
        Condition::Ran(Ran {
            outcome: Some(CommandEnd::Failed),
            first_after_edit: true,
            ..Ran::role(Role::Test)
        }),
        Condition::Wrote(Wrote { removed: Some("^a$".into()), ..Wrote::default() }),
        Condition::Added(Added { lacks: Some("why".into()), ..Added::unit(Unit::File) }),
        Condition::Committed(Committed { files: globs(["*.sql"]), ..Committed::default() }),
        Condition::all([
            Condition::Committed(Committed::default()),
            Condition::none([Condition::Ran(Ran::role(Role::Lint))]),
        ]),
        Condition::all([
            Condition::Said(said("(?i)migrations")),
            Condition::Wrote(Wrote { added: Some("organi".into()), ..Wrote::default() }),
        ]),
        Condition::any([Condition::Used(Used::tool("WebSearch")), Condition::Ran(Ran::words("pip"))]),
        Condition::all([
            Condition::Pushed(Pushed::default()),
            Condition::Earlier(Earlier {
                any: vec![Condition::Ran(Ran::words("make"))],
                since: Since::Edit(Vec::new()),
            }),
        ]),
    ];
    let check = |condition: Condition| Check { testable: true, ..check_of(condition) };
    conditions.into_iter().map(check).collect()
}

fn check_of(condition: Condition) -> Check {
    let name = format!("{condition:?}");
    match name.len() % 3 {
        0 => Check { trigger: vec![condition], unmet: Unmet::Missed, why: name, ..Check::default() },
        1 => Check { forbid: vec![condition], why: name, ..Check::default() },
        _ => Check { expect: vec![Expect::one(condition)], why: name, ..Check::default() },
    }
}
