//! One pass over a large spine, against the tools that people search logs with.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::Value;

use super::generate::Dataset;
use super::measure::{self, Output, Sample, Summary};
use super::report::{Goal, Section};
use crate::setup::find_program;

const MIB: f64 = 1024.0 * 1024.0;
const MAX_RESIDENT_MIB: f64 = 64.0;
const SCRIPT: &str = include_str!("count_types.py");

/// One of those who read the spine.
struct Contender {
    name: &'static str,
    program: &'static str,
    /// A line for `sh`, run in `var/events` of the home.
    line: &'static str,
    output: Output,
    /// Finds the number of `channel.message` events in what was printed.
    count: fn(&[u8]) -> Option<u64>,
}

const SUBCORTEX: &str = "subcortex";
const RG: &str = "rg -c";
const JQ: &str = "jq";

const CONTENDERS: [Contender; 7] = [
    Contender {
        name: SUBCORTEX,
        program: "subcortex",
        line: r#"exec subcortex --home ../.. spine stats --json"#,
        output: Output::Kept,
        count: count_in_stats,
    },
    Contender {
        name: RG,
        program: "rg",
        line: r#"exec rg --no-config -c '"type":"channel\.message"' *.jsonl"#,
        output: Output::Kept,
        count: sum_of_counts,
    },
    Contender {
        name: "grep -E -c",
        program: "grep",
        line: r#"exec env LC_ALL=C.UTF-8 grep -E -c '"type":"channel\.message"' *.jsonl"#,
        output: Output::Kept,
        count: sum_of_counts,
    },
    Contender {
        name: "grep -E -c, LC_ALL=C",
        program: "grep",
        line: r#"exec env LC_ALL=C grep -E -c '"type":"channel\.message"' *.jsonl"#,
        output: Output::Kept,
        count: sum_of_counts,
    },
    Contender {
        name: "grep -E … | tail",
        program: "grep",
        line: r#"LC_ALL=C.UTF-8 grep -E '"type":"channel\.message"' *.jsonl | tail -n 1"#,
        output: Output::Kept,
        count: |_| None,
    },
    Contender {
        name: JQ,
        program: "jq",
        line: r#"exec jq -r .type *.jsonl > /dev/null"#,
        output: Output::Discarded,
        count: |_| None,
    },
    Contender {
        name: "Python json.loads",
        program: "python3",
        line: r#"exec python3 ../../count_types.py *.jsonl"#,
        output: Output::Kept,
        count: count_in_script,
    },
];

/// A contender and what came of it.
struct Entry {
    contender: &'static Contender,
    samples: Vec<Sample>,
    /// Why it takes no part (any more).
    problem: Option<String>,
}

/// Lets all contenders read the spine in turn, `rounds` times.
pub(crate) fn run(data: &Dataset, release_dir: &Path, rounds: usize) -> Result<Section> {
    fs::write(data.home.join("count_types.py"), SCRIPT)?;
    warm_up(data)?;
    let mut entries: Vec<_> = CONTENDERS.iter().map(Entry::new).collect();
    for round in 1..=rounds {
        for entry in &mut entries {
            entry.take_part(data, release_dir);
            println!("scan: round {round} of {rounds}: {}", entry.last_result());
        }
    }
    Ok(section(data, &entries, rounds))
}

/// Reads every file once, so that no contender pays for the disk.
fn warm_up(data: &Dataset) -> Result<()> {
    for path in &data.files {
        std::io::copy(&mut fs::File::open(path)?, &mut std::io::sink())?;
    }
    Ok(())
}

impl Entry {
    fn new(contender: &'static Contender) -> Self {
        let absent = contender.name != SUBCORTEX && find_program(contender.program).is_none();
        let problem = absent.then(|| format!("`{}` is not installed", contender.program));
        Self { contender, samples: Vec::new(), problem }
    }

    fn take_part(&mut self, data: &Dataset, release_dir: &Path) {
        if self.problem.is_some() {
            return;
        }
        let mut command = Command::new("sh");
        command.arg("-c").arg(self.contender.line).current_dir(data.home.join("var/events"));
        match path_with(release_dir)
            .and_then(|path| measure::run(command.env("PATH", path), self.contender.output))
        {
            Ok(sample) => self.samples.push(sample),
            Err(error) => self.problem = Some(format!("{error:#}")),
        }
    }

    fn last_result(&self) -> String {
        match (&self.problem, self.samples.last()) {
            (None, Some(sample)) => format!("{} {:.3} s", self.contender.name, sample.wall.as_secs_f64()),
            (problem, _) => {
                format!("{}: {}", self.contender.name, problem.as_deref().unwrap_or("did not run"))
            }
        }
    }

    /// Seconds on the clock; `None` if it did not run in every round.
    fn wall_s(&self) -> Option<Summary> {
        let walls = self.samples.iter().map(|sample| sample.wall.as_secs_f64());
        (self.problem.is_none() && !self.samples.is_empty()).then(|| Summary::of(walls.collect()))
    }

