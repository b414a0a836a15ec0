//! A rules file held against session files: processor time for a gigabyte, and peak memory.
//!
//! The sessions are made up in the format of Claude Code, with what makes real ones long: results of tools that stand in a record twice,
//! edits with their patches, records of bookkeeping.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use subcortex_testkit::Random;

use super::measure::{self, Output, Summary};
use super::report::{Goal, Section};
use super::text::{Style, Text};

const SEED: u64 = 20_261_117;
const MIB: f64 = 1024.0 * 1024.0;
const GB: f64 = 1e9;
/// How long a session file becomes, about.
const SESSION_BYTES: usize = 600 * 1024;
/// Steps of the agent in a turn, at most.
const MAX_STEPS: usize = 40;
const MAX_CPU_SECONDS_A_GB: f64 = 6.0;
const MAX_RESIDENT_MIB: f64 = 64.0;

const RULES: &str = "# Rules\n\n- Use pnpm, not npm.\n- Never push to main.\n- Before every commit, run `make lint`.\n\
    - Use `rg`, not `grep`.\n- Never use `any` in TypeScript.\n- Never edit `gen/`.\n- Keep functions short.\n\
    - Commit messages follow Conventional Commits.\n- Run `cargo test` after a change of `src/`.\n- Do not add comments unless asked.\n";
const MESSAGES: [&str; 6] = [
    "go on with the next part",
    "no, that is wrong: look at the other folder first",
    "please fix the failing test in src/page.rs and commit",
    "From now on always run the linter before you commit.",
    "why did you use npm again? this is a pnpm repo",
    "add a field for the total to the report, and a test",
];
const COMMANDS: [&str; 6] = [
    "pnpm install",
    "npm run build",
    "rg -n todo src",
    "make lint && git add -A && git commit -m 'fix: the total'",
    "cd web && cargo test -p web 2>&1 | tail -20",
    "git status --short",
];

pub(crate) fn run(bench_dir: &Path, release_dir: &Path, size_mib: u64, rounds: usize) -> Result<Section> {
    let dir = bench_dir.join(format!("sessions-{size_mib}mib"));
    let bytes = sessions(&dir, size_mib)?;
    let rules = bench_dir.join("audit-rules.md");
    fs::write(&rules, RULES).with_context(|| format!("cannot write {}", rules.display()))?;
    let (mut cpu, mut wall, mut resident) = (Vec::new(), Vec::new(), Vec::new());
    for round in 1..=rounds {
        let mut command = Command::new(release_dir.join("subcortex"));
        command.arg("audit").arg(&rules).arg("--transcripts").arg(&dir).arg("--json");
        let sample = measure::run(&mut command, Output::Discarded)?;
        println!("audit: round {round} of {rounds}: {:.3} s of processor time", sample.cpu.as_secs_f64());
        cpu.push(sample.cpu.as_secs_f64() / bytes as f64 * GB);
        wall.push(sample.wall.as_secs_f64());
        resident.push(sample.max_resident_bytes as f64 / MIB);
    }
    let (cpu, wall, resident) = (Summary::of(cpu), Summary::of(wall), Summary::of(resident));
    Ok(Section {
        title: "audit: a rules file against session files",
        intro: format!(
            "{} rules held against generated sessions of {bytes} bytes in the format of Claude Code, all files in the page cache; {rounds} \
             rounds, medians.",
            RULES.lines().filter(|line| line.starts_with("- ")).count()
        ),
        header: vec!["wall", "processor time for 1 GB", "peak memory"],
        rows: vec![vec![
            format!("{:.3} s", wall.median),
            format!("{:.2} s", cpu.median),
            format!("{:.0} MiB", resident.median),
        ]],
        goals: vec![
            Goal::judged(
                format!("1 GB in ≤ {MAX_CPU_SECONDS_A_GB} s of processor time"),
                Some((format!("{:.2} s", cpu.median), cpu.median <= MAX_CPU_SECONDS_A_GB)),
            ),
            Goal::judged(
                format!("≤ {MAX_RESIDENT_MIB} MiB of memory"),
                Some((format!("{:.0} MiB", resident.median), resident.median <= MAX_RESIDENT_MIB)),
            ),
        ],
        commands: vec!["subcortex audit RULES --transcripts SESSIONS --json".into()],
    })
}

/// Makes the session files, unless they are there; says how many bytes they have.
fn sessions(dir: &Path, size_mib: u64) -> Result<u64> {
    let wanted = size_mib << 20;
    if !dir.exists() {
        println!("data: generating {} …", dir.display());
        let unfinished = dir.with_extension("unfinished");
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished)?;
        }
        generate(&unfinished, wanted)?;
        fs::rename(&unfinished, dir)?;
    }
    let sizes = fs::read_dir(dir)?.map(|entry| Ok(entry?.metadata()?.len()));
    sizes.sum::<std::io::Result<u64>>().with_context(|| format!("cannot read {}", dir.display()))
}

