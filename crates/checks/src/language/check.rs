//! A check: how one line of the memory is understood, as a test of a turn.
//!
//! It is stored as YAML, shown to people, and people may correct it by hand; so it is a small language that reads well:
//!
//! ```yaml
//! testable: true
//! family: run-after
//! trigger:                       # any of these is an occasion
//!   - wrote: { paths: ["apps/api/**"], words: [controller, dto] }
//! expect:                        # each of these shows that the line was followed
//!   - any: [{ ran: { command: "pnpm api:generate" } }]
//!     order: after_trigger       # anytime | after_trigger | before_trigger
//!     since: turn                # turn | session | commit | edit: ["*.ts"]: how far back it may have happened
//! near: []                       # almost, but not quite: leaves the verdict open
//! forbid: []                     # any of these shows that it was not
//! maybe: []                      # where it may hold: doing it counts, not doing it does not
//! unmet: missed                  # an occasion where nothing expected happened: missed | followed | open
//! mixed: open                    # followed in one place, broken in another: missed | open
//! scope: { project: null, paths: [] }
//! why: "after a change below apps/api, `pnpm api:generate` is expected"
//! ```
//!
//! Where one condition is not enough: `all: [A, any: [B, C], none: [D]]`. Each condition says in its own file what it takes.

use serde::{Deserialize, Deserializer, Serialize};

use super::Condition;
use super::earlier::Since;
use super::matcher::{Glob, Shared};

/// How one line of the memory is understood.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Check {
    /// Whether anybody could tell from a turn that the line was followed or not.
    pub testable: bool,
    /// The kind of rule that the line was taken for.
    pub family: String,
    /// When the line has an occasion: any of these.
    #[serde(deserialize_with = "placed")]
    pub trigger: Vec<Condition>,
    /// When it may have one: doing it counts, not doing it does not.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "placed")]
    pub maybe: Vec<Condition>,
    /// What shows that it was followed: each of these.
    pub expect: Vec<Expect>,
    /// What comes near without being it.
    #[serde(deserialize_with = "placed")]
    pub near: Vec<Condition>,
    /// What shows that it was broken: any of these.
    #[serde(deserialize_with = "placed")]
    pub forbid: Vec<Condition>,
    /// What excuses a breach: any of these leaves it open.
    #[serde(deserialize_with = "sound")]
    pub unless: Vec<Condition>,
    /// What an occasion means on which neither was seen.
    pub unmet: Unmet,
    /// What a turn means in which both were seen.
    pub mixed: Mixed,
    /// Where the line holds.
    pub scope: Scope,
    /// Words by which a person's remark is recognised as being about this line.
    pub cues: Cues,
    /// How the line was understood, in a sentence.
    pub why: String,
    /// How to word the line so that it can be tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reword: Option<String>,
}

/// One thing that is expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Any of these will do.
    #[serde(deserialize_with = "placed")]
    pub any: Vec<Condition>,
    /// When it has to happen.
    #[serde(default)]
    pub order: Order,
    /// How far back it may have happened.
    #[serde(default, skip_serializing_if = "Since::is_turn")]
    pub since: Since,
}

impl Expect {
    /// Expects one condition at any time.
    pub fn one(condition: Condition) -> Self {
        Self::any(vec![condition])
    }

    /// Expects any of these conditions at any time in the turn.
    pub fn any(any: Vec<Condition>) -> Self {
        Self { any, order: Order::Anytime, since: Since::Turn }
    }
}

impl Check {
    /// All conditions, wherever they stand.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let expected = self.expect.iter().flat_map(|expect| &expect.any);
        let occasions = self.trigger.iter().chain(&self.maybe);
        occasions.chain(expected).chain(&self.near).chain(&self.forbid).chain(&self.unless)
    }

    /// Why it can never say anything, or says what nobody means; for a check that did not come out of a file.
    pub fn problem(&self) -> Option<String> {
        self.conditions().find_map(|condition| condition.sight().problem())
    }

    /// Whether it asks for more than one turn. What is written counts for a line only in a file that no earlier turn wrote.
    pub fn looks_back(&self) -> bool {
        let mut expected = self.expect.iter().flat_map(|expect| &expect.any);
        self.expect.iter().any(|expect| !expect.since.is_turn())
            || expected.any(|condition| {
                matches!(
                    condition,
                    Condition::Wrote(_) | Condition::Added(_) | Condition::All(_) | Condition::Any(_)
                )
            })
            || self.conditions().any(|condition| condition.sight().looks_back())
    }

    /// Compiles its expressions, unless another check of the board has them.
    pub(crate) fn share(&self, shared: &mut Shared) {
        self.conditions().for_each(|condition| condition.sight().share(shared));
        self.expect.iter().for_each(|expect| expect.since.share(shared));
    }
}

/// Conditions that can hold.
fn sound<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Condition>, D::Error> {
    let sound = Vec::<Sound>::deserialize(from)?;
    Ok(sound.into_iter().map(|Sound(condition)| condition).collect())
}

/// Conditions that can hold, and that have a place in a turn.
fn placed<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Condition>, D::Error> {
    let found = sound(from)?;
    if found.iter().all(Condition::has_place) {
        return Ok(found);
    }
    Err(serde::de::Error::custom(
        "`none` and `earlier` alone have no place in a turn; put them into `all`, beside what has to happen",
    ))
}

/// A condition that was looked at.
struct Sound(Condition);

impl<'de> Deserialize<'de> for Sound {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let condition = Condition::deserialize(from)?;
        match condition.sight().problem() {
            Some(why) => Err(serde::de::Error::custom(why)),
            None => Ok(Self(condition)),
        }
    }
}

/// When something expected has to happen, seen from the trigger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// At any time in the turn.
    #[default]
    Anytime,
    /// After the first occasion.
    AfterTrigger,
    /// Before the last occasion.
    BeforeTrigger,
}

/// What an occasion means on which neither the expected nor the forbidden was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unmet {
    /// The line should have taken effect and did not.
    Missed,
    /// Not doing the forbidden thing on its natural occasion is following the line.
    Followed,
    /// Nobody can tell.
    #[default]
    Open,
}

/// What a turn means in which the line was both followed and broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mixed {
    /// Once broken is broken.
    Missed,
    /// Neither.
    #[default]
    Open,
}

/// Where a line holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scope {
    /// The project (path or glob) that the line's section names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The paths that the line is about; empty means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Glob>,
}

/// Words by which a remark is tied to a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cues {
    /// Stems of the line's content words.
    pub stems: Vec<String>,
    /// Its code terms, as written.
    pub code: Vec<String>,
    /// Stems of what the line forbids.
    pub against: Vec<String>,
    /// Documents that the line points to: globs of their paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<Glob>,
}
