//! How a code term of a line looks in code.

use crate::text::pattern;

pattern!(PLACEHOLDER, r"<[\w -]+>|\{\{[\w -]*\}\}|\{[\w-]*\}|\.\.\.|…|\[\.\.\.\]");

/// What a name that goes on behind a star ends with.
const OPEN_ENDS: [char; 5] = ['_', '-', '.', '/', ':'];

/// The expression that finds a term in code: as it is written, with blanks as they come, and as a word of its own.
pub(crate) fn expression(term: &str) -> String {
    let term = term.trim();
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
    while let Some(found) = PLACEHOLDER.find(rest) {
        if found.start() == 0 && found.end() == rest.len() {
            break;
        }
        source.push_str(&literal(rest.get(..found.start()).unwrap_or("")));
        source.push_str(r"[^\n]*?");
        rest = rest.get(found.end()..).unwrap_or("");
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
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            out.push_str(r"\s*");
        }
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
