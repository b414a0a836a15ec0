//! What a thousand checks cost against ten, over the same turns.
//!
//! The turns are made up and differ: prompts, commands, edits and commits of several kinds of projects. The first ten lines are the
//! same in all memories; the others name tools, files and terms of their own, as the memory of somebody with many projects does.

use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use subcortex_checks::{Board, compile_memory, judge};
use subcortex_model::{Event, EventId, Source, Turn, event_type};

use super::measure::Summary;
use super::report::{Goal, Section};

/// Turns of one round.
const TURNS: usize = 20_000;
/// Different turns, which are gone through again and again.
const DIFFERENT_TURNS: usize = 600;
const FEW_LINES: usize = 10;
/// How many lines the memories have, the fewest first.
const MEMORIES: [usize; 3] = [FEW_LINES, 100, 1_000];
/// How much longer the most lines may take than the fewest.
const MOST_RATIO: f64 = 5.0;
/// Where the made-up projects lie.
const PROJECT: &str = "/home/dev/app";

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

/// A memory and what its rounds took.
struct Entry {
    lines: usize,
    board: Board,
    seconds: Vec<f64>,
    verdicts: usize,
}

/// Holds each memory against the same turns in turn, `rounds` times.
pub(crate) fn run(rounds: usize) -> Result<Section> {
    let turns = turns()?;
    let mut entries: Vec<Entry> = MEMORIES.map(Entry::new).into();
    // Expressions build their tables at first use; that is no part of what a turn costs.
    let _warm: usize = entries.iter().map(|entry| entry.verdicts(&turns, DIFFERENT_TURNS)).sum();
    for round in 1..=rounds {
        for entry in &mut entries {
            entry.take_part(&turns);
            println!("checks: round {round} of {rounds}: {} checks", entry.lines);
        }
    }
    Ok(section(&entries, rounds))
}

impl Entry {
    fn new(lines: usize) -> Self {
        let checks = compile_memory(&memory(lines)).into_iter().map(|(line, _, check)| (line, check));
        Self { lines, board: Board::new(checks), seconds: Vec::new(), verdicts: 0 }
    }

    fn take_part(&mut self, turns: &[Turn]) {
        let start = Instant::now();
        self.verdicts = self.verdicts(turns, TURNS);
        self.seconds.push(start.elapsed().as_secs_f64());
    }

    fn verdicts(&self, turns: &[Turn], count: usize) -> usize {
        turns.iter().cycle().take(count).map(|turn| judge(turn, None, &self.board).len()).sum()
    }

    fn summary(&self) -> Summary {
        Summary::of(self.seconds.clone())
    }
}

fn section(entries: &[Entry], rounds: usize) -> Section {
    let few = entries.first().map_or(f64::NAN, |entry| entry.summary().median);
    let ratio = |entry: &Entry| entry.summary().median / few;
    let row = |entry: &Entry| {
        let summary = entry.summary();
        vec![
            entry.lines.to_string(),
            format!("{:.3} s", summary.best),
            format!("{:.3} s", summary.median),
            format!("{:.0}", TURNS as f64 / summary.median),
            format!("{:.2} ×", ratio(entry)),
            entry.verdicts.to_string(),
        ]
    };
    let most = entries.last().map(|entry| (format!("{:.2} ×", ratio(entry)), ratio(entry) <= MOST_RATIO));
    Section {
        title: "Many checks",
        intro: format!(
            "{TURNS} generated turns ({DIFFERENT_TURNS} different ones, again and again) held against memories of {MEMORIES:?} lines, \
             on one thread; {rounds} rounds. The first {FEW_LINES} lines are the same in all of them. The time for a turn \
             includes reading its events."
        ),
        header: vec!["checks", "best", "median", "turns a second", "against the fewest", "verdicts"],
        rows: entries.iter().map(row).collect(),
        goals: vec![Goal::judged("1,000 checks in ≤ 5 × the time of 10", most)],
        commands: Vec::new(),
    }
}

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

/// One thing that happens in a turn.
enum Step {
    Asked(String),
    Said(String),
    Ran(String),
    Read(String),
    Edited(String, String),
    Wrote(String, String),
}

