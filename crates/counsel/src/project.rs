//! What a repository says about its own commands: the targets of its task runners, and what its checks on a server run.

use std::path::Path;

use serde_json::Value;
use subcortex_checks::Roles;
use subcortex_checks::reading::{Project, Target};
use subcortex_store::{Disk, durable};

/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 512 * 1024;
/// How many targets are kept.
const MAX_TARGETS: usize = 200;
/// How many files of the server's checks are read.
const MAX_WORKFLOWS: usize = 20;
/// The longest command line that is kept, in bytes.
const MAX_LINE_BYTES: usize = 400;
/// Lock files, and the package manager that writes them.
const LOCKS: [(&str, &str); 5] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
];
/// Sections of TOML files that name tasks, and how one is called.
const TOML_TASKS: [(&str, &str, &str); 6] = [
    ("pyproject.toml", "tool.poe.tasks", "poe"),
    ("pyproject.toml", "tool.taskipy.tasks", "task"),
    ("pyproject.toml", "tool.pdm.scripts", "pdm run"),
    ("pyproject.toml", "tool.hatch.envs.default.scripts", "hatch run"),
    ("mise.toml", "tasks", "mise run"),
    (".cargo/config.toml", "alias", "cargo"),
];

/// What the files of a repository tell. Nothing is told of a folder that is not on this disk.
pub fn look_at(disk: &dyn Disk, folder: &Path) -> Project {
    let text = |name: &str| durable::read_text(disk, &folder.join(name), MAX_FILE_BYTES).ok();
    let mut targets = Vec::new();
    if let Some(package) = text("package.json") {
        let lock = LOCKS.iter().find(|(name, _)| disk.stat(&folder.join(name)).is_ok());
        targets.extend(package_scripts(&package, lock.map_or("npm", |(_, manager)| manager)));
    }
    for (name, runner) in
        [("Makefile", "make"), ("makefile", "make"), ("justfile", "just"), ("Justfile", "just")]
    {
        targets.extend(text(name).iter().flat_map(|text| recipes(text, runner)));
    }
    for (name, section, runner) in TOML_TASKS {
        targets.extend(text(name).iter().flat_map(|text| toml_tasks(text, section, runner)));
    }
    targets.truncate(MAX_TARGETS);
    let directory = folder.to_string_lossy().into_owned();
    Project { directory, targets, commands: workflow_commands(disk, folder), ..Project::default() }
}

/// The files that tell of a folder's commands.
const TELLING: [&str; 8] = [
    "package.json",
    "Makefile",
    "makefile",
    "justfile",
    "Justfile",
    "pyproject.toml",
    "mise.toml",
    ".cargo/config.toml",
];
const STAMP_DIGITS: usize = 16;

/// Changes when one of the files does that [`look_at`] reads; empty when none is there.
pub fn stamp(disk: &dyn Disk, folder: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut is_there = false;
    let locks = LOCKS.iter().map(|(name, _)| *name);
    for name in TELLING.into_iter().chain(locks) {
        let Ok(stat) = disk.stat(&folder.join(name)) else { continue };
        is_there = true;
        hasher.update(name.as_bytes());
        hasher.update(&stat.len.to_le_bytes());
        hasher.update(&stat.mtime_ns.to_le_bytes());
    }
    let digits = hasher.finalize().to_hex();
    if is_there { digits.get(..STAMP_DIGITS).unwrap_or_default().to_owned() } else { String::new() }
}

/// The roles of commands where these projects say more than everybody knows; nothing when they do not.
pub fn roles(projects: &[Project]) -> Option<Roles> {
    if projects.iter().all(|project| project.targets.is_empty()) {
        return None;
    }
    let mut roles = Roles::default();
    projects.iter().for_each(|project| project.teach(&mut roles));
    Some(roles)
}

fn target(command: String, runs: Vec<String>) -> Option<Target> {
    let fits = |line: &String| !line.trim().is_empty() && line.len() <= MAX_LINE_BYTES;
    let runs: Vec<String> = runs.into_iter().filter(fits).collect();
    (!runs.is_empty() && fits(&command)).then_some(Target { command, runs })
}

fn package_scripts(text: &str, manager: &str) -> Vec<Target> {
    let Ok(package) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let scripts = package.get("scripts").and_then(Value::as_object).into_iter().flatten();
    scripts
        .filter_map(|(name, runs)| target(format!("{manager} run {name}"), vec![runs.as_str()?.to_owned()]))
        .collect()
}

/// `name: …` with indented lines below it, as `make` and `just` have it.
fn recipes(text: &str, runner: &str) -> Vec<Target> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            let command = line.trim().trim_start_matches(['@', '-']);
            if let Some((_, runs)) =
                found.last_mut().filter(|_| !command.is_empty() && !command.starts_with('#'))
            {
                runs.push(command.to_owned());
            }
            continue;
        }
        let Some((name, rest)) = line.split_once(':') else { continue };
        let name = name.split_whitespace().next().unwrap_or("").trim_start_matches('@');
        let is_plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c));
        if is_plain && !rest.starts_with('=') && !name.starts_with('.') {
            found.push((name.to_owned(), Vec::new()));
        }
    }
    found.into_iter().filter_map(|(name, runs)| target(format!("{runner} {name}"), runs)).collect()
}

