//! What of a message its writer typed: text is speech only where it looks like typed prose.
//!
//! Three questions are asked of every line, from the certain to the likely: does it stand in something that Markdown calls code, a quote,
//! HTML or a table ([`markdown`]), or in a document ([`documents`]); between two marks that hold a paste together ([`enclosed`]); and does it read like a typed line
//! ([`margin`]), in a block where nothing pasted stands above it ([`typed`])? In doubt a line is not said.
//! Of a typed line, the sentences that hand over another one are left out ([`quotes`], [`attributed`]).

mod attributed;
mod broken;
mod documents;
mod enclosed;
mod letters;
mod lines;
mod margin;
mod markdown;
mod quotes;
mod typed;

pub(crate) use broken::goes_on;
pub(crate) use margin::typed_part;
pub(crate) use quotes::said_sentences;
pub use typed::is_typed;
pub(crate) use typed::{shown_lines, typed_lines};

/// The lines of a text that a reader marks as pasted, by number from 0.
#[cfg(test)]
fn marked(text: &str, mark: fn(&[&str], &mut [bool])) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut pasted = vec![false; lines.len()];
    mark(&lines, &mut pasted);
    (0..lines.len()).filter(|at| pasted[*at]).collect()
}
