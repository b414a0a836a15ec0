//! Scores the checks on labelled transcripts.
//!
//! `cargo run --release -p subcortex-checks --example eval -- DIR [--repo NAME,…] [--families] [--boards DIR] [--with DIR]
//! [--errors FILE] [--verdicts FILE] [--lines] [--checks] [--foreign]`
//!
//! `--foreign` holds every board against the sessions of all other projects instead, where nobody speaks of its lines, and prints what was
//! taken for words about them: nearly all of it is wrong, whoever wrote the messages.
//!
//! `--verdicts` writes every verdict with its label and the kind of reading that it rests on: to count which ways of coming to a
//! verdict are right how often.
//!
//! `--with` takes checks out of `DIR/<repo>/<line hash>.yaml` where there is one.
//!
//! DIR holds `labels.jsonl`, `labelled_turns.jsonl`, `boards/<repo>.md` and `transcripts/<repo>/<session>.jsonl`. A verdict counts
//! once a turn, line and label, inside labelled turns only. NEUTRAL is neither rewarded nor punished, except that it finds
//! nothing. A verdict whose event is itself a prompt may also speak of the turn before it.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use subcortex_checks::{Bearing, Board, Check, Past, Stance, compile_memory, hear, judge_after, line_hash};
use subcortex_known_agents::{CLAUDE, Options};
use subcortex_model::{Event, EventId, Turn};

struct Arguments {
    data: PathBuf,
    repo: Option<String>,
    /// Other wordings of the memories, instead of `boards/` in the data.
    boards: Option<PathBuf>,
    /// Checks that are used instead of the rules' own.
    with: Option<PathBuf>,
    errors: Option<PathBuf>,
    verdicts: Option<PathBuf>,
    lines: bool,
    checks: bool,
    /// Whether to count by kind of reading.
    families: bool,
    /// Whether boards are held against other projects' sessions.
    foreign: bool,
}

fn arguments() -> Result<Arguments> {
    let mut found = Arguments {
        data: PathBuf::new(),
        repo: None,
        boards: None,
        with: None,
        errors: None,
        verdicts: None,
        lines: false,
        checks: false,
        families: false,
        foreign: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--repo" => found.repo = words.next(),
            "--boards" => found.boards = words.next().map(PathBuf::from),
            "--with" => found.with = words.next().map(PathBuf::from),
            "--errors" => found.errors = words.next().map(PathBuf::from),
            "--verdicts" => found.verdicts = words.next().map(PathBuf::from),
            "--lines" => found.lines = true,
            "--checks" => found.checks = true,
            "--families" => found.families = true,
            "--foreign" => found.foreign = true,
            _ => found.data = PathBuf::from(word),
        }
    }
    anyhow::ensure!(found.data.is_dir(), "name the directory that holds labels.jsonl");
    Ok(found)
}

