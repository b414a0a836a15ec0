//! Who writes.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use subcortex_guard::Redactor;

use crate::limits::{Malformed, check_name};
use crate::{Kind, WebAddress};

/// What somebody is on a blackboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Plans, promotes dead URLs, answers directives and ends the run.
    Supervisor,
    /// Claims facts and finds them out.
    Worker,
    /// A person who may step in.
    User,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 3] = [Role::Supervisor, Role::Worker, Role::User];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Supervisor => "supervisor",
            Role::Worker => "worker",
            Role::User => "user",
        }
    }

    /// What it may append.
    pub fn kinds(self) -> &'static [Kind] {
        match self {
            Role::Supervisor => &[Kind::Strategy, Kind::Tombstone, Kind::Synthesis],
            Role::Worker => &[Kind::Pending, Kind::Verified, Kind::Unverified, Kind::FailedUrl],
            Role::User => &[Kind::UserDirective],
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Who appends an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// What it is.
    pub role: Role,
    /// Its name.
    pub id: String,
    /// The pages that it fetched in this run with success, where somebody watched; only these can be its sources.
    pub fetched: Option<BTreeSet<WebAddress>>,
}

impl Author {
    /// An author whose fetching nobody watched. A secret in its name is replaced: the name is stored with all it says.
    pub fn new(role: Role, id: &str) -> Result<Self, Malformed> {
        check_name("the author's id", id)?;
        Ok(Self { role, id: Redactor::new().text(id).into_owned(), fetched: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_the_name_of_an_author_is_not_kept() {
        let author = Author::new(Role::User, "bob ghp_0123456789abcdefghijABCDEFGHIJ456789").unwrap();
        assert_eq!(author.id, "bob [REDACTED:github-token]");
    }
}
