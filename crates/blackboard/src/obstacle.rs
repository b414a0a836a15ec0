//! What stands between a thread and its synthesis.

use crate::limits::shown;
use crate::{Board, Fact, FactKey};

/// One thing that has to happen before a SYNTHESIS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// A claim is open.
    #[error("{key} is PENDING with `{}`", shown(holder))]
    Pending {
        /// What.
        key: FactKey,
        /// With whom.
        holder: String,
    },
    /// A claim has no source.
    #[error("{key} is UNVERIFIED, so another worker must claim it")]
    Unverified {
        /// What.
        key: FactKey,
    },
    /// Nothing is known about an entity.
    #[error("`{}` has no VERIFIED entry", shown(entity))]
    NothingVerified {
        /// Which.
        entity: String,
    },
    /// A dead page is not dealt with.
    #[error("{url} is a FAILED_URL that the supervisor has not made a TOMBSTONE")]
    NotPromoted {
        /// Which.
        url: String,
    },
    /// A person waits.
    #[error("the USER_DIRECTIVE `{}` is not answered by a STRATEGY", shown(text))]
    Unanswered {
        /// What it wants.
        text: String,
    },
}

impl Board {
    /// All that stands between this state and a SYNTHESIS.
    pub fn obstacles(&self) -> Vec<Obstacle> {
        let mut found = Vec::new();
        for (key, fact) in self.facts() {
            match fact {
                Fact::Pending { holder, .. } => {
                    found.push(Obstacle::Pending { key: key.clone(), holder: holder.clone() });
                }
                Fact::Unverified { .. } => found.push(Obstacle::Unverified { key: key.clone() }),
                Fact::Verified { .. } | Fact::Released => {}
            }
        }
        for entity in self.strategy().iter().flat_map(|strategy| &strategy.entities) {
            if !self.has_verified(entity) {
                found.push(Obstacle::NothingVerified { entity: entity.clone() });
            }
        }
        found.extend(self.failed_urls().map(|url| Obstacle::NotPromoted { url: url.to_owned() }));
        found.extend(self.open_directives().iter().map(|text| Obstacle::Unanswered { text: text.clone() }));
        found
    }
}
