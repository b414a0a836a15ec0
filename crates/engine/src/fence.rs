//! A fence around a program: it and its children change files only below some folders, and some files.
//!
//! The kernel keeps it (Landlock, Linux 6.2 or newer); the program cannot take it down, and no program that it starts
//! gains privileges. Inside the fence everything can be made but devices: a daemon of root would otherwise let a program
//! make a disk of its own to write to. Outside of it `/dev/null` can be written, and nothing else. Where the kernel knows
//! how (6.12), processes outside get no signals from inside, and no connections to their abstract sockets.
//!
//! Not kept: reading and starting programs, anywhere; modes, owners and times of files, which a program may change as far
//! as its user may; the network; sockets with a path.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, PathFdError, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use crate::StartError;

/// The first version of the interface with which nothing can be changed unseen: before it, files could be truncated.
const NEEDED: ABI = ABI::V3;
/// The version that knows of signals and abstract sockets.
const WANTED: ABI = ABI::V6;

/// A fence that is ready; it takes effect with [`Fence::close`].
#[derive(Debug)]
pub(crate) struct Fence(RulesetCreated);

impl Fence {
    /// Makes a fence around folders and files, which must be there. Fails where the kernel cannot keep it. A file can be
    /// written, and neither removed nor replaced.
    pub(crate) fn around(writable: &[PathBuf]) -> Result<Self, StartError> {
        let refused = |error: RulesetError| StartError::CannotConfine { why: error.to_string() };
        let all = AccessFs::from_write(NEEDED);
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(all);
        let ruleset = ruleset.map_err(refused)?.set_compatibility(CompatLevel::BestEffort);
        let ruleset = ruleset.scope(Scope::from_all(WANTED)).and_then(Ruleset::create).map_err(refused)?;
        let mut ruleset = ruleset.set_compatibility(CompatLevel::HardRequirement);
        let inside = all & !(AccessFs::MakeChar | AccessFs::MakeBlock);
        let nothing = (Path::new("/dev/null"), AccessFs::WriteFile | AccessFs::Truncate);
        for (path, access) in writable.iter().map(|path| (path.as_path(), inside)).chain([nothing]) {
            ruleset = ruleset.add_rule(below(path, access)?).map_err(refused)?;
        }
        Ok(Self(ruleset))
    }

    /// Closes the fence around the calling thread and all that it starts, for good. Says whether it holds.
    ///
    /// Between fork and exec this makes two system calls, and neither allocates nor locks.
    pub(crate) fn close(self) -> bool {
        self.0.restrict_self().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
    }
}

fn below(path: &Path, access: BitFlags<AccessFs>) -> Result<PathBeneath<PathFd>, StartError> {
    let refused = |error: PathFdError| StartError::CannotConfine { why: error.to_string() };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEEDED) };
    Ok(PathBeneath::new(PathFd::new(path).map_err(refused)?, access))
}
