//! An answer while it is coming in.

use serde_json::Value;
use subcortex_mind::Usage;

/// The longest answer, in bytes of text.
pub(crate) const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// How many bytes are taken for a token where the other side does not count. English has about four; three is on the
/// safe side, so that a budget is never blind.
pub(crate) const ESTIMATED_BYTES_PER_TOKEN: u64 = 3;

/// Why what came in is no answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Trouble {
    /// It is nothing that the interface knows.
    Nonsense(String),
    /// There is more of it than anyone asked for.
    TooLong,
    /// The other side says that something went wrong, as it would with a status of HTTP.
    Said {
        /// The status that means the same.
        status: u16,
        /// Its words.
        reason: String,
    },
}

/// What has come in so far.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) model: String,
    /// What the other side counted; zero where it did not.
    pub(crate) told: Usage,
    pub(crate) cost_usd: Option<f64>,
    /// It ended because it got too long.
    pub(crate) is_cut: bool,
    /// The model has stopped; the account of it may still come.
    pub(crate) has_stopped: bool,
    /// Nothing more will come.
    pub(crate) is_whole: bool,
    /// Thoughts and the like: paid for, not part of the answer.
    unheard_bytes: usize,
}

impl Answer {
    /// Adds to the text.
    pub(crate) fn add(&mut self, piece: &str) -> Result<(), Trouble> {
        if self.text.len() + piece.len() > MAX_TEXT_BYTES {
            return Err(Trouble::TooLong);
        }
        self.text.push_str(piece);
        Ok(())
    }

    /// Adds a text, or the texts of a list of parts.
    pub(crate) fn add_content(&mut self, content: &Value) -> Result<(), Trouble> {
        if let Some(text) = content.as_str() {
            return self.add(text);
        }
        let parts = content.as_array().into_iter().flatten();
        parts.filter_map(|part| part["text"].as_str()).try_for_each(|text| self.add(text))
    }

    /// Notes that something was written that is not part of the answer.
    pub(crate) fn pass_over(&mut self, piece: &Value) {
        self.unheard_bytes = self.unheard_bytes.saturating_add(piece.as_str().map_or(0, str::len));
    }

    /// Notes the model that says it answers.
    pub(crate) fn name_model(&mut self, name: &Value) {
        if let Some(name) = name.as_str().filter(|name| !name.is_empty()) {
            name.clone_into(&mut self.model);
        }
    }

    /// What a question of so many bytes took until now: as told, and estimated where it was not.
    pub(crate) fn usage(&self, question_bytes: usize) -> Usage {
        let mut usage = self.told;
        if usage.input == 0 && usage.cache_read == 0 && usage.cache_write == 0 {
            usage.input = estimate(question_bytes);
        }
        // The count of an answer that breaks off is of its beginning, if there is one.
        if !self.is_whole || usage.output == 0 {
            usage.output = usage.output.max(estimate(self.text.len().saturating_add(self.unheard_bytes)));
        }
        usage
    }
}

fn estimate(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX).div_ceil(ESTIMATED_BYTES_PER_TOKEN)
}

/// Takes over what was read, of which what came from the cache is a part.
pub(crate) fn count_input(into: &mut Usage, told: &Value, told_cached: &Value) {
    let (mut all, mut cached) = (0, 0);
    count(&mut all, told);
    if all > 0 {
        count(&mut cached, told_cached);
        into.cache_read = cached.min(all);
        into.input = all - into.cache_read;
    }
}

/// Takes a count over if there is one.
pub(crate) fn count(into: &mut u64, told: &Value) {
    if let Some(told) = told.as_u64() {
        *into = told;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_told_is_estimated() {
        let mut answer = Answer { text: "x".repeat(30), is_whole: true, ..Answer::default() };
        assert_eq!(answer.usage(31), Usage { input: 11, output: 10, ..Usage::default() });
        answer.told = Usage { cache_read: 5, output: 7, ..Usage::default() };
        assert_eq!(answer.usage(31), answer.told);
        answer.is_whole = false;
        assert_eq!(answer.usage(31).output, 10, "a count from the beginning of a cut answer is too small");
    }

    #[test]
    fn a_text_is_held_to_its_size() {
        let mut answer = Answer::default();
        answer.add(&"x".repeat(MAX_TEXT_BYTES)).unwrap();
        assert_eq!(answer.add("y"), Err(Trouble::TooLong));
        assert_eq!(answer.text.len(), MAX_TEXT_BYTES);
    }
}
