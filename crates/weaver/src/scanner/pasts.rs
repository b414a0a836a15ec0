//! What the sessions of a scan did before the turn that is being judged.

use std::collections::{BTreeSet, HashMap};

use subcortex_checks::Past;

/// How many sessions are remembered at once; of the others nothing earlier is known.
const MAX_SESSIONS: usize = 64;

/// How much text they hold together, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// What sessions did earlier, in bounded memory. Of a session that an earlier scan began nothing is known: then a check that asks for it
/// leaves the turn open.
#[derive(Debug)]
pub(super) struct Pasts {
    begun_before: BTreeSet<String>,
    sessions: HashMap<String, (Past, u64)>,
    clock: u64,
}

impl Pasts {
    pub(super) fn new(begun_before: BTreeSet<String>) -> Self {
        Self { begun_before, sessions: HashMap::new(), clock: 0 }
    }

    fn make_room(&mut self) {
        let mut bytes: usize = self.sessions.values().map(|(past, _)| past.bytes()).sum();
        while self.sessions.len() >= MAX_SESSIONS || bytes > MAX_BYTES {
            let oldest = self.sessions.iter().min_by_key(|(_, (_, touched))| *touched);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { return };
            bytes -= self.sessions.remove(&oldest).map_or(0, |(past, _)| past.bytes());
        }
    }

    /// The past of a session; `is_first` says that no turn of it came before in this scan.
    pub(super) fn of(&mut self, session: &str, is_first: bool) -> &mut Past {
        self.clock += 1;
        if !self.sessions.contains_key(session) {
            self.make_room();
        }
        let begins = is_first && !self.begun_before.contains(session);
        let fresh = || if begins { Past::start() } else { Past::unknown() };
        let (past, touched) = self.sessions.entry(session.to_owned()).or_insert_with(|| (fresh(), 0));
        *touched = self.clock;
        past
    }
}