fn jsonl(path: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

/// The events of a session; the id of each is its record's uuid and its own number.
fn events(path: &Path) -> Result<Vec<Event>> {
    let session = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("").to_owned();
    let mut reader = CLAUDE.reader(Options { fallback_session: Some(session.clone()), ..Options::default() });
    let mut drafts = Vec::new();
    for line in std::fs::read(path)?.split(|byte| *byte == b'\n') {
        reader.line(line, &mut drafts);
    }
    reader.finish(&mut drafts);
    let mut found = Vec::new();
    for (at, draft) in drafts.into_iter().enumerate() {
        // Labels name records. A prompt may come behind the record that follows it: its own name says which it is.
        let record = draft.source_id.as_deref().and_then(|name| name.rsplit('/').next()).unwrap_or("~");
        let name = record.split('#').next().unwrap_or(record).to_owned();
        found.push(Event {
            id: EventId::from_log(format!("{session}/{name}#{at}")),
            ts: draft.ts.unwrap_or_default(),
            event_type: draft.event_type,
            source: draft.source,
            session_key: Some(session.clone()),
            turn: draft.turn,
            cwd: draft.cwd,
            dedup: None,
            payload: draft.payload,
        });
    }
    Ok(found)
}

fn turns(events: Vec<Event>, session: &str) -> Vec<Turn> {
    let mut found: Vec<Turn> = Vec::new();
    for event in events {
        if event.begins_turn() || found.is_empty() {
            found.push(Turn { session_key: session.to_owned(), events: Vec::new() });
        }
        if let Some(turn) = found.last_mut() {
            turn.events.push(event);
        }
    }
    found
}

fn uuid_of(id: &str) -> &str {
    id.split('/').nth(1).unwrap_or(id).split('#').next().unwrap_or("")
}

#[derive(Default)]
struct Count {
    tp: usize,
    fp: usize,
    fn_: usize,
}

impl Count {
    fn prf(&self) -> (f64, f64, f64) {
        let ratio = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let (p, r) = (ratio(self.tp, self.tp + self.fp), ratio(self.tp, self.tp + self.fn_));
        (p, r, if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 })
    }

    fn show(&self, name: &str) {
        let (p, r, f) = self.prf();
        println!(
            "{name:14} P {p:.3}  R {r:.3}  F1 {f:.3}   (tp {}, fp {}, fn {})",
            self.tp, self.fp, self.fn_
        );
    }
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    if arguments.foreign {
        return foreign(&arguments.data);
    }
    let labels = jsonl(&arguments.data.join("labels.jsonl"))?;
    let done: HashMap<(String, String, String), String> =
        jsonl(&arguments.data.join("labelled_turns.jsonl"))?
            .iter()
            .map(|turn| {
                (
                    (
                        text(turn, "repo").into(),
                        text(turn, "session").into(),
                        text(turn, "prompt_uuid").into(),
                    ),
                    text(turn, "turn_end_uuid").into(),
                )
            })
            .collect();
    let repos: BTreeSet<String> = labels
        .iter()
        .filter(|label| text(label, "kind") == "line")
        .map(|label| text(label, "repo").to_owned())
        .collect();
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut per_line: BTreeMap<(String, usize), [usize; 6]> = BTreeMap::new();
    let mut errors: Vec<Value> = Vec::new();
    let mut verdicts: Vec<Value> = Vec::new();
    let mut families: BTreeMap<(String, usize), String> = BTreeMap::new();
    for repo in repos
        .iter()
        .filter(|repo| arguments.repo.as_ref().is_none_or(|only| only.split(',').any(|one| one == *repo)))
    {
        score_repo(
            &arguments,
            repo,
            &labels,
            &done,
            &mut counts,
            &mut per_line,
            &mut errors,
            &mut verdicts,
            &mut families,
        )?;
    }
    for name in ["STRENGTHENING", "WEAKENING", "signals"] {
        counts.entry(name).or_default().show(&name.to_lowercase());
    }
    let total = ["STRENGTHENING", "WEAKENING"].iter().fold(Count::default(), |sum, name| {
        let one = &counts[name];
        Count { tp: sum.tp + one.tp, fp: sum.fp + one.fp, fn_: sum.fn_ + one.fn_ }
    });
    let macro_f1 = (counts["STRENGTHENING"].prf().2 + counts["WEAKENING"].prf().2) / 2.0;
    let (p, r, _) = total.prf();
    let (sp, sr, sf) = counts["signals"].prf();
    println!(
        "lines: precision {p:.3} recall {r:.3} macro-F1 {macro_f1:.3}; signals: precision {sp:.3} recall {sr:.3} F1 {sf:.3}"
    );
    let (spoke, asked) = rule_by_rule(&per_line);
    println!("rule by rule: precision {spoke:.3} recall {asked:.3}");
    if arguments.families {
        let mut by: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
        for (key, counts) in &per_line {
            let slot = by.entry(families.get(key).map_or("?", String::as_str)).or_default();
            slot.iter_mut().zip(counts).for_each(|(sum, one)| *sum += one);
        }
        for (family, [stp, sfp, sfn, wtp, wfp, wfn]) in by {
            println!("{family:34} S tp {stp:3} fp {sfp:3} fn {sfn:3}   W tp {wtp:3} fp {wfp:3} fn {wfn:3}");
        }
    }
    if arguments.lines {
        for ((repo, line), [stp, sfp, sfn, wtp, wfp, wfn]) in &per_line {
            println!(
                "{repo:18} L{line:<3} S tp {stp:3} fp {sfp:3} fn {sfn:3}   W tp {wtp:3} fp {wfp:3} fn {wfn:3}"
            );
        }
    }
    for (path, records) in [(&arguments.errors, &errors), (&arguments.verdicts, &verdicts)] {
        let Some(path) = path else { continue };
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        std::fs::write(path, lines)?;
    }
    Ok(())
}

