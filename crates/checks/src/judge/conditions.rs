//! Finds where a condition holds in a turn.

use crate::check::{By, Outcome, Said};
use crate::facts::{Act, ActKind, Facts, Simple, Voice, Written, WrittenBy};
use crate::text::{self, Pattern};

use super::about;
use super::ready::Test;

/// A place in a turn where a condition holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Index of the event.
    pub(crate) event: usize,
    /// Position among the acts, for questions of order.
    pub(crate) at: usize,
    /// Verbatim from the event, as far as it is known here; the caller makes sure of it.
    pub(crate) quote: String,
}

const QUOTE_CHARS: usize = 160;

fn fits(pattern: Option<&Pattern>, text: &str) -> bool {
    pattern.is_none_or(|pattern| pattern.is_match(text))
}

fn avoids(pattern: Option<&Pattern>, text: &str) -> bool {
    pattern.is_none_or(|pattern| !pattern.is_match(text))
}

impl Test {
    /// All places where this holds.
    pub(crate) fn find(&self, facts: &Facts<'_>) -> Vec<Hit> {
        match self {
            Self::Said { rest, text } => said(facts, rest, text.as_ref()),
            Self::About { words } => about::find(facts, words),
            Self::Echoed { words, least } => about::echoes(facts, words, *least),
            Self::Refused { text } => facts
                .failures
                .iter()
                .filter_map(|(event, answer)| {
                    let found = text.find(answer)?;
                    let quote = text::window(answer, found.start(), found.end(), QUOTE_CHARS / 2).to_owned();
                    Some(Hit { event: *event, at: position(facts, *event), quote })
                })
                .collect(),
            Self::Ran { .. }
            | Self::Wrote { .. }
            | Self::Read { .. }
            | Self::Used { .. }
            | Self::Committed { .. }
            | Self::Pushed { .. }
            | Self::Branched { .. } => facts
                .acts
                .iter()
                .enumerate()
                .filter_map(|(at, act)| self.act(facts, act).map(|quote| Hit { event: act.event, at, quote }))
                .collect(),
        }
    }

    fn act(&self, facts: &Facts<'_>, act: &Act<'_>) -> Option<String> {
        match (self, &act.kind) {
            (Self::Ran { words, with, without, except, bare, first_only, outcome }, ActKind::Ran(simple)) => {
                let holds = ran(simple, words, *bare)
                    && !(*first_only && simple.piped)
                    && outcome.is_none_or(|outcome| outcome == ended(facts, act))
                    && fits(with.as_ref(), &simple.text)
                    && avoids(without.as_ref(), &simple.text)
                    && !simple.words.first().is_some_and(|program| except.contains(program));
                holds.then(|| text::excerpt(&simple.text, QUOTE_CHARS).to_owned())
            }
            (Self::Wrote { .. }, ActKind::Wrote(written)) if !act.failed => self.wrote(written),
            (Self::Read { paths }, ActKind::Read(path)) => {
                paths.iter().any(|glob| glob.is_match(path)).then(|| path.clone())
            }
            (Self::Read { paths }, ActKind::Ran(simple)) => {
                if !shows_files(simple) {
                    return None;
                }
                simple.words.iter().skip(1).find(|word| paths.iter().any(|glob| glob.is_match(word))).cloned()
            }
            (Self::Used { tool }, ActKind::Used(name)) => tool.is_match(name).then(|| (*name).to_owned()),
            (
                Self::Committed { branch, not_branch, message, not_message, with, without },
                ActKind::Committed(commit),
            ) => {
                let on = commit.branch.as_deref();
                let said = commit.message.as_deref();
                let holds = branch.as_ref().is_none_or(|pattern| on.is_some_and(|on| pattern.is_match(on)))
                    && not_branch.as_ref().is_none_or(|pattern| on.is_some_and(|on| !pattern.is_match(on)))
                    && message.as_ref().is_none_or(|pattern| said.is_some_and(|said| pattern.is_match(said)))
                    && not_message
                        .as_ref()
                        .is_none_or(|pattern| said.is_some_and(|said| !pattern.is_match(said)))
                    && fits(with.as_ref(), &commit.text)
                    && avoids(without.as_ref(), &commit.text)
                    && !(commit.amend && said.is_none() && (message.is_some() || not_message.is_some()));
                let about_message = message.is_some() || not_message.is_some();
                let matched = message.as_ref().zip(said).and_then(|(pattern, said)| {
                    let found = pattern.find(said)?;
                    Some(text::window(said, found.start(), found.end(), QUOTE_CHARS / 2))
                });
                holds.then(|| {
                    let whole = said.filter(|_| about_message).unwrap_or(&commit.text);
                    matched.unwrap_or_else(|| text::excerpt(whole, QUOTE_CHARS)).to_owned()
                })
            }
            (Self::Pushed { branch, not_branch }, ActKind::Pushed(push)) => {
                let on = push.branch.as_deref();
                let holds = branch.as_ref().is_none_or(|pattern| on.is_some_and(|on| pattern.is_match(on)))
                    && not_branch.as_ref().is_none_or(|pattern| on.is_some_and(|on| !pattern.is_match(on)));
                holds.then(|| text::excerpt(&push.text, QUOTE_CHARS).to_owned())
            }
            (Self::Branched { name, not_name, from, not_from, fresh }, ActKind::Branched(branched))
                if !act.failed =>
            {
                let start = branched
                    .from
                    .as_deref()
                    .map(|start| start.trim_start_matches("origin/").trim_start_matches("upstream/"));
                let remote = branched
                    .from
                    .as_deref()
                    .is_some_and(|start| start.contains("origin/") || start.contains("upstream/"));
                let holds = fits(name.as_ref(), &branched.name)
                    && avoids(not_name.as_ref(), &branched.name)
                    && from.as_ref().is_none_or(|pattern| start.is_some_and(|start| pattern.is_match(start)))
                    && not_from
                        .as_ref()
                        .is_none_or(|pattern| start.is_some_and(|start| !pattern.is_match(start)))
                    && fresh.is_none_or(|fresh| fresh == (branched.fresh.unwrap_or(true) || remote));
                holds.then(|| text::excerpt(&branched.text, QUOTE_CHARS).to_owned())
            }
            _ => None,
        }
    }

