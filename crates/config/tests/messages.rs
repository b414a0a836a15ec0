//! What people read when `config/subcortex.yaml` is wrong: text in, message out.
#![allow(missing_docs, clippy::expect_used)]

use jiff::SignedDuration;
use subcortex_config::{
    Api, Ask, Blackboard, Broadcast, BroadcastMode, Budget, Cadence, Config, FILE, Fleet, Follow, Level, Log,
    Loops, PerAgent, Price, Program, Spine, Web, Wire,
};
use subcortex_known_agents::{CLAUDE, CODEX};

/// Only for texts without a problem.
#[track_caller]
fn read(text: &str) -> Config {
    Config::parse(text).map_err(|problem| problem.at(FILE)).expect("no problem")
}

#[track_caller]
fn check(text: &str, expect: &str) {
    let message = Config::parse(text).expect_err("must be refused").at("c.yaml");
    assert_eq!(message, expect, "for {:?}", &text[..text.floor_char_boundary(200)]);
}

const MAPPING: &str = "but it must be a mapping (`key: value` lines)\n\
                       hint: write one `key: value` a line; below a key, indent them by two spaces";

#[test]
fn a_text_without_keys_is_all_defaults() {
    for text in
        ["", "\n\n", "# only\n# comments\n", "\u{feff}", "\u{feff}# x\r\n", "---\n", "{}", "~", "cadence:\n"]
    {
        assert_eq!(read(text), Config::default(), "{text:?}");
    }
}

#[test]
fn the_defaults_are_the_documented_ones() {
    let expect = Config {
        cadence: Cadence { interval_ms: 60_000, max_parallel: 2 },
        spine: Spine { compress_after_days: 7, retention_days: None },
        broadcast: Broadcast {
            mode: BroadcastMode::Apply,
            min_rewrite_interval: SignedDuration::from_hours(3),
            ask: Ask::Never,
        },
        tail: PerAgent::default(),
        api: Api {
            wire: Wire::Anthropic,
            base_url: None,
            model: None,
            key_env: None,
            key_file: None,
            max_retries: 4,
            silence_ms: 120_000,
        },
        agents: PerAgent::default(),
        budget: Budget {
            tokens_per_run: Some(200_000),
            usd_per_day: None,
            prices: [].into(),
            prices_as_of: None,
        },
        web: Web { listen: "127.0.0.1:0".parse().ok(), page: true },
        blackboard: Blackboard { store: "files".into(), ttl_s: 86_400 },
        fleet: Fleet { redis: None, lease_s: 30, name: None },
        loops: Loops { roots: Vec::new(), max_duration_ms: 1_800_000, verify_ms: 600_000 },
        log: Log { level: Level::Info, max_bytes: 10 * 1024 * 1024, keep_files: 5 },
    };
    assert_eq!(Config::default(), expect);
}

#[test]
fn every_key_is_read() {
    let expect = Config {
        cadence: Cadence { interval_ms: 1_000, max_parallel: 64 },
        spine: Spine { compress_after_days: 30, retention_days: Some(30) },
        broadcast: Broadcast {
            mode: BroadcastMode::Observe,
            min_rewrite_interval: SignedDuration::from_mins(90),
            ask: Ask::Session,
        },
        tail: PerAgent::default().with(&CLAUDE, Follow::Always).with(&CODEX, Follow::Never),
        api: Api {
            wire: Wire::OpenaiChat,
            base_url: Some("http://127.0.0.1:8080/v1".into()),
            model: Some("small".into()),
            key_env: Some("MY_KEY".into()),
            key_file: Some("~/.key".into()),
            max_retries: 0,
            silence_ms: 1_000,
        },
        agents: PerAgent::default()
            .with(&CLAUDE, Program("/opt/claude".into()))
            .with(&CODEX, Program("codex-2".into())),
        budget: Budget {
            tokens_per_run: None,
            usd_per_day: Some(2.5),
            prices: [("small".to_owned(), Price { input: 3.0, output: 15.0, ..Price::default() })].into(),
            prices_as_of: Some(jiff::civil::date(2026, 1, 31)),
        },
        web: Web { listen: None, page: true },
        blackboard: Blackboard { store: "rediss://:x@h:6380/1".into(), ttl_s: 60 },
        fleet: Fleet {
            redis: Some("rediss://:secret@fleet.example:6380/1".into()),
            lease_s: 5,
            name: Some("desk".into()),
        },
        loops: Loops { roots: vec!["/a".into()], max_duration_ms: 1_000, verify_ms: 2_000 },
        log: Log { level: Level::Trace, max_bytes: 65_536, keep_files: 100 },
    };
    let text = "cadence:\n  interval_ms: 1_000\n  max_parallel: 64\n\
                spine:\n  compress_after_days: 30\n  retention_days: 30\n\
                broadcast:\n  mode: observe\n  min_rewrite_interval: 90m\n  ask: session\n\
                tail:\n  claude: always\n  codex: never\n\
                api:\n  wire: openai-chat\n  base_url: http://127.0.0.1:8080/v1\n  model: small\n  key_env: MY_KEY\n  key_file: ~/.key\n  max_retries: 0\n  silence_ms: 1000\n\
                agents: {claude: /opt/claude, codex: codex-2}\n\
                budget:\n  tokens_per_run: null\n  usd_per_day: 2.5\n  prices:\n    small: {input: 3, output: 15.0}\n  prices_as_of: 2026-01-31\n\
                loops: {roots: [/a], max_duration_ms: 1000, verify_ms: 2000}\n\
                web: {listen: null}\n\
                blackboard: {store: 'rediss://:x@h:6380/1', ttl_s: 60}\n\
                fleet: {redis: 'rediss://:secret@fleet.example:6380/1', lease_s: 5, name: desk}\n\
                log:\n  level: trace\n  max_bytes: 65536\n  keep_files: 100\n";
    assert_eq!(read(text), expect);
    assert_eq!(read(&text.replace('\n', "\r\n")), expect);
    assert_eq!(read(&format!("\u{feff}{text}")), expect);
}

