//! What a person probably meant by a value that has the wrong form, for hints. Where nothing is probable, nothing is guessed.

use crate::found::shorten;

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;

/// A whole number in the unit that the end of its key names: `max_duration_ms` and `10m` are 600000.
pub(crate) fn number(key: &str, text: &str) -> Option<u64> {
    let text = text.trim().trim_matches(['"', '\'']).trim();
    let digits_end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(digits_end);
    let number: u64 = digits.parse().ok()?;
    let unit = unit.trim().to_lowercase();
    if unit.is_empty() {
        // Zeros in front mean octal numbers to some.
        return (digits.len() == 1 || !digits.starts_with('0')).then_some(number);
    }
    let (_, own_unit) = key.rsplit_once('_')?;
    let per_unit = match (own_unit, unit.as_str()) {
        ("ms", "ms") | ("days", "d" | "day" | "days") | ("ticks", "tick" | "ticks") => 1,
        ("bytes", "b" | "byte" | "bytes") => 1,
        ("ms", "s" | "sec" | "secs" | "second" | "seconds") => 1000,
        ("ms", "m" | "min" | "mins" | "minute" | "minutes") => MINUTE_MS,
        ("ms", "h" | "hour" | "hours") => HOUR_MS,
        ("ms", "d" | "day" | "days") => DAY_MS,
        ("days", "w" | "week" | "weeks") => 7,
        ("bytes", "k" | "kb" | "kib") => 1024,
        ("bytes", "m" | "mb" | "mib") => 1024 * 1024,
        ("bytes", "g" | "gb" | "gib") => 1024 * 1024 * 1024,
        _ => return None,
    };
    number.checked_mul(per_unit)
}

/// The items of a list that was written as one text: at its commas if there are any, else at its spaces. Quotes hold words
/// together, and how is a shell's business.
pub(crate) fn items(text: &str) -> Option<String> {
    if text.contains(['"', '\'', '\\']) {
        return None;
    }
    let items: Vec<String> = if text.contains(',') {
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(plain).collect()
    } else {
        text.split_whitespace().map(plain).collect()
    };
    (!items.is_empty()).then(|| shorten(&items.join(", ")))
}

/// An item as it stands in a list: in quotes where it would mean something else without.
fn plain(item: &str) -> String {
    let is_plain =
        item.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '+' | '=' | '~'));
    let is_word =
        !matches!(item, "true" | "false" | "null" | "~") && item.parse::<f64>().is_err() && item != "-";
    if is_plain && is_word { item.to_owned() } else { format!("'{item}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_becomes_the_number_that_its_key_asks_for() {
        for (key, text, expect) in [
            ("max_duration_ms", "10m", Some(600_000)),
            ("max_duration_ms", "10 min", Some(600_000)),
            ("interval_ms", "30s", Some(30_000)),
            ("interval_ms", "\"2000\"", Some(2000)),
            ("retention_days", "2w", Some(14)),
            ("max_bytes", "64k", Some(65_536)),
            ("cooldown_ticks", "5 ticks", Some(5)),
            ("cooldown_ticks", "5m", None),
            ("cooldown_ticks", "soon", None),
            ("max_parallel", "10m", None),
            ("interval_ms", "1.5h", None),
            ("interval_ms", "02000", None),
            ("interval_ms", "99999999999999999999d", None),
            ("interval_ms", "", None),
        ] {
            assert_eq!(number(key, text), expect, "{key}: {text}");
        }
    }

    #[test]
    fn a_command_line_becomes_its_words() {
        for (text, expect) in [
            ("./sort.sh --fast", Some("./sort.sh, --fast")),
            ("./sort.sh", Some("./sort.sh")),
            ("Read, Glob,Grep", Some("Read, Glob, Grep")),
            ("nice -n 5 ./a.sh @1", Some("nice, -n, '5', ./a.sh, '@1'")),
            ("sh -c 'a b'", None),
        ] {
            assert_eq!(items(text).as_deref(), expect, "{text}");
        }
    }
}
