//! Where new files go, and how they are named: "tests live in `tests/`", "write notes as `notes/<date>-<slug>.md`".

use serde_json::json;

use crate::text::pattern;

use super::super::bag;
use super::super::norm::{Marked, Term, TermKind};
use super::super::occasion;
use super::super::sentence::numbers;
use super::super::words::words;
use super::{Lowered, Lowering, Numbered, list, numbers_of};

pattern!(
    LIES,
    r"\b(?:go(?:es)?|lives?|belongs?|reside|(?:is|are|be|must be|should be)(?: all)? (?:placed|stored|kept|saved|put|located|written|created|added|named|defined)) (?:in|into|inside|under|below|at|as|to)\b"
);
// "are defined in `x`" only says where something is.
pattern!(
    GOES,
    r"\b(?:go(?:es)?|belongs?|(?:must|should) be (?:placed|put|added|written|stored)) (?:in|into|to)\b"
);
pattern!(
    INTO,
    r"(?:^| )(?:in|into|inside|under|below|to|as|at) (?:(?:the|a|an|your|our|its) )?(?:[a-z-]+ )?$"
);
// "as a todo file `x`".
pattern!(
    AS_FILE,
    r"(?:^| )(?:in|into|inside|under|to|as|at) (?:(?:the|a|an|your|our|its) )?(?:[a-z-]+ ){0,3}$"
);
pattern!(FOLDER, r"§ (?:folders?|director(?:y|ies))\b");
pattern!(MIRRORS, r",? (?:mirroring|matching|that mirrors?|which mirrors?|following) ");
pattern!(PLACEHOLDER, r"<[^<>/]*>|\$?\{[^{}/]*\}|\[[^0-9\[\]/][^\[\]/]*\]|YYYYMMDD|YYYY|X\.Y\.Z|\bXX+\b|\*");
pattern!(DATE, r"YYYY-MM-DD");
pattern!(NUMBER, r"NNN+");
pattern!(TITLE, r"\*(?:[-_*]+[A-Za-z]+)*\*?");

pattern!(
    LABELLED_TESTS,
    r"^(?:(?:unit|integration|e2e|end-to-end|system|functional|acceptance) )?(?:tests?|specs?)$"
);