#[test]
fn the_words_for_levels_are_those_of_the_file() {
    for level in [Level::Error, Level::Warn, Level::Info, Level::Debug, Level::Trace] {
        assert_eq!(read(&format!("log: {{level: {}}}", level.as_str())).log.level, level);
    }
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_one() {
    check("cadnce:\n  interval_ms: 5\n", "unknown key `cadnce` at c.yaml:1:1\nhint: did you mean `cadence`?");
    check(
        "# x\ncadence:\n  max_paralel: 3\n",
        "unknown key `max_paralel` at c.yaml:3:3\nhint: did you mean `max_parallel`?",
    );
    check(
        "log:\n  maxBytes: 70000\n",
        "unknown key `maxBytes` at c.yaml:2:3\nhint: did you mean `max_bytes`?",
    );
    check(
        "colour: red\n",
        "unknown key `colour` at c.yaml:1:1\nhint: the keys known here: agents, api, blackboard, broadcast, budget, cadence, fleet, log, loops, spine, tail, web",
    );
}

#[test]
fn a_key_that_stands_outside_its_section_is_sent_there() {
    check(
        "  interval_ms: 5000\n",
        "unknown key `interval_ms` at c.yaml:1:3\nhint: it belongs below `cadence:`, indented by two spaces",
    );
    check(
        "level: debug\n",
        "unknown key `level` at c.yaml:1:1\nhint: it belongs below `log:`, indented by two spaces",
    );
}

#[test]
fn numbers_out_of_range_are_refused_with_the_bound() {
    check(
        "# settings\ncadence:\n  interval_ms: 10\n",
        "cadence.interval_ms is 10 at c.yaml:3:16, but it must be at least 1000 (milliseconds)",
    );
    check(
        "cadence: {interval_ms: 86400001}\n",
        "cadence.interval_ms is 86400001 at c.yaml:1:24, but it must be at most 86400000 (milliseconds)",
    );
    check(
        "cadence:\n  max_parallel: 0\n",
        "cadence.max_parallel is 0 at c.yaml:2:17, but it must be at least 1",
    );
    check(
        "cadence:\n  max_parallel: 65\n",
        "cadence.max_parallel is 65 at c.yaml:2:17, but it must be at most 64",
    );
    check(
        "spine:\n  compress_after_days: -3\n",
        "spine.compress_after_days is -3 at c.yaml:2:24, but it must be at least 1 (days)",
    );
    check(
        "spine:\n  retention_days: 99999999999999999999999999\n",
        "spine.retention_days is 99999999999999999999999999 at c.yaml:2:19, but it must be at most 36500 (days)",
    );
    check(
        "log:\n  max_bytes: 100\n",
        "log.max_bytes is 100 at c.yaml:2:14, but it must be at least 65536 (bytes)",
    );
    check(
        "log:\n  max_bytes: 18446744073709551616\n",
        "log.max_bytes is 18446744073709551616 at c.yaml:2:14, but it must be at most 18446744073709551615 (bytes)",
    );
    check("log:\n  keep_files: 101\n", "log.keep_files is 101 at c.yaml:2:15, but it must be at most 100");
}

#[test]
fn money_addresses_and_texts_that_cannot_be_meant_are_refused() {
    check(
        "budget:\n  usd_per_day: -1\n",
        "budget.usd_per_day is -1 at c.yaml:2:16, but it must be 0 or more\nhint: write for example `usd_per_day: 1.00`",
    );
    check(
        "budget:\n  prices: {m: {input: .inf, output: 1}}\n",
        "budget.prices.m.input is `.inf` at c.yaml:2:23, but it must be 0 or more\nhint: write for example `input: 1.00`",
    );
    check(
        "web:\n  listen: 0.0.0.0:80\n",
        "web.listen is `0.0.0.0:80` at c.yaml:2:11, but it must be a loopback address with a port, because whoever reaches it can \
         talk to workers\nhint: write for example `listen: 127.0.0.1:7823`",
    );
    check(
        "api:\n  key_env: \"\"\n",
        "api.key_env is `\"\"` at c.yaml:2:12, but it must be one line of 1 to 4096 bytes, or null",
    );
    check("api:\n  key: sk-1\n", "unknown key `key` at c.yaml:2:3\nhint: did you mean `key_env`?");
}

#[test]
fn events_cannot_be_deleted_before_they_are_compressed() {
    check(
        "spine:\n  retention_days: 3 # short\n",
        "spine.retention_days is 3 at c.yaml:2:19, but it must be at least spine.compress_after_days, which is 7\n\
         hint: raise it, lower the other, or write `retention_days: null` to keep everything",
    );
    assert_eq!(read("spine: {retention_days: 3, compress_after_days: 3}").spine.retention_days, Some(3));
}

#[test]
fn values_of_another_type_are_refused() {
    for (value, shown) in [
        ("soon", "`soon`"),
        ("1.5", "1.5"),
        ("\"3\"", "`\"3\"`"),
        ("true", "`true`"),
        ("[3]", "a list"),
        ("{a: 3}", "a mapping"),
    ] {
        let meant = if value == "\"3\"" { 3 } else { 1 };
        let hint = format!("\nhint: write for example `max_parallel: {meant}`");
        let expect = format!(
            "cadence.max_parallel is {shown} at c.yaml:2:17, but it must be a whole number from 1 to 64{}",
            if value.starts_with(['[', '{']) { "" } else { &hint }
        );
        check(&format!("cadence:\n  max_parallel: {value}\n"), &expect);
    }
    check(
        "log:\n  max_bytes:\n",
        "log.max_bytes is empty at c.yaml:2:12, but it must be a whole number of at least 65536 (bytes)\n\
         hint: write for example `max_bytes: 65536`",
    );
    check(
        "log:\n  level: loud\n",
        "log.level is `loud` at c.yaml:2:10, but it must be one of error, warn, info, debug, trace",
    );
    check(
        "log:\n  level: warning\n",
        "log.level is `warning` at c.yaml:2:10, but it must be one of error, warn, info, debug, trace\n\
         hint: did you mean `warn`?",
    );
}

#[test]
fn a_section_must_be_a_mapping_and_so_must_the_file() {
    check("cadence: [1, 2]\n", &format!("cadence is a list at c.yaml:1:10, {MAPPING}"));
    check("cadence: 5\n", &format!("cadence is 5 at c.yaml:1:10, {MAPPING}"));
    check("- cadence\n", &format!("this is a list at c.yaml:1:1, {MAPPING}"));
    check("hello\n", &format!("this is `hello` at c.yaml:1:1, {MAPPING}"));
}

#[test]
fn a_key_twice_is_refused() {
    check(
        "log:\n  level: info\nlog:\n  level: warn\n",
        "duplicate key `log` at c.yaml:3:1\nhint: it is already 2 lines above; keep one of the two",
    );
}

#[test]
fn broken_yaml_is_refused_with_its_place() {
    check(
        "cadence:\n\tinterval_ms: 5000\n",
        "there is a tab at c.yaml:2:2, but YAML takes only spaces here\nhint: replace the tab with spaces",
    );
    check(
        "cadence:\n  interval_ms: 5000\n max_parallel: 3\n",
        "this line does not fit the lines above it at c.yaml:3:2\n\
         hint: give keys of one group the same number of spaces, and write `key: value`",
    );
    check(
        "cadence:\n  interval_ms: 5000\n   max_parallel: 3\n",
        "there is a `:` at c.yaml:3:16, but a key cannot stand here\n\
         hint: look at the spaces at the beginning of the line and at the line above; \
         a text that contains `: ` goes in quotes",
    );
}

#[test]
fn hostile_texts_are_refused() {
    let bomb: String = (1..30).fold("cadence: &l0 {}\n".into(), |text, level| {
        format!("{text}x{level}: &l{level} [{0}, {0}, {0}, {0}]\n", format_args!("*l{}", level - 1))
    });
    let too_much = "together they may repeat at most 256 values\nhint: write the values out";
    check(&bomb, &format!("aliases (`*name`) repeat too much at c.yaml:5:10, but {too_much}"));
    let levels = 100_000;
    check(&"[".repeat(levels), "this is nested deeper than 64 levels at c.yaml:1:65\nhint: use fewer levels");
    check(
        &format!("log: {}", "{a: ".repeat(levels)),
        "this is nested deeper than 64 levels at c.yaml:1:258\nhint: use fewer levels",
    );
    let aliases = format!("log: &a {{level: info}}\ncadence: {{interval_ms: [{}]}}\n", "*a, ".repeat(300));
    check(&aliases, &format!("aliases (`*name`) repeat too much at c.yaml:2:281, but {too_much}"));
}
