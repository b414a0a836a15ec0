//! What every reader of a known format does with its lines: counts them, and what came of them.

use subcortex_model::Draft;

use super::counts::Counts;
use super::rest::Rest;
use super::second::tell_orders;
use super::{Reader, trimmed};

/// Reads the records of one format.
pub trait Records: Send {
    /// Reads one line that is not blank; the error says why it gives no draft.
    fn read(&mut self, line: &[u8], drafts: &mut Vec<Draft>) -> Result<(), &'static str>;

    /// See [`Reader::pause`]. Most formats keep nothing back for one line.
    fn pause(&mut self, _drafts: &mut Vec<Draft>) {}

    /// See [`Reader::finish`].
    fn finish(&mut self, drafts: &mut Vec<Draft>);

    /// See [`Reader::is_settled`].
    fn is_settled(&self) -> bool;

    /// What becomes of what no draft tells, and of what another report may tell.
    fn rest(&self) -> Rest {
        Rest::default()
    }
}

/// A reader that counts.
#[derive(Debug)]
pub struct Counted<R> {
    records: R,
    counts: Counts,
}

impl<R: Records> Counted<R> {
    /// Counts what this one reads.
    pub fn new(records: R) -> Self {
        Self { records, counts: Counts::default() }
    }
}

impl<R: Records> Reader for Counted<R> {
    fn line(&mut self, line: &[u8], drafts: &mut Vec<Draft>) {
        let (whole, line) = (line, trimmed(line));
        if line.is_empty() {
            return self.counts.blank(whole);
        }
        self.counts.records += 1;
        let before = drafts.len();
        if let Err(reason) = self.records.read(line, drafts) {
            self.counts.skip(reason);
        }
        tell_orders(self.records.rest(), drafts, before);
        self.counts.events += (drafts.len() - before) as u64;
    }

    fn pause(&mut self, drafts: &mut Vec<Draft>) {
        let before = drafts.len();
        self.records.pause(drafts);
        self.counts.events += (drafts.len() - before) as u64;
    }

    fn finish(&mut self, drafts: &mut Vec<Draft>) {
        let before = drafts.len();
        self.records.finish(drafts);
        self.counts.events += (drafts.len() - before) as u64;
    }

    fn is_settled(&self) -> bool {
        self.records.is_settled()
    }

    fn counts(&self) -> &Counts {
        &self.counts
    }
}