fn turns() -> Result<Vec<Turn>> {
    (0..DIFFERENT_TURNS).map(|number| turn(&steps(number))).collect()
}

fn steps(number: usize) -> Vec<Step> {
    use Step::{Asked, Edited, Ran, Read, Said, Wrote};
    let area = number % 100;
    let below = |path: &str| format!("services/area{area}/{path}");
    match number % 6 {
        0 => vec![
            Asked(format!("fix the total in area {area}")),
            Read(below("total.ts")),
            Edited(below("total.ts"), "const total = sum(rows)".into()),
            Ran("pnpm test".into()),
            Said("Fixed the total.".into()),
        ],
        1 => vec![
            Asked("add a field".into()),
            Edited(below("api.go"), "slog.Info(\"x\")".into()),
            Ran("go test ./...".into()),
            Ran("make lint".into()),
            Ran("git commit -am 'feat: add a field'".into()),
        ],
        2 => vec![
            Asked("why is the build slow?".into()),
            Ran("ls -la".into()),
            Ran("cat Makefile".into()),
            Said("Because the cache is cold.".into()),
        ],
        3 => vec![
            Asked("run it".into()),
            Ran(format!("area{area}ctl check")),
            Ran("git status".into()),
            Said("It passes.".into()),
        ],
        4 => vec![
            Asked("write the page".into()),
            Wrote(format!("web/page{number}.tsx"), "export const Page = () => null".into()),
            Ran("pnpm build".into()),
            Said("Done.".into()),
        ],
        _ => vec![
            Asked("clean up".into()),
            Edited(below("handlers/a.py"), "return rows".into()),
            Ran("uv run pytest -q".into()),
            Ran("git push -u origin feat/x".into()),
        ],
    }
}

fn turn(steps: &[Step]) -> Result<Turn> {
    let mut events = Vec::new();
    for step in steps {
        let id = format!("t{}", events.len());
        let call = |tool: &str, input: Value| json!({ "tool_name": tool, "input": input, "tool_use_id": id });
        let path = |path: &str| format!("{PROJECT}/{path}");
        let (kind, payload) = match step {
            Step::Asked(text) => (event_type::CHANNEL_MESSAGE, json!({ "text": text })),
            Step::Said(text) => (event_type::AGENT_RESULT, json!({ "text": text })),
            Step::Ran(command) => (event_type::AGENT_TOOL_USE, call("Bash", json!({ "command": command }))),
            Step::Read(file) => {
                (event_type::AGENT_TOOL_USE, call("Read", json!({ "file_path": path(file) })))
            }
            Step::Edited(file, new) => {
                let input = json!({ "file_path": path(file), "old_string": "a", "new_string": new });
                (event_type::AGENT_TOOL_USE, call("Edit", input))
            }
            Step::Wrote(file, content) => {
                let input = json!({ "file_path": path(file), "content": content });
                (event_type::AGENT_TOOL_USE, call("Write", input))
            }
        };
        events.push(event(kind, events.len(), payload)?);
        if matches!(step, Step::Ran(_)) {
            let answer = json!({ "tool_use_id": id, "is_error": false, "text": "ok" });
            events.push(event(event_type::AGENT_TOOL_RESULT, events.len(), answer)?);
        }
    }
    Ok(Turn { session_key: "s".into(), events })
}

fn event(kind: &str, number: usize, mut payload: Value) -> Result<Event> {
    payload["git_branch"] = json!("feat/x");
    Ok(Event {
        id: EventId::from_log(format!("e{number}")),
        ts: jiff::Timestamp::UNIX_EPOCH,
        event_type: kind.to_owned(),
        source: Source::of("claude"),
        session_key: Some("s".into()),
        turn: None,
        cwd: Some(PROJECT.into()),
        dedup: None,
        payload: payload.as_object().context("a payload is an object")?.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_lines_find_more_in_the_same_turns() {
        let turns = turns().unwrap();
        let verdicts: Vec<usize> =
            [FEW_LINES, 60].map(|lines| Entry::new(lines).verdicts(&turns, DIFFERENT_TURNS)).into();
        assert!(0 < verdicts[0] && verdicts[0] < verdicts[1], "{verdicts:?}");
    }
}