/// `name = "command"` in a section, and `[section.name]` with `run`, `cmd` or `shell` in it.
fn toml_tasks(text: &str, section: &str, runner: &str) -> Vec<Target> {
    let mut found = Vec::new();
    let mut inside: Option<String> = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let name = name.trim().replace('"', "");
            let below = name.strip_prefix(section).map(|rest| rest.trim_start_matches('.').to_owned());
            inside = below.filter(|_| name == section || name.starts_with(&format!("{section}.")));
            continue;
        }
        let (Some(task), Some((key, value))) = (&inside, line.split_once('=')) else { continue };
        let Some(value) =
            value.trim().strip_prefix(['"', '\'']).and_then(|rest| rest.split(['"', '\'']).next())
        else {
            continue;
        };
        let key = key.trim().trim_matches('"');
        let name = match (task.as_str(), key) {
            ("", name) => name,
            (task, "run" | "cmd" | "shell") => task,
            (_, _) => continue,
        };
        let runs = if runner == "cargo" { format!("cargo {value}") } else { value.to_owned() };
        found.extend(target(format!("{runner} {name}"), vec![runs]));
    }
    found
}

/// The commands of `run:` in the workflows of a repository.
fn workflow_commands(disk: &dyn Disk, folder: &Path) -> Vec<String> {
    let workflows = folder.join(".github/workflows");
    let mut names = disk.list(&workflows).unwrap_or_default(); // a folder that is not there holds none
    names.sort();
    let texts = names.iter().take(MAX_WORKFLOWS);
    let texts = texts.filter_map(|name| durable::read_text(disk, &workflows.join(name), MAX_FILE_BYTES).ok());
    let mut commands: Vec<String> = texts.flat_map(|text| run_lines(&text)).collect();
    commands.sort();
    commands.dedup();
    commands.truncate(MAX_TARGETS);
    commands
}

fn run_lines(text: &str) -> Vec<String> {
    let one = |line: &str| {
        let line = line.trim().trim_start_matches("- ");
        let command = line.strip_prefix("run:")?.trim().trim_matches(['"', '\'']);
        let is_line =
            !command.is_empty() && !command.starts_with(['|', '>']) && command.len() <= MAX_LINE_BYTES;
        is_line.then(|| command.to_owned())
    };
    text.lines().filter_map(one).collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use subcortex_store::RealDisk;

    use super::*;

    #[test]
    fn a_hostile_repository_tells_nothing_and_hurts_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let secret = dir.path().join("outside");
        std::fs::write(&secret, "leak:\n\tcat /etc/passwd\n").unwrap();
        let repository = at("repository");
        std::fs::create_dir_all(repository.join(".github/workflows")).unwrap();
        let write = |name: &str, text: &[u8]| std::fs::write(repository.join(name), text).unwrap();
        // Nested too deeply, too long, no text, a link, a folder, a pipe that nobody writes to.
        write("package.json", "[".repeat(100_000).as_bytes());
        write("pyproject.toml", &vec![b'x'; 2 * 1024 * 1024]);
        write("mise.toml", &[0xff, 0xfe, 0, 1]);
        std::os::unix::fs::symlink(&secret, repository.join("Makefile")).unwrap();
        std::fs::create_dir(repository.join("justfile")).unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(repository.join("makefile")).status();
        if !pipe.is_ok_and(|status| status.success()) {
            return subcortex_testkit::skip(
                "a_hostile_repository_tells_nothing_and_hurts_nobody",
                "there is no mkfifo",
            );
        }
        for number in 0..300 {
            std::fs::write(repository.join(format!(".github/workflows/{number}.yml")), "- run: make x\n")
                .unwrap();
        }
        let project = look_at(&RealDisk, &repository);
        assert_eq!(project.targets, []);
        assert_eq!(project.commands, ["make x"]);
        assert_ne!(stamp(&RealDisk, &repository), "");
        // Very many targets, and one very long line.
        write(
            "package.json",
            format!(
                "{{\"scripts\": {{{}}}}}",
                (0..5_000).map(|n| format!("\"s{n}\": \"eslint {n}\"")).collect::<Vec<_>>().join(",")
            )
            .as_bytes(),
        );
        assert_eq!(look_at(&RealDisk, &repository).targets.len(), MAX_TARGETS);
        write("package.json", format!("{{\"scripts\": {{\"a\": \"{}\"}}}}", "x".repeat(10_000)).as_bytes());
        assert_eq!(look_at(&RealDisk, &repository).targets, []);
    }

    #[test]
    fn a_repository_tells_what_its_targets_run() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("package.json", r#"{"scripts": {"ok": "eslint . && tsc"}}"#);
        write("pnpm-lock.yaml", "");
        write("Makefile", "X := 1\n.PHONY: all\nlint: deps\n\t@ruff check .\n\t# no\ntest:\n\tpytest -q\n");
        write("mise.toml", "[tasks.check]\nrun = \"cargo clippy\"\n[tools]\nnode = \"20\"\n");
        write("pyproject.toml", "[tool.poe.tasks]\nfmt = \"ruff format .\"\n");
        write(".github/workflows/ci.yml", "steps:\n  - run: make test\n  - run: |\n      x\n");
        let project = look_at(&RealDisk, dir.path());
        let told: Vec<String> =
            project.targets.iter().map(|one| format!("{} = {}", one.command, one.runs.join("; "))).collect();
        assert_eq!(
            told,
            [
                "pnpm run ok = eslint . && tsc",
                "make lint = ruff check .",
                "make test = pytest -q",
                "poe fmt = ruff format .",
                "mise run check = cargo clippy",
            ]
        );
        assert_eq!(project.commands, ["make test"]);
        assert!(roles(&[project]).is_some() && roles(&[look_at(&RealDisk, Path::new("/no/such"))]).is_none());
    }
}
