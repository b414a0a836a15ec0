//! How a code term of a line looks in code.

use crate::text::pattern;

pattern!(PLACEHOLDER, r"<[\w -]+>|\{\{[\w -]*\}\}|\{[\w-]+\}|\.\.\.|…|\[\.\.\.\]");
// Brackets with nothing between them behind a name stand for any content: `Task { }`, `\mathcal{}`, `dict[]`, `class=""`, `<% %>`. Behind a
// word such as `catch`, and by themselves, they are empty indeed.
pattern!(
    EMPTY,
    r#"\w( ?\{\s*\})|\w(\[\s*\])|\b(?:class|className|style|href|src|id)=(""|'')|(<%(?:=?)\s*%>)"#
);
pattern!(BLOCK, r"\b(?:catch|else|finally|try|do|then|loop|default|constructor|init)$");
pattern!(TRY, r"^try(?:[-/ ](?:catch|except|finally|rescue))+$");

/// What a name that goes on behind a star ends with.
const OPEN_ENDS: [char; 5] = ['_', '-', '.', '/', ':'];

/// The expression that finds a term in code: as it is written, with blanks as they come, and as a word of its own.
pub(crate) fn expression(term: &str) -> String {
    let term = term.trim();
    // Names of constructs, of which code shows the words one by one.
    if TRY.is_match(term) {
        return r"\btry\s*[:{(]".to_owned();
    }
    if term == "async/await" {
        return r"\basync\b|\bawait\b".to_owned();
    }
    if let Some(name) =
        term.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).filter(|name| is_tag(name))
    {
        return format!(r"<{}(?:[\s/>]|$)", regex::escape(name));
    }
    let is_arity = |text: &str| text.len() == 1 && text.chars().all(|c| c.is_ascii_digit());
    if let Some((name, _)) = term.rsplit_once('/').filter(|(name, arity)| is_name(name) && is_arity(arity)) {
        // `Phoenix.Component.to_form/2` is called by its last name.
        let own = name.rsplit('.').next().unwrap_or(name);
        return format!(r"\b{}\(", regex::escape(own));
    }
    // What stands between the brackets of a call is an example.
    let chained = term.strip_suffix(')').and_then(|call| call.rsplit_once('(')).map(|(name, _)| name);
    let is_chain = |name: &&str| name.contains("()") && is_name(&name.replace("()", ""));
    let (term, is_call) = match (chained.filter(is_chain), term.split_once('(')) {
        // `a().b()` is not every `a()`.
        (Some(name), _) => (name, true),
        (None, Some((name, rest))) if rest.trim_end().ends_with(')') && is_name(name) => (name, true),
        _ => (term, false),
    };
    // `check_*`, `@shared/*`: however it goes on.
    let (term, is_open) = match term.strip_suffix('*').filter(|start| start.ends_with(OPEN_ENDS)) {
        Some(start) => (start, true),
        None => (term, false),
    };
    let mut source = String::new();
    let mut rest = term;
    while let Some(found) = next_gap(rest, term) {
        source.push_str(&literal(rest.get(..found.start()).unwrap_or("")));
        let after = rest.get(found.end()..).unwrap_or("");
        source.push_str(&gap(found.as_str(), after.trim().is_empty()));
        rest = after;
    }
    source.push_str(&literal(rest));
    let starts_word = term.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let ends_word = term.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let start = if starts_word { r"\b" } else { "" };
    let end = match (is_call, ends_word) {
        (true, _) => r"\s*\(",
        (false, _) if is_open => r"\w",
        (false, true) if term.ends_with('_') => "",
        (false, true) => r"\b",
        (false, false) => "",
    };
    format!("{start}{source}{end}")
}

/// The next piece that stands for something else; a term that is nothing but such a piece stands for itself.
fn next_gap<'t>(rest: &'t str, term: &str) -> Option<regex::Match<'t>> {
    let empty = EMPTY.captures(rest).and_then(|found| {
        let piece = (1..=4).find_map(|group| found.get(group))?;
        let before = rest.get(..piece.start()).unwrap_or("").trim_end();
        // `$list[]` appends: it is no place for an index.
        let appends = piece.as_str().starts_with('[') && term.starts_with('$');
        (!appends && !BLOCK.is_match(before)).then_some(piece)
    });
    let placeholder = PLACEHOLDER.find(rest).filter(|found| found.as_str() != rest);
    [empty, placeholder].into_iter().flatten().min_by_key(|found| found.start())
}

/// The expression for such a piece; of empty brackets at the end only the opening one is known to stand on the same line.
fn gap(piece: &str, is_last: bool) -> String {
    let is_empty =
        piece.len() > 1 && !piece.contains(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '…'));
    let (open, close, inner) = match piece.trim_start().chars().next() {
        Some('{') if is_empty && !piece.contains("{{") => (r"\s*\{", r"\}", r"[^}]*"),
        Some('[') if is_empty => (r"\[", r"\]", r"[^\]]*"),
        Some('"' | '\'') => ("[\"'`]", "[\"'`]", r"[^\n]*?"),
        Some('<') if is_empty => ("<%", "%>", r"[^\n]*?"),
        _ => return r"[^\n]*?".to_owned(),
    };
    if is_last { open.to_owned() } else { format!("{open}{inner}{close}") }
}

