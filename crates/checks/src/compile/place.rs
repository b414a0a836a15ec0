//! Where in the tree a rule about content holds: "in tests", "outside tests", "in Python code", and the language that a term belongs to.

use crate::language::{Check, Condition, Said, Wrote};
use crate::line::ParsedLine;
use crate::text::pattern;

use super::concepts::TEST_GLOBS;

pattern!(
    OUTSIDE_TESTS,
    r"\b(?:outside(?: of)?|except(?: in| for| inside| within)?|apart from|other than(?: in)?|unless (?:it is |it's )?in|but not in|not in)(?: the| of| unit| your)? (?:tests?|specs?|test[ /])|\b(?:in|for) (?:production|prod|library|non-test|application|committed) (?:code|crates?|paths?)\b|\bnon-test code\b|\(except (?:in )?tests?|\bin production\b|obviously in tests|fine in tests|allowed in tests|ok in tests"
);
pattern!(
    IN_TESTS,
    r"\b(?:in|inside|within|for) (?:the |all |any |your |unit |integration |new |our )*(?:tests?|test (?:files?|code|suites?|cases?)|specs?|unit tests?)\b"
);
pattern!(EXCEPTED_TESTS, r"\b(?:tests?|specs?)\b");

fn tests() -> Vec<String> {
    TEST_GLOBS.iter().map(|glob| (*glob).to_owned()).collect()
}

/// Narrows what a check looks at to the place that the line names.
pub(crate) fn narrow(line: &ParsedLine, check: &mut Check) {
    let excepts_tests = line
        .conditions
        .iter()
        .any(|when| when.relation == crate::line::Relation::Unless && EXCEPTED_TESTS.is_match(&when.text));
    let outside = OUTSIDE_TESTS.is_match(&line.masked) || excepts_tests;
    let inside = !outside && IN_TESTS.is_match(&line.masked);
    if !outside && !inside {
        return;
    }
    let content = |condition: &mut Condition| {
        let Condition::Wrote(wrote) = condition else { return };
        if wrote.added.is_none() {
            return;
        }
        if outside {
            except_tests(wrote);
        } else {
            wrote.paths = crate::language::globs(tests());
        }
    };
    check.forbid.iter_mut().for_each(content);
    check.expect.iter_mut().flat_map(|expect| &mut expect.any).for_each(content);
    if outside {
        // The exception is a place, which is now known; no words excuse a breach elsewhere.
        check.unless.retain(|condition| !speaks_of_tests(condition));
    }
}

fn except_tests(wrote: &mut Wrote) {
    for glob in tests() {
        let glob = crate::language::Glob::new(glob);
        if !wrote.except.contains(&glob) {
            wrote.except.push(glob);
        }
    }
}

fn speaks_of_tests(condition: &Condition) -> bool {
    let (Condition::Said(Said { words, .. }) | Condition::About(crate::language::About { words })) =
        condition
    else {
        return false;
    };
    words.iter().any(|word| word == "test" || word == "spec")
}

const SCRIPT: &[&str] = &["*.{ts,tsx,js,jsx,mjs,cjs,mts,vue,svelte,astro}"];

/// The files of the language that a term belongs to, where it belongs to one.
pub(crate) fn home_of(code: &str) -> Option<&'static [&'static str]> {
    let globs: &[&str] = match code.trim_end_matches("()") {
        "any" | "type" | "unknown" | "var" | "let" | "const" | "interface" | "console.log"
        | "export default" | "@ts-ignore" | "@ts-expect-error" | "require" | "===" | "==" | "as const"
        | "import type" | ".then" | "useEffect" | "useState" | "innerHTML" | "!important" => SCRIPT,
        "unwrap" | ".unwrap" | "expect" | "println!" | "eprintln!" | "dbg!" | "panic!" | "todo!"
        | "unsafe" | "crate::" | "super::" => &["*.rs"],
        "fmt.Println" | "fmt.Printf" | "fmt.Errorf" | "time.Sleep" | "interface{}" | "t.Parallel"
        | "t.Run" | "log.Fatal" => &["*.go"],
        "print" | ".format" | "os.path" | "except:" | "Any" | "datetime.now" | "Optional" | "unittest"
        | "sys.path" => &["*.py"],
        "System.out.println" | "@Autowired" => &["*.{java,kt}"],
        "fatalError" | "try!" | "DispatchQueue" => &["*.swift"],
        _ => return None,
    };
    Some(globs)
}
