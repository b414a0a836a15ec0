//! The lines of an agent's output: while it is written, and where it breaks off.

use subcortex_engine::Captured;
use subcortex_known_agents::headless::JsonLine;

/// The longest line that is heard while an agent works, in bytes. A longer one is left for its end.
const MAX_HEARD_BYTES: usize = 8 * 1024 * 1024;

/// Puts the pieces of an output together to lines.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    begun: Vec<u8>,
    is_too_long: bool,
}

impl Pieces {
    /// Takes the next piece, and hands on every object that is whole now.
    pub(crate) fn push(&mut self, piece: &[u8], mut each: impl FnMut(&JsonLine)) {
        let mut lines = piece.split(|byte| *byte == b'\n');
        let last = lines.next_back().unwrap_or_default();
        for end in lines {
            self.take(end);
            if let (false, Ok(object)) = (self.is_too_long, serde_json::from_slice(&self.begun)) {
                each(&object);
            }
            self.begun.clear();
            self.is_too_long = false;
        }
        self.take(last);
    }

    fn take(&mut self, part: &[u8]) {
        if self.begun.len() + part.len() > MAX_HEARD_BYTES {
            self.is_too_long = true;
            self.begun = Vec::new();
        }
        if !self.is_too_long {
            self.begun.extend_from_slice(part);
        }
    }
}

/// Whether the output ends with a whole object, or is empty. Otherwise its last word is lost.
pub(crate) fn ends_whole(output: &Captured) -> bool {
    match output.last_line_lossy() {
        Some(last) => serde_json::from_str::<JsonLine>(&last).is_ok(),
        None => output.total_bytes() == 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use subcortex_known_agents::headless::objects;

    use super::*;

    #[test]
    fn objects_are_found_around_noise_and_gaps() {
        let mut output = Captured::new(/*head_max_bytes*/ 40, /*tail_max_bytes*/ 40);
        output.push(b"{\"n\": 1}\nnoise\n[1]\n{\"n\": 2, \"cut\": \"");
        output.push(&[b'x'; 500]);
        output.push(b"\", \"inner\": {\"n\": 3}}\n{\"n\": 4}\n\xff\n");
        let numbers: Vec<_> = objects(&output.text_lossy()).iter().map(|line| line["n"].clone()).collect();
        assert_eq!(numbers, [1, 4]);
    }

    #[test]
    fn an_output_that_breaks_off_is_noticed() {
        for (text, expect) in
            [("", true), ("{}\n{}\n\n", true), ("{}\n{\"a\":", false), ("{}\nnoise", false), ("{", false)]
        {
            assert_eq!(ends_whole(&Captured::whole(text)), expect, "{text}");
        }
    }

    #[test]
    fn objects_are_heard_once_they_are_whole_and_what_is_too_long_is_left_out() {
        let mut pieces = Pieces::default();
        let mut heard = Vec::new();
        let long = format!("{{\"n\": 3, \"x\": \"{}\"}}\n", "x".repeat(MAX_HEARD_BYTES));
        for piece in
            ["{\"n\"", ": 1}", "\nnoise\n\n{\"n\": 2}\n", &long[..100], &long[100..], "{\"n\": 4}\n{"]
        {
            pieces.push(piece.as_bytes(), |line| heard.push(line["n"].clone()));
        }
        assert_eq!(heard, [1, 2, 4]);
    }

    proptest! {
        #[test]
        fn no_output_makes_it_fail(pieces in proptest::collection::vec(any::<Vec<u8>>(), 0..8)) {
            let mut output = Captured::new(/*head_max_bytes*/ 32, /*tail_max_bytes*/ 32);
            pieces.iter().for_each(|piece| output.push(piece));
            objects(&output.text_lossy());
            ends_whole(&output);
            let mut heard = Pieces::default();
            pieces.iter().for_each(|piece| heard.push(piece, |_| {}));
        }
    }
}
