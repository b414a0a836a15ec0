//! Splits a shell command line into its simple commands: enough of the grammar to know what was run, in which order,
//! in which directory, with which here-document. It expands nothing.

/// One simple command of a command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simple {
    /// Program and arguments, unquoted. Empty for a lone assignment or redirection.
    pub words: Vec<String>,
    /// What was assigned before it, for it alone: `CI=1`.
    pub assignments: Vec<String>,
    /// Files that its output was redirected to.
    pub redirects: Vec<Redirect>,
    /// The body of its here-document.
    pub heredoc: Option<String>,
    /// The directory it ran in, as far as `cd` in the same line tells.
    pub dir: Option<String>,
    /// Whether it read the output of the command before it.
    pub piped: bool,
    /// Its own text, verbatim from the command line.
    pub text: String,
}

/// A file that output was redirected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// Its path as it was written.
    pub path: String,
    /// Whether it was only added to.
    pub append: bool,
}

#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    /// To a file; whether it is added to.
    Redirect(bool),
    /// A text as input.
    Input,
    Heredoc(String),
    Operator(&'static str),
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// Marker and owner of here-documents whose bodies begin after the next line break.
    pending: Vec<String>,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Steps over what stands in front of such a character, or of the end.
    fn up_to(&mut self, is_end: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let (passed, _) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        self.at += passed.len();
        passed
    }

    fn skip_blanks(&mut self) {
        loop {
            if self.eat("\\\n") {
                continue;
            }
            match self.peek() {
                Some(' ' | '\t' | '\r') => {
                    self.bump();
                }
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.bump();
                    }
                }
                _ => return,
            }
        }
    }

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let c = self.peek()?;
        if c == '\n' {
            self.bump();
            if !self.pending.is_empty() {
                let marker = self.pending.remove(0);
                return Some(Token::Heredoc(self.take_heredoc(&marker)));
            }
            return Some(Token::Operator("\n"));
        }
        for operator in ["&&", "||", "|&", ";;", ";", "|"] {
            if self.eat(operator) {
                return Some(Token::Operator(operator));
            }
        }
        for operator in ["(", ")"] {
            if self.eat(operator) {
                return Some(Token::Operator(operator));
            }
        }
        if self.eat("<<<") {
            return Some(Token::Input);
        }
        if self.eat("<<-") || self.eat("<<") {
            self.skip_blanks();
            let marker = self.word().unwrap_or_default();
            self.pending.push(marker);
            return self.next();
        }
        let append = self.eat("&>>") || self.eat(">>");
        if append || self.eat("&>") || self.eat(">|") || self.eat(">") {
            if self.eat("&") {
                self.word();
                return self.next();
            }
            return Some(Token::Redirect(append));
        }
        if self.eat("<") {
            self.skip_blanks();
            self.word();
            return self.next();
        }
        if self.eat("&") {
            return Some(Token::Operator("&"));
        }
        let digits = self.rest().chars().take_while(char::is_ascii_digit).count();
        if digits > 0
            && self.rest().get(digits..).is_some_and(|rest| rest.starts_with('>') || rest.starts_with('<'))
        {
            self.at += digits;
            return self.next();
        }
        self.word().map(Token::Word)
    }

    fn take_heredoc(&mut self, marker: &str) -> String {
        let mut body = String::new();
        while !self.rest().is_empty() {
            let line = self.rest().split('\n').next().unwrap_or("");
            self.at = (self.at + line.len() + 1).min(self.text.len());
            if line.trim() == marker
                || line.trim().strip_prefix(marker).is_some_and(|rest| rest.starts_with(')'))
            {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        body
    }

    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        let mut any = false;
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.bump();
                    word.push_str(self.up_to(|c| c == '\''));
                    self.bump();
                }
                '"' => {
                    self.bump();
                    self.double_quoted(&mut word);
                }
                '\\' => {
                    self.bump();
                    if let Some(c) = self.bump().filter(|c| *c != '\n') {
                        word.push(c);
                    }
                }
                '$' if self.rest().starts_with("$(") => self.substitution(&mut word),
                _ => {
                    self.bump();
                    word.push(c);
                    word.push_str(self.up_to(is_mark));
                }
            }
            any = true;
        }
        if !any {
            // A character that begins no word: step over it, so that the scan always ends.
            self.bump();
        }
        any.then_some(word)
    }

    fn double_quoted(&mut self, word: &mut String) {
        while let Some(c) = self.peek() {
            if self.rest().starts_with("$(") {
                self.substitution(word);
                continue;
            }
            self.bump();
            match c {
                '"' => return,
                '\\' => {
                    if let Some(c) = self.bump() {
                        if !matches!(c, '"' | '\\' | '$' | '`') {
                            word.push('\\');
                        }
                        word.push(c);
                    }
                }
                _ => {
                    word.push(c);
                    word.push_str(self.up_to(|c| matches!(c, '"' | '\\' | '$')));
                }
            }
        }
    }

    /// `$(cat <<'EOF' … EOF)` gives the body; any other substitution stands as it was written.
    fn substitution(&mut self, word: &mut String) {
        let start = self.at;
        self.eat("$(");
        let head = self.rest().split('\n').next().unwrap_or("");
        if let Some(at) = head.find("<<") {
            let marker: String = head
                .get(at + 2..)
                .unwrap_or("")
                .chars()
                .filter(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            self.at = (self.at + head.len() + 1).min(self.text.len());
            let body = self.take_heredoc(&marker);
            word.push_str(body.trim_end());
            // What is left up to the closing bracket belongs to the substitution.
            let closed =
                self.text.get(..self.at).is_some_and(|done| done.trim_end().ends_with(&format!("{marker})")));
            if !closed {
                while let Some(c) = self.bump() {
                    if c == ')' {
                        break;
                    }
                }
            }
            return;
        }
        let mut depth = 1;
        while depth > 0 {
            match self.bump() {
                Some('(') => depth += 1,
                Some(')') => depth -= 1,
                Some('\'') => while self.bump().is_some_and(|c| c != '\'') {},
                Some(_) => {}
                None => break,
            }
        }
        word.push_str(self.text.get(start..self.at).unwrap_or(""));
    }
}

