//! The door to redaction.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::scan;
use super::span::{Mark, Side, replaced_with_mark};
use super::value;

/// How often a text is looked at again after something was replaced in it. Once is nearly always enough.
const ROUNDS_MAX: usize = 6;

/// Replaces secrets by `[REDACTED:<rule>]`.
///
/// Costs nothing to make or to copy: what it needs is built when the first text is looked at, in well
/// under a millisecond, and shared from then on.
///
/// ```
/// let redactor = subcortex_guard::Redactor::new();
/// assert_eq!(redactor.text("PASSWORD=hunter2"), "PASSWORD=[REDACTED:password]");
/// assert_eq!(redactor.text("no secret here"), "no secret here");
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Redactor;

impl Redactor {
    /// A redactor with all rules.
    pub fn new() -> Self {
        Self
    }

    /// The text without its secrets; borrowed if there are none.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.text_with_mark(text, &mut Mark { at: 0, side: Side::Front })
    }

    /// As [`Redactor::text`]; the mark stays where it is in the text.
    pub(super) fn text_with_mark<'a>(&self, text: &'a str, mark: &mut Mark) -> Cow<'a, str> {
        let mut clean = Cow::Borrowed(text);
        // What was hidden may uncover something: a shorter text brings other things into reach.
        for _ in 0..ROUNDS_MAX {
            let spans = scan::find(&clean);
            if spans.is_empty() {
                break;
            }
            let replaced = replaced_with_mark(&clean, spans, mark);
            if *clean == replaced {
                break;
            }
            clean = Cow::Owned(replaced);
        }
        clean
    }

    /// Replaces secrets in a JSON value: in every string, and in strings under a telling key whatever
    /// they look like. Numbers, booleans and gaps such as `${VAR}` stay.
    pub fn value(&self, value: &mut Value) {
        value::redact(*self, value);
    }

    /// As [`Redactor::value`], for the fields of an object.
    pub fn map(&self, map: &mut Map<String, Value>) {
        value::redact_map(*self, map);
    }
}
