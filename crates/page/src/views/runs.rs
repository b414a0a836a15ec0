//! What ran, and what came of it.

use serde_json::{Value, json};
use subcortex_runs::RunRecord;

use crate::{Page, PageError};

/// How many runs are shown when nobody says.
const USUAL: u64 = 100;
/// How many runs are shown at most.
const MOST: u64 = 1_000;

pub(crate) fn runs(page: &Page, limit: Option<u64>) -> Result<Value, PageError> {
    let limit = usize::try_from(limit.unwrap_or(USUAL).min(MOST)).unwrap_or_default();
    let runs = subcortex_runs::list(&**page.helm.disk(), &page.helm.home().runs(), limit)?;
    Ok(json!({ "runs": runs.iter().map(in_short).collect::<Vec<_>>() }))
}

/// A run without what is long. The names are those of `runs --json`, and some more.
fn in_short(run: &RunRecord) -> Value {
    json!({
        "run_id": run.run_id,
        "partition": run.partition,
        "mode": run.mode.as_str(),
        "engine": run.engine,
        "tick": run.tick,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "took_ms": run.duration_ms(),
        "outcome": run.outcome.as_str(),
        "result": run.result,
        "reason": run.reason,
        "acked": run.acked.len(),
        "pending": run.pending.len(),
        "tokens": run.tokens,
        "cost_usd": run.cost_usd,
    })
}

pub(crate) fn run(page: &Page, id: &str) -> Result<RunRecord, PageError> {
    let found = subcortex_runs::find(&**page.helm.disk(), &page.helm.home().runs(), id)?;
    found.ok_or_else(|| PageError::Missing("there is no such run".into()))
}