/// The expression that finds a word by itself or as a part of a name: `user_pubkey`, `userPubkey`, `pubkeys`.
pub(crate) fn part_of_name(word: &str) -> String {
    let mut chars = word.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    let capital = regex::escape(&format!("{first}{}", chars.as_str()));
    format!(r"(?i:(?:\b|_){})|[a-z]{capital}", regex::escape(word))
}

/// The expression that finds a name with this beginning (`x_`), end (`_x`, a word with a capital) or form where it is declared.
pub(crate) fn declared(term: &str) -> String {
    const DECLARES: &str = r"(?:function|def|fn|func|class|interface|struct|enum|trait|type|const|let|var|val|module|fun|apply_filters\(|do_action\()\s*['\x22]?\s*";
    let core = literal(term.trim_matches(['*', '`', '-']));
    if term.ends_with(['_', '*', '-']) {
        format!("{DECLARES}{core}")
    } else {
        format!(r"{DECLARES}\w*{core}\b")
    }
}

/// `<Link>`, `<.input>`: however it goes on.
fn is_tag(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':'))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '@' | '!'))
}

/// Text as it is, but for blanks and the kind of quotes.
fn literal(text: &str) -> String {
    let mut out = String::new();
    let mut before = None;
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let parted = is_word(before) && is_word(word.chars().next());
            out.push_str(if parted { r"\s+" } else { r"\s*" });
        }
        before = word.chars().next_back();
        let mut chars = word.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                // `#[expect()]`: whatever stands between them.
                '(' if chars.peek() == Some(&')') => out.push_str(r"\([^)\n]*"),
                '"' | '\'' | '“' | '”' => out.push_str("[\"'`]"),
                _ => out.push_str(&regex::escape(&c.to_string())),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Pattern;

    #[test]
    fn a_word_is_found_as_a_part_of_names() {
        let found = Pattern::new(&part_of_name("pubkey"));
        for text in ["the pubkey", "Pubkeys", "user_pubkey", "userPubkey", "pubkeySection"] {
            assert!(found.is_match(text), "{text}");
        }
        assert!(!found.is_match("publicKey") && !found.is_match("subpubkey"));
    }

    #[test]
    fn terms_are_found_as_people_write_them_in_code() {
        for (term, code, found) in [
            ("console.log", "  console.log('x')", true),
            ("console.log()", "console.log(a)", true),
            ("render()", "rendered(x)", false),
            ("any", "company", false),
            ("Task { }", "Task { }", true),
            ("Task { }", "Task {\n    await load()\n}", true),
            ("Task { }", "TaskGroup {", false),
            ("\\mathcal{}", "x \\in \\mathcal{F}", true),
            ("\\mathcal{}", "\\mathcalX", false),
            ("<% %>", "<% if admin %>", true),
            ("class=\"\"", "<p class=\"a b\">", true),
            ("dict[]", "x: dict[str, int] = {}", true),
            ("import {} from 'x'", "import { a, b } from 'x'", true),
            ("for _ in", "for _ in range(3)", true),
            ("for _ in", "for_in", false),
            ("try-catch", "try {", true),
            ("try/catch", "  try {", true),
            ("try-catch", "tryAgain()", false),
            ("async/await", "const a = await b()", true),
            ("\"\"", "a = \"b\"", false),
            ("catch {}", "} catch { log(error) }", false),
            ("catch {}", "} catch {}", true),
            ("() => {}", "() => { a() }", false),
            ("x = []", "x = [1]", false),
            ("import { type Foo }", "import { Foo } from 'a'", false),
            ("<Link>", "<Link to='/'>", true),
            ("Phoenix.Component.to_form/2", "assign(socket, form: to_form(params))", true),
            ("<a>", "<abbr>", false),
            ("try!", "let a = try! b()", true),
            ("jetpack_", "function jetpack_add()", true),
            ("#[expect()]", "#[expect(clippy::too_many_lines)]", true),
            ("check_*", "check_env jq", true),
            ("check_*", "check_ jq", false),
            ("@shared/*", "import { a } from '@shared/time'", true),
            ("$wpdb", "$wpdb->get_row()", true),
            ("s.T().TempDir()", "dir := s.T().TempDir()", true),
            ("s.T().TempDir()", "ctx := s.T().Context()", false),
            ("fmt.Errorf(\"…: %w\", err)", "fmt.Errorf(\"read: %w\", err)", true),
        ] {
            assert_eq!(Pattern::new(&expression(term)).is_match(code), found, "{term} in {code}");
        }
    }
}
