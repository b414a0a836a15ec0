//! A look at the first top-level keys of a line, to tell bookkeeping from conversation before any parsing.
//!
//! Most bytes of a session file are bookkeeping. The look never judges by a mere substring: it walks the
//! top-level keys, gives up at anything unusual, and what it gives up on is parsed in full.

use super::json::next_mark;

/// How far into a line the look goes before it gives up.
const MAX_PEEK_BYTES: usize = 4096;
/// A record with this key is one of the conversation, and is parsed in any case: the look does not go through what was said.
const SAID: &[u8] = b"message";

/// What the first keys of a line say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Peek<'a> {
    /// The value of the top-level key `type`.
    pub kind: Option<&'a [u8]>,
    /// The `type` inside the object that the caller asked for.
    pub inner_kind: Option<&'a [u8]>,
}

/// Looks for the top-level `type`, and, if `wants_inner` says so of that type, for the `type` at the start
/// of the object under `inner_key`.
pub(crate) fn peek<'a>(line: &'a [u8], inner_key: &[u8], wants_inner: impl Fn(&[u8]) -> bool) -> Peek<'a> {
    let mut found = Peek::default();
    let mut cursor = Cursor { bytes: &line[..line.len().min(MAX_PEEK_BYTES)], at: 0 };
    let _gave_up = cursor.walk(&mut found, inner_key, &wants_inner);
    found
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Walks the top-level keys. `None` means that it gave up; what was found until then is certain.
    fn walk(
        &mut self,
        found: &mut Peek<'a>,
        inner_key: &[u8],
        wants_inner: &impl Fn(&[u8]) -> bool,
    ) -> Option<()> {
        self.expect(b'{')?;
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            if key == b"type" {
                let kind = self.string()?;
                found.kind = Some(kind);
                if found.inner_kind.is_some() || !wants_inner(kind) {
                    return Some(());
                }
            } else if key == inner_key {
                found.inner_kind = Some(self.first_field_named_type()?);
                return Some(());
            } else if key == SAID {
                return None;
            } else {
                self.skip_value()?;
            }
            self.expect(b',')?;
        }
    }

    /// The value of `type` if that is the first key of the object that starts here.
    fn first_field_named_type(&mut self) -> Option<&'a [u8]> {
        self.expect(b'{')?;
        if self.string()? != b"type" {
            return None;
        }
        self.expect(b':')?;
        self.string()
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (*self.bytes.get(self.at)? == byte).then(|| self.at += 1)
    }

    /// A string without escapes. Names of keys and types have none; anything else is for the parser.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let (start, end) = (self.at, next_mark(self.bytes, self.at)?);
        (self.bytes[end] == b'"').then(|| {
            self.at = end + 1;
            &self.bytes[start..end]
        })
    }

    fn skip_string(&mut self) -> Option<()> {
        self.expect(b'"')?;
        loop {
            let mark = next_mark(self.bytes, self.at)?;
            self.at = mark + 1;
            if self.bytes[mark] == b'"' {
                return Some(());
            }
            self.at += 1;
        }
    }

    fn skip_value(&mut self) -> Option<()> {
        self.skip_space();
        match *self.bytes.get(self.at)? {
            b'"' => self.skip_string(),
            b'{' | b'[' => self.skip_nested(),
            _ => {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|byte| matches!(byte, b',' | b'}'))?;
                Some(())
            }
        }
    }

    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match *self.bytes.get(self.at)? {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, kind: Option<&str>, inner: Option<&str>) {
        let found = peek(line.as_bytes(), b"attachment", |kind| kind == b"attachment");
        let expect = Peek { kind: kind.map(str::as_bytes), inner_kind: inner.map(str::as_bytes) };
        assert_eq!(found, expect, "{line}");
    }

    #[test]
    fn the_type_is_found_wherever_it_stands_among_the_first_keys() {
        check(r#"{"type":"progress","data":{}}"#, Some("progress"), None);
        check(
            r#" { "a" : null , "b":[{"type":"no"}], "c":"\"type\":\"no\"", "type" : "yes" }"#,
            Some("yes"),
            None,
        );
        check(r#"{"n":-1.5e3,"t":true,"type":"x"}"#, Some("x"), None);
    }

    #[test]
    fn an_inner_type_is_found_before_and_after_the_outer_one() {
        check(r#"{"attachment":{"type":"date","x":1},"type":"attachment"}"#, None, Some("date"));
        check(
            r#"{"type":"attachment","a":1,"attachment":{"type":"date"}}"#,
            Some("attachment"),
            Some("date"),
        );
        check(r#"{"type":"attachment","attachment":{"x":1,"type":"date"}}"#, Some("attachment"), None);
    }

    #[test]
    fn whatever_is_unusual_is_left_to_the_parser() {
        for line in [
            "",
            "{",
            "[]",
            "null",
            r#"{"a":"b"#,
            r#"{"ty\u0070e":"x"}"#,
            r#"{"type":7}"#,
            r#"{"type":"\u0078"}"#,
        ] {
            check(line, None, None);
        }
        check(&format!(r#"{{"big":"{}","type":"x"}}"#, "y".repeat(MAX_PEEK_BYTES)), None, None);
    }
}
