//! Texts that were made to be slow: what leads a rule to read the same again and again. For tests and measurements.

use super::scan::anchor_texts;

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

/// For every rule its anchors, each with what makes an almost-secret of it, `each` of those at most and others for
/// the next anchor; to be repeated.
#[doc(hidden)]
pub fn units(each: usize) -> Vec<String> {
    let mut units: Vec<String> = OTHERS.iter().map(|unit| (*unit).to_owned()).collect();
    let mut behind = BEHIND.iter().cycle();
    for anchor in anchor_texts() {
        units.extend(behind.by_ref().take(each.min(BEHIND.len())).map(|behind| format!("{anchor}{behind}")));
    }
    units
}
