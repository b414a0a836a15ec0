//! Hostile text costs no more than its length: what every rule reads is counted, for its anchor again and
//! again, alone and with everything that makes an almost-secret of it.

use super::hostile;
use super::scan::find;
use super::work;

/// How long the texts are, in bytes; those of the second pass are twice as long.
const LEN_BYTES: usize = 1 << 11;
/// How much more a text of twice the length may cost.
const GROWTH_MAX: f64 = 2.3;
/// How often a byte may be read, by all rules together. Ordinary text is read about once.
const READ_MAX_TIMES: u64 = 2_500;

/// What is wrong with a unit. Windows of several KiB are not full in a short text, and so a growth counts only if a
/// long text shows it too.
fn check(unit: &str) -> Option<String> {
    check_len(unit, LEN_BYTES).and_then(|_| check_len(unit, 64 * LEN_BYTES))
}

fn check_len(unit: &str, len_bytes: usize) -> Option<String> {
    let cost = |len: usize| {
        let text = unit.repeat(len / unit.len());
        work::of(|| drop(find(&text)))
    };
    let (short, long) = (cost(len_bytes), cost(2 * len_bytes));
    let growth = long as f64 / (short + len_bytes as u64) as f64;
    let times = long / (2 * len_bytes as u64);
    (growth > GROWTH_MAX || times > READ_MAX_TIMES)
        .then(|| format!("{times} times, {growth:.2} times as much for twice the length: {unit:?}"))
}

#[test]
fn no_rule_reads_a_text_again_and_again() {
    let units = hostile::units(usize::MAX);
    let mut bad: Vec<String> = units.iter().filter_map(|unit| check(unit)).collect();
    bad.sort_by_key(|line| {
        std::cmp::Reverse(line.split(' ').next().and_then(|count| count.parse::<u64>().ok()))
    });
    assert!(
        bad.is_empty(),
        "{} of {} texts:\n{}",
        bad.len(),
        units.len(),
        bad[..bad.len().min(40)].join("\n")
    );
}