    fn wrote(&self, written: &Written) -> Option<String> {
        let Self::Wrote { paths, except, added, not_added, moved_from, named, not_named, rest } = self else {
            return None;
        };
        let name = written.path.rsplit('/').next().unwrap_or(&written.path);
        let holds = (paths.is_empty() || paths.iter().any(|glob| glob.is_match(&written.path)))
            && !except.iter().any(|glob| glob.is_match(&written.path))
            && (!rest.whole || written.whole)
            && (!rest.edited || !(written.whole || written.deleted || written.moved_from.is_some()))
            && fits(named.as_ref(), name)
            && avoids(not_named.as_ref(), name)
            && (!rest.by_shell || written.by == WrittenBy::Shell)
            && rest.deleted == written.deleted
            && moved_from
                .as_ref()
                .is_none_or(|glob| written.moved_from.as_deref().is_some_and(|from| glob.is_match(from)))
            && avoids(not_added.as_ref(), &written.added)
            && (rest.words.is_empty() || has_word(written, &rest.words));
        if !holds {
            return None;
        }
        match added {
            Some(pattern) => {
                let found = pattern.find(&written.added)?;
                Some(text::window(&written.added, found.start(), found.end(), QUOTE_CHARS / 2).to_owned())
            }
            None => Some(written.path.clone()),
        }
    }
}

crate::text::pattern!(
    REPORTS_FAILURE,
    r"(?m)^\W*[1-9]\d* (?:tests? )?(?:fail|failed|failing|failures)\b|\b[1-9]\d* failed[,;|]|^(?:FAIL|FAILED|---\s*FAIL)\b|Tests?:\s+[1-9]\d* failed|test result: FAILED|npm ERR!|ELIFECYCLE|exited with code [1-9]"
);

crate::text::pattern!(
    REFUSES,
    r"(?i)^(?:error:|\S+: (?:command not found|not found|no such file)|unknown (?:command|option|subcommand)|usage:|failed to )"
);

/// A refusal stands at the very start of an answer.
const REFUSAL_CHARS: usize = 200;

/// How a command ended, by its exit and by what its output says: a pipe hides the exit of what stands before it.
pub(crate) fn ended(facts: &Facts<'_>, act: &Act<'_>) -> Outcome {
    let answer = act
        .answer
        .and_then(|answer| facts.events.get(answer))
        .and_then(subcortex_model::Event::text)
        .unwrap_or("");
    let start = text::excerpt(answer, REFUSAL_CHARS);
    if act.failed || REPORTS_FAILURE.is_match(answer) || REFUSES.is_match(start) {
        Outcome::Failed
    } else {
        Outcome::Passed
    }
}

/// Whether one of these words is part of the path of a changed file.
fn has_word(written: &Written, words: &[String]) -> bool {
    let stems: Vec<String> = text::parts(&written.path).iter().map(|part| text::stem(part)).collect();
    words.iter().any(|word| stems.contains(word))
}

/// Whether a command shows the files that it names.
pub(crate) fn shows_files(simple: &Simple) -> bool {
    simple.words.first().is_some_and(|program| {
        matches!(program.as_str(), "cat" | "less" | "head" | "tail" | "bat" | "sed" | "grep" | "rg")
    })
}

