//! What the work of a turn is about: commit messages, titles of pull requests, names of written files.

use serde::{Deserialize, Serialize};

use crate::facts::ActKind;
use crate::judge::{Field, Need};
use crate::text;

use super::matcher::Shared;
use super::said::holds_all;
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight};

/// The turn's work is about something: commit message, pull request title, name of a written file, branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// All of these stems within one sentence or name.
    pub words: Vec<String>,
}

impl Sight for About {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (at, act) in scene.acts() {
            let found = match &act.kind {
                ActKind::Committed(commit) => commit
                    .message
                    .as_deref()
                    .and_then(|message| message.lines().next())
                    .and_then(|header| sentence_with(header, &self.words)),
                ActKind::Wrote(written) => {
                    (written.whole && holds_all(&written.path, &self.words)).then(|| written.path.clone())
                }
                ActKind::Branched(branched) => {
                    holds_all(&branched.name, &self.words).then(|| branched.name.clone())
                }
                ActKind::Ran(simple)
                    if simple.words.first().is_some_and(|program| program == "gh")
                        && simple.words.iter().any(|word| word == "create") =>
                {
                    title(&simple.words).filter(|title| holds_all(title, &self.words))
                }
                ActKind::Ran(_) | ActKind::Read(_) | ActKind::Used(_) | ActKind::Pushed(_) => None,
            };
            if let Some(quote) = found {
                hits.push(Hit { event: act.event, at, quote });
            }
        }
        hits
    }

    fn need(&self) -> Need {
        Need::All(self.words.iter().map(|word| Need::stem(Field::Deed, word)).collect())
    }

    fn in_words(&self) -> String {
        format!("work on {}", self.words.join(" "))
    }

    fn problem(&self) -> Option<String> {
        self.words.is_empty().then(|| "it names no word; name what the work is about under `words`".into())
    }

    fn share(&self, _shared: &mut Shared) {}
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
