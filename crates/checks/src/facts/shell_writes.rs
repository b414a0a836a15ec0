//! Files that shell commands change: redirections, `sed -i`, `mv`, scripts of an interpreter.

use super::files::{Written, relative};
use super::shell::joined;
use super::{Simple, WrittenBy};
use crate::text::pattern;

/// The directory that relative paths of a command begin at, and the one that the project's paths begin at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) dir: Option<&'a str>,
    pub(super) project: Option<&'a str>,
}

impl Base<'_> {
    /// The path as the project sees it.
    pub(super) fn place(self, simple: &Simple, path: &str) -> String {
        let end = if path.ends_with('/') { "/" } else { "" };
        let dir = simple.dir.as_deref().map_or_else(String::new, |dir| joined(self.dir, dir));
        let dir = if dir.is_empty() { self.dir } else { Some(dir.as_str()) };
        relative(&(joined(dir, path) + end), self.project)
    }
}

/// What a shell command changed; `before` is the command whose output it reads.
pub(super) fn of(simple: &Simple, before: Option<&Simple>, base: Base<'_>) -> Vec<Written> {
    let mut found = redirected(simple, base);
    let words: Vec<&str> = simple.words.iter().map(String::as_str).collect();
    let words = if words.first() == Some(&"git") { words.get(1..).unwrap_or(&[]) } else { &words };
    let at_xargs = words.iter().position(|word| *word == "sed" || *word == "perl");
    match (words.first().copied(), at_xargs) {
        (Some("mv" | "cp"), _) => moved(words, simple, base, &mut found),
        (Some("rm"), _) => {
            for path in operands(words) {
                let mut written = Written::new(base.place(simple, path), WrittenBy::Shell);
                written.deleted = true;
                found.push(written);
            }
        }
        (Some("sed" | "perl"), _) => edited(words, &[], simple, base, &mut found),
        (Some("xargs"), Some(at)) => {
            let fed = before.map(fed_path).unwrap_or_default();
            edited(words.get(at..).unwrap_or(&[]), &[fed.as_str()], simple, base, &mut found);
        }
        (Some("tee" | "touch"), _) => {
            for path in operands(words) {
                let mut written = Written::new(base.place(simple, path), WrittenBy::Shell);
                written.added =
                    simple.heredoc.clone().or_else(|| before?.heredoc.clone()).unwrap_or_default();
                found.push(written);
            }
        }
        (Some("python" | "python3" | "node" | "ruby" | "perl5" | "uv"), _) => {
            scripted(words, simple, base, &mut found);
        }
        _ => {}
    }
    found
}

fn operands<'w>(words: &[&'w str]) -> Vec<&'w str> {
    words.iter().skip(1).copied().filter(|word| !word.starts_with('-')).collect()
}

fn redirected(simple: &Simple, base: Base<'_>) -> Vec<Written> {
    let mut found = Vec::new();
    for redirect in simple.redirects.iter().filter(|redirect| !redirect.path.starts_with("/dev/")) {
        let mut written = Written::new(base.place(simple, &redirect.path), WrittenBy::Shell);
        written.added = match (&simple.heredoc, simple.words.first().map(String::as_str)) {
            (Some(body), _) => body.clone(),
            (None, Some("echo" | "printf")) => {
                let said: Vec<&str> = simple
                    .words
                    .iter()
                    .skip(1)
                    .map(String::as_str)
                    .filter(|word| !word.starts_with('-'))
                    .collect();
                said.join(" ").replace("\\n", "\n")
            }
            (None, _) => String::new(),
        };
        written.whole = !redirect.append;
        found.push(written);
    }
    found
}

fn moved(words: &[&str], simple: &Simple, base: Base<'_>, found: &mut Vec<Written>) {
    let operands = operands(words);
    let Some((target, sources)) = operands.split_last() else { return };
    for source in sources {
        let name = source.rsplit('/').next().unwrap_or(source);
        let into_dir = target.ends_with('/')
            || sources.len() > 1
            || !target.rsplit('/').next().unwrap_or("").contains('.');
        let path =
            if into_dir { format!("{}/{name}", target.trim_end_matches('/')) } else { (*target).to_owned() };
        let mut written = Written::new(base.place(simple, &path), WrittenBy::Shell);
        written.moved_from = (words.first() == Some(&"mv")).then(|| base.place(simple, source));
        found.push(written);
    }
}