/// Words of a command line among which its program stands, behind wrappers.
pub(crate) const MOST_WRAPPER_WORDS: usize = 6;

/// Programs that only name or show a command line.
const ONLY_TALK: &[&str] = &[
    "echo", "printf", "grep", "rg", "cat", "which", "man", "sed", "awk", "head", "tail", "ls", "find", "gh",
    "jq", "command", "type",
];

/// Whether a simple command is this command: its words in this order, options in between allowed.
pub(crate) fn ran(simple: &Simple, pattern: &[String], bare: bool) -> bool {
    let Some(first) = pattern.first() else { return !simple.words.is_empty() };
    let starts = |word: &str| word == first || word.rsplit('/').next() == Some(first);
    let program = simple.words.first().map_or("", String::as_str);
    let runner = matches!(first.as_str(), "npm" | "pnpm" | "yarn");
    let follows = |words: &[String], pattern: &[String]| {
        if runner { follows(words, pattern) } else { in_order(words, pattern) }
    };
    if starts(program) {
        return follows(&simple.words[1..], &pattern[1..]);
    }
    if bare
        || ONLY_TALK.contains(&program)
        || (program == "git" && simple.words.get(1).is_some_and(|word| word == "commit"))
    {
        return false;
    }
    (1..simple.words.len().min(MOST_WRAPPER_WORDS)).any(|at| {
        simple.words.get(at).is_some_and(|word| starts(word))
            && follows(simple.words.get(at + 1..).unwrap_or(&[]), &pattern[1..])
    })
}

/// Whether these arguments follow: `npm test` is `npm run test`.
fn follows(words: &[String], pattern: &[String]) -> bool {
    let without_run = |words: &[String]| {
        words.first().filter(|word| *word == "run").map(|_| words.get(1..).unwrap_or(&[]).to_vec())
    };
    in_order(words, pattern)
        || without_run(pattern).is_some_and(|rest| !rest.is_empty() && in_order(words, &rest))
        || without_run(words).is_some_and(|rest| in_order(&rest, pattern))
}

fn in_order(words: &[String], pattern: &[String]) -> bool {
    const MOST_BETWEEN: usize = 4;
    let mut words = words;
    for wanted in pattern {
        let same = |word: &String| match wanted.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == wanted || (wanted.starts_with("--") && word.starts_with(&format!("{wanted}="))),
        };
        let Some(at) = words.iter().take(MOST_BETWEEN).position(same) else { return false };
        words = words.get(at + 1..).unwrap_or(&[]);
    }
    true
}

fn said(facts: &Facts<'_>, rest: &Said, pattern: Option<&Pattern>) -> Vec<Hit> {
    let (by, words) = (rest.by, rest.words.as_slice());
    let last_of_agent = facts.final_text().map(|said| said.event);
    let mut hits = Vec::new();
    for said in &facts.said {
        let heard = match by {
            By::Agent => said.voice == Voice::Agent,
            By::AgentAtEnd => Some(said.event) == last_of_agent,
            By::Person => said.voice != Voice::Agent,
            By::Anyone => true,
        };
        if !heard {
            continue;
        }
        let quote = match pattern {
            Some(pattern) => pattern
                .find(said.text)
                .map(|found| text::window(said.text, found.start(), found.end(), QUOTE_CHARS / 2)),
            None if !said.may_hold(words, words.len()) => None,
            None => {
                let holding: Vec<&str> = text::sentences(said.text)
                    .into_iter()
                    .filter(|sentence| holds_all(sentence, words) && !NEGATED.is_match(sentence))
                    .collect();
                holding
                    .first()
                    .filter(|_| holding.len() >= rest.least.max(1))
                    .map(|sentence| text::excerpt(sentence, QUOTE_CHARS))
            }
        };
        if let Some(quote) = quote {
            hits.push(Hit { event: said.event, at: position(facts, said.event), quote: quote.to_owned() });
        }
    }
    hits
}

crate::text::pattern!(
    NEGATED,
    r"(?i)\b(?:not|never|no longer|avoid|without|instead of|shouldn't|don't|doesn't|won't|isn't|aren't)\b"
);

/// Whether a sentence holds all of these stems.
pub(crate) fn holds_all(sentence: &str, stems: &[String]) -> bool {
    if stems.is_empty() {
        return false;
    }
    let mut have: Vec<String> = text::words(sentence).iter().map(|word| text::stem(word)).collect();
    have.extend(text::parts(sentence).iter().map(|part| text::stem(part)));
    stems.iter().all(|stem| have.contains(stem))
}

/// The position among the acts of something that was said in this event.
pub(crate) fn position(facts: &Facts<'_>, event: usize) -> usize {
    facts.acts.iter().position(|act| act.event >= event).unwrap_or(facts.acts.len())
}
