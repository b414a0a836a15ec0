//! Made-up memories and turns of other kinds of projects: a Go service, a data project, infrastructure, a mobile app, a web shop.
#![allow(clippy::unwrap_used, clippy::panic)]

use subcortex_checks::{Bearing, Board, Past, RootCause, Stance, compile_memory, judge, judge_after};
use subcortex_model::Turn;

#[path = "../common/mod.rs"]
mod common;
mod deeds;
mod words;

use common::turn;

/// What a turn says about one line: `S`, `W`, `N` or `-`.
fn verdict(line: &str, script: &str) -> &'static str {
    let board = Board::new(compile_memory(line).into_iter().map(|(number, _, check)| (number, check)));
    let turn = turn(script);
    let verdicts = judge_after(&turn, None, &Past::start(), &board);
    for verdict in &verdicts {
        let event = turn.events.iter().find(|event| event.id == verdict.event_id).unwrap();
        let payload = serde_json::to_string(&event.payload).unwrap();
        let quote = serde_json::to_string(&verdict.quote).unwrap();
        assert!(payload.contains(quote.trim_matches('"')), "the quote {quote} is not in {payload}");
    }
    match verdicts.first().map(|verdict| verdict.trajectory) {
        Some(Bearing::Strengthening) => "S",
        Some(Bearing::Weakening) => "W",
        Some(Bearing::Neutral) => "N",
        None => "-",
    }
}

fn check(line: &str, cases: &[(&str, &str)]) {
    for (script, expect) in cases {
        assert_eq!(verdict(line, script), *expect, "\nline: {line}\nturn: {script}");
    }
}

#[test]
fn a_go_service() {
    check(
        "- Before committing, run `golangci-lint run ./...`.",
        &[
            ("> fix it\n~ api/user.go | a | b\n$ golangci-lint run ./...\n$ git commit -am 'fix'", "S"),
            ("> fix it\n~ api/user.go | a | b\n$ git commit -am 'fix'", "W"),
            ("> fix it\n~ api/user.go | a | b\n$ golangci-lint run ./api\n$ git commit -am 'fix'", "N"),
            ("> commit it\n$ git commit -am 'fix'", "N"),
            ("> fix it\n~ api/user.go | a | b", "-"),
        ],
    );
    check(
        "- Use `slog` for logging, never `fmt.Println`.",
        &[
            ("> log it\n~ main.go | x | slog.Info(\"hi\")", "S"),
            ("> log it\n~ main.go | x | fmt.Println(\"hi\")", "W"),
            ("> log it\n~ main.go | x | return nil", "-"),
        ],
    );
    check(
        "- Never edit files under `internal/gen/`; change the templates in `templates/`.",
        &[("> go\n~ internal/gen/api.go | a | b", "W"), ("> go\n~ internal/api.go | a | b", "-")],
    );
    check(
        "- After changing any `.proto` file run `make proto`.",
        &[
            ("> add a field\n~ proto/user.proto | a | b\n$ make proto", "S"),
            ("> add a field\n~ proto/user.proto | a | b\n$ go build ./...", "W"),
        ],
    );
}

#[test]
fn a_data_project() {
    check(
        "- Use `uv` for packages; never call `pip`.",
        &[
            ("> add polars\n$ uv add polars", "S"),
            ("> add polars\n$ pip install polars", "W"),
            ("> add polars\n$ pip install polars\n$ uv add polars", "W"),
            ("> show\n$ grep pip README.md", "-"),
        ],
    );
    check(
        "- No `print` in `src/`; use `logger`.",
        &[
            ("> go\n~ src/load.py | a | print(rows)", "W"),
            ("> go\n~ src/load.py | a | logger.info(rows)", "S"),
            ("> go\n~ scripts/x.py | a | print(rows)", "-"),
        ],
    );
    check(
        "- Format with `ruff format` and check with `ruff check` before you commit.",
        &[
            (
                "> go\n~ a.py | a | b\n$ uv run ruff format . && uv run ruff check --fix\n$ git commit -m 'x'",
                "S",
            ),
            ("> go\n~ a.py | a | b\n$ ruff format .\n$ git commit -m 'x'", "W"),
            ("> go\n~ a.py | a | b\n$ git commit -m 'x'", "W"),
        ],
    );
}

