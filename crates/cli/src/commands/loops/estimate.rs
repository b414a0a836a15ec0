//! `subcortex loop estimate`: how often, how many tokens, how much money, and what really happened.

use std::fmt::Write as _;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use subcortex_cadence::UnixMs;
use subcortex_config::Budget;
use subcortex_guard::escape_for_display;
use subcortex_loops::cadence::LoopCadence;
use subcortex_loops::config::LoopConfig;
use subcortex_loops::estimate::cache::{CacheLifetime, CachedInput};
use subcortex_loops::estimate::drift::Drift;
use subcortex_loops::estimate::levers::{Lever, levers};
use subcortex_loops::estimate::{
    ASSUMED_INPUT_TOKENS, ASSUMED_OUTPUT_TOKENS, Estimate, ModelCost, RunTokens, costs, run_times,
};
use subcortex_loops::run_log::RunLog;
use subcortex_store::RealDisk;
use subcortex_usage::Prices;

use super::{read, settings};
use crate::args::LoopEstimate;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::output::print_json;
use crate::surroundings::Surroundings;
use crate::words::grouped;

/// The answer for programs, and what the one for people is made from.
#[derive(Serialize)]
struct Answer {
    name: String,
    days: u32,
    runs: usize,
    runs_per_day: f64,
    input_tokens_per_run: u64,
    output_tokens_per_run: u64,
    /// Which of the two nobody has said.
    assumed: Vec<&'static str>,
    tokens: u64,
    output_tokens: u64,
    input: CachedInput,
    prices_as_of: Option<Date>,
    models: Vec<ModelCost>,
    levers: Vec<Lever>,
    drift: Option<Drift>,
    log_is_torn: bool,
}

pub(super) fn run(
    surroundings: &Surroundings,
    home: Option<&Path>,
    args: &LoopEstimate,
) -> Result<ExitCode, Failure> {
    let (place, config) = read(surroundings, &args.target)?;
    let budget = settings(surroundings, home)?.budget;
    let log = RunLog::read(&RealDisk, &place.dir).map_err(|error| Failure::refused(error.to_string()))?;
    let answer = estimated(place.name(), &config, budget, &log, args)?;
    if args.json {
        print_json(&answer)?;
    } else {
        Looks::of(surroundings).print(&in_words(&answer))?;
    }
    Ok(ExitCode::Done)
}

fn estimated(
    name: String,
    config: &LoopConfig,
    budget: Budget,
    log: &RunLog,
    args: &LoopEstimate,
) -> Result<Answer, Failure> {
    let times = run_times(&cadence(config)?, UnixMs(Timestamp::now().as_millisecond()), args.days);
    let output = args.output_tokens.or(config.budget_tokens());
    let a_run = RunTokens {
        input: args.input_tokens.unwrap_or(ASSUMED_INPUT_TOKENS),
        output: output.unwrap_or(ASSUMED_OUTPUT_TOKENS),
    };
    let missing = [("input_tokens", args.input_tokens.is_none()), ("output_tokens", output.is_none())];
    let estimate = Estimate::of(&times, args.days, a_run);
    let (prices, model) = (Prices(budget.prices), config.text("model"));
    Ok(Answer {
        name,
        days: args.days,
        runs: estimate.runs,
        runs_per_day: estimate.runs_a_day(),
        input_tokens_per_run: a_run.input,
        output_tokens_per_run: a_run.output,
        assumed: missing.into_iter().filter(|(_, is_missing)| *is_missing).map(|(what, _)| what).collect(),
        tokens: estimate.tokens(),
        output_tokens: estimate.output,
        input: estimate.input,
        prices_as_of: budget.prices_as_of,
        models: costs(&estimate, &prices, model),
        levers: levers(&times, &estimate, &prices, model),
        drift: Drift::of(log, a_run.output),
        log_is_torn: log.is_torn,
    })
}

