//! Keeps one event small: long texts are cut in the middle, with a mark that says how much is missing.

use serde_json::Value;
use subcortex_guard::{Asked, Redactor};

/// The longest text of a person or an agent that is kept whole.
pub const MAX_MESSAGE_BYTES: usize = 128 * 1024;
/// The longest answer of a tool that is kept whole.
pub const MAX_RESULT_BYTES: usize = 16 * 1024;
/// The sum of all texts in the input of one tool call that is kept whole.
pub const MAX_INPUT_BYTES: usize = 64 * 1024;
/// What every text of an input keeps at least, however much the texts before it took.
const MIN_INPUT_TEXT_BYTES: usize = 512;

/// Cuts the middle out of a text that is longer than `limit_bytes`. The end stays too: that is where
/// commands say why they failed. Secrets go before the cut: half a key is no longer recognised as one.
pub(crate) fn text(text: &str, limit_bytes: usize) -> String {
    if text.len() <= limit_bytes {
        return text.to_owned();
    }
    let head_end = text.floor_char_boundary(limit_bytes / 4 * 3);
    let tail_start = text.ceil_char_boundary(text.len() - limit_bytes / 4);
    let cut_bytes = tail_start - head_end;
    let redactor = Redactor::new();
    let (head, tail) = (redactor.front(text, head_end), redactor.tail(text, text.len() - tail_start));
    format!("{head}\n…[{cut_bytes} bytes cut]…\n{tail}")
}

/// As [`text`], for the answer of a tool; `asked` says whether its call asked for a secret.
pub(crate) fn answer(answer: &str, asked: Option<Asked>) -> String {
    match asked {
        Some(asked) => text(&Redactor::new().answer(answer, asked), MAX_RESULT_BYTES),
        None => text(answer, MAX_RESULT_BYTES),
    }
}

/// Cuts the texts inside a tool's input so that together they stay near [`MAX_INPUT_BYTES`].
pub(crate) fn input(value: &mut Value) {
    let mut left_bytes = MAX_INPUT_BYTES;
    cut_texts(value, &mut left_bytes);
}

fn cut_texts(value: &mut Value, left_bytes: &mut usize) {
    match value {
        Value::String(long) => {
            let limit_bytes = (*left_bytes).max(MIN_INPUT_TEXT_BYTES);
            *left_bytes = left_bytes.saturating_sub(long.len());
            if long.len() > limit_bytes {
                *long = text(long, limit_bytes);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut_texts(item, left_bytes)),
        Value::Object(fields) => fields.values_mut().for_each(|field| cut_texts(field, left_bytes)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_short_text_is_untouched_and_a_long_one_says_what_is_missing() {
        assert_eq!(text("short", 100), "short");
        assert_eq!(
            text(&"ä".repeat(100), 40),
            format!("{}\n…[160 bytes cut]…\n{}", "ä".repeat(15), "ä".repeat(5))
        );
    }

    /// A private key with a body of its own, as `cat` shows it. Nobody's.
    fn private_key(lines: usize) -> String {
        let line = |n: usize| format!("{n:04}{}\n", "Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh0JkLzXcVbNm+/4".repeat(2));
        let body: String = (0..lines).map(|n| line(n)[..64].to_owned() + "\n").collect();
        format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n")
    }

    #[test]
    fn a_private_key_across_the_cut_is_hidden_on_both_sides_of_it() {
        let key = private_key(50);
        for at in [MAX_RESULT_BYTES * 3 / 4, 2 * MAX_RESULT_BYTES - MAX_RESULT_BYTES / 4] {
            for shift in (0..key.len()).step_by(101) {
                let before = "some output\n".repeat(at / 12 + 1);
                let long = before[..at - shift].to_owned() + "\n" + &key;
                let long = format!("{long}{}", "more\n".repeat((2 * MAX_RESULT_BYTES - long.len()) / 5));
                let cut = text(&long, MAX_RESULT_BYTES);
                assert!(!cut.contains("Zx8Qw3Er7T"), "{at} {shift}");
            }
        }
    }

    #[test]
    fn all_texts_of_an_input_share_one_limit() {
        let mut value =
            json!({"a_path": "x", "b": "y".repeat(MAX_INPUT_BYTES - 1), "c": ["z".repeat(2000)], "d": 3});
        input(&mut value);
        assert_eq!(value["a_path"], "x");
        assert_eq!(value["b"].as_str().map(str::len), Some(MAX_INPUT_BYTES - 1));
        assert!(value["c"][0].as_str().is_some_and(|text| text.contains("bytes cut]") && text.len() < 600));
        assert_eq!(value["d"], 3);
    }
}
