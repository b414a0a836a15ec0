//! A check in the form of the rulebook: what one line needs, as a proposal for everybody's.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::language::Check;

use super::Examples;

/// What belongs to one line in one memory, and to no entry.
const OF_ONE_LINE: [&str; 5] = ["testable", "family", "scope", "cues", "reword"];

/// An entry as it is written: see [`super::Entry`].
#[derive(Serialize)]
struct Exported<'a> {
    says: [&'a str; 1],
    check: Value,
    examples: Examples,
}

/// The entry that reads this line as it is read now, for `data/rulebook/<name>.yaml`. Whoever takes it in adds other ways to say it, and
/// turns as examples.
pub fn exported(line: &str, check: &Check) -> Result<String, String> {
    let mut check = serde_json::to_value(check).map_err(|error| error.to_string())?;
    if let Some(fields) = check.as_object_mut() {
        OF_ONE_LINE.iter().for_each(|name| drop(fields.remove(*name)));
        shorten(fields);
    }
    let says = [line.trim().trim_start_matches(['-', '*', '+']).trim().trim_end_matches('.')];
    let entry = Exported { says, check, examples: Examples::default() };
    subcortex_yaml::to_string(&entry).map_err(|problem| problem.to_string())
}

/// Takes out what would be the same if it were not said.
fn shorten(fields: &mut Map<String, Value>) {
    fields.retain(|name, value| {
        let is_usual = matches!(
            (name.as_str(), value.as_str()),
            ("unmet" | "mixed", Some("open")) | ("order", Some("anytime")) | ("since", Some("turn"))
        );
        !is_usual && *value != json!([]) && !value.is_null()
    });
    for expect in fields.get_mut("expect").and_then(Value::as_array_mut).into_iter().flatten() {
        expect.as_object_mut().into_iter().for_each(shorten);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Entry, expand, read};
    use super::*;

    #[test]
    fn an_exported_check_is_an_entry_that_says_the_same() {
        for line in
            ["- Run `make lint` before every commit.", "* Use `pnpm`, not `npm`.", "No `any` in TypeScript."]
        {
            let super::super::Reading::Tested(mut check) = read(line, &[]) else { panic!("{line}") };
            let text = exported(line, &check).unwrap();
            let entry: Entry =
                subcortex_yaml::from_str(&text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
            assert!(line.contains(&entry.says[0]) && !entry.says[0].ends_with('.'), "{text}");
            let mut again = expand::check(&entry.check, &expand::Slots::default()).unwrap();
            for check in [&mut check, &mut again] {
                (check.testable, check.family) = (true, String::new());
                (check.scope, check.cues, check.reword) = Default::default();
            }
            assert_eq!(again, *check, "{text}");
        }
    }
}
