//! Stands for an engine that is not there: whoever names it is told so.

use subcortex_cadence::settle::Ending;

use super::{Engine, Working};
use crate::{Run, Task, Worked};

#[derive(Debug)]
pub(super) struct Unknown;

impl Engine for Unknown {
    fn name(&self) -> &'static str {
        "unknown"
    }

    fn work<'a>(&'a self, run: &'a Run<'a>, _task: Task<'a>) -> Working<'a> {
        let why = format!("no engine called `{}` is in this program", run.definition.engine.name());
        Box::pin(std::future::ready(Worked::ended(Ending::Refused(why))))
    }
}
