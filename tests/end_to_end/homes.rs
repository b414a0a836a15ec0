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
    let rules = home.path("").parent().unwrap().join("CLAUDE.md");
    std::fs::write(&rules, "# Project\n\n- use pnpm,\n  not npm\n- run the tests\n").unwrap();
    let said = home.run(&["init", "--from", rules.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("your rules: 2 of"), "{}", said.out);
    let folder = rules.parent().unwrap().canonicalize().unwrap();
    let heading = format!("## Project: {}", folder.display());
    let broadcast = std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap();
    assert_eq!(broadcast, format!("{heading}\n\n### Project\n\n- use pnpm, not npm\n- run the tests\n"));
    assert_eq!(home.run(&["adopt", rules.to_str().unwrap()]).code, 0, "the same rules again are fine");
    home.write("memory/CLAUDE.md", "mine\n");
    let added = home.run(&["adopt", rules.to_str().unwrap()]);
    assert_eq!(added.code, 0, "{added:?}");
    let both = std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap();
    assert!(both.starts_with("mine\n\n## Project: ") && both.contains("- use pnpm, not npm\n"), "{both}");
}

#[test]
fn the_rules_of_a_project_hold_there_and_a_persons_own_everywhere_also_where_they_are_the_first() {
    let rules = "- use pnpm, not npm\n";
    // Whose file it is, and whether its rules hold in one project only.
    let files = [
        ("web/CLAUDE.md", true),
        ("web/.claude/CLAUDE.md", true),
        ("cloned/docs/rules.md", true),
        (".claude/CLAUDE.md", false),
        ("CLAUDE.md", false),
        ("notes/rules.md", false),
    ];
    for (file, is_scoped) in files {
        for command in [&["init", "--from"][..], &["adopt"]] {
            let home = TestHome::bare();
            let person = home.path("../person");
            std::fs::create_dir_all(person.join("cloned/.git")).unwrap();
            let file = person.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, rules).unwrap();
            if command == ["adopt"] {
                assert_eq!(home.run(&["init"]).code, 0);
            }
            let mut run = home.command(&[command, &[file.to_str().unwrap()]].concat());
            let said = run.env("HOME", &person).output().unwrap();
            assert!(said.status.success(), "{said:?}");
            let said = String::from_utf8(said.stdout).unwrap().replace('\n', " ");
            let memory = std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap();
            assert_eq!(memory.starts_with("## Project: "), is_scoped, "{}: {memory}", file.display());
            let told = if is_scoped { "only" } else { "in every project" };
            assert!(said.contains(told), "{}: {said}", file.display());
        }
    }
}

#[test]
fn imports_are_followed_inside_the_folder_only() {
    let home = TestHome::new();
    let rules = home.path("../CLAUDE.md");
    std::fs::write(home.path("../AGENTS.md"), "- imported rule\n@/etc/passwd\n").unwrap();
    std::fs::write(&rules, "@AGENTS.md\n").unwrap();
    let said = home.run(&["adopt", rules.to_str().unwrap()]);
    assert!(said.err.contains("@/etc/passwd: it lies outside"), "{said:?}");
    let broadcast = std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap();
    assert!(
        broadcast.starts_with("## Project: ") && broadcast.ends_with("\n\n- imported rule\n@/etc/passwd\n")
    );
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

fn open_to_others(home: &TestHome, below: &str) {
    let mode = std::fs::metadata(home.path(below)).unwrap().permissions().mode();
    std::fs::set_permissions(home.path(below), std::fs::Permissions::from_mode(mode | 0o002)).unwrap();
}

#[test]
fn settings_that_others_can_write_start_nothing_and_the_command_that_helps_is_named() {
    for below in ["", "config", "config/subcortex.yaml", "subconscious"] {
        let home = TestHome::new();
        open_to_others(&home, below);
        let said = home.run(&["run"]);
        assert_eq!(said.code, 2, "{below}: {said:?}");
        assert!(
            said.err.contains("writable by everybody") && said.err.contains("chmod go-w"),
            "{}",
            said.err
        );
        let tick = home.run(&["tick"]);
        assert_eq!(tick.code, 2, "{below}: {tick:?}");
        let doctor = home.run(&["doctor"]);
        assert_eq!(doctor.code, 1, "{doctor:?}");
        assert!(doctor.out.contains("writable by others") && doctor.out.contains("chmod"), "{}", doctor.out);
    }
}

#[test]
fn a_partition_that_others_can_write_is_not_run_and_its_neighbour_is() {
    for below in ["", "CLAUDE.md", "work.sh", ".claude", ".claude/agents", ".claude/agents/helper.md"] {
        let home = crate::partitions::home();
        for name in ["open", "closed"] {
            crate::partitions::script(&home, name, "cooldown_ticks: 0", "echo UPDATED: it ran");
            std::fs::create_dir_all(home.path(&format!("subconscious/{name}/.claude/agents"))).unwrap();
            home.write(&format!("subconscious/{name}/.claude/agents/helper.md"), "help");
            crate::partitions::drop_task(&home, name, "t.md", "x");
        }
        open_to_others(&home, &format!("subconscious/open/{below}"));
        let daemon = home.daemon();
        daemon.wait_for_all(&["run ended", "partition=closed"]);
        assert_eq!(crate::partitions::inbox(&home, "open"), ["t.md"], "{below}");
        let status = home.json(&["status", "--json"]);
        let open =
            status["partitions"].as_array().unwrap().iter().find(|found| found["name"] == "open").unwrap();
        assert_eq!(open["state"], "unusable", "{below}");
        let problem = open["problem"].as_str().unwrap();
        assert!(problem.contains("writable by everybody") && problem.contains("chmod go-w"), "{problem}");
    }
}

#[test]
fn a_program_of_somebody_else_is_not_run() {
    let home = crate::partitions::home();
    crate::partitions::script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: it ran");
    let given_away = std::process::Command::new("chown")
        .arg("65534")
        .arg(home.path("subconscious/worker/work.sh"))
        .output();
    if !given_away.is_ok_and(|output| output.status.success()) {
        crate::support::skip("program of somebody else", "giving a file away needs root");
        return;
    }
    crate::partitions::drop_task(&home, "worker", "t.md", "x");
    let said = home.run(&["tick", "--partition", "worker"]);
    assert_ne!(said.code, 0, "{said:?}");
    assert!(said.err.contains("belongs to user 65534"), "{}", said.err);
}

#[test]
fn an_inbox_that_others_may_drop_into_and_a_private_group_are_fine() {
    let home = crate::partitions::home();
    crate::partitions::script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: it ran");
    let set = |below: &str, mode| {
        std::fs::set_permissions(home.path(below), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set("subconscious/worker/inbox", 0o777);
    // As a checkout with umask 002 has it: the group is the user's own.
    for below in ["", "config", "subconscious", "subconscious/worker"] {
        set(below, 0o775);
    }
    set("subconscious/worker/CLAUDE.md", 0o664);
    crate::partitions::drop_task(&home, "worker", "t.md", "x");
    let said = home.run(&["tick", "--partition", "worker"]);
    assert_eq!(said.code, 0, "{said:?}");
}
