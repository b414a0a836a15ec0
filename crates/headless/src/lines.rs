//! The JSON objects that an agent writes, one a line.

use serde_json::{Map, Value};
use subcortex_engine::Captured;

/// One line that is an object.
pub(crate) type Line = Map<String, Value>;

/// The objects in what was kept of an output. Everything else is left out: half lines beside a gap, and whatever is mixed
/// into it. Half of an object is never an object, so none of them can be taken for something it is not.
pub(crate) fn objects(output: &Captured) -> Vec<Line> {
    output.text_lossy().lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Whether the output ends with a whole object, or is empty. Otherwise its last word is lost.
pub(crate) fn ends_whole(output: &Captured) -> bool {
    match output.last_line_lossy() {
        Some(last) => serde_json::from_str::<Line>(&last).is_ok(),
        None => output.total_bytes() == 0,
    }
}

/// A text in an object.
pub(crate) fn text<'a>(line: &'a Line, key: &str) -> Option<&'a str> {
    line.get(key).and_then(Value::as_str)
}

/// A number of tokens in an object; 0 where there is none.
pub(crate) fn count(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn objects_are_found_around_noise_and_gaps() {
        let mut output = Captured::new(/*head_max_bytes*/ 40, /*tail_max_bytes*/ 40);
        output.push(b"{\"n\": 1}\nnoise\n[1]\n{\"n\": 2, \"cut\": \"");
        output.push(&[b'x'; 500]);
        output.push(b"\", \"inner\": {\"n\": 3}}\n{\"n\": 4}\n\xff\n");
        let numbers: Vec<_> = objects(&output).iter().map(|line| count(&line.clone().into(), "n")).collect();
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
    fn a_deep_line_is_left_out() {
        let deep = format!("{}1{}\n{{\"n\": 1}}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert_eq!(objects(&Captured::whole(deep)).len(), 1);
    }

    proptest! {
        #[test]
        fn no_output_makes_it_fail(pieces in proptest::collection::vec(any::<Vec<u8>>(), 0..8)) {
            let mut output = Captured::new(/*head_max_bytes*/ 32, /*tail_max_bytes*/ 32);
            pieces.iter().for_each(|piece| output.push(piece));
            objects(&output);
            ends_whole(&output);
        }
    }
}
