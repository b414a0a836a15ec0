//! A check made ready to be held against turns.

use crate::language::{Check, Glob, Shared, globs};
use crate::signal::Sides;

/// A check that can be held against turns.
#[derive(Debug, Clone)]
pub struct Ready {
    pub(crate) check: Check,
    /// The files that the line is about, or code.
    pub(crate) code: Vec<Glob>,
    pub(crate) project: Option<Glob>,
    /// The documents of the line, as far as they are known to exist.
    pub(crate) documents: Vec<Glob>,
    /// What the words of the line want and rule out, where they are known.
    pub(crate) sides: Option<Sides>,
}

impl Ready {
    /// Compiles the expressions of a check that no other check has brought along.
    pub(crate) fn sharing(check: Check, shared: &mut Shared) -> Self {
        let code = if check.scope.paths.is_empty() {
            globs(crate::reading::code_globs())
        } else {
            check.scope.paths.clone()
        };
        let project = check.scope.project.as_ref().map(|project| Glob::new(project.trim_end_matches('/')));
        check.share(shared);
        code.iter().chain(&project).for_each(|glob| glob.share(shared));
        Self { code, project, documents: Vec::new(), sides: None, check }
    }

    /// Keeps those documents that the line points to and that exist.
    pub(crate) fn meet_documents(&mut self, paths: &[String]) {
        let exists = |glob: &&Glob| paths.iter().any(|path| glob.is_match(path));
        self.documents = self.check.cues.pointers.iter().filter(exists).cloned().collect();
    }

    /// The check itself.
    pub fn check(&self) -> &Check {
        &self.check
    }
}
