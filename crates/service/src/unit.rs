//! The text of the units.
//!
//! `subcortex.service` belongs to the manager of one person (`systemctl --user`); `subcortex@.service` belongs to
//! the machine and runs as the person after the `@`, because foreground agents of that person read the memory.
//!
//! | decision                                   | why                                                                   |
//! |--------------------------------------------|-----------------------------------------------------------------------|
//! | no restart after exit code 2 or 4          | wrong settings, or a home that is taken, are the same after a restart |
//! | `Delegate=yes`, cgroups writable           | each run gets a cgroup of its own, so that nothing it started survives |
//! | `OOMPolicy=continue`                       | an agent that eats all memory must not take the daemon with it        |
//! | `LimitCORE=0`                              | a core file would hold what redaction kept off the disk               |
//! | writable memory may be executable          | agents run on JavaScript engines, which compile at run time           |
//! | no `RemoveIPC=`                            | it would also remove what that person's other programs use            |
//! | all of `/proc` but foreign processes       | the boot id, and what language runtimes look up at their start        |
//! | the network is open                        | engines call model endpoints, which may be anywhere                   |
//! | the person's `/run/user` is hidden         | its bus would start programs outside of the sandbox                   |
//! | the personal unit has no mount namespace   | it would not start where unprivileged user namespaces are switched off |

mod system;
mod user;

use std::path::{Component, Path, PathBuf};

use crate::quote::quoted;
use crate::seal::sealed;

/// Folders that the system service cannot count on: private to somebody, or emptied.
const UNSTEADY_FOLDERS: [&str; 5] = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"];

/// Whose manager a unit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One person's own: `systemctl --user`.
    User,
    /// The machine's: a template that runs as the person after the `@`.
    System,
}

impl Kind {
    /// The name of the unit's file.
    pub const fn file_name(self) -> &'static str {
        match self {
            Kind::User => "subcortex.service",
            Kind::System => "subcortex@.service",
        }
    }

    /// `~/.subcortex` in the words of systemd.
    const fn own_home(self) -> &'static str {
        match self {
            Kind::User => "%h/.subcortex",
            Kind::System => "/home/%i/.subcortex",
        }
    }
}

/// What a unit depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The program, as an absolute path.
    pub binary: PathBuf,
    /// The home, as an absolute path; `None` for `~/.subcortex` of whoever it runs as (in the system's
    /// template `/home/<name>/.subcortex`, since systemd knows no `~` of somebody else).
    pub home: Option<PathBuf>,
}

/// Why a unit cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// systemd refuses such a path.
    #[error("the {what} {path:?} cannot stand in a systemd unit: it {why}; give it another place")]
    Path {
        /// What the path is for.
        what: &'static str,
        /// The path.
        path: PathBuf,
        /// What is wrong with it, as the rest of a sentence.
        why: &'static str,
    },
    /// The system service would not find the program.
    #[error(
        "the program {0:?} lies where a system service cannot count on it: in somebody's own folder or a \
         temporary one; copy it first, for example with `sudo install -m 0755 {0:?} /usr/local/bin/subcortex`, and \
         call it from there"
    )]
    UnsteadyBinary(PathBuf),
}

/// The text of a unit.
pub fn unit(kind: Kind, options: &Options) -> Result<String, UnitError> {
    let binary = checked("program", &options.binary)?;
    let is_unsteady = UNSTEADY_FOLDERS.iter().any(|folder| options.binary.starts_with(folder));
    if kind == Kind::System && is_unsteady {
        return Err(UnitError::UnsteadyBinary(options.binary.clone()));
    }
    let home = options.home.as_deref().map(|home| checked("home", home)).transpose()?;
    let words =
        Words { binary: quoted(binary), home: home.map_or_else(|| kind.own_home().to_owned(), quoted) };
    Ok(sealed(&match kind {
        Kind::User => user::text(&words),
        Kind::System => system::text(&words),
    }))
}

/// The paths, as words of a unit file.
struct Words {
    binary: String,
    home: String,
}

/// Refuses what no quoting can carry through systemd.
fn checked<'a>(what: &'static str, path: &'a Path) -> Result<&'a str, UnitError> {
    let refused = |why| UnitError::Path { what, path: path.to_owned(), why };
    let text = path.to_str().ok_or_else(|| refused("is not UTF-8"))?;
    if !path.is_absolute() {
        return Err(refused("is not absolute"));
    }
    if text.chars().any(char::is_control) {
        return Err(refused("holds control characters"));
    }
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(refused("holds `..`"));
    }
    Ok(text)
}

