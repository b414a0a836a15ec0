//! Sentences in which the agent, having changed something, says what the line says: its own words, its commits.

use serde::{Deserialize, Serialize};

use crate::facts::{ActKind, Voice};
use crate::judge::{Field, Need, Trace};
use crate::text;

use super::matcher::Shared;
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight, position};

/// The agent says in its own words that it did what the line asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Echoed {
    /// Stems of the line.
    pub words: Vec<String>,
    /// How many of them one sentence has to hold.
    pub least: usize,
}

impl Sight for Echoed {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let facts = scene.facts;
        if facts.writes().next().is_none() {
            return Vec::new();
        }
        let telling = |text: &str| -> Option<String> {
            let found =
                text::sentences(text).into_iter().find(|sentence| self.shared(sentence) >= self.least)?;
            Some(text::excerpt(found, QUOTE_CHARS).to_owned())
        };
        let mut hits = Vec::new();
        let by_agent = facts.said.iter().filter(|said| said.voice == Voice::Agent);
        for said in by_agent.filter(|said| said.may_hold(&self.words, self.least)) {
            if let Some(quote) = telling(&said.text) {
                hits.push(Hit { event: said.event, at: position(facts, said.event), quote });
            }
        }
        for (at, act) in scene.acts() {
            if let ActKind::Committed(commit) = &act.kind
                && let Some(quote) = commit.message.as_deref().and_then(telling)
            {
                hits.push(Hit { event: act.event, at, quote });
            }
        }
        hits
    }

    /// At least so many of these stems: whoever leaves out one fewer than may be missing finds one of the rest.
    fn need(&self) -> Need {
        if self.least == 0 {
            return Need::any_of(Trace::Wrote);
        }
        let mut words: Vec<&String> = self.words.iter().collect();
        words.sort_by_key(|stem| std::cmp::Reverse(stem.len()));
        let enough = (words.len() + 1).saturating_sub(self.least);
        let any = words.into_iter().take(enough).map(|word| Need::stem(Field::Said, word)).collect();
        Need::All(vec![Need::any_of(Trace::Wrote), Need::Any(any)])
    }

    fn in_words(&self) -> String {
        "a report of it".into()
    }

    fn problem(&self) -> Option<String> {
        let enough = self.least <= self.words.len();
        (!enough).then(|| format!("`least` is {} of {} words; lower it", self.least, self.words.len()))
    }

    fn share(&self, _shared: &mut Shared) {}
}

impl Echoed {
    fn shared(&self, sentence: &str) -> usize {
        let mut have: Vec<String> = text::words(sentence).iter().map(|word| text::stem(word)).collect();
        have.extend(text::parts(sentence).iter().map(|part| text::stem(part)));
        self.words.iter().filter(|stem| have.contains(stem)).count()
    }
}