#[test]
fn infrastructure() {
    check(
        "- Never run `terraform apply`; use `terraform plan`.",
        &[
            ("> change\n$ cd envs/prod && terraform plan -out p", "S"),
            ("> change\n$ terraform apply -auto-approve", "W"),
        ],
    );
    check(
        "- Run `terraform fmt` after editing *.tf files.",
        &[
            ("> go\n~ net/vpc.tf | a | b\n$ terraform fmt -recursive", "S"),
            ("> go\n~ net/vpc.tf | a | b", "W"),
            ("> go\n~ README.md | a | b", "-"),
        ],
    );
    check(
        "- Don't push to `main` directly, open a pull request.",
        &[
            ("> ship\n$ git push -u origin feat/x", "S"),
            ("> ship\n% main\n$ git push", "W"),
            ("> ship\n$ git push origin HEAD:main", "W"),
        ],
    );
}

#[test]
fn a_mobile_app() {
    check(
        "- Run `flutter analyze` before finishing.",
        &[
            ("> go\n~ lib/home.dart | a | b\n$ flutter analyze", "S"),
            ("> go\n~ lib/home.dart | a | b\n$ git commit -am x", "W"),
        ],
    );
    check(
        "- Use `StateNotifier`, not `ChangeNotifier`.",
        &[
            ("> go\n+ lib/cart.dart | class Cart extends StateNotifier<int> {}", "S"),
            ("> go\n+ lib/cart.dart | class Cart extends ChangeNotifier {}", "W"),
        ],
    );
    check(
        "- `ios/Podfile.lock` must not be edited by hand.",
        &[("> go\n~ ios/Podfile.lock | a | b", "W"), ("> go\n~ ios/Podfile | a | b", "-")],
    );
}

#[test]
fn a_web_shop() {
    check(
        "- Commit messages follow Conventional Commits.",
        &[
            ("> commit\n$ git commit -m \"feat(cart): add totals\"", "S"),
            ("> commit\n$ git commit -m \"added totals\"", "W"),
            ("> commit\n$ git commit -m \"$(cat <<'EOF'\\nfix: totals\\n\\nbody\\nEOF\\n)\"", "S"),
        ],
    );
    check(
        "- TypeScript: no `any`.",
        &[
            ("> go\n~ src/a.ts | x | const a: any = 1", "W"),
            ("> go\n~ src/a.ts | x | const company = 1", "-"),
        ],
    );
    check(
        "- Use pnpm, not npm.",
        &[
            ("> go\n$ pnpm install", "S"),
            ("> go\n$ cd web && npm install", "W"),
            ("> go\n$ npm ci\n$ pnpm test", "N"),
        ],
    );
    check(
        "- Don't add new dependencies without asking first.",
        &[
            ("> make the chart nicer\n$ npm install d3", "W"),
            ("> add d3 as a dependency\n$ npm install d3", "S"),
            ("> make it nicer\n$ npm install", "-"),
        ],
    );
    check(
        "- After changing the UI, verify it with Playwright MCP.",
        &[
            ("> go\n~ src/Cart.tsx | a | b\n@ mcp__playwright__browser_navigate", "S"),
            ("> go\n~ src/Cart.tsx | a | b", "W"),
        ],
    );
    check(
        "- Prefix all git commands with `wrap`.",
        &[
            ("> go\n$ wrap git status && wrap git diff", "S"),
            ("> go\n$ git status", "W"),
            ("> go\n$ wrap git status && git diff", "N"),
        ],
    );
    check(
        "- Do not commit unless I ask.",
        &[("> fix the bug\n$ git commit -m x", "W"), ("> fix the bug and commit\n$ git commit -m x", "S")],
    );
}