/// What is said in other projects' sessions and taken for words about the lines of a board.
fn foreign(data: &Path) -> Result<()> {
    let mut sessions: Vec<(String, Vec<Turn>)> = Vec::new();
    for project in files_of(&data.join("transcripts"))? {
        for path in files_of(&project)? {
            let name = project.file_name().and_then(|name| name.to_str()).unwrap_or("").to_owned();
            sessions.push((name, turns(events(&path)?, "")));
        }
    }
    let (mut heard, mut with, mut against) = (0, 0, 0);
    for path in files_of(&data.join("boards"))? {
        let own = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("");
        let compiled = compile_memory(&std::fs::read_to_string(&path)?);
        let lines: Vec<(usize, String)> =
            compiled.iter().map(|(line, text, _)| (*line, text.clone())).collect();
        if lines.is_empty() {
            continue;
        }
        let board = Board::new(compiled.into_iter().map(|(line, _, check)| (line, check)))
            .with_words(lines.iter().map(|(line, text)| (*line, text.as_str())));
        for (_, turns) in sessions.iter().filter(|(project, _)| project != own) {
            for (at, turn) in turns.iter().enumerate() {
                let before = at.checked_sub(1).and_then(|at| turns.get(at));
                let Some(message) = turn.message().and_then(|message| message.text()) else { continue };
                let Some(signal) = hear(message, turn.cwd(), before, &board) else { continue };
                heard += 1;
                let Some((number, stance)) = signal.line.zip(signal.stance) else { continue };
                let count = if stance == Stance::With { &mut with } else { &mut against };
                *count += 1;
                let line = lines.iter().find(|(line, _)| *line == number).map_or("", |(_, text)| text);
                println!("{stance:?}\t{own}\t{line}\t{}", message.replace(['\n', '\t'], " "));
            }
        }
    }
    println!("heard {heard}: {with} for a line of another project, {against} against one");
    Ok(())
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    Ok(files)
}

/// The mean precision of the rules that were judged, and the mean recall of those that came up.
fn rule_by_rule(per_line: &BTreeMap<(String, usize), [usize; 6]>) -> (f64, f64) {
    let mean = |ratios: Vec<f64>| ratios.iter().sum::<f64>() / ratios.len().max(1) as f64;
    let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
    let spoke =
        per_line.values().filter_map(|[stp, sfp, _, wtp, wfp, _]| share(stp + wtp, stp + wtp + sfp + wfp));
    let asked =
        per_line.values().filter_map(|[stp, _, sfn, wtp, _, wfn]| share(stp + wtp, stp + wtp + sfn + wfn));
    (mean(spoke.collect()), mean(asked.collect()))
}

