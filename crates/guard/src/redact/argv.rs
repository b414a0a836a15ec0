//! Commands whose arguments are texts in a list: `["mysql", "-u", "root", "-p…"]`, `exec.Command("docker", "login", "-p", "…")`.
//! What is JSON is read by `spread`; this reads what programs and their answers hold, in whatever quotes.

use std::ops::Range;

use super::quote::Quote;
use super::view::View;
use super::work;

/// Flags that carry a password in some program, behind the quote of their text: anchors.
pub(super) const FLAGS: &[&str] =
    &["\"-p", "'-p", ";-p", "\"-u", "'-u", ";-u", "\"-a", "'-a", ";-a", "\"-w", "'-w", ";-w"];
/// How far before the flag its list may begin, and how far a list is read, in bytes.
const BEFORE_MAX_BYTES: usize = 200;
const LIST_MAX_BYTES: usize = 512;
/// How many arguments are read.
const ARGUMENTS_MAX: usize = 24;

/// The list around a flag as the command that it is, and where it ends.
pub(super) fn command_around(bytes: &[u8], flag: &Range<usize>) -> Option<(View, usize)> {
    let from = flag.start.saturating_sub(BEFORE_MAX_BYTES);
    let open = from + bytes[from..flag.start].iter().rposition(|byte| matches!(byte, b'[' | b'('))?;
    let limit = bytes.len().min(open + LIST_MAX_BYTES);
    let mut view = View::default();
    let (mut at, mut gap) = (open + 1, None);
    for _ in 0..ARGUMENTS_MAX {
        at = skip_space(bytes, at);
        let Some(quote) = Quote::at(bytes, at) else { break };
        let start = at + quote.open_len();
        let Some(end) = quote.end_before(bytes, start, limit) else { break };
        if let Some(gap) = gap.replace(end) {
            view.put(b" ", gap..start);
        }
        view.keep(bytes, start..end);
        at = skip_space(bytes, end + quote.closes_at(bytes, end).unwrap_or(1));
        if bytes.get(at) != Some(&b',') {
            break;
        }
        at += 1;
    }
    work::note(at - from);
    (at > flag.start).then_some((view, at))
}

fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..bytes.len().min(at + LIST_MAX_BYTES)).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}