/// Whether a character ends a word, or means something in it.
fn is_mark(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '<' | '>' | '\'' | '"' | '\\' | '$')
}

const KEYWORDS: &[&str] =
    &["do", "then", "else", "elif", "if", "while", "until", "{", "}", "!", "done", "fi", "time"];

/// Splits a command line. Never fails: what cannot be understood becomes words.
pub fn split(line: &str) -> Vec<Simple> {
    let mut scanner = Scanner { text: line, at: 0, pending: Vec::new() };
    let mut found: Vec<Simple> = Vec::new();
    let mut current = Simple::default();
    let mut dir: Option<String> = None;
    let mut start = 0;
    let mut dirs: Vec<Option<String>> = Vec::new();
    let mut redirect_next: Option<Token> = None;
    loop {
        let token = scanner.next();
        match token {
            Some(Token::Word(word)) => {
                if let Some(token) = redirect_next.take() {
                    if let Token::Redirect(append) = token {
                        current.redirects.push(Redirect { path: word, append });
                    }
                } else if current.words.is_empty() && is_assignment(&word) {
                    current.assignments.push(word);
                } else if current.words.is_empty() && KEYWORDS.contains(&word.as_str()) {
                } else {
                    current.words.push(word);
                }
            }
            Some(token @ (Token::Redirect(_) | Token::Input)) => redirect_next = Some(token),
            Some(Token::Heredoc(body)) => {
                current.heredoc = Some(body);
                let end = scanner.at;
                finish(&mut found, &mut current, &mut dir, line.get(start..end), "\n");
                start = end;
            }
            Some(Token::Operator(operator)) => {
                let end = scanner.at.saturating_sub(operator.len());
                finish(&mut found, &mut current, &mut dir, line.get(start..end), operator);
                start = scanner.at;
                match operator {
                    "(" => dirs.push(dir.clone()),
                    ")" => dir = dirs.pop().unwrap_or(dir),
                    _ => {}
                }
            }
            None => {
                finish(&mut found, &mut current, &mut dir, line.get(start..), "\n");
                return found;
            }
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn finish(
    found: &mut Vec<Simple>,
    current: &mut Simple,
    dir: &mut Option<String>,
    text: Option<&str>,
    operator: &str,
) {
    let mut done = std::mem::take(current);
    current.piped = operator.starts_with('|') && operator != "||";
    if done.words.is_empty() && done.redirects.is_empty() {
        return;
    }
    if done.words.first().is_some_and(|word| word == "cd" || word == "pushd") {
        *dir = done
            .words
            .iter()
            .skip(1)
            .find(|word| !word.starts_with('-'))
            .map(|to| joined(dir.as_deref(), to))
            .filter(|dir| !dir.is_empty());
    }
    done.dir.clone_from(dir);
    done.text = text.unwrap_or("").trim().to_owned();
    found.push(done);
}

/// Where `cd` leads to from a directory.
pub(super) fn joined(from: Option<&str>, to: &str) -> String {
    if to.starts_with(['/', '~', '$']) {
        return to.to_owned();
    }
    let mut parts: Vec<&str> = from.into_iter().flat_map(|dir| dir.split('/')).collect();
    for part in to.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match parts.last() {
            Some(last) if part == ".." && !last.is_empty() && *last != ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expect: &[&[&str]]) {
        let got: Vec<Vec<String>> = split(line).into_iter().map(|simple| simple.words).collect();
        assert_eq!(got, expect, "{line}");
    }

    #[test]
    fn chains_pipes_and_prefixes_are_taken_apart() {
        check(
            "cd web && CI=1 npm run build 2>&1 | tail -5",
            &[&["cd", "web"], &["npm", "run", "build"], &["tail", "-5"]],
        );
        check("a; b || c &", &[&["a"], &["b"], &["c"]]);
        check("(cd x && go test ./...)", &[&["cd", "x"], &["go", "test", "./..."]]);
        check("for f in a b; do echo $f; done", &[&["for", "f", "in", "a", "b"], &["echo", "$f"]]);
        check("# comment\nls -l \\\n  -a", &[&["ls", "-l", "-a"]]);
    }

    #[test]
    fn quotes_hold_operators_together() {
        check(
            r#"git commit -m "a && b; c" -m 'd | e'"#,
            &[&["git", "commit", "-m", "a && b; c", "-m", "d | e"]],
        );
    }

    #[test]
    fn a_commit_message_in_a_here_document_is_read() {
        let line = "git add . && git commit -m \"$(cat <<'EOF'\nfeat: (x) it's\n\nbody\nEOF\n)\" && git push";
        check(
            line,
            &[&["git", "add", "."], &["git", "commit", "-m", "feat: (x) it's\n\nbody"], &["git", "push"]],
        );
    }

    #[test]
    fn here_documents_and_redirections_name_their_file() {
        let got = split("cat > notes/a.md <<EOF\nhello > you\nEOF\nls");
        assert_eq!(got[0].redirects, [Redirect { path: "notes/a.md".into(), append: false }]);
        assert_eq!(got[0].heredoc.as_deref(), Some("hello > you\n"));
        assert_eq!(got[1].words, ["ls"]);
    }

    #[test]
    fn the_directory_follows_cd() {
        let got = split("cd frontend && bun run css:build");
        assert_eq!(got[1].dir.as_deref(), Some("frontend"));
    }

    #[test]
    fn hostile_text_never_hangs_or_fails() {
        for line in ["\"", "'", "$(", "<<", "((((", "a <<EOF", "\\", ">", "é&&ü", "`", ")"] {
            let _ = split(line);
        }
    }
}
