//! Where the output of an agent breaks off.

use subcortex_engine::Captured;
use subcortex_known_agents::headless::Line;

/// Whether the output ends with a whole object, or is empty. Otherwise its last word is lost.
pub(crate) fn ends_whole(output: &Captured) -> bool {
    match output.last_line_lossy() {
        Some(last) => serde_json::from_str::<Line>(&last).is_ok(),
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

    proptest! {
        #[test]
        fn no_output_makes_it_fail(pieces in proptest::collection::vec(any::<Vec<u8>>(), 0..8)) {
            let mut output = Captured::new(/*head_max_bytes*/ 32, /*tail_max_bytes*/ 32);
            pieces.iter().for_each(|piece| output.push(piece));
            objects(&output.text_lossy());
            ends_whole(&output);
        }
    }
}
