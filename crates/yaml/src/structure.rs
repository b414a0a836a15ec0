//! Our own words for YAML that says more than can be read here.

use crate::found::quoted;
use crate::{MAX_REPEATED_PARTS, MAX_TEXT_BYTES, MAX_TEXT_WITH_ALIASES_BYTES, MAX_VALUES, Problem};

pub(crate) fn too_long(len_bytes: usize) -> Problem {
    Problem::new(format!("there are {len_bytes} bytes of YAML"))
        .because(format!("at most {MAX_TEXT_BYTES} are read"))
}

/// Only for types that need some keys.
pub(crate) fn empty() -> Problem {
    Problem::new("there is nothing here")
        .because("some keys are required")
        .hinting("write `key: value` lines")
        .on(1, 1)
}

/// More than one document, or something behind the end of the only one.
pub(crate) fn second_document() -> Problem {
    Problem::new("a second document begins")
        .because("there can be only one")
        .hinting("remove the line `---` or `...` above it")
}

pub(crate) fn duplicate_key(key: &str, lines_above: usize) -> Problem {
    let problem = Problem::new(format!("duplicate key {}", quoted(key)));
    match lines_above {
        0 => problem.hinting("keep one of the two"),
        1 => problem.hinting("it is already in the line above; keep one of the two"),
        lines => problem.hinting(format!("it is already {lines} lines above; keep one of the two")),
    }
}

pub(crate) fn merge_key() -> Problem {
    Problem::new("there is a merge key (`<<`)").because("it is not used here").hinting("write the keys out")
}

pub(crate) fn unknown_tag(tag: &str) -> Problem {
    Problem::new(format!("there is the tag {}", quoted(tag)))
        .because("tags are not used here")
        .hinting("remove it; a text that begins with `!` goes in quotes")
}

pub(crate) fn too_many_values() -> Problem {
    Problem::new(format!("there are more than {MAX_VALUES} values")).hinting("make it smaller")
}

pub(crate) fn unknown_anchor() -> Problem {
    Problem::new("an alias (`*name`) refers to no anchor (`&name`)")
        .hinting("put a text that begins with `*` in quotes")
}

pub(crate) fn alias_of_itself() -> Problem {
    Problem::new("an alias refers to itself")
}

pub(crate) fn alias_in_a_long_text() -> Problem {
    Problem::new("there is an alias (`*name`)")
        .because(format!("aliases are read only in a text of at most {MAX_TEXT_WITH_ALIASES_BYTES} bytes"))
        .hinting("write the value out; a text that begins with `*` goes in quotes")
}

pub(crate) fn too_many_aliases() -> Problem {
    Problem::new("aliases (`*name`) repeat too much")
        .because(format!("together they may repeat at most {MAX_REPEATED_PARTS} values"))
        .hinting("write the values out")
}
