//! The ledger, read back: which lines it speaks of, and whether it still does.

use serde::Deserialize;
use subcortex_memory::{Line, LineHash, MemoryFolder, Trouble};
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};
use subcortex_yaml::frontmatter;

use super::ledger::{GONE, KIND, LINE_HEADING, RETIRED, VERSION};
use crate::LineTally;

/// The largest ledger that is read, in bytes.
pub(super) const MAX_LEDGER_BYTES: u64 = 64 * 1024 * 1024;

/// The ledger as it stands on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    /// What it says of each line, in its order.
    pub sections: Vec<Section>,
    /// How many groups of new signals it shows.
    pub candidates: usize,
}

/// What the ledger says of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The number of the line.
    pub number: usize,
    /// Its identity.
    pub hash: LineHash,
    /// Whether the line was in the broadcast.
    pub state: SectionState,
    /// Evidence that it was followed.
    pub strengthening: u64,
    /// Evidence that it was not.
    pub weakening: u64,
    /// Evidence that nobody can read either way.
    pub neutral: u64,
}

/// Whether the line of a section was in the broadcast when the ledger was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SectionState {
    /// It was.
    Current,
    /// The edit with this name took it out.
    Retired(String),
    /// Somebody took it out.
    Gone,
}

/// Whether the ledger can be relied on for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It says nothing of the line.
    Missing,
    /// What it says is of another place, or of other evidence.
    Stale,
    /// It is up to date.
    Current,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fields {
    kind: String,
    version: u32,
}

impl Ledger {
    /// Reads the ledger: `None` when there is none, and the reason when it cannot be used.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Option<Result<Self, String>>, Trouble> {
        match durable::read_text(disk, &folder.ledger(), MAX_LEDGER_BYTES) {
            Ok(text) => Ok(Some(Self::parse(&text))),
            Err(ReadError::Missing { .. }) => Ok(None),
            Err(error @ ReadError::Io { .. }) => Err(error.into()),
            Err(error) => Ok(Some(Err(error.to_string()))),
        }
    }

    /// Reads a ledger, or says why it is none of ours.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (fields, body) = frontmatter::parse::<Fields>(text).map_err(|problem| problem.to_string())?;
        let fields = fields.ok_or("it has no frontmatter between `---` lines")?;
        if fields.kind != KIND {
            return Err(format!("its `kind` is `{}`, not `{KIND}`", fields.kind));
        }
        if fields.version != VERSION {
            return Err(format!("it is of version {}, and this program knows {VERSION}", fields.version));
        }
        let mut ledger = Self::default();
        let mut lines = body.lines();
        while let Some(line) = lines.next() {
            if let Some(heading) = line.strip_prefix(LINE_HEADING) {
                let section = Section::parse(heading, lines.clone());
                ledger.sections.push(section.ok_or_else(|| format!("the section `{heading}` is not whole"))?);
            }
            ledger.candidates += usize::from(line.starts_with("### Candidate "));
        }
        Ok(ledger)
    }

    /// What it says of the line with this identity.
    pub fn section(&self, hash: &LineHash) -> Option<&Section> {
        self.sections.iter().find(|section| section.hash == *hash)
    }

    /// Whether it can be relied on for a line of the broadcast, given what the fragments say by now.
    pub fn standing(&self, line: &Line, tally: Option<&LineTally>) -> Standing {
        let Some(section) = self.section(&line.hash) else { return Standing::Missing };
        let counts = tally.map(|tally| (tally.strengthening, tally.weakening, tally.neutral));
        let is_current = section.state == SectionState::Current
            && section.number == line.number
            && counts == Some((section.strengthening, section.weakening, section.neutral));
        if is_current { Standing::Current } else { Standing::Stale }
    }
}

impl Section {
    fn parse<'a>(heading: &str, body: impl Iterator<Item = &'a str>) -> Option<Self> {
        let rest = heading.strip_prefix(MemoryFolder::BROADCAST_REF)?.strip_prefix(":L")?;
        let (number, state) =
            rest.split_once(' ').map_or((rest, None), |(number, state)| (number, Some(state)));
        let state = match state.map(|state| state.trim_start_matches('(').trim_end_matches(')')) {
            None => SectionState::Current,
            Some(GONE) => SectionState::Gone,
            Some(state) => SectionState::Retired(state.strip_prefix(RETIRED)?.to_owned()),
        };
        let fields: Vec<&str> = body.take_while(|line| !line.starts_with('#')).collect();
        let field = |name: &str| fields.iter().find_map(|line| line.strip_prefix(name));
        let mut counts =
            field("- Counts: ")?.split(", ").map(|count| count.split(' ').next()?.parse::<u64>().ok());
        Some(Self {
            number: number.parse().ok()?,
            hash: LineHash::from_file(field("- Hash: ")?),
            state,
            strengthening: counts.next()??,
            weakening: counts.next()??,
            neutral: counts.next()??,
        })
    }
}
