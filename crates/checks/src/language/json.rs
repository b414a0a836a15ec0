//! Checks and conditions as JSON.
//!
//! Plain functions, since the generic ones of `serde_json` are compiled anew in each crate that calls them, and the language is large:
//! a third of what `counsel` had to compile was this.

use serde_json::Value;

use super::{Check, Condition};

impl Check {
    /// As JSON. A check is plain data: it always has one.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// As a text of JSON, its fields in the order in which they are declared.
    pub fn to_json_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// From JSON.
    pub fn from_json(json: Value) -> serde_json::Result<Self> {
        serde_json::from_value(json)
    }
}

impl Condition {
    /// As JSON. A condition is plain data: it always has one.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;

    #[test]
    fn a_check_comes_back_from_json_as_it_was() {
        let check = compile("Use pnpm, not npm.", &[]);
        assert!(check.testable, "{check:?}");
        assert_eq!(Check::from_json(check.to_json()).unwrap(), check);
        assert_eq!(serde_json::from_str::<Value>(&check.to_json_text()).unwrap(), check.to_json());
        let conditions: Vec<Value> = check.forbid.iter().map(Condition::to_json).collect();
        assert_eq!(Value::Array(conditions), check.to_json()["forbid"]);
    }
}