#[test]
fn a_correction_speaks_against_the_line_it_concerns() {
    let memory = "- Use pnpm, not npm.\n- Run `make lint` before committing.\n- Update the snapshot `schema.sql` whenever a table is added.\n";
    let board = Board::new(compile_memory(memory).into_iter().map(|(line, _, check)| (line, check)));
    let before = turn("> set it up\n$ npm install\n< Installed.");
    let after = turn("> why are you using npm? we use pnpm\n$ pnpm install");
    let verdicts = judge(&after, Some(&before), &board);
    assert_eq!(
        verdicts.iter().map(|verdict| (verdict.line, verdict.trajectory)).collect::<Vec<_>>(),
        [(1, Bearing::Weakening)]
    );
    assert_eq!(verdicts[0].root_cause, None, "the person sides with the line");
    assert_eq!(verdicts[0].stance, Some(Stance::With));
    assert_eq!(judge(&before, None, &board)[0].stance, None, "the check alone decided");
    let against = turn("> no, schema.sql should never be updated by hand, it is a snapshot\n< Understood.");
    let verdicts = judge(&against, Some(&before), &board);
    assert_eq!(verdicts[0].line, 3);
    assert_eq!(verdicts[0].root_cause, Some(subcortex_checks::RootCause::DirectionWrong));
    assert_eq!(verdicts[0].stance, Some(Stance::Against));
}

#[test]
fn a_document_that_nobody_opened_was_not_recalled() {
    use subcortex_checks::RootCause;
    let memory = "- Before a release, run `make dist`; see [[topic-release]] for the steps.\n- Read `docs/BILLING.md` before changing the billing module.\n";
    let checks = || compile_memory(memory).into_iter().map(|(line, _, check)| (line, check));
    let board = Board::new(checks())
        .with_documents(["memory/topics/release.md".to_owned(), "docs/BILLING.md".to_owned()]);
    let before = turn("> release it\n$ git tag v1\n< Released.");
    let after = turn("> you forgot make dist before the release, again\n$ make dist");
    let cause = |board: &Board, before: &Turn| {
        judge(&after, Some(before), board)
            .iter()
            .find(|verdict| verdict.line == 1)
            .map(|verdict| verdict.root_cause)
    };
    assert_eq!(cause(&board, &before), Some(Some(RootCause::RecallMiss)));
    let opened = turn("> release it\n? memory/topics/release.md\n$ git tag v1\n< Released.");
    assert_eq!(cause(&board, &opened), Some(None), "it was opened");
    assert_eq!(cause(&Board::new(checks()), &before), Some(None), "nobody said that it exists");
}

#[test]
fn a_line_that_nobody_can_test_says_why_and_how_to_word_it() {
    for line in ["- Write clean code.", "- The API listens on port 8080.", "- Be careful."] {
        let check = subcortex_checks::compile(line, &[]);
        assert!(!check.testable, "{line}: {check:?}");
        assert!(check.reword.is_some() && !check.why.is_empty(), "{line}");
    }
}

#[test]
fn a_section_holds_only_in_its_project() {
    let memory = "## Project: shop\n- Use pnpm, not npm.\n";
    let board = Board::new(compile_memory(memory).into_iter().map(|(line, _, check)| (line, check)));
    let mut elsewhere = turn("> go\n$ npm install");
    assert!(judge(&elsewhere, None, &board).is_empty());
    for event in &mut elsewhere.events {
        event.cwd = Some("/home/dev/shop".into());
    }
    assert_eq!(judge(&elsewhere, None, &board).len(), 1);
}

#[test]
fn a_check_survives_being_stored() {
    for (_, line, check) in compile_memory(
        "- Use pnpm, not npm.\n- Never push to `main`.\n- After editing *.go files run `gofmt`.\n",
    ) {
        let stored = serde_json::to_string(&check).unwrap();
        assert_eq!(serde_json::from_str::<subcortex_checks::Check>(&stored).unwrap(), check, "{line}");
    }
}

