//! A cgroup (version 2) of its own for each run: nothing born in it can leave it by forking, and one
//! write ends everything in it.
//!
//! Layout: `<this process's own cgroup>/subcortex-<tag>-<run id>-<n>/`. No controller is switched on, so the
//! daemon may stay in the parent. Programs may make further cgroups below theirs; those are ended and
//! removed with it.

mod base;
mod group;
mod mounts;

pub(crate) use base::{Base, find_groups};
pub(crate) use group::{Cradle, Group};
