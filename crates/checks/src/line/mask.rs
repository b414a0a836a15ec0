//! Takes the code terms out of a line: `§n§` stands for the n-th.

use super::code::{self, Code};
use super::model::ParsedLine;

impl ParsedLine {
    /// The text with its code terms masked.
    pub(super) fn mask(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut depth = 0_i32;
        let mut rest = text;
        while let Some(start) = rest.find('`') {
            let (head, tail) = (rest.get(..start).unwrap_or(""), rest.get(start + 1..).unwrap_or(""));
            self.mask_bare(head, &mut out, &mut depth);
            let Some(end) = tail.find('`') else {
                rest = tail;
                continue;
            };
            self.push_code(tail.get(..end).unwrap_or(""), depth > 0, &mut out);
            rest = tail.get(end + 1..).unwrap_or("");
        }
        self.mask_bare(rest, &mut out, &mut depth);
        out
    }

    fn push_code(&mut self, code: &str, aside: bool, out: &mut String) {
        let code = code.trim();
        if code.is_empty() {
            return;
        }
        out.push_str(&format!("§{}§", self.codes.len()));
        let text = if code::is_ending(code) {
            format!("*{code}")
        } else if matches!(code, "README" | "CHANGELOG" | "LICENSE") {
            format!("{code}*")
        } else {
            code.to_owned()
        };
        self.codes.push(Code { kind: code::kind_of(&text), text, aside });
    }

    fn mask_bare(&mut self, text: &str, out: &mut String, depth: &mut i32) {
        let mut rest = text;
        while let Some((start, end)) = code::bare_command(rest) {
            self.mask_bare_words(rest.get(..start).unwrap_or(""), out, depth);
            self.push_code(rest.get(start..end).unwrap_or(""), *depth > 0, out);
            rest = rest.get(end..).unwrap_or("");
        }
        self.mask_bare_words(rest, out, depth);
    }

    fn mask_bare_words(&mut self, text: &str, out: &mut String, depth: &mut i32) {
        for piece in text.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            let opened = word.matches('(').count();
            let bare = word.trim_start_matches(['(', '"', '\'', '“']);
            let bare = if bare.starts_with("*.") { bare } else { bare.trim_start_matches('*') };
            let end = ['.', ',', ';', ':', ')', '"', '\'', '”', '?'];
            let core = bare.trim_end_matches(end);
            let core = if code::MACROS.contains(&core) {
                core
            } else {
                core.trim_end_matches('!').trim_end_matches(end)
            };
            let keeps_call = bare.starts_with(core)
                && core.len() < bare.len()
                && bare.get(core.len()..).is_some_and(|rest| rest.starts_with(')'))
                && core.ends_with('(');
            if !keeps_call && code::is_bare_code(core) {
                let lead = word.len() - bare.len();
                out.push_str(word.get(..lead).unwrap_or(""));
                self.push_code(core, *depth > 0 || opened > 0, out);
                out.push_str(bare.get(core.len()..).unwrap_or(""));
                out.push_str(piece.get(word.len()..).unwrap_or(""));
            } else {
                out.push_str(piece);
            }
            *depth +=
                i32::try_from(opened).unwrap_or(0) - i32::try_from(word.matches(')').count()).unwrap_or(0);
        }
    }
}
