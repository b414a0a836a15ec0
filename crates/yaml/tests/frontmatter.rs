//! The block at the beginning of a Markdown file.
#![allow(missing_docs, clippy::expect_used)]

use serde::Deserialize;
use subcortex_yaml::frontmatter::{Frontmatter, parse, split};

#[track_caller]
fn check_split(text: &str, yaml: Option<&str>, body: &str) {
    let yaml = yaml.map(|yaml| Frontmatter { yaml, first_line: 2 });
    assert_eq!(split(text), Ok((yaml, body)), "{text:?}");
}

#[test]
fn the_block_between_the_first_two_fences_is_the_frontmatter() {
    check_split("---\na: 1\n---\nbody\n", Some("a: 1\n"), "body\n");
    check_split("---\n---\n", Some(""), "");
    check_split("---\na: 1\n---", Some("a: 1\n"), "");
    check_split("---\na: 1\n\n---\n\nbody", Some("a: 1\n\n"), "\nbody");
}

#[test]
fn later_fences_belong_to_the_body() {
    check_split("---\na: 1\n---\none\n\n---\n\ntwo\n", Some("a: 1\n"), "one\n\n---\n\ntwo\n");
}

#[test]
fn a_byte_order_mark_crlf_and_blanks_behind_a_fence_are_fine() {
    check_split("\u{feff}---\r\na: 1\r\n---\r\nbody\r\n", Some("a: 1\r\n"), "body\r\n");
    check_split("---  \na: 1\n---\t\nbody", Some("a: 1\n"), "body");
}

#[test]
fn a_file_that_does_not_begin_with_a_fence_is_all_body() {
    for text in ["", "body\n", "\n---\na: 1\n---\n", " ---\na: 1\n---\n", "----\na\n----\n", "--- a\n---\n"] {
        check_split(text, None, text);
    }
    check_split("\u{feff}body", None, "body");
}

#[test]
fn an_indented_or_longer_line_does_not_end_the_block() {
    check_split("---\na: |\n  ---\n  x\n----: 1\n---\nbody", Some("a: |\n  ---\n  x\n----: 1\n"), "body");
}

#[test]
fn a_block_without_an_end_is_refused() {
    let problem = split("---\na: 1\n\nbody\n").expect_err("no second fence");
    assert_eq!(
        problem.at("x.md"),
        "the frontmatter that begins with `---` at x.md:1:1, but no second `---` ends it\n\
         hint: put a line `---` between the frontmatter and the text; a text cannot begin with `---`"
    );
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Card {
    name: String,
}

#[test]
fn a_frontmatter_is_read_into_a_type_and_the_body_is_given_back() {
    assert_eq!(parse::<Card>("---\nname: no\n---\nbody"), Ok((Some(Card { name: "no".into() }), "body")));
    assert_eq!(parse::<Card>("body"), Ok((None, "body")));
}

#[test]
fn positions_are_those_of_the_file() {
    let check = |text: &str, expect: &str| {
        assert_eq!(parse::<Card>(text).expect_err("must be refused").at("x.md"), expect);
    };
    check("---\nname: a\nnam: b\n---\n", "unknown key `nam` at x.md:3:1\nhint: did you mean `name`?");
    check(
        "\u{feff}---\r\nname: a\r\nnam: b\r\n---\r\n",
        "unknown key `nam` at x.md:3:1\nhint: did you mean `name`?",
    );
    check(
        "---\nname: a\nname: b\n---\n",
        "duplicate key `name` at x.md:3:1\nhint: it is already in the line above; keep one of the two",
    );
    check(
        "---\n---\nbody",
        "there is nothing here at x.md:2:1, but some keys are required\nhint: write `key: value` lines",
    );
}