/// `sed -i -e SCRIPT FILE…`, `sed -i '' SCRIPT FILE…`, `perl -pi -e SCRIPT FILE…`.
fn edited(words: &[&str], fed: &[&str], simple: &Simple, base: Base<'_>, found: &mut Vec<Written>) {
    let in_place = |word: &&str| {
        word.starts_with("-i") || *word == "--in-place" || (word.starts_with("-p") && word.contains('i'))
    };
    if !words.iter().any(in_place) {
        return;
    }
    let (mut scripts, mut files): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut rest = words.iter().skip(1).copied().peekable();
    while let Some(word) = rest.next() {
        match word {
            "-e" | "--expression" | "-pe" => scripts.extend(rest.next()),
            "-f" => {
                rest.next();
            }
            "" => {}
            word if word.starts_with('-') => {}
            word => files.push(word),
        }
    }
    if scripts.is_empty() && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    let (added, removed) = replaced(&scripts);
    for path in files.iter().chain(fed).filter(|path| !path.is_empty()) {
        let mut written = Written::new(base.place(simple, path), WrittenBy::Shell);
        written.added.clone_from(&added);
        written.removed.clone_from(&removed);
        found.push(written);
    }
}

/// What the substitutions of a script put in, and what they take out.
fn replaced(scripts: &[&str]) -> (String, String) {
    let (mut added, mut removed) = (String::new(), String::new());
    let push = |into: &mut String, text: &str| {
        into.push_str(text);
        into.push('\n');
    };
    for command in scripts.iter().flat_map(|script| script.split([';', '\n'])).map(str::trim) {
        let command = command.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$'));
        let mut chars = command.chars();
        match (chars.next(), chars.next()) {
            (Some('s'), Some(mark)) if !mark.is_alphanumeric() && mark != '\\' => {
                let mut parts = split_unescaped(chars.as_str(), mark).into_iter();
                push(&mut removed, &parts.next().unwrap_or_default());
                push(&mut added, &parts.next().unwrap_or_default());
            }
            (Some('a' | 'i' | 'c'), Some(' ' | '\\')) => {
                push(&mut added, chars.as_str().trim_start_matches('\\').trim())
            }
            _ => {}
        }
    }
    (added, removed)
}

fn split_unescaped(text: &str, mark: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let Some(last) = parts.last_mut() else { break };
        match c {
            '\\' => match chars.next() {
                Some(next) if next == mark => last.push(next),
                Some('n') => last.push('\n'),
                Some(next) => last.extend(['\\', next]),
                None => {}
            },
            c if c == mark => parts.push(String::new()),
            c => last.push(c),
        }
    }
    parts
}

/// The files that a command names for the one behind it, as one path: `src/*.ts` for `find src -name '*.ts'`.
fn fed_path(before: &Simple) -> String {
    let words: Vec<&str> = before.words.iter().map(String::as_str).collect();
    let include = words.iter().find_map(|word| word.strip_prefix("--include="));
    let name = words.iter().position(|word| *word == "-name").and_then(|at| words.get(at + 1).copied());
    let operands = operands(&words);
    let dir = match words.first().copied() {
        Some("find" | "fd") => operands.first().copied(),
        Some("grep" | "rg" | "git" | "ls") => operands.last().copied().filter(|_| operands.len() > 1),
        _ => None,
    };
    match (dir, include.or(name)) {
        (Some(dir), Some(name)) => format!("{}/{name}", dir.trim_end_matches('/')),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => String::new(),
    }
}

