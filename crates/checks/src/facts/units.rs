//! Functions, tests, imports, classes and files in a change, by the shape of their lines.
//!
//! A unit reaches from its first line to the next one that is indented no deeper, brackets and `end` that close it included; what
//! stands right above it belongs to it.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::Written;
use crate::language::Unit;
use crate::text::Pattern;

/// One unit that a change added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found<'w> {
    /// Its name, where it has one.
    pub(crate) name: String,
    /// The line that it begins with.
    pub(crate) head: &'w str,
    /// All of it, with what stands right above it: decorators, attributes, comments.
    pub(crate) text: &'w str,
}

/// The shapes of code by the endings of its files; the first group that matched is the name.
struct Language {
    endings: &'static [&'static str],
    function: Pattern,
    /// The first line of a test.
    test: Pattern,
    /// What stands right above a function that is a test.
    test_above: Pattern,
    import: Pattern,
    class: Pattern,
}

/// Never found.
const NOTHING: &str = r"[^\s\S]";

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let language = |endings, [function, test, test_above, import, class]: [&str; 5]| Language {
        endings,
        function: Pattern::new(function),
        test: Pattern::new(test),
        test_above: Pattern::new(test_above),
        import: Pattern::new(import),
        class: Pattern::new(class),
    };
    vec![
        language(
            &["py", "pyi"],
            [
                r"^\s*(?:async\s+)?def\s+(\w+)",
                r"^\s*(?:async\s+)?def\s+(test\w*)",
                NOTHING,
                r"^\s*(?:from\s+(\S+)\s+import\b|import\s+([\w.]+))",
                r"^\s*class\s+(\w+)",
            ],
        ),
        language(
            &["ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "astro"],
            [
                r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(\w+)|^\s*(?:export\s+)?(?:const|let|var)\s+(\w+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|(?:<[^>]+>\s*)?(?:\([^)]*\)|\w+)\s*(?::[^=]+)?=>)|^\s+(?:(?:public|private|protected|static|async|override|get|set)\s+)*#?((?:[a-hj-rt-vx-zA-Z_$]|i[^f]|s[^w]|w[^h])[\w$]*)\s*\([^;]*\)\s*(?::[^{;]+)?\{\s*$",
                r#"^\s*(?:it|test|specify)(?:\.\w+)*\s*\(\s*["'`]([^"'`]*)"#,
                NOTHING,
                r#"^\s*import\b.*?["']([^"']+)["']|^\s*(?:const|let|var)\b.*\brequire\(\s*["']([^"']+)["']"#,
                r"^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:class|interface|enum)\s+(\w+)",
            ],
        ),
        language(
            &["go"],
            [
                r"^func\s+(?:\([^)]*\)\s*)?(\w+)",
                r"^func\s+((?:Test|Benchmark|Fuzz)\w*)\s*\(",
                NOTHING,
                r#"^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"]+)"\s*$"#,
                r"^type\s+(\w+)(?:\[[^\]]*\])?\s+(?:struct|interface)\b",
            ],
        ),
        language(
            &["rs"],
            [
                r#"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|extern\s+"\w+")\s+)*fn\s+(\w+)"#,
                NOTHING,
                r"#\[(?:\w+::)*(?:test|rstest)\b",
                r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([\w:]+)",
                r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union)\s+(\w+)",
            ],
        ),
        language(
            &["rb", "rake"],
            [
                r"^\s*def\s+(?:self\.)?([\w?!=]+)",
                r#"^\s*(?:(?:it|test|specify|scenario)\s+["']([^"']*)|def\s+(test_\w+))"#,
                NOTHING,
                r#"^\s*require(?:_relative)?\s+["']([^"']+)"#,
                r"^\s*(?:class|module)\s+([\w:]+)",
            ],
        ),
        language(
            &["java", "kt", "kts", "cs", "swift", "php", "scala", "dart", "groovy"],
            [
                r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|protected|internal|static|final|abstract|override|suspend|async|virtual|open|inline|fileprivate|mutating|sealed|partial|nonisolated)\s+)*(?:fun|func|function|def)\s+(?:<[^>]+>\s*)?(?:[\w.]+\.)?(\w+)|^\s+(?:(?:public|private|protected|internal|static|final|abstract|override|async|virtual|sealed|partial|synchronized|unsafe)\s+)+[\w<>\[\],.?\s]+?\s(\w+)\s*(?:<[^>]+>)?\(",
                r#"^\s*(?:\w+\s+)*(?:func|function)\s+(test\w*)|^\s*(?:it|test)\s*\(\s*["']([^"']*)"#,
                r"@(?:\w+\.)*(?:Test|ParameterizedTest|test)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase|ConditionalFact|ConditionalTheory)\b|#\[Test\b",
                r"^\s*(?:global\s+)?(?:import|using|use)\s+(?:static\s+|function\s+)?([\w.\\]+)\s*(?:;|$|as\b|\.)",
                r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|protected|internal|static|final|abstract|open|sealed|partial|data|readonly|fileprivate|enum|inner|case)\s+)*(?:class|struct|interface|enum|record|object|protocol|trait|actor|mixin)\s+(\w+)",
            ],
        ),
    ]
});

