//! A check made ready to run: its expressions and globs compiled once.

use std::collections::HashMap;

use crate::check::{Check, Committed, Condition, Said, Wrote};
use crate::text::{self, Pattern};

/// A condition with its expressions compiled.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "made once a line; a box would only add a look-up to each test")]
pub(crate) enum Test {
    Ran {
        words: Vec<String>,
        with: Option<Pattern>,
        without: Option<Pattern>,
        except: Vec<String>,
        bare: bool,
        first_only: bool,
        outcome: Option<crate::check::Outcome>,
    },
    Wrote {
        paths: Vec<Pattern>,
        except: Vec<Pattern>,
        added: Option<Pattern>,
        not_added: Option<Pattern>,
        moved_from: Option<Pattern>,
        named: Option<Pattern>,
        not_named: Option<Pattern>,
        rest: Wrote,
    },
    Read {
        paths: Vec<Pattern>,
    },
    Used {
        tool: Pattern,
    },
    Committed {
        branch: Option<Pattern>,
        not_branch: Option<Pattern>,
        message: Option<Pattern>,
        not_message: Option<Pattern>,
        with: Option<Pattern>,
        without: Option<Pattern>,
    },
    Pushed {
        branch: Option<Pattern>,
        not_branch: Option<Pattern>,
    },
    Branched {
        name: Option<Pattern>,
        not_name: Option<Pattern>,
        from: Option<Pattern>,
        not_from: Option<Pattern>,
        fresh: Option<bool>,
    },
    Said {
        rest: Said,
        text: Option<Pattern>,
    },
    About {
        words: Vec<String>,
    },
    Echoed {
        words: Vec<String>,
        least: usize,
    },
    Refused {
        text: Pattern,
    },
}

/// A check that can be held against turns.
#[derive(Debug, Clone)]
pub struct Ready {
    pub(crate) check: Check,
    pub(crate) trigger: Vec<Test>,
    pub(crate) maybe: Vec<Test>,
    pub(crate) expect: Vec<(Vec<Test>, crate::check::Order)>,
    pub(crate) near: Vec<Test>,
    pub(crate) forbid: Vec<Test>,
    pub(crate) unless: Vec<Test>,
    pub(crate) code: Vec<Pattern>,
    pub(crate) project: Option<Pattern>,
    /// The documents of the line, as far as they are known to exist.
    pub(crate) documents: Vec<Pattern>,
}

impl Ready {
    /// Compiles the expressions of a check.
    pub fn new(check: Check) -> Self {
        Self::sharing(check, &mut Patterns::default())
    }

    /// Compiles the expressions of a check that no other check has brought along.
    pub(crate) fn sharing(check: Check, patterns: &mut Patterns) -> Self {
        let mut tests = |conditions: &[Condition]| {
            conditions.iter().map(|condition| Test::new(condition, patterns)).collect::<Vec<_>>()
        };
        let trigger = tests(&check.trigger);
        let maybe = tests(&check.maybe);
        let expect = check.expect.iter().map(|expect| (tests(&expect.any), expect.order)).collect();
        let (near, forbid, unless) = (tests(&check.near), tests(&check.forbid), tests(&check.unless));
        let code = if check.scope.paths.is_empty() {
            patterns.globs(&crate::compile::code_globs())
        } else {
            patterns.globs(&check.scope.paths)
        };
        let project =
            check.scope.project.as_ref().map(|project| patterns.glob(project.trim_end_matches('/')));
        Self { trigger, maybe, expect, near, forbid, unless, code, project, documents: Vec::new(), check }
    }

    /// Keeps those documents that the line points to and that exist.
    pub(crate) fn meet_documents(&mut self, paths: &[String]) {
        let named = Patterns::default().globs(&self.check.cues.pointers);
        self.documents =
            named.into_iter().filter(|glob| paths.iter().any(|path| glob.is_match(path))).collect();
    }

    /// The check itself.
    pub fn check(&self) -> &Check {
        &self.check
    }

    /// The expressions of the check that are not valid, for a person who wrote one by hand.
    pub fn broken_expressions(&self) -> usize {
        let expected = self.expect.iter().flat_map(|(tests, _)| tests);
        self.trigger
            .iter()
            .chain(&self.maybe)
            .chain(expected)
            .chain(&self.near)
            .chain(&self.forbid)
            .chain(&self.unless)
            .map(Test::broken)
            .sum()
    }
}

/// The patterns of a board: what many checks look for is compiled once.
#[derive(Debug, Default)]
pub(crate) struct Patterns(HashMap<String, Pattern>);