#[test]
fn words_about_a_line_without_a_test_count_when_what_was_just_written_is_taken_out_again() {
    let memory = "- Prerequisites stand at the start of procedural content\n- Keep prose friendly\n";
    let board = Board::new(compile_memory(memory).into_iter().map(|(line, _, check)| (line, check)));
    let before = turn("> write the guide\n+ docs/guide.md | Open the admin page.\\nPress save.");
    let said = |script: &str| judge(&turn(script), Some(&before), &board);
    let taken_out = said(
        "> the prerequisites are missing from that procedural page\n~ docs/guide.md | Open the admin page. | You need to be admin.\\nOpen the admin page!",
    );
    assert_eq!(
        taken_out.iter().map(|verdict| (verdict.line, verdict.trajectory)).collect::<Vec<_>>(),
        [(1, Bearing::Weakening)]
    );
    let elsewhere =
        said("> now the prerequisites of the other procedural page\n+ docs/other.md | You need to be admin.");
    assert_eq!(elsewhere, []);
}

/// What the last of several turns of a session says about one line.
fn last_verdict(line: &str, scripts: &[&str]) -> &'static str {
    let board = Board::new(compile_memory(line).into_iter().map(|(number, _, check)| (number, check)));
    let turns: Vec<Turn> = scripts.iter().map(|script| turn(script)).collect();
    let (last, earlier) = turns.split_last().unwrap();
    let mut past = Past::start();
    earlier.iter().for_each(|turn| past.add(turn));
    match judge_after(last, earlier.last(), &past, &board).first().map(|verdict| verdict.trajectory) {
        Some(Bearing::Strengthening) => "S",
        Some(Bearing::Weakening) => "W",
        Some(Bearing::Neutral) => "N",
        None => "-",
    }
}

#[test]
fn what_comes_only_when_a_file_is_written_again_does_not_show_that_the_line_was_followed() {
    let line = "- Use `time.monotonic()` for durations, not `time.time()`.";
    let first = "> poll until it is gone\n+ a.py | left = clock()";
    let elsewhere = "> and the other one, with a limit\n+ b.py | started = time.monotonic()";
    let again = "> give up after ten seconds, and say in the log how long it took to get there\n~ a.py | y = 0 | started = time.monotonic()";
    assert_eq!(last_verdict(line, &[first, elsewhere]), "S");
    assert_eq!(last_verdict(line, &[first, again]), "N");
    // What stood there is taken out for it, in answer to a few words.
    let mended = "> that breaks when ntp steps\n~ a.py | left = clock() | started = time.monotonic()";
    assert_eq!(last_verdict(line, &[first, mended]), "W");
}

#[test]
fn plain_forms_of_rules_files_are_read() {
    check(
        "- Forbidden here: **NO history rewrites**: `git rebase`, `git reset --hard`",
        &[
            ("> go\n$ git rebase main", "W"),
            ("> go\n$ git reset --hard HEAD~1", "W"),
            ("> go\n$ git status", "-"),
        ],
    );
    check(
        "- For Python, Go, and SQL files: **run the formatter** first: `make tidy`",
        &[("> go\n~ a.py | a | b\n$ make tidy", "S"), ("> go\n~ a.py | a | b", "-")],
    );
    check(
        "- Always lint changed files",
        &[("> go\n~ a.rb | a | b\n$ bin/lint a.rb", "S"), ("> go\n~ a.rb | a | b", "-")],
    );
    check(
        "- Prefer Gradle tasks over shell scripts.",
        &[("> go\n$ ./gradlew :app:check", "S"), ("> go\n$ ls", "-")],
    );
    check(
        "- Integration tests: `tests/integration/`",
        &[
            ("> go\n+ tests/integration/test_a.py | def test_a():\\n    assert True", "S"),
            ("> go\n+ tests/unit/test_a.py | def test_a():\\n    assert True", "-"),
        ],
    );
    check(
        "- New labels go in `labels.en.json`",
        &[("> go\n~ app/labels.en.json | a | b", "S"), ("> go\n~ a.ts | a | b", "-")],
    );
    check(
        "- Use `tidyfmt` for formatting",
        &[("> go\n$ tidyfmt -w .", "S"), ("> go\n~ a.go | a | tidyfmt", "-")],
    );
    check(
        "- dont use npm or npx , we use bun which is faster",
        &[("> go\n$ bun install", "S"), ("> go\n$ npx tsc", "W"), ("> go\n$ ls", "-")],
    );
    check(
        "- **No secrets in code**: Use environment variables.",
        &[("> go\n~ a.ts | a | const apiKey = \"abcd1234efgh5678ijkl\"", "W"), ("> go\n~ a.ts | a | b", "-")],
    );
}

