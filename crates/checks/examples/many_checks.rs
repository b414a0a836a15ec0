//! How much 1,000 checks cost against 100 and 10, over many turns.
//!
//! ```text
//! cargo run --release -p subcortex-checks --example many_checks -- [TURNS]
//! ```
//!
//! The turns are made up and differ: prompts, commands, edits and commits of several kinds of projects. The first ten lines are the
//! same in all memories; the others name tools, files and terms of their own, as the memory of somebody with many projects does.
#![allow(clippy::print_stdout, reason = "a tool for a terminal")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::{Duration, Instant};

use subcortex_checks::{Board, compile_memory, judge};
use subcortex_model::Turn;

/// Turns when nobody says how many.
const DEFAULT_TURNS: usize = 1_000_000;
/// Different turns, which are gone through again and again.
const DIFFERENT_TURNS: usize = 600;
const FEW_LINES: usize = 10;
/// How many lines the memories have, the fewest first.
const MEMORIES: [usize; 3] = [FEW_LINES, 100, 1_000];

const FIRST: [&str; FEW_LINES] = [
    "Use pnpm, not npm.",
    "Before committing, run `make lint`.",
    "Never push to `main`; open a pull request.",
    "Commit messages follow Conventional Commits.",
    "Never edit files under `gen/`.",
    "No `any` in TypeScript.",
    "Use `slog` for logging, never `fmt.Println`.",
    "After changing any `.proto` file run `make proto`.",
    "Ask before adding a dependency.",
    "Do not add comments unless asked.",
];

fn memory(lines: usize) -> String {
    let mut text: Vec<String> = FIRST.iter().map(|line| (*line).to_owned()).collect();
    for number in 0..lines.saturating_sub(FEW_LINES) {
        let area = number / 10;
        text.push(match number % 10 {
            0 => format!("After changing `services/area{area}/`, run `area{area}ctl check`."),
            1 => format!("Never edit `services/area{area}/generated/`."),
            2 => format!("Use `tool{area}`, not `oldtool{area}`."),
            3 => format!("Never call `legacyClient{area}()`; use `client{area}()`."),
            4 => format!("See `docs/area{area}.md` before changing `services/area{area}/`."),
            5 => format!(
                "Update `services/area{area}/CHANGELOG.md` when you change `services/area{area}/api.yaml`."
            ),
            6 => format!("Never run `area{area}ctl deploy`."),
            7 => format!("New handlers of area {area} go into `services/area{area}/handlers/`."),
            8 => format!("Run `area{area}ctl migrate` after editing `services/area{area}/schema.sql`."),
            _ => format!("Do not commit `services/area{area}/.env`."),
        });
    }
    text.iter().map(|line| format!("- {line}\n")).collect()
}

fn turns() -> Vec<Turn> {
    (0..DIFFERENT_TURNS)
        .map(|number| {
            let area = number % 100;
            let script = match number % 6 {
                0 => format!("> fix the total in area {area}\n? services/area{area}/total.ts\n~ services/area{area}/total.ts | a | const total = sum(rows)\n$ pnpm test\n< Fixed the total."),
                1 => format!("> add a field\n~ services/area{area}/api.go | a | slog.Info(\"x\")\n$ go test ./...\n$ make lint\n$ git commit -am 'feat: add a field'"),
                2 => "> why is the build slow?\n$ ls -la\n$ cat Makefile\n< Because the cache is cold.".to_owned(),
                3 => format!("> run it\n$ area{area}ctl check\n$ git status\n< It passes."),
                4 => format!("> write the page\n+ web/page{number}.tsx | export const Page = () => null\n$ pnpm build\n< Done."),
                _ => format!("> clean up\n~ services/area{area}/handlers/a.py | a | return rows\n$ uv run pytest -q\n$ git push -u origin feat/x"),
            };
            common::turn(&script)
        })
        .collect()
}

fn time(board: &Board, turns: &[Turn], count: usize) -> (Duration, usize) {
    let start = Instant::now();
    let mut verdicts = 0;
    for turn in turns.iter().cycle().take(count) {
        verdicts += judge(turn, None, board).len();
    }
    (start.elapsed(), verdicts)
}

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(DEFAULT_TURNS);
    let turns = turns();
    let mut few = None;
    for lines in MEMORIES {
        let board =
            Board::new(compile_memory(&memory(lines)).into_iter().map(|(line, _, check)| (line, check)));
        time(&board, &turns, DIFFERENT_TURNS.min(count));
        let (took, verdicts) = time(&board, &turns, count);
        let seconds = took.as_secs_f64().max(f64::EPSILON);
        let ratio = seconds / *few.get_or_insert(seconds);
        println!(
            "{lines} checks, {count} turns: {seconds:.3} s, {:.0} turns a second, {ratio:.2} x the time of {FEW_LINES} ({verdicts} verdicts)",
            count as f64 / seconds
        );
    }
}
