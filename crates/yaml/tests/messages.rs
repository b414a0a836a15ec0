//! What people read when a file is wrong: text in, message out.
#![allow(missing_docs, clippy::expect_used)]

use serde::Deserialize;
use subcortex_yaml::number::{optional_within, within};
use subcortex_yaml::{Problem, Refusal, from_str};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read only by serde")]
struct Partition {
    name: String,
    #[serde(default)]
    schedule: Schedule,
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    engine: Engine,
    #[serde(default)]
    marker: Marker,
    #[serde(default)]
    either: Option<Either>,
    #[serde(default)]
    pair: Option<(u8, u8)>,
    #[serde(default)]
    span: Span,
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Schedule {
    enabled: bool,
    cooldown_ticks: u32,
    shift: i8,
    weight: f64,
    #[serde(deserialize_with = "within::<_, _, 1_000, 60_000>")]
    max_duration_ms: u64,
    #[serde(deserialize_with = "optional_within::<_, _, 1, 7>")]
    keep_days: Option<u8>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum Engine {
    #[default]
    Builtin,
    Command,
}

#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "String")]
struct Marker;

impl TryFrom<String> for Marker {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Marker, Refusal> {
        match text.ends_with(":*") {
            true => Ok(Marker),
            false => Err(Refusal::new("it must end in `:*`").example("\"memory:*\"")),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "Ends")]
struct Span;

#[derive(Debug, Deserialize)]
struct Ends {
    from: u32,
    to: u32,
}

impl TryFrom<Ends> for Span {
    type Error = Refusal;

    fn try_from(ends: Ends) -> Result<Span, Refusal> {
        if ends.from <= ends.to { Ok(Span) } else { Err(Refusal::new("`from` must not be after `to`")) }
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "read only by serde")]
enum Either {
    Number(u32),
    Numbers(Vec<u32>),
}

#[track_caller]
fn check(text: &str, expect: &str) {
    let message = from_str::<Partition>(text).expect_err("must be refused").at("p.md");
    assert_eq!(message, expect, "for {text:?}");
}

/// For keys below `schedule`: the text is one line, the message is expected to be about line 3.
#[track_caller]
fn check_schedule(line: &str, expect: &str) {
    check(&format!("name: a\nschedule:\n  {line}\n"), expect);
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_known_one() {
    check_schedule("cooldown: 5", "unknown key `cooldown` at p.md:3:3\nhint: did you mean `cooldown_ticks`?");
    check("nmae: a\n", "unknown key `nmae` at p.md:1:1\nhint: did you mean `name`?");
    check(
        "colour: red\n",
        "unknown key `colour` at p.md:1:1\n\
         hint: the keys known here: command, either, engine, marker, name, pair, schedule, span",
    );
    check(
        "\"\\e[31m\": 1\n",
        "unknown key `\\u{1b}[31m` at p.md:1:1\nhint: the keys known here: command, either, engine, marker, name, pair, schedule, span",
    );
}

#[test]
fn a_missing_key_is_named() {
    check("schedule: {}\n", "the key `name` is missing at p.md:1:1\nhint: add a line `name: …`");
    check(
        "",
        "there is nothing here at p.md:1:1, but some keys are required\nhint: write `key: value` lines",
    );
}

#[test]
fn a_duplicate_key_is_named_with_the_distance_to_the_first() {
    check(
        "name: a\n# a comment\ncommand: [x]\nname: b\n",
        "duplicate key `name` at p.md:4:1\nhint: it is already 3 lines above; keep one of the two",
    );
    check(
        "name: a\nschedule:\n  enabled: true\n\n  enabled: false\n",
        "duplicate key `enabled` at p.md:5:3\nhint: it is already 2 lines above; keep one of the two",
    );
    check("{name: a, name: b}", "duplicate key `name` at p.md:1:11\nhint: keep one of the two");
}

#[test]
fn a_value_of_the_wrong_type_is_shown_with_what_it_must_be() {
    check_schedule(
        "cooldown_ticks: soon",
        "schedule.cooldown_ticks is `soon` at p.md:3:19, but it must be a whole number (ticks)\n\
         hint: write for example `cooldown_ticks: 5`",
    );
    check_schedule(
        "cooldown_ticks: 1.5",
        "schedule.cooldown_ticks is 1.5 at p.md:3:19, but it must be a whole number (ticks)\n\
         hint: write for example `cooldown_ticks: 5`",
    );
    check_schedule(
        "cooldown_ticks: -1",
        "schedule.cooldown_ticks is -1 at p.md:3:19, but it must be a whole number from 0 to 4294967295 (ticks)",
    );
    check_schedule(
        "shift: 200",
        "schedule.shift is 200 at p.md:3:10, but it must be a whole number from -128 to 127",
    );
    check_schedule(
        "weight: heavy",
        "schedule.weight is `heavy` at p.md:3:11, but it must be a number\nhint: write for example `weight: 1.5`",
    );
    check_schedule(
        "cooldown_ticks: [1]",
        "schedule.cooldown_ticks is a list at p.md:3:19, but it must be one value (ticks)",
    );
    check(
        "name:\n",
        "name is empty at p.md:1:5, but it must be a text\nhint: write for example `name: \"some text\"`",
    );
    check("name: a\npair: [1, 2, 3]\n", "pair has 3 items at p.md:2:7, but it must be a tuple of size 2");
    check("name: a\neither: x\n", "either is `x` at p.md:2:9, but nothing here has this form");
}

#[test]
fn booleans_are_true_and_false_and_nothing_else() {
    for (word, likely) in [("no", "false"), ("off", "false"), ("yes", "true"), ("1", "true")] {
        let shown = if word == "1" { "1".into() } else { format!("`{word}`") };
        check_schedule(
            &format!("enabled: {word}"),
            &format!(
                "schedule.enabled is {shown} at p.md:3:12, but it must be `true` or `false`\n\
                 hint: write for example `enabled: {likely}`"
            ),
        );
    }
}

#[test]
fn a_list_where_a_mapping_belongs_and_the_other_way_round() {
    let hint = "hint: write one `key: value` a line; below a key, indent them by two spaces";
    let mapping = "it must be a mapping (`key: value` lines)";
    check("name: a\nschedule: [1]\n", &format!("schedule is a list at p.md:2:11, but {mapping}\n{hint}"));
    check(
        "name: a\nschedule:\n- enabled: true\n",
        &format!("schedule is a list at p.md:3:3, but {mapping}\n{hint}"),
    );
    check("- a\n", &format!("this is a list at p.md:1:1, but {mapping}\n{hint}"));
    check("just words\n", &format!("this is `just words` at p.md:1:1, but {mapping}\n{hint}"));
    check(
        "name: a\ncommand: ./work.sh\n",
        "command is `./work.sh` at p.md:2:10, but it must be a list\nhint: write for example `command: [./work.sh]`",
    );
    check(
        "name: a\ncommand: ./work.sh --fast\n",
        "command is `./work.sh --fast` at p.md:2:10, but it must be a list\n\
         hint: write for example `command: [./work.sh, --fast]`",
    );
    check(
        "name: a\ncommand: {a: b}\n",
        "command is a mapping at p.md:2:10, but it must be a list\nhint: write for example `command: [one, two]`",
    );
    check("name: a\ncommand: [a, [b]]\n", "command[1] is a list at p.md:2:14, but it must be one value");
}

#[test]
fn a_word_that_is_none_of_the_choices_gets_the_choices() {
    check(
        "name: a\nengine: cluade\n",
        "engine is `cluade` at p.md:2:9, but it must be one of builtin, command",
    );
    check(
        "name: a\nengine: comand\n",
        "engine is `comand` at p.md:2:9, but it must be one of builtin, command\nhint: did you mean `command`?",
    );
}

#[test]
fn a_number_out_of_range_gets_the_bound_and_the_unit() {
    check_schedule(
        "max_duration_ms: 10",
        "schedule.max_duration_ms is 10 at p.md:3:20, but it must be at least 1000 (milliseconds)",
    );
    check_schedule(
        "max_duration_ms: 70_000",
        "schedule.max_duration_ms is 70_000 at p.md:3:20, but it must be at most 60000 (milliseconds)",
    );
    check_schedule(
        "max_duration_ms: 99999999999999999999999",
        "schedule.max_duration_ms is 99999999999999999999999 at p.md:3:20, but it must be at most 60000 (milliseconds)",
    );
    check_schedule(
        "max_duration_ms: -5",
        "schedule.max_duration_ms is -5 at p.md:3:20, but it must be at least 1000 (milliseconds)",
    );
    for (value, shown, example) in [
        ("2000.5", "2000.5", 1000),
        ("\"2000\"", "`\"2000\"`", 2000),
        ("02000", "02000", 1000),
        ("true", "`true`", 1000),
        ("30s", "`30s`", 30_000),
        ("10m", "`10m`", 1000), // more than it may be
    ] {
        check_schedule(
            &format!("max_duration_ms: {value}"),
            &format!(
                "schedule.max_duration_ms is {shown} at p.md:3:20, \
                 but it must be a whole number from 1000 to 60000 (milliseconds)\n\
                 hint: write for example `max_duration_ms: {example}`"
            ),
        );
    }
    check_schedule(
        "max_duration_ms: # later",
        "schedule.max_duration_ms is empty at p.md:3:18, but it must be a whole number from 1000 to 60000 (milliseconds)\n\
         hint: write for example `max_duration_ms: 1000`",
    );
    check_schedule(
        "max_duration_ms: 1e999",
        "schedule.max_duration_ms is 1e999 at p.md:3:20, but it must be a finite number (milliseconds)",
    );
    check_schedule("keep_days: 8", "schedule.keep_days is 8 at p.md:3:14, but it must be at most 7 (days)");
}

#[test]
fn a_types_own_refusal_gets_key_value_position_and_example() {
    check(
        "name: a\nmarker: memory\n",
        "marker is `memory` at p.md:2:9, but it must end in `:*`\nhint: write for example `marker: \"memory:*\"`",
    );
    check(
        "name: a\nspan:\n  from: 5\n  to: 3\nengine: builtin\n",
        "span is a mapping at p.md:3:3, but `from` must not be after `to`",
    );
}

#[test]
fn text_that_is_not_yaml_is_reported_as_that() {
    check(
        "schedule:\n\tenabled: true\n",
        "there is a tab at p.md:2:2, but YAML takes only spaces here\nhint: replace the tab with spaces",
    );
    check(
        "name: a\nschedule:\n  enabled: true\n cooldown_ticks: 1\n",
        "this line does not fit the lines above it at p.md:4:2\n\
         hint: give keys of one group the same number of spaces, and write `key: value`",
    );
    check("command: [a, b\n", "`[` is not closed at p.md:1:10\nhint: put `]` at its end");
    check("schedule: {enabled: true\n", "`{` is not closed at p.md:1:11\nhint: put `}` at its end");
    check("command: [a}\n", "`[` is closed by `}` at p.md:1:10, but it must be closed by `]`");
    check("name: \"abc\n", "a quoted text is not closed at p.md:2:1\nhint: put the same quote at its end");
    check(
        "name: 'it's'\n",
        "there is text behind the closing quote at p.md:1:11\n\
         hint: put the whole value in quotes; a single quote inside single quotes is written twice",
    );
    check(
        "name: @me\n",
        "a value begins with `@` at p.md:1:7, but that has a meaning of its own in YAML\nhint: put the value in quotes",
    );
    check(
        "name: *\n",
        "there is a `*` or `&` without a name at p.md:1:7\nhint: put a text that begins with `*` or `&` in quotes",
    );
    check(
        "name: *.md\n",
        "an alias (`*name`) refers to no anchor (`&name`) at p.md:1:7\nhint: put a text that begins with `*` in quotes",
    );
    check("name: a\u{7}b\n", "there is the control character U+0007 at p.md:1:7\nhint: remove it");
    check("name: a\ncommand\n", "there is no `:` behind a key at p.md:2:1\nhint: write `key: value`");
}

#[test]
fn an_alias_is_shown_as_the_value_it_stands_for() {
    check(
        "name: &n soon\nengine: *n\n",
        "engine is `soon` at p.md:2:9, but it must be one of builtin, command",
    );
}

#[test]
fn a_line_indented_too_far_is_a_mistake_of_its_own_not_of_the_value_above() {
    check(
        "name: a\nschedule:\n  cooldown_ticks: 1\n   enabled: true\n",
        "there is a `:` at p.md:4:11, but a key cannot stand here\n\
         hint: look at the spaces at the beginning of the line and at the line above; \
         a text that contains `: ` goes in quotes",
    );
}

#[test]
fn what_is_left_out_of_yaml_is_refused_by_name() {
    check(
        "name: !secret a\n",
        "there is the tag `!secret` at p.md:1:15, but tags are not used here\n\
         hint: remove it; a text that begins with `!` goes in quotes",
    );
    check(
        "name: !!int a\n",
        "there is a tag (`!!…`) at p.md:1:13, but it does not fit the value\nhint: remove it",
    );
    check(
        "<<: {name: a}\n",
        "there is a merge key (`<<`) at p.md:1:1, but it is not used here\nhint: write the keys out",
    );
    let second = "a second document begins at p.md:3:1, but there can be only one\nhint: remove the line `---` or `...` above it";
    check("name: a\n---\nname: b\n", second);
    check("name: a\n...\nname: b\n", second);
    check("name: a\n...\n]\n", second);
}

#[test]
fn positions_count_characters_and_do_not_move_with_crlf_or_a_byte_order_mark() {
    let expect = "schedule.cooldown_ticks is `x` at p.md:3:19, but it must be a whole number (ticks)\n\
                  hint: write for example `cooldown_ticks: 5`";
    check("name: a\r\nschedule:\r\n  cooldown_ticks: x\r\n", expect);
    check("\u{feff}name: a\nschedule:\n  cooldown_ticks: x\n", expect);
    check("\u{feff}nmae: a\n", "unknown key `nmae` at p.md:1:1\nhint: did you mean `name`?");
    check("{name: äöü, engine: ü}", "engine is `ü` at p.md:1:21, but it must be one of builtin, command");
}

#[test]
fn a_long_value_is_cut_and_stays_on_one_line() {
    let message = from_str::<Partition>(&format!("name: a\nengine: \"{}\\nsecond line\"\n", "x".repeat(500)))
        .expect_err("no such engine")
        .at("p.md");
    assert!(message.starts_with("engine is `\"xxx"), "{message}");
    assert!(message.contains("x…` at p.md:2:9, but"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn a_problem_between_two_keys_is_placed_at_the_value() {
    let text = "name: a\nschedule:\n  cooldown_ticks: 5 # five\n  enabled: true\n";
    let problem = Problem::with_key(text, "schedule.cooldown_ticks", "it must be less than the other");
    assert_eq!(
        problem.at("p.md"),
        "schedule.cooldown_ticks is 5 at p.md:3:19, but it must be less than the other"
    );
    let problem = Problem::with_key(text, "schedule.missing", "it is needed");
    assert_eq!(problem.at("p.md"), "schedule.missing is not set in p.md, but it is needed");
}

#[test]
fn without_a_file_the_message_names_line_and_column() {
    let problem = from_str::<Partition>("nmae: a\n").expect_err("unknown key");
    assert_eq!(problem.to_string(), "unknown key `nmae` at line 1, column 1\nhint: did you mean `name`?");
}
