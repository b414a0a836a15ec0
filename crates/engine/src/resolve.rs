//! From the name of a program to the file that is started, with errors that say what to do.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::fork::NO_FENCE;
use crate::{CommandSpec, StartError};

/// Finds the file to start. The answer is an absolute path.
pub fn resolve(spec: &CommandSpec) -> Result<PathBuf, StartError> {
    check_directory(&spec.cwd)?;
    let has_slash = spec.program.as_os_str().as_encoded_bytes().contains(&b'/');
    if !has_slash {
        return find_in_path(spec.program.as_os_str(), spec.env.get(OsStr::new("PATH")).map(AsRef::as_ref));
    }
    // `components` drops the `.` of `./work.sh`, so that messages and process lists show a plain path.
    let path: PathBuf = spec.cwd.join(&spec.program).components().collect();
    match std::fs::metadata(&path) {
        Ok(_) if is_executable_file(&path) => Ok(path),
        Ok(_) => Err(StartError::NotExecutable { path }),
        Err(error) if is_absence(&error) => Err(StartError::ProgramMissing { path }),
        Err(source) => Err(StartError::Refused { path, source }),
    }
}

fn check_directory(dir: &Path) -> Result<(), StartError> {
    let bad = |why: &str| Err(StartError::BadDirectory { path: dir.into(), why: why.into() });
    if !dir.is_absolute() {
        return bad("it is not an absolute path");
    }
    match std::fs::metadata(dir) {
        Ok(facts) if !facts.is_dir() => bad("it is not a directory"),
        Ok(_) => access(dir, Access::EXEC_OK).or_else(|error| bad(&error.to_string())),
        Err(error) if is_absence(&error) => bad("it does not exist"),
        Err(error) => bad(&error.to_string()),
    }
}

/// Searches `PATH`. Relative entries are skipped: what runs must not depend on where it runs.
fn find_in_path(name: &OsStr, path: Option<&OsStr>) -> Result<PathBuf, StartError> {
    let path = path.unwrap_or_default();
    let candidates = std::env::split_paths(path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(name));
    let found =
        if name.is_empty() { None } else { candidates.into_iter().find(|file| is_executable_file(file)) };
    found.ok_or_else(|| StartError::NotInPath {
        program: name.to_string_lossy().into_owned(),
        searched: if path.is_empty() { "not set".into() } else { path.to_string_lossy().into_owned() },
    })
}

fn is_executable_file(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Says what an error of the start itself means. Everything that can be checked before was checked.
pub(crate) fn explain_spawn_error(program: &Path, error: io::Error) -> StartError {
    let path = program.to_owned();
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT) if path.exists() => StartError::InterpreterMissing { path },
        Some(Errno::NOENT) => StartError::ProgramMissing { path },
        Some(Errno::NOEXEC) => StartError::UnknownFormat { path },
        Some(Errno::ACCESS | Errno::PERM) => StartError::NotExecutable { path },
        Some(NO_FENCE) => {
            StartError::CannotConfine { why: "the kernel refused it at the last moment".into() }
        }
        Some(Errno::TOOBIG) => StartError::BadArguments {
            path,
            why: "arguments and environment are larger than the system allows".into(),
        },
        None if error.kind() == io::ErrorKind::InvalidInput => {
            StartError::BadArguments { path, why: "arguments or environment contain a zero byte".into() }
        }
        _ => StartError::Refused { path, source: error },
    }
}