    fn max_resident_mib(&self) -> f64 {
        self.samples.iter().map(|sample| sample.max_resident_bytes as f64 / MIB).fold(0.0, f64::max)
    }

    fn counted(&self) -> Option<u64> {
        (self.contender.count)(&self.samples.last()?.stdout)
    }

    fn row(&self, bytes: u64) -> Vec<String> {
        let Some(wall_s) = self.wall_s() else {
            let problem = self.problem.clone().unwrap_or_default();
            return vec![
                self.contender.name.to_owned(),
                problem,
                "".into(),
                "".into(),
                "".into(),
                "".into(),
                "".into(),
            ];
        };
        let cpu_s = Summary::of(self.samples.iter().map(|sample| sample.cpu.as_secs_f64()).collect());
        vec![
            self.contender.name.to_owned(),
            format!("{:.3} s", wall_s.best),
            format!("{:.3} s", wall_s.median),
            format!("{:.2} GB/s", bytes as f64 / wall_s.median / 1e9),
            format!("{:.3} s", cpu_s.median),
            format!("{:.1} MiB", self.max_resident_mib()),
            self.counted().map_or_else(String::new, |count| count.to_string()),
        ]
    }
}

fn section(data: &Dataset, entries: &[Entry], rounds: usize) -> Section {
    Section {
        title: "scan: one pass over a spine",
        intro: intro(data, entries, rounds),
        header: vec![
            "what",
            "best",
            "median",
            "rate (median)",
            "processor time (median)",
            "peak memory",
            "messages found",
        ],
        rows: entries.iter().map(|entry| entry.row(data.bytes)).collect(),
        goals: goals(entries),
        commands: entries
            .iter()
            .map(|entry| entry.contender.line.trim_start_matches("exec ").to_owned())
            .collect(),
    }
}

fn intro(data: &Dataset, entries: &[Entry], rounds: usize) -> String {
    let counts: Vec<_> = entries.iter().filter_map(Entry::counted).collect();
    let agreement = if counts.windows(2).all(|pair| pair[0] == pair[1]) {
        "All that count find the same number of messages."
    } else {
        "**They do not agree on the number of messages: something here is wrong.**"
    };
    format!(
        "Generated spine: {}. `subcortex` checks the source gate, reads every envelope and counts sessions and turns; \
         the others search for or parse one field. {rounds} rounds, all files in the page cache, run in `var/events` of the \
         home. Peak memory counts mapped files. {agreement}",
        data.description
    )
}

fn goals(entries: &[Entry]) -> Vec<Goal> {
    let of = |name: &str| entries.iter().find(|entry| entry.contender.name == name);
    let median_s = |name: &str| of(name).and_then(Entry::wall_s).map(|wall_s| wall_s.median);
    let speed_against = |name: &str| Some(median_s(name)? / median_s(SUBCORTEX)?);
    let greps =
        entries.iter().filter(|entry| entry.contender.program == "grep").map(|entry| entry.contender.name);
    let mut goals = vec![Goal::at_least(format!("≥ 0.5 × the speed of `{RG}`"), 0.5, speed_against(RG))];
    goals.extend(
        greps.map(|name| Goal::at_least(format!("≥ 2 × the speed of `{name}`"), 2.0, speed_against(name))),
    );
    goals.push(Goal::at_least(format!("≥ 20 × the speed of `{JQ}`"), 20.0, speed_against(JQ)));
    let ours = of(SUBCORTEX).filter(|entry| entry.wall_s().is_some()).map(Entry::max_resident_mib);
    let memory = ours.map(|mib| (format!("{mib:.1} MiB"), mib < MAX_RESIDENT_MIB));
    goals.push(Goal::judged(format!("< {MAX_RESIDENT_MIB} MiB of memory"), memory));
    goals
}

/// The search path, with the release build in front.
fn path_with(release_dir: &Path) -> Result<std::ffi::OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths(std::iter::once(release_dir.to_owned()).chain(env::split_paths(&path)))?)
}

/// The sum of `file:count` lines, or of the bare count when there is one file.
fn sum_of_counts(stdout: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(stdout);
    text.lines().map(|line| line.rsplit(':').next()?.parse::<u64>().ok()).sum()
}

fn count_in_script(stdout: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Value>(stdout).ok()?["channel.message"].as_u64()
}

fn count_in_stats(stdout: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Value>(stdout).ok()?["types"]["channel.message"].as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_in_what_each_tool_prints() {
        assert_eq!(sum_of_counts(b"2026-01-01.jsonl:12\n2026-01-02.jsonl:30\n"), Some(42));
        assert_eq!(sum_of_counts(b"7\n"), Some(7));
        assert_eq!(sum_of_counts(b"nothing\n"), None);
        assert_eq!(count_in_script(br#"{"agent.result": 3, "channel.message": 5}"#), Some(5));
    }
}
