//! What the work of a turn is about: commit messages, titles of pull requests, names of written files.

use crate::facts::{ActKind, Facts, Voice};
use crate::text;

use super::conditions::{Hit, holds_all, position};

const QUOTE_CHARS: usize = 160;

/// Places where the work itself names all of these stems.
pub(crate) fn find(facts: &Facts<'_>, words: &[String]) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (at, act) in facts.acts.iter().enumerate() {
        let found = match &act.kind {
            ActKind::Committed(commit) => commit
                .message
                .as_deref()
                .and_then(|message| message.lines().next())
                .and_then(|header| sentence_with(header, words)),
            ActKind::Wrote(written) => {
                (written.whole && holds_all(&written.path, words)).then(|| written.path.clone())
            }
            ActKind::Branched(branched) => holds_all(&branched.name, words).then(|| branched.name.clone()),
            ActKind::Ran(simple)
                if simple.words.first().is_some_and(|program| program == "gh")
                    && simple.words.iter().any(|word| word == "create") =>
            {
                title(&simple.words).filter(|title| holds_all(title, words))
            }
            ActKind::Ran(_) | ActKind::Read(_) | ActKind::Used(_) | ActKind::Pushed(_) => None,
        };
        if let Some(quote) = found {
            hits.push(Hit { event: act.event, at, quote });
        }
    }
    hits
}

/// The title of a pull request or issue that is opened by this command.
fn title(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word == "--title" || word == "-t")?;
    words.get(at + 1).cloned()
}

fn sentence_with(text: &str, words: &[String]) -> Option<String> {
    text::sentences(text)
        .into_iter()
        .find(|sentence| holds_all(sentence, words))
        .map(|sentence| text::excerpt(sentence, QUOTE_CHARS).to_owned())
}

/// Sentences in which the agent, having changed something, says what the line says: its own words, its commits.
pub(crate) fn echoes(facts: &Facts<'_>, words: &[String], least: usize) -> Vec<Hit> {
    if facts.writes().next().is_none() {
        return Vec::new();
    }
    let telling = |text: &str| -> Option<String> {
        let found = text::sentences(text).into_iter().find(|sentence| shared(sentence, words) >= least)?;
        Some(text::excerpt(found, QUOTE_CHARS).to_owned())
    };
    let mut hits = Vec::new();
    for said in facts.said.iter().filter(|said| said.voice == Voice::Agent && said.may_hold(words, least)) {
        if let Some(quote) = telling(said.text) {
            hits.push(Hit { event: said.event, at: position(facts, said.event), quote });
        }
    }
    for (at, act) in facts.acts.iter().enumerate() {
        if let ActKind::Committed(commit) = &act.kind
            && let Some(quote) = commit.message.as_deref().and_then(telling)
        {
            hits.push(Hit { event: act.event, at, quote });
        }
    }
    hits
}

fn shared(sentence: &str, words: &[String]) -> usize {
    let mut have: Vec<String> = text::words(sentence).iter().map(|word| text::stem(word)).collect();
    have.extend(text::parts(sentence).iter().map(|part| text::stem(part)));
    words.iter().filter(|stem| have.contains(stem)).count()
}
