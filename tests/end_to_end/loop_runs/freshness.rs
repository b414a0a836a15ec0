//! This repository's own loop, on a copy of this repository.

use std::path::Path;

use super::Scene;

/// What is no part of the repository.
const LEFT_OUT: [&str; 6] = [".git", "target", "var", "memory", "subconscious", "config"];

fn copy(from: &Path, to: &Path, left_out: &[&str]) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (name, kind) = (entry.file_name(), entry.file_type().unwrap());
        if left_out.iter().any(|left_out| name == *left_out) {
            continue;
        }
        if kind.is_dir() {
            copy(&entry.path(), &to.join(name), &[]);
        } else if kind.is_file() {
            std::fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

#[test]
fn the_loop_of_this_repository_names_what_its_documents_got_wrong_and_is_quiet_otherwise() {
    let scene = Scene::empty();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &scene.path(""), &LEFT_OUT);
    for file in ["STATE.md", "run-log.md"] {
        drop(std::fs::remove_file(scene.path(&format!(".loops/freshness/{file}"))));
    }
    let checked = scene.loops(&["check", "freshness", "--strict", "--min", "100"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    let (code, ran) = scene.run("freshness");
    assert_eq!((code, ran["outcome"].as_str()), (0, Some("quiet")), "{}", scene.state("freshness"));
    assert!(scene.log("freshness").contains("run#1  action=none  -  outcome=quiet  tokens=0"));

    let readme = scene.read("README.md");
    let wrong = "See [it](docs/gone.md) and `crates/loops/src/gone.rs:7`, not `crates/<name>/x`.";
    scene.write("README.md", &format!("{readme}\n{wrong}\n"));
    scene.ends("freshness", 0, "done");
    let state = scene.state("freshness");
    for name in ["docs/gone.md", "crates/loops/src/gone.rs:7"] {
        assert!(state.contains(&format!("names {name}, which is not there")), "{state}");
    }
    assert_eq!(state.matches("- [P1] README.md:").count(), 2, "{state}");
    scene.write("README.md", &readme);
    scene.ends("freshness", 0, "quiet");
    assert_eq!(scene.state("freshness").matches("- [P1]").count(), 0, "{}", scene.state("freshness"));
    assert_eq!(scene.read("README.md"), readme);
}
