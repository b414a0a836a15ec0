//! The JSON objects that an agent writes, one a line.

use serde_json::{Map, Value};

/// One line that is an object.
pub type JsonLine = Map<String, Value>;

/// The objects in an output. Everything else is left out: half lines beside a gap, and whatever is mixed into it. Half of
/// an object is never an object, so none of them can be taken for something it is not.
pub fn objects(output: &str) -> Vec<JsonLine> {
    output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// A text in an object.
pub(crate) fn text<'a>(line: &'a JsonLine, key: &str) -> Option<&'a str> {
    line.get(key).and_then(Value::as_str)
}

/// A number of tokens in an object; 0 where there is none.
pub(crate) fn count(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_line_is_left_out() {
        let deep = format!("{}1{}\n{{\"n\": 1}}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert_eq!(objects(&deep).len(), 1);
    }
}