impl Lowering<'_> {
    /// Whether the norm says where files lie: "all tests must live in `tests/`" asks for no tests.
    pub(crate) fn lies(&self) -> bool {
        LIES.is_match(&self.norm.about) && self.placed().is_some()
    }

    /// "Put tests in `tests/<module>/`": where something goes, and not that it is wanted.
    pub(crate) fn puts(&self) -> bool {
        matches!(self.norm.act.as_str(), "put" | "place" | "store" | "save" | "locate")
            && self.placed().is_some()
    }

    /// "Unit tests: `tests/unit/`": where new tests are put.
    fn labelled_tests(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        let tests = LABELLED_TESTS.is_match(&self.context.first()?.to_lowercase());
        let marked = found.iter().all(|(_, term)| is_folder(term) && term.marked == Marked::Backticks);
        let alone = norm.act.is_empty() && bag::bag(&norm.about, &self.sentences.terms).len() == found.len();
        if !tests || found.is_empty() || !marked || !alone || !norm.when.is_empty() {
            return None;
        }
        let folders: Vec<String> = found.iter().map(|(_, term)| below(&term.text)).collect();
        Some(Lowered {
            kind: "placed-file",
            check: json!({ "expect": [{ "any": [{ "added": { "unit": "test", "paths": folders } }] }],
                "why": format!("tests go below {}", list(&found)) }),
            used: numbers_of(&found),
        })
    }

    pub(super) fn placed(&self) -> Option<Lowered> {
        let norm = self.norm;
        if let Some(tests) = self.labelled_tests() {
            return Some(tests);
        }
        let places = words().is_act(&norm.act, "place") || words().is_act(&norm.act, "name");
        if !(places || LIES.is_match(&norm.about)) || norm.limited || norm.act == "keep" {
            return None;
        }
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        let found = if found.is_empty() && FOLDER.is_match(&norm.about) {
            self.of_kind(&norm.about, &[TermKind::Identifier])
        } else {
            found
        };
        let all = found.len() == self.terms(&norm.about).len() && norm.instead_of.is_none();
        let marked = found.iter().all(|(_, term)| term.marked == Marked::Backticks);
        let (first, _) = norm.about.split_once('§')?;
        // "Create `src/commands/<name>.ts`": the place is all that is named.
        let is_made = first.is_empty() && norm.act == "create";
        if found.is_empty() || !all || !marked {
            return None;
        }
        if let [(_, term)] = found.as_slice()
            && is_template(&term.text)
            && (is_made || AS_FILE.is_match(first))
        {
            let mut lowered = as_template(&term.text, &found);
            lowered.used.extend(self.terms_of_conditions());
            return Some(lowered);
        }
        if !(is_made || INTO.is_match(first)) {
            return None;
        }
        // "in `tests/`, mirroring `src/`": what it mirrors is no place for it.
        let (own, mirrored) = MIRRORS
            .find(&norm.about)
            .map_or((norm.about.as_str(), ""), |joint| norm.about.split_at(joint.start()));
        let folders: Vec<Numbered<'_>> =
            found.iter().filter(|(number, _)| numbers(own).contains(number)).copied().collect();
        let named = |term: &Term| is_folder(term) || (FOLDER.is_match(own) && is_name(&term.text));
        if !folders.is_empty() && folders.iter().all(|(_, term)| named(term)) {
            let mut lowered = self.below(first, &folders);
            lowered.used.extend(numbers_of(&self.terms(mirrored)));
            return Some(lowered);
        }
        let is_file = |term: &Term| term.text.contains('.') && !term.text.contains(['*', '<', '{', '[']);
        if GOES.is_match(&norm.about) && found.iter().all(|(_, term)| is_file(term)) {
            let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
            return Some(Lowered {
                kind: "wanted-entry",
                check: json!({ "expect": [{ "any": [{ "wrote": { "paths": paths } }] }],
                    "why": format!("{} is written to", list(&found)) }),
                used: numbers_of(&found),
            });
        }
        None
    }

    /// "Add or update a `<name>.test.ts` when you add functionality": a test file by the form of its name.
    pub(super) fn wanted_test_file(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path, TermKind::Template]);
        let ([(_, term)], 1) = (found.as_slice(), self.terms(&norm.about).len()) else { return None };
        let writes = words().is_act(&norm.act, "write") || words().is_act(&norm.act, "edit");
        let named = PLACEHOLDER.is_match(&term.text) && NAMES_TEST.is_match(&term.text);
        let short = bag::bag(&norm.about, &self.sentences.terms).len() <= MOST_WORDS_BESIDE;
        if !writes || !named || !short || !term.text.contains('.') || norm.limited {
            return None;
        }
        let glob = PLACEHOLDER.replace_all(&term.text, "*");
        let mut used = numbers_of(&found);
        used.extend(self.terms_of_conditions());
        Some(Lowered {
            kind: "wanted-tests",
            check: json!({ "expect": [{ "any": [{ "wrote": { "paths": [glob] } }] }],
                "why": format!("{} is written", list(&found)) }),
            used,
        })
    }

    /// Files of a kind below a folder.
    fn below(&self, before: &str, found: &[Numbered<'_>]) -> Lowered {
        let folders: Vec<String> = found.iter().map(|(_, term)| below(&term.text)).collect();
        let mut check = json!({
            "expect": [{ "any": [{ "wrote": { "paths": folders, "whole": true } }] }],
            "why": format!("such files go below {}", list(found)),
        });
        // Only what is named as a whole is wrong elsewhere: not "unit tests", not "tests of the parser".
        let said = bag::bag(&LIES.replace_all(before, ""), &[]);
        if self.norm.urged
            && said.len() == 1
            && self.norm.when.is_empty()
            && self.norm.unless.is_empty()
            && let Some(files) = occasion::named(&said)
        {
            let elsewhere = json!({ "wrote": { "paths": [format!("@{}", files.name)], "except": folders, "whole": true } });
            check["forbid"] = json!([elsewhere]);
            check["mixed"] = json!("missed");
        }
        Lowered { kind: "placed-file", check, used: numbers_of(found) }
    }

    /// "Test files are named `*_test.go`", "use the `.spec.ts` suffix".
    pub(super) fn test_names(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path, TermKind::Template]);
        let ([(_, term)], 1) = (found.as_slice(), self.terms(&norm.about).len()) else { return None };
        let label = self.context.first().map(|label| label.to_lowercase()).unwrap_or_default();
        // "Tests live …" begins with what could be a verb.
        let whole = format!("{label} {} {}", norm.act, norm.about);
        let said = bag::bag(&whole, &[]);
        let names_tests = NAMED_TESTS.is_match(&whole);
        let glob = PLACEHOLDER.replace_all(&term.text, "*");
        let ending = glob.rsplit('.').next()?;
        let telling = !glob.contains('/') && glob.starts_with(['*', 't']) && NAMES_TEST.is_match(&glob);
        let tests = match ending {
            "ts" | "tsx" | "js" | "jsx" | "mjs" => vec!["*.{test,spec}.{ts,tsx,js,jsx,mjs,mts}"],
            "py" => vec!["test_*.py", "*_test.py"],
            "rb" => vec!["*_spec.rb", "*_test.rb"],
            "go" | "dart" | "java" | "kt" | "cs" | "php" => Vec::new(),
            _ => return None,
        };
        if !telling || !names_tests || said.len() > MOST_WORDS || !norm.when.is_empty() {
            return None;
        }
        let mut check = json!({
            "expect": [{ "any": [{ "wrote": { "paths": [glob], "whole": true } }] }],
            "mixed": "missed",
            "why": format!("new tests are named {}", list(&found)),
        });
        if !tests.is_empty() {
            check["forbid"] = json!([{ "wrote": { "paths": tests, "except": [glob], "whole": true } }]);
        }
        Some(Lowered { kind: "test-names", check, used: numbers_of(&found) })
    }
}

