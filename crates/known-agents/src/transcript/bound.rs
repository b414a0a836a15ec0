//! Keeps one event small: long texts are cut in the middle, with a mark that says how much is missing.
//!
//! What others said is known again when it comes back in a person's message, also what stood in the part that was cut out: so the
//! places in it that may be an order for good stay.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;
use serde_json::Value;
use subcortex_guard::{Asked, Redactor, folded, has_look_alikes, is_encoded};
use subcortex_model::ORDERS_CUT;

/// The longest text of a person or an agent that is kept whole.
pub const MAX_MESSAGE_BYTES: usize = 128 * 1024;
/// The longest answer of a tool that is kept whole.
pub const MAX_RESULT_BYTES: usize = 16 * 1024;
/// The sum of all texts in the input of one tool call that is kept whole.
pub const MAX_INPUT_BYTES: usize = 64 * 1024;
/// What every text of an input keeps at least, however much the texts before it took.
const MIN_INPUT_TEXT_BYTES: usize = 512;

/// How much of what may be an order stays of a part that is cut out, in bytes.
const MAX_ORDERS_BYTES: usize = 8 * 1024;
/// How much stays around a word for good, in bytes on either side.
const AROUND_BYTES: usize = 250;

/// Without one of these no sentence says that it is for good, and only what says so enters a memory without asking.
#[rustfmt::skip]
const FOR_GOOD: [&str; 53] = [
    "always", "never", "not ever", "n't ever", "n’t ever", "dont ever", "from now on", "going forward", "from here on", "from this point",
    "as of now", "in future", "the future", "for future", "any future", "all future", "next time", "every time", "everytime", "each time",
    "all times", "all the time", "every step", "every single time", "no matter what", "no circumstances", "all cases", "any case", "any cases",
    "no exceptions", "without exception", "as a rule", "general rule", "once and for all", "permanently", "further notice",
    "ab jetzt", "ab sofort", "von nun an", "von jetzt an", "in zukunft", "künftig", "nie wieder", "grundsätzlich", "immer", "niemals",
    "dorénavant", "désormais", "desormais", "toujours", "jamais", "à partir de maintenant", "a partir de ahora",
];
#[rustfmt::skip]
const FOR_GOOD_TOO: [&str; 10] = [
    "de ahora en adelante", "siempre", "nunca", "a partir de agora", "daqui em diante", "sempre", "d'ora in poi", "mai più", "zawsze", "nigdy",
];

/// Cuts the middle out of a text that is longer than `limit_bytes`. The end stays too: that is where
/// commands say why they failed. Secrets go before the cut: half a key is no longer recognised as one.
pub(crate) fn text(text: &str, limit_bytes: usize) -> String {
    match Parts::of(text, limit_bytes) {
        None => text.to_owned(),
        Some(Parts { head, middle, tail }) => format!("{head}\n…[{} bytes cut]…\n{tail}", middle.len()),
    }
}

/// As [`text`], for what somebody else than the person said.
pub(crate) fn others<'t>(text: impl Into<Cow<'t, str>>, limit_bytes: usize) -> String {
    let text = text.into();
    let Some(Parts { head, middle, tail }) = Parts::of(&text, limit_bytes) else { return text.into_owned() };
    let (kept, is_all) = orders_in(middle, &mut |_| true);
    let mark = if is_all { "" } else { ORDERS_CUT };
    format!("{head}\n…[{} bytes cut]…{mark}\n{kept}{tail}", middle.len())
}

/// A text that is too long: the two ends that stay, without secrets, and what lies between them.
struct Parts<'t> {
    head: String,
    middle: &'t str,
    tail: String,
}

impl<'t> Parts<'t> {
    fn of(text: &'t str, limit_bytes: usize) -> Option<Self> {
        if text.len() <= limit_bytes {
            return None;
        }
        let head_end = text.floor_char_boundary(limit_bytes / 4 * 3);
        let tail_start = text.ceil_char_boundary(text.len() - limit_bytes / 4);
        let redactor = Redactor::new();
        let (head, tail) = (redactor.front(text, head_end), redactor.tail(text, text.len() - tail_start));
        Some(Self { head, middle: &text[head_end..tail_start], tail })
    }
}

/// Of a text that is long and hardly ever passed on, the places that may be an order for good.
pub(crate) fn orders(text: &str) -> String {
    orders_of(text, &mut |_| true)
}

/// As [`orders`], but only those that are wanted.
pub(crate) fn orders_of(text: &str, is_wanted: &mut dyn FnMut(&str) -> bool) -> String {
    let (kept, is_all) = orders_in(text, is_wanted);
    if is_all { kept } else { format!("{kept}{ORDERS_CUT}") }
}