#[test]
fn a_tool_of_one_language_is_not_asked_for_after_changes_of_another() {
    let line = "- Always format Python files right after editing them: `tidy --py <file>`.";
    check(line, &[("> go\n~ a.py | a | b\n$ tidy --py a.py", "S"), ("> go\n~ ui/a.tsx | a | b", "-")]);
}

#[test]
fn a_comment_in_backticks_is_no_command() {
    let line = "- Disabling comments look like `// lint-disable-next-line rule -- reason`";
    check(line, &[("> go\n$ lint-disable-next-line rule", "-")]);
}

#[test]
fn a_branch_that_got_another_name_is_no_new_one() {
    check(
        "- Create a new branch for each task.",
        &[("> go\n$ git switch -c b", "S"), ("> go\n$ git branch -m a b", "-")],
    );
    check(
        "- Name branches `feat/<name>` or `fix/<name>`.",
        &[("> go\n$ git branch -m a feat/b", "S"), ("> go\n$ git branch -m a b", "W")],
    );
}

#[test]
fn a_command_that_was_run_because_the_person_asked_after_it_follows_nothing() {
    let line = "- Run `go test -race ./...` for code with goroutines.";
    let first = "> stop the workers\n~ pool.go | a | var stopped bool";
    let asked = "> did you run that with the race detector?\n$ go test -race ./...";
    let unasked = "> now the reader as well\n~ reader.go | a | b\n$ go test -race ./...";
    assert_eq!(last_verdict(line, &[first, asked]), "N");
    assert_eq!(last_verdict(line, &[first, unasked]), "S");
}

#[test]
fn one_word_that_a_message_shares_with_an_untested_line_is_no_remark_about_it() {
    let line = "- Do not remove comments that are still correct.\n- Use tabs.";
    let first = "> add a limit\n+ A.java | class A {\\n  int limit = 3;\\n}";
    let shared = "> gh comments on it: the limit has to be configurable\n~ A.java | int limit = 3; | int limit = config();";
    assert_eq!(last_verdict(line, &[first, shared]), "-");
}

#[test]
fn a_board_that_expects_text_has_to_know_which_files_were_written_before() {
    let looks_back = |line: &str| {
        Board::new(compile_memory(line).into_iter().map(|(number, _, check)| (number, check))).looks_back()
    };
    assert!(looks_back("- Use `time.monotonic()` instead of `time.time()`."));
    assert!(!looks_back("- Never run `git stash`."));
}

#[test]
fn a_prohibition_spares_the_files_that_its_exception_names() {
    check(
        "- Never use `fetchUser()` except in `src/api/`.",
        &[("> go\n~ src/ui/a.ts | a | fetchUser()", "W"), ("> go\n~ src/api/a.ts | a | fetchUser()", "-")],
    );
    check(
        "- Never use `fetchUser()` outside of `src/api/`.",
        &[("> go\n~ src/ui/a.ts | a | fetchUser()", "W"), ("> go\n~ src/api/a.ts | a | fetchUser()", "-")],
    );
    check(
        "- No `assert_ok!` in production code.",
        &[("> go\n~ src/a.rs | a | assert_ok!(b)", "W"), ("> go\n~ tests/a.rs | a | assert_ok!(b)", "-")],
    );
}

