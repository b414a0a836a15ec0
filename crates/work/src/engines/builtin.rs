//! The workers that ship, without a model.

use super::{Engine, Working};
use crate::{Run, Task};

pub(super) const NAME: &str = "builtin";

#[derive(Debug)]
pub(super) struct Builtin;

impl Engine for Builtin {
    fn name(&self) -> &'static str {
        NAME
    }

    fn work<'a>(&'a self, run: &'a Run<'a>, task: Task<'a>) -> Working<'a> {
        Box::pin(run.work_by_code(task))
    }
}
