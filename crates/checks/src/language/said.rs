//! What was said, by whom.

use serde::{Deserialize, Serialize};

use crate::facts::{Utterance, Voice};
use crate::judge::{Field, Need};
use crate::text::{self, pattern};

use super::matcher::{Expression, Shared};
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight, position};

/// Something that was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Said {
    /// Who said it.
    pub by: By,
    /// All of these stems within one sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Expression on the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Expression>,
    /// In how many sentences of one message at least; 0 means 1.
    #[serde(skip_serializing_if = "is_zero")]
    pub least: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Whose words are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The agent.
    #[default]
    Agent,
    /// The agent, at the end of the turn.
    AgentAtEnd,
    /// The person.
    Person,
    /// Either of them.
    Anyone,
}

impl Said {
    fn quote<'t>(&self, said: &'t Utterance<'_>) -> Option<&'t str> {
        if let Some(pattern) = &self.text {
            let found = pattern.find(&said.text)?;
            return Some(text::window(&said.text, found.start(), found.end(), QUOTE_CHARS / 2));
        }
        if !said.may_hold(&self.words, self.words.len()) {
            return None;
        }
        let tells = |sentence: &&str| holds_all(sentence, &self.words) && !NEGATED.is_match(sentence);
        let holding: Vec<&str> = text::sentences(&said.text).into_iter().filter(tells).collect();
        let first = holding.first().filter(|_| holding.len() >= self.least.max(1))?;
        Some(text::excerpt(first, QUOTE_CHARS))
    }
}

// What stands right before something that is not wanted.
pattern!(
    DENIED,
    r"(?i)(?:\b(?:not|never|without|stop|no need (?:to|for)|instead of|rather than)|n['’]?t)\b(?:\s+\w+){0,4}\s*$"
);

impl Sight for Said {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let facts = scene.facts;
        let last_of_agent = facts.final_text().map(|said| said.event);
        let heard = |said: &&Utterance<'_>| match self.by {
            By::Agent => said.voice == Voice::Agent,
            By::AgentAtEnd => Some(said.event) == last_of_agent,
            By::Person => said.voice != Voice::Agent,
            By::Anyone => true,
        };
        let hit = |said: &Utterance<'_>| {
            let quote = self.quote(said)?.to_owned();
            Some(Hit { event: said.event, at: position(facts, said.event), quote })
        };
        facts.said.iter().filter(heard).filter_map(hit).collect()
    }

    fn need(&self) -> Need {
        match &self.text {
            Some(text) => Need::expression(Field::Said, Some(text)),
            None => Need::All(self.words.iter().map(|word| Need::stem(Field::Said, word)).collect()),
        }
    }

    fn in_words(&self) -> String {
        let asks = self.text.as_ref().is_some_and(|text| text.as_str().starts_with(r"\?"));
        match self.by {
            By::Person => "certain words of the person".into(),
            By::AgentAtEnd if asks => "question at its end".into(),
            By::Agent | By::AgentAtEnd | By::Anyone => "certain words".into(),
        }
    }

    fn problem(&self) -> Option<String> {
        let nothing = self.words.is_empty() && self.text.is_none();
        nothing
            .then(|| "it looks for no words; name stems under `words`, or an expression under `text`".into())
    }

    /// Whether somebody asks for this: a refusal does not, nor does "I didn't ask for a plan".
    fn excuses(&self, scene: &Scene<'_>) -> bool {
        let asks = |hit: &Hit| {
            let Some(said) = scene.facts.said.iter().find(|said| said.event == hit.event) else {
                return false;
            };
            let Some(pattern) = self.text.as_ref().filter(|_| said.voice != Voice::Agent) else {
                return true;
            };
            let asked = |start: usize| !DENIED.is_match(said.text.get(..start).unwrap_or(""));
            !said.refuses && pattern.find_all(&said.text).iter().any(|found| asked(found.start()))
        };
        self.find(scene).iter().any(asks)
    }

    fn share(&self, shared: &mut Shared) {
        self.text.iter().for_each(|text| text.share(shared));
    }
}

pattern!(
    NEGATED,
    r"(?i)\b(?:not|never|no longer|avoid|without|instead of|shouldn't|don't|doesn't|won't|isn't|aren't)\b"
);

/// Whether a sentence holds all of these stems.
pub(super) fn holds_all(sentence: &str, stems: &[String]) -> bool {
    if stems.is_empty() {
        return false;
    }
    let mut have: Vec<String> = text::words(sentence).iter().map(|word| text::stem(word)).collect();
    have.extend(text::parts(sentence).iter().map(|part| text::stem(part)));
    stems.iter().all(|stem| have.contains(stem))
}