#[allow(clippy::too_many_arguments, reason = "one function of a development tool")]
fn score_repo(
    arguments: &Arguments,
    repo: &str,
    labels: &[Value],
    done: &HashMap<(String, String, String), String>,
    counts: &mut BTreeMap<&str, Count>,
    per_line: &mut BTreeMap<(String, usize), [usize; 6]>,
    errors: &mut Vec<Value>,
    all_verdicts: &mut Vec<Value>,
    families: &mut BTreeMap<(String, usize), String>,
) -> Result<()> {
    let memory = {
        let boards = arguments.boards.clone().unwrap_or_else(|| arguments.data.join("boards"));
        std::fs::read_to_string(boards.join(format!("{repo}.md")))?
    };
    let mut compiled = compile_memory(&memory);
    for (number, line, check) in &mut compiled {
        families.insert((repo.to_owned(), *number), check.family.clone());
        let Some(folder) = &arguments.with else { continue };
        let path = folder.join(repo).join(format!("{}.yaml", line_hash(line)));
        if path.exists() {
            *check = stored_check(&path)?;
        }
    }
    if arguments.checks {
        for (line, text, check) in &compiled {
            println!("L{line} {text}\n   {}\n", serde_json::to_string(check)?);
        }
    }
    let words: Vec<(usize, String)> = compiled.iter().map(|(line, text, _)| (*line, text.clone())).collect();
    let board = Board::new(compiled.into_iter().map(|(line, _, check)| (line, check)))
        .with_words(words.iter().map(|(line, text)| (*line, text.as_str())));
    let mut want: HashMap<(String, String, usize), HashSet<String>> = HashMap::new();
    let mut prompts: HashMap<String, HashSet<String>> = HashMap::new();
    for label in labels.iter().filter(|label| text(label, "repo") == repo) {
        let (session, prompt) = (text(label, "session").to_owned(), text(label, "prompt_uuid").to_owned());
        if text(label, "kind") == "signal" {
            prompts.entry(session).or_default().insert(prompt);
        } else if done.contains_key(&(repo.to_owned(), session.clone(), prompt.clone())) {
            let line = label.get("line").and_then(Value::as_u64).unwrap_or(0) as usize;
            want.entry((session, prompt, line)).or_default().insert(text(label, "trajectory").to_owned());
        }
    }
    let mut hit: HashSet<(String, String, usize, String)> = HashSet::new();
    let mut wrong: HashSet<(String, String, usize, String)> = HashSet::new();
    let mut said: HashSet<(String, String)> = HashSet::new();
    // What the judge saw and would not decide, and why.
    let mut left_open: HashMap<(String, String, usize), String> = HashMap::new();
    for path in files_of(&arguments.data.join("transcripts").join(repo))? {
        let session = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("").to_owned();
        let order = record_order(&path)?;
        let starts: Vec<(usize, String)> = {
            let mut starts: Vec<(usize, String)> = prompts
                .get(&session)
                .into_iter()
                .flatten()
                .filter_map(|prompt| Some((*order.get(prompt)?, prompt.clone())))
                .collect();
            starts.sort();
            starts
        };
        let is_done = |turn: &String| done.contains_key(&(repo.to_owned(), session.clone(), turn.clone()));
        let turns_of = |uuid: &str| -> Vec<String> {
            let Some(at) = order.get(uuid) else { return Vec::new() };
            let upto: Vec<&String> =
                starts.iter().filter(|(start, _)| start <= at).map(|(_, prompt)| prompt).collect();
            let Some(last) = upto.last() else { return Vec::new() };
            if *last == uuid {
                return upto.iter().rev().take(2).map(|turn| (*turn).clone()).collect();
            }
            let end =
                done.get(&(repo.to_owned(), session.clone(), (*last).clone())).and_then(|end| order.get(end));
            if end.is_some_and(|end| at > end) { Vec::new() } else { vec![(*last).clone()] }
        };
        let turns = turns(events(&path)?, &session);
        let mut past = Past::start();
        for (at, turn) in turns.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| turns.get(at));
            if let Some(message) = turn.message()
                && let Some(signal) =
                    hear(message.text().unwrap_or(""), message.cwd.as_deref(), before, &board)
                && signal.durable
            {
                said.insert((session.clone(), uuid_of(message.id.as_str()).to_owned()));
            }
            let verdicts = judge_after(turn, before, &past, &board);
            past.add(turn);
            for verdict in verdicts {
                let uuid = uuid_of(verdict.event_id.as_str());
                let candidates: Vec<String> = turns_of(uuid).into_iter().filter(is_done).collect();
                let trajectory = match verdict.trajectory {
                    Bearing::Strengthening => "STRENGTHENING",
                    Bearing::Weakening => "WEAKENING",
                    Bearing::Neutral => {
                        let turns = candidates.into_iter();
                        left_open.extend(
                            turns.map(|turn| ((session.clone(), turn, verdict.line), verdict.why.clone())),
                        );
                        continue;
                    }
                };
                let Some(first) = candidates.first() else { continue };
                let labelled = |turn: &String, label: &str| {
                    want.get(&(session.clone(), turn.clone(), verdict.line))
                        .is_some_and(|labels| labels.contains(label))
                };
                let good: Vec<&String> =
                    candidates.iter().filter(|turn| labelled(turn, trajectory)).collect();
                let result = if !good.is_empty() {
                    "right"
                } else if candidates.iter().any(|turn| labelled(turn, "NEUTRAL")) {
                    "open"
                } else {
                    "wrong"
                };
                all_verdicts.push(json!({"repo": repo, "session": session, "turn": first, "line": verdict.line,
                    "said": trajectory, "result": result, "why": verdict.why, "quote": verdict.quote, "family": families.get(&(repo.to_owned(), verdict.line))}));
                if !good.is_empty() {
                    hit.extend(
                        good.into_iter()
                            .map(|turn| (session.clone(), turn.clone(), verdict.line, trajectory.to_owned())),
                    );
                } else if !candidates.iter().any(|turn| labelled(turn, "NEUTRAL"))
                    && wrong.insert((session.clone(), first.clone(), verdict.line, trajectory.to_owned()))
                {
                    counts
                        .entry(if trajectory == "WEAKENING" { "WEAKENING" } else { "STRENGTHENING" })
                        .or_default()
                        .fp += 1;
                    per_line.entry((repo.to_owned(), verdict.line)).or_default()
                        [if trajectory == "WEAKENING" { 4 } else { 1 }] += 1;
                    let labels: Vec<Vec<&String>> = candidates
                        .iter()
                        .map(|turn| {
                            want.get(&(session.clone(), turn.clone(), verdict.line))
                                .map(|labels| labels.iter().collect())
                                .unwrap_or_default()
                        })
                        .collect();
                    errors.push(json!({"what": "false", "repo": repo, "session": session, "prompt_uuid": first, "uuid": uuid, "line": verdict.line, "said": trajectory, "labels": labels, "quote": verdict.quote, "why": verdict.why}));
                }
            }
        }
    }
    for ((session, prompt, line), trajectories) in &want {
        for trajectory in trajectories.iter().filter(|trajectory| *trajectory != "NEUTRAL") {
            let found = hit.contains(&(session.clone(), prompt.clone(), *line, trajectory.clone()));
            let weak = trajectory == "WEAKENING";
            let count = counts.entry(if weak { "WEAKENING" } else { "STRENGTHENING" }).or_default();
            let slot = per_line.entry((repo.to_owned(), *line)).or_default();
            if found {
                count.tp += 1;
                slot[if weak { 3 } else { 0 }] += 1;
            } else {
                count.fn_ += 1;
                slot[if weak { 5 } else { 2 }] += 1;
                let open = left_open.get(&(session.clone(), prompt.clone(), *line));
                errors.push(json!({"what": "missed", "repo": repo, "session": session, "prompt_uuid": prompt, "line": line, "label": trajectory, "open": open}));
            }
        }
    }
    for label in labels.iter().filter(|label| text(label, "repo") == repo && text(label, "kind") == "signal")
    {
        let key = (text(label, "session").to_owned(), text(label, "prompt_uuid").to_owned());
        let positive =
            label.get("durable").and_then(Value::as_bool) == Some(true) && text(label, "label") != "none";
        let count = counts.entry("signals").or_default();
        match (positive, said.contains(&key)) {
            (true, true) => count.tp += 1,
            (true, false) => {
                count.fn_ += 1;
                errors.push(json!({"what": "signal missed", "repo": repo, "session": key.0, "prompt_uuid": key.1, "label": text(label, "label"), "quote": text(label, "quote")}));
            }
            (false, true) => {
                count.fp += 1;
                errors.push(
                    json!({"what": "signal false", "repo": repo, "session": key.0, "prompt_uuid": key.1}),
                );
            }
            (false, false) => {}
        }
    }
    Ok(())
}

/// The check of a file that somebody wrote.
fn stored_check(path: &Path) -> Result<Check> {
    #[derive(serde::Deserialize)]
    struct Stored {
        check: Check,
    }
    let text = std::fs::read_to_string(path)?;
    let stored: Stored = subcortex_yaml::from_str(&text)
        .map_err(|problem| anyhow::anyhow!(problem.at(&path.display().to_string())))?;
    Ok(stored.check)
}

/// The place of each record in its file.
fn record_order(path: &Path) -> Result<HashMap<String, usize>> {
    let mut order = HashMap::new();
    let mut at = 0;
    for line in std::fs::read_to_string(path)?.lines() {
        let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
        if let Some(uuid) = record.get("uuid").and_then(Value::as_str) {
            order.entry(uuid.to_owned()).or_insert(at);
            at += 1;
        }
    }
    Ok(order)
}
