//! The state of a thread, and its moves.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::limits::shown;
use crate::{Author, Entry, Kind, Refusal, Strategy, WebAddress};

/// What a fact is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactKey {
    /// The entity.
    pub entity: String,
    /// The field of it.
    pub field: String,
}

impl FactKey {
    fn new(entity: &str, field: &str) -> Self {
        Self { entity: entity.to_owned(), field: field.to_owned() }
    }
}

impl fmt::Display for FactKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of `{}`", shown(&self.field), shown(&self.entity))
    }
}

/// How far a fact is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// A worker is at it.
    Pending {
        /// Who.
        holder: String,
        /// In which turn of its run it claimed it.
        turn: u64,
    },
    /// It is known.
    Verified {
        /// What.
        value: String,
        /// From where, exactly.
        source_url: String,
        /// By whom.
        by: String,
        /// Whether somebody watched the source being fetched.
        checked: bool,
    },
    /// No source was found.
    Unverified {
        /// By whom.
        by: String,
        /// What is believed.
        claimed_value: Option<String>,
        /// Why there is no source.
        reason: String,
    },
    /// Nobody is at it any more, and anybody may claim it.
    Released,
}

/// What the entries of a thread fold to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Board {
    strategy: Option<Strategy>,
    facts: BTreeMap<FactKey, Fact>,
    /// Reported and not yet promoted: the URL as it was written, and who reported it.
    failed: BTreeMap<WebAddress, (String, BTreeSet<String>)>,
    tombstones: BTreeMap<WebAddress, String>,
    open_directives: Vec<String>,
    synthesis: Option<String>,
    /// How many VERIFIED facts each entity, and each exact URL, has.
    verified_entities: BTreeMap<String, usize>,
    verified_urls: BTreeMap<String, usize>,
}

impl Board {
    /// The newest plan.
    pub fn strategy(&self) -> Option<&Strategy> {
        self.strategy.as_ref()
    }

    /// All facts, in order.
    pub fn facts(&self) -> impl Iterator<Item = (&FactKey, &Fact)> {
        self.facts.iter()
    }

    /// URLs that workers reported and the supervisor has not promoted.
    pub fn failed_urls(&self) -> impl Iterator<Item = &str> {
        self.failed.values().map(|(url, _)| url.as_str())
    }

    /// URLs that nobody tries again.
    pub fn tombstones(&self) -> impl Iterator<Item = &str> {
        self.tombstones.values().map(String::as_str)
    }

    /// Directives that no STRATEGY has answered.
    pub fn open_directives(&self) -> &[String] {
        &self.open_directives
    }

    /// The result, while the thread is closed.
    pub fn synthesis(&self) -> Option<&str> {
        self.synthesis.as_deref()
    }

    /// Whether something is known about an entity.
    pub fn has_verified(&self, entity: &str) -> bool {
        self.verified_entities.contains_key(entity)
    }

    /// Takes an entry, or says why not. A refused entry changes nothing.
    pub fn append(&mut self, author: &Author, entry: &Entry) -> Result<(), Refusal> {
        self.check(author, entry)?;
        self.apply(author, entry, author.fetched.is_some());
        Ok(())
    }

    /// Folds a record that a store holds. An entry that is not legal here means that somebody changed the store.
    pub fn replay(&mut self, record: &crate::Record) -> Result<(), Refusal> {
        let author = record.author()?;
        self.check(&author, &record.entry)?;
        self.apply(&author, &record.entry, record.checked);
        Ok(())
    }

    /// Whether an entry would be taken now.
    pub fn check(&self, author: &Author, entry: &Entry) -> Result<(), Refusal> {
        let kind = entry.kind();
        if kind.role() != author.role {
            return Err(Refusal::WrongRole { kind, role: author.role });
        }
        match kind {
            Kind::UserDirective => return Ok(()),
            _ if self.synthesis.is_some() => return Err(Refusal::Closed { kind }),
            Kind::Strategy => {}
            _ if self.strategy.is_none() => return Err(Refusal::NoStrategy { kind }),
            Kind::Pending
            | Kind::Verified
            | Kind::Unverified
            | Kind::FailedUrl
            | Kind::Tombstone
            | Kind::Synthesis => {}
        }
        self.check_move(author, entry)
    }