/// What both units say about the life of the service.
const LIFE: &str = "\
Type=notify
NotifyAccess=main
ExecReload=kill -HUP $MAINPID
Restart=on-failure
RestartSec=2s
# Wrong settings (2) and a home that another daemon serves (4) are the same after a restart.
RestartPreventExitStatus=2 4
WatchdogSec=30s
TimeoutStartSec=120s
# The daemon ends its runs first, which takes it up to 20 s; whatever is left is killed.
TimeoutStopSec=25s
KillMode=mixed
# Each run of an agent gets a cgroup of its own below the service's.
Delegate=yes
OOMPolicy=continue
LimitCORE=0
";

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn options(binary: &str, home: Option<&str>) -> Options {
        Options { binary: binary.into(), home: home.map(PathBuf::from) }
    }

    #[track_caller]
    fn check_refused(kind: Kind, options: &Options, expect: &str) {
        assert_eq!(unit(kind, options).unwrap_err().to_string(), expect);
    }

    fn lines_with<'a>(text: &'a str, part: &str) -> Vec<&'a str> {
        text.lines().filter(|line| line.contains(part)).collect()
    }

    #[test]
    fn the_home_of_whoever_it_runs_as_is_named_by_systemd() {
        let options = options("/usr/bin/subcortex", None);
        let user = unit(Kind::User, &options).unwrap();
        assert_eq!(
            lines_with(&user, ".subcortex"),
            [r#"ExecStart=:"/usr/bin/subcortex" --home %h/.subcortex run"#]
        );
        let system = unit(Kind::System, &options).unwrap();
        assert_eq!(
            lines_with(&system, "/.subcortex"),
            [
                "RequiresMountsFor=/home/%i/.subcortex",
                "ExecStartPre=+:runuser -u %i -- mkdir -p -m 0700 -- /home/%i/.subcortex",
                r#"ExecStart=:"/usr/bin/subcortex" --home /home/%i/.subcortex run"#,
                "ReadWritePaths=-/home/%i/.subcortex",
            ]
        );
    }

    #[test]
    fn a_home_elsewhere_is_quoted_in_every_place() {
        let options = options("/opt/sub cortex/bin", Some(r#"/srv/100% "mine"/a\b"#));
        let system = unit(Kind::System, &options).unwrap();
        assert_eq!(
            lines_with(&system, "/srv/"),
            [
                r#"RequiresMountsFor="/srv/100%% \"mine\"/a\\b""#,
                r#"ExecStartPre=+:runuser -u %i -- mkdir -p -m 0700 -- "/srv/100%% \"mine\"/a\\b""#,
                r#"ExecStart=:"/opt/sub cortex/bin" --home "/srv/100%% \"mine\"/a\\b" run"#,
                r#"ReadWritePaths=-"/srv/100%% \"mine\"/a\\b""#,
            ]
        );
    }

    #[test]
    fn paths_that_systemd_cannot_take_are_refused() {
        let refused = |path: &str, why: &str| {
            check_refused(
                Kind::User,
                &options("/usr/bin/subcortex", Some(path)),
                &format!("the home {path:?} cannot stand in a systemd unit: it {why}; give it another place"),
            );
        };
        refused("home", "is not absolute");
        refused("/a\nExecStart=/bin/evil", "holds control characters");
        refused("/a/../b", "holds `..`");
        let not_utf8 = Options { binary: OsStr::from_bytes(b"/\xff").into(), home: None };
        check_refused(
            Kind::User,
            &not_utf8,
            r#"the program "/\xFF" cannot stand in a systemd unit: it is not UTF-8; give it another place"#,
        );
    }

    #[test]
    fn a_program_in_a_home_is_fine_for_its_owner_and_not_for_the_machine() {
        let options = options("/home/you/.cargo/bin/subcortex", None);
        assert!(unit(Kind::User, &options).is_ok());
        check_refused(
            Kind::System,
            &options,
            "the program \"/home/you/.cargo/bin/subcortex\" lies where a system service cannot count on it: in \
             somebody's own folder or a temporary one; copy it first, for example with `sudo install -m 0755 \
             \"/home/you/.cargo/bin/subcortex\" /usr/local/bin/subcortex`, and call it from there",
        );
    }
}
