//! Functions, tests, imports, classes and files that were added, each looked at by itself.

use serde::{Deserialize, Serialize};

use crate::facts::{ActKind, units};
use crate::judge::{Need, Trace, Way, path_need};
use crate::text;

use super::matcher::{Expression, Glob, Name, Shared, any_matches};
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight, avoids, fits, is_named};

/// A piece of code that can be looked at by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A function or method, with what stands right above it.
    Function,
    /// A test.
    Test,
    /// An import.
    Import,
    /// A class, struct, interface or enum, with its body.
    Class,
    /// A file that was not there before.
    File,
}

impl Unit {
    fn in_words(self) -> &'static str {
        match self {
            Self::Function => "a new function",
            Self::Test => "a new test",
            Self::Import => "a new import",
            Self::Class => "a new class",
            Self::File => "a new file",
        }
    }
}

/// A unit was added that has something, or has not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Added {
    /// What was added.
    pub unit: Unit,
    /// Globs, any of which matches the path; empty: any path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<Glob>,
    /// Globs that the path must not match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<Glob>,
    /// Expression for the whole name of the unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Name>,
    /// Expression that the name must not match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_named: Option<Name>,
    /// Expression that the unit has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has: Option<Expression>,
    /// Expression that the unit has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<Expression>,
    /// Expression that excuses a unit: one that has it is not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless: Option<Expression>,
}

impl Added {
    /// Any unit of a kind.
    pub fn unit(unit: Unit) -> Self {
        Self {
            unit,
            paths: Vec::new(),
            except: Vec::new(),
            named: None,
            not_named: None,
            has: None,
            lacks: None,
            unless: None,
        }
    }
}

impl Sight for Added {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (at, act) in scene.acts() {
            let ActKind::Wrote(written) = &act.kind else { continue };
            let here = (self.paths.is_empty() || any_matches(&self.paths, &written.path))
                && !any_matches(&self.except, &written.path);
            if act.failed || !here {
                continue;
            }
            for found in units::added(written, self.unit) {
                let holds = is_named(self.named.as_ref(), self.not_named.as_ref(), Some(&found.name))
                    && avoids(self.unless.as_ref(), found.text)
                    && fits(self.has.as_ref(), found.text)
                    && avoids(self.lacks.as_ref(), found.text);
                if holds {
                    hits.push(Hit {
                        event: act.event,
                        at,
                        quote: text::excerpt(found.head, QUOTE_CHARS).to_owned(),
                    });
                }
            }
        }
        hits
    }

    fn need(&self) -> Need {
        let mut all = vec![Need::any_of(Trace::Wrote)];
        if !self.paths.is_empty() {
            all.push(Need::Any(
                self.paths.iter().map(|glob| path_need(glob.as_str(), Way::Written)).collect(),
            ));
        }
        Need::All(all)
    }

    fn in_words(&self) -> String {
        let unit = self.unit.in_words();
        match (&self.has, &self.lacks) {
            (Some(has), None) => format!("{unit} with `{}`", has.as_str()),
            (None, Some(lacks)) => format!("{unit} without `{}`", lacks.as_str()),
            (Some(_), Some(_)) | (None, None) => unit.to_owned(),
        }
    }

    fn problem(&self) -> Option<String> {
        let both = self.has.is_some() && self.has == self.lacks;
        both.then(|| "a unit cannot have and lack the same; leave out `has` or `lacks`".into())
    }

    fn share(&self, shared: &mut Shared) {
        self.paths.iter().chain(&self.except).for_each(|glob| glob.share(shared));
        self.named.iter().chain(&self.not_named).for_each(|name| name.share(shared));
        self.has.iter().chain(&self.lacks).chain(&self.unless).for_each(|text| text.share(shared));
    }
}
