//! Sessions of one project: a file is taken when the first directory that it names belongs to it.

use std::ops::ControlFlow;

use subcortex_model::Draft;

/// How many drafts wait for a directory: agents name it at once.
const MAX_WAITING: usize = 1_000;

/// Says whether a directory belongs to the project.
pub type Holds<'a> = dyn Fn(&str) -> bool + 'a;

/// Decides about one file.
pub(crate) struct Gate<'a> {
    holds: Option<&'a Holds<'a>>,
    is_ours: bool,
    waiting: Vec<Draft>,
}

impl<'a> Gate<'a> {
    /// Without a project every file is taken.
    pub(crate) fn new(holds: Option<&'a Holds<'a>>) -> Self {
        Self { holds, is_ours: holds.is_none(), waiting: Vec::new() }
    }

    /// Leaves in the list what may be taken now. [`ControlFlow::Break`] when the file is another project's.
    pub(crate) fn admit(&mut self, drafts: &mut Vec<Draft>) -> ControlFlow<()> {
        let Some(holds) = self.holds.filter(|_| !self.is_ours) else { return ControlFlow::Continue(()) };
        self.waiting.append(drafts);
        match self.waiting.iter().find_map(|draft| draft.cwd.as_deref()) {
            Some(cwd) if holds(cwd) => {
                self.is_ours = true;
                drafts.append(&mut self.waiting);
                ControlFlow::Continue(())
            }
            None if self.waiting.len() < MAX_WAITING => ControlFlow::Continue(()),
            Some(_) | None => ControlFlow::Break(()),
        }
    }

    /// Whether the file is the project's. What names no directory is nobody's.
    pub(crate) fn is_ours(&self) -> bool {
        self.is_ours
    }
}
