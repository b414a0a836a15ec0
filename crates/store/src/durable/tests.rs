#![allow(clippy::disallowed_methods)]

mod faults;
mod limits;
mod people;
mod races;
mod refusals;

use std::path::PathBuf;

/// A folder for one case; paths in it are joined with `at`.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder::new();
        for (name, content) in files {
            std::fs::write(folder.at(name), content).unwrap();
        }
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Every name and content, temporary files under `TEMPORARY`: `a=old TEMPORARY`.
    fn look(&self) -> String {
        let mut found: Vec<String> = walk(self.0.path(), "");
        found.sort();
        found.join(" ")
    }
}

fn walk(dir: &std::path::Path, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            found.push(format!("{name}/"));
            found.extend(walk(&entry.path(), &format!("{name}/")));
        } else if name.ends_with(".tmp") || name.ends_with(".aside") {
            found.push("TEMPORARY".to_owned());
        } else {
            found.push(format!("{name}={}", std::fs::read_to_string(entry.path()).unwrap()));
        }
    }
    found
}