pattern!(OPENED, r#"(?:\bopen\(\s*|\bPath\(\s*|writeFileSync\(\s*|File\.write\(\s*)[rf]?["']([^"'\n]+)["']"#);
pattern!(WRITES, r#"\.write(?:_text|lines)?\(|writeFileSync\(|File\.write\("#);
pattern!(
    REPLACES,
    r#"(?s)\.replace\(\s*[rf]?("""|'''|"|')(.*?)("""|'''|"|')\s*,\s*[rf]?("""|'''|"|')(.*?)("""|'''|"|')\s*[,)]"#
);
pattern!(PUTS, r#"(?s)\.write(?:_text)?\(\s*[rf]?("""|'''|"|')(.*?)("""|'''|"|')\s*[,)]"#);

/// What a script changes that an interpreter is given in the command line.
fn scripted(words: &[&str], simple: &Simple, base: Base<'_>, found: &mut Vec<Written>) {
    let inline =
        words.iter().position(|word| matches!(*word, "-c" | "-e")).and_then(|at| words.get(at + 1).copied());
    let Some(script) = simple.heredoc.as_deref().or(inline).filter(|script| WRITES.is_match(script)) else {
        return;
    };
    let (mut added, mut removed) = (String::new(), String::new());
    for groups in REPLACES.captures_all(script) {
        let part = |number: usize| groups.get(number).map_or("", |group| group.as_str()).to_owned() + "\n";
        removed += &part(2);
        added += &part(5);
    }
    for groups in PUTS.captures_all(script) {
        added += groups.get(2).map_or("", |group| group.as_str());
        added.push('\n');
    }
    for groups in OPENED.captures_all(script) {
        let path = groups.get(1).map_or("", |group| group.as_str());
        let path = base.place(simple, path);
        if found.iter().all(|written| written.path != path) {
            let mut written = Written::new(path, WrittenBy::Shell);
            written.added.clone_from(&added);
            written.removed.clone_from(&removed);
            found.push(written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: &[(&str, &str, &str, bool)]) {
        let commands = super::super::split(line);
        let base = Base { dir: Some("/p/web"), project: Some("/p") };
        let mut got = Vec::new();
        for (at, simple) in commands.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| commands.get(at)).filter(|_| simple.piped);
            got.extend(of(simple, before, base));
        }
        let got: Vec<(&str, &str, &str, bool)> = got
            .iter()
            .map(|written| {
                (written.path.as_str(), written.added.trim_end(), written.removed.trim_end(), written.whole)
            })
            .collect();
        assert_eq!(got, expect, "{line}");
    }

    #[test]
    fn appending_is_not_writing_the_whole() {
        check("echo 'a b' >> notes.md", &[("web/notes.md", "a b", "", false)]);
        check("echo a > /p/notes.md", &[("notes.md", "a", "", true)]);
        check("cat <<EOF | tee -a x.md\nhi\nEOF", &[("web/x.md", "hi", "", false)]);
    }

    #[test]
    fn sed_changes_each_of_its_files_by_what_it_replaces() {
        check(
            "sed -i 's/old/new/g' a.ts b.ts",
            &[("web/a.ts", "new", "old", false), ("web/b.ts", "new", "old", false)],
        );
        check("sed -i '' -e 's|a/b|c|' x.go", &[("web/x.go", "c", "a/b", false)]);
        check("sed -i '' 's/a/b/' x.go", &[("web/x.go", "b", "a", false)]);
        check("sed -n 's/a/b/p' x.go", &[]);
        check("perl -pi -e 's/a/b/' x.go", &[("web/x.go", "b", "a", false)]);
    }

    #[test]
    fn what_a_pipe_feeds_and_what_a_script_writes_is_seen() {
        check("grep -rl foo src/ | xargs sed -i 's/foo/bar/'", &[("web/src/", "bar", "foo", false)]);
        check("find src -name '*.py' | xargs sed -i 's/a/b/'", &[("web/src/*.py", "b", "a", false)]);
        check(
            "python3 - <<'EOF'\nfrom pathlib import Path\np = Path(\"src/a.py\")\np.write_text(p.read_text().replace(\"old\", \"new\"))\nEOF",
            &[("web/src/a.py", "new", "old", false)],
        );
        check("python3 - <<'EOF'\nprint(open('a.txt').read())\nEOF", &[]);
    }

    #[test]
    fn directories_add_up() {
        check("cd a && cd b && touch c", &[("web/a/b/c", "", "", false)]);
        check("(cd a && touch b) && touch c", &[("web/a/b", "", "", false), ("web/c", "", "", false)]);
        check("cd /p && touch c", &[("c", "", "", false)]);
        check("cd a && cd .. && touch c", &[("web/c", "", "", false)]);
    }
}
