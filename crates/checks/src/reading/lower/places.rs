//! Where a norm holds: "in tests", "outside `src/api/`", "for Python files".

use crate::text::pattern;

use super::super::bag;
use super::super::norm::TermKind;
use super::super::occasion;
use super::super::words::words;
use super::Lowering;

/// Files in which a norm holds, and files in which it does not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// What stands before the place.
    pub(super) head: String,
    pub(super) paths: Vec<String>,
    pub(super) except: Vec<String>,
}

pattern!(
    PRODUCTION,
    r"^(?:the )?(?:production|prod|non-test|application|app|library|shipped|runtime|src)(?: (?:code|source|source code|files?|paths?|builds?))?$"
);

const INSIDE: [&str; 5] = [" in ", " inside ", " within ", " under ", " for "];
const OUTSIDE: [&str; 4] = [" outside of ", " outside ", " anywhere outside ", " anywhere but "];

/// Whether a place is the code that ships, as against its tests.
pub(super) fn is_production(place: &str) -> bool {
    PRODUCTION.is_match(place)
}

/// What a thing is used for: "`x` for auth decisions".
pub(super) fn purpose(masked: &str) -> Option<&str> {
    masked.split_once(" for ").map(|(_, purpose)| purpose)
}

impl Lowering<'_> {
    /// The place that a piece ends with, when it is known to its last word.
    pub(super) fn place(&self, masked: &str) -> Option<Place> {
        let at = |joints: &[&str]| {
            let found = joints.iter().filter_map(|joint| Some((masked.find(joint)?, joint.len())));
            found.min()
        };
        if let Some((cut, joint)) = at(&OUTSIDE) {
            let except = self.files_of(masked.get(cut + joint..)?)?;
            return Some(Place { head: masked.get(..cut)?.to_owned(), paths: Vec::new(), except });
        }
        let (cut, joint) = at(&INSIDE)?;
        if PRODUCTION.is_match(masked.get(cut + joint..)?) {
            let (paths, except) = (vec!["@code".to_owned()], vec!["@tests".to_owned()]);
            return Some(Place { head: masked.get(..cut)?.to_owned(), paths, except });
        }
        let paths = self.files_of(masked.get(cut + joint..)?)?;
        Some(Place { head: masked.get(..cut)?.to_owned(), paths, except: Vec::new() })
    }

    /// The files that a piece names, when it names nothing else.
    fn files_of(&self, masked: &str) -> Option<Vec<String>> {
        let terms = self.terms(masked);
        let said = bag::bag(masked, &self.sentences.terms);
        if terms.is_empty() {
            return occasion::named(&said).map(|files| vec![format!("@{}", files.name)]);
        }
        let all_paths = terms.iter().all(|(_, term)| term.kind == TermKind::Path);
        let plain = said.iter().all(|word| word.starts_with('`') || words().term_nouns.contains(word));
        (all_paths && plain).then(|| terms.iter().map(|(_, term)| term.text.clone()).collect())
    }
}
