//! JSON with comments and trailing commas, as places in a text: what edits a text without writing it anew.

/// How deep values may be nested.
const MAX_DEPTH: usize = 128;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its first byte.
    pub(crate) start: usize,
    /// The byte behind its last.
    pub(crate) end: usize,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Text(String),
    Other,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) start: usize,
    pub(crate) value: Node,
}

impl Node {
    pub(crate) fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            Kind::Array(_) | Kind::Text(_) | Kind::Other => None,
        }
    }

    pub(crate) fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Array(items) => Some(items),
            Kind::Object(_) | Kind::Text(_) | Kind::Other => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            Kind::Object(_) | Kind::Array(_) | Kind::Other => None,
        }
    }

    /// The member of that name; of several the last, as programs read it.
    pub(crate) fn member(&self, key: &str) -> Option<&Member> {
        self.members()?.iter().rev().find(|member| member.key == key)
    }
}

/// Where a text is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) offset: usize,
    pub(crate) expected: &'static str,
}

/// Reads a text; `None` if it holds nothing but white space and comments.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, SyntaxError> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if text.starts_with('\u{feff}') {
        parser.at = '\u{feff}'.len_utf8();
    }
    parser.skip_trivia()?;
    if parser.peek().is_none() {
        return Ok(None);
    }
    let root = parser.value()?;
    parser.skip_trivia()?;
    match parser.peek() {
        None => Ok(Some(root)),
        Some(_) => Err(parser.expected("the end of the file")),
    }
}

/// Passes over white space and comments, and says where they end.
pub(crate) fn trivia_end(text: &str, at: usize) -> usize {
    let mut parser = Parser { text, at, depth: 0 };
    match parser.skip_trivia() {
        Ok(()) => parser.at,
        Err(_) => text.len(),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn expected(&self, expected: &'static str) -> SyntaxError {
        SyntaxError { offset: self.at, expected }
    }

    fn skip_trivia(&mut self) -> Result<(), SyntaxError> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let rest = rest.get(blank..).unwrap_or_default();
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or_else(|| self.expected("the end of a comment, `*/`"))?;
                end + 2
            } else {
                self.at += blank;
                return Ok(());
            };
            self.at += blank + comment;
        }
    }

    fn value(&mut self) -> Result<Node, SyntaxError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => Kind::Text(self.string()?),
            _ => self.word()?,
        };
        Ok(Node { start, end: self.at, kind })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Kind, SyntaxError>) -> Result<Kind, SyntaxError> {
        if self.depth == MAX_DEPTH {
            return Err(self.expected("less nesting"));
        }
        self.depth += 1;
        self.at += 1;
        let kind = read(self)?;
        self.depth -= 1;
        Ok(kind)
    }

    fn object(&mut self) -> Result<Kind, SyntaxError> {
        let mut members = Vec::new();
        loop {
            self.skip_trivia()?;
            let start = self.at;
            match self.peek() {
                Some(b'}') => break,
                Some(b'"') => {}
                _ => return Err(self.expected("a key in quotes, or `}`")),
            }
            let key = self.string()?;
            self.skip_trivia()?;
            if self.peek() != Some(b':') {
                return Err(self.expected("`:`"));
            }
            self.at += 1;
            self.skip_trivia()?;
            let value = self.value()?;
            members.push(Member { key, start, value });
            if self.ends_with(b'}', "`,` or `}`")? {
                break;
            }
        }
        self.at += 1;
        Ok(Kind::Object(members))
    }

    fn array(&mut self) -> Result<Kind, SyntaxError> {
        let mut items = Vec::new();
        loop {
            self.skip_trivia()?;
            if self.peek() == Some(b']') {
                break;
            }
            items.push(self.value()?);
            if self.ends_with(b']', "`,` or `]`")? {
                break;
            }
        }
        self.at += 1;
        Ok(Kind::Array(items))
    }

    /// Behind a value: whether the bracket closes, or a comma leads on.
    fn ends_with(&mut self, bracket: u8, expected: &'static str) -> Result<bool, SyntaxError> {
        self.skip_trivia()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            Some(found) if found == bracket => Ok(true),
            _ => Err(self.expected(expected)),
        }
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(b'\n') | None => return Err(self.expected("a closing `\"` on the same line")),
                Some(_) => end += 1,
            }
        }
        let quoted = self.text.get(self.at..=end).unwrap_or_default();
        let text = serde_json::from_str(quoted).map_err(|_| self.expected("a text without wrong escapes"))?;
        self.at = end + 1;
        Ok(text)
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Kind, SyntaxError> {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || ",]}:/\"{[".contains(c);
        let word = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
        match serde_json::from_str::<serde_json::Value>(word) {
            Ok(_) => {
                self.at += word.len();
                Ok(Kind::Other)
            }
            Err(_) => Err(self.expected("a value")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, offset: usize, expected: &str) {
        let error = parse(text).unwrap_err();
        assert_eq!((error.offset, error.expected), (offset, expected), "{text}");
    }

    #[test]
    fn comments_trailing_commas_and_a_byte_order_mark_are_passed_over() {
        let text = "\u{feff}// head\n{ \"a\": [1, /* x */ \"b\\n\",], // tail\n \"c\": {\"d\": null,}, }\n";
        let root = parse(text).unwrap().unwrap();
        let a = &root.member("a").unwrap().value;
        assert_eq!(a.items().unwrap()[1].text(), Some("b\n"));
        assert_eq!(&text[a.start..a.end], "[1, /* x */ \"b\\n\",]");
        assert!(root.member("c").unwrap().value.member("d").is_some());
        assert_eq!(parse(" // nothing\n").unwrap(), None);
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        check_error("{\"a\" 1}", 5, "`:`");
        check_error("{\"a\": 1 \"b\": 2}", 8, "`,` or `}`");
        check_error("{a: 1}", 1, "a key in quotes, or `}`");
        check_error("{\"a\": }", 6, "a value");
        check_error("{\"a\": tru}", 6, "a value");
        check_error("{\"a\": \"x\n\"}", 6, "a closing `\"` on the same line");
        check_error("{} {}", 3, "the end of the file");
        check_error("{\"a\": [1}", 8, "`,` or `]`");
        check_error("{", 1, "a key in quotes, or `}`");
        check_error("/* open", 0, "the end of a comment, `*/`");
        check_error("{\"a\": \"\\q\"}", 6, "a text without wrong escapes");
        check_error(&"[".repeat(200), 128, "less nesting");
    }
}
