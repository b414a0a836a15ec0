//! The units before the eyes of `systemd-analyze`.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout, missing_docs)]

use std::path::Path;
use std::process::Command;

use subcortex_service::{Kind, Options, unit};
use subcortex_testkit::has_program;

/// A program that is there on every machine; what it does is of no interest to `systemd-analyze`.
const BINARY: &str = "/usr/bin/env";
/// Everything that means something in a unit file.
const HOSTILE_HOME: &str = r#"/srv/my home/100%i/$HOME ${x}/a:b/it's "quoted"/back\slash\x20/;/#-@!"#;
/// The highest exposure of the machine's template, in tenths: 0 is no access at all, 100 is no protection.
const SYSTEM_EXPOSURE_MAX_TENTHS: u32 = 15;

fn is_there(test: &str) -> bool {
    has_program(test, "systemd-analyze")
}

/// Runs `systemd-analyze` on a unit; `None` where there is none.
fn analyze(test: &str, kind: Kind, home: Option<&str>, args: &[&str]) -> Option<(bool, String)> {
    if !is_there(test) {
        return None;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(kind.file_name());
    let options = Options { binary: BINARY.into(), home: home.map(Into::into) };
    std::fs::write(&file, unit(kind, &options).unwrap()).unwrap();
    Some(run(args, &file, dir.path()))
}

fn run(args: &[&str], file: &Path, runtime_dir: &Path) -> (bool, String) {
    let output = Command::new("systemd-analyze")
        .args(args)
        .arg(file)
        .env("XDG_RUNTIME_DIR", runtime_dir)
        .env("HOME", runtime_dir)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

#[track_caller]
fn check_verified(test: &str, kind: Kind, home: Option<&str>) {
    let manager = match kind {
        Kind::User => "--user",
        Kind::System => "--system",
    };
    if let Some(found) = analyze(test, kind, home, &[manager, "verify", "--recursive-errors=no", "--man=no"])
    {
        assert_eq!(found, (true, String::new()), "{kind:?} {home:?}");
    }
}

#[test]
fn systemd_finds_nothing_wrong_with_the_units() {
    for kind in [Kind::User, Kind::System] {
        check_verified("systemd_finds_nothing_wrong_with_the_units", kind, None);
        check_verified("systemd_finds_nothing_wrong_with_the_units", kind, Some("/srv/memory"));
    }
}

#[test]
fn systemd_finds_nothing_wrong_with_a_hostile_home() {
    for kind in [Kind::User, Kind::System] {
        check_verified("systemd_finds_nothing_wrong_with_a_hostile_home", kind, Some(HOSTILE_HOME));
    }
}

#[test]
fn systemd_would_have_found_something_wrong() {
    if !is_there("systemd_would_have_found_something_wrong") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("wrong.service");
    std::fs::write(&file, "[Service]\nExecStart=/nowhere/subcortex\nNonsense=1\n").unwrap();
    let (good, said) = run(&["verify"], &file, dir.path());
    assert!(!good && said.contains("Nonsense") && said.contains("/nowhere/subcortex"), "{said}");
}

/// Runs `systemd-analyze security` and gives the exposure in tenths.
fn exposure_tenths(test: &str, kind: Kind, threshold_tenths: u32) -> Option<(bool, u32)> {
    let threshold = format!("--threshold={threshold_tenths}");
    let (good, said) = analyze(test, kind, None, &["security", "--offline=true", "--no-pager", &threshold])?;
    let verdict = said.lines().find(|line| line.contains("Overall exposure level")).unwrap();
    println!("{}", verdict.trim());
    let score: f64 = verdict.split(": ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    Some((good, (score * 10.0).round() as u32))
}

#[test]
fn the_template_of_the_machine_is_hardly_exposed() {
    let test = "the_template_of_the_machine_is_hardly_exposed";
    if let Some((good, tenths)) = exposure_tenths(test, Kind::System, SYSTEM_EXPOSURE_MAX_TENTHS) {
        assert!(good && tenths <= SYSTEM_EXPOSURE_MAX_TENTHS, "exposure {tenths} tenths");
    }
}

#[test]
fn the_unit_of_a_person_is_less_exposed_than_a_bare_one() {
    let test = "the_unit_of_a_person_is_less_exposed_than_a_bare_one";
    // A unit without any of it has 96 here; most of the rest needs what a person's manager cannot give.
    if let Some((good, tenths)) = exposure_tenths(test, Kind::User, 90) {
        assert!(good, "exposure {tenths} tenths");
    }
}
