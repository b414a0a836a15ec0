//! Hostile text costs no more than its length: what every rule reads is counted, for its anchor again and
//! again, alone and with everything that makes an almost-secret of it.

use super::scan::{anchor_texts, find};
use super::work;

/// How long the texts are, in bytes; those of the second pass are twice as long.
const LEN_BYTES: usize = 1 << 12;
/// How much more a text of twice the length may cost.
const GROWTH_MAX: f64 = 2.3;
/// How often a byte may be read, by all rules together. Ordinary text is read about once.
const READ_MAX_TIMES: u64 = 2_500;

/// What is put behind an anchor: nothing, or the beginning of something that then does not come.
const BEHIND: &[&str] = &[
    "",
    "\n",
    " ",
    "=",
    ":",
    ".",
    "-",
    "_",
    "/",
    "a",
    "A1",
    "aB3dE5",
    "abcd\n",
    "a.b.",
    "=\"",
    "=«{{",
    "=“",
    "='",
    " -p ",
    " -p “{{ ",
    " -u “x",
    ": |\n  ",
    ":\n  ",
    "\\n",
    "\\\"",
    "\\\\\\\"",
    "%",
    "%25",
    "\\u0061",
    "\u{1b}[0m",
    "\u{200b}",
    "://",
    "@",
    "-----\n",
    "-----\nVersion: x\n",
    "AAAAAAAAAAAAAAAAAAAA",
    "[REDACTED:",
    "${",
    "(",
    "<",
    ">",
    " is ",
    "\n     1→",
    "\n+",
    "1234567890\nabcdef",
    "aB3dE5fG7hJ9kL1mN2pQ\n",
];

/// Other texts that could lead a rule to read again and again.
const OTHERS: &[&str] = &[
    "password=(",
    "secret:secret:",
    "'password':",
    "\\\"password\\\":",
    "password for the ",
    "Authorization: Bearer ",
    "Cookie: a=b;",
    "Cookie: a=",
    "name: DB_PASSWORD ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nVersion: ",
    "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n",
    "-----END PRIVATE KEY-----\n",
    "AAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----\n",
    "     1→-----BEGIN PRIVATE KEY-----\n",
    "1 2 3 4 5 6 7 8 9 1 2 3 4 5 -----BEGIN PRIVATE KEY-----\n",
    "\\n-----BEGIN PRIVATE KEY-----",
    "\\\\n-----BEGIN PRIVATE KEY-----",
    "kind: Secret\ndata:\n  a: bcdef\n",
    "  kind: Secret\n",
    "data: kind: Secret ",
    "machine x login y password ",
    "a.b.c:5432:",
    "s.SK.",
    "discord.",
    "\\",
    "\"",
    "«",
    " ",
    "\n",
    "-",
    "=",
    "%25",
    "\\u005c",
    "\\\\\\\\\"",
    "[REDACTED:x]",
    "[REDACTED:",
    "eyJ=",
    "eyJ.",
    "eyJaaaaaaaaaaaa.",
    "://a@",
    "password«",
];

/// What is wrong with a unit. Windows of several KiB are not full in a short text, and so a growth counts only if a
/// long text shows it too.
fn check(unit: &str) -> Option<String> {
    check_len(unit, LEN_BYTES).and_then(|_| check_len(unit, 16 * LEN_BYTES))
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
    let anchors = anchor_texts();
    let mut units: Vec<String> = OTHERS.iter().map(|unit| (*unit).to_owned()).collect();
    units.extend(
        anchors.iter().flat_map(|anchor| BEHIND.iter().map(move |behind| format!("{anchor}{behind}"))),
    );
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