#[test]
fn what_is_too_long_is_seen() {
    let long = "a".repeat(101);
    check(
        "- Maximum line length is 100 characters.",
        &[(&format!("> go\n~ a.py | a | {long}"), "W"), ("> go\n~ a.py | a | b", "-")],
    );
    let lines = "x\\n".repeat(30);
    check(
        "- Keep files under 20 lines.",
        &[(&format!("> go\n+ a.py | {lines}"), "W"), ("> go\n+ a.py | x\\ny", "-")],
    );
    check(
        "- Keep commit subjects under 20 characters.",
        &[("> go\n$ git commit -m 'Add'", "S"), ("> go\n$ git commit -m 'Add the totals of all carts'", "W")],
    );
}

#[test]
fn an_option_is_forbidden_where_the_line_names_its_command() {
    check(
        "- Never use `--filter` with `dotnet test`.",
        &[
            ("> go\n$ dotnet test --filter A", "W"),
            ("> go\n$ dotnet test", "-"),
            ("> go\n$ ls --filter a", "-"),
        ],
    );
    check(
        "- Use debug builds (not `--release`) when developing.",
        &[("> go\n$ cargo build --release", "W"), ("> go\n$ cargo build", "-")],
    );
    check(
        "- Always pass `--json` to `bd`.",
        &[("> go\n$ bd list --json", "S"), ("> go\n$ bd list", "W"), ("> go\n$ ls", "-")],
    );
}

#[test]
fn work_is_done_with_the_command_that_the_line_names() {
    check(
        "- Generate migrations with `alembic revision --autogenerate`.",
        &[("> go\n$ alembic revision --autogenerate -m a", "S"), ("> go\n$ ls", "-")],
    );
    check("- Use Ruff for linting and formatting.", &[("> go\n$ ruff check .", "S"), ("> go\n$ ls", "-")]);
    check(
        "- Commit messages must start with `[core]`.",
        &[("> go\n$ git commit -m '[core] Add'", "S"), ("> go\n$ git commit -m 'Add'", "W")],
    );
    check(
        "- The `gen/` directory is generated. Do not edit by hand.",
        &[("> go\n~ gen/a.ts | a | b", "W"), ("> go\n~ src/a.ts | a | b", "-")],
    );
}

#[test]
fn who_ends_with_a_question_is_not_done() {
    check(
        "- When you are done with a task, run `make lint`.",
        &[
            ("> go\n~ a.py | a | b\n< Done.", "W"),
            ("> go\n~ a.py | a | b\n< Shall I go on?", "N"),
            ("> go\n~ a.py | a | b\n$ make lint\n< Done.", "S"),
        ],
    );
}

#[test]
fn a_heading_that_forbids_does_not_forbid_the_remedy() {
    check(
        "# Never\n\n- Do not edit `api/openapi.json` by hand. Run `just openapi`.",
        &[("> go\n$ just openapi", "S"), ("> go\n~ api/openapi.json | a | b", "W"), ("> go\n$ ls", "-")],
    );
    check(
        "# Anti-patterns\n\n- npm/yarn → use pnpm",
        &[("> go\n$ pnpm install", "S"), ("> go\n$ npm install", "W"), ("> go\n$ ls", "-")],
    );
}

#[test]
fn what_stands_below_ask_first_is_not_done_unasked() {
    check(
        "## ⚠️ Ask first\n\n- Adding new dependencies",
        &[("> fix the date\n$ npm install dayjs", "W"), ("> fix\n$ npm test", "-")],
    );
}

#[test]
fn a_deed_that_is_not_done_without_another_asks_for_the_other() {
    for line in
        ["- Never commit without running `make lint`.", "## Don't\n\n- Commit without running `make lint`"]
    {
        check(
            line,
            &[
                ("> go\n~ a.py | a | b\n$ make lint\n$ git commit -m x", "S"),
                ("> go\n~ a.py | a | b\n$ git commit -m x", "W"),
                ("> go\n$ ls", "-"),
            ],
        );
    }
}