/// `notes/<date>-<slug>.md`, `notes/YYYY-MM-DD-title.md`.
pub(super) fn is_template(path: &str) -> bool {
    path.contains('/') && (PLACEHOLDER.is_match(path) || DATE.is_match(path) || NUMBER.is_match(path))
}

/// More words than this beside a file name are about something else.
const MOST_WORDS_BESIDE: usize = 4;

/// A line about how test files are called says little else.
const MOST_WORDS: usize = 9;

pattern!(NAMED_TESTS, r"\b(?:tests?|specs?)\b");
pattern!(NAMES_TEST, r"(?i)test|spec");

/// `notes/<date>-<slug>.md`: what lies there is named so.
fn as_template(path: &str, found: &[Numbered<'_>]) -> Lowered {
    // What stands between the first placeholder and the ending is one as well: `YYYY-MM-DD-short-title.md`.
    let dated = DATE.replace_all(path, "<>");
    let numbered = NUMBER.replace_all(&dated, "<>");
    let glob = TITLE.replace_all(&PLACEHOLDER.replace_all(&numbered, "*"), "*");
    let (folder, name) = glob.rsplit_once('/').unwrap_or(("", &glob));
    let ending = name.rsplit_once('.').map_or("*", |(_, ending)| ending);
    let mut wrote = json!({ "paths": [glob], "whole": true });
    let own = path.rsplit('/').next().unwrap_or(path);
    if DATE.is_match(own) {
        wrote["named"] = json!(r".*\d{4}-\d{2}-\d{2}.*");
    } else if NUMBER.is_match(own) {
        wrote["named"] = json!(r".*\d+.*");
    }
    let mut check = json!({
        "expect": [{ "any": [{ "wrote": wrote }] }],
        "why": format!("such files are written as {}", list(found)),
    });
    let others = format!("{folder}/*.{ending}");
    // Of a glob nobody knows whether it names all that lies there.
    if !folder.contains('*') && others != glob && !path.contains('*') {
        check["trigger"] =
            json!([{ "wrote": { "paths": [others], "except": ["README.md", "index.*"], "whole": true } }]);
        // Not "missed": of three such verdicts on real sessions none was right, since a name may say the same in another form.
        check["unmet"] = json!("open");
    }
    Lowered { kind: "placed-file", check, used: numbers_of(found) }
}

fn is_folder(term: &Term) -> bool {
    let last = term.text.trim_end_matches("/**").trim_end_matches("/*").trim_end_matches('/');
    let last = last.rsplit('/').next().unwrap_or("");
    term.text.contains('/') && !last.contains(['.', '*', '<', '{', '[']) && !term.text.starts_with(['/', '~'])
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

fn below(folder: &str) -> String {
    format!("{}/**", folder.trim_end_matches("/**").trim_end_matches("/*").trim_end_matches('/'))
}