    fn check_move(&self, author: &Author, entry: &Entry) -> Result<(), Refusal> {
        match entry {
            Entry::Strategy(strategy) => {
                strategy.query.iter().try_for_each(|query| self.check_mentions(query))
            }
            Entry::Pending { entity, field, assigned_to, turn: _ } => {
                is_yourself("assigned_to", assigned_to, author)?;
                self.check_claim(author, &FactKey::new(entity, field))
            }
            Entry::Verified { entity, field, value, source_url, retrieved_by } => {
                is_yourself("retrieved_by", retrieved_by, author)?;
                self.check_holder(author, FactKey::new(entity, field))?;
                let address = self.living("source_url", source_url)?;
                self.check_mentions(value)?;
                match &author.fetched {
                    Some(fetched) if !fetched.contains(&address) => {
                        Err(Refusal::NotFetched { url: source_url.clone() })
                    }
                    Some(_) | None => Ok(()),
                }
            }
            Entry::Unverified { entity, field, claimed_value, reason: _ } => {
                self.check_holder(author, FactKey::new(entity, field))?;
                claimed_value.iter().try_for_each(|value| self.check_mentions(value))
            }
            Entry::FailedUrl { url, failure_reason: _, tried_by } => {
                is_yourself("tried_by", tried_by, author)?;
                let address = self.living("url", url)?;
                match self.failed.get(&address) {
                    Some((_, by)) if by.contains(&author.id) => {
                        Err(Refusal::AlreadyFailed { url: url.clone() })
                    }
                    Some(_) | None => Ok(()),
                }
            }
            Entry::Tombstone { url, .. } => {
                let address = self.living("url", url)?;
                if !self.failed.contains_key(&address) {
                    return Err(Refusal::NeverFailed { url: url.clone() });
                }
                Ok(())
            }
            Entry::UserDirective { .. } => Ok(()),
            Entry::Synthesis { text, citations } => self.check_synthesis(text, citations),
        }
    }

    fn check_claim(&self, author: &Author, key: &FactKey) -> Result<(), Refusal> {
        let entities =
            self.strategy.as_ref().map(|strategy| strategy.entities.as_slice()).unwrap_or_default();
        if !entities.contains(&key.entity) {
            let entity = key.entity.clone();
            return Err(Refusal::UnknownEntity { entity, entities: entities.to_vec() });
        }
        let key = key.clone();
        match self.facts.get(&key) {
            None | Some(Fact::Released) => Ok(()),
            Some(Fact::Pending { holder, .. }) => {
                Err(Refusal::AlreadyClaimed { key, holder: holder.clone() })
            }
            Some(Fact::Verified { value, source_url, .. }) => {
                let (value, source_url) = (value.clone(), source_url.clone());
                Err(Refusal::AlreadyVerified { key, value, source_url })
            }
            Some(Fact::Unverified { by, .. }) if *by == author.id => Err(Refusal::TriedBefore { key }),
            Some(Fact::Unverified { .. }) => Ok(()),
        }
    }

    fn check_holder(&self, author: &Author, key: FactKey) -> Result<(), Refusal> {
        match self.facts.get(&key) {
            Some(Fact::Pending { holder, .. }) if *holder == author.id => Ok(()),
            Some(Fact::Pending { holder, .. }) => Err(Refusal::NotTheHolder { key, holder: holder.clone() }),
            Some(Fact::Verified { value, source_url, .. }) => {
                let (value, source_url) = (value.clone(), source_url.clone());
                Err(Refusal::AlreadyVerified { key, value, source_url })
            }
            Some(Fact::Unverified { .. } | Fact::Released) | None => Err(Refusal::NotClaimed { key }),
        }
    }

    fn check_synthesis(&self, text: &str, citations: &[String]) -> Result<(), Refusal> {
        let obstacles = self.obstacles();
        if !obstacles.is_empty() {
            return Err(Refusal::NotReady { obstacles });
        }
        if citations.is_empty() {
            return Err(Refusal::NoCitations);
        }
        for url in citations {
            self.living("citations", url)?;
            if !self.verified_urls.contains_key(url) {
                return Err(Refusal::NotVerified { url: url.clone() });
            }
        }
        self.check_mentions(text)
    }