#[test]
fn words_that_only_look_like_an_order_are_none() {
    for (line, script) in [
        ("- Types go in function signatures, NOT in docstrings", "> go\n$ go build ./..."),
        ("- `data-testid` must be a single value", "> go\n~ a.tsx | a | <p data-testid=\"a b\" />"),
        ("- Only use `@dataclass` when mutability is required", "> go\n~ a.py | a | @dataclass"),
        ("- Use TypeScript strict types", "> go\n+ a.php | <?php\\nclass A {}"),
        ("- PR descriptions must contain `Issue Number:`", "> go\n~ a.ts | a | const a = 'Issue Number:'"),
        ("- Branch naming for fixes: `fix-<number>`", "> go\n$ git checkout -b add-cart"),
        ("- NEVER stop before pushing", "> go\n~ a.ts | a | b\n$ git commit -am x\n$ git push"),
        ("- Use `jobs` to see background jobs", "> go\n~ a.ts | a | jobs.map(run)"),
        ("- For CLI output, use `click.echo()` instead of `print()`", "> go\n~ worker.py | a | print(1)"),
    ] {
        check(line, &[(script, "-")]);
    }
}

#[test]
fn phrases_that_a_line_bans_are_seen_where_it_bans_them() {
    check(
        "- Never say \"production ready\"",
        &[("> done?\n< It is Production Ready.", "W"), ("> done?\n< Yes.", "-")],
    );
    check(
        "- Do not use \"feat\" in commit messages",
        &[("> go\n$ git commit -m \"feat: a\"", "W"), ("> go\n$ git commit -m \"defeat the bug\"", "-")],
    );
    check(
        "- Commit messages in imperative mood, max 40 characters",
        &[
            ("> go\n$ git commit -m \"Add a\"", "S"),
            ("> go\n$ git commit -m \"Add a very long subject that nobody wants to read\"", "W"),
        ],
    );
}

#[test]
fn what_is_forbidden_in_one_place_is_not_forbidden_everywhere() {
    for line in ["- In tests do not use `Thread.pause()`", "- In tests, never use `Thread.pause()`"] {
        check(
            line,
            &[
                ("> go\n~ src/test/ATest.java | a | Thread.pause(1)", "W"),
                ("> go\n~ src/main/A.java | a | Thread.pause(1)", "-"),
            ],
        );
    }
}

#[test]
fn a_command_of_every_day_says_nothing_about_an_occasion_that_is_not_understood() {
    check(
        "- Run `yarn typecheck` before concluding that CI failures are unrelated",
        &[("> go\n~ a.ts | a | b\n$ yarn typecheck", "-")],
    );
}

#[test]
fn who_runs_a_part_of_what_a_line_asks_for_has_not_followed_it() {
    check(
        "- All code must pass `ruff check`, `ruff format --check`, and `mypy --strict`",
        &[
            ("> go\n$ ruff check\n$ ruff format --check .\n$ mypy --strict .", "S"),
            ("> go\n$ ruff check", "N"),
        ],
    );
    check(
        "- Before committing: `just fmt && just lint`",
        &[
            ("> go\n~ a.go | a | b\n$ just fmt && just lint\n$ git commit -m x", "S"),
            ("> go\n~ a.go | a | b\n$ just lint\n$ git commit -m x", "W"),
        ],
    );
    check("- Always lint changed files", &[("> go\n$ bin/lint --help", "-"), ("> go\n$ bin/lint a.rb", "S")]);
}

#[test]
fn what_is_not_needed_and_what_must_not_be_done_to_something_asks_for_nothing() {
    for (line, script) in [
        (
            "- `from __future__ import annotations` is NOT needed",
            "> go\n~ a.py | a | from __future__ import annotations",
        ),
        (
            "- The file `a/_version.py` is generated and must not be committed",
            "> commit it\n$ git commit -am x",
        ),
    ] {
        check(line, &[(script, "-")]);
    }
}