fn cadence(config: &LoopConfig) -> Result<LoopCadence, Failure> {
    let text = config.text("cadence").ok_or_else(|| {
        Failure::refused(
            "the loop has no cadence, so nobody knows how often it runs\nadd one such as `cadence: 6h`",
        )
    })?;
    LoopCadence::parse(text, &TimeZone::system())
        .map_err(|why| Failure::refused(format!("cadence is `{text}`, but {why}")))
}

fn in_words(answer: &Answer) -> String {
    let mut words = String::new();
    // Writing to a String cannot fail.
    let _ok = runs_in_words(&mut words, answer)
        .and_then(|()| money_in_words(&mut words, answer))
        .and_then(|()| drift_in_words(&mut words, answer));
    words
}

fn runs_in_words(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let Answer { days, runs, runs_per_day, input, .. } = answer;
    let name = escape_for_display(&answer.name);
    let runs = grouped(u64::try_from(*runs).unwrap_or(u64::MAX));
    writeln!(out, "{name}: {runs} runs in {days} days ({runs_per_day:.1} a day)")?;
    let assumed = |what: &str| if answer.assumed.contains(&what) { " (assumed)" } else { "" };
    let (read, written) = (grouped(answer.input_tokens_per_run), grouped(answer.output_tokens_per_run));
    let (read_by, written_by) = (assumed("input_tokens"), assumed("output_tokens"));
    writeln!(out, "a run reads {read} tokens{read_by} and writes at most {written}{written_by}")?;
    if !answer.assumed.is_empty() {
        writeln!(out, "  --input-tokens and --output-tokens replace what is assumed")?;
    }
    writeln!(
        out,
        "tokens: {} in all, {} of them written",
        grouped(answer.tokens),
        grouped(answer.output_tokens)
    )?;
    let kept = match input.lifetime {
        CacheLifetime::None => {
            return writeln!(out, "cache: none, because runs are too far apart or the prompt is too short");
        }
        CacheLifetime::FiveMinutes => "5 minutes",
        CacheLifetime::OneHour => "1 hour",
    };
    let [fresh, written, read] = [input.fresh, input.written, input.read].map(grouped);
    writeln!(
        out,
        "cache: kept for {kept}; {fresh} tokens read afresh, {written} put there, {read} read from it"
    )
}

fn money_in_words(out: &mut String, answer: &Answer) -> std::fmt::Result {
    if answer.models.is_empty() {
        writeln!(
            out,
            "money: no prices are known; put them below `budget: prices:` in config/subcortex.yaml"
        )?;
    } else {
        let date = answer.prices_as_of.map_or("an unknown day".to_owned(), |day| day.to_string());
        writeln!(out, "money in {} days, at your prices of {date}:", answer.days)?;
    }
    for ModelCost { model, usd, is_own } in &answer.models {
        let own = if *is_own { "  <- this loop's" } else { "" };
        writeln!(out, "  {:<32} {usd:>10.2} USD{own}", escape_for_display(model))?;
    }
    writeln!(out, "what would make it cheaper, in the order to try it:")?;
    for (number, Lever { what, usd, tokens, .. }) in (1..).zip(&answer.levers) {
        let then = usd.map_or(format!("{} tokens", grouped(*tokens)), |usd| format!("{usd:.2} USD"));
        writeln!(out, "  {number}. {}: {then}", escape_for_display(what))?;
    }
    Ok(())
}

fn drift_in_words(out: &mut String, answer: &Answer) -> std::fmt::Result {
    if answer.log_is_torn {
        writeln!(out, "note: the last line of run-log.md is torn and does not count")?;
    }
    let Some(drift) = &answer.drift else {
        return writeln!(out, "drift: no run has said yet what it used");
    };
    let Drift { runs, percent, .. } = drift;
    let (mean, estimated) = (grouped(drift.mean), grouped(drift.estimated));
    writeln!(
        out,
        "drift: {runs} runs wrote {mean} tokens on average, estimated {estimated} ({percent:+} %)"
    )?;
    write!(out, "{}", drift.plot())
}
