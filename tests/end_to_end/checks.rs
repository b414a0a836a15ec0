//! `subcortex check`: how the lines of a memory are understood.

use serde_json::json;

use crate::support::TestHome;

#[test]
fn each_line_of_the_broadcast_is_shown_as_a_test_or_with_how_to_reword_it() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "# Rules\n- Use pnpm, not npm.\n- Be nice.\n");
    let found = home.json(&["check", "--json"]);
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
    assert_eq!(
        (&found[0]["line"], &found[0]["testable"], &found[0]["by"]),
        (&json!(2), &json!(true), &json!("rules"))
    );
    assert_eq!(found[0]["forbid"][0]["ran"]["command"], "npm");
    assert_eq!((&found[1]["testable"], found[1]["reword"].is_string()), (&json!(false), true));
    let one = home.run(&["check", "L3"]);
    assert!(one.out.starts_with("L3 ") && one.out.contains('→'), "{one:?}");
    assert_eq!(home.run(&["check", "L9"]).code, 2);
    assert_eq!(home.run(&["check", "nine"]).code, 2);
}

/// Editors on some systems begin a file with it; it is no part of the first rule, and stays where it is.
#[test]
fn a_byte_order_mark_hides_no_first_line_from_anybody() {
    for rules in ["\u{feff}- Use pnpm, not npm.\n", "\u{feff}# Rules\r\n- Use pnpm, not npm.\r\n"] {
        let home = TestHome::new();
        home.write("rules.md", rules);
        let file = home.path("rules.md");
        let file = file.to_str().unwrap();
        let of_file = home.json(&["check", "--file", file, "--json"]);
        assert_eq!(home.run(&["adopt", file]).code, 0);
        let of_home = home.json(&["check", "--json"]);
        home.write("memory/CLAUDE.md", format!("{rules}\n## Project: /src/tool\n- Use uv, not pip.\n"));
        let edited = home.json(&["check", "--json"]);
        for found in [of_file, of_home, edited] {
            assert_eq!(
                (found[0]["text"].as_str(), &found[0]["testable"]),
                (Some("- Use pnpm, not npm."), &json!(true)),
                "{found}"
            );
        }
    }
}

#[test]
fn a_test_is_exported_as_an_entry_of_the_rulebook() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- Run `make lint` before every commit.\n- Be nice.\n");
    let said = home.run(&["check", "L1", "--export"]);
    assert!(said.out.starts_with("says:\n") && said.out.contains("command: make lint"), "{said:?}");
    assert!(said.out.contains("untouched: []") && !said.out.contains("cues"), "{said:?}");
    let untestable = home.run(&["check", "L2", "--export"]);
    assert_eq!((untestable.code, untestable.err.contains("docs/CHECKS.md")), (2, true), "{untestable:?}");
    assert_eq!(home.run(&["check", "--export"]).code, 2, "one line at a time");
}

#[test]
fn without_a_memory_it_says_what_to_do() {
    let said = TestHome::new().run(&["check"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("subcortex adopt FILE"), "{}", said.err);
}

#[test]
fn a_memory_that_no_agent_could_load_is_refused_at_once_with_what_to_do() {
    let home = TestHome::new();
    let rules = "- Use pnpm, not npm.\n".repeat(10_000);
    home.write("memory/CLAUDE.md", &rules);
    for command in [&["check"][..], &["rule", "list"], &["rule", "add", "Be kind."]] {
        let said = home.run(command);
        assert_ne!(said.code, 0, "{command:?}: {said:?}");
        assert!(
            said.err.contains("has 210000 bytes") && said.err.contains("make it smaller"),
            "{command:?}: {said:?}"
        );
    }
    let doctor = home.run(&["doctor"]);
    assert!(doctor.out.contains("has 210000 bytes"), "{doctor:?}");
    assert_eq!(home.add("From now on, always run `make lint` before a commit.").code, 0);
    let tick = home.run(&["tick", "--partition", "memory-weaver"]);
    assert!(tick.out.contains("has 210000 bytes"), "{tick:?}");
    assert_eq!(std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap(), rules, "it is left as it is");
}

#[test]
fn what_is_said_of_a_file_is_about_that_file() {
    let home = TestHome::bare();
    let folder = home.path("../rules of mine");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("CLAUDE.md");
    std::fs::write(&file, "- Use pnpm, not npm.\n").unwrap();
    let said = home.run(&["check", "--file", file.to_str().unwrap()]);
    let more = format!("subcortex check L1 --file '{}'", file.display());
    assert!(said.out.contains(&more), "{said:?}");
    std::fs::write(&file, "# Nothing yet\n").unwrap();
    let said = home.run(&["check", "--file", file.to_str().unwrap()]);
    assert!(said.out.contains("holds no rules") && !said.out.contains("rule add"), "{said:?}");
}
