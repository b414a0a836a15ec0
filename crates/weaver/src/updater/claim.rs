//! What a task says against a line. Its own words are no evidence: it counts through what it cites.

use crate::Sample;

/// The shortest quotation that tells one message from another, in words.
const MIN_QUOTED_WORDS: usize = 3;

/// A task that says, in so many words, that the lines it names are wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    prose: String,
}

impl Claim {
    /// The claim of a task with this prose.
    pub(crate) fn new(prose: impl Into<String>) -> Self {
        Self { prose: prose.into() }
    }

    /// Whether the task cites this piece of evidence: its fragment, event or session, or words of it in quotation marks.
    pub(super) fn cites(&self, sample: &Sample) -> bool {
        let named = |name: &str| !name.is_empty() && self.names(name);
        let session = sample.session_key.as_deref();
        named(&sample.path)
            || named(&sample.event_id)
            || session.is_some_and(|key| named(key) || key.rsplit_once(':').is_some_and(|(_, id)| named(id)))
            || self.quotations().any(|quoted| is_said(quoted, &sample.quote))
    }

    /// Whether the name stands in the prose, not as a part of a longer one.
    fn names(&self, name: &str) -> bool {
        let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !"-_/".contains(c));
        self.prose.match_indices(name).any(|(at, _)| {
            let (before, rest) = self.prose.split_at(at);
            edge(before.chars().next_back()) && edge(rest.chars().nth(name.chars().count()))
        })
    }

    fn quotations(&self) -> impl Iterator<Item = &str> {
        self.prose.split(['"', '“', '”', '„', '«', '»']).skip(1).step_by(2)
    }
}

fn is_said(quoted: &str, said: &str) -> bool {
    let words = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    quoted.split_whitespace().count() >= MIN_QUOTED_WORDS && words(said).contains(&words(quoted))
}

#[cfg(test)]
mod tests {
    use subcortex_memory::SignalKind;

    use super::*;

    #[test]
    fn a_claim_cites_by_fragment_event_session_or_quotation_and_by_nothing_else() {
        let sample = Sample {
            ts: "2026-03-02T08:00:00Z".parse().unwrap(),
            path: "memory/fragments/2026-03/ab12.md".into(),
            event_id: "0195-77".into(),
            session_key: Some("claude:s1".into()),
            project: None,
            signal: SignalKind::Correction,
            quote: "no, use pnpm, not yarn".into(),
            rule: None,
            by_check: false,
            by_model: false,
            in_company: false,
        };
        let cases = [
            ("L1 is wrong: see memory/fragments/2026-03/ab12.md.", true),
            ("L1 is wrong, by event 0195-77", true),
            ("L1 is wrong (session claude:s1)", true),
            ("L1 is wrong since session s1", true),
            ("L1 is wrong: they said \"Use pnpm, not yarn\"", true),
            ("L1 is wrong.", false),
            ("L1 is wrong: session s12", false),
            ("L1 is wrong, by event 0195-778", false),
            ("L1 is wrong: they said \"pnpm\"", false),
            ("L1 is wrong: they said \"never use yarn again\"", false),
        ];
        for (prose, expect) in cases {
            assert_eq!(Claim::new(prose).cites(&sample), expect, "{prose}");
        }
    }
}