#[test]
fn what_is_done_with_leave_is_not_forbidden() {
    check(
        "- Never run `mise run apply` without explicit user approval.",
        &[
            ("> the plan is fine, apply it\n$ mise run apply", "N"),
            ("> yes\n$ mise run apply", "N"),
            ("> why does dns fail\n$ mise run apply", "W"),
        ],
    );
}

#[test]
fn a_setting_in_front_may_be_the_way_that_is_not_direct() {
    check(
        "- Never use `bun test` directly",
        &[("> go\n$ bun test a.test.ts", "W"), ("> go\n$ USE_SYSTEM=1 bun test a.test.ts", "-")],
    );
}

#[test]
fn a_line_about_some_of_its_kind_says_nothing_about_the_others() {
    for (line, script) in [
        ("- For single-file tests, prefer `-e` over `tempDir`.", "> go\n+ a.test.ts | const d = tempDir()"),
        ("- Put `for_each` first in a block, then sort the rest.", "> go\n~ a.tf | a | for_each = local.x"),
        ("- Format docstrings by running `make format`", "> go\n~ a.py | a | b\n$ make format"),
        (
            "- Changelog Entry Quality: Entries MUST: Use imperative mood",
            "> commit\n$ git commit -m 'Fix the typo'",
        ),
        ("- Ensure the issue number is real and not a placeholder!", "> go\n~ a.ts | a | // TODO: later"),
    ] {
        check(line, &[(script, "-")]);
    }
}

#[test]
fn a_part_of_a_list_that_may_be_skipped_is_enough() {
    check(
        "- After modifying a project, run: `jp test php`, `jp test js` (skipped if not defined), `jp phan`",
        &[("> go\n~ a.php | a | b\n$ jp phan x", "S"), ("> go\n~ a.php | a | b", "W")],
    );
}

#[test]
fn what_was_done_before_an_occasion_counts_while_no_code_has_changed_since() {
    let line = "- Run the tests before every commit.";
    let tested = "> add it\n~ a.ts | a | b\n$ npm test";
    assert_eq!(last_verdict(line, &[tested, "> commit\n$ git commit -am x"]), "S");
    assert_eq!(
        last_verdict(line, &[tested, "> one more, and commit\n~ a.ts | b | c\n$ git commit -am x"]),
        "W"
    );
}

#[test]
fn commands_and_programs_without_marks_are_read() {
    check(
        "- Workflow: tofu fmt && tofu validate && tofu plan",
        &[("> go\n$ tofu fmt\n$ tofu validate\n$ tofu plan", "S"), ("> go\n$ tofu plan", "N")],
    );
    check("- Always use RuboCop to check code style", &[("> go\n$ rubocop app", "S")]);
    check("- Check types with mypy", &[("> go\n$ mypy src", "S"), ("> go\n$ pytest", "-")]);
    check("- Follow the lint rules (run `make lint`)", &[("> go\n$ make lint", "S")]);
    check(
        "- Use `./script/clippy` instead of `cargo clippy`",
        &[("> go\n$ ./script/clippy -p a", "S"), ("> go\n$ cargo clippy", "W")],
    );
}

#[test]
fn two_orders_with_one_purpose_are_a_choice() {
    check(
        "- Use `tempDir` from `\"harness\"` to create a temporary directory. Do not use `tmpdirSync` to create temporary directories.",
        &[
            ("> go\n+ a.test.ts | const d = tempDir('a')", "S"),
            ("> go\n+ a.test.ts | const d = tmpdirSync('a')", "W"),
        ],
    );
}

#[test]
fn a_taste_beside_a_task_is_about_nothing_else() {
    let line = "- Use `snake_case` names for functions and variables.\n- Run `make x` first.";
    let before = "> does it run the checker\n$ cat Makefile";
    let task = "> --list-variables option please, prints the names. long option only, I'm not a fan of short aliases\n~ a.py | a | def f(): pass";
    assert_ne!(last_verdict(line, &[before, task]), "W");
}
