//! What a tool drew and noted down: the `result` of a `random_password` in the state of Terraform.

use super::extent::quoted_value;
use super::operator::{Operator, operator_after};
use super::placeholder::is_placeholder;
use super::quote::Quote;
use super::span::{Rank, Span};
use super::work;

/// What such a resource is called: an anchor.
pub(super) const ANCHOR: &str = "random_password";
/// How far behind its type the result of a resource may stand, in bytes.
const RESOURCE_MAX_BYTES: usize = 1024;
/// How often the name of the result is looked for.
const RESULTS_MAX: usize = 4;
const RESULT: &[u8] = b"result";
const RESULT_MIN_BYTES: usize = 4;

/// The result of the resource whose type ends at `type_end`.
pub(super) fn find(bytes: &[u8], type_end: usize) -> Option<Span> {
    let window = &bytes[type_end..bytes.len().min(type_end + RESOURCE_MAX_BYTES)];
    work::note(window.len());
    let names = memchr::memmem::find_iter(window, RESULT).map(|at| type_end + at).take(RESULTS_MAX);
    names.into_iter().find_map(|start| result(bytes, start))
}

fn result(bytes: &[u8], start: usize) -> Option<Span> {
    let joined = operator_after(bytes, start, start + RESULT.len())?;
    matches!(joined.operator, Operator::Colon | Operator::Equals).then_some(())?;
    let quote = Quote::at(bytes, joined.value_at)?;
    let value = quoted_value(bytes, joined.value_at, quote)?;
    let text = &bytes[value.clone()];
    (text.len() >= RESULT_MIN_BYTES && !is_placeholder(text)).then_some(Span {
        start: value.start,
        end: value.end,
        rule: "password",
        rank: Rank::Placed,
    })
}
