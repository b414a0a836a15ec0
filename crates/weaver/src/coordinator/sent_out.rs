//! Who is sent out, for a look at what happened and for one task.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use subcortex_memory::{Edit, LineHash};

use super::job::{CRYSTALLIZER, Job, UPDATER};
use super::packet::{Concern, Packet};
use super::{report, unfinished};
use crate::crystallizer;
use crate::scanner::{self, ScanRequest};
use crate::updater::{self, Request};
use crate::{Consulted, WeaveError, Workshop};

/// What a reflective run says that had nothing to look at.
pub const NOTHING_NEW: &str = "NO_NEW_GRADIENT: no external evidence changed memory.";

/// The evidence for one line, counted from the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEvidence {
    /// `memory/CLAUDE.md:L3`.
    pub line: String,
    /// What this run wrote.
    pub new: u64,
    /// What was there before.
    pub prior: u64,
}

/// What a run, or the work on one task, came to.
#[derive(Debug, Clone, Default)]
pub struct Woven {
    /// The result line.
    pub result: String,
    /// Who was sent out, in order.
    pub subagents: Vec<&'static str>,
    /// What was written or removed, as references.
    pub changed: Vec<String>,
    /// The evidence by line.
    pub evidence: Vec<LineEvidence>,
    /// The edit of the broadcast that was made.
    pub edit: Option<Edit>,
    /// What the scan says of itself.
    pub scan: Option<Value>,
    /// Everything that a person wants to know, ending with the result line.
    pub report: String,
    /// Whether there is more to read, or a turn that is not over.
    pub more_to_do: bool,
    /// From when on there is something to do that had to wait, such as an edit for its interval.
    pub wake_at: Option<Timestamp>,
    /// What a model was asked, and what came of it.
    pub model: Consulted,
}

impl Woven {
    /// What was found, in a sentence for people.
    pub fn evidence_in_words(&self) -> String {
        if self.evidence.is_empty() {
            return "nothing about any line".into();
        }
        let lines: Vec<String> = self
            .evidence
            .iter()
            .map(|evidence| {
                let line = evidence.line.rsplit(':').next().unwrap_or_default();
                format!("{line} ({})", report::counted(evidence))
            })
            .collect();
        format!("evidence about {}", lines.join(", "))
    }
}

/// How the work on a task ended that is not an error.
#[derive(Debug)]
pub enum Directed {
    /// It came to a result.
    Done(Box<Woven>),
    /// Nobody can tell what is wanted: the task stays.
    Unclear(String),
    /// It is clear, and cannot be done by anybody here: the task stays, with the reason.
    Waits(String),
}

/// Looks at what happened since the last run.
pub fn reflect(shop: &Workshop, cancelled: &dyn Fn() -> bool) -> Result<Woven, WeaveError> {
    let left = unfinished::from_when(shop)?;
    if left.is_none_or(|from| from > shop.now) && !scanner::has_news(shop)? {
        // Whoever reads the output looks for this line alone.
        let (result, report) = (NOTHING_NEW.into(), NOTHING_NEW.into());
        let wake_at = left.into_iter().chain(updater::look_again_at(shop)?).min();
        return Ok(Woven { result, report, wake_at, ..Woven::default() });
    }
    look(shop, None, cancelled)
}

/// Looks at what happened, and does what follows from it.
fn look(shop: &Workshop, packet: Option<&Packet>, cancelled: &dyn Fn() -> bool) -> Result<Woven, WeaveError> {
    // A person's yes comes first: what it brings in is read with the rest.
    updater::take_answers(shop)?;
    let mut job = Job::begin(shop, cancelled)?;
    job.scan(&ScanRequest::default())?;
    job.crystallize()?;
    if job.found_something() {
        job.sent(CRYSTALLIZER);
        job.sent(UPDATER);
    }
    job.update(&Request::Reflective)?;
    job.finish(if packet.is_some() { "directed" } else { "reflective" }, packet)
}

/// Works on one task.
pub fn direct(
    shop: &Workshop,
    basename: &str,
    body: &str,
    cancelled: &dyn Fn() -> bool,
) -> Result<Directed, WeaveError> {
    let packet = Packet::of(basename, body);
    // Tasks come before everything else. So one that asks for nothing, or waits, must not keep what people said from being read.
    let has_news = scanner::has_news(shop)?;
    let looked = || if has_news { look(shop, Some(&packet), cancelled).map(Some) } else { Ok(None) };
    if packet.is_unclear() {
        looked()?;
        let why = "the task says neither what to scan, nor what to edit, nor which line or dossier it is about; \
                   say it in a sentence, such as `scan the spine`, `repair memory/CLAUDE.md:L3` or `make the dossier topic-x`";
        return Ok(Directed::Unclear(why.into()));
    }
    match packet.concern {
        Concern::Workers => {}
        Concern::Person => {
            looked()?;
            return Ok(Directed::Waits(format!("it waits for a person: {}", packet.first_sentence())));
        }
        Concern::Information => {
            return Ok(done(match looked()? {
                Some(woven) => woven,
                None => said_only("NO-OP: noted; nothing is to be done here", &packet),
            }));
        }
    }
    let internal = packet.only_internal && !packet.wanted.edit && !packet.wanted.dossiers;
    if internal {
        let result = "NO-OP: the task speaks of the program's own traces only, and those are never evidence";
        return Ok(done(match looked()? {
            Some(woven) => woven,
            None => said_only(result, &packet),
        }));
    }
    let mut job = Job::begin(shop, cancelled)?;
    let scan_first = packet.wanted.scan
        || has_news
        || !(packet.wanted.edit || packet.wanted.dossiers)
        || (packet.wanted.edit && job.ledger_is_stale(&packet.lines)?);
    if scan_first {
        job.scan(&ScanRequest { from: packet.from.clone(), coverage: packet.lines.clone() })?;
    }
    if packet.paths.iter().any(|path| path.starts_with("memory/fragments/")) && packet.wanted.dossiers {
        crystallizer::fold_anew(shop)?; // it says that what was counted is no longer what is there
        job.gathered = None;
    }
    job.crystallize()?;
    if packet.wanted.dossiers || job.found_something() || (packet.wanted.edit && scan_first) {
        job.sent(CRYSTALLIZER);
    }
    if packet.wanted.edit {
        job.sent(UPDATER);
        job.edit(&packet)?;
    } else if scan_first {
        // Who asks for a scan does not ask for an edit: the interval holds.
        job.update(&Request::Reflective)?;
    }
    if packet.wanted.dossiers
        && let Some(why) = job.settle_pointers(&packet)?
    {
        return Ok(Directed::Waits(why));
    }
    Ok(done(job.finish("directed", Some(&packet))?))
}

/// The end of a task that sends nobody out.
fn said_only(result: &str, packet: &Packet) -> Woven {
    report::finish(Woven { result: result.into(), ..Woven::default() }, "directed", Some(packet), &[])
}

fn done(woven: Woven) -> Directed {
    Directed::Done(Box::new(woven))
}

/// What counts of the evidence, by line, for readers that change nothing.
pub fn totals(shop: &Workshop) -> Result<BTreeMap<LineHash, crate::LineTally>, WeaveError> {
    Ok(crate::counted(shop)?.tally.lines)
}
