//! Where the home is, how it is filled, and how rules are taken over.

use std::os::unix::fs::PermissionsExt;

use crate::support::TestHome;

#[test]
fn init_makes_a_private_home_and_touches_nothing_twice() {
    let home = TestHome::bare();
    let said = home.run(&["init"]);
    assert_eq!(said.code, 0, "{said:?}");
    for folder in ["config", "memory", "subconscious/inbox", "var/events", "var/log"] {
        let mode = std::fs::metadata(home.path(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
    assert_eq!(home.plain(&home.run(&["init"]).out), "HOME has everything\n");
}

#[test]
fn an_edited_file_is_kept_and_its_difference_is_shown() {
    let home = TestHome::new();
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 5000\n");
    let said = home.run(&["init"]);
    assert!(said.err.contains("+  interval_ms: 5000"), "{}", said.err);
    assert_eq!(
        std::fs::read_to_string(home.path("config/subcortex.yaml")).unwrap(),
        "cadence:\n  interval_ms: 5000\n"
    );
}

#[test]
fn the_home_comes_from_the_flag_else_the_environment_else_the_users_folder() {
    let home = TestHome::bare();
    let (flag, variable, user) = (home.path("flag"), home.path("variable"), home.path("user"));
    let run = |with_flag: bool, with_variable: bool| {
        let mut command = std::process::Command::new(crate::support::binary());
        command.env_clear().env("HOME", &user);
        if with_variable {
            command.env("SUBCORTEX_HOME", &variable);
        }
        if with_flag {
            command.arg("--home").arg(&flag);
        }
        String::from_utf8(command.arg("init").output().unwrap().stdout).unwrap()
    };
    assert!(run(true, true).starts_with(flag.to_str().unwrap()));
    assert!(run(false, true).starts_with(variable.to_str().unwrap()));
    assert!(run(false, false).starts_with(user.join(".subcortex").to_str().unwrap()));
}

#[test]
fn rules_are_taken_over_once_and_never_overwritten() {
    let home = TestHome::bare();
    std::fs::create_dir_all(home.path("")).unwrap();
    let rules = home.path("../CLAUDE.md");
    std::fs::write(&rules, "# Project\n\n- use pnpm,\n  not npm\n- run the tests\n").unwrap();
    let said = home.run(&["init", "--from", rules.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("2 rules"), "{}", said.out);
    let broadcast = std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap();
    assert_eq!(broadcast, "# Project\n\n- use pnpm, not npm\n- run the tests\n");
    assert_eq!(home.run(&["adopt", rules.to_str().unwrap()]).code, 0, "the same rules again are fine");
    home.write("memory/CLAUDE.md", "mine\n");
    let refused = home.run(&["adopt", rules.to_str().unwrap()]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap(), "mine\n");
}

#[test]
fn imports_are_followed_inside_the_folder_only() {
    let home = TestHome::bare();
    std::fs::create_dir_all(home.path("")).unwrap();
    let rules = home.path("../CLAUDE.md");
    std::fs::write(home.path("../AGENTS.md"), "- imported rule\n@/etc/passwd\n").unwrap();
    std::fs::write(&rules, "@AGENTS.md\n").unwrap();
    let said = home.run(&["adopt", rules.to_str().unwrap()]);
    assert!(said.err.contains("@/etc/passwd: it lies outside"), "{said:?}");
    let broadcast = std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap();
    assert_eq!(broadcast, "- imported rule\n@/etc/passwd\n");
}

#[test]
fn what_cannot_be_taken_over_is_named() {
    let home = TestHome::new();
    std::fs::write(home.path("empty.md"), "\n# Only a title\n").unwrap();
    std::fs::write(home.path("binary.md"), [0xff, 0xfe, 0]).unwrap();
    for (file, expect) in
        [("missing.md", "No such file"), ("empty.md", "no rules"), ("binary.md", "UTF-8"), ("", "regular")]
    {
        let said = home.run(&["adopt", home.path(file).to_str().unwrap()]);
        assert_eq!(said.code, 2, "{file}: {said:?}");
        assert!(said.err.contains(expect), "{file}: {}", said.err);
    }
}

#[test]
fn completions_exist_for_the_usual_shells() {
    let home = TestHome::bare();
    for shell in ["bash", "zsh", "fish"] {
        let said = home.run(&["completions", shell]);
        assert!(said.code == 0 && said.out.contains("subcortex"), "{shell}");
    }
}

#[test]
fn a_home_of_somebody_else_is_refused() {
    let home = TestHome::new();
    let given_away = std::process::Command::new("chown").arg("65534").arg(home.path("")).output();
    if !given_away.is_ok_and(|output| output.status.success()) {
        crate::support::skip("home of somebody else", "giving a folder away needs root");
        return;
    }
    let said = home.run(&["run"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("belongs to user 65534"), "{}", said.err);
}
