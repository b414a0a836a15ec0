//! One module a command.

pub(crate) mod completions;
pub(crate) mod daemon;
pub(crate) mod doctor;
pub(crate) mod event;
pub(crate) mod init;
pub(crate) mod spine;
pub(crate) mod status;

use std::sync::Arc;

use subcortex_home::{Home, init};
use subcortex_spine::Spine;
use subcortex_store::{Disk, RealDisk};

use crate::failure::Failure;
use crate::surroundings::Surroundings;

/// What every command works with.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) boot_id: String,
}

impl World {
    pub(crate) fn new(surroundings: &Surroundings, home: Home) -> Self {
        Self { home, disk: Arc::new(RealDisk), boot_id: surroundings.boot_id.clone() }
    }

    /// The writing end of the spine, in a home that has all its folders.
    pub(crate) fn spine(&self) -> Result<Spine, Failure> {
        init(&*self.disk, &self.home)?;
        Ok(Spine::new(Arc::clone(&self.disk), self.home.spine(), self.boot_id.clone()))
    }

    /// For commands that only read: a home that is not there is a mistake in the path.
    pub(crate) fn expect_home(&self) -> Result<(), Failure> {
        if self.home.root().is_dir() {
            return Ok(());
        }
        Err(Failure::refused(format!(
            "there is no home at {}\nmake it with `subcortex init`, or point to another with --home DIR",
            self.home.root().display()
        )))
    }
}