fn generate(dir: &Path, wanted: u64) -> Result<()> {
    fs::create_dir_all(dir)?;
    let mut random = Random::seeded(SEED);
    let text = Text::new(&mut random);
    let (mut made, mut number) = (0, 0);
    while made < wanted {
        number += 1;
        let mut session = Session { random: &mut random, text: &text, number, records: 0 };
        made += session.write(&dir.join(format!("session-{number}.jsonl")))?;
    }
    Ok(())
}

struct Session<'a> {
    random: &'a mut Random,
    text: &'a Text,
    number: u64,
    records: u64,
}

impl Session<'_> {
    fn write(&mut self, path: &PathBuf) -> Result<u64> {
        let mut lines = String::new();
        while lines.len() < SESSION_BYTES {
            self.turn(&mut lines);
        }
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(lines.as_bytes())?;
        file.flush()?;
        Ok(lines.len() as u64)
    }

    fn turn(&mut self, into: &mut String) {
        let message = MESSAGES[self.random.below(MESSAGES.len())];
        self.record(into, "user", &format!("\"message\":{{\"role\":\"user\",\"content\":\"{message}\"}}"));
        for step in 0..1 + self.random.below(MAX_STEPS) {
            let call = format!("toolu_{}_{}_{step}", self.number, self.records);
            let (input, style) = self.input();
            let usage =
                "\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":812,\"output_tokens\":41}";
            let block = format!("{{\"type\":\"tool_use\",\"id\":\"{call}\",{input}}}");
            let message = format!(
                "\"message\":{{\"id\":\"msg_{call}\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{block}],{usage}}}"
            );
            self.record(into, "assistant", &message);
            let length = 300 << self.random.below(6);
            let answer = self.some(style, length);
            let result = format!(
                "\"message\":{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"{call}\",\"type\":\"tool_result\",\
                 \"content\":\"{answer}\",\"is_error\":false}}]}},\"toolUseResult\":{{\"stdout\":\"{answer}\",\"interrupted\":false}}"
            );
            self.record(into, "user", &result);
            if self.random.chance(0.3) {
                let data = format!(
                    "\"data\":{{\"type\":\"bash_progress\",\"output\":\"{}\"}}",
                    self.some(Style::Output, 600)
                );
                self.record(into, "progress", &data);
            }
        }
        let said = self.some(Style::Prose, 400);
        let block = format!("{{\"type\":\"text\",\"text\":\"{said}\"}}");
        let message = format!(
            "\"message\":{{\"id\":\"m{}\",\"role\":\"assistant\",\"content\":[{block}]}}",
            self.records
        );
        self.record(into, "assistant", &message);
    }

    /// What a tool is given, and how its answer looks.
    fn input(&mut self) -> (String, Style) {
        match self.random.below(4) {
            0 | 1 => {
                let command = COMMANDS[self.random.below(COMMANDS.len())];
                (format!("\"name\":\"Bash\",\"input\":{{\"command\":\"{command}\"}}"), Style::Output)
            }
            2 => {
                let number = self.random.below(40);
                (
                    format!("\"name\":\"Read\",\"input\":{{\"file_path\":\"/p/web/src/page{number}.ts\"}}"),
                    Style::Code,
                )
            }
            _ => {
                let number = self.random.below(40);
                let (old, new) = (self.some(Style::Code, 300), self.some(Style::Code, 400));
                let input = format!(
                    "{{\"file_path\":\"/p/web/src/page{number}.ts\",\"old_string\":\"{old}\",\"new_string\":\"{new}\"}}"
                );
                (format!("\"name\":\"Edit\",\"input\":{input}"), Style::Code)
            }
        }
    }

    fn some(&mut self, style: Style, length_bytes: usize) -> String {
        let mut into = String::new();
        self.text.fill(&mut into, self.random, style, length_bytes);
        into
    }

    fn record(&mut self, into: &mut String, kind: &str, fields: &str) {
        self.records += 1;
        let (session, record) = (self.number, self.records);
        let (minute, second) = (record / 60 % 60, record % 60);
        into.push_str(&format!(
            "{{\"parentUuid\":\"u{session}-{}\",\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/p/web\",\
             \"sessionId\":\"s{session}\",\"version\":\"2.1.49\",\"gitBranch\":\"feat/x\",\"type\":\"{kind}\",{fields},\
             \"uuid\":\"u{session}-{record}\",\"timestamp\":\"2026-11-{:02}T{:02}:{minute:02}:{second:02}.000Z\"}}\n",
            record - 1,
            1 + session % 28,
            record / 3600 % 24,
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_json() {
        let mut random = Random::seeded(SEED);
        let text = Text::new(&mut random);
        let mut lines = String::new();
        Session { random: &mut random, text: &text, number: 1, records: 0 }.turn(&mut lines);
        for line in lines.lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
    }
}
