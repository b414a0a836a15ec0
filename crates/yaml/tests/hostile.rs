//! Texts made to hurt: every one gives a value or a problem, within the limits, and never a panic.
//!
//! The long run: `cargo test --release -p subcortex-yaml --test hostile -- --ignored`.
#![allow(missing_docs, clippy::expect_used)]

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use subcortex_testkit::Random;
use subcortex_yaml::{
    MAX_REPEATED_PARTS, MAX_TEXT_BYTES, MAX_TEXT_WITH_ALIASES_BYTES, Problem, from_str, frontmatter,
};

/// Takes any YAML and keeps all of it, as the most generous type would.
#[derive(Debug)]
enum Tree {
    Text(String),
    List(Vec<Tree>),
    Mapping(Vec<(Tree, Tree)>),
}

impl Tree {
    fn text_bytes(&self) -> usize {
        match self {
            Tree::Text(text) => text.len(),
            Tree::List(items) => items.iter().map(Tree::text_bytes).sum(),
            Tree::Mapping(pairs) => {
                pairs.iter().map(|(key, value)| key.text_bytes() + value.text_bytes()).sum()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Tree, D::Error> {
        reader.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.into()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Text(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<Tree, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = mapping.next_entry()? {
            pairs.push(pair);
        }
        Ok(Tree::Mapping(pairs))
    }
}

/// What a definition looks like to serde: known keys, numbers, lists, optional parts.
#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Definition {
    name: String,
    schedule: BTreeMap<String, Option<i32>>,
    enabled: bool,
    list: Vec<String>,
    #[serde(deserialize_with = "subcortex_yaml::number::within::<_, _, 1, 1_000>")]
    size_bytes: u16,
}

#[track_caller]
fn check_refused(text: &str, expect: &str) {
    let message = from_str::<Tree>(text).expect_err("must be refused").at("f");
    assert_eq!(message, expect);
}

fn doubling(levels: usize, copies: usize) -> String {
    let mut text = String::from("l0: &l0 [x]\n");
    for level in 1..=levels {
        let aliases = vec![format!("*l{}", level - 1); copies].join(", ");
        text.push_str(&format!("l{level}: &l{level} [{aliases}]\n"));
    }
    text
}

const ALIASES_REPEAT_TOO_MUCH: &str =
    "but together they may repeat at most 256 values\nhint: write the values out";

#[test]
fn alias_bombs_are_refused() {
    check_refused(
        &doubling(30, 10),
        &format!("aliases (`*name`) repeat too much at f:3:45, {ALIASES_REPEAT_TOO_MUCH}"),
    );
    let flat = format!("a: &a [x]\nb: [{}]\n", "*a, ".repeat(3_000));
    check_refused(&flat, &format!("aliases (`*name`) repeat too much at f:2:345, {ALIASES_REPEAT_TOO_MUCH}"));
    check_refused(&"- &a [*a]\n".repeat(100), "an alias refers to itself at f:1:7");
}

#[test]
fn a_large_value_cannot_be_multiplied_by_aliases() {
    let value = "x".repeat(MAX_TEXT_WITH_ALIASES_BYTES);
    check_refused(
        &format!("a: &a {value}\nb: *a\n"),
        "there is an alias (`*name`) at f:2:4, but aliases are read only in a text of at most 16384 bytes\n\
         hint: write the value out; a text that begins with `*` goes in quotes",
    );
    let value = "x".repeat(MAX_TEXT_WITH_ALIASES_BYTES - 2_000);
    let tree: Tree =
        from_str(&format!("a: &a {value}\nb: [{}]\n", "*a, ".repeat(250))).expect("within the limits");
    assert!(tree.text_bytes() <= MAX_TEXT_WITH_ALIASES_BYTES * MAX_REPEATED_PARTS);
    assert!(tree.text_bytes() > 250 * value.len(), "the aliases were read");
}

#[test]
fn too_many_keys_are_refused() {
    let keys: String = (0..100_000).map(|number| format!("k{number}: 1\n")).collect();
    check_refused(&keys, "there are more than 20000 values at f:10000:8\nhint: make it smaller");
    let message = from_str::<Definition>(&keys).expect_err("too many").what;
    assert_eq!(message, "there are more than 20000 values", "also where the first key is not known");
}

#[test]
fn deep_nesting_is_refused() {
    let hint = "hint: use fewer levels";
    check_refused(&"[".repeat(100_000), &format!("this is nested deeper than 64 levels at f:1:65\n{hint}"));
    check_refused(
        &"{a: ".repeat(100_000),
        &format!("this is nested deeper than 64 levels at f:1:257\n{hint}"),
    );
    check_refused(&"- ".repeat(100_000), &format!("this is nested deeper than 64 levels at f:1:129\n{hint}"));
    check_refused(&"? ".repeat(100_000), &format!("this is nested deeper than 64 levels at f:1:129\n{hint}"));
    let block: String = (0..1_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    check_refused(&block, &format!("this is nested deeper than 64 levels at f:65:65\n{hint}"));
}

#[test]
fn a_text_over_the_size_limit_is_refused_unread() {
    check_refused(
        &"#".repeat(MAX_TEXT_BYTES + 1),
        "there are 1048577 bytes of YAML in f, but at most 1048576 are read",
    );
}

/// Large enough that a cost that grows faster than the text would be noticed by whoever waits.
const LARGE_BYTES: usize = MAX_TEXT_BYTES / 8;

#[test]
fn large_texts_of_one_kind_give_a_value_or_a_problem() {
    let parts = [
        "#",
        "#\n",
        "\n",
        " ",
        "\t",
        "x",
        "x ",
        "x\n",
        "\"",
        "'",
        "---\n",
        "...\n",
        "&a ",
        "!a ",
        "%a\n",
        "- \n",
        "a: ",
        "a:\n",
        "a,",
        "]",
        "\0",
        "\u{feff}",
        "\r",
        "|\n",
        "a: |\n  b\n",
    ];
    for part in parts {
        let text = part.repeat(LARGE_BYTES / part.len());
        look(from_str::<Tree>(&text), &text);
        look(from_str::<Definition>(&text), &text);
        look(frontmatter::parse::<Tree>(&text), &text);
    }
}

/// What must hold for every problem: a place in the text, and a message that a terminal can show.
#[track_caller]
fn look<T>(outcome: Result<T, Problem>, text: &str) {
    let Err(problem) = outcome else { return };
    let message = problem.at("f");
    let shown = &text[..text.floor_char_boundary(400)];
    assert!(message.lines().count() <= 2, "{message} for {shown:?}");
    assert!(
        !message.chars().any(|letter| letter.is_control() && letter != '\n'),
        "{message:?} for {shown:?}"
    );
    assert!(message.chars().count() < 600, "{message} for {shown:?}");
    if let Some(line) = problem.line {
        // YAML also ends a line at a lone carriage return.
        let last = text.split(['\n', '\r']).count();
        assert!((1..=last).contains(&line), "line {line} of {last}: {message} for {shown:?}");
    }
}

const SEEDS: [&str; 12] = [
    "name: a\nschedule: { enabled: 1, cooldown: 5 }\nlist: [a, b]\n",
    "---\nname: a\nenabled: true\n---\nbody\n\n---\n\nmore\n",
    "list:\n  - one\n  - two: three\n    four: [5, {six: 7}]\n",
    "a: &a [x, y]\nb: *a\nc: { d: *a }\n",
    "text: |\n  line one\n    line two\n\n  line three\nfolded: >-\n  x\n  y\n",
    "\"quoted \\n \\u00e9\": 'it''s'\n? complex key\n: value\n",
    "\u{feff}name: ü\r\nlist: [no, y, 017]\r\n",
    "name: !!str 5\ntagged: !foo bar\n<<: {a: b}\n",
    "%YAML 1.2\n---\nname: x # comment\n...\n",
    "size_bytes: 70000\nname: ~\nenabled: yes\n",
    "{a: [b, {c: d}], e: \"f\", 'g': h,}",
    "日本: 🧠\nname: \u{2028}\u{85}\n",
];

const TOKENS: [&str; 36] = [
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "  ",
    ":",
    ": ",
    "- ",
    "---\n",
    "...\n",
    "?",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\"",
    "'",
    "|",
    ">",
    "&a ",
    "*a",
    "!t ",
    "!!int ",
    "%",
    "#",
    "<<: ",
    "~",
    "\\",
    "\0",
    "\u{feff}",
    "\u{1b}",
    "é",
    "1e999",
    "name: b\n",
];

/// A place in a text, between two characters.
fn place(random: &mut Random, text: &str) -> usize {
    text.floor_char_boundary(random.below(text.len() + 1))
}

/// One to eight small changes to one of the seeds.
fn mutated(random: &mut Random) -> String {
    let mut text = SEEDS[random.below(SEEDS.len())].to_string();
    for _ in 0..=random.below(8) {
        let (one, other) = (place(random, &text), place(random, &text));
        let (from, to) = (one.min(other), one.max(other));
        match random.below(5) {
            0 | 1 => text.insert_str(from, TOKENS[random.below(TOKENS.len())]),
            2 => text.replace_range(from..to, ""),
            3 => text.insert_str(to, &text.clone()[from..to]),
            _ => {
                let seed = SEEDS[random.below(SEEDS.len())];
                let start = place(random, seed);
                text.insert_str(from, &seed[start..]);
            }
        }
    }
    text
}

fn mutate(rounds: u64, seed: u64) {
    let mut random = Random::seeded(seed);
    for _ in 0..rounds {
        let text = mutated(&mut random);
        look(from_str::<Tree>(&text), &text);
        look(from_str::<Definition>(&text), &text);
        look(frontmatter::parse::<Definition>(&text), &text);
    }
}

#[test]
fn damaged_texts_give_a_value_or_a_problem() {
    mutate(3_000, 0x5eed);
}

#[test]
#[ignore = "minutes; the same as above with other seeds and ten million texts"]
fn ten_million_damaged_texts_give_a_value_or_a_problem() {
    std::thread::scope(|scope| {
        for seed in 1..=2 {
            scope.spawn(move || mutate(5_000_000, seed));
        }
    });
}
