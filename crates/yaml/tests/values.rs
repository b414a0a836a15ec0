//! What text means: strings stay as they are written, and what is written is read back.
#![allow(missing_docs, clippy::expect_used)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use subcortex_yaml::{from_str, to_string};

#[derive(Debug, PartialEq, Deserialize)]
struct Named {
    name: String,
}

#[track_caller]
fn check_name(written: &str, expect: &str) {
    let named: Named = from_str(&format!("name: {written}\n")).expect("a name");
    assert_eq!(named.name, expect);
}

#[test]
fn words_that_old_yaml_takes_for_booleans_stay_text_in_a_text_field() {
    for word in ["no", "No", "NO", "on", "off", "y", "n", "yes", "true", "false"] {
        check_name(word, word);
    }
}

#[test]
fn numbers_dates_and_times_stay_text_in_a_text_field() {
    for word in ["017", "1_000", "0x1F", "1.10", "1e3", "2026-01-02", "12:30:45", ".inf", "-5"] {
        check_name(word, word);
    }
}

#[test]
fn lists_of_text_keep_their_words() {
    let words: Vec<String> = from_str("[no, y, 017, ~x]").expect("a list");
    assert_eq!(words, ["no", "y", "017", "~x"]);
}

#[test]
fn an_empty_text_is_an_empty_mapping() {
    #[derive(Debug, PartialEq, Deserialize, Default)]
    #[serde(default)]
    struct Optional {
        number: Option<u32>,
        inner: Inner,
    }
    #[derive(Debug, PartialEq, Deserialize, Default)]
    #[serde(default)]
    struct Inner {
        number: u32,
    }
    for text in
        ["", "\n", "# only a comment\n", "\u{feff}", "---\n", "inner:\n", "inner: {}\r\n", "number: ~\n"]
    {
        assert_eq!(from_str::<Optional>(text), Ok(Optional::default()), "{text:?}");
    }
}

#[test]
fn an_alias_repeats_its_anchor_in_a_small_text() {
    let lists: BTreeMap<String, Vec<String>> = from_str("a: &a [x, y]\nb: *a\n").expect("two lists");
    assert_eq!(lists["a"], lists["b"]);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    text: BTreeMap<String, String>,
    list: Vec<u64>,
    nothing: Option<bool>,
    number: f64,
}

#[test]
fn what_is_written_is_read_back() {
    let awkward = [
        "",
        " ",
        "no",
        "y",
        "~",
        "null",
        "17",
        "017",
        "1_000",
        "0x1",
        "1.5",
        ".nan",
        "true",
        "2026-01-01",
        "a: b",
        "- x",
        "#c",
        "x #c",
        "@x",
        "!x",
        "*x",
        "&x",
        "%x",
        "'",
        "\"",
        "`",
        "a\nb",
        "a\n",
        "\na",
        "a\r\nb",
        " a",
        "a ",
        "a\tb",
        "\t",
        "---",
        "...",
        "--- a",
        "{",
        "[",
        "}",
        ",",
        "?",
        "? a",
        ":",
        "<<",
        "=",
        "\u{feff}x",
        "\u{85}",
        "\u{2028}",
        "\u{7}",
        "é",
        "日本",
        "🧠",
        "a\n---\nb",
        "|",
        ">",
        "long\n  indented\n\n",
    ];
    let text = awkward.iter().map(|word| ((*word).to_string(), (*word).to_string())).collect();
    let value = Everything { text, list: vec![0, u64::MAX], nothing: None, number: 0.1 };
    let written = to_string(&value).expect("written");
    assert_eq!(from_str::<Everything>(&written), Ok(value), "{written}");
}
