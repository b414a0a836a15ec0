//! Why an entry is not taken, and what would be.

use crate::limits::{Malformed, shown};
use crate::{FactKey, Kind, Obstacle, Role};

/// Why an entry is refused. A refused entry leaves no trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no entry at all.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Somebody else's kind.
    #[error("{kind} is for a {}, and you are a {role}: you may append {}", kind.role(), Kind::list(role.kinds()))]
    WrongRole {
        /// What was to be appended.
        kind: Kind,
        /// By whom.
        role: Role,
    },
    /// It speaks for somebody else.
    #[error("`{field}` is `{}`, and you are `{}`: put your own id there", shown(named), shown(id))]
    NotYourself {
        /// Which field.
        field: &'static str,
        /// Whom it names.
        named: String,
        /// Who writes.
        id: String,
    },
    /// Nothing is planned.
    #[error(
        "there is no STRATEGY yet, so no {kind} is taken: the supervisor appends a STRATEGY first, a person may append a USER_DIRECTIVE"
    )]
    NoStrategy {
        /// What was to be appended.
        kind: Kind,
    },
    /// The run is over.
    #[error("the SYNTHESIS has closed this thread, so no {kind} is taken: a USER_DIRECTIVE opens it again")]
    Closed {
        /// What was to be appended.
        kind: Kind,
    },
    /// Nobody planned this entity.
    #[error("the STRATEGY does not list `{}`: claim one of {}", shown(entity), listed(entities))]
    UnknownEntity {
        /// Which.
        entity: String,
        /// Those that are listed.
        entities: Vec<String>,
    },
    /// Somebody is at it.
    #[error("{key} is claimed by `{}`: claim another field, or wait until it is released", shown(holder))]
    AlreadyClaimed {
        /// What.
        key: FactKey,
        /// By whom.
        holder: String,
    },
    /// It is known.
    #[error("{key} is VERIFIED already: reuse `{}` from {source_url}", shown(value))]
    AlreadyVerified {
        /// What.
        key: FactKey,
        /// What was found out.
        value: String,
        /// Where.
        source_url: String,
    },
    /// Who failed does not try again.
    #[error("you left {key} UNVERIFIED: another worker may claim it")]
    TriedBefore {
        /// What.
        key: FactKey,
    },
    /// There is no claim.
    #[error("nobody has claimed {key}: append a PENDING for it first")]
    NotClaimed {
        /// What.
        key: FactKey,
    },
    /// The claim is another's.
    #[error(
        "{key} is claimed by `{}`, and only it may append a VERIFIED or UNVERIFIED for it: claim another field",
        shown(holder)
    )]
    NotTheHolder {
        /// What.
        key: FactKey,
        /// Whose it is.
        holder: String,
    },
    /// The page is dead.
    #[error("{url} is tombstoned for ever: look for another page")]
    Tombstoned {
        /// Which.
        url: String,
    },
    /// Nobody saw the page fail.
    #[error("no worker has reported {url} as a FAILED_URL: only such a URL becomes a TOMBSTONE")]
    NeverFailed {
        /// Which.
        url: String,
    },
    /// It was said.
    #[error("you have reported {url} as failed already: go on with another page, the supervisor decides")]
    AlreadyFailed {
        /// Which.
        url: String,
    },
    /// The page was not read.
    #[error("{url} was not fetched in this run with success: fetch it first, then append the VERIFIED")]
    NotFetched {
        /// Which.
        url: String,
    },
    /// It is too early to end.
    #[error("a SYNTHESIS is not possible yet: {}", obstacles.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    NotReady {
        /// All that is open.
        obstacles: Vec<Obstacle>,
    },
    /// Nothing is cited.
    #[error(
        "the SYNTHESIS cites nothing: put the source URLs of the VERIFIED entries it rests on into `citations`"
    )]
    NoCitations,
    /// A citation without a fact.
    #[error("no VERIFIED entry has the source {url}: cite the exact `source_url` of one")]
    NotVerified {
        /// Which.
        url: String,
    },
}

fn listed(entities: &[String]) -> String {
    entities.iter().map(|entity| format!("`{}`", shown(entity))).collect::<Vec<_>>().join(", ")
}