/// The units of one kind that a change added.
pub(crate) fn added(written: &Written, unit: Unit) -> Vec<Found<'_>> {
    let after = written.after();
    if unit == Unit::File {
        let name = written.path.rsplit('/').next().unwrap_or(&written.path).to_owned();
        let head = after.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        return if written.new { vec![Found { name, head, text: after }] } else { Vec::new() };
    }
    let Some((_, ending)) = written.path.rsplit_once('.') else { return Vec::new() };
    let Some(language) = LANGUAGES.iter().find(|language| language.endings.contains(&ending)) else {
        return Vec::new();
    };
    let added: HashSet<&str> = written.added.lines().collect();
    let lines = Lines::of(after);
    let mut found = Vec::new();
    for at in 0..lines.0.len() {
        let head = lines.text(at);
        if added.contains(head)
            && let Some(name) = lines.name(at, unit, language)
        {
            let text = if unit == Unit::Import { head } else { lines.block(after, at) };
            found.push(Found { name, head, text });
        }
    }
    found
}

/// Lines with the place where each begins.
struct Lines<'w>(Vec<(usize, &'w str)>);

impl<'w> Lines<'w> {
    fn of(text: &'w str) -> Self {
        let mut start = 0;
        let place = |line: &'w str| {
            let at = start;
            start += line.len();
            (at, line.trim_end_matches(['\n', '\r']))
        };
        Self(text.split_inclusive('\n').map(place).collect())
    }

    fn text(&self, at: usize) -> &'w str {
        self.0.get(at).map_or("", |(_, line)| line)
    }

    /// The name of the unit that begins in this line, if one does; empty when it has none.
    fn name(&self, at: usize, unit: Unit, language: &Language) -> Option<String> {
        let line = self.text(at);
        let named = |pattern: &Pattern| {
            let groups = pattern.captures(line)?;
            let name = groups.iter().skip(1).flatten().next().map_or("", |group| group.as_str());
            Some(name.to_owned())
        };
        match unit {
            Unit::Function => named(&language.function),
            Unit::Import => named(&language.import),
            Unit::Class => named(&language.class),
            Unit::Test => named(&language.test).or_else(|| {
                // What stands above is only gone through where a function begins: a long comment is above each of its own lines.
                let name = named(&language.function)?;
                let is_marked = |at: usize| language.test_above.is_match(self.text(at));
                (self.top(at)..=at).any(is_marked).then_some(name)
            }),
            Unit::File => None,
        }
    }

    /// The first of the lines right above that belong to this one.
    fn top(&self, at: usize) -> usize {
        let belongs = |line: &str| {
            let line = line.trim_start();
            ["@", "#", "[", "//", "/*", "*", "\"\"\""].iter().any(|mark| line.starts_with(mark))
        };
        (0..at).rev().take_while(|above| belongs(self.text(*above))).last().unwrap_or(at)
    }

    /// The unit that begins in this line, with what stands right above it.
    fn block(&self, text: &'w str, at: usize) -> &'w str {
        let depth = indentation(self.text(at));
        let closes = |line: &str| {
            let line = line.trim_start();
            line.starts_with(['}', ')', ']', '{']) || line == "end" || line.starts_with("end ")
        };
        let mut end = at + 1;
        for below in at + 1..self.0.len() {
            let line = self.text(below);
            if line.trim().is_empty() {
                continue;
            }
            let inside = indentation(line) > depth || (indentation(line) == depth && closes(line));
            if !inside {
                break;
            }
            end = below + 1;
        }
        let start_of = |at: usize| self.0.get(at).map_or(text.len(), |(start, _)| *start);
        text.get(start_of(self.top(at))..start_of(end)).unwrap_or("").trim_end()
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::WrittenBy;

    fn names(path: &str, unit: Unit, text: &str) -> Vec<String> {
        let written =
            Written { added: text.into(), whole: true, ..Written::new(path.into(), WrittenBy::Tool) };
        added(&written, unit).into_iter().map(|found| found.name).collect()
    }

    #[test]
    fn units_are_found_by_their_shape() {
        let python = "import os\nfrom a.b import c\n\nclass A:\n    def run(self):\n        if x:\n            pass\n\ndef test_it():\n    assert 1\n";
        assert_eq!(names("a.py", Unit::Function, python), ["run", "test_it"]);
        assert_eq!(names("a.py", Unit::Test, python), ["test_it"]);
        assert_eq!(names("a.py", Unit::Import, python), ["os", "a.b"]);
        assert_eq!(names("a.py", Unit::Class, python), ["A"]);
        let typescript = "import { a } from './a';\nexport const f = (x: number): number => x;\nclass B {\n  async go(x: string): Promise<void> {\n    if (x) {\n    }\n    while (x) {\n    }\n  }\n}\nit('works', () => {\n});\n";
        assert_eq!(names("a.ts", Unit::Function, typescript), ["f", "go"]);
        assert_eq!(names("a.ts", Unit::Test, typescript), ["works"]);
        assert_eq!(names("a.ts", Unit::Import, typescript), ["./a"]);
        let sharp = "using System.Text;\npublic class T {\n    [Fact]\n    public async Task Adds() {\n    }\n    private int Help(int a) {\n    }\n}\n";
        assert_eq!(names("T.cs", Unit::Function, sharp), ["Adds", "Help"]);
        assert_eq!(names("T.cs", Unit::Test, sharp), ["Adds"]);
        assert_eq!(names("T.cs", Unit::Import, sharp), ["System.Text"]);
        let rust = "use a::b;\n#[test]\nfn adds() {\n}\npub(crate) async fn go() {}\n";
        assert_eq!(names("a.rs", Unit::Function, rust), ["adds", "go"]);
        assert_eq!(names("a.rs", Unit::Test, rust), ["adds"]);
        assert_eq!(names("a.txt", Unit::Function, rust), Vec::<String>::new());
    }

    #[test]
    fn a_unit_has_its_body_and_what_stands_above_it() {
        let text = "@app.get('/')\ndef a(\n    x: int,\n) -> int:\n    return x\n\n\ndef b():\n    pass\n";
        let written = Written { added: text.into(), ..Written::new("a.py".into(), WrittenBy::Tool) };
        let found = added(&written, Unit::Function);
        assert_eq!(found[0].text, "@app.get('/')\ndef a(\n    x: int,\n) -> int:\n    return x");
        assert_eq!(found[1].text, "def b():\n    pass");
    }

    #[test]
    fn only_what_was_added_counts() {
        let written = Written {
            added: "def new():\n".into(),
            edited: "def old():\n    pass\n\ndef new():\n    pass\n".into(),
            ..Written::new("a.py".into(), WrittenBy::Tool)
        };
        let found = added(&written, Unit::Function);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name.as_str(), found[0].text), ("new", "def new():\n    pass"));
    }
}