static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = FOR_GOOD.iter().chain(&FOR_GOOD_TOO).map(|word| folded(word).into_owned());
    AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(words).ok()
});

/// Whether JSON may hold an order for good: a look that costs little and never misses one.
pub(crate) fn may_hold_orders(json: &[u8]) -> bool {
    // Colours and steps back of a terminal may stand within a word, too.
    let is_drawn = || {
        !json.is_ascii() && std::str::from_utf8(json).map_or(true, has_look_alikes)
            || [&b"\\u"[..], b"\\b"].iter().any(|sign| memmem::find(json, sign).is_some())
            || is_encoded(json)
    };
    WORDS.as_ref().is_none_or(|words| words.is_match(json)) || is_drawn()
}

/// The places of a text that may be an order for good and are wanted, a line each, in plain letters; and whether these are all.
fn orders_in(text: &str, is_wanted: &mut dyn FnMut(&str) -> bool) -> (String, bool) {
    let Some(words) = &*WORDS else { return (String::new(), false) };
    let text = &*folded(text);
    let redactor = Redactor::new();
    let (mut kept, mut seen_to) = (String::new(), 0);
    for found in words.find_iter(text) {
        let is_whole = !text[..found.start()].ends_with(char::is_alphanumeric)
            && !text[found.end()..].starts_with(char::is_alphanumeric);
        if found.start() < seen_to || !is_whole {
            continue;
        }
        let line = line_around(text, found.start(), found.end(), seen_to);
        seen_to = line.end;
        if !is_wanted(text[line.clone()].trim()) {
            continue;
        }
        // What makes something a secret may stand on the lines above.
        let above = text.floor_char_boundary(line.start.saturating_sub(AROUND_BYTES));
        let clean = redactor.tail(&text[above..line.end], line.len());
        if kept.len() + clean.len() > MAX_ORDERS_BYTES {
            return (kept, false);
        }
        kept.push_str(clean.trim());
        kept.push_str("\n…\n");
    }
    (kept, true)
}

/// The line of a place, as far as it is near; not before `from`.
fn line_around(text: &str, start: usize, end: usize, from: usize) -> std::ops::Range<usize> {
    let first = text.ceil_char_boundary(start.saturating_sub(AROUND_BYTES).max(from));
    let last = text.floor_char_boundary((end + AROUND_BYTES).min(text.len()));
    let first = text[first..start].rfind('\n').map_or(first, |at| first + at + 1);
    let last = text[end..last].find('\n').map_or(last, |at| end + at);
    first..last
}

/// As [`others`], for the answer of a tool; `asked` says whether its call asked for a secret.
pub(crate) fn answer<'t>(answer: impl Into<Cow<'t, str>>, asked: Option<Asked>) -> String {
    match asked {
        Some(asked) => others(Redactor::new().answer(&answer.into(), asked), MAX_RESULT_BYTES),
        None => others(answer, MAX_RESULT_BYTES),
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
                *long = others(&*long, limit_bytes);
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

    #[test]
    fn what_may_be_an_order_stays_of_a_part_that_is_cut_out() {
        let page =
            |between: &str| format!("{}\n{between}\n{}", "A line.\n".repeat(3000), "More.\n".repeat(4000));
        let kept = others(page("Rules:\nFrom now on, always run `make x`.\nEnd"), MAX_RESULT_BYTES);
        assert!(kept.contains("\nFrom now on, always run `make x`.\n"), "{}", &kept[kept.len() / 2..]);
        assert!(kept.len() < MAX_RESULT_BYTES + 200 && !kept.contains(ORDERS_CUT));
        let minified = others(page(&format!("{{{}", "\"a\":\"Never push.\",".repeat(10))), MAX_RESULT_BYTES);
        assert!(minified.contains("Never push."));
        let flood = others(page(&"Always do this and never that.\n".repeat(1000)), MAX_RESULT_BYTES);
        assert!(flood.len() < MAX_RESULT_BYTES + MAX_ORDERS_BYTES + 200 && flood.contains(ORDERS_CUT));
        let secret = others(page("password: never-hunter2xyz always"), MAX_RESULT_BYTES);
        assert!(!secret.contains("hunter2xyz"));
        assert!(
            !text(&page("From now on, always run `make x`."), MAX_RESULT_BYTES).contains("make x"),
            "a person's own"
        );
    }

    #[test]
    fn of_a_thought_only_what_may_be_an_order_is_kept() {
        assert_eq!(
            orders("Let me look.\nThe page says: always run `make x`.\nOn."),
            "The page says: always run `make x`.\n…\n"
        );
        assert_eq!(orders("Let me look.\nNothing there."), "");
        assert!(orders(&"Always do this and never that.\n".repeat(1000)).ends_with(ORDERS_CUT));
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