    /// Where a URL leads, unless that is a dead page.
    fn living(&self, field: &'static str, url: &str) -> Result<WebAddress, Refusal> {
        let address = WebAddress::parse(field, url)?;
        if self.tombstones.contains_key(&address) {
            return Err(Refusal::Tombstoned { url: url.to_owned() });
        }
        Ok(address)
    }

    /// A text that others will read leads to no dead page.
    fn check_mentions(&self, text: &str) -> Result<(), Refusal> {
        if self.tombstones.is_empty() {
            return Ok(());
        }
        match WebAddress::mentioned(text).find(|address| self.tombstones.contains_key(address)) {
            Some(address) => Err(Refusal::Tombstoned { url: address.to_string() }),
            None => Ok(()),
        }
    }

    /// What a legal entry changes.
    fn apply(&mut self, author: &Author, entry: &Entry, checked: bool) {
        match entry {
            Entry::Strategy(strategy) => self.plan(strategy.clone()),
            Entry::Pending { entity, field, assigned_to, turn } => {
                let fact = Fact::Pending { holder: assigned_to.clone(), turn: *turn };
                self.facts.insert(FactKey::new(entity, field), fact);
            }
            Entry::Verified { entity, field, value, source_url, retrieved_by } => {
                let (value, source_url) = (value.clone(), source_url.clone());
                *self.verified_entities.entry(entity.clone()).or_default() += 1;
                *self.verified_urls.entry(source_url.clone()).or_default() += 1;
                let fact = Fact::Verified { value, source_url, by: retrieved_by.clone(), checked };
                self.facts.insert(FactKey::new(entity, field), fact);
            }
            Entry::Unverified { entity, field, claimed_value, reason } => {
                let (claimed_value, reason) = (claimed_value.clone(), reason.clone());
                let fact = Fact::Unverified { by: author.id.clone(), claimed_value, reason };
                self.facts.insert(FactKey::new(entity, field), fact);
            }
            Entry::FailedUrl { url, failure_reason: _, tried_by } => {
                if let Ok(address) = WebAddress::parse("url", url) {
                    let known = self.failed.entry(address).or_insert_with(|| (url.clone(), BTreeSet::new()));
                    known.1.insert(tried_by.clone());
                }
            }
            Entry::Tombstone { url, .. } => self.bury(url),
            Entry::UserDirective { text } => {
                self.synthesis = None;
                self.open_directives.push(text.clone());
            }
            Entry::Synthesis { text, .. } => self.synthesis = Some(text.clone()),
        }
    }

    fn plan(&mut self, strategy: Strategy) {
        for (key, fact) in &mut self.facts {
            let workers = strategy.assigned.workers_for(&key.entity, &strategy.entities);
            let is_listed = strategy.entities.contains(&key.entity);
            let is_over = match fact {
                Fact::Pending { holder, .. } => {
                    !is_listed || (!workers.is_empty() && !workers.contains(&holder.as_str()))
                }
                Fact::Unverified { .. } => !is_listed,
                Fact::Verified { .. } | Fact::Released => false,
            };
            if is_over {
                *fact = Fact::Released;
            }
        }
        self.open_directives.clear();
        self.strategy = Some(strategy);
    }

    fn bury(&mut self, url: &str) {
        let Ok(address) = WebAddress::parse("url", url) else { return };
        for (key, fact) in &mut self.facts {
            let Fact::Verified { source_url, .. } = fact else { continue };
            if WebAddress::parse("source_url", source_url).is_ok_and(|source| source == address) {
                one_less(&mut self.verified_entities, &key.entity);
                one_less(&mut self.verified_urls, source_url);
                *fact = Fact::Released;
            }
        }
        self.failed.remove(&address);
        self.tombstones.insert(address, url.to_owned());
    }
}

fn one_less(counts: &mut BTreeMap<String, usize>, name: &str) {
    let left = counts.get(name).map_or(0, |count| count.saturating_sub(1));
    if left == 0 {
        counts.remove(name);
    } else {
        counts.insert(name.to_owned(), left);
    }
}

fn is_yourself(field: &'static str, named: &str, author: &Author) -> Result<(), Refusal> {
    if named == author.id {
        return Ok(());
    }
    Err(Refusal::NotYourself { field, named: named.to_owned(), id: author.id.clone() })
}