impl Patterns {
    fn pattern(&mut self, source: String) -> Pattern {
        self.0.entry(source).or_insert_with_key(|source| Pattern::new(source)).clone()
    }

    fn found(&mut self, source: Option<&String>) -> Option<Pattern> {
        source.map(|source| self.pattern(source.clone()))
    }

    fn whole(&mut self, source: Option<&String>) -> Option<Pattern> {
        source.map(|source| self.pattern(format!("^(?:{source})$")))
    }

    fn glob(&mut self, glob: &str) -> Pattern {
        self.pattern(text::glob_source(glob))
    }

    fn globs(&mut self, globs: &[String]) -> Vec<Pattern> {
        globs.iter().map(|glob| self.glob(glob)).collect()
    }
}

impl Test {
    fn new(condition: &Condition, patterns: &mut Patterns) -> Self {
        match condition {
            Condition::Ran(ran) => Self::Ran {
                words: ran.command.split_whitespace().map(str::to_owned).collect(),
                with: patterns.found(ran.with.as_ref()),
                without: patterns.found(ran.without.as_ref()),
                except: ran.except.clone(),
                bare: ran.bare,
                first_only: ran.first_only,
                outcome: ran.outcome,
            },
            Condition::Wrote(wrote) => Self::Wrote {
                paths: patterns.globs(&wrote.paths),
                except: patterns.globs(&wrote.except),
                added: patterns.found(wrote.added.as_ref()),
                not_added: patterns.found(wrote.not_added.as_ref()),
                moved_from: wrote.moved_from.as_ref().map(|glob| patterns.glob(glob)),
                named: patterns.whole(wrote.named.as_ref()),
                not_named: patterns.whole(wrote.not_named.as_ref()),
                rest: wrote.clone(),
            },
            Condition::Read { paths } => Self::Read { paths: patterns.globs(paths) },
            Condition::Used { tool } => {
                let parts: Vec<_> = tool.split('*').map(regex::escape).collect();
                Self::Used { tool: patterns.pattern(format!("(?i)^{}$", parts.join(".*"))) }
            }
            Condition::Committed(Committed { branch, not_branch, message, not_message, with, without }) => {
                Self::Committed {
                    branch: patterns.whole(branch.as_ref()),
                    not_branch: patterns.whole(not_branch.as_ref()),
                    message: patterns.found(message.as_ref()),
                    not_message: patterns.found(not_message.as_ref()),
                    with: patterns.found(with.as_ref()),
                    without: patterns.found(without.as_ref()),
                }
            }
            Condition::Pushed { branch, not_branch } => Self::Pushed {
                branch: patterns.whole(branch.as_ref()),
                not_branch: patterns.whole(not_branch.as_ref()),
            },
            Condition::Branched(as_) => Self::Branched {
                name: patterns.whole(as_.name.as_ref()),
                not_name: patterns.whole(as_.not_name.as_ref()),
                from: patterns.whole(as_.from.as_ref()),
                not_from: patterns.whole(as_.not_from.as_ref()),
                fresh: as_.fresh,
            },
            Condition::Said(said) => {
                Self::Said { rest: said.clone(), text: patterns.found(said.text.as_ref()) }
            }
            Condition::About { words } => Self::About { words: words.clone() },
            Condition::Echoed { words, least } => Self::Echoed { words: words.clone(), least: *least },
            Condition::Refused { text } => Self::Refused { text: patterns.pattern(text.clone()) },
        }
    }

    fn broken(&self) -> usize {
        let patterns: Vec<&Pattern> = match self {
            Self::Ran { with, without, .. } => with.iter().chain(without).collect(),
            Self::Wrote { paths, except, added, not_added, moved_from, named, not_named, .. } => paths
                .iter()
                .chain(except)
                .chain(added)
                .chain(not_added)
                .chain(moved_from)
                .chain(named)
                .chain(not_named)
                .collect(),
            Self::Read { paths } => paths.iter().collect(),
            Self::Used { tool } => vec![tool],
            Self::Committed { branch, not_branch, message, not_message, with, without } => branch
                .iter()
                .chain(not_branch)
                .chain(message)
                .chain(not_message)
                .chain(with)
                .chain(without)
                .collect(),
            Self::Pushed { branch, not_branch } => branch.iter().chain(not_branch).collect(),
            Self::Branched { name, not_name, from, not_from, .. } => {
                name.iter().chain(not_name).chain(from).chain(not_from).collect()
            }
            Self::Said { text, .. } => text.iter().collect(),
            Self::About { .. } | Self::Echoed { .. } => Vec::new(),
            Self::Refused { text } => vec![text],
        };
        patterns.into_iter().filter(|pattern| !pattern.is_valid()).count()
    }
}
