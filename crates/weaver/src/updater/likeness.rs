//! How others' words in an event resemble what a person says.

use subcortex_checks::{
    Nearness, Others, Sought, speech, stood_alone_in, stood_in, words_of_others, words_repeated,
};
use subcortex_model::{Event, ORDERS_CUT, Standing, event_type};

/// How an event of somebody else resembles sentences of a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Likeness {
    /// It says the same.
    pub(super) is_same: bool,
    /// What it says of the sentences: the same, or nearly, or the same in too few words to be sure, or by repeating somebody.
    pub(super) alike: Vec<Like>,
    /// It may have said the same in what was cut out.
    pub(super) may_be: bool,
}

/// A sentence, by its number, and how much of it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Like {
    sentence: usize,
    near: Nearness,
}

impl Like {
    /// Whether whoever said this before has said all that the other says.
    pub(super) fn covers(self, other: Self) -> bool {
        self.sentence == other.sentence && self.near.covers(other.near)
    }
}

/// The sentences of quotes, to be looked for in what others said.
#[derive(Debug, Default)]
pub(super) struct Sentences(Vec<(String, Sought)>);

impl Sentences {
    pub(super) fn of<'q>(quotes: impl IntoIterator<Item = &'q str>) -> Self {
        let sentences = quotes.into_iter().flat_map(speech);
        Self(sentences.map(|sentence| (sentence.to_owned(), Sought::new(sentence))).collect())
    }

    /// Words of which whoever says one of them, or nearly, uses at least one.
    pub(super) fn telling(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|(_, sought)| sought.telling())
    }

    /// All of them, as if somebody had said each.
    pub(super) fn all(&self) -> impl Iterator<Item = Like> {
        (0..self.0.len()).map(|sentence| Like { sentence, near: Nearness::WHOLE })
    }

    /// Whether a text says one of them.
    pub(super) fn are_said_in(&self, text: &str) -> bool {
        self.0.iter().any(|(sentence, _)| stood_in(sentence, text))
    }

    /// How what somebody else says in an event resembles them.
    pub(super) fn likeness(&self, event: &Event) -> Likeness {
        let mut found = Likeness::default();
        if let Some(text) = words_of_others(event) {
            let others = Others::said(&text);
            found.is_same = self.0.iter().any(|(sentence, _)| others.hold(sentence));
            found.alike = self.said_in(&others, &text);
            found.may_be = text.contains(ORDERS_CUT);
        }
        if let Some(text) = words_repeated(event) {
            found.alike.extend(self.said_in(&Others::said(text), text));
            found.may_be |= text.contains(ORDERS_CUT);
        }
        found
    }

    /// What a person says of them in an event, and does not pass on.
    pub(super) fn said_by_person(&self, event: &Event) -> Vec<Like> {
        let is_theirs =
            event.event_type == event_type::CHANNEL_MESSAGE && event.standing() == Standing::Words;
        event.text().filter(|_| is_theirs).map_or_else(Vec::new, |text| {
            let text = speech(text).join("\n");
            self.said_in(&Others::said(&text), &text)
        })
    }

    fn said_in(&self, others: &Others, text: &str) -> Vec<Like> {
        let near = |(sentence, sought): &(String, Sought)| {
            let is_whole = others.hold(sentence) || stood_alone_in(sentence, text);
            if is_whole { Some(Nearness::WHOLE) } else { others.nearness(sought) }
        };
        let said = self.0.iter().map(near).enumerate();
        said.filter_map(|(sentence, near)| Some(Like { sentence, near: near? })).collect()
    }
}

/// Whether one of the sentences of a quote stands in a text.
pub(super) fn is_said_in(quote: &str, text: &str) -> bool {
    speech(quote).into_iter().any(|sentence| stood_in(sentence, text))
}
